"""Motions of mechanisms beside recorded ones of other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from polhode.model import Revolute
from polhode.recording import Recording
from validation import energy_integral, squeezer
from validation.mechanisms import GROUND, Mechanism, Record, built
from validation.motions import motion, rows_of
from validation.scores import Case, Score, json_files, largest

TOLERANCE = 1e-9  # relative to the scale of the motion, as the data's README asks for
LONG = 1e-8  # of ten seconds through positions where rows depend on each other
PUBLISHED = 1e-4  # of a curve that its file says is no better
LEEWAY = 10.0  # of the difference to another integration that a file lists


def cases(folder: Path) -> Iterator[Case]:
    """Every record of the folder."""
    for name, record in json_files(folder):
        yield Case(name, lambda record=record: scores_of(folder, record))


def scores_of(folder: Path, record: Record) -> Iterator[Score]:
    """By what a record holds: bodies and joints, or a pendulum in two numbers."""
    if "bodies" in record:
        return of_mechanism(record)
    if squeezer.is_squeezer(record):
        return squeezer.of_times(folder, record)
    if "length" in record:
        return of_pendulum(record)
    raise NotImplementedError(f"a record of {', '.join(record)}")


def of_mechanism(record: Record) -> Iterator[Score]:
    """Everything that is sampled of a mechanism."""
    made, reference = built(record), record["reference"]
    times = reference.get("samples_times") or reference["times"]
    run = simulated(made, times)
    at = rows_of(run, times)
    samples = reference.get("samples", {})
    found: dict[str, list[tuple[Any, Any]]] = {}
    for name, values in samples.items():
        for quantity, expected in _fields(name, values):
            ours = _sampled(made, run, at, name, quantity)
            found.setdefault(quantity, []).append((ours, expected))
    listed = reference.get("difference_to_independent_integration", {})
    for quantity, pairs in found.items():
        yield _score(quantity, pairs, listed)
    yield from _of_curves(made, run, reference)


def _fields(name: str, values: Any) -> list[tuple[str, Any]]:
    """The quantities of an entry of samples, which may be one itself."""
    if isinstance(values, dict):
        return list(values.items())
    return [(name if name.startswith("joint") else "point", values)]


def _score(quantity: str, pairs: list[tuple[Any, Any]], listed: Record) -> Score:
    ours, expected = ([np.ravel(side) for side in sides] for sides in zip(*pairs, strict=True))
    a, b = np.concatenate(ours), np.concatenate(expected)
    scale = max(1.0, float(np.abs(b).max(initial=0.0)))
    if quantity == "point":
        return Score(quantity, largest(a, b), max(LONG, LEEWAY * max(listed.values(), default=0)))
    allowed = max(TOLERANCE, LEEWAY * listed.get(quantity, 0.0) / scale)
    return Score(quantity.replace("_", " "), largest(a, b) / scale, allowed)


def _of_curves(made: Mechanism, run: Recording, reference: Record) -> Iterator[Score]:
    """Numbers of single bodies, listed by names such as ``slider_x``."""
    curves = [reference[f"{name}_x"] for name in made.record["bodies"] if f"{name}_x" in reference]
    fine = simulated(made, np.arange(len(curves[0])) * reference["step"]) if curves else run
    for name in made.record["bodies"]:
        if f"{name}_x" in reference:
            x = _positions(made, fine, name)[:, 0]
            yield Score(f"{name} x, published", largest(x, reference[f"{name}_x"]), PUBLISHED)
        if f"{name}_x_ours" in reference:
            x = _positions(made, fine, name)[rows_of(fine, reference["times"]), 0]
            yield Score(f"{name} x", largest(x, reference[f"{name}_x_ours"]), TOLERANCE)
        if f"{name}_angle" in reference or f"{name}_speed" in reference:
            yield from _of_joint_curve(made, fine, name, reference)


def _of_joint_curve(
    made: Mechanism, run: Recording, name: str, reference: Record
) -> Iterator[Score]:
    """Angle and speed of a joint, exact where quadrature gives them.

    Listed numbers that are off by themselves may differ by so much more from ours.
    """
    at, k = rows_of(run, reference["times"]), made.model.joint(name).v
    by_energy = energy_integral.applies(made, run, name)
    exact = energy_integral.exact(made, run, name) if by_energy else (None, None)
    for what, rows, known in zip(("angle", "speed"), (run.q, run.qd), exact, strict=True):
        ours, fault = np.ravel(rows[:, k]), 0.0
        listed = reference.get(f"{name}_{what}")
        if known is not None:
            error = largest(ours, known, relative=True)
            yield Score(f"{name} {what}, energy integral", error, TOLERANCE)
            fault = 0.0 if listed is None else largest(known[at], listed, relative=True)
        if listed is not None:
            error, is_faulty = largest(ours[at], listed, relative=True), fault > TOLERANCE
            allowed = TOLERANCE + fault if is_faulty else TOLERANCE
            told = f"listed numbers are off by {fault:.1e}" if is_faulty else ""
            yield Score(f"{name} {what}", error, allowed, told)


def simulated(made: Mechanism, times: Any) -> Recording:
    """The motion of a mechanism from its start."""
    q0 = ph.neutral(made.model)
    return motion(
        made.model, list(times), q0, start_velocity(made, q0), constraints=made.rows,
        f_ext=loads(made) if made.record.get("forces") else None,
        **({"start": "settle"} if made.rows is not None else {}),
    )  # fmt: skip


def start_velocity(made: Mechanism, q0: np.ndarray) -> np.ndarray:
    """Joint velocities nearest to those of the bodies."""
    J, v = [], []
    closed = made.record.get("velocity_after_projection", {})
    for name, data in made.record["bodies"].items():
        block = ph.frame_jacobian(made.model, q0, name, made.origin[name])
        velocity = closed.get(name, data.get("velocity", [0.0] * 3))
        motion = [*data.get("angular_velocity", [0.0] * 3), *velocity]
        rows = slice(0, 6) if "inertia_about_com" in data else slice(3, 6)
        J.append(block[rows])
        v.append(motion[rows])
    return np.linalg.lstsq(np.vstack(J), np.concatenate(v), rcond=None)[0]


def loads(made: Mechanism) -> Callable[[float, Any], np.ndarray]:
    """External forces on the bodies, in base coordinates."""
    forces = made.record["forces"]

    def f_ext(t: float, state: Any) -> np.ndarray:
        total = np.zeros((made.model.n_bodies, 6))
        for force in forces:
            for name, place, push in FORCES[force["type"]](made, state, force):
                if name != GROUND:
                    total[made.model.body(name).id - 1] += [*np.cross(place, push), *push]
        return total

    return f_ext


def _placed(made: Mechanism, state: Any, name: str, point: Any) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of a point of a body."""
    if name == GROUND:
        return np.array(point, float), np.zeros(3)
    arguments = name, made.point(name, point)
    return (
        ph.point_position(made.model, state.q, *arguments),
        ph.point_velocity(made.model, state.q, state.qd, *arguments),
    )


def _point_force(made: Mechanism, state: Any, force: Record):
    place, _ = _placed(made, state, force["body"], force["point"])
    return [(force["body"], place, np.array(force["force"], float))]


def _cartesian(made: Mechanism, state: Any, force: Record):
    a, va = _placed(made, state, force["a"], force["point_a"])
    b, vb = _placed(made, state, force["b"], force["point_b"])
    push = np.array(force["stiffness"]) * (b - a) + np.array(force["damping"]) * (vb - va)
    return [(force["a"], a, push), (force["b"], b, -push)]


def _friction(made: Mechanism, state: Any, force: Record):
    place, v = _placed(made, state, force["body"], force["point"])
    speed = max(float(np.linalg.norm(v)), force["linear_below_speed"])
    return [(force["body"], place, -force["force"] / speed * v)]


FORCES: dict[str, Callable[[Mechanism, Any, Record], list]] = {
    "point_force": _point_force,
    "cartesian_spring_damper": _cartesian,
    "constant_norm_friction": _friction,
}


def _sampled(
    made: Mechanism, run: Recording, at: np.ndarray, name: str, quantity: str
) -> np.ndarray:
    """A sampled quantity of ours, at rows of a recording."""
    if quantity in ("joint_angles", "joint_speeds"):
        rows = run.q if quantity == "joint_angles" else run.qd
        columns = [
            sign * rows[at][:, made.model.joint(body).v]
            for body, sign in (made.in_tree[k] for k in range(len(made.record["joints"])))
        ]
        return np.hstack(columns)
    if quantity == "point":  # P2 is the point of the second joint
        joint = made.record["joints"][int(name[1:]) - 1]
        return ph.point_position(made.model, run.q[at], joint["b"], _of_joint(made, joint))
    return BODY[quantity](made, run, name)[at]


def _of_joint(made: Mechanism, joint: Record) -> np.ndarray:
    R, r = made.place[joint["b"]]
    return R.T @ (np.array(joint["point"], float) - r)


def _positions(made: Mechanism, run: Recording, name: str) -> np.ndarray:
    return ph.point_position(made.model, run.q, name, made.origin[name])


def _velocities(made: Mechanism, run: Recording, name: str) -> np.ndarray:
    return ph.point_velocity(made.model, run.q, run.qd, name, made.origin[name])


def _rotations(made: Mechanism, run: Recording, name: str) -> np.ndarray:
    return ph.body_pose(made.model, run.q, name)[:, :3, :3].reshape(-1, 9)


def _turning(made: Mechanism, run: Recording, name: str) -> np.ndarray:
    J = ph.frame_jacobian(made.model, run.q, name, np.zeros(3))[:, :3]
    return np.einsum("tij,tj->ti", J, run.qd)


BODY: dict[str, Callable[[Mechanism, Recording, str], np.ndarray]] = {
    "position": _positions,
    "velocity": _velocities,
    "rotation": _rotations,
    "angular_velocity": _turning,
}


def of_pendulum(record: Record) -> Iterator[Score]:
    """A point mass on a rod in the plane of x and y."""
    start, reference = np.array(record["start_position"], float), record["reference"]
    angle = np.arctan2(start[1], start[0])
    model = ph.Model("pendulum", gravity=tuple(record["gravity"])).append(
        "mass", joint=Revolute.z(), mass=record["mass"], com=(record["length"], 0.0, 0.0)
    )
    speed = np.cross([*start, 0.0], [*record["start_velocity"], 0.0])[2] / record["length"] ** 2
    run = motion(model, reference["times"], [angle], [speed])
    at = rows_of(run, reference["times"])
    place = ph.point_position(model, run.q[at], "mass", (record["length"], 0.0, 0.0))
    yield Score("position", largest(place[:, :2], reference["position_xy"]), TOLERANCE)
