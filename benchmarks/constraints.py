"""Constrained dynamics and inverse kinematics beside Pinocchio, one thread, as ratios.

Run as ``python benchmarks/constraints.py``; needs ``pip install polhode[oracles]``.  Each pair is
timed in turns in this one run; the best of several repetitions counts on both sides.
"""

from __future__ import annotations

import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio as pin

import polhode as ph
from polhode.spatial import Transform

ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
QUADRUPED = ROBOTS / "anymal_b_simple_description/robots/anymal.urdf"
HUMANOID = ROBOTS / "talos_data/robots/talos_reduced.urdf"
ARM = ROBOTS / "ur_description/urdf/ur5_robot.urdf"

BATCH = 8192
TARGETS = 10_000
ITERATIONS = 10
DAMPING = 1e-2
REPETITIONS = 7


class Standing(NamedTuple):
    """A robot on its feet, in both programs."""

    model: ph.Model
    constraints: ph.constraints.ConstraintSet
    theirs: pin.Model
    data: pin.Data
    contacts: pin.StdVec_RigidConstraintModel
    contact_data: pin.StdVec_RigidConstraintData


def standing(path: Path, feet: list[str], flat: bool) -> Standing:
    """The feet held in position, and in orientation too if they are flat."""
    model = ph.load(path, floating_base=True)
    theirs = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    constraints, contacts = ph.constraints.ConstraintSet(model), []
    still = Transform.identity()
    for foot in feet:
        frame = theirs.frames[theirs.getFrameId(foot)]
        at = theirs, frame.parentJoint, frame.placement
        if flat:
            constraints = constraints.loop(0, foot, still, still, np.eye(6).tolist(), name=foot)
            contacts.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, *at, pin.LOCAL))
        else:
            constraints = constraints.contact(foot, (0, 0, 0), np.eye(3).tolist(), name=foot)
            kind = pin.ContactType.CONTACT_3D
            contacts.append(pin.RigidConstraintModel(kind, *at, pin.LOCAL_WORLD_ALIGNED))
    data = theirs.createData()
    models = pin.StdVec_RigidConstraintModel(contacts)
    datas = pin.StdVec_RigidConstraintData([contact.createData() for contact in contacts])
    pin.initConstraintDynamics(theirs, data, models, datas)
    return Standing(model, constraints, theirs, data, models, datas)


def joint_columns(robot: Standing) -> tuple[np.ndarray, np.ndarray]:
    """Velocity entries of the same one-axis joints, ours and theirs."""
    ours, theirs = [], []
    for i in range(2, robot.theirs.njoints):
        ours.append(np.arange(robot.model.nv)[robot.model.joint(robot.theirs.names[i]).v][0])
        theirs.append(robot.theirs.joints[i].idx_v)
    return np.array(ours), np.array(theirs)


def check(robot: Standing) -> None:
    """Both give the same joint accelerations from rest."""
    ours, theirs = joint_columns(robot)
    rng = np.random.default_rng(1)
    angles, forces = rng.uniform(-0.5, 0.5, len(ours)), rng.standard_normal(len(ours))
    q, tau = ph.neutral(robot.model), np.zeros(robot.model.nv)
    q[ours], tau[ours] = angles, forces
    their_q, their_tau = pin.neutral(robot.theirs), np.zeros(robot.theirs.nv)
    for k, angle in zip(theirs, angles, strict=True):
        step = np.zeros(robot.theirs.nv)
        step[k] = angle
        their_q = pin.integrate(robot.theirs, their_q, step)
    their_tau[theirs] = forces
    qdd = ph.constrained_dynamics(robot.model, robot.constraints, q, 0 * tau, tau).qdd
    expected = constraint_dynamics(robot, their_q, 0 * their_tau, their_tau)
    np.testing.assert_allclose(qdd[ours], expected[theirs], atol=1e-6 * np.abs(expected).max())


def constraint_dynamics(robot: Standing, q, v, tau) -> np.ndarray:
    settings = pin.ProximalSettings(1e-12, 0.0, 1)
    return pin.constraintDynamics(
        robot.theirs, robot.data, q, v, tau, robot.contacts, robot.contact_data, settings
    )


def best(*works: tuple[Callable[[], object], int]) -> list[float]:
    """Seconds per call of each, the best of turns taken by all."""
    times = [np.inf] * len(works)
    for _ in range(REPETITIONS):
        for k, (work, calls) in enumerate(works):
            start = time.perf_counter()
            for _ in range(calls):
                work()
            times[k] = min(times[k], (time.perf_counter() - start) / calls)
    return times


def bench_dynamics(name: str, robot: Standing) -> None:
    model, constraints = robot.model, robot.constraints
    rng = np.random.default_rng(0)
    q = ph.random_configuration(model, rng, BATCH)
    qd, tau = rng.standard_normal((2, BATCH, model.nv))
    out = np.empty((BATCH, model.nv)), np.empty((BATCH, constraints.n_rows))
    one = q[0].copy(), qd[0].copy(), tau[0].copy()
    ones = -np.ones(robot.theirs.nq), np.ones(robot.theirs.nq)
    theirs = (
        pin.randomConfiguration(robot.theirs, *ones),
        *rng.standard_normal((2, robot.theirs.nv)),
    )
    settings = pin.ProximalSettings(1e-12, 0.0, 1)
    single, batch, peer = best(
        (lambda: ph.constrained_dynamics(model, constraints, *one), 1000),
        (lambda: ph.constrained_dynamics(model, constraints, q, qd, tau, out=out), 2),
        (
            lambda: pin.constraintDynamics(
                robot.theirs, robot.data, *theirs, robot.contacts, robot.contact_data, settings
            ),
            1000,
        ),
    )
    print(f"{name}: nv = {model.nv}, {constraints.n_rows} rows")
    print(f"  one state      {peer / single:6.1f} times Pinocchio's Python call")
    print(f"  batch of {BATCH}  {peer / (batch / BATCH):6.1f} times, per state")


def bench_inverse_kinematics() -> None:
    """The same damped steps for the tool's pose: ours on all targets, theirs in a loop."""
    model = ph.load(ARM)
    theirs = pin.buildModelFromUrdf(str(ARM))
    data, tool = theirs.createData(), theirs.getFrameId("tool0")
    rng = np.random.default_rng(0)
    start = rng.uniform(-1.0, 1.0, theirs.nv)
    placements = []
    for _ in range(TARGETS):
        pin.framesForwardKinematics(theirs, data, start + rng.uniform(-0.5, 0.5, theirs.nv))
        placements.append(data.oMf[tool].copy())
    targets = ph.kinematics.Targets(model).full(
        "tool0",
        (0.0, 0.0, 0.0),
        np.array([place.translation for place in placements]),
        np.array([place.rotation for place in placements]),
    )

    def ours():
        return ph.inverse_kinematics(
            model, targets, start, method="damped", damping=DAMPING,
            tolerance=0.0, step_tolerance=0.0, max_iterations=ITERATIONS,
        )  # fmt: skip

    some = placements[:100]
    seconds, peer = best(
        (ours, 1), (lambda: [solve_with_pinocchio(theirs, data, tool, p, start) for p in some], 1)
    )
    q = ours().q[:100]
    expected = [solve_with_pinocchio(theirs, data, tool, place, start) for place in some]
    np.testing.assert_allclose(q, expected, atol=1e-6)
    print(f"inverse kinematics, arm with 6 joints, {TARGETS} poses, {ITERATIONS} steps each")
    print(f"  {peer / len(some) / (seconds / TARGETS):6.1f} times a Python loop over Pinocchio")
    whole = ph.inverse_kinematics(model, targets, start)
    print(f"  {100 * whole.success.mean():.2f} % reach 1e-12 with the default method")


def solve_with_pinocchio(model, data, tool, target, q) -> np.ndarray:
    for _ in range(ITERATIONS):
        J = pin.computeFrameJacobian(model, data, q, tool, pin.LOCAL_WORLD_ALIGNED)
        here = data.oMf[tool]
        turn = here.rotation @ pin.log3(here.rotation.T @ target.rotation)
        e = np.concatenate([target.translation - here.translation, turn])
        q = pin.integrate(model, q, J.T @ np.linalg.solve(J @ J.T + DAMPING**2 * np.eye(6), e))
    return q


def main() -> None:
    ph.set_num_threads(1)
    quadruped = standing(QUADRUPED, ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"], flat=False)
    humanoid = standing(HUMANOID, ["left_sole_link", "right_sole_link"], flat=True)
    for name, robot in (("quadruped on four feet", quadruped), ("humanoid on two", humanoid)):
        check(robot)
        bench_dynamics(name, robot)
    bench_inverse_kinematics()


if __name__ == "__main__":
    main()
