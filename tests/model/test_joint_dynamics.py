"""Armature, damping, friction and springs as joints declare them."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.model import FloatingBase, JointDynamics, Revolute, Spherical
from polhode.recording.model_json import model_from_json, model_to_json

ARM = (
    ph.Model("arm")
    .add("upper", joint=Revolute.y(), mass=1.0, armature=0.1, stiffness=2.0, rest=0.3)
    .append("wrist", joint=Spherical(), mass=1.0, armature=(1.0, 2.0, 3.0), damping=0.5)
)


def test_a_joint_has_a_number_for_each_velocity():
    """One number for one axis; else a tuple, of which one given number is all entries."""
    upper, wrist = ARM.joint("upper"), ARM.joint("wrist")
    assert (upper.armature, upper.stiffness, upper.rest, upper.damping) == (0.1, 2.0, 0.3, 0.0)
    assert wrist.armature == (1.0, 2.0, 3.0)
    assert wrist.damping == (0.5, 0.5, 0.5)
    assert wrist.friction == wrist.stiffness == wrist.rest == (0.0, 0.0, 0.0)


def test_dynamics_of_a_joint_are_changed():
    """What is given; a rotor turns by the ratio of its gear, and counts by its square."""
    geared = ARM.with_joint_dynamics("upper", rotor_inertia=2e-5, gear_ratio=-100.0, friction=0.4)
    upper = geared.joint("upper")
    assert (upper.armature, upper.friction) == (pytest.approx(0.2), 0.4)
    assert (upper.stiffness, upper.rest) == (2.0, 0.3)
    difference = ph.mass_matrix(geared, [0.2, 0, 0, 0, 1]) - ph.mass_matrix(ARM, [0.2, 0, 0, 0, 1])
    np.testing.assert_allclose(difference, np.diag([0.1, 0, 0, 0]), rtol=0, atol=1e-12)
    wrist = ARM.with_joint_dynamics("wrist", armature=0.0, damping=(1, 2, 3)).joint("wrist")
    assert (wrist.armature, wrist.damping) == ((0.0, 0.0, 0.0), (1.0, 2.0, 3.0))
    bare = ph.Model("bare").add("rod", joint=Revolute.x(), mass=1.0)
    assert bare.with_joint_dynamics("rod", damping=0.1).joint("rod").damping == 0.1
    assert ARM.joint("upper").friction == 0.0


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("uper", {}, "no joint 'uper'; did you mean 'upper'? (model 'arm')"),
        ("upper", {"armature": 1.0, "rotor_inertia": 1.0},
         "expected armature or rotor_inertia, got both (joint 'upper', model 'arm')"),
        ("upper", {"rotor_inertia": -1.0}, "expected rotor_inertia of at least 0, got -1"),
        ("wrist", {"damping": -1.0}, "expected damping of at least 0, got -1 (joint 'wrist'"),
        ("wrist", {"damping": (1.0, 2.0)}, "expected 3 numbers as damping, got 2"),
    ],
)  # fmt: skip
def test_wrong_dynamics_of_a_joint(name, given, message):
    """With the joint, or names that are near."""
    with pytest.raises(ModelError) as caught:
        ARM.with_joint_dynamics(name, **given)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"armature": -1.0}, "expected armature of at least 0, got -1 (link 'c', model 'arm')"),
        ({"armature": (1.0, 2.0)},
         "expected 1 numbers as armature, got 2 of joint 'c' (model 'arm')"),
        ({"rest": np.nan}, "expected a finite number as rest, got nan (link 'c', model 'arm')"),
        ({"damping": "much"}, "expected numbers as damping, got 'much' (link 'c', model 'arm')"),
        ({"stiffness": None},
         "expected a finite number as stiffness, got None (link 'c', model 'arm')"),
    ],
)  # fmt: skip
def test_what_is_no_dynamics_is_refused(given, message):
    """By name, with the link."""
    with pytest.raises(ModelError) as caught:
        ARM.add("c", joint=Revolute.z(), **given)
    assert str(caught.value) == message


def test_edits_keep_what_joints_do():
    """Renamed, attached, pickled and written as data; a locked joint does nothing."""
    for other, name in (
        (ARM.rename({"upper": "first"}), "first"),
        (ph.Model().attach(ARM, prefix="left_"), "left_upper"),
        (pickle.loads(pickle.dumps(ARM)), "upper"),
        (model_from_json(model_to_json(ARM)), "upper"),
    ):
        assert other.joint(name).dynamics == ARM.joint("upper").dynamics
    locked = ARM.lock({"upper": 0.2})
    assert locked.links[0].dynamics is None
    assert locked.joint("wrist").armature == (1.0, 2.0, 3.0)


def test_parameters_of_joints_are_read_and_replaced():
    """One entry for each velocity; the model's own values make the model itself."""
    found = ph.identification.parameters_of(ARM, ["armature", "damping", "stiffness", "rest"])
    assert found["armature"].tolist() == [0.1, 1.0, 2.0, 3.0]
    assert found["damping"].tolist() == [0.0, 0.5, 0.5, 0.5]
    assert ph.identification.with_parameters(ARM, found) == ARM
    new = ph.identification.with_parameters(ARM, {"friction": [0.2, 0.0, 0.0, 0.1]})
    assert new.joint("upper").friction == 0.2
    assert new.joint("wrist").friction == (0.0, 0.0, 0.1)
    assert new.joint("wrist").armature == (1.0, 2.0, 3.0)
    with pytest.raises(ModelError, match="damping of at least 0"):
        ph.identification.with_parameters(ARM, {"damping": [-1.0, 0.0, 0.0, 0.0]})


def test_one_number_stands_for_the_whole_joint():
    """Also where the joint is several bodies."""
    link = ph.Model().add("trunk", joint=FloatingBase(), mass=1.0, armature=0.5).links[0]
    model = ph.Model(links=[link])
    assert ph.identification.parameters_of(model, ["armature"])["armature"].tolist() == [0.5] * 6
    bare = ph.Model(links=[replace(link, dynamics=None)])
    assert bare.joint("trunk").armature == (0.0,) * 6
    assert JointDynamics(armature=0.5).for_each(2).armature == (0.5, 0.5)
