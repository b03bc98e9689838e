"""Values of the sensors of a scene.

`values` holds the public function, `lowering` makes terms for programs out of the scene's records,
`range_finders` casts their rays.
May import `errors`, `once`, `spatial`, `model`, `compiler`, `algorithms`, `binding`, `api`, `scene`
and `collision`.
"""

from .values import sensors, values_under

__all__ = ["sensors", "values_under"]
