"""Sensors against MuJoCo's own values at random states, without contact and limits."""

from __future__ import annotations

import warnings
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import polhode as ph
from mjcf_texts import SEVERAL_JOINTS, body, mjcf
from oracle.test_mjcf import files, loaded, random_state
from polhode.contact import ray_cast
from polhode.errors import ParseError
from polhode.formats import mjcf as mjcf_format
from polhode.formats import read
from polhode.model import Box, Capsule, Cylinder, Plane, SensorKind, Sphere
from polhode.spatial import Transform

pytestmark = pytest.mark.oracle

TOLERANCE = 1e-9  # of the largest entry
NOT_OF_STATES = ("touch", *(f"{x}_limit_{y}" for x in ("joint", "tendon")
                             for y in ("position", "velocity", "force")))  # fmt: skip

_FRAMES = (
    '<site name="s" pos="0.1 0.2 0.3" euler="20 -40 70"/>'
    '<camera name="c" pos="0.3 0 0.1" xyaxes="1 2 0 0 1 3"/>'
    '<geom name="g" type="box" size="0.1 0.2 0.3" pos="-0.1 0 0.2" quat="1 2 3 4"/>'
)
_TREE = SEVERAL_JOINTS + body(
    '<joint name="root" type="free" armature="0.2"/>' + _FRAMES
    + body(
        '<joint name="ball" type="ball" stiffness="3" damping="0.2"/><geom size="0.2" pos="0 0 1"/>'
        + body(
            '<geom name="h" size="0.1" pos="0.2 0.1 0"/><site name="wrist" pos="0.1 0 0"/>'
            + body('<joint name="tip" axis="1 1 0" pos="0 0.1 0" stiffness="2" springref="30"/>'
                   '<geom type="capsule" size="0.1 0.2"/><site name="t" euler="0 90 0"/>',
                   'name="finger" pos="0 0 0.4"'),
            'name="hand" pos="0 0.1 0.2" euler="10 20 30"',
        ),
        'name="limb" pos="1 0 0" quat="1 2 3 4"',
    ),
    'name="base" pos="0 1 2"',
) + body('<geom size="0.3"/><site name="p" pos="0 0 1"/>', 'name="post" pos="2 0 0"')  # fmt: skip
_AT_SITES = "".join(
    f'<{tag} site="{site}" name="{tag} {site}"/>'
    for tag in ("accelerometer", "gyro", "velocimeter", "magnetometer", "force", "torque")
    for site in ("s", "wrist", "t", "p")
)
_RELATIVE = ("framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel",
             "frameangvel")  # fmt: skip
_OBJECTS = (("site", "s"), ("geom", "g"), ("camera", "c"), ("xbody", "finger"), ("body", "base"),
            ("body", "hand"), ("site", "p"))  # fmt: skip
_OF_FRAMES = "".join(
    f'<{tag} name="{tag} {word} {name}" objtype="{word}" objname="{name}"/>'
    for tag in (*_RELATIVE, "framelinacc", "frameangacc")
    for word, name in _OBJECTS
) + "".join(
    f'<{tag} name="{tag} {name} against {other}" objtype="{word}" objname="{name}" '
    f'reftype="{reference}" refname="{other}"/>'
    for tag in _RELATIVE
    for (word, name), (reference, other) in zip(_OBJECTS, _OBJECTS[3:] + _OBJECTS[:3], strict=True)
)
_OTHERS = "".join(
    f'<{tag} name="{tag} {name}" {key}="{name}"/>'
    for tag, key, names in (
        ("subtreecom", "body", ("world", "base", "hand", "arm", "post")),
        ("subtreelinvel", "body", ("world", "base", "hand", "forearm")),
        ("subtreeangmom", "body", ("world", "base", "hand", "forearm")),
        ("jointpos", "joint", ("a", "b", "tip")), ("jointvel", "joint", ("a", "b", "tip")),
        ("ballquat", "joint", ("ball",)), ("ballangvel", "joint", ("ball",)),
    )
    for name in names
) + '<e_potential name="V"/><e_kinetic name="T"/><clock name="t"/>'  # fmt: skip
_PULLED = body(
    '<joint name="crank" axis="0 1 0" actuatorfrcrange="-2 2"/><geom size="0.1" pos="0.3 0 0"/>'
    '<site name="pin" pos="0.3 0 0.1"/>', 'name="pulled" pos="0 3 0"'
)  # fmt: skip
_DRIVING = """<tendon>
  <spatial name="line" actuatorfrcrange="-1 2" stiffness="3">
    <site site="p"/><site site="pin"/></spatial>
  <fixed name="sum"><joint joint="crank" coef="2"/><joint joint="tip" coef="-1"/></fixed>
</tendon><actuator>
  <motor name="strong" joint="crank" gear="9"/><position name="servo" joint="tip" kp="5" kv="0.1"/>
  <general name="slow" tendon="line" dyntype="filter" dynprm="0.1"/>
  <motor name="pull" tendon="line" gear="2"/>
  <velocity name="brake" tendon="sum" kv="2"/><motor name="turn" joint="ball" gear="1 2 3"/>
</actuator>"""
_OF_DRIVING = "".join(
    f'<{tag} name="{tag} {name}" {key}="{name}"/>'
    for key, tags, names in (
        ("actuator", ("actuatorpos", "actuatorvel", "actuatorfrc"),
         ("strong", "servo", "pull", "slow", "brake", "turn")),
        ("tendon", ("tendonpos", "tendonvel", "tendonactuatorfrc"), ("line", "sum")),
        ("joint", ("jointactuatorfrc",), ("crank", "tip")),
    )
    for tag in tags for name in names
) + '<accelerometer name="felt" site="t"/>'  # fmt: skip
_CUT = (
    '<gyro name="cut" site="s" cutoff="0.2"/>'
    '<framepos name="cut place" objtype="site" objname="t" cutoff="0.5"/>'
)
_OPTION = '<option magnetic="0.2 -0.3 0.4" gravity="1 2 -9"><flag energy="enable"/></option>'


@pytest.fixture(autouse=True)
def _log_elsewhere(monkeypatch, tmp_path):
    """MuJoCo writes its warnings into the folder where the tests run."""
    monkeypatch.chdir(tmp_path)


def with_sensors(world, sensors, more=_OPTION):
    return mjcf(world, more).replace("</mujoco>", f"<sensor>{sensors}</sensor></mujoco>")


_LIDAR = (
    '<replicate count="6" euler="0 15 0"><site name="lidar" pos="0 0 0.2" zaxis="1 0.3 -0.6"/>'
    "</replicate>"
)
_MESH = '<mesh name="m" vertex=".5 0 0 -.5 0 0 0 .25 0 0 -.25 0 0 0 .125 0 0 -.125"/>'
RAYS = with_sensors(
    '<geom type="plane" size="0 0 1"/><geom type="box" size="0.3 0.4 0.5" pos="2 0 0.5"/>'
    '<site name="eye" pos="0 0 3" zaxis="0.3 0.1 -1"/>'
    + body(f'<freejoint/><geom type="cylinder" size="0.3 0.1"/>{_LIDAR}', 'name="a" pos="0 0 1"')
    + body('<freejoint/><geom size="0.4"/><site name="nose" euler="0 90 0"/>', 'pos="1 0 1"')
    + body('<freejoint/><geom type="capsule" size="0.3 0.4"/>', 'pos="0 1 1"')
    + body('<freejoint/><geom type="mesh" mesh="m"/>', 'pos="0 -1 1"'),
    '<rangefinder name="l" site="lidar" cutoff="4"/><rangefinder name="n" site="nose"/>'
    '<rangefinder name="e" site="eye"/>',
    more=f"<asset>{_MESH}</asset>",
)
TEXTS = {
    "range finders": RAYS,
    "at sites": with_sensors(_TREE, _AT_SITES),
    "of frames": with_sensors(_TREE, _OF_FRAMES),
    "of joints, bodies and the whole": with_sensors(_TREE, _OTHERS + _CUT),
    "of actuators and tendons": with_sensors(_TREE + _PULLED, _OF_DRIVING, _DRIVING + _OPTION),
    "in replicas": with_sensors(
        '<replicate count="3" sep="-" offset="1 0 0" euler="0 30 10">'
        + body('<joint axis="1 0 0" pos="0 0.1 0"/><geom size="0.1"/><site name="s"/>')
        + "</replicate>",
        '<accelerometer name="felt" site="s"/>',
    ),
}


# Polyhedra here, and bilinear between the heights: not the surfaces that MuJoCo's rays meet.
OTHER_SURFACES = [mujoco.mjtGeom.mjGEOM_ELLIPSOID, mujoco.mjtGeom.mjGEOM_HFIELD]


def near(found, expected, what):
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    error = float(np.abs(found - expected).max(initial=0.0))
    assert error <= TOLERANCE * scale, f"{what}: {found} is not {expected}"


def is_of_states(sensor):
    """Whether a state decides its value."""
    kind = sensor.kind
    return not sensor.delay and kind not in NOT_OF_STATES


def compare(scene, theirs, *, accelerations="ours"):
    """All sensors that a state decides, at random states; how many numbers.

    With MuJoCo's ``accelerations`` the mass matrix, which may be nearly singular, is not solved.
    """
    names = [theirs.sensor(k).name for k in range(theirs.nsensor)]
    if len(names) == len(scene.sensors):  # those without a name by their number
        names = [own or x.name for own, x in zip(names, scene.sensors, strict=True)]
    chosen = tuple(filter(is_of_states, scene.sensors))
    if np.isin(theirs.geom_type, OTHER_SURFACES).any():
        chosen = tuple(each for each in chosen if each.kind != SensorKind("rangefinder"))
    scene, count = replace(scene, sensors=chosen), 0
    theirs.opt.density = theirs.opt.viscosity = 0.0
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    theirs.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    rng = np.random.default_rng(5)
    for _ in range(3):
        data = mujoco.MjData(theirs)  # one that is used again may show an earlier energy
        q, qd, data.qpos[:], data.qvel[:], order = random_state(scene.model, theirs, rng)
        data.time = rng.uniform()
        data.ctrl[:] = rng.uniform(-0.8, 0.8, theirs.nu)
        data.act[:] = rng.uniform(0.1, 0.8, theirs.na)
        mujoco.mj_forward(theirs, data)
        qdd = np.zeros(len(qd))
        qdd[order] = data.qacc
        given = {} if accelerations == "ours" else {"qdd": qdd}
        driving = {"controls": data.ctrl, "activation": data.act}
        values = ph.sensors(scene, q, qd, time=data.time, **driving, **given)
        for name, start, size in zip(names, theirs.sensor_adr, theirs.sensor_dim, strict=True):
            if name not in scene.sensor_slices:
                continue
            found = values[scene.sensor_slices[name]]
            expected = data.sensordata[start : start + size]
            if len(found) == 4:  # a quaternion and its negative are the same turn
                expected = expected * np.copysign(1.0, expected @ found)
            near(found, expected, name)
            count += len(found)
    return count


@pytest.mark.parametrize("name", TEXTS)
def test_sensors_of_texts(name):
    """Every kind of sensor, of bodies, sites, geoms and cameras, that a state decides."""
    scene = mjcf_format.parse(TEXTS[name]).model
    theirs = mujoco.MjModel.from_xml_string(TEXTS[name])
    assert compare(scene, theirs) == 3 * theirs.nsensordata


_ROPES = """<tendon>
  <spatial name="spring" stiffness="40" damping="3" springlength="0.3 0.5">
    <site site="top"/><site site="mid"/><site site="tip"/></spatial>
  <spatial name="drawn"><site site="top"/><geom geom="drum"/><site site="tip"/>
    <pulley divisor="2"/><site site="side"/><site site="mid"/></spatial>
  <spatial name="heavy" armature="0.7"><site site="top"/><site site="tip"/></spatial>
  <spatial name="along" stiffness="9"><site site="mid"/><site site="side"/></spatial>
  <fixed name="sum" stiffness="5" springlength="0.2"><joint joint="a" coef="2"/>
    <joint joint="b" coef="-1"/></fixed>
</tendon><actuator>
  <motor tendon="drawn" gear="3"/><motor tendon="spring" gear="-2" forcerange="-1 1"/>
  <general tendon="drawn" dyntype="filter"/><motor tendon="sum"/>
</actuator>"""


def test_forces_in_joints_that_tendons_act_beside():
    """The pull of a tendon on bodies does not come from their parents; its springs have energy."""
    arm = (
        '<joint name="a" axis="0 1 0"/><geom size="0.1" pos="0.4 0 0"/>'
        '<geom name="drum" type="cylinder" size="0.05 0.2" pos="0.2 0 0.2" euler="90 0 0"/>'
        '<site name="root" pos="0.1 0 0"/>'
        + body('<geom size="0.05"/><site name="mid" pos="0 0.1 0.1"/>', 'pos="0.3 0 0.1"')
        + body('<joint name="b" axis="0 1 1"/><geom size="0.1" pos="0.2 0 0"/>'
               '<site name="tip" pos="0.3 0 0" euler="10 20 30"/>', 'pos="0.5 0 0"')
        + '<site name="side" pos="0.2 -0.1 0"/>'
    )  # fmt: skip
    sensors = "".join(f'<{tag} name="{tag} {site}" site="{site}"/>' for tag in ("force", "torque")
                      for site in ("root", "mid", "tip", "side"))  # fmt: skip
    text = with_sensors(
        '<site name="top" pos="0.1 0.2 1"/>' + body(arm),
        sensors + '<e_potential name="V"/>', _ROPES + _OPTION,
    )  # fmt: skip
    scene, theirs = mjcf_format.parse(text).model, mujoco.MjModel.from_xml_string(text)
    assert compare(scene, theirs) == 3 * theirs.nsensordata


RNG = np.random.default_rng(9)


def _mesh(kind):
    """A mesh at random, or a geom of another type that is fitted to it."""
    vertices = " ".join(map(str, RNG.standard_normal(24).round(3)))
    return (f'<asset><mesh name="m" vertex="{vertices}"/></asset>',
            f'<geom name="g" type="{kind}" mesh="m"/>')  # fmt: skip


def _inertial():
    xx, yy, zz, *rest = RNG.uniform(0.1, 0.3, 6)
    numbers = " ".join(map(str, (xx + 1.0, yy + 1.1, zz + 1.2, *rest)))
    return "", f'<inertial pos="0.1 0.2 0.3" mass="2" fullinertia="{numbers}"/>'


MASSES = {
    "sphere": lambda: ("", '<geom size="0.1" pos="0.1 0 0" euler="10 20 30"/>'),
    "no mass": lambda: ("", '<geom size="0.1" pos="0.1 0 0" mass="0"/>'),
    "two spheres": lambda: (
        "", '<geom size="0.1" pos="0.1 0 0"/><geom size="0.1" pos="-0.1 0 0"/>'),
    "two boxes": lambda: (
        "", '<geom size=".1 .2 .3" type="box" pos=".1 0 0" euler="10 30 20"/>'
        '<geom size=".2 .1 .12" type="box" pos=".3 -.1 .2" euler="30 10 20"/>'),
    "inertia": _inertial,
    **{kind: lambda kind=kind: _mesh(kind) for kind in ("mesh", "box", "capsule")},
}  # fmt: skip


@pytest.mark.parametrize("kind", MASSES)
def test_inertial_frames(kind):
    """The axes of bodies and of geoms that meshes make, with signs and order of MuJoCo's."""
    for _ in range(10):
        asset, inside = MASSES[kind]()
        objects = ('objtype="body" objname="a"', 'objtype="body" objname="world"')
        if "name=" in inside:
            objects += ('objtype="geom" objname="g"',)
        sensors = "".join(f"<{tag} {each}/>" for each in objects
                          for tag in ("framepos", "framexaxis", "frameyaxis"))  # fmt: skip
        joint = "" if kind == "no mass" else "<joint/>"
        place = 'name="a" pos="0.1 0.2 0.3" euler="30 20 10"'
        text = with_sensors(body(joint + inside, place), sensors, asset)
        scene, theirs = mjcf_format.parse(text).model, mujoco.MjModel.from_xml_string(text)
        assert compare(scene, theirs) == 3 * theirs.nsensordata


def test_all_kinds_are_compared():
    """The texts have every kind but those of contacts and limits."""
    texts = TEXTS.values()
    seen = {sensor.kind for text in texts for sensor in mjcf_format.parse(text).model.sensors}
    assert {*SensorKind} - seen == {*NOT_OF_STATES}


def test_limits():
    """A limit is measured where it is passed, and only there."""
    text = with_sensors(
        body('<joint name="j" axis="0 1 0" range="-30 40"/><geom size="0.1" pos="1 0 0"/>'),
        '<jointlimitpos name="p" joint="j"/><jointlimitvel name="v" joint="j"/>',
        more="",
    )
    scene, theirs = mjcf_format.parse(text).model, mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    for q in (-0.7, -0.5, 0.0, 0.3, 0.69, 0.8):
        for qd in (-1.0, 0.5):
            data.qpos[:], data.qvel[:] = q, qd
            mujoco.mj_forward(theirs, data)
            near(ph.sensors(scene, [q], [qd]), data.sensordata, f"{q} {qd}")


def test_limits_of_tendons():
    """A tendon that is too short, one that is too long, and those within."""
    text = with_sensors(
        '<site name="s" pos="0 0 1"/>'
        + body(
            '<joint name="j" axis="0 1 0"/><geom size="0.1" pos="1 0 0"/>'
            '<site name="t" pos="1 0 0"/>'
        ),
        '<tendonlimitpos name="p" tendon="line"/><tendonlimitvel name="v" tendon="line"/>',
        '<tendon><spatial name="line" range="1.2 1.6"><site site="s"/><site site="t"/></spatial>'
        "</tendon>",
    )
    scene, theirs = mjcf_format.parse(text).model, mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    passed = 0
    for q in (-0.9, -0.4, -0.1, 0.0, 0.1, 0.5):
        for qd in (-1.0, 0.5):
            data.qpos[:], data.qvel[:] = q, qd
            mujoco.mj_forward(theirs, data)
            near(ph.sensors(scene, [q], [qd]), data.sensordata, f"{q} {qd}")
            passed += data.sensordata[0] < 0.0
    assert passed == 6


@pytest.mark.skipif(not files(), reason="no MJCF files at hand (POLHODE_MJCF)")
def test_sensors_of_files():
    """All sensors of the files at hand whose values a state decides."""
    count = 0
    for path in files():
        theirs = loaded(path)
        if theirs is None or not theirs.nsensor:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                scene = read(path).model
        except ParseError:
            continue  # test_mjcf says which may be refused
        count += compare(scene, theirs, accelerations="theirs")
    assert count


SHAPES = (
    ("mjGEOM_SPHERE", (0.3, 0.0, 0.0), Sphere(0.3)),
    ("mjGEOM_CAPSULE", (0.3, 0.5, 0.0), Capsule(0.3, 1.0)),
    ("mjGEOM_CYLINDER", (0.3, 0.5, 0.0), Cylinder(0.3, 1.0)),
    ("mjGEOM_BOX", (0.3, 0.5, 0.2), Box((0.6, 1.0, 0.4))),
    ("mjGEOM_PLANE", (0.0, 0.0, 1.0), Plane()),
)


@pytest.mark.parametrize(("geom", "size", "shape"), SHAPES)
def test_rays_meet_primitives(geom, size, shape):
    """From outside and inside, hits and misses."""
    rng, hits = np.random.default_rng(6), 0
    for k in range(500):
        X = Transform.from_quaternion(rng.standard_normal(4), 0.2 * rng.standard_normal(3))
        p = rng.standard_normal(3) * (0.1 if k % 4 == 0 else 1.0)
        d = 0.3 * rng.standard_normal(3) - p
        d /= np.linalg.norm(d)
        R = np.array(X.E.T.rows()).reshape(9, 1)
        place = np.array(tuple(X.r)).reshape(3, 1)
        columns = (np.reshape(each, (3, 1)).astype(float) for each in (size, p, d))
        kind = int(getattr(mujoco.mjtGeom, geom))
        expected = mujoco.mju_rayGeom(place, R, *columns, kind, None)
        found = float(ray_cast(shape, X, p, d))
        assert (expected < 0.0) == np.isinf(found)
        if expected >= 0.0:
            hits += 1
            assert abs(found - expected) <= TOLERANCE
    assert 100 < hits < 500
