"""What every tag and attribute of a Moby file becomes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from moby.texts import ARM, BALL, GROUND, listed, notes, scene
from polhode.formats import moby
from polhode.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Fixed,
    FloatingBase,
    Heightmap,
    Plane,
    Polyhedron,
    Sphere,
    Torus,
    TriangleMesh,
)
from polhode.scene import (
    ContactParameters,
    Damping,
    DampingGains,
    DisabledPair,
    Dissipation,
    LoopKind,
    Scene,
    StokesDrag,
    UniformGravity,
)
from polhode.spatial import Vec3
from reference.moby_scene import Placed

CUBE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def body_pose(attributes: str, **options) -> np.ndarray:
    return Placed(scene(f'<RigidBody id="b" {attributes}/>', **options)).pose("b")


def rotation(axis: str, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    k = "xyz".index(axis)
    R = np.eye(3)
    i, j = (k + 1) % 3, (k + 2) % 3
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def test_pose_of_a_body():
    """rpy turns about fixed x, then y, then z; the position is added after."""
    pose = body_pose('position="1, 2 3" rpy="0.1 0.2 0.3"')
    R = rotation("z", 0.3) @ rotation("y", 0.2) @ rotation("x", 0.1)
    np.testing.assert_allclose(pose[:3, :3], R, atol=1e-15)
    np.testing.assert_array_equal(pose[:3, 3], [1, 2, 3])


def test_orientation_by_quaternion_and_by_axis_and_angle():
    """A quaternion is w x y z; an axis need not be of unit length."""
    turned = body_pose(f'quat="{math.cos(0.2)} 0 0 {math.sin(0.2)}"')
    np.testing.assert_allclose(turned[:3, :3], rotation("z", 0.4), atol=1e-15)
    turned = body_pose('aangle="0 3 0 0.4"')
    np.testing.assert_allclose(turned[:3, :3], rotation("y", 0.4), atol=1e-15)


def test_quarter_turns_are_exact():
    """A rounded pi/2 gives a rotation of zeros and ones, unless that is switched off."""
    half = 'enabled="false" rpy="1.57079632679 0 0"'
    np.testing.assert_array_equal(body_pose(half)[:3, :3], [[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    assert body_pose(half, snap_angles=False)[1, 1] != 0.0


@pytest.mark.parametrize(
    ("tag", "shape"),
    [
        ('<Box xlen="1" ylen="2" zlen="3"', Box((1, 2, 3))),
        ('<Sphere radius="2"', Sphere(2)),
        ("<sphere", Sphere(1)),
        ('<Cylinder radius="2" height="3"', Cylinder(2, 3)),
        ("<Cone", Cone(1, 1)),
        ('<Torus major-radius="2" minor-radius="0.5"', Torus(2, 0.5)),
        ("<Plane", Plane()),
        ('<Capsule radius="0.1" height="2"', Capsule(0.1, 2)),
    ],
)
def test_primitives(tag, shape):
    """Sizes and their defaults; tags in any case."""
    text = f'{tag} id="p"/><RigidBody id="b"><CollisionGeometry primitive-id="p"/></RigidBody>'
    (geometry,) = scene(text).geometries
    assert geometry.shape == shape


@pytest.mark.parametrize("tag", ["Cylinder", "Cone", "Plane"])
def test_axes_of_primitives(tag):
    """Moby's cylinders, cones and planes are about y, ours about z."""
    text = f'<{tag} id="p"/><RigidBody id="b"><CollisionGeometry primitive-id="p"/></RigidBody>'
    (geometry,) = scene(text).geometries
    assert tuple(geometry.frame.E.T @ Vec3(0.0, 0.0, 1.0)) == (0.0, 1.0, 0.0)


def test_two_orders_of_transforms():
    """An inertia part is placed inside the primitive's frame, a collision shape around it."""
    text = """<Box id="p" xlen="1" ylen="1" zlen="1" mass="1" position="1 0 0" rpy="0 0 0.5"/>
      <RigidBody id="b">
        <InertiaFromPrimitive primitive-id="p" relative-origin="0 2 0" relative-rpy="0 0 0.25"/>
        <CollisionGeometry primitive-id="p" relative-origin="0 2 0" relative-rpy="0 0 0.25"/>
      </RigidBody>"""
    found = scene(text)
    com = found.machines[0].model.links[0].body.com
    np.testing.assert_allclose(com, [1 - 2 * math.sin(0.5), 2 * math.cos(0.5), 0], atol=1e-15)
    (geometry,) = found.geometries
    at = [math.cos(0.25), 2 + math.sin(0.25), 0.0]
    np.testing.assert_allclose(tuple(geometry.frame.r), at, atol=1e-15)
    np.testing.assert_allclose(geometry.frame.E.rows(), rotation("z", 0.75).T, atol=1e-15)


def test_mass_written_in_the_body_with_its_place():
    """inertial-relative-* of the manual moves and turns a body's own mass."""
    text = """<RigidBody id="b" mass="2" inertia="1 0 0; 0 2 0; 0 0 3"
      inertial-relative-com="1 0 0.1" inertial-relative-aangle="0 0 1 0.3"/>"""
    body = scene(text).machines[0].model.links[0].body
    R = rotation("z", 0.3)
    assert body.com == (1.0, 0.0, 0.1)
    np.testing.assert_allclose(body.inertia, R @ np.diag([1, 2, 3]) @ R.T, atol=1e-15)


def test_disabled_body_keeps_its_speed_as_that_of_a_conveyor():
    """enabled="false" makes it immovable; velocities are those of its surface."""
    found = scene('<RigidBody id="b" enabled="false" linear-velocity="1 2 3" position="4 5 6"/>')
    (machine,) = found.machines
    assert machine.is_fixed
    assert machine.surface_velocity == (0, 0, 0, 1, 2, 3)
    assert isinstance(machine.model.links[0].joint, Fixed)


def test_velocity_is_that_of_the_frame_origin_in_world_axes():
    """Spin is turned into body axes, where a floating base keeps it."""
    text = """<RigidBody id="b" mass="1" rpy="0 0 0.5" linear-velocity="1 2 3"
      angular-velocity="1 0 0"/>"""
    placed = Placed(scene(text))
    np.testing.assert_allclose(placed.velocity("b"), [1, 2, 3], atol=1e-15)
    np.testing.assert_allclose(placed.spin("b"), [1, 0, 0], atol=1e-15)


def test_visuals_and_colours():
    """A visual's place goes around the primitive's; alpha 0 is how Moby's files write opaque."""
    text = """<Box id="p" xlen="1" ylen="1" zlen="1" position="1 0 0"/>
      <RigidBody id="b" color="1 0.5 0 0">
        <Visualization visualization-id="p" visualization-rel-origin="0 0 3"/></RigidBody>"""
    (visual,) = scene(text).machines[0].model.links[0].visuals
    assert visual.shape == Box((1, 1, 1))
    assert tuple(visual.frame.r) == (1, 0, 3)
    assert visual.color == (1, 0.5, 0, 1)


def test_meshes_and_heights_lie_in_files(tmp_path):
    """OBJ files and height fields are found beside the scene."""
    (tmp_path / "cube.obj").write_text(CUBE)
    (tmp_path / "hills.txt").write_text("2 3\n1 2 3\n4 5 6\n")
    file = tmp_path / "scene.xml"
    file.write_text("""<XML><MOBY><Polyhedron id="a" filename="cube.obj"/>
      <TriangleMesh id="b" filename="cube.obj" center="true"/>
      <Heightmap id="c" filename="hills.txt" width="4" depth="6"/>
      <RigidBody id="x" enabled="false"><CollisionGeometry primitive-id="a"/>
        <CollisionGeometry primitive-id="b"/><CollisionGeometry primitive-id="c"/></RigidBody>
      </MOBY></XML>""")
    hull, mesh, hills = (g.shape for g in moby.read(file).model.geometries)
    assert isinstance(hull, Polyhedron)
    assert set(hull.vertices) == {(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)}
    assert isinstance(mesh, TriangleMesh)
    assert mesh.vertices[0] == (-0.25, -0.25, -0.25)
    assert hills == Heightmap(((3, 2, 1), (6, 5, 4)), (4, 6))  # z runs against our y


def test_articulated_body():
    """Links keep their frames, joints move them from there; limits, rebound and friction."""
    found = scene(ARM, listed("arm"))
    (machine,) = found.machines
    assert machine.link_names == ("base", "l1/joint", "l1", "l2/joint", "l2")
    settings = machine.settings("j1")
    assert (settings.lower, settings.upper, settings.restitution) == ((-1,), (2,), 0.5)
    assert (settings.coulomb_friction, settings.viscous_friction) == (0.1, 0.2)
    placed = Placed(found)
    at = [0.5 * math.cos(0.3), 0.5 * math.sin(0.3), 0]
    np.testing.assert_allclose(placed.position("l1"), at, atol=1e-15)
    end = [math.cos(0.3) + 0.5 * math.cos(0.6), math.sin(0.3) + 0.5 * math.sin(0.6), 0]
    np.testing.assert_allclose(placed.position("l2"), end, atol=1e-15)
    np.testing.assert_allclose(placed.velocity("l1"), 0.5 * 0.5 * np.array([-at[1], at[0], 0]) * 2,
                               atol=1e-15)  # fmt: skip
    assert machine.q == pytest.approx((0.3, 0.3))
    assert machine.q_tare == (0.0, -0.1)


def test_every_joint_of_a_tree():
    """Poses behind each kind of joint, with axes in world coordinates where links are drawn."""
    kinds = {
        "Revolute": ('axis="0 0 2" q="0.3"', rotation("z", 0.3), [0, 0, 0]),
        "Prismatic": ('axis="0 1 0" q="0.3"', np.eye(3), [0, 0.3, 0]),
        "Screw": ('axis="0 0 1" pitch="0.5" q="0.3"', rotation("z", 0.3), [0, 0, 0.15]),
        "Universal": ('axis1="1 0 0" axis2="0 1 0" q="0.3 0.4"',
                      rotation("x", 0.3) @ rotation("y", 0.4), [0, 0, 0]),
        "Spherical": ('axis1="1 0 0" axis2="0 1 0" q="0.3 0.4 0.5"',
                      rotation("x", 0.3) @ rotation("y", 0.4) @ rotation("z", 0.5), [0, 0, 0]),
        "Fixed": ("", np.eye(3), [0, 0, 0]),
    }  # fmt: skip
    drawn = rotation("z", 0.2) @ rotation("x", 0.7)
    for kind, (attributes, R, shift) in kinds.items():
        text = f"""<RCArticulatedBody id="m" floating-base="false">
          <RigidBody id="a" rpy="0.1 0 0"/>
          <RigidBody id="b" position="1 2 3" rpy="0.7 0 0.2" mass="1" inertia="1 0 0;0 1 0;0 0 1"/>
          <{kind}Joint id="j" location="0.5 2 3" inboard-link-id="a" outboard-link-id="b"
            {attributes}/></RCArticulatedBody>"""
        pose = Placed(scene(text, listed("m"))).pose("b")
        np.testing.assert_allclose(pose[:3, :3], R @ drawn, atol=1e-14, err_msg=kind)
        at = np.array([0.5, 2, 3]) + R @ [0.5, 0, 0] + shift
        np.testing.assert_allclose(pose[:3, 3], at, atol=1e-14, err_msg=kind)


def test_spherical_joint_with_limits_keeps_its_three_angles():
    """Limits are on angles about the three axes, which a quaternion does not have."""
    text = """<RCArticulatedBody id="m"><RigidBody id="a" enabled="false"/>
      <RigidBody id="b" mass="1" inertia="1 0 0;0 1 0;0 0 1"/>
      <SphericalJoint id="j" location="0 0 0" inboard-link-id="a" outboard-link-id="b"
        axis1="1 0 0" axis2="0 1 0" q="0.3 0.4 0.5" {}/></RCArticulatedBody>"""
    free, limited = (scene(text.format(x), listed("m")) for x in
                     ("", 'upper-limits="1 1 inf" lower-limits="-1 -inf -1"'))  # fmt: skip
    assert free.machines[0].model.joint("j").kind.nq == 4
    assert limited.machines[0].q == (0.3, 0.4, 0.5)
    assert limited.machines[0].settings("j").lower == (-1, -math.inf, -1)
    np.testing.assert_allclose(Placed(free).pose("b"), Placed(limited).pose("b"), atol=1e-15)


@pytest.mark.parametrize(
    ("attribute", "enabled", "floats"),
    [("", "true", True), ("", "false", False), ('floating-base="false"', "true", False),
     ('floating-base="true"', "true", True)],
)  # fmt: skip
def test_whether_a_base_floats(attribute, enabled, floats):
    """As the file says; without a word, if the base link is enabled."""
    text = f"""<RCArticulatedBody id="m" {attribute}><RigidBody id="a" enabled="{enabled}"/>
      </RCArticulatedBody>"""
    (machine,) = scene(text, listed("m")).machines
    assert isinstance(machine.model.links[0].joint, FloatingBase if floats else Fixed)


def test_whole_body_is_turned_about_its_base_then_shifted():
    """rpy about the base's own axes at its own origin; translate in world axes; all follows."""
    text = ARM.replace(
        'floating-base="false"', 'floating-base="false" rpy="0 0 0.5" translate="9,0,0"'
    )
    text = text.replace('<RigidBody id="base"', '<RigidBody id="base" position="1 0 0"')
    text = text.replace('q="0.3"', "")
    np.testing.assert_allclose(
        Placed(scene(text, listed("arm"))).position("l1"),
        [10 - 0.5 * math.cos(0.5), -0.5 * math.sin(0.5), 0], atol=1e-14,
    )  # fmt: skip


def test_second_joint_to_a_link_closes_a_loop():
    """The first joint to reach a link carries it; a later one is a constraint."""
    text = ARM.replace(
        "</RCArticulatedBody>",
        """<RevoluteJoint id="back" location="2 0 0" axis="0 0 1" inboard-link-id="base"
           outboard-link-id="l2"/></RCArticulatedBody>""",
    )
    found = scene(text, listed("arm"))
    (loop,) = found.loops  # the base comes first in the file, and so does what hangs on it
    assert [joint.name for joint in found.machines[0].model.joints] == ["j1", "back"]
    assert (loop.name, loop.kind) == ("j2", LoopKind.REVOLUTE)
    assert (loop.a, loop.b) == (("arm", "l1"), ("arm", "l2"))
    assert tuple(loop.frame_a.r) == (0.5, 0, 0)
    assert tuple(loop.frame_b.r) == (-0.5, 0, 0)


def test_loop_back_to_the_base():
    """Where every link hangs on another, the first of the file is the base."""
    text = ARM.replace(
        "</RCArticulatedBody>",
        """<SphericalJoint id="back" location="2 0 0" inboard-link-id="l2"
           outboard-link-id="base"/></RCArticulatedBody>""",
    )
    found = scene(text, listed("arm"))
    assert found.machines[0].model.links[0].name == "base"
    assert [loop.name for loop in found.loops] == ["back"]


def test_implicit_joint_between_free_bodies():
    """A joint outside counts when the simulator lists it; planar joints are such."""
    text = (
        BALL
        + GROUND
        + """<PlanarJoint id="glide" inboard-link-id="ground"
      outboard-link-id="ball" normal="0 2 0" location="0 0 0"/>"""
    )
    assert scene(text, listed("ball")).loops == ()
    assert any("it joins nothing" in note for note in notes(text, listed("ball")))
    (loop,) = scene(text, listed("ball") + '<ImplicitConstraint joint-id="glide"/>').loops
    assert loop.kind is LoopKind.PLANAR
    assert tuple(loop.frame_a.E.z) == (0, 1, 0)
    assert loop.frame_b.r.y == -1


def test_gears():
    """q of the joint of the inboard link is the ratio times that of the outboard link."""
    text = ARM + '<Gears id="g" inboard-link-id="l2" outboard-link-id="l1" gear-ratio="3"/>'
    (gear,) = scene(text, listed("arm")).gears
    assert (gear.a, gear.b, gear.ratio) == (("arm", "j2"), ("arm", "j1"), 3)


def test_forces():
    """Gravity of a simulator is the scene's; forces named in a body act on that body only."""
    text = """<GravityForce id="g" accel="0 -9.81 0"/><GravityForce id="wind" accel="1 0 0"/>
      <StokesDragForce id="d" drag-b="2" drag-b-ang="3"/><DampingForce id="k">
        <Gains body-id="ball" klinear="1" kangular="2" klinear-sq="3" kangular-sq="4"/>
      </DampingForce>""" + BALL.replace(
        "<CollisionG", '<RecurrentForce recurrent-force-id="wind"/><CollisionG'
    )
    uses = "".join(f'<RecurrentForce recurrent-force-id="{name}"/>' for name in "gdk")
    found = scene(text, listed("ball") + uses)
    assert found.gravity == (0, -9.81, 0)
    assert set(found.forces) == {
        UniformGravity("wind", (1, 0, 0), ("ball",)),
        StokesDrag("d", 2, 3),
        Damping("k", (DampingGains("ball", 1, 2, 3, 4),)),
    }
    assert found.bodies_of(found.forces[0]) == (("ball", "ball"),)


def test_dissipation():
    """Factors by body, and 0.99 for the others."""
    text = ARM + '<Dissipation id="d"><Body id="arm" lambda="0.5"/></Dissipation>'
    inside = text + "</MOBY></XML>"
    full = f"<XML><MOBY><TimeSteppingSimulator id='s' dissipator-id='d'/>{inside}"
    found = moby.parse(full).model
    assert found.dissipation == Dissipation((("arm", 0.5),))
    assert found.dissipation.factor("other") == 0.99


def test_settings_view_and_contacts():
    """Everything a simulator and the driver say."""
    text = f"""<XML><DRIVER step-size="0.01"><camera position="0 0 9" target="0 1 0" up="0 1 0"/>
      <window location="1 2" size="640 480"/></DRIVER><MOBY>{BALL}{GROUND}{ARM}
      <TimeSteppingSimulator id="sim" current-time="3" min-step-size="1e-4"
        contact-dist-thresh="1e-5" unilateral-stabilization-tol="1e-3"
        bilateral-stabilization-tol="1e-2" constraint-stabilization-max-iterations="7">
        {listed("ball", "ground", "arm")}
        <ContactParameters object1-id="ball" object2-id="top" epsilon="0.5" mu-coulomb="inf"
          mu-viscous="0.1" friction-cone-edges="8" compliance="1e-6" penalty-kp="5"
          penalty-kv="6"/>
        <DisabledPair object1-id="arm" object2-id="arm"/>
      </TimeSteppingSimulator></MOBY></XML>"""
    found = moby.parse(text).model
    own = found.settings
    assert (own.kind, own.name, own.time, own.step_size) == ("time-stepping", "sim", 3, 0.01)
    assert (own.min_step_size, own.contact_dist_thresh) == (1e-4, 1e-5)
    assert own.unilateral_stabilization_tol == 1e-3
    assert own.bilateral_stabilization_tol == 1e-2
    assert own.constraint_stabilization_max_iterations == 7
    assert found.view.camera_position == (0, 0, 9)
    assert found.view.window_size == (640, 480)
    assert found.contacts == (ContactParameters("ball", "top", 0.5, math.inf, 0.1, 8, 1e-6, 5, 6),)
    assert found.disabled_pairs == (DisabledPair("arm", "arm"),)
    assert found.disabled_geometries == {(2, 3)} or len(found.disabled_geometries) == 1


def test_lookup_of_contact_parameters():
    """Geometries first, then an articulated body on either side, then bodies; order is free."""
    base = BALL + GROUND + ARM

    def mu(*pairs):
        rules = "".join(
            f'<ContactParameters object1-id="{a}" object2-id="{b}" mu-coulomb="{k + 1}"/>'
            for k, (a, b) in enumerate(pairs)
        )
        found = scene(base, listed("ball", "ground", "arm") + rules)
        return found.contact_parameters("top", "g1").mu_coulomb

    assert mu() == 0
    assert mu(("l1", "ground")) == mu(("ground", "l1")) == 1
    assert mu(("l1", "ground"), ("l1", "top")) == 2  # a geometry and a body
    assert mu(("l1", "ground"), ("l1", "top"), ("ground", "arm")) == 3  # a body and a machine
    assert mu(("top", "g1"), ("ground", "arm")) == 1  # two geometries
    assert mu(("ball", "ground")) == 0


def test_bodies_that_no_simulator_lists_are_set_aside():
    """They stay in the scene, stand still and touch nothing."""
    found = scene(BALL + GROUND, listed("ball"))
    assert [m.name for m in found.simulated] == ["ball"]
    assert [m.name for m in found.machines] == ["ball", "ground"]


def test_first_simulator_by_id_counts():
    """As Moby's driver chooses."""
    text = f"<XML><MOBY>{BALL}<Simulator id='b'/><TimeSteppingSimulator id='a'/></MOBY></XML>"
    reading = moby.parse(text)
    assert reading.model.settings.name == "a"
    assert any("not used" in note.text for note in reading.notes)


def test_urdf_inside_an_articulated_body(tmp_path):
    """The robot stands where the attributes put it, with its collision shapes and friction."""
    (tmp_path / "r.urdf").write_text("""<robot name="r"><link name="a"/><link name="b">
      <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
      </inertial><collision><origin xyz="0 0 0.5"/><geometry><sphere radius="0.1"/></geometry>
      </collision></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/>
      <origin xyz="1 0 0"/><axis xyz="0 0 1"/><dynamics damping="0.3" friction="0.2"/></joint>
      </robot>""")
    file = tmp_path / "scene.xml"
    for floating in ("true", "false"):
        file.write_text(f"""<XML><MOBY><RCArticulatedBody id="robot" urdf-filename="r.urdf"
          floating-base="{floating}" translate="0 5 0"/></MOBY></XML>""")
        found = moby.read(file).model
        (machine,) = found.machines
        np.testing.assert_allclose(Placed(found).position("b"), [1, 5, 0], atol=1e-15)
        assert machine.model.nv == (7 if floating == "true" else 1)
        assert machine.settings("j").viscous_friction == 0.3
        assert machine.settings("j").coulomb_friction == 0.2
        (geometry,) = found.geometries
        assert (geometry.body, geometry.shape) == ("b", Sphere(0.1))


def test_plugin_that_finds_contacts():
    """A C++ library cannot be run: a Python function takes its place."""
    text = f"""<XML><MOBY>{BALL}<RigidBody id="w" enabled="false"><CollisionGeometry/></RigidBody>
      <CollisionDetectionPlugin id="c" plugin="x.so"/>
      <TimeSteppingSimulator collision-detection-plugin="c"/></MOBY></XML>"""
    with pytest.raises(ph.ParseError, match=r"plug-in 'x.so'.*plugins=\{'c': function\}"):
        moby.parse(text)
    found = moby.parse(text, plugins={"c": print}).model
    assert found.plugins[0].function is print
    assert found.geometries[1].shape is None


def test_undefined_conflicts_are_taken_as_moby_does_on_request():
    """With strict=False density wins over mass, and a quaternion over other orientations."""
    text = """<Box id="p" xlen="1" ylen="1" zlen="1" mass="5" density="2"/>
      <RigidBody id="b" quat="0 1 0 0" rpy="0.1 0.2 0.3">
      <InertiaFromPrimitive primitive-id="p"/></RigidBody>"""
    found = scene(text, strict=False)
    assert found.machines[0].model.links[0].body.mass == 2
    np.testing.assert_array_equal(Placed(found).pose("b")[:3, :3], np.diag([1, -1, -1]))
    assert sum("is not used beside" in note for note in notes(text, strict=False)) == 2


def test_everything_without_effect_is_said():
    """Old tags, hints, misspelt names: each with its line, and a suggestion where there is one."""
    text = (
        BALL
        + """
      <RungeKuttaIntegrator id="rk4"/>
      <RigidBody id="x" positon="1 2 3" mass="1" inertia="1 0 0;0 1 0;0 0 1"/>
      <RCArticulatedBody id="m" fdyn-algorithm="crb" fdyn-algorithm-frame="joint">
        <RigidBody id="y"/></RCArticulatedBody>
      <Wobble/>"""
    )
    found = notes(text, listed("ball", "x", "m"))
    assert any("RungeKuttaIntegrator" in n for n in found)
    assert any("'positon' is not read; did you mean 'position'" in n for n in found)
    assert any(n.startswith("hint") and "'fdyn-algorithm' has no effect" in n for n in found)
    assert any("<Wobble> is not read" in n for n in found)
    assert all("line " in n for n in found)


def test_front_door(tmp_path):
    """ph.load gives a Scene; options that make no sense for it are refused."""
    file = tmp_path / "balls.xml"
    file.write_text(f"<XML><MOBY>{BALL}<Simulator id='s'/></MOBY></XML>")
    found = ph.load(file, gravity=(0, 0, -1), name="other")
    assert isinstance(found, Scene)
    assert (found.name, found.gravity) == ("other", (0, 0, -1))
    with pytest.raises(ph.ModelError, match="floating-base of each"):
        ph.load(file, floating_base=True)
