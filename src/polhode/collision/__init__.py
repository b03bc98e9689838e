"""Contacts and distances of shapes, and rays that meet them.

Supported: every shape against every other, but for the pairs among planes and height maps.
Approximate: torus pairs inside each other, meshes and height maps (points of both sides).  May
import `errors`, `arrays`, `arguments`, `spatial`, `model` and `compiler`.
"""

from .broad import (
    Groups,
    are_apart,
    bounding_spheres,
    overlapping_in_groups,
    overlapping_pairs,
    shape_bounds,
)
from .collide import ContactBuffer, collide, contact_buffer
from .placed import PlacedShapes
from .query import ContactPoint, Distance, bounding_box, contacts, distance, ray_cast
from .rays import cast_rays
from .shape_layout import MAX_PER_PAIR
from .table import ShapeTable

__all__ = [
    "MAX_PER_PAIR",
    "ContactBuffer",
    "ContactPoint",
    "Distance",
    "Groups",
    "PlacedShapes",
    "ShapeTable",
    "are_apart",
    "bounding_box",
    "bounding_spheres",
    "cast_rays",
    "collide",
    "contact_buffer",
    "contacts",
    "distance",
    "overlapping_in_groups",
    "overlapping_pairs",
    "ray_cast",
    "shape_bounds",
]
