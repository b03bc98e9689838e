"""MuJoCo's XML to scenes: what becomes what, what is told, and what is refused."""

from __future__ import annotations

import math
import struct
import time

import numpy as np
import pytest

import polhode as ph
from mjcf_texts import BALL, MODELS, RINGS, body
from mjcf_texts import mjcf as text
from polhode.errors import ParseError
from polhode.formats import mjcf
from polhode.model import (
    Box,
    Capsule,
    Fluid,
    FluidEllipsoid,
    Heightmap,
    Plane,
    Polyhedron,
    Sphere,
    Torus,
)


def scene(world, more=""):
    return mjcf.parse(text(world, more)).model


def notes(world, more="", kinds=("ignored", "doubtful")):
    return [note.text for note in mjcf.parse(text(world, more)).notes if note.kind in kinds]


# -- machines --


def test_bodies_in_the_world_are_machines_of_their_own():
    """The world comes first, if anything stands in it; a free body starts where the file has it."""
    made = scene('<geom type="plane" size="1 1 1"/>' + body(BALL, 'name="ball" pos="0 0 2"')
                 + MODELS["several joints on a body"].split("worldbody>")[1][:-2])  # fmt: skip
    assert [machine.name for machine in made.machines] == ["world", "ball", "arm"]
    assert made.machines[1].q == (0, 0, 2, 0, 0, 0, 1)
    assert [joint.name for joint in made.machines[2].model.joints] == ["a", "b", "c", "d", "e"]
    assert made.settings.step_size == 0.002
    assert made.gravity == (0, 0, -9.81)


def test_joints_start_at_their_reference():
    """``ref`` is the position in the pose of the file, not an offset of the pose."""
    made = scene(body('<joint ref="30"/><geom size="0.1" pos="1 0 0"/>', 'name="a" euler="0 0 30"'))
    np.testing.assert_allclose(made.q0, [math.pi / 6], rtol=1e-15)
    at = ph.point_position(made.model, made.q0, "a", [1, 0, 0])
    np.testing.assert_allclose(at, [math.cos(math.pi / 6), 0.5, 0], atol=1e-15)


def test_joints_start_within_their_limits():
    """Where the pose of the file is outside, with a remark; not those that follow others."""
    arms = "".join(body(f'<joint name="{j}" range="10 20"/><geom size="1"/>') for j in "pq")
    np.testing.assert_allclose(scene(arms).q0, [math.radians(10)] * 2)
    assert "outside its limits 0.1745 to 0.3491: it starts at the nearer one" in notes(arms)[0]
    follows = '<equality><joint joint1="p" joint2="q"/></equality>'
    assert scene(arms, follows).q0 == (0, 0)


def test_names_of_bodies_without_their_machine():
    """A body of the scene's model is called by its own name, where no other machine has it."""
    made = scene(body('<joint/><geom size="1"/>' + body('<joint/><geom size="1"/>', 'name="hand"'),
                      'name="arm"') + body(BALL, 'name="ball"'))  # fmt: skip
    assert made.model.body("hand") == made.model.body("arm/hand")
    assert made.model.joint("hand/joint") == made.model.joint("arm/hand/joint")


def test_bodies_without_names_get_numbers():
    """That of the body in the file, and another where that is taken."""
    made = scene(body(BALL, 'name="body2"') + body(BALL))
    assert [machine.name for machine in made.machines] == ["body2", "body2'"]


def test_limits_of_joints():
    """In degrees, inferred from the range or said; forces of actuators are bounds of effort."""
    joints = ('<joint name="a" range="-90 45"/><joint name="b" range="0 1" limited="false"/>'
              '<joint name="c" type="slide" range="0 1" actuatorfrcrange="-3 2"/>')  # fmt: skip
    model = scene(body(joints + '<geom size="1"/>', 'name="x"')).machines[0].model
    limits = model.joint("a").limits
    assert (limits.lower, limits.upper) == (-math.pi / 2, math.pi / 4)
    assert model.joint("b").limits is None
    assert (model.joint("c").limits.upper, model.joint("c").limits.efforts) == (1, (-3, 2))


def test_ranges_that_do_not_rise_are_told():
    """But for the default of no numbers but zeros."""
    joint = '<joint range="{}"/><geom size="1"/>'
    assert notes(body(joint.format("0 0"))) == []
    assert notes(body(joint.format("9 -9"))) == ["<joint>: 'range' from 9 to -9 is no limit"]


def test_replicas_of_count_zero_are_told():
    made = mjcf.parse(text('<replicate count="0"><geom size="1"/></replicate>'))
    assert [note.text for note in made.notes] == [
        "<replicate> of count 0: nothing of it is in the model"
    ]
    assert made.model.geometries == ()


def test_dynamics_of_joints():
    """Damping, friction, armature and springs; a flag switches each off."""
    joint = body('<joint name="j" damping="1" frictionloss="2" armature="3" stiffness="4" '
                 'springref="90"/><geom size="1"/>')  # fmt: skip
    dynamics = scene(joint).machines[0].model.joint("j").dynamics
    assert (dynamics.damping, dynamics.friction, dynamics.armature) == (1, 2, 3)
    assert (dynamics.stiffness, dynamics.rest) == (4, math.pi / 2)
    off = '<option><flag spring="disable" damper="disable" frictionloss="disable"/></option>'
    dynamics = scene(joint, off).machines[0].model.joint("j").dynamics
    assert dynamics == ph.model.JointDynamics(armature=3)


def test_sites_are_frames():
    """Without mass; where a body has the name already, they are told apart."""
    site = '<site name="{}" pos="0 0 1" euler="90 0 0"/>'
    made = scene(body(BALL + site.format("tip") + site.format("a"), 'name="a" pos="1 2 3"'))
    pose = ph.body_pose(made.model, made.q0, "tip")
    np.testing.assert_allclose(pose[:3, 3], [1, 2, 4])
    np.testing.assert_allclose(pose[:3, 1], [0, 0, 1], atol=1e-15)
    assert made.model.body("a site").mass == 0


# -- shapes --


def test_shapes_for_contact_and_for_drawing():
    """Sizes are halves in the file; groups from 3 on are not drawn."""
    made = scene('<geom name="floor" type="plane" size="1 1 1" rgba="1 0 0 1"/>'
                 '<geom type="box" size="1 2 3" group="3"/>'
                 '<geom type="capsule" size="0.1" fromto="0 0 0 0 0 2"/>'
                 '<geom type="ellipsoid" size="1 2 3"/><geom contype="0" conaffinity="0" size="1"/>'
                 + body(BALL))  # fmt: skip
    shapes = [geometry.shape for geometry in made.geometries]
    assert shapes[:3] == [Plane(), Box((2, 4, 6)), Capsule(0.1, 2)]
    assert isinstance(shapes[3], Polyhedron)
    assert [geometry.name for geometry in made.geometries][:2] == ["floor", "world/geom1"]
    drawn = made.machines[0].model.links[0].visuals
    assert (len(drawn), drawn[0].color, drawn[-1].shape) == (4, (1, 0, 0, 1), Sphere(1))


def test_heights():
    """Rows of the text go from large to small y; all is scaled to the largest height."""
    asset = '<asset><hfield name="h" nrow="2" ncol="3" size="3 2 0.5 1" elevation="{}"/></asset>'
    made = scene('<geom type="hfield" hfield="h"/>', asset.format("0 1 2  4 5 6"))
    expected = ((4 / 12, 0.0), (5 / 12, 1 / 12), (0.5, 2 / 12))
    shape = made.geometries[0].shape
    assert isinstance(shape, Heightmap)
    assert shape.size == (6, 4)
    np.testing.assert_allclose(shape.heights, expected)
    flat = scene('<geom type="hfield" hfield="h"/>', asset.format(""))
    assert np.array_equal(flat.geometries[0].shape.heights, np.zeros((3, 2)))


def test_meshes_and_heights_from_files(tmp_path):
    """MuJoCo's own binary formats, in a folder that the compiler names."""
    (tmp_path / "meshes").mkdir()
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
    header = struct.pack("<4i", 4, 0, 0, 0)
    (tmp_path / "meshes" / "corner.msh").write_bytes(header + corners.tobytes())
    heights = struct.pack("<2i", 2, 2) + np.array([0, 1, 2, 4], "<f4").tobytes()
    (tmp_path / "meshes" / "hills.bin").write_bytes(heights)
    path = tmp_path / "m.xml"
    path.write_text(text(
        '<geom type="hfield" hfield="hills"/>'
        + body('<freejoint/><geom type="mesh" mesh="corner" density="6"/>', 'name="b"'),
        '<compiler meshdir="meshes"/><asset><mesh file="corner.msh"/>'
        '<hfield file="hills.bin" size="1 1 1 1"/></asset>',
    ))  # fmt: skip
    made = ph.load(path)
    mass = made.machines[1].model.body("b")
    assert mass.mass == pytest.approx(1)
    assert mass.com == pytest.approx((0.25, 0.25, 0.25))
    assert made.geometries[0].shape.heights == ((0, 0.5), (0.25, 1))


# -- contact --


def touching(made, a, b):
    names = [geometry.name for geometry in made.geometries]
    return tuple(sorted((names.index(a), names.index(b)))) not in made.disabled_geometries


GEOM = '<geom name="{}" size="0.1" {}/>'


def balls(**attributes):
    """A free ball for each name, with attributes of its geom."""
    return "".join(
        body("<freejoint/>" + GEOM.format(f"{name} geom", more), f'name="{name}"')
        for name, more in attributes.items()
    )


def test_masks():
    """Two geoms touch if a bit of one's type is in the other's affinity, either way round."""
    made = scene(balls(a='contype="1" conaffinity="2"', b='contype="2" conaffinity="0"',
                       c='contype="4" conaffinity="4"'))  # fmt: skip
    assert touching(made, "a geom", "b geom")
    assert not touching(made, "a geom", "c geom")
    assert not touching(made, "b geom", "c geom")


def test_exclusions_and_pairs():
    """Bodies that never touch; a pair touches whatever its masks are, with its own friction."""
    contact = ('<contact><exclude body1="a" body2="b"/>'
               '<pair geom1="a geom" geom2="d geom" friction="0.3"/></contact>')  # fmt: skip
    made = scene(balls(a="", b="", c="", d='contype="0" conaffinity="0"'), contact)
    assert not touching(made, "a geom", "b geom")
    assert touching(made, "a geom", "c geom")
    assert touching(made, "a geom", "d geom")
    assert not touching(made, "b geom", "d geom")
    assert made.contact_parameters("a geom", "d geom").mu_coulomb == 0.3


def test_a_pair_of_one_geom_is_none():
    """MuJoCo takes it, and a geom never touches itself."""
    made = scene(balls(a=""), '<contact><pair geom1="a geom" geom2="a geom"/></contact>')
    assert len(made.contacts) == 1


def test_exclusions_are_of_bodies_and_not_of_what_is_fixed_to_them():
    """A body that is welded to an excluded one still touches, as in MuJoCo."""
    welded = body(GEOM.format("tip", ""), 'pos="1 0 0"')
    made = scene(body("<freejoint/>" + GEOM.format("a geom", "") + welded, 'name="a"')
                 + balls(b=""), '<contact><exclude body1="a" body2="b"/></contact>')  # fmt: skip
    assert not touching(made, "a geom", "b geom")
    assert touching(made, "tip", "b geom")


def test_friction_is_the_larger_or_that_of_higher_priority():
    """Of two geoms; those without tangential forces have none."""
    made = scene(balls(a='friction="0.5"', b='friction="0.7"', c='friction="0.2" priority="1"',
                       d='friction="0.6" condim="1"', e='friction="0.4" condim="1"'))  # fmt: skip
    friction = {
        pair: made.contact_parameters(*(f"{name} geom" for name in pair)).mu_coulomb
        for pair in ("ab", "ac", "bd", "de")
    }
    assert friction == {"ab": 0.7, "ac": 0.2, "bd": 0.7, "de": 0.0}


def test_torsional_and_rolling_friction_act_by_the_dimensions_of_a_contact():
    """Of geoms, the larger of each; of pairs, what they say."""
    pair = (
        '<contact><pair geom1="a geom" geom2="d geom" condim="6" friction="1 1 2 3 3"/></contact>'
    )
    made = scene(balls(a='friction="0.5 0.1 0.2"', b='friction="0.7 0.3 0.1" condim="4"',
                       c='friction="0.2 0.2" condim="6"', d='condim="3"'), pair)  # fmt: skip

    def friction(pair: str) -> tuple[float, ...]:
        rule = made.contact_parameters(*(f"{name} geom" for name in pair))
        return rule.mu_coulomb, rule.mu_torsional, rule.mu_rolling

    assert friction("ab") == (0.7, 0.3, 0.0)
    assert friction("ac") == (0.5, 0.2, 0.2)
    assert friction("bc") == (0.7, 0.3, 0.1)
    assert friction("bd") == (1.0, 0.3, 0.0)
    assert friction("ad") == (1.0, 2.0, 3.0)


def soft(**kwargs):
    """Balls of one kilogram, soft where they touch."""
    pair = '<contact><pair geom1="a geom" geom2="e geom" solref="-500 -20"/></contact>'
    return mjcf.parse(text(balls(**kwargs), pair), soft_contacts=True).model


def test_soft_contacts_are_springs_and_dampers():
    """Means of solref and solimp by solmix; numbers below zero are stiffness and damping."""
    made = soft(a='solref="0.04 1" solimp="0.8 0.8" mass="1"', b='solimp="0.8 0.8" mass="1"',
                c='solimp="0.9 0.9" solmix="3" mass="1"',
                d='solimp="0.6 0.6" mass="2" priority="1" solref="0.1 0.5"',
                e='solimp="0.9 0.9" mass="1"')  # fmt: skip
    assert all(geometry.is_compliant for geometry in made.geometries)

    def spring(pair: str) -> tuple[float, float]:
        a, b = (made.geometry(f"{name} geom") for name in pair)
        contact = made.contact_parameters(a, b)
        return contact.penalty_kp, contact.penalty_kv

    def expected(mass, d, time, ratio) -> tuple[float, float]:
        factor = mass * d / (1 - d)
        return factor / d / (time * ratio) ** 2, factor * 2 / d / time

    assert spring("ab") == pytest.approx(expected(0.5, 0.8, 0.03, 1.0))
    assert spring("bc") == pytest.approx(expected(0.5, 0.875, 0.02, 1.0))
    assert spring("cd") == pytest.approx(expected(2 / 3, 0.6, 0.1, 0.5))
    assert spring("ac") == pytest.approx(expected(0.5, 0.875, 0.025, 1.0))
    assert spring("ae") == pytest.approx((0.5 / 0.15 * 500, 0.5 / 0.15 * 20))


def test_references_of_both_kinds_are_as_without():
    """A time constant beside a damping is neither."""
    odd, plain = (soft(a=f'mass="1" {attribute}', e="") for attribute in ('solref="0.1 -5"', ""))
    assert odd.contacts[0].penalty_kp > 0.0
    assert odd.contacts == plain.contacts


def test_soft_contacts_are_told_apart_from_the_rest():
    """What is still rigid; without the option all is."""
    world = body('<joint solreflimit="0.1 1"/><geom size="1" solref="0.1 1" margin="0.1"/>')
    for is_soft in (False, True):
        told = [note.text for note in mjcf.parse(text(world), soft_contacts=is_soft).notes]
        assert any("contact, limits and equalities are rigid" in line for line in told)
        found = any(line.startswith("solref: once, read of contacts") for line in told)
        assert found == is_soft


def test_soft_contacts_are_refused_elsewhere(tmp_path):
    """They are those of MJCF."""
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="r"><link name="l"/></robot>')
    with pytest.raises(ph.ModelError, match="soft_contacts is for MJCF files"):
        ph.load(path, soft_contacts=True)


def test_contact_switched_off():
    """By a flag of the options."""
    assert scene(balls(a=""), '<option><flag contact="disable"/></option>').geometries == ()


def test_all_constraints_switched_off():
    """Contact, limits, dry friction and equalities, as in MuJoCo; what is passive stays."""
    off = '<option><flag constraint="disable"/></option>'
    bar = body('<joint name="j" axis="1 0 0" range="-10 20" frictionloss="2" damping="3"/>'
               '<geom size="0.1" mass="1" pos="0 0 -1"/>', 'name="a"')  # fmt: skip
    held = '<equality><weld body1="a"/></equality>'
    made = scene(bar + '<geom type="plane" size="1 1 1"/>', held + off)
    (joint,) = made.machine("a").model.joints
    assert joint.limits is None and joint.dynamics == ph.model.JointDynamics(damping=3)
    assert made.geometries == () and made.loops == ()


@pytest.mark.parametrize("flag", ['filterparent="disable"', 'override="enable"'])
def test_flags_that_are_not_read_are_told(flag):
    """What they change of contacts is missing; their defaults change nothing."""
    assert not notes(
        balls(a=""), '<option><flag filterparent="enable" override="disable"/></option>'
    )
    (told,) = notes(balls(a=""), f"<option><flag {flag}/></option>")
    assert f"attribute '{flag.split('=')[0]}' is not read" in told


# -- what couples bodies --


def test_connect_and_weld_are_loops():
    """They hold where the file has the bodies, or where it says."""
    two = body(BALL, 'name="a" pos="1 0 0"') + body(BALL, 'name="b" pos="0 2 0" euler="0 0 90"')
    made = scene(two, '<equality><connect name="c" body1="a" body2="b" anchor="0 1 0"/>'
                      '<weld body1="a"/><weld body1="a" body2="b" relpose="3 0 0 1 0 0 0" '
                      'active="false"/></equality>')  # fmt: skip
    ball, weld = made.loops
    assert (ball.kind, ball.a, ball.b) == ("spherical", ("a", "a"), ("b", "b"))
    np.testing.assert_allclose(tuple(ball.frame_b.r), [-1, -1, 0], atol=1e-15)
    assert (weld.kind, weld.b) == ("fixed", None)
    np.testing.assert_allclose(tuple(weld.frame_a.r), [-1, 0, 0])


def test_coupled_joints_are_gears():
    """A ratio; other polynomials are told."""
    arms = "".join(body(f'<joint name="{j}"/><geom size="1"/>', f'name="{j}"') for j in "pq")
    equality = '<equality><joint joint1="p" joint2="q" polycoef="{}"/></equality>'
    (gear,) = scene(arms, equality.format("0 3 0 0 0")).gears
    assert (gear.a, gear.b, gear.ratio) == (("p", "p"), ("q", "q"), 3)
    assert scene(arms, equality.format("1 3 0 0 0")).gears == ()
    assert any("only a ratio" in told for told in notes(arms, equality.format("1 3")))


# -- several files --


def test_includes(tmp_path):
    """Their contents stand where the include stands; names are relative to the main file."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "ball.xml").write_text("<x>" + body(BALL, 'name="ball"') + "</x>")
    (tmp_path / "all.xml").write_text('<x><include file="parts/ball.xml"/></x>')
    path = tmp_path / "m.xml"
    path.write_text(text('<include file="all.xml"/>'))
    assert [machine.name for machine in ph.load(path).machines] == ["ball"]


def test_files_beside_included_files(tmp_path):
    """What is not in the main file's folder is looked for beside the file that names it."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "all.xml").write_text('<x><include file="ball.xml"/></x>')
    (tmp_path / "parts" / "ball.xml").write_text("<x>" + body(BALL, 'name="ball"') + "</x>")
    path = tmp_path / "m.xml"
    path.write_text(text('<include file="parts/all.xml"/>'))
    assert [machine.name for machine in ph.load(path).machines] == ["ball"]
    (tmp_path / "ball.xml").write_text("<x>" + body(BALL, 'name="nearer"') + "</x>")
    assert [machine.name for machine in ph.load(path).machines] == ["nearer"]


CHILD = text(
    body('<joint/><geom class="big"/>' + body("<joint/><geom/>", 'name="hand"'), 'name="arm"')
    + body(BALL, 'name="other"'),
    '<compiler angle="radian"/><default><default class="big"><geom size="2"/></default>'
    '<geom size="1"/></default><contact><exclude body1="arm" body2="other"/>'
    '<exclude body1="arm" body2="hand"/></contact>',
)


def test_attached_models(tmp_path):
    """With a prefix, classes and units of their own; what names parts left out is left out."""
    (tmp_path / "child.xml").write_text(CHILD)
    path = tmp_path / "m.xml"
    attach = '<attach model="c" body="arm" prefix="{}_"/>'
    path.write_text(text(
        '<frame pos="0 0 1">' + attach.format("left") + "</frame>"
        '<replicate count="2" offset="1 0 0">' + attach.format("right") + "</replicate>",
        '<asset><model name="c" file="child.xml"/></asset>',
    ))  # fmt: skip
    made = ph.load(path)
    assert [m.name for m in made.machines] == ["left_arm", "right_arm0", "right_arm1"]
    assert made.machines[0].link_names == ("left_arm", "left_hand")
    assert [g.shape for g in made.geometries] == [Sphere(2), Sphere(1)] * 3
    np.testing.assert_allclose(tuple(made.machines[2].model.links[0].frame.r), [1, 0, 0])
    assert not touching(made, "right_arm1/geom0", "right_hand1/geom0")


# -- sensors --


def test_what_sensors_become():
    """Kinds, parts, frames, references, zones, fields, cutoffs; a name where there is none."""
    made = scene(
        body(
            '<joint name="j"/><geom name="g" size="0.1" pos="1 0 0"/>'
            '<site name="s" type="box" size="0.1 0.2 0.3" pos="0 0 2"/>' + body("", 'name="hand"'),
            'name="arm"',
        ),
        '<option magnetic="1 2 3"/><sensor><touch site="s"/><magnetometer name="m" site="s"/>'
        '<framepos objtype="geom" objname="g" reftype="xbody" refname="hand" cutoff="2"/>'
        '<jointpos joint="j" noise="0.1" delay="0.2" nsample="3"/><jointpos joint="j"/><clock/>'
        '<subtreecom body="world"/><tendonpos name="t" tendon="rope"/>'
        '<tendonvel name="u" tendon="none"/></sensor>'
        '<tendon><fixed name="rope"><joint joint="j" coef="2"/></fixed></tendon>',
    )  # fmt: skip
    touch, field, at, angle, again, clock, whole, tendon = made.sensors
    names = ("touch s", "m", "framepos g", "jointpos j", "jointpos j 2", "clock")
    assert tuple(made.sensor_slices)[:6] == names
    assert (touch.kind, touch.of, touch.zone) == ("touch", ("arm", "arm"), Box((0.2, 0.4, 0.6)))
    assert tuple(touch.frame.r) == (0, 0, 2) and field.magnetic_field == (1, 2, 3)
    assert (at.of, at.reference, at.cutoff) == (("arm", "arm"), ("arm", "hand"), 2.0)
    assert tuple(at.frame.r) == (1, 0, 0)
    assert (angle.of, angle.noise, angle.delay) == (("arm", "j"), 0.1, 0.2)
    assert again.of == angle.of and clock.of is whole.of is None
    assert (tendon.kind, tendon.of) == ("tendon_position", "rope")


def test_sensors_of_attached_models_and_replicas():
    """Names get prefixes and suffixes, as those of bodies do; what is not attached has none."""
    first, second = (
        body(f'<joint/><geom size="0.1"/><site name="{site}"/>', f'name="{name}"')
        for site, name in (("s", "a"), ("t", "c"))
    )
    made = scene(
        first + '<frame pos="0 0 1"><attach body="a" prefix="b_"/></frame>'
        + f'<replicate count="2" offset="1 0 0">{second}</replicate>',
        '<sensor><gyro name="g" site="s"/><gyro name="h" site="t"/></sensor>',
    )  # fmt: skip
    assert {x.name: x.of for x in made.sensors} == {
        "g": ("a", "a"), "b_g": ("b_a", "b_a"), "h0": ("c0", "c0"), "h1": ("c1", "c1"),
    }  # fmt: skip


# -- what is told --


def test_what_is_not_read_is_told():
    """Softness in one remark, anything else by name."""
    told = notes(
        body('<joint solreflimit="0.1 1"/><geom size="1" solref="0.1 1" solimp="0 1" gap="0.1" '
             'colour="red"/>', 'name="b" mocap="1"'),
        '<sensor><user dim="2"/><clock interval="0.1"/></sensor>'
        '<option integrator="RK4"/><wheels/>',
    )  # fmt: skip
    assert len(told) == 6
    for part in ("gap, solimp, solref, solreflimit: 4 times, for MuJoCo's soft constraints",
                 "<user> of <sensor> is not read", "'interval' is not read", "'mocap' is not",
                 "'colour' is not", "<wheels> is not"):  # fmt: skip
        assert any(part in line for line in told), part


def test_lines_of_remarks_are_those_of_the_file():
    """Also behind an include."""
    (note,) = (n for n in mjcf.parse("<mujoco>\n<worldbody>\n<body>\n<freejoint/>\n"
               '<geom size="1"\n colour="red"/></body></worldbody></mujoco>').notes)  # fmt: skip
    assert (note.line, note.kind) == (5, "ignored")


# -- what is refused --

JOINT = '<joint/><geom size="1"/>'
MESH = '<asset><mesh name="m" vertex="{}"/></asset>'
SITE = '<site name="p"/>'
WRONG = {
    "flexible bodies of type disc are not read": (
        body('<flexcomp name="f" type="disc"/>'), ""),
    "flexible bodies are read as grids of one or two": (
        body('<flexcomp name="f" dim="3" count="3 3 3"/>'), ""),
    "expected three counts from 1, for at most 1500": (
        body('<flexcomp name="f" count="1000000 1000000 1"/>'), ""),
    "<elasticity> of flexible bodies is not read": (
        body('<flexcomp name="f" count="3 3 1"><elasticity young="1"/></flexcomp>'), ""),
    "flexible bodies in frames and replicas are not read": (
        '<frame><flexcomp name="f" count="3 3 1"/></frame>', ""),
    "expected vertices from 0 to 8 as pins": (
        body('<flexcomp name="f" count="3 3 1"><pin id="9"/></flexcomp>'), ""),
    "'fluidshape' of a plane is not read": (
        body(BALL + '<geom type="plane" size="1 1 1" fluidshape="ellipsoid"/>'),
        '<option density="1"/>'),
    "rigid flexible bodies are not read": (
        body('<flexcomp name="f" count="3 3 1" rigid="true"/>'), ""),
    "the mass of a signed distance field is not read": (
        body('<joint/><geom type="sdf" mesh="m"><plugin plugin="mujoco.sdf.torus"/></geom>'),
        '<asset><mesh name="m"><plugin plugin="mujoco.sdf.torus"/></mesh></asset>'),
    "expected a geom of type sdf with the plug-in of its mesh": (
        body('<geom type="mesh" mesh="m"/>'),
        '<asset><mesh name="m"><plugin plugin="mujoco.sdf.torus"/></mesh></asset>'),
    "<geom>: no plug-in 'r'": (body('<geom type="sdf"><plugin instance="r"/></geom>'), ""),
    "composites are not read": (body("<composite/>"), ""),
    "plug-ins but mujoco.sdf.torus are not read": (
        "", '<extension><plugin plugin="mujoco.sdf.nut"/></extension>'),
    "plug-ins are not read": (body('<plugin plugin="mujoco.elasticity.cable"/>'), ""),
    "<gyro>: no site 'q'": (body(SITE), '<sensor><gyro site="q"/></sensor>'),
    "<gyro> has no attribute 'site'": ("", "<sensor><gyro/></sensor>"),
    "duplicate sensor name 'a'": ("", '<sensor><clock name="a"/><clock name="a"/></sensor>'),
    "unknown element <gyr> in <sensor>; did you mean 'gyro'": ("", "<sensor><gyr/></sensor>"),
    "expected objtype = body or xbody or geom or site or camera": (
        "", '<sensor><framepos objtype="bod" objname="b"/></sensor>'),
    "cameras that turn by themselves": (
        body('<camera name="c" mode="track"/>' + SITE),
        '<sensor><framepos objtype="camera" objname="c"/></sensor>'),
    "'j' is of another type": (
        body('<joint name="j"/><geom size="1"/>'), '<sensor><ballquat joint="j"/></sensor>'),
    "expected noise of at least 0, got -1": ("", '<sensor><clock noise="-1"/></sensor>'),
    "expected at most 5000 sensors": ("", f'<sensor>{"<clock/>" * 5001}</sensor>'),
    "frames that scale": ('<frame scale="2"/>', ""),
    "unknown element <gem> in a body; did you mean 'geom'": (body("<gem/>"), ""),
    "duplicate body name 'a'": (body("", 'name="a"') * 2, ""),
    "duplicate joint name 'j'": (body(JOINT + '<joint name="j"/>' * 2), ""),
    "no default class 'bog'; did you mean 'big'": (
        body('<geom class="bog"/>'), '<default><default class="big"/></default>'),
    "duplicate default class": ("", '<default><default class="a"/><default class="a"/></default>'),
    "expected one orientation": (body("", 'euler="0 0 0" quat="1 0 0 0"'), ""),
    "is no rotation: its norm is 0": (body("", 'quat="0 0 0 0"'), ""),
    "'axis' has no direction": (body('<joint axis="0 0 0"/>'), ""),
    "expected 3 numbers in <body> 'pos', found 2: '1 2'": (body("", 'pos="1 2"'), ""),
    "expected a number in <body> 'pos', found 'nan'": (body("", 'pos="1 2 nan"'), ""),
    "expected a number in <body> 'pos', found 'inf'": (body("", 'pos="1 2 inf"'), ""),
    "expected type = hinge or slide or ball or free in <joint>, found 'hing'; did you mean 'hinge'":
        (body('<joint type="hing"/>'), ""),
    "a free joint must be its body's only one": (body(BALL + "<joint/>"), ""),
    "a joint of type ball must be": (body('<joint type="ball"/>' + JOINT), ""),
    "moves but has no mass": (body("<joint/>"), ""),
    "expected a mass of at least 0": (
        body('<joint/><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/>'), ""),
    "expected diaginertia or fullinertia": (body('<inertial pos="0 0 0" mass="1"/>'), ""),
    "violate the triangle inequality": (
        body('<joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 5"/>'), ""),
    "expected moments of inertia of at least 0": (
        body('<joint/><inertial pos="0 0 0" mass="1" diaginertia="-1 1 1"/>'), ""),
    "expected 3 sizes of a box, found 1": (body('<geom type="box" size="1"/>'), ""),
    "expected sizes above 0": (body('<geom size="-1"/>'), ""),
    "'fromto' is for": (body('<geom size="1" fromto="0 0 0 1 1 1"/>'), ""),
    "built-in meshes but spheres are not read": (
        body('<joint/><geom type="mesh" mesh="m"/>'),
        '<asset><mesh name="m" builtin="cone" params="3 0"/></asset>'),
    "has no attribute 'mesh'": (body('<geom type="mesh"/>'), ""),
    "no mesh 'cude'; did you mean 'cube'": (
        body('<geom type="mesh" mesh="cude"/>'), '<asset><mesh name="cube"/></asset>'),
    "expected 4 vertices": (body('<joint/><geom type="mesh" mesh="m"/>'), MESH.format("1 2 3")),
    "points that span a volume": (
        body('<joint/><geom type="mesh" mesh="m"/>'), MESH.format("0 0 0 " * 4)),
    "expected nrow and ncol of 1 or more": (
        '<geom type="hfield" hfield="h"/>', '<asset><hfield name="h" size="1 1 1 1"/></asset>'),
    "has 'range', but neither 'limited' nor": (
        body('<joint range="0 1"/><geom size="1"/>'), '<compiler autolimits="false"/>'),
    "expected a range that rises, found 1 to 0": (
        body('<joint range="1 0" limited="true"/><geom size="1"/>'), ""),
    "expected an actuatorfrcrange with 0 in it, found 1 to 2": (
        body('<joint actuatorfrcrange="1 2"/><geom size="1"/>'), ""),
    "expected 0 to 30000 replicas, found -1": ('<replicate count="-1"/>', ""),
    "expected groups from 0 to 30 in <option> 'actuatorgroupdisable', found 31": (
        "", '<option actuatorgroupdisable="31"/>'),
    "expected a number in <option> 'actuatorgroupdisable', found 'hello'": (
        "", '<option actuatorgroupdisable="hello"/>'),
    "a DC motor of a group without force": (
        body('<joint name="j"/><geom size="1"/>'), '<option actuatorgroupdisable="3"/>'
        '<actuator><dcmotor joint="j" motorconst="1" resistance="1" group="3"/></actuator>'),
    "expected coordinate = local": ("", '<compiler coordinate="global"/>'),
    "expected three of x, y, z": ("", '<compiler eulerseq="xxw"/>'),
    "expected a timestep above 0": ("", '<option timestep="0"/>'),
    "no body 'z'": (body(BALL, 'name="a"'), '<contact><exclude body1="a" body2="z"/></contact>'),
    "no geom 'z'": (balls(a=""), '<contact><pair geom1="a geom" geom2="z"/></contact>'),
    "no joint 'z'": (body(JOINT), '<equality><joint joint1="z" joint2="z"/></equality>'),
    **{f'<joint name="j">: expected {word} of at least 0, got -1': (
        body(f'<joint name="j" {key}="-1"/><geom size="1"/>'), "") for key, word in (
            ("damping", "damping"), ("stiffness", "stiffness"), ("armature", "armature"),
            ("frictionloss", "friction"))},
    "rises, found 0 to 0; limited=\"false\" is no limit": (
        body('<joint range="0 0" limited="true"/><geom size="1"/>'), ""),
    "that is not linear is not read": (body('<joint damping="1 2"/><geom size="1"/>'), ""),
    "'delay' of controls is not read": (
        body('<joint name="j"/><geom size="1"/>'),
        '<actuator><motor joint="j" delay="0.1" nsample="3"/></actuator>'),
    "the 'armature' of a tendon between branches": (
        body('<joint name="j"/><geom size="1"/>') + body('<joint name="k"/><geom size="1"/>'),
        '<tendon><fixed armature="1"><joint joint="j" coef="1"/><joint joint="k" coef="2"/>'
        "</fixed></tendon>"),
    **{f"duplicate {kind} name 'a'": ("", f"<{section}>{2 * part}</{section}>")
       for kind, section, part in (
           ("actuator", "actuator", '<motor name="a" joint="j"/>'),
           ("tendon", "tendon", '<fixed name="a"><joint joint="j" coef="1"/></fixed>'),
           ("equality", "equality", '<weld name="a" active="false"/>'),
           ("exclude", "contact", '<exclude name="a"/>'), ("pair", "contact", '<pair name="a"/>'),
           ("material", "asset", '<material name="a"/>'))},
    **{message: ("", f"<default>{inside}</default>") for message, inside in (
        ("unknown element <jiont> in <default>; did you mean 'joint'", '<jiont damping="3"/>'),
        ("expected a number in <joint> 'damping', found 'x'",
         '<default class="u"><joint damping="x"/></default>'),
        ("expected type = plane or hfield", '<default class="u"><geom type="bxo"/></default>'),
        ("expected 0 to 3 numbers in <geom> 'size', found 5", '<geom size="1 2 3 4 5"/>'),
        ("'name' cannot stand in <default>", '<joint name="q"/>'),
        ("'class' cannot stand in <default>", '<joint class="q"/>'),
        ("expected limited = true or false or auto", '<tendon limited="yes"/>'),
        ("expected actuatorgravcomp = true or false", '<joint actuatorgravcomp="1"/>'),
        ("expected one <joint> in <default>, found 2", '<joint damping="1"/><joint ref="2"/>'))},
    "expected no class or 'main' of the outermost <default>, found 'foo'": (
        "", '<default class="foo"/>'),
    "expected integrator = Euler or RK4 or implicit or implicitfast": (
        "", '<option integrator="foo"/>'),
    "expected a number in <option> 'iterations', found 'abc'": ("", '<option iterations="abc"/>'),
    "expected discardvisual = true or false": ("", '<compiler discardvisual="maybe"/>'),
    "expected fluidshape = none or ellipsoid in <geom>, found ''": (
        body('<geom size="1" fluidshape=""/>'), ""),
    "expected fluidshape = none or ellipsoid in <geom>, found 'elipsoid'; did you mean 'ellipsoid'":
        (body('<geom size="1" fluidshape="elipsoid"/>'), ""),
    "expected shellinertia = true or false in <geom>, found ''": (
        body('<geom type="mesh" size="1" mass="1" shellinertia=""/>'), ""),
    "expected castshadow = true or false in <geom>, found ''": (
        body('<geom size="1" castshadow=""/>'), ""),
    "expected type = sphere or capsule or cylinder or ellipsoid or box or mesh or sdf in <site>, "
    "found ''": (body('<geom size="1"/><site type=""/>'), ""),
    "expected type = sphere or capsule or cylinder or ellipsoid or box or mesh or sdf in <site>, "
    "found 'spher'; did you mean 'sphere'": (
        "", '<default><site type="spher"/></default>'),
    "expected sleep = auto or never or allowed or init in <body>, found ''": (
        body('<geom size="1"/>', 'sleep=""'), ""),
    "expected simple = auto or false in <body>, found ''": (body("", 'simple=""'), ""),
    "expected texuniform = true or false in <material name=\"m\">, found ''": (
        "", '<asset><material name="m" texuniform=""/></asset>'),
    "expected a number in <site> 'rgba', found 'red'": (
        body('<geom size="1"/><site rgba="red"/>'), ""),
    "expected 0 to 3 numbers in <site> 'size', found 4": (
        body('<geom size="1"/><site size="1 2 3 4"/>'), ""),
    "expected a number in <body> 'user', found 'me'": (body("", 'user="me"'), ""),
    "unknown attribute 'fil' in <include>": ("", '<include fil="a.xml" file="b.xml"/>'),
    "<geom> cannot stand in <include>": ("", '<include file="a.xml"><geom/></include>'),
    **{message: (body('<joint name="j"/><geom size="1"/>', 'name="b"'),
                 f"<actuator>{actuator}</actuator>") for message, actuator in (
        ("<damper>: expected kv of at least 0, found -3", '<damper joint="j" kv="-3"/>'),
        ("<damper>: expected a ctrlrange of at least 0, found -1",
         '<damper joint="j" ctrlrange="-1 1"/>'),
        ("<position>: expected one of kv and dampratio, found both",
         '<position joint="j" kv="1" dampratio="1"/>'),
        ("<position>: expected kp of at least 0 beside a damping ratio, found -3",
         '<position joint="j" kp="-3" dampratio="1"/>'),
        ("expected ctrllimited = true or false or auto in <motor>, found ''",
         '<motor joint="j" ctrllimited=""/>'),
        ("expected a word in <motor> 'class', found ''", '<motor joint="j" class=""/>'),
        ("<cylinder>: expected diameter of at least 0, found -1",
         '<cylinder joint="j" diameter="-1"/>'),
        ("<adhesion>: expected gain of at least 0, found -1",
         '<adhesion body="b" ctrlrange="0 1" gain="-1"/>'),
        ("<general>: expected actdim = 1 where dyntype is integrator, found 3",
         '<general joint="j" dyntype="integrator" actdim="3"/>'),
        ("<dcmotor>: expected a motorconst above 0, or nominal values that give one, found 0",
         '<dcmotor joint="j"/>'),
        ("<dcmotor>: expected a resistance above 0, or nominal values that give one, found -1",
         '<dcmotor joint="j" motorconst="1" resistance="-1"/>'))},
    "<joint>: expected a springdamper of two numbers above 0, found -1 and 1": (
        body('<joint springdamper="-1 1"/><geom size="1"/>'), ""),
    "<joint> has no attribute 'coef'": (
        body('<joint name="j"/><geom size="1"/>'),
        '<tendon><fixed><joint joint="j"/></fixed></tendon>'),
    "<fixed> has joint 'j' twice": (
        body('<joint name="j"/><geom size="1"/>'),
        '<tendon><fixed><joint joint="j" coef="1"/><joint joint="j" coef="2"/></fixed></tendon>'),
    "duplicate keyframe name 'a'": ("", '<keyframe><key name="a"/><key name="a"/></keyframe>'),
    "has no folder to find files in": ("", '<include file="a.xml"/>'),
    "no model 'm'": ('<attach model="m" prefix="a"/>', ""),
    "cannot stand in the world itself": ("<joint/>", ""),
    "cannot be replicated without its body": (
        body('<replicate count="2"><joint/></replicate>'), ""),
}  # fmt: skip


@pytest.mark.parametrize("message", WRONG)
def test_errors(message):
    """Each says what is wrong, and where."""
    with pytest.raises(ParseError) as caught:
        mjcf.parse(text(*WRONG[message]), file="m.xml")
    assert message in str(caught.value)
    assert str(caught.value).startswith("m.xml:1: ")


@pytest.mark.parametrize("value", ["", "3"])
def test_attributes_that_nobody_knows_are_told(value):
    """Empty ones, too."""
    reading = mjcf.parse(text(body(f'<geom size="1" sise="{value}"/>')), file="m.xml")
    assert any("attribute 'sise' is not read" in note.text for note in reading.notes)


LINES = """<mujoco>
<worldbody>
<body name="a">
<joint name="h"/>
<geom size="{geom}"/>
</body>
</worldbody>
<tendon>
<fixed name="t" {tendon}>
<joint joint="h" coef="1"/>
</fixed>
</tendon>
<actuator>
{actuator}
</actuator>
<sensor>
{sensor}
</sensor>
</mujoco>"""


@pytest.mark.parametrize(
    ("line", "message", "values"),
    [
        (5, "<geom>: expected numbers that are not as large", {"geom": "1e200"}),
        (9, '<fixed name="t">: expected friction of at least 0', {"tendon": 'frictionloss="-1"'}),
        (9, '<fixed name="t">: expected stiffness of at least 0', {"tendon": 'stiffness="-1"'}),
        (9, "expected a range that rises", {"tendon": 'range="1 -1" limited="true"'}),
        (14, "<motor>: expected armature of at least 0",
         {"actuator": '<motor joint="h" armature="-1"/>'}),
        (14, "<general>: expected a time constant above 0",
         {"actuator": '<general joint="h" dyntype="filter" dynprm="-1"/>'}),
        (14, "<dcmotor>: expected a resistance above 0",
         {"actuator": '<dcmotor joint="h" motorconst="1" resistance="-1"/>'}),
        (17, "<clock>: expected noise of at least 0", {"sensor": '<clock noise="-1"/>'}),
    ],
)  # fmt: skip
def test_errors_are_told_at_their_line(line, message, values):
    """Also those of the parts that elements become."""
    given = {"geom": "0.1", "tendon": "", "actuator": "", "sensor": ""} | values
    with pytest.raises(ParseError) as caught:
        mjcf.parse(LINES.format(**given), file="x.xml")
    assert str(caught.value).startswith(f"x.xml:{line}: ")
    assert message in str(caught.value)


def test_other_roots_are_refused():
    """A text that is no MJCF."""
    with pytest.raises(ParseError, match="expected <mujoco>, found <robot>"):
        mjcf.parse("<robot/>")


HOSTILE = {
    "a billion replicas": ('<replicate count="1000000000">' + body("") + "</replicate>", ""),
    "replicas of replicas": (
        '<replicate count="100">' * 8 + body("") + "</replicate>" * 8, ""),
    "deep bodies": ("<body>" * 300 + "</body>" * 300, ""),
    "deep defaults": ("", '<default class="a">' * 300 + "</default>" * 300),
    "a model in itself": (body('<attach body="a" prefix="p"/>', 'name="a"'), ""),
    "a model in itself, twice": (body('<attach body="a" prefix="p"/>' * 2, 'name="a"'), ""),
    "keyframes of a thousand bodies": (
        '<replicate count="1000">' + body(BALL) + "</replicate>",
        "<keyframe>" + "<key/>" * 3000 + '<key name="a"/>' * 2 + "</keyframe>"),
    "heights without end": (
        '<geom type="hfield" hfield="h"/>',
        '<asset><hfield name="h" size="1 1 1 1" nrow="1000000" ncol="1000000"/></asset>'),
    "cloths without end": (
        "".join(f'<flexcomp name="f{k}" count="60 60 1"/>' for k in range(100)), ""),
    "a long number": (body("", f'pos="{"1" * 100_000} 0 0"'), ""),
    "numbers too large": (
        body('<joint/><geom size="1e200" density="1e300"/>'), ""),
    "a mesh too large": (
        body('<joint/><geom type="mesh" mesh="m"/>'),
        '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" scale="1e308 -1e308 1"/></asset>'),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_texts_are_refused_at_once(kind):
    """One clear error within three seconds."""
    began = time.perf_counter()
    with pytest.raises(ParseError) as caught:
        mjcf.parse(text(*HOSTILE[kind]), file="m.xml")
    assert time.perf_counter() - began < 3.0
    assert len(str(caught.value)) < 1000


def test_many_parts_without_names_are_read_at_once():
    """Each gets a name of its own, however many there are: 5000 took 10 s."""
    pair = "".join(body(f'<joint name="{name}"/><geom size="0.1"/>') for name in "ab")
    gears = '<joint joint1="a" joint2="b"/>' * 5000
    began = time.perf_counter()
    made = scene(pair, f"<equality>{gears}</equality>")
    assert time.perf_counter() - began < 3.0
    names = [gear.name for gear in made.gears]
    assert len(set(names)) == 5000
    assert names[:3] == ["a with b", "a with b'", "a with b'2"]
    assert max(map(len, names)) < 20


FILES = {
    "a file that includes itself": ("a.xml", '<x><include file="a.xml"/></x>', "more than once"),
    "files that include each other": ("a.xml", '<x><include file="m.xml"/></x>', "more than once"),
    "a file outside": ("../a.xml", "<x><body/></x>", "lies outside the folder"),
    "a file that is not there": ("b/../b.xml", None, "there is no file"),
    "a file that is empty": ("a.xml", "<x/>", "no elements to include"),
}


def test_files_beside_the_folder_are_allowed_as_the_message_says(tmp_path):
    """Robots often have their meshes and scenes in folders side by side."""
    for name in ("arm", "parts"):
        (tmp_path / name).mkdir()
    (tmp_path / "parts" / "a.xml").write_text('<mujocoinclude><body name="b"/></mujocoinclude>')
    path = tmp_path / "arm" / "m.xml"
    path.write_text('<mujoco><worldbody><include file="../parts/a.xml"/></worldbody></mujoco>')
    with pytest.raises(ParseError) as refused:
        ph.load(path)
    assert f"package_roots=['{tmp_path}'], or --package-root, allows it" in str(refused.value)
    assert str(refused.value).count("lies outside") == 1
    ph.load(path, package_roots=[tmp_path])


def test_links_that_lead_out_are_allowed_as_the_message_says(tmp_path):
    """The folder of the link itself would not do."""
    for name in ("arm", "parts"):
        (tmp_path / name).mkdir()
    (tmp_path / "parts" / "a.xml").write_text('<mujocoinclude><body name="b"/></mujocoinclude>')
    (tmp_path / "arm" / "link.xml").symlink_to(tmp_path / "parts" / "a.xml")
    path = tmp_path / "arm" / "m.xml"
    path.write_text('<mujoco><worldbody><include file="link.xml"/></worldbody></mujoco>')
    root = tmp_path / "parts"
    for roots in ((), [tmp_path / "arm"]):
        with pytest.raises(ParseError) as refused:
            ph.load(path, package_roots=roots)
        assert f"it is a link, and package_roots=['{root}'], or --pack" in str(refused.value)
    ph.load(path, package_roots=[root])


@pytest.mark.parametrize("kind", FILES)
def test_hostile_includes(kind, tmp_path):
    """No loops, and nothing outside the folder of the file."""
    name, inside, message = FILES[kind]
    home = tmp_path / "home"
    (home / "b").mkdir(parents=True)
    if inside is not None:
        (home / name).write_text(inside)
    path = home / "m.xml"
    path.write_text(text(f'<include file="{name}"/>'))
    with pytest.raises(ParseError, match=message):
        ph.load(path)


def test_files_outside_are_read_where_that_is_allowed(tmp_path):
    """Folders of packages may hold them."""
    (tmp_path / "home").mkdir()
    (tmp_path / "a.xml").write_text(f"<x>{body(BALL)}</x>")
    path = tmp_path / "home" / "m.xml"
    path.write_text(text('<include file="../a.xml"/>'))
    assert len(ph.load(path, package_roots=[tmp_path]).machines) == 1


def test_models_that_attach_each_other_are_refused(tmp_path):
    """After some levels."""
    for name, other in (("m", "n"), ("n", "m")):
        (tmp_path / f"{name}.xml").write_text(text(
            body('<attach model="o" body="a" prefix="p"/>', 'name="a"'),
            f'<asset><model name="o" file="{other}.xml"/></asset>',
        ))  # fmt: skip
    with pytest.raises(ParseError, match="models attached in one another"):
        ph.load(tmp_path / "m.xml")


def test_rings_by_their_signed_distance():
    """The radii are those of the plug-in, or its own."""
    made = mjcf.parse(RINGS).model
    assert [each.shape for each in made.geometries] == [Torus(0.5, 0.15)] * 2


# -- fluids --

AIR = '<option density="1.2" viscosity="0.1" wind="1 2 3"/>'


def test_bodies_are_boxes_or_ellipsoids_in_a_fluid():
    """Those of their inertia, about their own axes, or of geoms; what never moves has none."""
    made = scene(
        body('<freejoint/><geom type="box" size="0.1 0.2 0.3" euler="0 0 30"/>', 'name="a"')
        + body('<joint/><geom type="capsule" size="0.1 0.3" fluidshape="ellipsoid" '
               'fluidcoef="1 2 3 4 5"/><geom size="1" pos="9 0 0"/>', 'name="b"')
        + body('<geom size="0.1"/>', 'name="c"'), AIR,
    )  # fmt: skip
    assert made.fluid == Fluid(1.2, 0.1, (1.0, 2.0, 3.0))
    (box,), (ellipsoid,), none = (made.machine(x).model.links[-1].fluid_shapes for x in "abc")
    assert box.size == pytest.approx((0.2, 0.4, 0.6))
    assert box.frame.E == made.geometry("a/geom0").frame.E
    assert ellipsoid.semi_axes == (0.1, 0.1, 0.4)
    assert ellipsoid.coefficients == (1.0, 2.0, 3.0, 4.0, 5.0)
    potential = FluidEllipsoid(ellipsoid.semi_axes)
    assert ellipsoid.added_mass == pytest.approx(potential.added_mass, rel=1e-6)
    assert none == ()


@pytest.mark.parametrize("flags", ['<flag spring="disable" damper="disable"/>',
                                   '<flag passive="disable"/>'])  # fmt: skip
def test_a_fluid_is_off_with_passive_forces(flags):
    """As in MuJoCo, where springs and dampers are both off."""
    assert scene(body(BALL), AIR + f"<option>{flags}</option>").fluid is None


# -- flexible bodies --

CLOTH = '<flexcomp name="f" count="3 2 1" spacing="0.1 0.2 1" mass="6" pos="0 0 1">{}</flexcomp>'


def test_edges_of_flexible_bodies_are_tendons():
    """They keep their lengths, along the grid and along one diagonal of each cell."""
    made = scene(body(CLOTH.format('<edge equality="true"/><pin id="0 1"/>'), 'name="b"'))
    assert [link.name for link in made.model.links if link.body.mass] == [
        f"b/f_{k}" for k in range(2, 6)
    ]
    assert {joint.kind.name for joint in made.model.joints} == {"prismatic"}
    lengths = {each.name: each.limits for each in made.tendons}
    assert len(lengths) == 8  # of nine, one is between pins
    assert lengths["f_0_2"] == (0.1, 0.1)
    assert lengths["f_2_3"] == (0.2, 0.2)
    assert lengths["f_0_3"] == pytest.approx((0.05**0.5, 0.05**0.5))
    assert "f_1_2" not in lengths
    np.testing.assert_allclose(ph.actuation.tendon_lengths(made.model, made.q0),
                               [low for low, _ in lengths.values()])  # fmt: skip


def test_edges_that_are_not_held_are_springs_and_dampers():
    """As tendons that rest as long as they are in the file; with neither there are none."""
    rope = '<flexcomp name="f" type="grid" dim="1" count="2 1 1" spacing="0.5 1 1">{}</flexcomp>'
    (edge,) = scene(rope.format('<edge stiffness="3" damping="2"/>')).tendons
    assert (edge.stiffness, edge.damping, edge.rest) == (3.0, 2.0, (0.5, 0.5))
    assert edge.limits == (-np.inf, np.inf)
    assert not scene(rope.format("")).tendons
    assert not scene(rope.format('<edge equality="true"/>'),
                     '<option><flag equality="disable"/></option>').tendons  # fmt: skip


def test_a_cloth_swings_and_keeps_its_edges():
    """It hangs by one side, which is fixed."""
    made = scene(body(CLOTH.format('<edge equality="true"/><pin id="0 1"/>'), 'name="b"'))
    recording = ph.simulate(made, 0.3)
    lengths = ph.actuation.tendon_lengths(made.model, recording.q)
    rests = [each.limits[0] for each in made.tendons]
    np.testing.assert_allclose(lengths, np.broadcast_to(rests, lengths.shape), atol=1e-5)
    assert ph.point_position(made.model, recording.q[-1], "f_5", [0, 0, 0])[2] < 0.9


# -- motion --


def test_a_ball_falls_and_rests():
    """A scene read from MJCF runs, and its ball comes to lie on the floor."""
    made = scene('<geom type="plane" size="1 1 1"/>' + body(BALL, 'name="ball" pos="0 0 0.3"'))
    recording = ph.simulate(made, 1.0)
    np.testing.assert_allclose(recording.q[-1][:3], [0, 0, 0.1], atol=1e-6)


def test_compensation_by_actuators_in_default():
    """As it may stand in the joint, which may say otherwise."""
    joints = '<joint name="j"/>', '<joint name="k" actuatorgravcomp="false"/>'
    inside = "".join(body(joint + '<geom size="1"/>', 'gravcomp="1"') for joint in joints)
    machines = mjcf.parse(
        text(inside, '<default><joint actuatorgravcomp="true"/></default>')
    ).model.machines
    links = {link.joint_name: link for machine in machines for link in machine.model.links}
    assert links["j"].actuated_compensation and not links["k"].actuated_compensation


def test_controls_that_are_limited_need_a_range():
    """Else the controls of a motor would be zero without a word."""
    more = '<actuator><motor joint="j" ctrllimited="true"/></actuator>'
    world = body('<joint name="j"/><geom size="0.1"/>')
    with pytest.raises(ParseError, match="expected a ctrlrange that rises, found 0 to 0"):
        mjcf.parse(text(world, more))


SERVO = '<joint name="j"/><geom size="1"/>'


@pytest.mark.parametrize(("tag", "key"), [("position", "kp"), ("velocity", "kv")])
def test_servos_that_push_away_are_doubtful(tag, key):
    """MuJoCo reads them; their force has the sign of the file."""
    xml = text(body(SERVO), f'<actuator><{tag} joint="j" {key}="-3"/></actuator>')
    reading = mjcf.parse(xml)
    (note,) = (note for note in reading.notes if note.kind == "doubtful")
    assert note.text == f"<{tag}> has a negative {key}, -3: its force leads away from the setpoint"
    force = ph.actuator_forces(reading.model, [0.2], [0.4], [0.7])
    measured = 0.2 if tag == "position" else 0.4
    np.testing.assert_allclose(force, [-3.0 * (0.7 - measured)], rtol=1e-15)


def test_a_damping_ratio_of_no_stiffness_damps_nothing():
    """``2 r sqrt(kp m)`` is zero."""
    actuator = '<actuator><position joint="j" kp="0" dampratio="0.8"/></actuator>'
    scene = mjcf.parse(text(body(SERVO), actuator)).model
    np.testing.assert_array_equal(ph.actuator_forces(scene, [0.2], [0.4], [0.7]), [0.0])
