"""The table of pairs: which function has the points of two kinds of shapes, and how many."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ....errors import ModelError
from ....scalar import Scalar, when
from ....spatial import Transform, Vec3
from .boxes import box_box
from .capsule_boxes import capsule_box
from .capsule_cylinders import capsule_cylinder
from .capsules import capsule_capsule
from .height_maps import capsule_on_height_map, points_on_height_map, sphere_on_height_map
from .planes import on_plane, torus_on_plane
from .reach import GROUND, is_near
from .shapes import FAR, Kind, Point, Shape
from .spheres import (
    sphere_box,
    sphere_capsule,
    sphere_cone,
    sphere_cylinder,
    sphere_sphere,
    sphere_torus,
)


class _Pair(NamedTuple):
    """A function that finds points.

    Attributes
    ----------
    find : callable
    count : int or None
        How many it finds; None: one of each group of the first shape's corners.
    is_short : bool
        Whether it has hardly more operations than a look at how near the shapes are.
    """

    find: Callable[[Shape, Transform, Shape, Transform], list[Point]]
    count: int | None
    is_short: bool = False


_SAMPLES = {
    Kind.SPHERE: 1,
    Kind.CAPSULE: 2,
    Kind.CYLINDER: 4,
    Kind.CONE: 4,
    Kind.BOX: 8,
    Kind.HULL: None,
}
"""What stands on ground of any kind."""

_PAIRS = {
    **{(kind, Kind.PLANE): _Pair(on_plane, n, n in (1, 2)) for kind, n in _SAMPLES.items()},
    **{(kind, Kind.HEIGHT_MAP): _Pair(points_on_height_map, n) for kind, n in _SAMPLES.items()},
    (Kind.SPHERE, Kind.HEIGHT_MAP): _Pair(sphere_on_height_map, 1),
    (Kind.CAPSULE, Kind.HEIGHT_MAP): _Pair(capsule_on_height_map, 2),
    (Kind.ELLIPSOID, Kind.PLANE): _Pair(on_plane, 1, True),
    (Kind.TORUS, Kind.PLANE): _Pair(torus_on_plane, 3),
    (Kind.SPHERE, Kind.SPHERE): _Pair(sphere_sphere, 1, True),
    (Kind.SPHERE, Kind.CAPSULE): _Pair(sphere_capsule, 1, True),
    (Kind.SPHERE, Kind.BOX): _Pair(sphere_box, 1, True),
    (Kind.SPHERE, Kind.CYLINDER): _Pair(sphere_cylinder, 1, True),
    (Kind.SPHERE, Kind.CONE): _Pair(sphere_cone, 1, True),
    (Kind.SPHERE, Kind.TORUS): _Pair(sphere_torus, 1, True),
    (Kind.CAPSULE, Kind.CAPSULE): _Pair(capsule_capsule, 2),
    (Kind.CAPSULE, Kind.BOX): _Pair(capsule_box, 2),
    (Kind.CAPSULE, Kind.CYLINDER): _Pair(capsule_cylinder, 2),
    (Kind.BOX, Kind.BOX): _Pair(box_box, 8),
}
"""By kinds; the other order is the same pair."""


def points(
    a: Shape, X_a: Transform, b: Shape, X_b: Transform, *, margin: Scalar | None = None
) -> list[Point]:
    """Find where two shapes touch or may touch.

    Parameters
    ----------
    a, b : Shape
    X_a, X_b : Transform
        Their poses, from the world's coordinates to each shape's.
    margin : scalar, optional
        Of shapes that are farther apart [m], points may be left out.  Pairs of many operations
        are skipped where no state has them nearer.

    Returns
    -------
    list of Point
        As many as `count` says, each at the same place of the list at all poses.

    Raises
    ------
    ModelError
        If there is no function for the pair.
    """
    pair, is_swapped = _pair(a.kind, b.kind)
    if is_swapped:
        turned = points(b, X_b, a, X_a, margin=margin)
        return [Point(x, -n, gap) for x, n, gap in turned]
    if margin is None or pair.is_short:
        return pair.find(a, X_a, b, X_b)
    none = [Point(Vec3.zero(), Vec3(0.0, 0.0, 1.0), FAR)] * count(a, b)
    return when(is_near(a, X_a, b, X_b, margin), lambda _: pair.find(a, X_a, b, X_b), none)


def may_touch(
    a: Shape, X_a: Transform, b: Shape, X_b: Transform, margin: Scalar, *, is_one_of_many: bool
) -> Scalar:
    """Whether two shapes may be nearer than a margin [m]; True where a look costs too much."""
    pair, is_swapped = _pair(a.kind, b.kind)
    if is_swapped:
        a, X_a, b, X_b = b, X_b, a, X_a
    if pair.is_short and (b.kind in GROUND or not is_one_of_many):
        return True
    return is_near(a, X_a, b, X_b, margin)


def count(a: Shape, b: Shape) -> int:
    """How many points `points` finds.

    Raises
    ------
    ModelError
        If there is no function for the pair.
    """
    pair, is_swapped = _pair(a.kind, b.kind)
    if pair.count is None:
        return len((b if is_swapped else a).corners)
    return pair.count


def _pair(a: Kind, b: Kind) -> tuple[_Pair, bool]:
    """The pair of two kinds, and whether it is found in the other order."""
    for order in ((a, b), (b, a)):
        if order in _PAIRS:
            return _PAIRS[order], order != (a, b)
    names = " and a ".join(kind.name.lower().replace("_", " ") for kind in (a, b))
    raise ModelError(f"expected a pair with a fixed number of contacts, got a {names}")
