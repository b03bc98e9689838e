"""What is drawn of a model: its visuals, or bones and ellipsoids where it has none.

Supported: boxes, spheres, cylinders, capsules.  Not supported: mesh files; a link that
has nothing else is drawn from its joints and inertia, and the page says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..model import Box, Capsule, Cylinder, Link, Mesh, Model, Revolute, Sphere, Visual
from ..spatial import Mat3, Transform, Vec3

ShapeRow = dict[str, Any]


def quaternions(rotations: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) as quaternions (..., 4), x y z w, w >= 0."""
    R = np.asarray(rotations, float)
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    # Row k: the quaternion times four times its k-th entry; the longest row is accurate.
    K = np.empty((*R.shape[:-2], 4, 4))
    for k, (a, b, c) in enumerate(((xx, yy, zz), (yy, zz, xx), (zz, xx, yy))):
        K[..., k, k] = 1.0 + a - b - c
    K[..., 3, 3] = 1.0 + xx + yy + zz
    for i, j in ((0, 1), (1, 2), (2, 0)):
        K[..., i, j] = K[..., j, i] = R[..., i, j] + R[..., j, i]
    for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
        K[..., k, 3] = K[..., 3, k] = R[..., i, j] - R[..., j, i]
    best = np.argmax(np.diagonal(K, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(K, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., 3:] < 0.0, -q, q)


def shapes(model: Model) -> tuple[list[ShapeRow], list[str]]:
    """Rows for the page, each a shape on a body (0 is the base), and notes to show."""
    carriers = {link.name: model.body(link.name) for link in model.links}
    places = {name: (body.moving, body.frame) for name, body in carriers.items()}
    drawable = [v for link in model.links for v in link.visuals if not isinstance(v.shape, Mesh)]
    skipped = sum(isinstance(v.shape, Mesh) for link in model.links for v in link.visuals)
    size = _size(model)
    rows: list[ShapeRow] = []
    for link in model.links:
        body, X = places[link.name]
        own = [v for v in link.visuals if not isinstance(v.shape, Mesh)]
        if own:
            rows += [_visual(v, body, X, link.name) for v in own]
        elif link.visuals or not drawable:
            rows += _fallback(model, link, body, X, size)
    notes = [f"{skipped} mesh files are not drawn: simple shapes stand in"] if skipped else []
    return rows, notes


def _pose(X: Transform) -> list[float]:
    rotation = np.array(X.E.T.rows(), float)
    return [*map(float, X.r), *quaternions(rotation).tolist()]


def _visual(visual: Visual, body: int, X: Transform, link: str) -> ShapeRow:
    kind, size = _dimensions(visual.shape)
    return {
        "body": body,
        "kind": kind,
        "size": size,
        "pose": _pose(visual.frame @ X),
        "color": list(visual.color) if visual.color is not None else None,
        "name": link,
    }


def _dimensions(shape: object) -> tuple[str, list[float]]:
    if isinstance(shape, Box):
        return "box", [float(x) for x in shape.size]
    if isinstance(shape, Sphere):
        return "sphere", [float(shape.radius)]
    if isinstance(shape, Cylinder):
        return "cylinder", [float(shape.radius), float(shape.length)]
    assert isinstance(shape, Capsule)
    return "capsule", [float(shape.radius), float(shape.length)]


def _size(model: Model) -> float:
    """A length typical of the machine: the way from the base to its farthest link."""
    reach = dict[str | None, float]({None: 0.0})
    floating = {link.name for link in model.links if link.parent is None}
    for link in model.links:
        step = 0.0 if link.name in floating else math.hypot(*map(float, link.frame.r))
        reach[link.name] = reach[link.parent] + step
    com = max((math.hypot(*link.body.com) for link in model.links), default=0.0)
    return max(max(reach.values()), com, 0.0) or 1.0


def _fallback(model: Model, link: Link, body: int, X: Transform, size: float) -> Iterable[ShapeRow]:
    """Bones from a link's origin to its children's joints, and its inertia ellipsoid."""

    def row(kind: str, extent: list[float], frame: Transform, role: str = "body") -> ShapeRow:
        return {
            "body": body,
            "kind": kind,
            "size": extent,
            "pose": _pose(frame @ X),
            "color": None,
            "name": link.name,
            "role": role,
        }

    ends = [child.frame.r for child in model.links if child.parent == link.name]
    if not ends and any(link.body.com):
        reach = math.hypot(*link.body.com)
        ends = [Vec3.of(link.body.com) * min(2.0, 0.3 * size / reach)]
    if body == 0:
        ends = []
    for end in ends:
        length = math.hypot(*map(float, end))
        if length > 0.02 * size:
            radius = min(max(0.09 * length, 0.008 * size), 0.035 * size)
            yield row("capsule", [radius, length], Transform(_along(end), end * 0.5))
    if isinstance(link.joint, Revolute):
        axis = Transform(_along(Vec3.of(link.joint.axis)), Vec3.zero())
        yield row("cylinder", [0.026 * size, 0.062 * size], axis, "joint")
    elif link.joint.nv and link.parent is not None:
        yield row("sphere", [0.034 * size], Transform.identity(), "joint")
    ellipsoid = _ellipsoid(link, largest=0.17 * size)
    if ellipsoid and body:
        axes, E = ellipsoid
        yield row("ellipsoid", axes, Transform(E, Vec3.of(link.body.com)))


def _along(direction: Vec3) -> Mat3:
    """Coordinates of a frame whose z axis has the given direction."""
    z = np.array([float(x) for x in direction])
    z /= np.linalg.norm(z)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return Mat3.of(np.array((x, np.cross(z, x), z)).tolist())


def _ellipsoid(link: Link, largest: float) -> tuple[list[float], Mat3] | None:
    """About the homogeneous ellipsoid with the link's mass and inertia, or None.

    Inertias that no body of this size can have are drawn smaller and rounder.
    """
    mass = link.body.mass
    inertia = np.tril(np.array(link.body.inertia, float))
    if mass <= 0.0 or not inertia.any():
        return None
    moments, axes = np.linalg.eigh(inertia, "L")
    squares = (moments.sum() - 2.0 * moments) * 2.5 / mass
    if squares.max() <= 0.0:
        return None
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    semi = np.minimum(np.sqrt(np.maximum(squares, 0.0)), largest)
    return np.maximum(semi, 0.25 * semi.max()).tolist(), Mat3.of(axes.T.tolist())
