"""Forces that joints have by themselves: springs, damping, smoothed friction."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.errors import ArgumentError, ShapeError
from polhode.scene import JointSettings
from random_trees import random_state, tree

MODEL = tree(["revolute z", "universal", "prismatic", "spherical"], seed=2)
RNG = np.random.default_rng(3)
VALUES = {key: RNG.uniform(0.1, 2.0, MODEL.nv) for key in ("damping", "friction", "stiffness")}
REST = RNG.uniform(-0.3, 0.3, MODEL.nv)
SPRUNG = ph.identification.with_parameters(MODEL, {**VALUES, "rest": REST})


def test_springs_and_damping():
    """``-k (q - rest) - d qd``, by joint along the step from its rest; batched as all calls are."""
    q, qd, _, _ = random_state(SPRUNG, 1, (4,))
    rest = ph.integrate(SPRUNG, ph.neutral(SPRUNG), REST)
    stretch = ph.difference(SPRUNG, rest, q)
    expected = -VALUES["stiffness"] * stretch - VALUES["damping"] * qd
    found = ph.passive_forces(SPRUNG, q, qd)
    np.testing.assert_allclose(found, expected, atol=1e-14)
    assert np.array_equal(ph.passive_forces(SPRUNG, q[2], qd[2]), found[2])
    plain = run_plain(algorithms.passive_forces, SPRUNG, (q, qd))
    np.testing.assert_allclose(plain, expected, atol=1e-14)
    assert not ph.passive_forces(MODEL, q, qd).any()


def test_smoothed_friction():
    """``-friction tanh(qd / speed)`` beside the rest, also far from where it changes sign."""
    q, qd, _, _ = random_state(SPRUNG, 1, (4,))
    for speed in (1e-3, 0.2):
        with np.errstate(over="ignore"):
            expected = -VALUES["friction"] * np.tanh(qd / speed)
        found = ph.passive_forces(SPRUNG, q, qd, friction_speed=speed)
        np.testing.assert_allclose(found - ph.passive_forces(SPRUNG, q, qd), expected, atol=1e-13)
    with pytest.raises(ArgumentError, match="friction_speed"):
        ph.passive_forces(SPRUNG, q, qd, friction_speed=0.0)


def test_its_derivatives():
    """As of any program: stiffness and damping with the sign turned."""
    slider = ph.identification.with_parameters(
        tree(["prismatic", "revolute z"], seed=1), {"stiffness": [3.0, 4.0], "damping": [1.0, 2.0]}
    )
    program = ph.compile(algorithms.passive_forces, slider)
    q, qd, _, _ = random_state(slider, 1)
    np.testing.assert_allclose(program.jacobian("q")(q, qd), np.diag([-3.0, -4.0]))
    np.testing.assert_allclose(program.jacobian("qd")(q, qd), np.diag([-1.0, -2.0]))


def test_stiffness_as_an_input():
    """A program takes stiffness with batch axes of its own."""
    q, qd, _, _ = random_state(SPRUNG, 1)
    program = ph.compile(algorithms.passive_forces, MODEL, parameters=["stiffness"])
    scale = np.array([[1.0], [2.0]])
    once, twice = program(q, qd, VALUES["stiffness"] * scale)
    np.testing.assert_allclose(twice, 2.0 * once, rtol=1e-14)


def test_of_a_scene():
    """All joints of its model, with what joint settings override."""
    names = [joint.name for joint in SPRUNG.joints]
    settings = JointSettings(names[0], stiffness=9.0, rest=0.0, viscous_friction=0.0)
    scene = ph.Scene().add_machine(SPRUNG, "tree", joint_settings=(settings,))
    q, qd, _, _ = random_state(SPRUNG, 1)
    expected = ph.passive_forces(SPRUNG, q, qd)
    expected[0] = -9.0 * q[0]
    np.testing.assert_allclose(ph.passive_forces(scene, q, qd), expected, atol=1e-14)
    with pytest.raises(ShapeError, match="q"):
        ph.passive_forces(scene, q[:2], qd)
