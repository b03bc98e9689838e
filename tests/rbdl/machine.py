"""A machine with joints of many kinds, built as RBDL's users build one."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode import rbdl
from polhode.rbdl import SpatialTransform, Xrotx, Xroty, Xtrans


def machine() -> rbdl.Model:
    """A free body with an arm of a spherical joint, a helical one, and a fixed hand."""
    model = rbdl.Model()
    body = rbdl.Body(1.3, (0.1, 0.2, -0.1), np.diag([0.3, 0.4, 0.5]))
    base = model.AddBody(0, SpatialTransform(), rbdl.Joint("JointTypeFloatingBase"), body, "base")
    arm = model.AddBody(
        base, Xtrans([0.3, 0.0, 0.1]) * Xrotx(0.4), rbdl.Joint("JointTypeSpherical"), body, "arm"
    )
    model.AppendBody(Xtrans([0.0, 0.5, 0.0]), rbdl.Joint([0, 0, 1, 0, 0, 0.2]), body, "screw")
    model.AppendBody(Xroty(0.3), rbdl.Joint("JointTypeFixed"), body, "hand")
    model.AddBody(arm, Xtrans([0.0, 0.0, 0.4]), rbdl.Joint("JointTypeEulerXYZ"), body, "other")
    return model


def state(model: rbdl.Model, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    q = ph.random_configuration(model.core, rng)
    return q, *rng.standard_normal((3, model.dof_count))


def transforms(Xs: list) -> np.ndarray:
    return np.array([X.toMatrix() for X in Xs])
