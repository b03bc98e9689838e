"""The work of forces over steps in which contacts or limits stop bodies."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Plane, Prismatic, Revolute, Sphere
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


@pytest.mark.parametrize("integrator", ["event_driven", "moreau"])
@pytest.mark.parametrize("dry", [0.0, 0.5])
def test_viscous_friction_in_a_loop_works_as_in_a_tree(integrator, dry):
    """A box that slides along z, by the joint of a loop or of a tree."""
    scene = ph.Scene("slide", gravity=(0, 0, 0))
    rod = ph.Model("rod").add("rod", joint=Prismatic.z(), mass=2.0, damping=3.0, friction=dry)
    tree = scene.add_machine(rod, "rod", qd=[2.0])
    settings = JointSettings("slide", viscous_friction=3.0, coulomb_friction=dry)
    loop = scene.add_body("box", Box((0.2, 0.2, 0.2)), mass=2.0, velocity=(0, 0, 2.0))
    loop = loop.add_loop("slide", "prismatic", None, ("box", "box"), settings=settings)
    of_tree, of_loop = (ph.simulate(x, 0.2, integrator=integrator) for x in (tree, loop))
    assert of_loop.work == pytest.approx(of_tree.work, abs=1e-8)
    assert of_loop.work[-1] < -1.0
    if integrator == "event_driven":
        assert of_loop.tau_passive[-1, 2] == pytest.approx(of_tree.tau_passive[-1, 0], abs=1e-8)


@pytest.mark.parametrize("subject", ["joint", "joint of a model", "tendon", "tendon of a model"])
def test_springs_conserve_energy(subject):
    """That of joints and tendons is potential energy, with a scene or without."""
    spring = {"stiffness": 20.0, "rest": 0.2}
    rod = ph.Model("rod").add("rod", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.3),
                              **(spring if "joint" in subject else {}))  # fmt: skip
    if "tendon" in subject:
        rod = rod.add_tendon("tendon", joints={"rod": 1.0}, **spring)
    if "model" in subject:
        run = ph.simulate(rod, 1.0, q0=[1.0], integrator="rk4")
    else:
        run = ph.simulate(ph.Scene("s").add_machine(rod, q=[1.0]), 1.0, integrator="rk4")
    assert np.ptp(run.kinetic) > 0.1
    assert run.audit.energy_drift < 1e-7 and run.audit.energy_balance < 1e-7  # errors of steps


@pytest.mark.parametrize("law", [{"compliance": 1e-4}, {"penalty_kp": 1e4}])
@pytest.mark.parametrize("integrator", ["event_driven", "moreau"])
def test_compliant_contacts_store_energy(law, integrator):
    """A ball bounces on a spring; steps take some of it, and nothing gives any."""
    scene = ph.Scene("bounce").add_fixed("ground", Plane()).contact(**law)
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.3), is_compliant=True)
    run = ph.simulate(scene, 0.4, dt=1e-4, record=1, integrator=integrator)
    assert run.qd[:, 2].max() > 1.8  # it is thrown back
    assert run.audit.energy_rise < 0.01 * run.audit.energy_scale
    assert not run.audit.warnings


def test_steps_that_were_capped_are_printed():
    """An elastic ball in a gap of a millimetre hits its walls 100 times in a step."""
    scene = ph.Scene("gap", gravity=(0, 0, 0)).contact(restitution=1.0)
    for name, x in (("left", -0.1505), ("right", 0.1505)):
        scene = scene.add_fixed(name, Box((0.1, 1, 1)), position=(x, 0, 0))
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, velocity=(100.0, 0, 0))
    audit = ph.simulate(scene, 0.01, dt=1e-3).audit
    assert audit.capped_steps > 0
    assert f"capped steps         {audit.capped_steps:>10} times a limit" in str(audit)


def test_a_given_force_works_along_the_way_to_the_ground():
    scene = ph.Scene("drop", gravity=(0, 0, 0)).contact().add_fixed("ground", Plane())
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.6))
    down = {("ball", "ball"): (0, 0, 0, 0, 0, -9.81)}
    run = ph.simulate(scene, 1.0, dt=1e-2, forces=lambda t, s: down, record=1)
    assert run.work == pytest.approx(9.81 * (0.6 - run.q[:, 2]), abs=1e-9)
