"""Closed loops beside Exudyn, in one run: a row of planar four-bar linkages that falls over.

    python benchmarks/exudyn_loops.py [--duration 0.5] [--step 1e-3] [--repeats 5]

Needs ``pip install exudyn``.  Bars of 1 m and 1 kg stand side by side on hinges, their tops joined
by equal bars, and start with 1 rad/s.  Exudyn has its planar bodies and joints in redundant
coordinates, and its default rule of second order, the generalised-alpha method.  Ours are a tree
with loops, and the classical Runge-Kutta method of fourth order.  Steps have the same length.
Before times are printed, both angles have to approach one value as their steps get shorter.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import exudyn
import numpy as np
from exudyn import itemInterface as items

import polhode as ph
from polhode.constraints import ConstraintSet
from polhode.model import Revolute
from polhode.spatial import Transform

LENGTH, MASS, GRAVITY, SPEED = 1.0, 1.0, 9.81, 1.0
INERTIA = MASS * LENGTH**2 / 12.0  # about the middle of a bar
LOOPS = (1, 5, 20)
NEAR = 1e-6  # rad, between the angles that both approach


class Ours(NamedTuple):
    """The tree of bars and its loops."""

    model: ph.Model
    rows: ConstraintSet

    def angle(self, duration: float, step: float) -> float:
        """Of the first standing bar at the end."""
        qd = np.zeros(self.model.nv)
        for k, joint in enumerate(self.model.joints):
            stands = joint.name.startswith("post")
            qd[k] = -SPEED if stands else SPEED
        run = ph.simulate(
            self.model, duration, q0=np.zeros(self.model.nq), qd0=qd, dt=step, integrator="rk4",
            constraints=self.rows, record=duration, joint_forces="none",
        )  # fmt: skip
        return float(run.q[-1][0])


def ours(loops: int) -> Ours:
    """Each top bar hangs on the post to its left, and a loop joins it to the next post."""
    model = ph.Model("four-bar linkages", gravity=(0.0, -GRAVITY, 0.0))
    moments = (INERTIA, INERTIA, INERTIA)
    for k in range(loops + 1):
        model = model.add(
            f"post{k}", joint=Revolute.z(), frame=Transform.translation(k * LENGTH, 0.0, 0.0),
            mass=MASS, com=(0.0, LENGTH / 2.0, 0.0), inertia=moments,
        )  # fmt: skip
        if k < loops:
            model = model.add(
                f"top{k}", parent=f"post{k}", joint=Revolute.z(),
                frame=Transform.translation(0.0, LENGTH, 0.0),
                mass=MASS, com=(LENGTH / 2.0, 0.0, 0.0), inertia=moments,
            )  # fmt: skip
    rows, in_plane = ConstraintSet(model), np.eye(6)[3:5].tolist()
    for k in range(loops):
        end, top = (Transform.translation(*x, 0.0) for x in ((LENGTH, 0.0), (0.0, LENGTH)))
        rows = rows.loop(f"top{k}", f"post{k + 1}", end, top, in_plane, name=f"loop{k}")
    return Ours(model, rows)


class Theirs:
    """Planar bodies with joints between them."""

    def __init__(self, loops: int):
        self.system: Any = exudyn.SystemContainer().AddSystem()
        self.ground: int = self.system.AddObject(items.ObjectGround())
        posts = [self._bar((k * LENGTH, LENGTH / 2.0), np.pi / 2.0) for k in range(loops + 1)]
        tops = [self._bar(((k + 0.5) * LENGTH, LENGTH), 0.0) for k in range(loops)]
        for k, post in enumerate(posts):
            self._joint(self.ground, (k * LENGTH, 0.0), post, (-LENGTH / 2.0, 0.0))
        for k, top in enumerate(tops):
            self._joint(posts[k], (LENGTH / 2.0, 0.0), top, (-LENGTH / 2.0, 0.0))
            self._joint(top, (LENGTH / 2.0, 0.0), posts[k + 1], (LENGTH / 2.0, 0.0))
        self.system.Assemble()
        self.settings: Any = exudyn.SimulationSettings()
        self.settings.solution.file.write = False
        self.settings.timeIntegration.verboseMode = 0
        self.settings.linearSolverType = (
            exudyn.LinearSolverType.EigenSparse if loops > 2 else exudyn.LinearSolverType.EXUdense
        )

    def _bar(self, middle: tuple[float, float], angle: float) -> int:
        """A bar by its middle; all of them move along as their hinges do."""
        turns = -SPEED if angle else 0.0
        velocity = (-turns * middle[1], 0.0, turns) if angle else (SPEED * LENGTH, 0.0, 0.0)
        node = self.system.AddNode(items.NodeRigidBody2D(
            referenceCoordinates=[*middle, angle], initialCoordinates=[0.0] * 3,
            initialVelocities=list(velocity),
        ))  # fmt: skip
        body = self.system.AddObject(items.ObjectRigidBody2D(
            physicsMass=MASS, physicsInertia=INERTIA, nodeNumber=node,
            visualization=items.VObjectRigidBody2D(show=False),
        ))  # fmt: skip
        mass = self.system.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        self.system.AddLoad(
            items.LoadMassProportional(markerNumber=mass, loadVector=[0.0, -GRAVITY, 0.0])
        )
        return body

    def _joint(self, a: int, at_a: tuple[float, float], b: int, at_b: tuple[float, float]) -> None:
        markers = [
            self.system.AddMarker(items.MarkerBodyPosition(bodyNumber=x, localPosition=[*at, 0.0]))
            for x, at in ((a, at_a), (b, at_b))
        ]
        self.system.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))

    def angle(self, duration: float, step: float) -> float:
        """Of the first standing bar at the end, from upright."""
        integration = self.settings.timeIntegration
        integration.numberOfSteps, integration.endTime = round(duration / step), duration
        self.system.SolveDynamic(self.settings, updateInitialValues=False)
        return float(self.system.systemData.GetODE2Coordinates()[2])


def extrapolated(angle: Callable[[float], float], step: float, order: int) -> float:
    """Of two steps, one half of the other, for a method of an order (Richardson)."""
    coarse, fine = angle(step), angle(step / 2.0)
    return fine + (fine - coarse) / (2**order - 1)


def best(work: Callable[[], Any], repeats: int) -> float:
    """Least seconds of some runs."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--duration", type=float, default=0.5)
    parser.add_argument("--step", type=float, default=1e-3)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    ph.set_num_threads(1)
    duration, step = options.duration, options.step
    print("| loops | agree to [rad] | our error [rad] | Exudyn's | step [us] | Exudyn's | ratio |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for loops in LOOPS:
        sides = ours(loops), Theirs(loops)
        exact, theirs = (
            extrapolated(partial(side.angle, duration), h, order)
            for side, h, order in zip(sides, (step, step / 4.0), (4, 2), strict=True)
        )
        apart = abs(exact - theirs)
        if apart > NEAR:
            raise SystemExit(f"angles of {loops} loops differ by {apart:.1e} rad")
        errors = [abs(side.angle(duration, step) - exact) for side in sides]
        count = duration / step * 1e-6
        times = [best(partial(x.angle, duration, step), options.repeats) / count for x in sides]
        print(
            f"| {loops} | {apart:.1e} | {errors[0]:.1e} | {errors[1]:.1e} | {times[0]:.1f} | "
            f"{times[1]:.1f} | **{times[1] / times[0]:.2g}** |",
            flush=True,
        )


if __name__ == "__main__":
    main()
