"""The public functions by theme: check shapes, find or build the program, call it.

By theme: `dynamics`, `kinematics`, `constraints` and its parts, `derivatives` and its parts,
`parameters` and its parts, `manifold`, `inverse_kinematics`, `rollout`.  Behind them, `programs`
finds and calls, `tracing` and `outputs` lead from arrays to scalars and back, `trace_errors` and
`trace_advice` explain.  The only place where algorithms meet the compiler.  May import `errors`,
`once`, `arguments`, `scalar`, `spatial`, `model`, `constraint_sets`, `algorithms` and `compiler`.
"""
