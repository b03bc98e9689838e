"""What joints do by themselves, read from files and written to them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError, ModelWarning, ParseError
from polhode.formats import moby, sdf, urdf
from polhode.formats.lua import writer as lua_writer
from polhode.formats.moby import writer as moby_writer
from polhode.formats.sdf import writer as sdf_writer
from polhode.formats.urdf import writer as urdf_writer
from polhode.model import Revolute, TranslationXYZ

ARM = ph.Model("arm").add("upper", joint=Revolute.y(), mass=1.0, inertia=(0.1, 0.1, 0.1))


def arm(**dynamics):
    return ARM.append("lower", joint=Revolute.y(), mass=1.0, inertia=(0.1, 0.1, 0.1), **dynamics)


def test_urdf_has_damping_and_friction():
    """Also of each axis of a joint with several."""
    model = arm(damping=0.3, friction=0.2).append(
        "load", joint=TranslationXYZ(), mass=1.0, inertia=(0.1, 0.1, 0.1), damping=(1.0, 2.0, 0.0)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = urdf_writer.dumps(model)
    found = urdf.parse(text, snap_angles=False)
    for name in ("damping", "friction"):
        expected, read = (ph.identification.parameters_of(m, [name])[name] for m in (model, found))
        np.testing.assert_array_equal(read, expected)


@pytest.mark.parametrize(
    ("dumps", "dynamics", "lost"),
    [
        (urdf_writer.dumps, {"armature": 0.1, "damping": 1.0}, "armature"),
        (urdf_writer.dumps, {"stiffness": 2.0, "rest": 0.1}, "stiffness"),
        (lua_writer.dumps, {"damping": 1.0}, "damping"),
        (lua_writer.dumps, {"armature": (0.5,)}, "armature"),
        (lambda m: moby_writer.dumps(ph.Scene.of(m)), {"armature": 0.1, "friction": 1.0},
         "armature"),
    ],
)  # fmt: skip
def test_what_a_format_has_no_place_for_is_told(dumps, dynamics, lost):
    """By name, with the joint; nothing else is."""
    with pytest.warns(ModelWarning) as told:
        dumps(arm(**dynamics))
    (message,) = [str(each.message) for each in told]
    assert f"has no {lost} of joints: that of 'lower' is not written" in message


@pytest.mark.parametrize("dumps", [urdf_writer.dumps, lua_writer.dumps])
def test_efforts_of_one_direction_are_told(dumps):
    """URDF has one effort for both directions, Lua models have none."""
    limits = ph.model.Limits(-1.0, 1.0, effort=2.0, lower_effort=0.0)
    with pytest.warns(ModelWarning, match="no lower effort of joints: that of 'lower' is not"):
        dumps(arm(limits=limits))


def test_an_sdf_has_one_effort_for_both_directions():
    limits = ph.model.Limits(-1.0, 1.0, effort=2.0, lower_effort=0.0)
    with pytest.warns(ModelWarning, match=r"lost or changed in SDF:\n  lower efforts.*'lower'"):
        sdf_writer.dumps(arm(limits=limits))


def test_moby_has_one_damping_for_all_axes_of_a_joint():
    """Springs are refused, and so is damping that differs by axis where a joint stays whole."""
    scene = ph.Scene.of(arm(damping=0.3, friction=0.2))
    found = moby.parse(moby_writer.dumps(scene)).model.machines[0]
    (settings,) = [s for s in found.joint_settings if s.joint == "lower"]
    assert (settings.viscous_friction, settings.coulomb_friction) == (0.3, 0.2)
    with pytest.raises(ModelError, match="cannot express spring 'lower'"):
        moby_writer.dumps(ph.Scene.of(arm(stiffness=1.0)))
    load = ph.Model().add(
        "load", joint=TranslationXYZ(), mass=1.0, inertia=(0.1, 0.1, 0.1), damping=(1.0, 2.0, 0.0)
    )
    found = moby.parse(moby_writer.dumps(ph.Scene.of(load))).model
    damping = ph.passive_forces(found, np.zeros(3), np.ones(3))
    np.testing.assert_array_equal(damping, [-1.0, -2.0, 0.0])


def test_negative_damping_of_a_urdf_is_an_error_of_its_line():
    """With the joint's name."""
    text = urdf_writer.dumps(arm(damping=0.3)).replace('damping="0.3"', 'damping="-0.3"')
    with pytest.raises(ParseError, match=r":\d+: expected damping of at least 0, got -0.3"):
        urdf.parse(text)


def test_sdf_has_springs():
    """``spring_stiffness`` and ``spring_reference`` of an axis."""
    text = """<sdf version="1.9"><world name="w"><model name="door">
      <link name="leaf"><inertial><mass>1</mass></inertial></link>
      <joint name="hinge" type="revolute"><parent>world</parent><child>leaf</child>
        <axis><xyz>0 0 1</xyz><dynamics><spring_stiffness>5</spring_stiffness>
        <spring_reference>0.5</spring_reference></dynamics></axis></joint>
      </model></world></sdf>"""
    scene = sdf.parse(text).model
    joint = scene.model.joint("door/hinge")
    assert (joint.stiffness, joint.rest, joint.damping) == (5.0, 0.5, 0.0)
    np.testing.assert_allclose(ph.passive_forces(scene, [0.1], [0.0]), [2.0])
