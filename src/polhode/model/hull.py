"""Convex hulls with whole faces: coplanar triangles put together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError

FLAT = 1e-9  # relative to the size


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
    faces, corners = [], []
    for members in _coplanar(hull, size):
        normal = hull.equations[members[0], :3]
        loop = _outline(cloud, sorted({int(k) for t in members for k in hull.simplices[t]}), normal)
        if len(loop) >= 3:
            faces.append(loop)
            corners += loop
    used = sorted(set(corners))
    number = {k: i for i, k in enumerate(used)}
    return cloud[used], [[number[k] for k in face] for face in faces]


def _coplanar(hull, size: float) -> list[list[int]]:
    """Triangles of the hull in groups that lie in one plane."""
    group = [-1] * len(hull.simplices)
    groups: list[list[int]] = []
    for first in range(len(group)):
        if group[first] >= 0:
            continue
        plane, members, todo = hull.equations[first], [], [first]
        group[first] = len(groups)
        while todo:
            t = todo.pop()
            members.append(t)
            for other in map(int, hull.neighbors[t]):
                same = np.abs(hull.equations[other] - plane)
                if (
                    group[other] < 0
                    and same[:3].max() < 1e-8
                    and same[3] < FLAT * max(size, 1e-300)
                ):
                    group[other] = len(groups)
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
    kept = []
    for k, corner in enumerate(loop):
        before, after = cloud[loop[k - 1]], cloud[loop[(k + 1) % len(loop)]]
        a, b = cloud[corner] - before, after - cloud[corner]
        bend = float(np.cross(a, b) @ normal)
        if bend > FLAT * float(np.linalg.norm(a) * np.linalg.norm(b)):
            kept.append(corner)
    return kept
