"""One body on a joint, a rod or a spring: motion and reactions that ADAMS wrote as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import polhode as ph
from validation.adams_rigs import BODY, RIGS, Record, Rig, Run
from validation.motions import motion, rows_of
from validation.scores import Case, Score, largest

LEEWAY, LEAST = 1.2, 1e-9  # times the deviation that the record lists, and beside it


def cases(folder: Path) -> Iterator[Case]:
    """Every case of the folder's table."""
    for name, record in json.loads((folder / "cases.json").read_text()).items():
        yield Case(name, lambda record=record: scores(folder, record))


def scores(folder: Path, record: Record) -> Iterator[Score]:
    """Every quantity that has a file."""
    rig = RIGS[record["kind"]](record)
    tables = {what: np.loadtxt(folder / file, skiprows=3) for what, file in record["files"].items()}
    run = carried_out(rig, next(iter(tables.values()))[:, 0])
    ours = of_body(rig, run) | rig.reactions(rig, run)
    listed = record["deviation_of_data_from_converged_motion"]
    for what, table in tables.items():
        expected = table[:, 1:]
        if what == "Quat":
            expected = expected * np.sign(np.sum(expected * ours[what], axis=1, keepdims=True))
        yield Score(what, largest(ours[what], expected), LEEWAY * listed[what]["max"] + LEAST)


def carried_out(rig: Rig, times: np.ndarray) -> Run:
    """The motion from the start, with accelerations at each instant."""
    model, body = rig.model, rig.record["body"]
    q0 = ph.neutral(model)
    J = ph.frame_jacobian(model, q0, BODY, com_of(rig))
    motion_0 = [*body["angular_velocity_world"], *body["velocity"]]
    qd0 = np.linalg.lstsq(J, np.array(motion_0, float), rcond=None)[0]
    recorded = motion(
        model, list(times), q0, qd0, controller=rig.controller, f_ext=rig.f_ext,
        constraints=rig.constraints, joint_forces="none",
    )  # fmt: skip
    at = rows_of(recorded, list(times))
    q, qd, tau = recorded.q[at], recorded.qd[at], recorded.tau[at]
    loads = None
    if rig.f_ext is not None:
        loads = np.array(
            [rig.f_ext(t, _At(*state)) for t, *state in zip(times, q, qd, strict=True)]
        )
    if rig.constraints is None:
        return Run(q, qd, ph.forward_dynamics(model, q, qd, tau, loads), loads, np.zeros(0))
    found = ph.constrained_dynamics(model, rig.constraints, q, qd, tau, loads)
    return Run(q, qd, found.qdd, loads, found.force)


@dataclass
class _At:
    """What a force asks of a state."""

    q: np.ndarray
    qd: np.ndarray


def com_of(rig: Rig) -> np.ndarray:
    """The centre of mass in the body's link."""
    return np.array(rig.model.body(BODY).com)


def of_body(rig: Rig, run: Run) -> dict[str, np.ndarray]:
    """Position, velocity and acceleration of the centre of mass; orientation and its rates."""
    model, com, zero = rig.model, com_of(rig), np.zeros(3)
    turning = ph.frame_jacobian(model, run.q, BODY, zero)[:, :3]
    rate = ph.derivatives.frame_jacobian_derivative(model, run.q, run.qd, BODY, zero)[:, :3]
    times = partial(np.einsum, "tij,tj->ti")
    return {
        "Pos": ph.point_position(model, run.q, BODY, com),
        "Vel": ph.point_velocity(model, run.q, run.qd, BODY, com),
        "Acc": ph.point_acceleration(model, run.q, run.qd, run.qdd, BODY, com),
        "Quat": quaternions(ph.body_pose(model, run.q, BODY)[:, :3, :3]),
        "Avel": times(turning, run.qd),
        "Aacc": times(turning, run.qdd) + times(rate, run.qd),
    }


def quaternions(R: np.ndarray) -> np.ndarray:
    """Of rotations from body to world, real part first."""
    return Rotation.from_matrix(R).as_quat()[:, [3, 0, 1, 2]]
