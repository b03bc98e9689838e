"""Machines whose equations another program derived by algebra, or that have closed forms."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import polhode as ph
from polhode.model import Prismatic, Revolute
from validation.motions import motion, rows_of
from validation.scores import Case, Score, json_files, largest

Record = dict[str, Any]
ALGEBRA = 1e-12  # relative to the largest entry of a quantity
SHORT_ALGEBRA = 1e-13
CLOSED_FORM = 1e-12
SPINNING = 1e-10  # over hundreds of radians
CHAOS = 1e-10  # at least; ten times what another integration in doubles is off by


def cases(folder: Path) -> Iterator[Case]:
    """Every record of the folder, by what it holds."""
    for name, record in json_files(folder):
        yield Case(name, lambda record=record: scores_of(record)(record, folder))


def scores_of(record: Record) -> Callable[[Record, Path], Iterator[Score]]:
    """What compares a record of its form."""
    first = record["cases"][0] if "cases" in record else record
    for field, scores in FORMS.items():
        if field in first:
            return scores
    raise NotImplementedError(f"a record of {', '.join(record)}")


def worst(quantity: str, pairs: list[tuple[Any, Any]], tolerance: float) -> Score:
    """The largest relative error over pairs of ours and theirs, on the scale of all of them."""
    ours, theirs = (np.array(side, float) for side in zip(*pairs, strict=True))
    return Score(quantity, largest(ours, theirs, relative=True), tolerance)


def load(path: Path, **options: Any) -> ph.Model:
    """A URDF's model; parents that it names and does not declare become links of nothing."""
    root = ElementTree.parse(path).getroot()
    declared = {link.get("name") for link in root.iter("link")}
    parents = {parent.get("link") for parent in root.iter("parent")}
    for name in sorted(parents - declared):
        root.insert(0, ElementTree.Element("link", name=name))
    with TemporaryDirectory() as folder:
        mended = Path(folder) / path.name
        ElementTree.ElementTree(root).write(mended)
        return ph.load(mended, **options)


def reactions_of_arm(record: Record, folder: Path) -> Iterator[Score]:
    """The last link's motion, what the joints carry, and the motors' torques."""
    found: dict[str, list[tuple[Any, Any]]] = {}
    for case in record["cases"]:
        model = load(folder / record["model"], gravity=(0.0, 0.0, -case["gravity"]))
        for field, ours in of_arm(model, case).items():
            found.setdefault(field, []).append((ours, case[field]))
    for field, pairs in found.items():
        yield worst(field.replace("_", " "), pairs, ALGEBRA)


def of_arm(model: ph.Model, case: Record) -> dict[str, Any]:
    """Every quantity of a state of an arm; those of link 7 have names that end in link7."""
    q, qd, qdd = case["q"], case["qd"], case["qdd"]
    ours: dict[str, Any] = {
        "joint_reactions_torque_force": in_joint_axes(
            model, q, ph.constraints.joint_reactions(model, q, qd, qdd)
        ),
        "motor_torques": ph.inverse_dynamics(model, q, qd, qdd),
    }
    of_links = [name.rpartition("_link") for name in case if "_link" in name]
    for link in {int(number) for _, _, number in of_links}:
        motion = motion_of_link(model, link, q, qd, qdd)
        ours |= {f"{name}_link{link}": value for name, value in motion.items()}
    return ours


def motion_of_link(model: ph.Model, link: int, q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
    """Pose, velocity and true acceleration of a link's frame, in world axes."""
    pose, origin = ph.body_pose(model, q, link), np.zeros(3)
    turning = ph.frame_jacobian(model, q, link, origin)[:3]
    rate = ph.derivatives.frame_jacobian_derivative(model, q, qd, link, origin)[:3]
    return {
        "R_world": pose[:3, :3],
        "p": pose[:3, 3],
        "w": turning @ qd,
        "v": ph.point_velocity(model, q, qd, link, origin),
        "alpha": turning @ qdd + rate @ qd,
        "a": ph.point_acceleration(model, q, qd, qdd, link, origin),
    }


def in_joint_axes(model: ph.Model, q: Any, reactions: np.ndarray) -> np.ndarray:
    """Reactions in the axes of the joint's frame on the body before it; ours are the body's own."""
    turned = np.zeros_like(reactions)
    for i in model.bodies:
        XJ = model.joint[i].jcalc(model.split_q(q)[i]).XJ
        R = np.array(XJ.E.rows(), float).T
        turned[i - 1] = [*(R @ reactions[i - 1, :3]), *(R @ reactions[i - 1, 3:])]
    return turned


def terms_of_motion(record: Record, folder: Path) -> Iterator[Score]:
    """Mass matrix, velocity and gravity terms, and accelerations with and without damping."""
    model = load(folder / record["model"])
    found: dict[str, list[tuple[Any, Any]]] = {}
    for case in record["cases"]:
        q, qd, zero = case["q"], case["qd"], np.zeros(model.nv)
        gravity = ph.gravity_forces(model, q)
        damping = ph.passive_forces(model, q, qd)
        ours = {
            "M": ph.mass_matrix(model, q),
            "coriolis": ph.coriolis_matrix(model, q, qd) @ qd,
            "gravity_torque": -gravity,
            "qdd_without_damping": ph.forward_dynamics(model, q, qd, zero),
            "qdd_with_damping": ph.forward_dynamics(model, q, qd, damping),
        }
        for field, value in ours.items():
            found.setdefault(field, []).append((value, case[field]))
    for field, pairs in found.items():
        yield worst(field.replace("_", " "), pairs, SHORT_ALGEBRA)


def chaotic_pendulum(record: Record, folder: Path) -> Iterator[Score]:
    """A plate that turns on a swinging rod: its equations at each state, then its motion.

    Chaos makes any error in the motion grow; none does in the equations.
    """
    p, samples = record["parameters"], record["samples"]
    model = (
        ph.Model("pendulum", gravity=(0.0, 0.0, -p["g"]))
        .append("rod", joint=Revolute.x(), mass=p["mA"], com=(0.0, 0.0, -p["LA"]),
                inertia=(p["IAx"], p["IAx"], p["IAx"]))
        .append("plate", joint=Revolute.z(), mass=p["mB"], com=(0.0, 0.0, -p["LB"]),
                inertia=(p["IBx"], p["IBy"], p["IBz"]))
    )  # fmt: skip
    q, qd = np.split(np.array(samples["q_qdot"]), 2, axis=1)
    ours = ph.forward_dynamics(model, q, qd, np.zeros_like(qd))
    terms = equations_of_pendulum(p, q, qd)
    for k, name in enumerate(("rod", "plate")):
        error = largest(ours[:, k], terms[:, k], relative=True)
        yield Score(f"acceleration of the {name}", error, ALGEBRA)
    total = np.sum(ph.energy(model, q, qd), axis=0)
    error = largest(total, energy_of_pendulum(p, q, qd)) / (p["g"] * p["mB"] * p["LB"])
    yield Score("energy", error, ALGEBRA)
    if "published_at_10s" in record:
        yield published_accelerations(model, record["published_at_10s"])
    yield motion_of_pendulum(model, record)


def equations_of_pendulum(p: Record, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Accelerations (states, 2) by the formulas that a record has as text."""
    qA, qB, uA, uB = *q.T, *qd.T
    apart = p["IBx"] - p["IBy"]
    coupling = apart * np.sin(qB) * np.cos(qB)
    weight = p["g"] * (p["mA"] * p["LA"] + p["mB"] * p["LB"]) * np.sin(qA)
    rod = -(weight - 2.0 * coupling * uA * uB) / _inertia_of_pendulum(p, qB)
    return np.column_stack([rod, -coupling * uA**2 / p["IBz"]])


def energy_of_pendulum(p: Record, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Of each state, by the formula that a record has as text; none where the rod is level."""
    potential = -p["g"] * (p["mA"] * p["LA"] + p["mB"] * p["LB"]) * np.cos(q[:, 0])
    kinetic = _inertia_of_pendulum(p, q[:, 1]) * qd[:, 0] ** 2 + p["IBz"] * qd[:, 1] ** 2
    return 0.5 * kinetic + potential


def _inertia_of_pendulum(p: Record, qB: np.ndarray) -> np.ndarray:
    """About the hinge, with the plate at an angle."""
    hanging = p["IAx"] + p["IBx"] + p["mA"] * p["LA"] ** 2 + p["mB"] * p["LB"] ** 2
    return hanging - (p["IBx"] - p["IBy"]) * np.sin(qB) ** 2


def published_accelerations(model: ph.Model, end: Record) -> Score:
    """The source's own accelerations at its own state, which is rounded to 14 digits."""
    q, qd = np.radians([end["qA_deg"], end["qB_deg"]]), np.array([end["qA_dot"], end["qB_dot"]])
    qdd = ph.forward_dynamics(model, q, qd, np.zeros(2))
    return worst("published accelerations", [(qdd, [end["qA_ddot"], end["qB_ddot"]])], ALGEBRA)


def motion_of_pendulum(model: ph.Model, record: Record) -> Score:
    """Angles and speeds, where the error is largest by what doubles allow."""
    start, samples = record["start"], record["samples"]
    q0 = np.radians([start["qA_deg"], start["qB_deg"]])
    times = samples["times"]
    run = motion(model, times, q0, [start["qA_dot"], start["qB_dot"]])
    k = rows_of(run, times)
    error = np.abs(np.hstack([run.q[k], run.qd[k]]) - samples["q_qdot"]).max(axis=1)
    allowed = np.maximum(10.0 * np.array(samples["double_precision_difference"]), CHAOS)
    at = int(np.argmax(error / allowed))
    return Score("angles and speeds", float(error[at]), float(allowed[at]))


def free_body(record: Record, folder: Path) -> Iterator[Score]:
    """A spinning body in free fall."""
    model = load(folder / record["model"], gravity=tuple(record["gravity"]), floating_base=True)
    start = record["start"]
    body = model.n_bodies
    q0 = ph.set_quaternion(model, ph.neutral(model), body, start["quaternion_wxyz"])
    q0[:3] = start["position"]
    run = motion(model, record["times"], q0, [*start["velocity"], *start["angular_velocity_body"]])
    k = rows_of(run, record["times"])
    ours, theirs = ph.get_quaternion(model, run.q[k], body), np.array(record["quaternion"])
    signs = np.sign(np.sum(ours * theirs, axis=1, keepdims=True))
    yield Score("quaternion", largest(ours * signs, theirs), SPINNING)
    yield Score("angular velocity", largest(run.qd[k, 3:], record["angular_velocity_body"]),
                SPINNING)  # fmt: skip
    yield Score("position", largest(run.q[k, :3], record["position"], relative=True), SPINNING)
    yield Score("velocity", largest(run.qd[k, :3], record["velocity"], relative=True), SPINNING)


def oscillator(record: Record, folder: Path) -> Iterator[Score]:
    """A mass on a spring and a damper, by the joint's own."""
    pairs = []
    for case in record["cases"]:
        model = ph.Model("oscillator", gravity=(0.0, 0.0, 0.0)).append(
            "mass", joint=Prismatic.x(), mass=case["m"], damping=case["b"], stiffness=case["k"]
        )
        run = motion(model, [case["t"]], [case["x0"]], [case["v0"]])
        q, qd = run.q[-1], run.qd[-1]
        qdd = ph.forward_dynamics(model, q, qd, ph.passive_forces(model, q, qd))
        pairs.append(([q[0], qd[0], qdd[0]], case["x_v_a"]))
    yield worst("position, velocity, acceleration", pairs, CLOSED_FORM)


FORMS: dict[str, Callable[[Record, Path], Iterator[Score]]] = {
    "joint_reactions_torque_force": reactions_of_arm,
    "coriolis": terms_of_motion,
    "x_v_a": oscillator,
    "samples": chaotic_pendulum,
    "angular_velocity_body": free_body,
}
"""By a field that only this form of record has."""
