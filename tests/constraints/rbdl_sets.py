"""Constraint sets of RBDL reference entries, and the right numbers where RBDL's are wrong."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import polhode as ph
from polhode.constraints import ConstraintSet, Loop
from polhode.model import Model
from polhode.spatial import Mat3, Transform, Vec3
from reference.cases import array
from reference.rbdl_models import body_id

Array = np.ndarray


def build_set(model: Model, entry: dict) -> ConstraintSet:
    """The set of an entry: from its Lua file, or from RBDL's Add...Constraint calls."""
    if entry["constraints"] is None:
        return ConstraintSet.declared(model, entry["model"].split(":")[1])
    made = ConstraintSet(model)
    for call in entry["constraints"]:
        if call["call"] == "AddContactConstraint":
            made = made.contact(
                body_id(model, call["body_id"]),
                call["body_point"],
                call["world_normal"],
                name=call["name"],
                id=call.get("user_id"),
            )
        else:
            time = call["stabilization_time_constant"] if call["enable_stabilization"] else None
            made = made.loop(
                body_id(model, call["predecessor"]),
                body_id(model, call["successor"]),
                frame(call["X_predecessor"]),
                frame(call["X_successor"]),
                call["axis"],
                name=call["name"],
                stabilization=time,
            )
    return made


def frame(X: dict) -> Transform:
    """A loop's frame: RBDL's E takes its coordinates to the body's, ours the other way."""
    return Transform(Mat3.of(X["E"]).T, Vec3.of(X["r"]))


class Equations(NamedTuple):
    H: Array
    C: Array
    G: Array
    gamma: Array
    err: Array
    errd: Array

    def solve(self, f: Array, b: Array) -> tuple[Array, Array]:
        """``x`` and multipliers of ``H x = f + G^T l, G x = b``."""
        n, m = len(self.H), len(self.G)
        K = np.block([[self.H, -self.G.T], [self.G, np.zeros((m, m))]])
        x = np.linalg.solve(K, np.concatenate([f, b]))
        return x[:n], x[n:]


def rows_with_lever(constraints: ConstraintSet) -> list[int]:
    """Rows about a turn, to which RBDL adds a translation by the lever of the base origin.

    It shifts the axis to the world point although its Jacobian is taken there already.
    """
    return [
        k for k, c in enumerate(constraints.constraints) if isinstance(c, Loop) and any(c.axis[:3])
    ]


def right_equations(model: Model, constraints: ConstraintSet, state: dict) -> Equations:
    """RBDL's equations of a state, its levers taken out."""
    given = state["CalcConstrainedSystemVariables"]
    right = Equations(*(array(given[key]) for key in Equations._fields))
    for k in rows_with_lever(constraints):
        row, drift = lever(
            model, constraints.constraints[k], array(state["q"]), array(state["qdot"])
        )
        right.G[k] -= row
        right.gamma[k] -= drift
        right.errd[k] = right.G[k] @ array(state["qdot"])
    return right


def lever(model: Model, loop: Loop, q: Array, qd: Array) -> tuple[Array, float]:
    """What RBDL's row, and its right-hand side, have too much: those of ``s . (p_s - p_p)``.

    ``s = -p_p x a`` with ``a`` the axis in the base, so ``s`` turns and moves with the predecessor.
    """
    R, r = (np.array(x) for x in (loop.X_predecessor.E.T.rows(), tuple(loop.X_predecessor.r)))
    at_p, at_s = (loop.predecessor, tuple(r)), (loop.successor, tuple(loop.X_successor.r))
    J_p = ph.frame_jacobian(model, q, *at_p) if loop.predecessor else np.zeros((6, model.nv))
    J_s = ph.frame_jacobian(model, q, *at_s)
    spin, velocity = (J_p @ qd)[:3], (J_p @ qd)[3:]
    turn = rotation(model, q, loop.predecessor) @ R
    a = turn @ np.array(loop.axis[:3])
    # RBDL crosses the point's base coordinates with the axis in the frame's, then turns both
    s = -turn @ np.cross(ph.point_position(model, q, *at_p), loop.axis[:3])
    still = np.zeros(model.nv)
    speeding = ph.point_acceleration(model, q, qd, still, *at_s)
    speeding = speeding - ph.point_acceleration(model, q, qd, still, *at_p)
    relative = (J_s - J_p)[3:]
    drift = -(s @ speeding) - (np.cross(spin, s) + np.cross(velocity, a)) @ (relative @ qd)
    if loop.stabilization is not None:
        drift -= 2.0 / loop.stabilization * (s @ relative @ qd)
    return s @ relative, drift


def rotation(model: Model, q: Array, body: int) -> Array:
    """From a body's axes to the base's; the body may be a fixed one."""
    origin = ph.point_position(model, q, body, np.zeros(3))
    return np.stack([ph.point_position(model, q, body, e) - origin for e in np.eye(3)], axis=1)
