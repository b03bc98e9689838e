"""Copies of simulators: they move by themselves, as the first would have."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.environments import VectorEnv
from polhode.model import Box, Plane, Prismatic, Revolute, Sphere


def pickled(simulator: ph.Simulator) -> ph.Simulator:
    return pickle.loads(pickle.dumps(simulator))


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickled}


def swing(t, state):
    return np.array([np.sin(t)]) + 0.1 * state.rng.normal(size=1)


def scene() -> ph.Scene:
    pendulum = ph.Model("pendulum").add(
        "rod", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.3), limits=(-0.4, 0.4)
    )
    slider = (
        ph.Model("slider").add("car", joint=Prismatic.x(), mass=1.0).add_motor("motor", joint="car")
    )
    scene = ph.Scene("all").add_fixed("ground", Plane()).contact(mu_coulomb=0.4, restitution=0.3)
    scene = scene.add_machine(pendulum).add_machine(slider)
    for k in range(3):
        scene = scene.add_body(f"box {k}", Box((0.2, 0.2, 0.1)), mass=1.0,
                               position=(2, 0, 0.06 + 0.12 * k))  # fmt: skip
    return scene.add_body("ball", Sphere(0.1), mass=1.0, position=(4, 0, 0.4))


def all_of(simulator: ph.Simulator) -> bytes:
    q, qd = simulator.state
    return simulator.current_time.hex().encode() + q.tobytes() + qd.tobytes()


@pytest.mark.parametrize("made", COPIES.values(), ids=COPIES)
@pytest.mark.parametrize("integrator", ["event_driven", "moreau"])
@pytest.mark.parametrize("steps", [0, 150])
def test_copies_and_the_first_go_on_to_the_same_bits(made, integrator, steps):
    first = ph.Simulator(
        scene(), dt=2e-3, integrator=integrator, controllers={"pendulum": swing}, seed=3
    )
    first.controls = [2.0]
    for _ in range(steps):
        first.step()
    first.push("ball", "ball", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
    second, before = made(first), all_of(first)
    assert type(second) is type(first) and all_of(second) == before
    for _ in range(200):
        second.step()
    assert all_of(first) == before
    for _ in range(200):
        first.step()
    assert all_of(second) == all_of(first) != before
    second.controls = [-1.0]
    assert first.controls == [2.0]


@pytest.mark.parametrize("made", COPIES.values(), ids=COPIES)
def test_a_model_and_its_options_are_copied(made):
    model = ph.Model("arm").add("rod", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.3), damping=0.1)
    first = ph.Simulator(model, integrator="DOP853", joint_forces="none", rtol=1e-6)
    first.set_state("arm", q=[0.5])
    first.step()
    second = made(first)
    assert second.model == first.model and second.integrator == "DOP853"
    first.step()
    second.step()
    assert all_of(second) == all_of(first)


def test_what_cannot_be_pickled_is_named():
    simulator = ph.Simulator(scene(), controllers={"pendulum": lambda t, state: np.zeros(1)})
    assert copy.deepcopy(simulator).current_time == 0.0
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(simulator)


@pytest.mark.parametrize("made", COPIES.values(), ids=COPIES)
def test_an_environment_says_that_it_is_not_copied(made):
    model = ph.Model("car").add("car", joint=Prismatic.x(), mass=1.0).add_motor("m", joint="car")
    env = VectorEnv(
        model, 2, observe=lambda q, qd: q, reward=lambda q0, qd0, controls, q1, qd1: q1[:, 0]
    )
    with pytest.raises(TypeError, match=r"VectorEnv\('car'.*cannot be copied.*same arguments"):
        made(env)
