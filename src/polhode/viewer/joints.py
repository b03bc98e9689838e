"""Joints as the page can set them: products of exponentials of their axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..model import JointKind, Model
from .skeleton import pose_of

_MOST = 200  # sliders; a pile of bodies has more coordinates than anybody sets
_FREE_TURN = math.pi


def settable(model: Model, q: np.ndarray, reach: float) -> dict[str, Any] | None:
    """Sliders for each coordinate, and how the bodies follow; None if there are too many.

    The pose of body i in its parent's frame is ``rests[i - 1]`` times a product over the steps of
    ``screws[i - 1]``.  Its factors are ``exp(sum_k s_k x_k)``, with axes ``s_k`` in body
    coordinates, angular first, and the values ``x_k`` of the sliders.  Of joints with a quaternion
    the values are a rotation vector from where they are in ``q``.  ``reach`` [m] bounds
    translations that have no limits.
    """
    if model.nv > _MOST:
        return None
    rests, screws = [], []
    for i in range(1, model.n_bodies + 1):
        kind, axes = model.joint[i], _axes(model.joint[i])
        is_zero_based = kind.nq == kind.nv and axes
        entries = np.array(model.q_index[i], int)
        XJ, *_ = kind.jcalc((0.0,) * kind.nq if is_zero_based else q[entries].tolist())
        rests.append(pose_of(XJ @ model.X_tree[i]))
        index = model.v_index[i]
        screws.append([[[index[k], *axis] for axis, k in step] for step in axes])
    return {"sliders": _sliders(model, q, screws, reach), "rests": rests, "screws": screws}


def _axes(kind: JointKind) -> list[list[tuple[tuple[float, ...], int]]]:
    """Axes of a joint, those that act in series apart; none of a joint of another form."""
    if kind.series_axes:
        return [[(tuple(_six(axis)), k)] for axis, k in kind.series_axes]
    if not kind.has_constant_axes:
        return []
    _, S, _, _ = kind.jcalc(kind.neutral())
    return [[((*map(float, s.ang), *map(float, s.lin)), k) for k, s in enumerate(S.columns)]]


def _six(axis: Any) -> list[float]:
    return np.array([*axis], float).ravel().tolist()


def _sliders(model: Model, q: np.ndarray, screws: list, reach: float) -> list[dict[str, Any]]:
    """One row for each coordinate that an axis belongs to, in the order of ``qd``."""
    rows: dict[int, dict[str, Any]] = {}
    for body, steps in enumerate(screws, 1):
        kind = model.joint[body]
        if body in model.leaders:
            continue
        for k, *axis in (entry for step in steps for entry in step):
            turns = any(axis[:3])
            start = float(q[k]) if kind.nq == kind.nv else 0.0
            middle, bound = (0.0, _FREE_TURN) if turns else (start, reach)
            rows[k] = {"k": k, "body": body, "unit": "rad" if turns else "m", "start": start,
                       "name": "", "lower": middle - bound, "upper": middle + bound}  # fmt: skip
    for joint in model.joints:
        for k, dof in zip(np.arange(model.nv)[joint.v], joint.kind.dof_names, strict=True):
            if row := rows.get(int(k)):
                row["name"] = joint.name if joint.kind.nv == 1 else f"{joint.name}.{dof}"
                if joint.limits is not None:
                    row["lower"] = max(row["lower"], joint.limits.lower)
                    row["upper"] = min(row["upper"], joint.limits.upper)
    for row in rows.values():
        row["lower"], row["upper"] = (
            min(row["lower"], row["start"]),
            max(row["upper"], row["start"]),
        )
    return [rows[k] for k in sorted(rows)]
