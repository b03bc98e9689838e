"""Models and scenes as SDF: read again, they are the same."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError, ModelWarning
from polhode.formats import mjcf, read, sdf
from polhode.formats.sdf import writer
from polhode.model import (
    Box,
    Capsule,
    Cylinder,
    FloatingBase,
    Helical,
    JointDynamics,
    Limits,
    Mesh,
    Mimic,
    Plane,
    Polyhedron,
    Prismatic,
    Revolute,
    Sphere,
    Spherical,
    Torus,
    Universal,
    Visual,
)
from polhode.scene import JointSettings
from polhode.spatial import Transform
from random_trees import random_state, tree

KINDS = ["revolute", "prismatic", "spherical", "universal", "revolute z", "fixed", "planar",
         "euler ZYX"]  # fmt: skip
SEEDS = range(8)


def random_model(seed: int) -> ph.Model:
    """A tree of all joints that the format has, on the world or free."""
    rng = np.random.default_rng((seed, 1))
    kinds = [str(kind) for kind in rng.permutation(KINDS)]
    if seed % 2:
        kinds[0] = "floating"
    model = tree(kinds, [-1, *(int(rng.integers(0, i)) for i in range(1, len(kinds)))], seed)
    if not seed % 2:
        return model
    first = replace(model.links[0], frame=Transform.identity())  # as the reader has free links
    return replace(model, links=(first, *model.links[1:]))


def test_free_links_stand_where_they_start():
    """In a frame of their own, too."""
    model = tree(["floating", "revolute"], seed=3)
    q = random_state(model, 1).q
    q[np.arange(model.nq)[model.joints[1].q]] = 0.0
    scene = ph.Scene("s").add_machine(model, "m", q=q)
    again = sdf.parse(writer.dumps(scene)).model
    for link in model.links:
        poses = [ph.body_pose(s.model, s.q0, f"m/{link.name}") for s in (scene, again)]
        np.testing.assert_allclose(*poses, atol=1e-12)


def entries(model: ph.Model, other: ph.Model, machine: str) -> tuple[list[int], list[int]]:
    """Where the positions and velocities of a model are in that which was read."""
    q, v = [0] * model.nq, [0] * model.nv
    for joint in model.joints:
        own = np.arange(model.nv)[joint.v].tolist()
        names = {each.name for each in other.joints}
        chain = [f"{machine}/{joint.name}/{k}" for k in range(len(own) - 1)]
        chain = [name for name in chain if name in names] + [f"{machine}/{joint.name}"]
        if chain[-1] not in names:  # the joint of a free link has its name
            link = next(x for x in model.links if x.joint_name == joint.name)
            chain[-1] = f"{machine}/{link.name}"
        there = [other.joint(name) for name in chain]
        for k, n in zip(own, [int(n) for x in there for n in np.arange(other.nv)[x.v]],
                        strict=True):  # fmt: skip
            v[k] = n
        for k, n in zip(np.arange(model.nq)[joint.q],
                        [int(n) for x in there for n in np.arange(other.nq)[x.q]],
                        strict=True):  # fmt: skip
            q[int(k)] = n
    return q, v


@pytest.mark.parametrize("seed", SEEDS)
def test_random_trees_come_back(seed):
    """Inertia, bias forces and poses, at random states of joints of all kinds."""
    model = random_model(seed)
    again = sdf.parse(writer.dumps(model)).model.model
    q, qd, _, _ = random_state(model, seed)
    of_q, of_v = entries(model, again, model.name)
    there_q, there_qd = np.zeros(again.nq), np.zeros(again.nv)
    there_q[of_q], there_qd[of_v] = q, qd
    H = ph.mass_matrix(again, there_q)[np.ix_(of_v, of_v)]
    np.testing.assert_allclose(H, ph.mass_matrix(model, q), atol=1e-11)
    C = ph.bias_forces(again, there_q, there_qd)[of_v]
    np.testing.assert_allclose(C, ph.bias_forces(model, q, qd), atol=1e-10)
    for link in model.links:
        here = ph.body_pose(model, q, link.name)
        found = ph.body_pose(again, there_q, f"{model.name}/{link.name}")
        np.testing.assert_allclose(found, here, atol=1e-12)


def arm() -> ph.Model:
    more = {"damping": 0.2, "friction": 0.3, "stiffness": 4.0, "rest": 0.1}
    model = ph.Model("arm", gravity=(0.0, 0.0, -3.0))
    return model.add(
        "upper", joint=Revolute.y(), mass=1.0, com=(0.0, 0.0, -0.2), inertia=(0.1, 0.1, 0.1),
        joint_name="shoulder", limits=Limits(-1.0, 2.0, 3.0, 4.0),
        visuals=[Visual(Box((0.1, 0.2, 0.3)), Transform.translation(0.0, 0.0, -0.1),
                        (1.0, 0.0, 0.0, 0.5), "v")], **more,
    ).add("lower", parent="upper", joint=Prismatic.x(), mass=0.5, joint_name="slide",
          frame=Transform.translation(0.0, 0.0, -0.4),
          mimic=Mimic("shoulder", -2.0, 0.3))  # fmt: skip


def test_what_joints_do_by_themselves_comes_back(tmp_path):
    """Limits of position, speed and effort, damping, friction, springs, mimics; visuals."""
    path = tmp_path / "arm.sdf"
    ph.save(arm(), path)
    scene = ph.load(path)
    assert scene.gravity == (0.0, 0.0, -3.0)
    (machine,) = scene.machines
    settings, joint = machine.settings("shoulder"), machine.model.joint("shoulder")
    assert (settings.lower, settings.upper) == ((-1.0,), (2.0,))
    assert (joint.limits.velocity, joint.limits.effort) == (3.0, 4.0)
    dynamics = machine.dynamics("shoulder")
    assert (*dynamics.damping, *dynamics.friction, *dynamics.stiffness, *dynamics.rest) == (
        0.2, 0.3, 4.0, 0.1)  # fmt: skip
    assert machine.model.joint("slide").mimic == Mimic("shoulder", -2.0, 0.3)
    (visual,) = next(link for link in machine.model.links if link.name == "upper").visuals
    assert visual == arm().links[0].visuals[0]
    coupled = ph.load(path, mimic="coupled")
    assert coupled.model.nv == 1


def test_both_axes_of_a_universal_joint_come_back():
    """With limits, damping, friction and springs."""
    model = ph.Model("a").add(
        "b", joint=Universal((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), mass=1.0, inertia=(1, 1, 1),
        damping=(1.0, 2.0), friction=(0.3, 0.0), stiffness=(4.0, 5.0), rest=(0.1, -0.2),
    )  # fmt: skip
    settings = [JointSettings("b", (-1.0, -2.0), (0.5, math.inf))]
    scene = ph.Scene("s").add_machine(model, joint_settings=settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (again,) = sdf.parse(writer.dumps(scene)).model.machines
    found = again.settings("b")
    assert (found.lower, found.upper) == ((-1.0, -2.0), (0.5, math.inf))
    assert again.dynamics("b") == scene.machines[0].dynamics("b")


def test_efforts_of_an_sdf_bound_actuators():
    """Negative ones, the format's own default, bound nothing."""
    text = writer.dumps(arm())
    for old, new, most in (("", "", 4.0), ("<effort>4.0<", "<effort>-1<", 9.0)):
        model = sdf.parse(text.replace(old, new) if old else text).model.model
        model = model.add_motor("motor", joint="arm/shoulder")
        force = ph.actuator_forces(model, [0.0, 0.0], [0.0, 0.0], [9.0])
        assert force[list(range(2))[model.joint("arm/shoulder").v][0]] == most


SHAPES = (Box((0.1, 0.2, 0.3)), Sphere(0.1), Cylinder(0.1, 0.5), Capsule(0.1, 0.4),
          Polyhedron(((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))))  # fmt: skip


def test_scenes_come_back(tmp_path):
    """Shapes, fixed and free bodies where they start, friction, rebound, torsional friction."""
    scene = ph.Scene("s", gravity=(0.0, 0.0, -9.0)).add_fixed("floor", Plane())
    for k, shape in enumerate(SHAPES):
        scene = scene.add_body(f"b{k}", shape, density=500.0, position=(k, 0.0, 1.0),
                               quaternion=(0.8, 0.0, 0.6, 0.0))  # fmt: skip
    scene = scene.contact(mu_coulomb=0.7, restitution=0.2, mu_torsional=0.01)
    path = tmp_path / "s.sdf"
    ph.save(scene, path)
    again = ph.load(path)
    assert [g.shape for g in again.geometries] == [g.shape for g in scene.geometries]
    assert [m.is_fixed for m in again.machines] == [m.is_fixed for m in scene.machines]
    np.testing.assert_allclose(again.q0, scene.q0, atol=1e-15)
    masses = [ph.mass_matrix(s.model, s.q0) for s in (again, scene)]
    np.testing.assert_allclose(*masses, rtol=1e-12, atol=1e-12)
    rule = again.contact_parameters(again.geometries[0], again.geometries[1])
    assert (rule.mu_coulomb, rule.restitution) == (0.7, 0.2)
    assert rule.mu_torsional == pytest.approx(0.01, rel=1e-15)


def test_runs_are_the_same(tmp_path):
    """A robot that falls on the ground moves as the one that was written."""
    model = ph.Model("hopper").add("trunk", joint=FloatingBase(), mass=2.0, inertia=(0.1,) * 3)
    model = model.add("leg", parent="trunk", joint=Revolute.y(), mass=0.5, com=(0.0, 0.0, -0.2),
                      inertia=(0.01,) * 3, damping=0.1)  # fmt: skip
    q = [0.1, 0.2, 0.6, 0.0, 0.0, 0.0, 0.0, 1.0]
    scene = ph.Scene("s").add_fixed("floor", Plane()).add_machine(
        model, q=q, geometries=[("leg", Sphere(0.05), Transform.translation(0.0, 0.0, -0.4))]
    ).contact(mu_coulomb=0.5)  # fmt: skip
    path = tmp_path / "s.sdf"
    ph.save(scene, path)
    runs = [ph.simulate(each, 0.5, dt=1e-3).q[-1] for each in (scene, ph.load(path))]
    np.testing.assert_allclose(*runs, atol=1e-9)


def test_meshes_in_the_folder_are_named_from_there(tmp_path):
    """And read again without a package root."""
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n")
    shape = Mesh(str(tmp_path / "m" / "t.obj"), (1.0, 2.0, 1.0))
    model = ph.Model("a").add("b", joint=Revolute.x(), mass=1.0, visuals=[Visual(shape)])
    ph.save(model, tmp_path / "a.sdf")
    assert "<uri>m/t.obj</uri>" in (tmp_path / "a.sdf").read_text()
    (visual,) = ph.load(tmp_path / "a.sdf").machines[0].model.links[-1].visuals
    assert visual.shape == shape


def test_meshes_of_other_folders_are_copied(tmp_path):
    """Readers open no others; a mesh that is not there is told."""
    out = tmp_path / "out"
    for folder in ("x", "y", "out"):
        (tmp_path / folder).mkdir()
        text = f"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n# {folder}\n"
        (tmp_path / folder / "t.obj").write_text(text)
    meshes = [Mesh(str(tmp_path / "x" / "t.obj")), Mesh(str(tmp_path / "y" / "t.obj")),
              Mesh(str(tmp_path / "x" / "t.obj"), (2.0, 2.0, 2.0)),
              Mesh(str(tmp_path / "none.obj")), Mesh("package://p/q.stl")]  # fmt: skip
    visuals = [Visual(mesh) for mesh in meshes]
    model = ph.Model("a").add("b", joint=Revolute.x(), mass=1.0, visuals=visuals)
    with pytest.warns(ModelWarning, match=r"visuals \('b'\)"):
        ph.save(model, out / "a.sdf")
    assert len(list(out.glob("*.obj"))) == 3  # with the one that was there
    found = ph.load(out / "a.sdf").machines[0].model.links[-1].visuals
    shapes = [visual.shape for visual in found]
    assert [shape.scale for shape in shapes] == [m.scale for m in meshes if "none" not in m.path]
    for shape, mesh in zip(shapes[:3], meshes, strict=False):
        assert Path(shape.path).parent == out
        assert Path(shape.path).read_text() == Path(mesh.path).read_text()
    assert shapes[3].path == "package://p/q.stl"


def test_drawn_meshes_outside_the_folders_are_told(tmp_path):
    """As those of a URDF are; shapes that touch are needed."""
    mesh = "<geometry><mesh><uri>/none/t.obj</uri></mesh></geometry>"
    text = f'<sdf version="1.9"><model name="m"><link name="l"><visual name="v">{mesh}</visual>'
    path = tmp_path / "m.sdf"
    path.write_text(f"{text}</link></model></sdf>")
    (note,) = read(path).notes
    assert "mesh '/none/t.obj' lies outside the folders given" in note.text
    path.write_text(path.read_text().replace("visual", "collision"))
    with pytest.raises(ph.ParseError, match="lies outside the folders given"):
        ph.load(path)


def test_links_without_gravity_come_back():
    """Compensation of all of it; another part of it is told as lost."""
    model = arm()
    for part in (1.0, 0.5):
        links = (model.links[0], replace(model.links[1], gravity_compensation=part))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            text = writer.dumps(replace(model, links=links))
        again = sdf.parse(text).model.machines[0].model
        assert again.body("lower").name == "lower"
        found = {link.name: link.gravity_compensation for link in again.links}
        assert found["lower"] == (part if part == 1.0 else 0.0)
        assert any("gravity compensation" in str(each.message) for each in told) == (part != 1.0)


@pytest.mark.parametrize("is_quiet", [True, False])
def test_whether_a_model_touches_itself_comes_back(is_quiet):
    """One rule for all of its links; it is not told as lost."""
    scene = ph.Scene("s").add_machine(arm(), "arm")
    for link in ("upper", "lower"):
        scene = scene.add_geometry(link, ("arm", link), Sphere(0.1))
    scene = scene.disable("arm", "arm") if is_quiet else scene
    text = writer.dumps(scene)
    assert ("<self_collide>true</self_collide>" in text) != is_quiet
    again = sdf.parse(text).model
    assert len(again.geometries) == 2
    assert again.disabled_geometries == scene.disabled_geometries


def test_what_is_lost_is_named():
    """In one warning."""
    model = arm()
    model = replace(model, links=(replace(model.links[0], dynamics=JointDynamics(armature=0.3)),
                                  model.links[1])).add_motor("motor", joint="shoulder")  # fmt: skip
    scene = (
        ph.Scene("s").add_machine(model, "arm", q=[0.2, -0.1], qd=[1.0, 0.0])
        .add_sensor("imu", "gyro", ("arm", "upper"))
        .add_fixed("ring", Torus(1.0, 0.1)).contact("arm", "ring", mu_coulomb=0.5)
        .disable("arm", "ring")
    )  # fmt: skip
    with pytest.warns(ModelWarning) as told:
        writer.dumps(scene)
    (text,) = (str(each.message) for each in told)
    for what in ("armature of joints ('shoulder')", "actuators", "sensors ('imu')",
                 "rules of contact ('arm and ring')", "pairs that never touch ('arm and ring')",
                 "positions of joints at the start ('arm')", "velocities at the start ('arm')",
                 "collision shapes ('ring')"):  # fmt: skip
        assert what in text, what


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ph.Model("a").add("b", joint=Helical((0, 0, 1, 0.1, 0, 0.1)), mass=1.0),
         "joint 'b' of kind .*as SDF"),
        (ph.Model("a").add("b", joint=Revolute((0.0, 0.0, 2.0)), mass=1.0), "not of unit length"),
        (ph.Model("a").add("b", joint=FloatingBase(), mass=1.0, inertia=(1, 1, 1))
         .add("c", parent="b", joint=FloatingBase(), mass=1.0, inertia=(1, 1, 1)),
         "a free joint"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_refused(model, message):
    with pytest.raises(ModelError, match=message):
        writer.dumps(model)


def test_coupled_joints_get_coordinates_of_their_own():
    """And keep their relation."""
    links = list(arm().links)
    links[1] = replace(links[1], mimic=Mimic("shoulder", -2.0, 0.3, coupled=True))
    again = sdf.parse(writer.dumps(replace(arm(), links=tuple(links)))).model
    assert again.model.nv == 2
    assert again.machines[0].model.joint("slide").mimic == Mimic("shoulder", -2.0, 0.3)


def test_springs_of_ball_joints_are_named_as_lost():
    model = ph.Model("a").add("b", joint=Spherical(), mass=1.0, inertia=(1, 1, 1), stiffness=1.0)
    with pytest.warns(ModelWarning, match=r"joints of several axes \('b'\)"):
        writer.dumps(model)


def test_a_link_called_world_is_the_world():
    """As roots of many URDFs are; one that is something else gets another name."""
    model = ph.Model("a").add("world").add("b", parent="world", joint=Revolute.y(), mass=1.0)
    again = sdf.parse(writer.dumps(model)).model
    links = {link.name: link.parent for link in again.machines[0].model.links}
    assert links == {"world": None, "b": "world"}
    moving = ph.Model("a").add("world", joint=Revolute.y(), mass=2.0)
    moving = moving.add("b", parent="world", joint=Revolute.x(), mass=1.0)
    with pytest.warns(ModelWarning, match=r"names of links \('world'\)"):
        again = sdf.parse(writer.dumps(moving)).model
    assert again.machines[0].model.body("ground").mass == 2.0
    assert [joint.name for joint in again.machines[0].model.joints] == ["world", "b"]


def test_ground_of_mjcf_is_written():
    """Its model and link are called as the world, and have shapes."""
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
      <body name="ball" pos="0 0 1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
    with pytest.warns(ModelWarning, match=r"names of models \('world'\)"):
        again = sdf.parse(writer.dumps(mjcf.parse(text).model)).model
    assert [g.machine for g in again.geometries] == ["ground", "ball"]
    assert again.machine("ground").is_fixed
    run = ph.simulate(again, 1.0)
    assert run.q[-1, 2] == pytest.approx(0.1, abs=1e-6)
