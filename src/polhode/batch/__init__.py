"""Many runs: roll-outs of worlds side by side, and sweeps over parameters.

May import `errors`, `once`, `files`, `arrays`, `arguments`, `model`, `algorithms`, `compiler`,
`binding`, `api`, `scene`, `recording` and `simulation`.
"""
