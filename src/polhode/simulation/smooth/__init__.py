"""Scenes without contact as differential equations, for methods other than the compiled one.

`dynamics` and `couplings` are the equations, `schemes` runs them.  May import `errors`,
`spatial`, `model`, `api`, and what else is in `simulation`.
"""

from ..adaptive import NAMES

SCHEMES = ("symplectic", "rk4", "moby", *NAMES)

__all__ = ["SCHEMES"]
