"""Where two shapes touch: a fixed number of points for a pair, over scalars.

`shapes` has the records, and `pairs` the table of pairs; the other files are families of pairs.
Conventions are those of `polhode.collision`, whose functions branch.  The normal points from the
second shape to the first, and a point lies midway between the surfaces.
May import `errors`, `scalar`, `spatial` and `model`.
"""

from .pairs import count, may_touch, points
from .reach import GROUND, reach
from .shapes import FAR, Kind, Point, Shape

__all__ = ["FAR", "GROUND", "Kind", "Point", "Shape", "count", "may_touch", "points", "reach"]
