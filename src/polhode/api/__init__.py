"""The public functions by theme: check shapes, find or build the program, call it.

By theme: `dynamics`, `kinematics`, `constraints` and its parts, `derivatives` and its parts,
`parameters` and its parts, `manifold`, `inverse_kinematics`.  May import `errors`,
`once`, `arrays`, `scalar`, `arguments`, `spatial`, `model`, `constraint_sets`, `algorithms`,
`compiler` and `binding`.
"""
