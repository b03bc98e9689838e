"""What differs from world to world: masses, friction, gravity, the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.identification import parameters_of, with_parameters
from polhode.model import Box, Heightmap, Sphere

from .test_moreau import G, leg, on_floor, rolled

WORLDS, STEP = 20, 2e-3


def test_worlds_of_one_scene_move_as_scenes_of_their_own():
    """Masses, places of joints and gravity: to rounding, for constants fold otherwise."""
    scene, rng = leg(), np.random.default_rng(0)
    names = ("mass", "com", "inertia", "frame", "gravity", "damping", "friction")
    nominal = parameters_of(scene.model, names)
    values = {k: np.tile(x, (3, *[1] * x.ndim)) for k, x in nominal.items()}
    values["mass"] *= rng.uniform(0.8, 1.2, values["mass"].shape)
    values["com"] += rng.uniform(-0.02, 0.02, values["com"].shape)
    values["frame"][:, 3, 2, 3] -= [0.0, 0.02, 0.04]
    values["gravity"][:, 0] = [0.0, 0.3, -0.3]
    values["damping"] *= rng.uniform(0.5, 1.5, values["damping"].shape)
    values["friction"] *= 1.3
    many = rolled(scene, steps=400, dt=STEP, parameters=values)
    for k in range(3):
        own = {name: x[k] for name, x in values.items()}
        model = with_parameters(scene.machines[0].model, own)
        alone = rolled(_with_model(scene, model), steps=400, dt=STEP)
        np.testing.assert_allclose(many.q[-1, k], alone.q[-1], atol=1e-8)
    assert np.ptp(many.q[-1], axis=0).max() > 0.01


def _with_model(scene, model):
    """The scene with another model of its robot, and its gravity."""
    robot, *others = scene.machines
    own = replace(robot, model=model)
    return replace(scene, machines=(own, *others), gravity=tuple(model.gravity.lin))


def test_friction_decides_how_far_a_box_slides():
    """Under mu it stops after v^2 / (2 mu g), less half a step's way."""
    scene = on_floor("box", Box((0.2, 0.2, 0.1)), position=(0, 0, 0.05), velocity=(2.0, 0, 0))
    mu = np.linspace(0.2, 1.0, WORLDS)
    ends = rolled(scene, steps=1500, dt=1e-3, parameters={"mu_coulomb": mu})
    way = 4.0 / (2.0 * mu * G)
    np.testing.assert_allclose(ends.q[-1, :, 0], way, atol=2e-3)
    assert not ends.unsolved.any()


def test_restitution_decides_how_high_a_ball_rises():
    scene = on_floor("ball", Sphere(0.1), position=(0, 0, 0.6))
    e = np.array([0.0, 0.3, 0.6, 0.9])
    run = rolled(scene, steps=700, dt=1e-3, parameters={"restitution": e}, record_every=1)
    hit = run.qd[:, :, 2].argmin(axis=0)
    peak = [run.q[hit[k] :, k, 2].max() - 0.1 for k in range(4)]
    np.testing.assert_allclose(peak, 0.5 * e**2, atol=0.01)


def test_every_world_may_have_a_ground_of_its_own():
    """Heights as inputs: the bits do not depend on the others, and balls lie where ground is."""
    flat = np.zeros((5, 5))
    scene = ph.Scene("hills").add_fixed("hills", Heightmap(flat.tolist(), (4.0, 4.0)))
    scene = scene.contact(mu_coulomb=0.5).add_body(
        "ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.6)
    )
    heights = flat + np.array([0.0, 0.2, 0.4])[:, None, None]
    ends = rolled(scene, steps=600, dt=1e-3, parameters={"heights": heights})
    np.testing.assert_allclose(ends.q[-1, :, 2], [0.1, 0.3, 0.5], atol=1e-6)
    alone = rolled(scene, steps=600, dt=1e-3, parameters={"heights": heights[1]})
    assert alone.q[-1].tobytes() == ends.q[-1, 1].tobytes()


def test_bits_of_a_world_are_its_own():
    """With parameters as well, those that the exact solver helps included."""
    scene, rng = leg(mu=0.9), np.random.default_rng(1)
    mass = parameters_of(scene.model, ["mass"])["mass"] * rng.uniform(0.5, 2.0, (50, 4))
    qd = rng.normal(size=(50, 4))
    many = rolled(scene, qd=qd, steps=300, dt=5e-3, parameters={"mass": mass})
    for k in (3, 33):
        alone = rolled(scene, qd=qd[k], steps=300, dt=5e-3, parameters={"mass": mass[k]})
        assert alone.q[-1].tobytes() == many.q[-1, k].tobytes()


def test_a_light_world_starts_in_the_ground_alone():
    """Starts are looked at with each world's own frames."""
    scene = leg()
    frame = np.tile(parameters_of(scene.model, ["frame"])["frame"], (3, 1, 1, 1))
    frame[2, 3, 2, 3] -= 1.0
    with pytest.raises(ph.simulation.StartError, match="worst of 1 of 3 worlds"):
        rolled(scene, steps=5, dt=STEP, parameters={"frame": frame})


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"masses": 1.0}, "expected parameters among mass, .*got 'masses'; did you mean 'mass'"),
        ({"mass": [1.0]}, r"expected mass of shape \(..., 4\), got \(1,\)"),
        ({"mu_coulomb": np.nan}, "finite"),
        ({"mu_coulomb": [0.5, -0.1]}, "mu_coulomb of at least 0, got -0.1"),
        ({"restitution": 1.5}, "restitution from 0 to 1, got 1.5"),
        ({"mass": [1.0, 1.0, -2.0, 1.0]}, "mass of at least 0, got -2"),
        ({"heights": [[0.0]]}, "expected parameters among"),
        ({"damping": [-1.0] * 4}, "expected damping of at least 0, got -1"),
        ({"armature": [0.0, 0.0, -0.5, 0.0]}, "expected armature of at least 0, got -0.5"),
        ({"stiffness": [-1.0] * 4}, "expected stiffness of at least 0, got -1"),
        ({"friction": [-1.0] * 4}, "expected friction of at least 0, got -1"),
        ({"inertia": np.tril(np.ones((3, 3))) * np.ones((4, 1, 1))}, "symmetric .* of body 1"),
        ({"frame": 2.0 * np.eye(4) * np.ones((2, 4, 1, 1))}, "a rotation .* frame of body 1"),
        ({"mu_coulomb": [0.1, 0.2], "restitution": [0.1] * 3}, "axes that broadcast"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises((ValueError, ph.ModelError), match=message):
        rolled(leg(), steps=5, dt=STEP, parameters=parameters)


def test_parameters_are_of_steps_side_by_side():
    with pytest.raises(TypeError, match="they are of integrator 'moreau'"):
        ph.rollout(leg(), steps=5, integrator="event_driven", parameters={"mu_coulomb": 1.0})


def test_a_compiled_step_is_that_of_rollouts():
    scene = leg()
    step = ph.compile_step(scene, parameters=["mu_coulomb"]).program
    assert list(step.inputs) == ["q", "qd", "x", "tau", "dt", "mu_coulomb"]
    mu = np.array([0.1, 0.9])
    state = np.tile(scene.q0, (2, 1)), np.zeros((2, 4)), np.zeros((2, step.inputs["x"][0]))
    for _ in range(200):
        *state, error, _ = step(*state, np.zeros(4), STEP, mu)
        assert (error < 1e-6).all()
    many = rolled(scene, steps=200, dt=STEP, parameters={"mu_coulomb": mu})
    assert many.q[-1].tobytes() == state[0].tobytes()
    assert "moreau_step" in step.source("c")


def test_steps_that_cannot_be_compiled():
    with pytest.raises(ph.ModelError, match="a compiled step has no mu_static"):
        ph.compile_step(leg().contact(mu_coulomb=0.5, mu_static=0.6))
    with pytest.raises(ph.ModelError, match="expected parameters among mass,"):
        ph.compile_step(leg(), parameters=["weight"])
    with pytest.raises(TypeError, match="expected a Scene or a Model"):
        ph.compile_step("leg")
