"""From arrays to programs: one call path, roles of arguments, and errors in the user's words.

`calls` finds or builds the program of an algorithm, checks the arguments and calls it; `programs`
compiles.  `roles` is the table of the kinds of arguments, and `tracing` makes records of plain
scalars by it.  `plain` runs the same algorithm on arrays; `trace_errors` and `trace_advice` explain
errors.  The only place where algorithms meet the compiler.  May import `errors`, `reprs`, `once`,
`arrays`, `scalar`, `arguments`, `spatial`, `model`, `constraint_sets`, `algorithms` and `compiler`.
"""
