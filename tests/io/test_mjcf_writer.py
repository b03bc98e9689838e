"""Scenes written as MJCF: the same machines come back, and what is lost is named."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polhode as ph
from io_samples import ARM
from mjcf_texts import DRIVEN, KEYS, MODELS
from models import at, ball_on_plane, crane, example, four_bar, pendulum, walker, wrist
from polhode.algorithms import fluid_forces
from polhode.binding.plain import run_plain
from polhode.errors import ModelError, ModelWarning
from polhode.formats import mjcf
from polhode.model import (
    Actuator,
    Affine,
    Box,
    Capsule,
    Cylinder,
    Filter,
    Fixed,
    FloatingBase,
    FluidBox,
    FluidEllipsoid,
    ForceLaw,
    Heightmap,
    JointDynamics,
    JointTransmission,
    Limits,
    Mesh,
    Mimic,
    Model,
    MuscleCurves,
    Plane,
    Polyhedron,
    Prismatic,
    Revolute,
    Screw,
    Sphere,
    Spherical,
    Torus,
    TriangleMesh,
    Universal,
    Visual,
)
from polhode.scene import Geometry, JointSettings, Keyframe, StokesDrag
from polhode.spatial import Transform, Vec3, rotation_x
from random_trees import KINDS, random_state, tree
from same_machines import same_motion

WRITTEN = tuple(kind for kind in KINDS if kind not in ("screw", "helical"))
TETRAHEDRON = ((0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.3))
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))


def rod(**changes) -> Model:
    """A pendulum with other declarations of its link."""
    model = pendulum()
    return replace(model, links=(replace(model.links[0], **changes),))


def again(what, *, quiet=True):
    """What comes back."""
    scene = ph.Scene.of(what) if isinstance(what, Model) else what
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if quiet else "error")
        text = mjcf.dumps(what)
    reading = mjcf.parse(text)
    same_motion(scene, reading.model)
    return reading.model


@pytest.mark.parametrize("make", [pendulum, crane, wrist, four_bar, walker])
def test_models(make):
    """Written without a word of what is lost."""
    again(make(), quiet=False)


@pytest.mark.parametrize("name", ["arm.urdf", "walker.lua"])
def test_shipped_models(name):
    again(example(name))


@pytest.mark.parametrize("kind", WRITTEN)
def test_kinds_of_joints(kind):
    """At the base, in a tree, and beside another of their kind."""
    again(tree([kind, "revolute y", kind, kind], [-1, 0, 1, 1], 3))


@pytest.mark.parametrize("kind", [kind for kind in WRITTEN if kind not in ("spherical", "fixed")])
def test_starts(kind):
    """A position at the start, also of joints in series, is where MJCF has its reference."""
    model = tree(["revolute y", kind, "prismatic"], [-1, 0, 1], 8)
    q = np.array(random_state(model, 3).q)
    if kind == "floating":
        q[-4:] = 0.0, 0.0, 0.0, 1.0  # MJCF has no reference of a spherical joint
        q[4:7] = 0.0
    again(ph.Scene.of(model, q=q.tolist()))


@settings(max_examples=10, deadline=None)
@given(kinds=st.lists(st.sampled_from(WRITTEN), min_size=1, max_size=5), seed=st.integers(0, 99))
def test_random_trees(kinds, seed):
    again(tree(kinds, None, seed))


@pytest.mark.parametrize("name", MODELS)
def test_mjcf_files(name):
    """What was read is written and read again."""
    again(mjcf.parse(MODELS[name]).model)


@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_added_in_a_round(name):
    """Frames of loops, joints beside the origin and all."""
    first = mjcf.dumps(mjcf.parse(MODELS[name]).model)
    second = mjcf.dumps(mjcf.parse(first).model)
    tags = re.compile(r"<(\w+)")
    assert tags.findall(second) == tags.findall(first)


def test_joints_in_series_with_an_offset_between():
    """Links without mass between two joints become joints of one body."""
    model = (
        Model("m")
        .add("pan", joint=Revolute.z(), frame=at(0.1, 0.2, 0.3), mass=1.0, inertia=(1.0,) * 3)
        .add("carrier", parent="pan", joint=Revolute.x(), frame=at(0.5))
        .add("tool", parent="carrier", joint=Prismatic((0.6, 0.8, 0.0)), frame=at(0.0, 0.0, 0.2),
             mass=2.0, com=(0.1, 0.0, 0.0), inertia=(0.1,) * 3)
    )  # fmt: skip
    scene = again(ph.Scene.of(model, q=[0.3, -0.4, 0.25]))
    assert scene.model.nv == 3
    assert mjcf.dumps(model).count("<body ") == 2


def test_springs_dampers_and_limits():
    dynamics = JointDynamics(damping=0.3, friction=0.2, armature=0.1, stiffness=4.0, rest=0.5)
    model = rod(dynamics=dynamics, limits=Limits(-1.0, 2.0, effort=7.0))
    joint = again(model).model.joints[0]
    assert joint.dynamics.for_each(1) == dynamics.for_each(1)
    assert joint.limits == Limits(-1.0, 2.0, effort=7.0)


def test_efforts_of_one_direction():
    """They come back; MuJoCo takes a range without width for none, so that one is told."""
    limits = Limits(effort=7.0, lower_effort=-0.5)
    assert again(rod(limits=limits), quiet=False).model.joints[0].limits == limits
    with pytest.warns(ModelWarning, match="efforts of zero of joints"):
        written = mjcf.dumps(rod(limits=Limits(effort=0.0)))
    assert "actuatorfrcrange" not in written


def test_ranges_of_one_value_are_told():
    scene = ph.Scene.of(pendulum()).add_motor("m", joint="pendulum/rod", force_range=(0.0, 0.0))
    with pytest.warns(ModelWarning, match="ranges of one value of tendons and actuators"):
        assert "forcerange" not in mjcf.dumps(scene)


def test_one_sided_limits_and_those_of_a_scene():
    settings_of = [JointSettings("rod", lower=-0.5, viscous_friction=0.25)]
    scene = ph.Scene("s").add_machine(pendulum(), joint_settings=settings_of)
    joint = again(scene).model.joints[0]
    assert (joint.limits.lower, joint.limits.upper) == (-0.5, np.inf)
    assert joint.dynamics.for_each(1).damping == (0.25,)


def test_a_free_base_on_the_world_of_a_urdf():
    """It is MuJoCo's free joint only where its coordinates are the pose in the world."""
    body = {"mass": 1.0, "inertia": (0.1, 0.2, 0.25)}
    model = Model("m").add("world").add("box", parent="world", joint=FloatingBase(), **body)
    assert "<freejoint" in mjcf.dumps(model)
    q = [0.1, 0.2, 0.3, 0.0, 0.0, np.sin(0.2), np.cos(0.2)]
    again(ph.Scene.of(model, q=q))
    moved = Model("m").add("box", joint=FloatingBase(), frame=at(0.0, 1.0), **body)
    assert "<freejoint" not in mjcf.dumps(moved)
    again(moved)


def test_frames_are_sites():
    """Of a link without anything; the one that a loop is at is that loop's, too."""
    X = Transform(rotation_x(0.4), Vec3(0.1, 0.2, 0.3))
    model = pendulum().add("tip", parent="rod", joint=Fixed(), frame=X)
    scene = ph.Scene.of(model).add_loop("pin", "spherical", ("pendulum", "rod"), None, frame_a=X,
                                        frame_b=X)  # fmt: skip
    text = mjcf.dumps(scene)
    assert text.count("<site ") == 2 and 'site1="tip" site2="pin b"' in text
    loop = again(scene).loops[0]
    assert loop.kind == "spherical" and loop.a == ("rod", "rod")


def test_loops_and_gears():
    model = tree(["revolute y", "revolute z", "spherical"], [-1, 0, 1])
    scene = (
        ph.Scene.of(model)
        .add_loop("weld", "fixed", ("tree", "link2"), None, frame_a=at(0.1), frame_b=at(0.2))
        .add_gear("gear", ("tree", "link0"), ("tree", "link1"), -2.5)
    )
    found = again(scene)
    assert [(loop.name, loop.kind) for loop in found.loops] == [("weld", "fixed")]
    assert (found.gears[0].ratio, found.gears[0].a[1]) == (-2.5, "link0")


def test_mimic_joints_are_gears():
    model = pendulum().add("finger", joint=Revolute.x(), mass=1.0, inertia=(1.0,) * 3)
    finger = replace(model.links[1], mimic=Mimic("rod", 0.5))
    gear = again(replace(model, links=(model.links[0], finger))).gears[0]
    assert (gear.a[1], gear.b[1], gear.ratio) == ("finger", "rod", 0.5)


SHAPES = (Box((0.1, 0.2, 0.3)), Sphere(0.2), Cylinder(0.1, 0.4), Capsule(0.1, 0.4), Plane(),
          Polyhedron(TETRAHEDRON))  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape):
    """Where they are, and as large; those of a mesh in single precision."""
    frame = Transform(rotation_x(0.3), Vec3(0.1, 0.2, 0.3))
    scene = ph.Scene("s").add_fixed("ground", shape).add_machine(
        pendulum(), geometries=[] if shape == Plane() else [("rod", shape, frame)]
    )  # fmt: skip
    found = again(scene)
    for one, two in zip(found.geometries, scene.geometries, strict=True):
        assert one.body == two.body
        np.testing.assert_allclose(one.frame.E.rows(), two.frame.E.rows(), atol=1e-15)
        assert tuple(one.frame.r) == tuple(two.frame.r)
        if isinstance(shape, Polyhedron):
            np.testing.assert_allclose(sorted(one.shape.vertices), sorted(TETRAHEDRON), atol=1e-7)
        else:
            assert one.shape == two.shape


def test_height_fields():
    ground = Heightmap(((0.5, 1.0, 0.75), (2.0, 1.5, 0.5)), (3.0, 4.0))
    scene = ph.Scene("s").add_fixed("ground", ground, position=(1.0, 0.0, 0.0))
    (found,) = again(scene).geometries
    assert found.shape.size == ground.size
    height = found.frame.r.z
    rows = [[height + x for x in row] for row in found.shape.heights]
    np.testing.assert_allclose(rows, ground.heights, atol=1e-15)


def test_meshes_are_files_beside(tmp_path):
    """A mesh of a file keeps its scale; the same mesh is written once."""
    mesh = TriangleMesh(TETRAHEDRON, FACES)
    ph.save(ph.Scene("s").add_fixed("g", mesh), tmp_path / "one.mjcf")
    assert (tmp_path / "one-trianglemesh.obj").is_file()
    file = str(tmp_path / "one-trianglemesh.obj")
    visuals = tuple(Visual(Mesh(file, (1.0, 2.0, -1.0)), at(x), (0.1, 0.2, 0.3, 1.0))
                    for x in (0.0, 1.0))  # fmt: skip
    (tmp_path / "two").mkdir()
    ph.save(rod(visuals=visuals), tmp_path / "two" / "two.xml", format="mjcf")
    found = ph.load(tmp_path / "two" / "two.xml").machines[0].model.links[0].visuals
    assert [visual.shape.scale for visual in found] == [(1.0, 2.0, -1.0)] * 2
    assert len(list((tmp_path / "two").iterdir())) == 2
    assert found[1].frame == at(1.0) and found[0].color == (0.1, 0.2, 0.3, 1.0)


def test_what_is_drawn_and_touches_is_one_geom():
    scene = ball_on_plane(1.0)
    assert mjcf.dumps(scene).count("<geom ") == 2 + 3  # and three of the defaults
    again(scene)


def test_friction_of_all_and_of_pairs():
    """The friction of every pair is what it was."""
    scene = ph.Scene("s").add_fixed("ground", Plane())
    for k in range(3):
        scene = scene.add_body(f"ball{k}", Sphere(0.1), mass=1.0, position=(k, 0.0, 1.0))
    scene = scene.contact(mu_coulomb=0.5).contact("ball1", "ground", mu_coulomb=0.0)
    scene = scene.contact("ball0", "ball2", mu_coulomb=2.0, mu_rolling=0.01)
    scene = scene.contact("ball0", "ground", mu_coulomb=0.5, mu_torsional=0.02)
    scene = scene.disable("ball0", "ball1")
    found = again(scene)
    named = {each.body: each.name for each in found.geometries}
    for a, b in (("ball0", "ground"), ("ball1", "ground"), ("ball0", "ball2"), ("ball1", "ball2")):
        expected = scene.contact_parameters(a, b)
        rule = found.contact_parameters(named[a], named[b])
        for kind in ("mu_coulomb", "mu_torsional", "mu_rolling"):
            assert getattr(rule, kind) == getattr(expected, kind)
    pairs = {frozenset((found.geometries[i].body, found.geometries[j].body))
             for i, j in found.disabled_geometries}  # fmt: skip
    assert pairs == {frozenset(("ball0", "ball1"))}


def test_a_pair_of_two_bodies_of_which_others_never_touch():
    """An exclusion of the bodies, and the pair by name."""
    scene = ph.Scene("s").add_body("a", Sphere(0.1), mass=1.0).add_body(
        "b", Sphere(0.1), mass=1.0, position=(1.0, 0.0, 0.0)
    )  # fmt: skip
    scene = scene.add_geometry("more", ("a", "a"), Box((0.1, 0.1, 0.1))).contact(mu_coulomb=0.7)
    scene = scene.disable("more", "b")
    text = mjcf.dumps(scene)
    assert '<exclude body1="a" body2="b"/>' in text and text.count("<pair ") == 1
    found = again(scene)
    assert found.contact_parameters("a/a", "b/b").mu_coulomb == 0.7
    assert len(found.disabled_geometries) == 1


def test_links_that_touch_the_base_they_turn_on_are_excluded():
    """MuJoCo leaves out neighbours itself, but not those of bodies that do not move."""
    model = Model("m").add("base").add(
        "arm", parent="base", joint=Revolute.y(), mass=1.0, inertia=(1.0,) * 3
    )  # fmt: skip
    shapes = [("base", Sphere(0.1)), ("arm", Sphere(0.1))]
    text = mjcf.dumps(ph.Scene("s").add_machine(model, geometries=shapes))
    assert '<exclude body1="arm" body2="base"/>' in text


def test_names_of_several_models():
    """A name that is taken gets the model's name before it."""
    scene = ph.Scene("s").add_machine(pendulum(), "one").add_machine(pendulum(), "two")
    text = mjcf.dumps(scene)
    assert '<body name="rod">' in text and '<body name="two/rod">' in text
    assert mjcf.parse(text).model.model.nv == 2


def test_the_start_of_spherical_joints_is_a_keyframe():
    scene = ph.Scene.of(wrist(), q=[0.5, 0.0, 0.0, 0.6, 0.8], qd=[1.0, 2.0, 3.0, 4.0])
    text = mjcf.dumps(scene)
    assert '<key name="start" qpos="0.5 0.8 0.0 0.0 0.6" qvel="1.0 2.0 3.0 4.0"/>' in text


def test_time_step_and_gravity():
    scene = ball_on_plane(1.0).with_settings(step_size=0.004)
    found = again(scene)
    assert found.settings.step_size == 0.004 and found.gravity == scene.gravity


# -- tendons, actuators and sensors --


def test_tendons_and_actuators():
    """They come back as they were, in their order."""
    first = mjcf.parse(DRIVEN).model
    found = again(first, quiet=False)
    for one, other in zip(first.tendons, found.tendons, strict=True):
        assert replace(one, path=other.path) == other
        assert [type(part) for part in one.path] == [type(part) for part in other.path]
    for one, other in zip(first.actuators, found.actuators, strict=True):
        at = other.transmission
        assert type(one.transmission) is type(at)
        assert replace(one, transmission=at) == other
    rng = np.random.default_rng(4)
    model, q = first.model, ph.random_configuration(first.model, rng)
    state = q, rng.standard_normal(model.nv), rng.uniform(size=first.n_controls)
    activation = rng.uniform(size=first.n_activations)
    forces = [ph.actuator_forces(each, *state, activation) for each in (first, found)]
    np.testing.assert_allclose(*forces, rtol=1e-12, atol=1e-12)


def test_sensors():
    """Kinds, frames, noise and all."""
    first = mjcf.parse(DRIVEN).model
    found = again(first, quiet=False)
    for one, other in zip(first.sensors, found.sensors, strict=True):
        frames = {key: getattr(other, key) for key in ("frame", "reference_frame")}
        assert replace(one, **frames) == other
        near_frames(one.frame, other.frame)
        near_frames(one.reference_frame, other.reference_frame)


def near_frames(one, other):
    np.testing.assert_allclose(one.E.rows(), other.E.rows(), rtol=0, atol=1e-15)
    np.testing.assert_allclose(tuple(one.r), tuple(other.r), rtol=0, atol=1e-15)


def test_no_site_or_geom_is_added_in_a_round():
    first = mjcf.dumps(mjcf.parse(DRIVEN).model)
    second = mjcf.dumps(mjcf.parse(first).model)
    tags = re.compile(r"<(\w+)")
    assert sorted(tags.findall(second)) == sorted(tags.findall(first))


def test_motors_of_a_scene_in_python():
    """Names of the models are in those of the file only where two have the same."""
    scene = ph.Scene("s").add_machine(pendulum(), name="a").add_machine(pendulum(), name="b")
    for name in "ab":
        scene = scene.add_motor(name, joint=f"{name}/{pendulum().joints[0].name}", gear=2.0)
    text = mjcf.dumps(scene)
    assert re.findall(r'<general name="(\w)" joint="([^"]*)"', text) == [
        ("a", "rod"),
        ("b", "b/rod"),
    ]


def test_touch_without_a_zone():
    """Its zone is as large as any scene."""
    scene = ph.Scene.of(pendulum()).add_sensor("felt", "touch", ("pendulum", "rod"))
    (sensor,) = again(scene).sensors
    assert sensor.zone == Sphere(1e6)


@pytest.mark.parametrize(
    ("law", "text"),
    [(ForceLaw(Affine(2.0), Affine(0.0, -2.0, 1.0)), "as a damping ratio"),
     (ForceLaw(MuscleCurves((0.0, 1.0), 1.0), MuscleCurves((0.0, 2.0), 1.0)), "one length range")],
)  # fmt: skip
def test_laws_that_are_refused(law, text):
    joint = JointTransmission(pendulum().joints[0].name)
    with pytest.raises(ModelError, match=text):
        mjcf.dumps(pendulum().add_actuator(Actuator("a", joint, law)))


def test_drives_that_are_lost():
    """Those on what is not one joint in the file, and what MuJoCo computes by itself."""
    model = Model("m").add("plate", joint=FloatingBase(), frame=at(0.5), **body())
    model = model.add("arm", parent="plate", joint=Revolute.y(), **body())
    joint = JointTransmission("arm")
    model = model.add_actuator(Actuator("early", joint, ForceLaw(activation=Filter(1.0)), lead=0.1))
    model = model.add_actuator(Actuator("circle", joint, ForceLaw(period=6.0)))
    model = model.add_actuator(Actuator("drive", JointTransmission("plate")))
    scene = ph.Scene.of(model).add_sensor("force", "actuator_force", "m/drive")
    with pytest.warns(ModelWarning) as told:
        text = mjcf.dumps(scene)
    (message,) = (str(each.message) for each in told)
    for part in ("leads of activation but the time step ('m/early')",
                 "periods of setpoints of actuators ('m/circle')",
                 "actuators on joints of several axes ('m/drive')",
                 "sensors of what is not written ('force')"):  # fmt: skip
        assert part in message
    assert text.count("<general") == 2


def test_armature_between_branches_is_lost():
    """MuJoCo would take a part of it."""
    model = Model("m").add("a", joint=Revolute.y(), **body())
    model = model.add("b", joint=Revolute.y(), **body())
    model = model.add_tendon("belt", joints={"a": 1.0, "b": 2.0}, armature=0.5)
    with pytest.warns(ModelWarning, match=r"between branches of the tree \('m/belt'\)"):
        text = mjcf.dumps(model)
    assert mjcf.parse(text).model.tendons[0].armature == 0.0


# -- keyframes --


def test_keyframes():
    """A state by name, in our order, from which the scene can start."""
    reading = mjcf.parse(KEYS)
    assert ["12 numbers as 'qpos', found 2, so it is not read" in note.text
            for note in reading.notes if note.kind == "ignored"] == [True]  # fmt: skip
    scene = reading.model
    home, rest = scene.keyframes
    assert (home.name, rest.name) == ("home", "key1")
    assert (home.time, home.controls, home.activation) == (2.0, (1.0, 2.0), (3.0,))
    started = scene.at_keyframe("home")
    half = 0.5**0.5
    np.testing.assert_allclose(
        started.q0, [0, 0, 3, 0, 0, half, 0.5, 1, 0, 0, half, 0], rtol=0, atol=1e-15
    )
    assert started.qd0 == tuple(range(1, 11))
    assert started.settings.time == 2.0
    assert scene.at_keyframe("key1").q0 == scene.q0
    with pytest.raises(ModelError, match="no keyframe 'hom'; did you mean 'home'"):
        scene.at_keyframe("hom")


def test_keyframes_are_written():
    """And they come back; so do those of more models than the keyframe knows."""
    scene = mjcf.parse(KEYS).model
    assert again(scene, quiet=False).keyframes == scene.keyframes
    more = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0.0, 3.0, 0.0))
    assert more.at_keyframe("home").q0[6:7] == scene.at_keyframe("home").q0[6:7]
    found = again(more, quiet=False)
    assert found.at_keyframe("home").machine("ball").q == more.machine("ball").q


@pytest.mark.parametrize(
    ("given", "text"),
    [({"q": [1.0]}, "expected names of models and numbers as q"), ({"time": "now"}, "as time")],
)
def test_keyframes_are_checked(given, text):
    with pytest.raises(ModelError, match=text):
        Keyframe("home", **given)


# -- what is not in the format --


def body(**more):
    return {"mass": 1.0, "inertia": (1.0,) * 3, **more}


@pytest.mark.parametrize(
    ("joint", "text"),
    [(Screw(0.1), "no helical joint, as 'link'"),
     (Universal((2.0, 0.0, 0.0)), "an axis of joint 'link' is not of unit length")],
)  # fmt: skip
def test_joints_that_are_refused(joint, text):
    with pytest.raises(ModelError, match=text):
        mjcf.dumps(Model("m").add("link", joint=joint, **body()))


def test_loops_that_are_refused():
    scene = ph.Scene.of(crane()).add_loop("slot", "prismatic", ("tree", "link1"), None)
    with pytest.raises(ModelError, match="no prismatic joint that closes a loop, as 'slot'"):
        mjcf.dumps(scene)


@pytest.mark.parametrize("key", ["damping", "friction", "armature", "stiffness"])
def test_dynamics_that_differ_by_axis(key):
    """A spherical joint has one number; joints in series have their own."""
    dynamics = JointDynamics(**{key: (1.0, 2.0, 3.0)})
    with pytest.raises(ModelError, match="for all axes of joint 'link'"):
        mjcf.dumps(rod(joint_name="link", joint=Spherical(), dynamics=dynamics))


def test_fluids():
    """The same forces come back, and nothing is told; a mesh has its axes to about 1e-6."""
    scene = mjcf.parse(MODELS["bodies in a fluid"]).model
    copy = again(scene, quiet=False)
    assert copy.fluid == scene.fluid
    rng, model = np.random.default_rng(1), scene.model
    q, qd = ph.random_configuration(model, rng, size=3), rng.standard_normal((3, model.nv))
    expected = run_plain(fluid_forces, model, (q, qd))
    assert np.abs(expected).max() > 1.0
    np.testing.assert_allclose(run_plain(fluid_forces, copy.model, (q, qd)), expected,
                               rtol=0.0, atol=1e-6 * np.abs(expected).max())  # fmt: skip


BALL = FluidEllipsoid((0.1, 0.1, 0.1))


@pytest.mark.parametrize(
    ("shapes", "lost"),
    [
        ([], "links that a fluid does not resist"),
        ([FluidBox((0.1, 0.2, 0.3))], "fluid boxes that are not those of the inertia"),
        ([replace(BALL, added_mass=(1.0, 1.0, 1.0))], "added masses of a fluid"),
        ([BALL, replace(BALL, blunt_drag=0.0)], ""),
    ],
)
def test_fluids_that_are_lost(shapes, lost):
    """MuJoCo knows the box of the inertia, and ellipsoids with masses of their own."""
    model = Model("m").add("b", joint=Revolute.x(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    wet = model.with_fluid(1.0, shapes={"b": shapes})
    if not lost:
        assert len(again(wet, quiet=False).machines[0].model.links[0].fluid_shapes) == 2
        return
    with pytest.warns(ModelWarning, match=lost):
        mjcf.dumps(wet)


def test_what_is_lost_is_told_once():
    model = rod(limits=Limits(-1.0, 1.0, velocity=3.0))
    scene = ph.Scene.of(model).add_fixed("ring", Torus(1.0, 0.1)).contact(restitution=0.5)
    scene = scene.add_force(StokesDrag("air", 0.1))
    scene = scene.add_spring("cord", ("pendulum", "rod"), None, stiffness=1.0)
    with pytest.warns(ModelWarning) as told:
        mjcf.dumps(scene)
    (text,) = (str(each.message) for each in told)
    for part in ("velocity limits of joints ('rod')", "forces on bodies ('air')",
                 "springs between bodies ('cord')", "shapes of kind Torus ('ring', 'ring')",
                 "restitution ('all')"):  # fmt: skip
        assert part.replace("'ring', 'ring'", "'ring'") in text


def test_moments_that_no_body_has():
    """Those of a link that is fixed go to what carries it; others become the nearest."""
    odd = {"mass": 1.0, "inertia": (0.1, 0.1, 0.5)}
    fixed = pendulum().add("sensor", parent="rod", frame=at(0.5), **odd)
    again(fixed, quiet=False)
    with pytest.warns(ModelWarning, match=r"that no rigid body has.*'link'"):
        text = mjcf.dumps(Model("m").add("link", joint=Revolute.y(), **odd))
    assert 'diaginertia="0.1 0.1 0.2"' in text


def test_moving_links_without_mass():
    """As good as none, but MuJoCo takes it."""
    model = (
        Model("m").add("carrier", joint=Revolute.z())
        .add("left", parent="carrier", joint=Revolute.x(), **body())
        .add("right", parent="carrier", joint=Revolute.y(), **body())
    )  # fmt: skip
    with pytest.warns(ModelWarning, match=r"zero mass or inertia of moving links.*'carrier'"):
        mjcf.dumps(model)
    again(model)


def test_missing_meshes_are_named(tmp_path):
    model = rod(visuals=(Visual(Mesh(str(tmp_path / "no.stl"))),))
    with pytest.warns(ModelWarning, match=r"meshes that cannot be read \('rod'\)"):
        mjcf.dumps(model)


def test_what_does_not_take_part_is_left_out():
    scene = ball_on_plane(1.0).with_start("ball", is_simulated=False)
    with pytest.warns(ModelWarning, match=r"models that do not take part \('ball'\)"):
        text = mjcf.dumps(scene)
    assert "ball" not in text.replace('model="ball"', "")


def test_the_format_is_said_or_seen(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    arm = ph.load(tmp_path / "arm.urdf")
    ph.save(arm, tmp_path / "arm.xml", format="mjcf")
    ph.save(arm, tmp_path / "arm.mjcf")
    assert (tmp_path / "arm.xml").read_text() == (tmp_path / "arm.mjcf").read_text()
    assert ph.load(tmp_path / "arm.xml").model.nv == arm.nv
    with pytest.raises(ModelError, match=r"format = 'urdf' or .*did you mean 'mjcf'"):
        ph.save(arm, tmp_path / "x.xml", format="mjfc")
    with pytest.raises(ModelError, match="a Moby file holds a Scene, got a Model"):
        ph.save(arm, tmp_path / "x.xml")


def test_geometries_without_a_shape():
    scene = ph.Scene.of(pendulum())
    scene = scene.add_geometry("felt", ("pendulum", "rod"), None)
    assert isinstance(scene.geometries[0], Geometry)
    with pytest.warns(ModelWarning, match=r"plug-in finds contacts of \('felt'\)"):
        mjcf.dumps(scene)
