"""Convex hulls with whole faces: coplanar triangles put together."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from .shapes import Polyhedron

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

FLAT = 1e-9  # relative to the size
TURN = 1e-8  # rad, between triangles of a face


def convex_hull(points: ArrayLike) -> tuple[np.ndarray, list[list[int]]]:
    """Corners of the hull of ``points``, and its faces, counter-clockwise from outside.

    Raises
    ------
    ModelError
        If the points lie in a plane.
    """
    from scipy.spatial import ConvexHull, QhullError

    cloud = np.unique(np.asarray(points, float), axis=0)
    size = float(np.ptp(cloud, axis=0).max())
    try:
        hull = ConvexHull(cloud)
    except (QhullError, ValueError):
        hull = None
    if hull is None or hull.volume <= FLAT * size**3:
        raise ModelError(
            f"expected points that span a volume, got {len(cloud)} different ones in a plane "
            "(a thin box needs a thickness)"
        )
    loops = _loops(cloud, hull, size)
    used = sorted({k for loop in loops for k in loop})
    number = {k: i for i, k in enumerate(used)}
    return cloud[used], [[number[k] for k in loop] for loop in loops]


@lru_cache(maxsize=256)
def hull_of(shape: Polyhedron) -> tuple[np.ndarray, list[list[int]]]:
    """The hull of a shape, as `convex_hull` has it; found once, and not to be written to."""
    corners, faces = convex_hull(shape.vertices)
    corners.flags.writeable = False
    return corners, faces


def _loops(cloud: np.ndarray, hull: ConvexHull, size: float) -> list[list[int]]:
    """The vertices of each face, in the order of their first triangles."""
    same = _same_planes(hull, size)
    alone = np.flatnonzero(~same.any(axis=1))
    loops = dict(zip(alone.tolist(), _triangles(cloud, hull, alone), strict=True))
    for members in _coplanar(hull, same):
        normal = hull.equations[members[0], :3]
        corners = sorted({int(k) for t in members for k in hull.simplices[t]})
        loops[members[0]] = _outline(cloud, corners, normal)
    return [loop for _, loop in sorted(loops.items()) if len(loop) >= 3]


def _same_planes(hull: ConvexHull, size: float) -> np.ndarray:
    """Whether each triangle and each of its neighbours lie in one plane."""
    apart = np.abs(hull.equations[hull.neighbors] - hull.equations[:, None])
    return _is_flat(apart, size)


def _is_flat(apart: np.ndarray, size: float) -> np.ndarray:
    return (apart[..., :3].max(axis=-1) < TURN) & (apart[..., 3] < FLAT * max(size, 1e-300))


def _triangles(cloud: np.ndarray, hull: ConvexHull, of: np.ndarray) -> list[list[int]]:
    """Faces of one triangle each, as `_outline` has them."""
    if not of.size:
        return []
    loops, normals = np.sort(hull.simplices[of], axis=1), hull.equations[of, :3]
    points = cloud[loops]
    arms = points - points.mean(axis=1, keepdims=True)
    longest = np.argmax(np.linalg.norm(arms, axis=2), axis=1)
    u = arms[np.arange(len(of)), longest]
    v = np.cross(normals, u)
    turns = np.arctan2((arms * v[:, None]).sum(axis=2), (arms * u[:, None]).sum(axis=2))
    loops = np.take_along_axis(loops, np.argsort(turns, axis=1, kind="stable"), axis=1)
    whole = np.all(_bends(cloud[loops], normals[:, None]), axis=1).tolist()
    return [loop if kept else [] for loop, kept in zip(loops.tolist(), whole, strict=True)]


def _coplanar(hull: ConvexHull, same: np.ndarray) -> list[list[int]]:
    """Triangles that share a plane with a neighbour, in groups that lie in one plane."""
    size = float(np.ptp(hull.points, axis=0).max())
    left = dict.fromkeys(np.flatnonzero(same.any(axis=1)).tolist())
    groups: list[list[int]] = []
    while left:
        todo, members = [next(iter(left))], []
        plane = hull.equations[todo[0]]
        del left[todo[0]]
        while todo:
            members.append(todo.pop())
            for other in hull.neighbors[members[-1]].tolist():
                if other in left and _is_flat(np.abs(hull.equations[other] - plane), size):
                    del left[other]
                    todo.append(other)
        groups.append(members)
    return groups


def _outline(cloud: np.ndarray, loop: list[int], normal: np.ndarray) -> list[int]:
    """Vertices of a face in order around its outward normal, without those on an edge."""
    points = cloud[loop]
    centre = points.mean(axis=0)
    u = points[np.argmax(np.linalg.norm(points - centre, axis=1))] - centre
    v = np.cross(normal, u)
    turns = np.arctan2((points - centre) @ v, (points - centre) @ u)
    loop = [loop[k] for k in np.argsort(turns, kind="stable")]
    bends = _bends(cloud[loop], normal)
    return [corner for corner, bend in zip(loop, bends, strict=True) if bend]


def _bends(points: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Whether the outline of a face turns at each of its vertices, around the normal."""
    a, b = points - np.roll(points, 1, axis=-2), np.roll(points, -1, axis=-2) - points
    lengths = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return (np.cross(a, b) * normal).sum(axis=-1) > FLAT * lengths
