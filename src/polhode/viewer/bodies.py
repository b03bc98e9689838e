"""Axes of joints, and masses with their ellipsoids, for the page's overlays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model import Body, Model
from ..spatial import Mat3
from .rotations import quaternions

JointAxis = dict[str, Any]
Ellipsoid = dict[str, Any]


def joint_axes(model: Model) -> list[JointAxis]:
    """Axis of every rotation or translation that is fixed in its body: body and direction."""
    rows = []
    for i in range(1, model.n_bodies + 1):
        _, S, _, _ = model.joint[i].jcalc(model.joint[i].neutral())
        for column in S.columns:
            ang, lin = ([float(x) for x in part] for part in (column.ang, column.lin))
            rows.append({"body": i, "axis": ang if any(ang) else lin, "turns": any(ang)})
    return rows


def masses(model: Model) -> list[Ellipsoid]:
    """Every body with mass: where its centre is, and the ellipsoid of its inertia."""
    rows = []
    for i in range(1, model.n_bodies + 1):
        body = model.body(i)
        if body.mass > 0.0:
            row = {"body": i, "mass": float(body.mass), "com": [float(x) for x in body.com]}
            rows.append(row | _shell(body))
    return rows


def _shell(body: Body) -> dict[str, Any]:
    found = ellipsoid(float(body.mass), np.array(body.inertia, float))
    if found is None:
        return {"axes": None, "turn": None}
    semi, axes = found
    return {"axes": semi.tolist(), "turn": quaternions(axes).tolist()}


def ellipsoid(mass: float, inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Semi-axes of the homogeneous ellipsoid with this mass and inertia, and their directions.

    None for an inertia that no body has.  Semi-axes that would be imaginary are zero.
    """
    inertia = np.tril(inertia)
    if mass <= 0.0 or not inertia.any() or not np.isfinite(inertia).all():
        return None
    moments, axes = np.linalg.eigh(inertia, "L")
    squares = (moments.sum() - 2.0 * moments) * 2.5 / mass
    if squares.max() <= 0.0:
        return None
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    return np.sqrt(np.maximum(squares, 0.0)), axes


def coordinates(axes: np.ndarray) -> Mat3:
    """The rotation into a frame whose axes are the columns."""
    return Mat3.of(axes.T.tolist())
