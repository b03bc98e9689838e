"""A robot on four legs drops on hills.

The robot is a URDF, `quadruped.urdf`, with 12 motors; the ground is a height field.  It falls a
quarter of a metre, with springs for a controller, and stands.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import polhode as ph
from polhode.examples import path
from polhode.examples.stage import Stage
from polhode.formats.urdf.collision import read_collisions
from polhode.formats.urdf.friction import read_friction
from polhode.model import Heightmap, Shape

# %%
# Shapes that touch and friction of the joints are read from the same file as the model.
SIZE, CELLS, G = 3.0, 30, 9.81
LEGS = ("front_left", "front_right", "rear_left", "rear_right")
GAIN, DAMPING = 90.0, 4.0  # of each motor [N m/rad, N m s/rad]
STAND = (0.0, 0.75, -1.45)  # hip, thigh, knee


def hills() -> Heightmap:
    x = np.linspace(-0.5 * SIZE, 0.5 * SIZE, CELLS + 1)
    valley = 0.1 * (1.0 - np.cos(1.6 * x[:, None]) * np.cos(1.9 * x[None, :]))
    z = valley + 0.015 * np.sin(9.0 * x[:, None] - 6.0 * x[None, :] + 0.5)
    return Heightmap(tuple(map(tuple, z)), (SIZE, SIZE))


def scene(ground: Shape) -> tuple[ph.Scene, ph.Model]:
    urdf = path("scenes/quadruped.urdf")
    robot = ph.load(urdf, floating_base=True)
    q = np.array(ph.neutral(robot))
    q[2] = 0.6
    for leg in LEGS:
        for joint, angle in zip(("hip", "thigh", "knee"), STAND, strict=True):
            q[robot.joint(f"{leg}_{joint}").q] = angle
    out = ph.Scene("robot").add_fixed("ground", ground, color=(0.55, 0.65, 0.5, 1.0))
    out = out.contact(mu_coulomb=0.8)
    dampers = [replace(each, viscous_friction=DAMPING) for each in read_friction(urdf)]
    out = out.add_machine(
        robot, "robot", q=tuple(q), geometries=read_collisions(urdf), joint_settings=dampers
    )
    return out.disable("robot", "robot"), robot


# %%
# Each motor pulls its joint to where it should be, like a spring.  The dampers are friction of
# the joints: that acts within the step, and so is steady however strong.
def springs(robot: ph.Model) -> Any:
    wanted = np.zeros(robot.nv)
    motors = np.zeros(robot.nv, bool)
    for leg in LEGS:
        for joint, angle in zip(("hip", "thigh", "knee"), STAND, strict=True):
            v = robot.joint(f"{leg}_{joint}").v
            wanted[v], motors[v] = angle, True

    def controller(t: float, state) -> np.ndarray:
        return np.where(motors, GAIN * (wanted - state.q[: robot.nv]), 0.0)

    return controller


# %%
# *Notice* the force under the feet: a peak of several weights as it lands, and its weight in the
# end.
def main() -> None:
    stage = Stage("12_legged_robot", __doc__)
    built, robot = scene(hills())
    recording = ph.simulate(built, 2.5, dt=1e-3, record=5, controllers={"robot": springs(robot)},
                            progress=False)  # fmt: skip
    count = len(recording.times)
    push = np.array([sum(c.force[2] if c.a != "ground" else -c.force[2]
                         for c in recording.contacts(k)) for k in range(count)])  # fmt: skip
    weight = G * robot.mass
    _, qd = recording.of("robot")
    print(f"lands with {push.max() / weight:.1f} weights, stands on {push[-1] / weight:.4f}; "
          f"{len(recording.contacts(-1))} contacts, speed {np.abs(qd[-1]).max():.1e}")  # fmt: skip
    stage.figure("force", recording.times, [("force", push), ("weight", np.full(count, weight))],
                 "A robot lands", "force under the feet [N]")  # fmt: skip
    stage.animation(recording, still=2.4, camera={"direction": (1.0, -0.8, 0.4)})


if __name__ == "__main__":
    main()
