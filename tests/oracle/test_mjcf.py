"""MJCF files against MuJoCo's own numbers: masses, inertia, all joint forces, and poses."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import polhode as ph
from mjcf_texts import MODELS, RINGS, body
from mjcf_texts import mjcf as text
from polhode import algorithms
from polhode.errors import ParseError
from polhode.formats import mjcf, read
from polhode.formats.mjcf.softness import inverse_masses
from polhode.spatial import Transform

pytestmark = pytest.mark.oracle

TOLERANCE = 1e-9  # of the largest entry; MuJoCo keeps mesh vertices as float32
MOST_DOFS = 100
SHARED = Path(__file__).parents[3] / "shared" / "validation" / "mjcf"
FOLDER = Path(os.environ.get("POLHODE_MJCF", SHARED))
REASONS = ("plug-ins", "flexible bodies", "signed distance field", "lies outside the folder",
           "no 'lengthrange'", "'delay' of controls", "between branches of the tree")  # fmt: skip


@pytest.fixture(autouse=True)
def _log_elsewhere(monkeypatch, tmp_path):
    """MuJoCo writes its warnings into the folder where the tests run."""
    monkeypatch.chdir(tmp_path)


def near(found, expected):
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * scale)


def random_state(model, theirs, rng):
    """Positions and velocities in our order, and MuJoCo's own."""
    qpos, qvel = theirs.qpos0.copy(), 0.5 * rng.standard_normal(theirs.nv)
    mujoco.mj_integratePos(theirs, qpos, rng.standard_normal(theirs.nv), 0.3)
    q, order = np.zeros(model.nq), []
    for joint, at in zip(model.joints, theirs.jnt_qposadr, strict=True):
        values = qpos[at : at + joint.kind.nq]
        if joint.kind.nq > joint.kind.nv:  # x y z w, where MuJoCo has w x y z
            values = np.r_[values[:-4], values[-3:], values[-4]]
        q[joint.q] = values
        order.extend(np.arange(model.nv)[joint.v])
    qd = np.zeros(model.nv)
    qd[order] = qvel
    return q.tolist(), qd.tolist(), qpos, qvel, order


def bias(model, q, qd):
    return np.array(model.join_v(algorithms.bias(model, model.split_q(q), model.split_v(qd))))


def passive(model, q, qd, function=algorithms.passive_forces):
    tau = function(model, model.split_q(q), model.split_v(qd))
    return np.array(model.join_v(tau))


def driven(model, q, qd, controls, activation):
    q, qd = model.split_q(q), model.split_v(qd)
    tau = algorithms.actuator_forces(model, q, qd, controls.tolist(), activation.tolist())
    return np.array(model.join_v(tau))


def poses(model, q):
    """The transform to every moving body."""
    X, parts = {0: Transform.identity()}, model.split_q(q)
    for i in model.bodies:
        X[i] = model.joint[i].jcalc(parts[i]).XJ @ model.X_tree[i] @ X[model.parent[i]]
    return X


def compare(scene, theirs):
    model = scene.model
    assert (model.nv, len(model.joints)) == (theirs.nv, theirs.njnt)
    near(
        sum(body.mass for body in model.bodies),
        theirs.body_mass[theirs.body_dofnum[theirs.body_weldid] > 0].sum(),
    )
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, rng = mujoco.MjData(theirs), np.random.default_rng(11)
    for _ in range(2):
        q, qd, data.qpos[:], data.qvel[:], order = random_state(model, theirs, rng)
        data.ctrl[:] = rng.uniform(-0.8, 0.8, theirs.nu)
        data.act[:] = rng.uniform(0.1, 0.8, theirs.na)
        mujoco.mj_forward(theirs, data)
        H = np.zeros((theirs.nv, theirs.nv))
        if theirs.nv:
            mujoco.mj_fullM(theirs, data, H)
        near(
            np.array(algorithms.mass_matrix(model, model.split_q(q))).reshape(H.shape)[
                np.ix_(order, order)
            ],
            H,
        )
        near(bias(model, q, qd)[order], data.qfrc_bias)
        near(passive(model, q, qd, algorithms.all_passive_forces)[order], data.qfrc_passive)
        near(passive(model, q, qd, algorithms.fluid_forces)[order], data.qfrc_fluid)
        near(driven(model, q, qd, data.ctrl, data.act)[order], data.qfrc_actuator)
        X = poses(model, q)
        for k in range(1, theirs.nbody):
            if name := theirs.body(k).name:
                body = model.body(name)
                place = body.frame @ X[int(body.moving)]
                near(tuple(place.r), data.xpos[k])
                near(place.E.T.rows(), data.xmat[k].reshape(3, 3))


@pytest.mark.parametrize("name", MODELS)
def test_small_models(name):
    """Each feature of the format by itself."""
    compare(mjcf.parse(MODELS[name]).model, mujoco.MjModel.from_xml_string(MODELS[name]))


def test_rings():
    """Shapes by their signed distance, on bodies whose mass is given."""
    compare(mjcf.parse(RINGS).model, mujoco.MjModel.from_xml_string(RINGS))


def test_limits_springs_and_friction():
    """What joints have besides their motion is what MuJoCo compiles."""
    text = MODELS["several joints on a body"]
    theirs = mujoco.MjModel.from_xml_string(text)
    for joint in mjcf.parse(text).model.model.joints:
        own = theirs.joint(joint.name.removeprefix("arm/"))
        dynamics = ph.model.JointDynamics() if joint.dynamics is None else joint.dynamics
        assert own.damping[0] == dynamics.damping
        assert own.frictionloss[0] == dynamics.friction
        assert own.stiffness[0] == dynamics.stiffness
        if dynamics.stiffness:
            near(dynamics.rest, own.qpos_spring[0])
        if joint.limits is not None:
            near((joint.limits.lower, joint.limits.upper), own.range)
    assert theirs.njnt == 5


def test_armature_between_branches():
    """A tendon's kinetic energy is ``armature (J qd)^2 / 2``; MuJoCo leaves out a part of it."""
    arms = "".join(body(f'<joint name="{j}"/><geom size="0.1" pos="0.3 0 0"/><site name="{j}" '
                        'pos="0.5 0.1 0"/>', f'pos="{j == "b":d} 0 0"') for j in "ab")  # fmt: skip
    tendon = '<tendon><spatial name="t" {}><site site="a"/><site site="b"/></spatial></tendon>'
    heavy, light = (mujoco.MjModel.from_xml_string(text(arms, tendon.format(armature)))
                    for armature in ('armature="2"', ""))  # fmt: skip
    model = mjcf.parse(text(arms, tendon.format(""))).model.model
    model = replace(model, tendons=(replace(model.tendons[0], armature=2.0),))
    H = {}
    for theirs in (heavy, light):
        data = mujoco.MjData(theirs)
        data.qpos[:] = 0.3, 0.8
        mujoco.mj_forward(theirs, data)
        H[theirs] = np.zeros((2, 2))
        mujoco.mj_fullM(theirs, data, H[theirs])
        J = data.ten_J.reshape(1, 2)
    whole = H[light] + 2.0 * J.T @ J
    near(algorithms.mass_matrix(model, model.split_q([0.3, 0.8])), whole)
    near(H[heavy], whole * np.eye(2))


def files():
    """The files at hand: those of other packages, and of the folder named."""
    found = sorted(FOLDER.glob("**/*.xml"))
    for package, part in (("gymnasium", "envs/mujoco/assets"), ("dm_control", "suite")):
        try:
            home = Path(__import__("importlib.util").util.find_spec(package).origin).parent
        except AttributeError:
            continue
        found += sorted((home / part).glob("*.xml"))
    return found


def loaded(path):
    """MuJoCo's model; None for parts of models, and for large ones."""
    try:
        theirs = mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return None
    return theirs if theirs.nv <= MOST_DOFS else None


@pytest.mark.skipif(not files(), reason="no MJCF files at hand (POLHODE_MJCF)")
def test_files():
    """All agree, but for a few that are refused for a named reason."""
    count, refused = 0, []
    for path in files():
        theirs = loaded(path)
        if theirs is None:
            continue
        count += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                scene = read(path, package_roots=[FOLDER]).model
        except ParseError as error:
            refused.append(str(error))
            continue
        try:
            compare(scene, theirs)
        except AssertionError as error:
            raise AssertionError(f"{path}: {error}") from None
    assert all(any(reason in text for reason in REASONS) for text in refused)
    assert len(refused) <= max(count / 20, 1)


SOFT = """<mujoco><option cone="elliptic" timestep="0.001"/>
  <default><geom solimp="0.9 0.9" solref="0.03 1.2"/></default><worldbody>
  <geom type="plane" size="5 5 1" solimp="0.8 0.8" solmix="2"/>
  <body name="egg" pos="3 0 0.1"><freejoint/><geom size="0.1" solref="0.02 1" priority="1"
  solimp="0 0.8 0.01 0.4 3"/></body>
  <body name="ball" pos="0 0 0.1"><freejoint/><geom size="0.1" mass="2"/></body>
  <body name="box" pos="1 0 0.1"><freejoint/><geom type="box" size="0.1 0.2 0.1" mass="3"/></body>
  <body name="foot" pos="2 0 0.3"><joint type="slide" axis="0 0 1" stiffness="20"/>
  <geom type="box" size="0.1 0.1 0.2" mass="1"/><body pos="0 0 -0.2"><joint axis="0 1 0"/>
  <geom size="0.1" mass="0.5"/></body></body></worldbody></mujoco>"""


def test_soft_contacts_rest_as_deep():
    """On one contact, or where impedances do not depend on the depth."""
    theirs = mujoco.MjModel.from_xml_string(SOFT)
    data = mujoco.MjData(theirs)
    mujoco.mj_step(theirs, data, 4000)
    scene = mjcf.parse(SOFT, soft_contacts=True).model
    weights = list(inverse_masses(scene.machines).values())
    np.testing.assert_allclose(weights, theirs.body_invweight0[1:, 0], rtol=1e-9)
    run = ph.simulate(scene, 4.0, dt=1e-3, record=4000, progress=False)
    places = {"egg": 2, "ball": 2, "box": 2, "foot": 0}
    heights = [run.of(name)[0][-1][k] for name, k in places.items()]
    assert max(heights[:2]) < 0.0999
    np.testing.assert_allclose(heights, data.qpos[[2, 9, 16, 21]], rtol=0, atol=1e-7)
