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
            model, q, ph.joint_reactions(model, q, qd, qdd)
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
    """A plate that turns on a swinging rod: angles and speeds."""
    p, start, samples = record["parameters"], record["start"], record["samples"]
    model = (
        ph.Model("pendulum", gravity=(0.0, 0.0, -p["g"]))
        .append("rod", joint=Revolute.x(), mass=p["mA"], com=(0.0, 0.0, -p["LA"]),
                inertia=(p["IAx"], p["IAx"], p["IAx"]))
        .append("plate", joint=Revolute.z(), mass=p["mB"], com=(0.0, 0.0, -p["LB"]),
                inertia=(p["IBx"], p["IBy"], p["IBz"]))
    )  # fmt: skip
    q0 = np.radians([start["qA_deg"], start["qB_deg"]])
    times = samples["times"]
    run = motion(model, times, q0, [start["qA_dot"], start["qB_dot"]])
    k = rows_of(run, times)
    error = np.abs(np.hstack([run.q[k], run.qd[k]]) - samples["q_qdot"]).max(axis=1)
    allowed = np.maximum(10.0 * np.array(samples["double_precision_difference"]), CHAOS)
    at = int(np.argmax(error / allowed))
    yield Score("angles and speeds", float(error[at]), float(allowed[at]))


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
