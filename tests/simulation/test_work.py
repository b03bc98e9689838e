"""The work of forces over steps in which contacts or limits stop bodies."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.model import Box, Plane, Prismatic, Sphere
from polhode.scene import JointSettings


def driven(stop: str) -> ph.Scene:
    """A slider with a motor, stopped after 0.9 m by a limit or a wall."""
    rod = ph.Model("rod", gravity=(0, 0, 0))
    rod = rod.add("rod", joint=Prismatic.x(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    scene = ph.Scene("driven", gravity=(0, 0, 0))
    if stop == "limit":
        scene = scene.add_machine(rod, "rod", joint_settings=[JointSettings("rod", upper=0.9)])
    else:
        scene = scene.contact().add_fixed("wall", Box((0.2, 2, 2)), position=(1.1, 0, 0))
        scene = scene.add_machine(rod, "rod", geometries=[("rod", Box((0.2, 0.2, 0.2)))])
    return scene.add_motor("motor", joint="rod")


@pytest.mark.parametrize("stop", ["limit", "wall"])
@pytest.mark.parametrize("dt", [1e-2, 1e-3])
def test_a_motor_works_along_the_way_that_a_stop_leaves_it(stop, dt):
    """Its force times the way, in every step; all of it is lost at the stop."""
    run = ph.simulate(driven(stop), 0.6, dt=dt, controls=[10.0], record=1)
    assert run.q[-1, 0] == pytest.approx(0.9, abs=1e-8)
    assert run.work == pytest.approx(10.0 * run.q[:, 0], abs=1e-9)
    assert run.audit.energy_balance == pytest.approx(9.0, abs=1e-6)


def test_a_given_force_works_along_the_way_to_the_ground():
    scene = ph.Scene("drop", gravity=(0, 0, 0)).contact().add_fixed("ground", Plane())
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.6))
    down = {("ball", "ball"): (0, 0, 0, 0, 0, -9.81)}
    run = ph.simulate(scene, 1.0, dt=1e-2, forces=lambda t, s: down, record=1)
    assert run.work == pytest.approx(9.81 * (0.6 - run.q[:, 2]), abs=1e-9)
