"""The state of a scene's models, those that stand still among those that move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Plane, Revolute, Spherical
from polhode.scene import Machine

CHAIN = (
    ph.Model("chain")
    .add("ball", joint=Spherical(), mass=1.0, com=(0, 0, -0.3), inertia=(0.1, 0.1, 0.1))
    .add("bar", parent="ball", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.2))
)


def chain(name, rng, *, moves=True):
    q = ph.random_configuration(CHAIN, rng)
    qd = rng.standard_normal(CHAIN.nv)
    return Machine(name, CHAIN, tuple(q.tolist()), tuple(qd.tolist()), is_simulated=moves)


@pytest.fixture(scope="module")
def scene():
    rng = np.random.default_rng(0)
    made = ph.Scene("mixed").add_fixed("floor", Plane())
    for k in range(2):
        made = made.add_body(f"box{k}", Box((0.1, 0.2, 0.3)), mass=1.0, position=(3 * k, 0, 5))
    floor, *boxes = made.machines
    still, last = chain("still", rng, moves=False), chain("last", rng)
    between = chain("between", rng, moves=False)
    return replace(made, machines=(floor, still, boxes[0], last, between, boxes[1]))


def test_the_state_of_a_scene_is_that_of_its_models(scene):
    """The poses and velocities of `Scene.model` are those of each model by itself."""
    sim = ph.Simulator(scene, start="keep")
    sim.set_state("last", q=ph.random_configuration(CHAIN, np.random.default_rng(1)))
    sim.advance(1e-3, 20)
    q, qd = sim.state
    for name in ("still", "between", "last"):
        own = scene.machine(name)
        state = sim.state_of(name) if own.is_simulated else (np.array(own.q), np.array(own.qd))
        for body in ("ball", "bar"):
            link = f"{name}/{body}"
            np.testing.assert_allclose(
                ph.body_pose(scene.model, q, link), ph.body_pose(CHAIN, state[0], body), atol=1e-12
            )
            np.testing.assert_allclose(
                ph.point_velocity(scene.model, q, qd, link, (0, 0, 1)),
                ph.point_velocity(CHAIN, *state, body, (0, 0, 1)),
                atol=1e-12,
            )
    for name in ("box0", "box1"):
        pose = ph.body_pose(scene.model, q, f"{name}/{scene.machine(name).link_names[0]}")
        np.testing.assert_allclose(pose[:3, 3], sim.state_of(name)[0][:3], atol=1e-12)


def test_coordinates_of_many_states_are_those_of_each(scene):
    sim = ph.Simulator(scene, start="keep")
    rng = np.random.default_rng(2)
    position = np.array([sim._fields.position + 1e-3 * k for k in range(3)])
    velocity = rng.standard_normal((3, len(sim._fields.velocity)))
    q, qd = sim.coordinates(position, velocity)
    for k in range(3):
        alone = sim.coordinates(position[k], velocity[k])
        assert alone[0].tobytes() == q[k].tobytes() and alone[1].tobytes() == qd[k].tobytes()
    assert q.shape == (3, scene.model.nq) and qd.shape == (3, scene.model.nv)
