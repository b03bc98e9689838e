"""Models and what they are made of print in a line; digests are of every digit all the same."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import polhode as ph
from polhode.constraints import ConstraintSet
from polhode.examples import path
from polhode.model import FloatingBase, Limits, Revolute, RigidBody
from polhode.reprs import exact
from polhode.spatial import Inertia, Mat3, Motion, PlaneRotation, Sym3, Transform, Vec3, rotation_x

TURNED = Transform.from_rpy(0.1, -0.2, 0.3, (0.4, 0.5, 0.6))


def test_joints_print_in_a_line():
    """With where their coordinates are; a quaternion's w sits at the end of ``q``."""
    model = ph.Model("m").add("base", joint=FloatingBase(), mass=1.0, joint_name="free")
    model = model.append("a", joint=Revolute.y(), limits=Limits(-1.0, 1.0), mass=1.0)
    free, a = map(repr, model.joints)
    assert a == "Joint('a', revolute, q=slice(6, 7, None), v=slice(6, 7, None), body=3)"
    assert free.startswith("Joint('free', ") and "q=[0, 1, 2, 3, 4, 5, 7]" in free


def test_tables_of_joints_print_the_first_names():
    """And dots where there are more."""
    model = ph.Model("m")
    for k in range(12):
        model = model.append(f"a{k}", joint=Revolute.y(), mass=1.0)
    text = repr(model.joint)
    assert text.startswith("JointTable('m': a0, a1, ") and text.endswith("a9, ...)")


@pytest.mark.parametrize(
    ("record", "text"),
    [
        (Vec3(0.0, -0.5, 1 / 3), "Vec3(0, -0.5, 0.333333)"),
        (
            rotation_x(math.pi / 4),
            "Mat3((1, 0, 0), (0, 0.707107, 0.707107), (0, -0.707107, 0.707107))",
        ),
        (Motion.of(range(6)), "Motion(ang=Vec3(0, 1, 2), lin=Vec3(3, 4, 5))"),
        (Transform.identity(), "Transform.identity()"),
        (Transform.translation(0.0, 0.0, 0.16), "Transform.translation(0, 0, 0.16)"),
        (
            Inertia(2.0, Vec3.zero(), Sym3.diagonal(0.1)),
            "Inertia(m=2, h=Vec3(0, 0, 0), I=Sym3(xx=0.1, xy=0, xz=0, yy=0.1, yz=0, zz=0.1))",
        ),
        (RigidBody(1.5), "RigidBody(mass=1.5)"),
    ],
)
def test_records_print_six_digits(record, text):
    """As constructors would read them, without what is at its default."""
    assert repr(record) == text


def test_links_and_constraints_print_in_a_line():
    """Of a frame that is turned its matrix; of a constraint nothing that is at its default."""
    model = ph.Model("m").append("a", joint=Revolute.y(), mass=1.0, frame=TURNED)
    joint = "Revolute(axis=(0.0, 1.0, 0.0))"
    assert repr(model.links[0]) == f"Link('a', parent=None, joint={joint}, mass=1)"
    assert len(repr(TURNED)) < 150 and eval(repr(TURNED)).r == TURNED.r
    for constraints in ph.load(path("walker.lua")).constraint_sets.values():
        assert all(len(repr(each)) < 150 and "None" not in repr(each) for each in constraints)


def test_a_moved_digit_is_another_fingerprint():
    """What prints alike is not the same model, nor the same constraint."""
    model = ph.Model("m").append("a", joint=Revolute.y(), mass=1.0, frame=TURNED)
    nudged = replace(TURNED, r=Vec3(math.nextafter(0.4, 1.0), 0.5, 0.6))
    other = ph.Model("m").append("a", joint=Revolute.y(), mass=1.0, frame=nudged)
    assert repr(model.links) == repr(other.links) and repr(TURNED) == repr(nudged)
    assert model.fingerprint != other.fingerprint
    heavier = ph.Model("m").append("a", joint=Revolute.y(), frame=TURNED, mass=1.0 + 2.0**-52)
    assert heavier.fingerprint != model.fingerprint
    loops = [
        ConstraintSet(model).loop(0, "a", Transform.identity(), X, [0, 0, 0, 1, 0, 0])
        for X in (TURNED, nudged)
    ]
    assert repr(loops[0].constraints) == repr(loops[1].constraints)
    assert len({exact(each.constraints) for each in loops}) == 2


def test_exact_texts_tell_records_apart():
    """By their class, their fields, and where tuples end."""
    plane = PlaneRotation.about(0, 1.0, 0.0)
    values = [
        (Mat3.identity(), plane), ((1.0, 2.0), 3.0), (1.0, (2.0, 3.0)), [1.0, 2.0, 3.0],
        {"a": (1.0,)}, {"b": (1.0,)}, (), Vec3.zero(), Vec3(-0.0, 0.0, 0.0), Revolute, Revolute.x(),
    ]  # fmt: skip
    assert len(set(map(exact, values))) == len(values)
    assert exact((TURNED,)) == exact((replace(TURNED),))
