"""Springs, dampers and bushings between bodies in Moreau's step in lanes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Plane, Prismatic, Revolute, Sphere
from polhode.spatial import Transform
from stepping.lanes import rolled, rolled_as_alone, solved_again

TABLE = ((0.0, -30.0), (0.4, 0.0), (0.6, 10.0), (1.0, 90.0))


def slider(stiffness, damping):
    """A mass of 2 kg that a spring and damper hold to a wall."""
    model = ph.Model("slider").add("mass", joint=Prismatic.x(), mass=2.0)
    return (
        ph.Scene("slider", gravity=(0, 0, 0)).add_machine(model, "slider", q=[0.3])
        .add_spring("spring", ("slider", "mass"), None, point_b=(-1.0, 0, 0),
                    stiffness=stiffness, rest_length=1.0, damping=damping)
    )  # fmt: skip


def hung(kind="bushing"):
    """Two boxes in the air: one on a spring from the world, the other on the first."""
    scene = ph.Scene("hung").add_body("one", Box((0.2, 0.3, 0.1)), mass=2.0, position=(0, 0, 1.0))
    scene = scene.add_body("two", Box((0.1, 0.2, 0.2)), mass=1.0, position=(0.3, 0, 0.6),
                           velocity=(0.2, 0.5, 0), spin=(1.0, 2.0, 0.5))  # fmt: skip
    links = ("two", "two"), ("one", "one")
    scene = scene.add_spring("rope", ("one", "one"), None, point_a=(0.1, 0.05, 0.05),
                             point_b=(0, 0, 1.6), stiffness=200.0, rest_length=0.4,
                             damping=2.0)  # fmt: skip
    if kind == "bushing":
        return scene.add_bushing("bushing", *links, stiffness=(4, 5, 6, 300, 200, 100),
                                 damping=(0.1, 0.1, 0.1, 2.0, 3.0, 1.0),
                                 frame_b=Transform.translation(-0.3, 0, 0.4))  # fmt: skip
    return scene.add_spring("table", *links, point_a=(0.05, 0, 0), point_b=(0, 0.1, 0.05),
                            damping=0.5, table=TABLE)  # fmt: skip


def legs(mu=0.6):
    """Two balls on a floor, joined by a spring that is too long, and a leg beside them."""
    model = (
        ph.Model("leg")
        .add("slide", joint=Prismatic.z(), mass=1.0)
        .add("swing", parent="slide", joint=Revolute.y(), mass=0.5, com=(0, 0, -0.2),
             inertia=np.eye(3) * 0.02)
    )  # fmt: skip
    scene = ph.Scene("legs").add_fixed("floor", Plane()).contact(mu_coulomb=mu)
    scene = scene.add_machine(model, "leg", q=[0.5, 0.3]).add_geometry(
        "foot", ("leg", "swing"), Sphere(0.1), frame=Transform.translation(0, 0, -0.4)
    )
    for name, x in (("left", 0.6), ("right", 1.0)):
        scene = scene.add_body(name, Sphere(0.1), mass=1.0, position=(x, 0, 0.12))
    scene = scene.add_spring("push", ("left", "left"), ("right", "right"), stiffness=500.0,
                             rest_length=0.6, damping=5.0)  # fmt: skip
    return scene.add_spring("pull", ("leg", "swing"), ("left", "left"), point_a=(0, 0, -0.4),
                            stiffness=30.0, rest_length=0.2)  # fmt: skip


def test_a_mass_swings_as_the_closed_form_says():
    """x = 0.3 exp(-d t) (cos w t + d / w sin w t): errors fall with the step."""
    k, c, m, t = 50.0, 4.0, 2.0, 1.0
    d = c / (2 * m)
    w = math.sqrt(k / m - d * d)
    x = 0.3 * math.exp(-d * t) * (math.cos(w * t) + d / w * math.sin(w * t))
    errors = [abs(rolled(slider(k, c), steps=round(t / dt), dt=dt).q[-1, 0] - x)
              for dt in (4e-3, 2e-3, 1e-3)]  # fmt: skip
    assert 1e-5 < errors[0] < 5e-3
    assert errors[1] < 0.6 * errors[0] and errors[2] < 0.6 * errors[1]


@pytest.mark.parametrize("damping", [0.0, 10.0, 1e6])
def test_springs_of_any_stiffness_are_stable(damping):
    """At 1e9 N/m a step of 1 ms is 22 times as long as an oscillation takes for a radian."""
    way = rolled(slider(1e9, damping), steps=3000, dt=1e-3, record_every=1)
    assert np.abs(way.q).max() < 0.31
    assert np.abs(way.q[-300:]).max() < (0.02 if damping < 1e6 else 0.301)


def test_an_undamped_spring_neither_gains_nor_loses_energy():
    way = rolled(slider(1e3, 0.0), steps=20000, dt=2e-3, record_every=1)
    assert np.abs(way.q[-2000:]).max() == pytest.approx(0.3, rel=0.05)


@pytest.mark.parametrize("kind", ["bushing", "table"])
def test_the_limit_of_short_steps_is_the_motion_of_the_other_integrator(kind):
    scene = hung(kind)
    exact = ph.rollout(scene, steps=2500, dt=2e-4, integrator="event_driven").q[-1]
    errors = [np.abs(rolled(scene, steps=round(0.5 / dt), dt=dt).q[-1] - exact).max()
              for dt in (4e-3, 2e-3, 1e-3)]  # fmt: skip
    assert 1e-5 < errors[0] < 0.05
    assert errors[1] < 0.6 * errors[0] and errors[2] < 0.6 * errors[1]


def test_bodies_in_contact_end_where_the_other_integrator_has_them():
    """Damped motion on the floor: after two seconds all is at rest."""
    scene = legs()
    exact = ph.rollout(scene, steps=4000, dt=5e-4, integrator="event_driven").q[-1]
    errors = [np.abs(rolled(scene, steps=round(2.0 / dt), dt=dt).q[-1] - exact)[:2].max()
              for dt in (4e-3, 1e-3)]  # fmt: skip
    assert errors[0] < 0.02 and errors[1] < 0.6 * errors[0] + 1e-4


def test_worlds_have_the_bits_that_they_have_alone_and_obey_the_laws():
    scene, rng = legs(), np.random.default_rng(3)
    qd = 0.3 * rng.normal(size=(40, scene.model.nv))
    rolled_as_alone(scene, qd, steps=200, dt=2e-3)
    (last,) = solved_again(scene, qd, 100, 2e-3, every=100)
    assert np.abs(last.exact - last.qd)[last.solved].max() < 1e-6


def test_one_world_accounts_for_what_springs_and_dampers_do():
    """Energy changes by the work that is recorded, and passive forces are those of springs."""
    exact = ph.simulate(hung(), 1.0, dt=2.5e-4, integrator="event_driven", contact="none")
    lost = exact.work[-1] - exact.work[0] + exact.elastic[-1] - exact.elastic[0]
    balances, losses = [], []
    for dt in (2e-3, 1e-3):
        run = ph.simulate(hung(), 1.0, dt=dt, integrator="moreau", contact="none")
        balances.append(run.audit.energy_balance)
        work = run.work[-1] - run.work[0] + run.elastic[-1] - run.elastic[0]
        losses.append(abs(work - lost))
        assert np.abs(run.tau_passive).max() > 5.0 and np.abs(run.tau_constraint).max() < 1e-6
    assert lost < -0.1
    assert balances[1] < 0.6 * balances[0] < 0.03 * run.audit.energy_scale
    assert losses[1] < 0.6 * losses[0] < 0.1 * abs(lost)


def test_a_spring_between_bodies_that_do_not_move_is_refused_by_name():
    model = ph.Model("post").add("post")
    scene = slider(1.0, 0.0).add_machine(model, "post").add_spring("stuck", ("post", "post"), None)
    with pytest.raises(ph.ModelError, match="stuck"):
        rolled(scene, steps=1, dt=1e-3)
