"""Trees under constraints: rows of contacts and loops, and systems with them (RBDA chapter 8).

`rows` makes the rows, and `solve` factorises; `solvers`, `assembly`, `explicit` and
`inverse_kinematics` use them.  `closures` makes those of joints that close the loops of a scene.
May import `scalar`, `spatial`, `model`, `constraint_sets` and `tree`.
"""
