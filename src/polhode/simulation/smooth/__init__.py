"""Scenes without contact as differential equations, for integrators other than the compiled one.

`dynamics`, `springs` and `couplings` are the equations, `integrators` run them.  May import
`errors`, `spatial`, `model`, `algorithms`, `compiler`, `binding`, `api`, `scene`, and what else is
in `simulation`.
"""
