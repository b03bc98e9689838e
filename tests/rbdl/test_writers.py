"""Models written as Lua and as URDF, and read again."""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np
import pytest
from hypothesis import given, settings

import polhode as ph
from polhode.errors import ModelError
from polhode.formats import lua, urdf
from polhode.formats.lua import writer as lua_writer
from polhode.formats.urdf import writer as urdf_writer
from polhode.model import (
    Box,
    Capsule,
    Custom,
    Cylinder,
    FloatingBase,
    Helical,
    Limits,
    Mesh,
    Mimic,
    Model,
    Planar,
    Prismatic,
    Revolute,
    Sphere,
    Spherical,
    Visual,
)
from polhode.spatial import Transform, rotation_x, rotation_y, rotation_z
from random_trees import KINDS, random_state, tree, trees
from reference.cases import MODELS

URDF_KINDS = [kind for kind in KINDS if kind not in ("screw", "helical", "spherical")]
EXACT_LUA = [kind for kind in KINDS if kind not in ("universal", "planar")]
ROUNDING = 1e-11


@settings(max_examples=10)
@given(trees(bare=True, kinds=EXACT_LUA))
def test_lua_gives_the_model_back(model):
    """Every joint kind of the format, frames and bodies come back bit by bit."""
    again = lua.parse(lua_writer.dumps(model), name=model.name)
    assert again == model


@pytest.mark.parametrize("kind", EXACT_LUA)
def test_lua_gives_each_kind_of_joint_back(kind):
    model = tree([kind, "revolute z"], seed=5)
    assert lua.parse(lua_writer.dumps(model), name=model.name) == model


def test_joints_without_a_name_in_lua_become_their_axes():
    """Universal and planar joints come back as chains of axes with the same dynamics."""
    model = tree(["universal", "planar", "revolute"], seed=3)
    again = lua.parse(lua_writer.dumps(model), name=model.name)
    s = random_state(model, 1)
    expected = ph.inverse_dynamics(model, s.q, s.qd, s.qdd)
    assert np.abs(ph.inverse_dynamics(again, s.q, s.qd, s.qdd) - expected).max() < ROUNDING


@pytest.mark.parametrize(
    "file", ["doc_example_2.lua", "sampleconstrainedmodel_addon.lua", "doc_example_1.lua"]
)
def test_lua_file_comes_back(file):
    """Constraint sets and odd matrices too."""
    if not (MODELS / "rbdl" / file).exists():
        pytest.skip("model file not at hand")
    model = ph.load(MODELS / "rbdl" / file)
    assert lua.parse(lua_writer.dumps(model), name=model.name) == model


def test_lua_visuals_and_names_come_back():
    """Simple shapes, and a name that must be quoted."""
    shapes = (Box((1.0, 2.0, 3.0)), Sphere(0.5), Capsule(0.1, 0.4), Cylinder(0.2, 0.7))
    visuals = [
        Visual(shape, Transform.translation(0.1, 0.2, 0.3), (0.1, 0.2, 0.3, 1.0), "s")
        for shape in shapes
    ]
    name = 'a "quoted"\\ name'
    model = Model("m").add(name, joint=Revolute.x(), mass=1.0, visuals=visuals)
    assert lua.parse(lua_writer.dumps(model), name="m") == model


def same_dynamics(model: Model, again: Model) -> None:
    """Joints by name; the order may differ."""
    s = random_state(model, 2)
    assert again.nq == model.nq
    order_v, order_q = [], []
    for joint in model.joints:
        chain = [j for j in again.joints if j.name.rsplit("/", 1)[0] == joint.name]
        order_v += [k for j in chain for k in np.arange(again.nv)[j.v]]
        order_q += [k for j in chain for k in np.arange(again.nq)[j.q]]
    positions = [k for joint in model.joints for k in np.arange(model.nq)[joint.q]]
    q, qd, qdd = np.empty(model.nq), np.empty(model.nv), np.empty(model.nv)
    q[order_q], qd[order_v], qdd[order_v] = s.q[positions], s.qd, s.qdd
    expected = ph.inverse_dynamics(model, s.q, s.qd, s.qdd)
    got = ph.inverse_dynamics(again, q, qd, qdd)[order_v]
    assert np.abs(got - expected).max() < ROUNDING * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("seed", range(4))
def test_urdf_gives_the_machine_back(seed):
    """Same dynamics with every joint kind that the format can express."""
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.permutation(URDF_KINDS)[:6]]
    parents = [-1, *(int(rng.integers(-1, i)) for i in range(1, 6))]
    model = tree(kinds, parents, seed)
    same_dynamics(model, urdf.parse(urdf_writer.dumps(model)))


def test_urdf_keeps_limits_mimic_and_visuals():
    """A model that came from a URDF comes back equal, but for rounding of its angles."""
    turn = Transform.rotation(rotation_y(0.5 * np.pi))
    model = (
        Model("m", base="ROOT")
        .add("base", mass=1.0, inertia=(1.0, 1.0, 1.0), joint_name="root_joint",
             visuals=[Visual(Mesh("part.stl", (1.0, 1.0, 2.0))), Visual(Sphere(0.5), turn)])
        .add("a", parent="base", joint=Revolute.z(), limits=Limits(-1.0, 2.0, 3.0, 4.0), mass=1.0,
             frame=Transform(rotation_z(0.3) @ rotation_x(0.2), turn.r), joint_name="turn <a>")
        .add("b", parent="a", joint=Prismatic.x(), limits=Limits(-1.0, 1.0), joint_name="slide")
    )  # fmt: skip
    links = [link for link in model.links if link.name != "b"]
    slide = model.links[-1]
    with_mimic = Model(
        "m", (*links, type(slide)(**{**vars(slide), "mimic": Mimic("turn <a>", 2.0, 0.1)})),
        base="ROOT",
    )  # fmt: skip
    again = urdf.parse(urdf_writer.dumps(with_mimic))
    for ours, theirs in zip(with_mimic.links, again.links, strict=True):
        assert (ours.limits, ours.mimic, ours.joint) == (theirs.limits, theirs.mimic, theirs.joint)
        assert (ours.name, ours.joint_name, ours.body) == (
            theirs.name, theirs.joint_name, theirs.body)  # fmt: skip
        assert [v.shape for v in ours.visuals] == [v.shape for v in theirs.visuals]
        assert np.allclose(ours.frame.E.rows(), theirs.frame.E.rows(), atol=ROUNDING)


def test_urdf_of_a_robot_file_comes_back():
    """The shipped arm."""
    with as_file(files("polhode") / "examples" / "arm.urdf") as path:
        model = ph.load(path)
    again = urdf.parse(urdf_writer.dumps(model))
    s = random_state(model)
    assert [link.name for link in again.links] == [link.name for link in model.links]
    expected = ph.forward_dynamics(model, s.q, s.qd, s.tau)
    assert np.allclose(ph.forward_dynamics(again, s.q, s.qd, s.tau), expected, rtol=1e-8)


def plain_joint(q, qd):
    return Revolute.x().jcalc(q, qd)


@pytest.mark.parametrize(
    ("dumps", "joint"),
    [
        (lua_writer.dumps, Custom(1, plain_joint)),
        (urdf_writer.dumps, Custom(1, plain_joint)),
        (urdf_writer.dumps, Spherical()),
        (urdf_writer.dumps, Helical((0.0, 0.0, 1.0, 0.0, 0.0, 0.1))),
        (urdf_writer.dumps, Revolute((0.0, 0.0, 2.0))),
    ],
)
def test_what_cannot_be_written_is_refused(dumps, joint):
    """An error names the joint; nothing is left out silently."""
    model = Model("m").add("a", joint=joint, mass=1.0, joint_name="odd")
    with pytest.raises(ModelError, match="odd"):
        dumps(model)


def test_files_are_written(tmp_path):
    """Both writers through the door that reads."""
    model = Model("both").add("a", joint=FloatingBase(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    model = model.add("b", parent="a", joint=Planar(), mass=2.0, inertia=(1.0, 1.0, 1.0))
    lua_writer.write(model, tmp_path / "both.lua")
    urdf_writer.write(model, tmp_path / "both.urdf")
    assert ph.load(tmp_path / "both.lua").nq == model.nq
    same_dynamics(model, ph.load(tmp_path / "both.urdf"))
