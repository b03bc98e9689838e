"""Distance and contacts of two shapes, and rays, asked from Python."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import as_number
from ..arrays import as_array
from ..errors import ArgumentError, ModelError, ShapeError, shown
from ..model import Shape
from ..spatial import Transform
from .broad import shape_bounds
from .collide import collide, contact_buffer
from .placed import PlacedShapes
from .rays import cast_rays
from .shape_layout import MAX_PER_PAIR
from .table import ShapeTable

Pose = Transform | ArrayLike | None
_PAIR = np.array([[0, 1]], np.int32)


class Distance(NamedTuple):
    """How far two shapes are apart, and where; negative: how deep they overlap.

    Attributes
    ----------
    gap : float
        Distance of the surfaces [m].
    point_a, point_b : ndarray, shape (3,)
        The points of either surface that are nearest, or deepest in the other [m].
    normal : ndarray, shape (3,)
        Unit vector from b to a: ``point_a - point_b == gap * normal``.
    """

    gap: float
    point_a: np.ndarray
    point_b: np.ndarray
    normal: np.ndarray


class ContactPoint(NamedTuple):
    """A place where two shapes touch or nearly do.

    Attributes
    ----------
    point : ndarray, shape (3,)
        Midway between the surfaces [m].
    normal : ndarray, shape (3,)
        Unit vector from b to a.
    gap : float
        Distance of the surfaces along the normal [m], negative where they overlap.
    feature : int
        A number that stays the same while the shapes move a little.
    """

    point: np.ndarray
    normal: np.ndarray
    gap: float
    feature: int


def distance(shape_a: Shape, pose_a: Pose, shape_b: Shape, pose_b: Pose) -> Distance:
    """Find the distance of two shapes and the points between which it lies.

    Parameters
    ----------
    shape_a : Shape
        Any of `polhode.model`'s shapes but a mesh file, which must be read first.
    pose_a : Transform, array_like of shape (4, 4), or None
        Its pose: a `Transform` from the world's coordinates to the shape's (as ``Visual.frame``),
        or the matrix from the shape's coordinates to the world's. None where both are the same.
    shape_b : Shape
        The other shape.
    pose_b : Transform, array_like of shape (4, 4), or None
        Where that is.

    Returns
    -------
    Distance

    Raises
    ------
    ModelError
        If the pair has no distance, as of two planes.
    ShapeError
        If a pose is not one.
    ArgumentError
        If a shape or the margin is not one.

    Notes
    -----
    Exact for convex shapes, and where the circle of a torus is outside the other shape;
    near convex otherwise, see the page on collision.

    Examples
    --------
    >>> from polhode.model import Sphere
    >>> from polhode.spatial import Transform
    >>> distance(Sphere(1.0), None, Sphere(0.5), Transform.translation(2.0, 0.0, 0.0)).gap
    0.5
    """
    found = contacts(shape_a, pose_a, shape_b, pose_b, margin=math.inf)
    if not found:
        names = f"a {type(shape_a).__name__} and a {type(shape_b).__name__}"
        raise ModelError(f"expected two shapes that can touch each other, got {names}")
    nearest = min(found, key=lambda contact: contact.gap)
    half = 0.5 * nearest.gap * nearest.normal
    return Distance(nearest.gap, nearest.point + half, nearest.point - half, nearest.normal)


def contacts(
    shape_a: Shape,
    pose_a: Pose,
    shape_b: Shape,
    pose_b: Pose,
    *,
    margin: float = 0.0,
) -> list[ContactPoint]:
    """Find the points where two shapes touch, at most eight, as a simulation sees them.

    Parameters
    ----------
    shape_a, pose_a, shape_b, pose_b : Shape, Transform or array_like of shape (4, 4)
        As of `distance`.
    margin : float
        Points of surfaces that are no farther apart than this count [m].

    Returns
    -------
    list of ContactPoint
        Sorted by feature.
    """
    rotations, positions = np.empty((2, 3, 3)), np.empty((2, 3))
    for name, shape in (("shape_a", shape_a), ("shape_b", shape_b)):
        _check_shape(name, shape)
    for k, (name, pose) in enumerate((("pose_a", pose_a), ("pose_b", pose_b))):
        rotations[k], positions[k] = _rigid(pose, name)
    margin = as_number("margin", margin, finite=False)
    table = _table(shape_a, shape_b)
    out = contact_buffer(MAX_PER_PAIR)
    shapes = PlacedShapes(*table.arrays, rotations, positions)
    n = collide(shapes, _PAIR, np.array([margin]), out)
    return [
        ContactPoint(out.point[k], out.normal[k], float(out.gap[k]), int(out.feature[k]))
        for k in range(n)
    ]


def ray_cast(shape: Shape, pose: Pose, origin: ArrayLike, direction: ArrayLike) -> np.ndarray:
    """Find how far along rays a shape is.

    Parameters
    ----------
    shape, pose : Shape, Transform or array_like of shape (4, 4)
        As of `distance`.
    origin, direction : array_like, shape (..., 3)
        Of each ray, in world coordinates [m]; the direction has any length but zero.

    Returns
    -------
    distance : ndarray, shape (...)
        From the origin to the point where the ray first meets the surface [m]; infinite where it
        meets none.

    Raises
    ------
    ShapeError
        If a pose is not one, or the last axis of a ray is not 3.
    ArgumentError
        If the shape is not one, or a direction is zero.

    Notes
    -----
    From inside, a ray meets the surface where it leaves the shape.  A plane is met from above
    only, a mesh and a height map from both sides.  Closed forms, for a torus steps as long as its
    distance.

    Examples
    --------
    >>> from polhode.model import Sphere
    >>> ray_cast(Sphere(1.0), None, (-3.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    array(2.)
    """
    _check_shape("shape", shape)
    rotation, position = _rigid(pose, "pose")
    p, d = (_points(name, x) for name, x in (("origin", origin), ("direction", direction)))
    lengths = np.linalg.norm(d, axis=-1, keepdims=True)
    if not lengths.all():
        raise ArgumentError("expected directions that are not zero as direction")
    batch = np.broadcast_shapes(p.shape, d.shape)
    rays = np.concatenate([np.broadcast_to(x, batch) for x in (p, d / lengths)], axis=-1)
    arrays = ShapeTable.of([shape]).arrays
    shapes = PlacedShapes(*arrays, rotation[None].copy(), position[None].copy())
    still = np.array([[[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]])
    rows = np.ascontiguousarray(rays.reshape(1, -1, 6))
    out = np.empty((1, rows.shape[1]))
    is_met = np.ones((rows.shape[1], 1), np.uint8)
    cast_rays(shapes, np.zeros(1, np.int64), still, rows, is_met, out)
    return out.reshape(batch[:-1])


def bounding_box(shape: Shape, pose: Pose = None) -> np.ndarray:
    """Find the box along the world's axes that holds a shape.

    Parameters
    ----------
    shape, pose : Shape, Transform or array_like of shape (4, 4)
        As of `distance`.

    Returns
    -------
    corners : ndarray, shape (2, 3)
        Lowest and highest coordinates [m]; those of a plane and below a height map are
        those of what is solid, infinite or far down.
    """
    rotation, position = _rigid(pose, "pose")
    bounds = np.empty(6)
    arrays = ShapeTable.of([shape]).arrays
    shapes = PlacedShapes(*arrays, rotation[None].copy(), position[None].copy())
    shape_bounds(shapes, 0, bounds)
    return bounds.reshape(2, 3)


@lru_cache(maxsize=64)
def _table(shape_a: Shape, shape_b: Shape) -> ShapeTable:
    return ShapeTable.of([shape_a, shape_b])


def _check_shape(name: str, shape: object) -> None:
    if not isinstance(shape, Shape):
        raise ArgumentError(f"expected a shape as {name}, got {shown(shape)}")


def _points(name: str, value: ArrayLike) -> np.ndarray:
    points = as_array(name, value, finite=True)
    if points.ndim == 0 or points.shape[-1] != 3:
        raise ShapeError(f"expected 3 on the last axis of {name}, got shape {points.shape}")
    return points


def _rigid(pose: Pose, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and place, shape to world."""
    if pose is None:
        return np.eye(3), np.zeros(3)
    if isinstance(pose, Transform):
        return np.array(pose.E.T.rows(), float), np.array([float(x) for x in pose.r])
    matrix = as_array(name, pose, "; a Transform or a 4x4 matrix is one", finite=True)
    if matrix.shape != (4, 4):
        raise ShapeError(f"expected a Transform or a 4x4 matrix as {name}, got {matrix.shape}")
    R = matrix[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-9 or np.linalg.det(R) < 0.0:
        raise ShapeError(f"expected a rotation in the upper left of {name}, got another matrix")
    return R, matrix[:3, 3]
