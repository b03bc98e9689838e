"""Coupled joints as parts of a model: names, edits, files."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from coupled_trees import coupled_tree, pair_of
from io_samples import INERTIAL, joint
from polhode.errors import ModelError, ModelWarning
from polhode.formats import urdf
from polhode.model import (
    Axes,
    FunctionAxis,
    FunctionBased,
    JointDynamics,
    Limits,
    Mimic,
    Model,
    PiecewisePolynomial,
    Prismatic,
    Revolute,
    RigidBody,
)
from polhode.model.inertias import undetermined_joints
from polhode.scene import JointSettings, Keyframe
from polhode.scene.coupled import coupled_gears
from polhode.viewer.joints import settable


def chain() -> Model:
    """Three revolute joints; the first follows the third, and the second follows the first."""
    solid = {"mass": 1.0, "com": (0.1, 0.0, 0.2), "inertia": (0.1, 0.2, 0.15)}
    model = Model("chain")
    for name in ("a", "b", "c"):
        model = model.append(name, joint=Revolute.y(), **solid)
    a, b, c = model.links
    a = replace(a, mimic=Mimic("c", 2.0, 0.5, coupled=True))
    b = replace(b, mimic=Mimic("a", -1.0, 0.25, coupled=True))
    return replace(model, links=(a, b, c))


def test_names_and_indices():
    """Followers have the entries of their leader, whatever the order of the links."""
    model = chain()
    assert (model.nq, model.nv, model.n_axes) == (1, 1, 3)
    assert [joint.name for joint in model.joints] == ["c"]
    assert model.joint("a").q == model.joint("b").v == slice(0, 1)
    assert model.relation("a") == ("c", 2.0, 0.5)
    assert model.relation("b") == ("c", -2.0, -0.25)
    assert model.dof_overview() == "  0: c_RY"
    assert "b [ RY = -1 a +0.25 ]" in model.hierarchy()


@pytest.mark.parametrize("name", ["follower", "machine/follower"])
def test_followers_are_driven_by_their_short_names(name):
    """As joints are: by power, a force along the follower counts as often as it is faster."""
    model = (
        Model("pair").add("leader", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 1))
        .add("follower", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 1),
             mimic=Mimic("leader", -2.0, coupled=True))
    )  # fmt: skip
    scene = ph.Scene("s").add_machine(model, "machine")
    state = scene.q0, scene.qd0, [3.0]
    motor = scene.add_motor("motor", joint=name).model
    tendon = scene.add_tendon("tendon", joints={name: 1.0}).add_motor("motor", tendon="tendon")
    assert ph.actuator_forces(motor, *state) == ph.actuator_forces(tendon.model, *state) == [-6.0]
    two = scene.add_machine(model, "other")
    with pytest.raises(ModelError, match="no joint 'follower'"):
        _ = two.add_motor("motor", joint="follower").model


def test_coupling_distinguishes_models():
    """Coupled and independent models differ in what programs are cached by."""
    model = chain()
    assert model.fingerprint != model.uncouple().fingerprint
    assert model.uncouple().nv == 3
    other = replace(model.links[0], mimic=Mimic("c", 2.0, 0.4, coupled=True))
    assert replace(model, links=(other, *model.links[1:])).fingerprint != model.fingerprint


@pytest.mark.parametrize(
    ("links", "told"),
    [
        ({"a": Mimic("b", coupled=True)}, r"do not follow each other, got a -> b -> a"),
        ({"a": Mimic("x", coupled=True)}, r"'a' follows the unknown joint 'x'"),
        ({"a": Mimic("axes", coupled=True)}, r"of one fixed axis, got the axes joint 'axes'"),
    ],
)
def test_joints_that_cannot_be_coupled(links, told):
    """Loops, leaders that are not there, and leaders of several axes."""
    rows = ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0, 0.0, 0.0))
    model = chain().append("axes", joint=Axes(rows), mass=1.0)
    new = [replace(link, mimic=links.get(link.name, link.mimic)) for link in model.links]
    with pytest.raises(ModelError, match=told):
        replace(model, links=tuple(new))


def test_limits_that_leave_no_position():
    """Of a leader and one that follows it, are refused."""
    a, b, c = chain().links
    c, a = replace(c, limits=Limits(0.0, 1.0)), replace(a, limits=Limits(-3.0, 0.0))
    with pytest.raises(ModelError, match=r"limits of joint 'c' and of joint 'a'.* 0 to -0.25"):
        replace(chain(), links=(a, b, c))


def test_a_multiplier_of_zero_fixes_the_joint():
    """At its offset."""
    model = Model().add("a", joint=Prismatic.z(), mass=1.0)
    model = model.add("b", joint=Prismatic.x(), mass=1.0, mimic=Mimic("a", 0.0, 0.3, coupled=True))
    assert (model.nv, model.n_bodies) == (1, 1)
    np.testing.assert_array_equal(ph.body_pose(model, (0.2,), "b")[:3, 3], (0.3, 0.0, 0.0))


def test_edits_keep_couplings():
    """Attached and renamed models move as before; joints are held together with their leader."""
    model = chain()
    twice = model.attach(model, to="c", prefix="second ")
    assert twice.nv == 2
    assert twice.relation("second b") == ("second c", -2.0, -0.25)
    renamed = model.rename({"a": "first"})
    assert renamed.relation("b") == ("c", -2.0, -0.25)
    held = twice.lock({"second c": 0.3})
    pose = ph.body_pose(twice, (0.1, 0.3), "second c")
    np.testing.assert_allclose(ph.body_pose(held, (0.1,), "second c"), pose, atol=1e-15)
    with pytest.raises(ModelError, match="'second a' is coupled to 'second c'"):
        twice.lock({"second a": 0.3})


def test_settings_of_coupled_joints_are_refused():
    """In a scene; their leader's settings hold for all of them."""
    with pytest.raises(ModelError, match="joint 'a' is coupled to 'c' and has no coordinate"):
        ph.Scene().add_machine(chain(), joint_settings=[JointSettings("a", -1.0, 1.0)])


@pytest.mark.parametrize("seed", range(3))
def test_parameters_replace_those_of_the_model(seed):
    """All of them by their own values: the same forces; and by others, those of such a model."""
    pair = coupled_tree(seed)
    model, (q, qd, qdd) = pair.coupled, pair.state(seed)[0]
    names = ["mass", "com", "inertia", "frame", "armature"]
    own = ph.identification.parameters_of(model, names)
    again = ph.identification.with_parameters(model, own)
    tau = ph.inverse_dynamics(model, q, qd, qdd)
    np.testing.assert_allclose(ph.inverse_dynamics(again, q, qd, qdd), tau, rtol=0, atol=1e-12)
    assert again.nv == model.nv
    heavier = ph.identification.with_parameters(model, {"armature": own["armature"] + 1.0})
    more = ph.inverse_dynamics(heavier, q, qd, qdd)
    np.testing.assert_allclose(more, tau + qdd, rtol=0, atol=1e-11)
    values = own["armature"] + 1.0, own["frame"], own["mass"]
    program = ph.compile(
        ph.algorithms.rnea_derivatives, model, parameters=["armature", "frame", "mass"]
    )
    expected = ph.inverse_dynamics_derivatives(heavier, q, qd, qdd)
    for a, b in zip(program(q, qd, qdd, *values), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-11 * abs(b).max())


def test_one_parameter_leaves_the_others():
    """A stiffness for a coordinate keeps where all springs along it balance."""
    a, b, c = chain().links
    spring = JointDynamics(stiffness=2.0, rest=0.4, damping=0.1)
    model = replace(chain(), links=(replace(a, dynamics=spring), b, replace(c, dynamics=spring)))
    changed = ph.identification.with_parameters(model, {"stiffness": [5.0]})
    before, after = model.joint("c"), changed.joint("c")
    assert (after.stiffness, after.rest, after.damping) == (5.0, before.rest, before.damping)


def test_identification_recovers_friction_and_armature():
    """Of coordinates, from forces of coupled joints."""
    pair = coupled_tree(1)
    model, rng = pair.coupled, np.random.default_rng(0)
    qd, qdd = rng.standard_normal((2, 300, model.nv))
    q = ph.random_configuration(model, rng, 300)
    tau = ph.inverse_dynamics(model, q, qd, qdd)
    Y = ph.identification.inverse_dynamics_regressor(model, q, qd, qdd, joints=["armature"])
    pi = ph.identification.inertial_parameters(model, joints=["armature"])
    np.testing.assert_allclose(Y @ pi, tau, rtol=0, atol=1e-11 * abs(tau).max())


def test_sliders_are_those_of_coordinates():
    """One for each, with the leader's name and the tighter limits."""
    model = chain()
    a = replace(model.links[0], limits=Limits(-0.5, 1.5))
    model = replace(model, links=(a, *model.links[1:]))
    shown = settable(model, np.zeros(1), 1.0)
    assert shown is not None
    (slider,) = shown["sliders"]
    assert (slider["name"], slider["body"]) == ("c", 3)
    assert (slider["lower"], slider["upper"]) == (-0.5, 0.5)
    assert [screw[0][0][0] for screw in shown["screws"]] == [0, 0, 0]


def test_recordings_keep_couplings(tmp_path):
    """Saved and read again."""
    run = ph.simulate(chain(), 0.1, qd0=(1.0,))
    run.save(tmp_path / "run.npz")
    again = ph.Recording.load(tmp_path / "run.npz")
    assert again.model == run.model
    assert again.coordinate_names == ("c",)


@pytest.mark.parametrize("format", ["mjcf", "moby", "lua"])
def test_formats_without_coupled_joints_get_independent_ones(format, tmp_path):
    """They start where the coupled ones do, and gears or equalities keep their relation."""
    model = chain()
    path = tmp_path / ("chain.lua" if format == "lua" else "chain.xml")
    scene = ph.Scene("chain", gravity=(0.0, 0.0, -9.81)).add_machine(model, q=(0.2,), qd=(1.0,))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ModelWarning)
        ph.save(model if format == "lua" else scene, path, format=format)
        again = ph.load(path)
    pair = pair_of(model)
    if format == "lua":
        assert "no coupled joints: 'a' gets a coordinate" in str(told[0].message)
        np.testing.assert_allclose(
            ph.body_poses(again, pair.q(np.array([0.2]))), ph.body_poses(model, (0.2,)), atol=1e-15
        )
        return
    (machine,) = again.machines
    poses = ph.body_poses(machine.model, machine.q)
    np.testing.assert_allclose(poses[-1], ph.body_poses(model, (0.2,))[-1], atol=1e-12)
    assert [abs(gear.ratio) for gear in again.gears] == [2.0, 1.0]
    (coupled,) = ph.load(path, mimic="coupled").machines
    assert (coupled.model.nv, coupled.q, coupled.qd) == (1, machine.q[-1:], machine.qd[-1:])
    poses = ph.body_poses(coupled.model, coupled.q)
    np.testing.assert_allclose(poses[-1], ph.body_poses(model, (0.2,))[-1], atol=1e-12)
    H, other = ph.mass_matrix(coupled.model, coupled.q), ph.mass_matrix(model, (0.2,))
    np.testing.assert_allclose(H, other, rtol=1e-12)


def test_followers_need_no_mass_of_their_own():
    """Where their leader has some, the motion is determined; where none has any, it is not."""
    model = chain()
    light = [replace(link, body=RigidBody()) for link in model.links]
    assert undetermined_joints(replace(model, links=(light[0], *model.links[1:]))) == []
    assert undetermined_joints(replace(model, links=(*model.links[:2], light[2]))) == []
    assert undetermined_joints(replace(model, links=tuple(light))) == ["c"]
    bodies = "".join(
        f'<link name="{name}">{more}</link>'
        for name, more in (("palm", ""), ("left", INERTIAL), ("right", ""))
    )
    text = f"""<robot name="hand">{bodies}{joint("palm", "left")}
      {joint("palm", "right", '<mimic joint="palm_left"/>')}</robot>"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert urdf.parse(text, mimic="coupled").nv == 1


def test_gears_become_couplings():
    """Of joints of one model, with the numbers of settings; keyframes lose those entries."""
    model = chain().uncouple()
    loose = [replace(link, mimic=None) for link in model.links]
    settings = [JointSettings("a", -1.0, 1.0, viscous_friction=0.5), JointSettings("b", -2.0, 0.5),
                JointSettings("c", -3.0, 3.0, 0.25)]  # fmt: skip
    scene = (
        ph.Scene("geared")
        .add_machine(replace(model, links=tuple(loose)), q=(0.1, 0.2, 0.3), joint_settings=settings)
        .add_gear("g", ("chain", "a"), ("chain", "c"), 2.0)
    )
    scene = replace(scene, keyframes=(Keyframe("k", {"chain": (0.5, 0.6, 0.5)}),))
    coupled = coupled_gears(scene)
    (machine,) = coupled.machines
    assert (machine.model.nv, machine.q, coupled.gears) == (2, (0.2, 0.3), ())
    assert machine.model.relation("a") == ("c", 2.0, 0.1 - 2.0 * 0.3)
    assert coupled.keyframes[0].q == (("chain", (0.6, 0.5)),)
    found = machine.settings("c")
    assert (found.upper, found.restitution) == ((0.75,), 0.25)
    assert found.viscous_friction == 2.0
    assert machine.settings("b").upper == (0.5,)


def test_a_function_of_a_coordinate_takes_it_as_it_is():
    """A function-based joint follows another with that one's coordinate, not with a multiple."""
    curve = FunctionBased(
        (FunctionAxis((0, 0, 0, 1, 0, 0), PiecewisePolynomial(((0.0, 0.0, 1.0),))),)
    )
    turn = Model("pair").add("arm", joint=Revolute.z(), mass=1.0, com=(0.1, 0.0, 0.0))
    pair = turn.add("slide", joint=curve, mass=2.0, mimic=Mimic("arm", coupled=True))
    q, qd = [0.3], [2.0]
    assert pair.nv == 1
    assert np.allclose(ph.body_pose(pair, q, "slide")[0, 3], 0.09)
    assert np.allclose(ph.energy(pair, q, qd).kinetic, 0.5 * (0.01 + 2.0 * 0.6**2) * 4.0)
    with pytest.raises(ModelError, match="got 2 times that plus 0"):
        turn.add("slide", joint=curve, mass=2.0, mimic=Mimic("arm", 2.0, coupled=True)).nv  # noqa: B018
