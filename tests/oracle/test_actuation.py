"""Tendons and actuators against MuJoCo: lengths, Jacobians, velocities, forces, activation."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import polhode as ph
from polhode.formats import mjcf

pytestmark = pytest.mark.oracle

STATES = 20
BODIES = """
  <body name="trunk" pos="0 0 1" gravcomp="0.4"><freejoint name="free"/>
    <geom size=".2 .1 .1" type="box"/><site name="low" pos=".1 0 -.1" euler="10 20 30"/>
    <body name="arm" pos=".3 0 0"><joint name="hinge" axis="0 1 0" range="-80 90" armature="0.1"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .3 0 .1"/>
      <site name="mid" pos=".15 .02 .1" euler="0 40 0"/>
      <geom name="drum" type="cylinder" size=".05 .1" pos=".2 0 0" euler="80 0 10"/>
      <body name="hand" pos=".3 0 .1"><joint name="ball" type="ball"/>
        <geom type="ellipsoid" size=".05 .06 .07"/><site name="tip" pos=".1 .1 0"/>
        <geom name="knob" type="sphere" size=".04" pos=".05 0 .05" mass=".1"/>
      </body></body></body>
  <body name="cart" pos="0 1 0"><joint name="slide" type="slide" axis="1 0 0" damping="1"/>
    <geom size=".1"/><site name="pin" pos="0 0 .1"/><site name="axis" pos=".1 0 .2" euler="0 70 0"/>
  </body>
  <site name="world" pos="-.2 .1 2"/>
"""
TENDONS = """
  <fixed name="sum" stiffness="7" damping="0.3">
    <joint joint="hinge" coef="2"/><joint joint="slide" coef="-1.5"/></fixed>
  <spatial name="line" stiffness="30" springlength="0.1 0.9">
    <site site="low"/><site site="tip"/><site site="world"/></spatial>
  <spatial name="pulleys" damping="2" stiffness="5"><site site="world"/><site site="pin"/>
    <pulley divisor="2"/><site site="pin"/><site site="mid"/>
    <pulley divisor="3"/><site site="mid"/><site site="low"/></spatial>
  <spatial name="around"><site site="low"/><geom geom="drum"/><site site="tip"/>
    <geom geom="knob" sidesite="mid"/><site site="world"/></spatial>
  <spatial name="heavy" armature="0.5" actuatorfrcrange="-1 2">
    <site site="low"/><site site="tip"/></spatial>
"""
ACTUATORS = {
    "motor": '<motor name="a" joint="hinge" gear="3" ctrlrange="-.3 .3" forcerange="-2 .5"/>',
    "ball": '<motor joint="ball" gear="1 2 3"/><motor jointinparent="ball" gear="1 0 2"/>',
    "free": '<motor joint="free" gear="1 2 3 4 5 6"/>'
    '<motor jointinparent="free" gear="1 2 3 4 5 6"/>',
    "position": '<position joint="slide" kp="20" kv="3" ctrlrange="-1 1"/>'
    '<position joint="hinge" kp="20" dampratio="0.7" gear="2" inheritrange="0.5"/>'
    '<position joint="slide" kp="20" timeconst="0.2"/>'
    '<position tendon="line" kp="9" dampratio="1"/>',
    "circle": '<position joint="ball" gear="0 2 0" kp="3"/>'
    '<position site="tip" refsite="low" gear="0 0 0 0 0 1" kp="4"/>',
    "velocity": '<velocity joint="hinge" kv="4"/><damper joint="slide" kv="2" ctrlrange="0 1"/>'
    '<intvelocity joint="hinge" kp="5" kv="1" actrange="-.3 .3"/>',
    "cylinder": '<cylinder joint="slide" timeconst="0.3" diameter="0.2" bias="1 2 3"/>',
    "general": '<general tendon="sum" gear="2" gaintype="affine" gainprm="1 2 3"'
    ' biastype="affine" biasprm="4 5 6" dyntype="filter" dynprm="0.5"/>'
    '<general joint="slide" dyntype="filterexact" dynprm="0.9" gear="12" actearly="true"/>'
    '<general joint="slide" dyntype="integrator" actrange="-.2 .2" actearly="true"/>',
    "tendons": '<motor tendon="around" gear="2"/><motor tendon="pulleys"/>'
    '<motor tendon="heavy" gear="3"/><motor tendon="heavy" gear="-1" forcerange="-.1 .2"/>',
    "sites": '<motor site="tip" gear="1 2 3 4 5 6"/>'
    '<general site="tip" refsite="low" gear="1 2 3 0 0 0" biastype="affine" biasprm="0 2 3"/>'
    '<motor site="mid" refsite="world" gear="0 1 0 1 0 2"/>'
    '<motor cranksite="mid" slidersite="axis" cranklength="3" gear="2"/>'
    '<general cranksite="pin" slidersite="low" cranklength="0.1" biastype="affine"'
    ' biasprm="0 2 3"/>',
    "muscle": '<muscle tendon="line" lengthrange="0.5 3"/>'
    '<muscle joint="hinge" lengthrange="-1 1" force="30" tausmooth="0.3" range="0.6 1.4"'
    ' vmax="3" fpmax="2"/>',
    "dcmotor": '<dcmotor joint="hinge" motorconst="2 3" resistance="0.5" gear="4"'
    ' armature="0.02" damping="0.1" cogging="1 6 0.3" saturation="30"/>'
    '<dcmotor joint="slide" motorconst="1" resistance="2" input="pos vel ff"'
    ' controller="10 0 5 0 0 6"/>'
    '<dcmotor joint="hinge" nominal="12 3 50" inductance="0.02" lugre="100 1 0.5 0.8 0.1"/>',
    "adhesion": '<adhesion body="hand" ctrlrange="0 1" gain="5" forcerange="0 3"/>',
    "defaults": '<position class="stiff" joint="hinge"/><general class="weak" joint="slide"/>',
}
DEFAULTS = """<default>
  <general gear="1.5"/>
  <default class="stiff"><position kp="70" kv="2" forcerange="-9 9"/></default>
  <default class="weak"><general biastype="affine" gainprm="3" biasprm="0 -3 -1"/></default>
</default>"""


@pytest.fixture(autouse=True)
def _log_elsewhere(monkeypatch, tmp_path):
    """MuJoCo writes its warnings into the folder where the tests run."""
    monkeypatch.chdir(tmp_path)


def document(actuators: str, more: str = "") -> str:
    return (
        f'<mujoco><option timestep="0.01"/>{DEFAULTS}<worldbody>{BODIES}</worldbody>'
        f"<tendon>{TENDONS}</tendon><actuator>{actuators}</actuator>{more}</mujoco>"
    )


def states(scene, theirs, n=STATES):
    """Random states in our coordinates, with MuJoCo's results at them."""
    model, data, rng = scene.model, mujoco.MjData(theirs), np.random.default_rng(7)
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    for _ in range(n):
        qpos, qvel = theirs.qpos0.copy(), rng.standard_normal(theirs.nv)
        mujoco.mj_integratePos(theirs, qpos, rng.standard_normal(theirs.nv), 0.7)
        q, qd, order = np.zeros(model.nq), np.zeros(model.nv), []
        for joint, at in zip(model.joints, theirs.jnt_qposadr, strict=True):
            values = qpos[at : at + joint.kind.nq]
            if joint.kind.nq > joint.kind.nv:  # x y z w, where MuJoCo has w x y z
                values = np.r_[values[:-4], values[-3:], values[-4]]
            q[joint.q] = values
            order.extend(np.arange(model.nv)[joint.v])
        qd[order] = qvel
        data.qpos[:], data.qvel[:] = qpos, qvel
        data.ctrl[:] = rng.uniform(-2, 2, theirs.nu)
        data.act[:] = rng.uniform(0, 1, theirs.na)
        mujoco.mj_forward(theirs, data)
        yield q, qd, data, order


def near(found, expected):
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize("kind", ACTUATORS)
def test_actuators(kind):
    """Lengths, velocities, forces, joint forces and rates of activation are MuJoCo's."""
    text = document(ACTUATORS[kind])
    scene, theirs = mjcf.parse(text).model, mujoco.MjModel.from_xml_string(text)
    assert (scene.n_controls, scene.n_activations) == (theirs.nu, theirs.na)
    for q, qd, data, order in states(scene, theirs):
        values = ph.actuation.actuator_values(scene, q, qd, data.ctrl, data.act)
        near(values.length, data.actuator_length)
        near(values.velocity, data.actuator_velocity)
        near(values.force, data.actuator_force)
        tau = ph.actuator_forces(scene, q, qd, data.ctrl, data.act)
        near(tau[order], data.qfrc_actuator)
        if theirs.na:
            rates = ph.actuation.activation_rates(scene, q, qd, data.ctrl, data.act)
            near(rates, data.act_dot)


@pytest.mark.parametrize("groups", ["1", "2 1", "0", "30", ""])
def test_groups_without_force(groups):
    """They keep their place among controls; on a tendon they leave the others their force."""
    actuators = (
        '<motor joint="hinge"/><motor joint="hinge" group="1" gear="3"/>'
        '<motor tendon="heavy" group="2" gear="9"/><motor tendon="heavy" gear="-1"/>'
        '<general joint="slide" dyntype="filter" group="1"/><position class="idle" joint="slide"/>'
    )
    more = (
        f'<option actuatorgroupdisable="{groups}"/>'
        '<default class="main"><default class="idle"><general group="2"/></default></default>'
    )
    text = document(actuators, more)
    scene, theirs = mjcf.parse(text).model, mujoco.MjModel.from_xml_string(text)
    assert (scene.n_controls, scene.n_activations) == (theirs.nu, theirs.na)
    for q, qd, data, order in states(scene, theirs):
        tau = ph.actuator_forces(scene, q, qd, data.ctrl, data.act)
        near(tau[order], data.qfrc_actuator)
        rates = ph.actuation.activation_rates(scene, q, qd, data.ctrl, data.act)
        near(rates, data.act_dot)


def test_tendons():
    """Lengths, Jacobians, springs, dampers, armature and gravity compensation are MuJoCo's."""
    text = document("")
    scene, theirs = mjcf.parse(text).model, mujoco.MjModel.from_xml_string(text)
    for q, qd, data, order in states(scene, theirs, 100):
        near(ph.actuation.tendon_lengths(scene, q), data.ten_length)
        J = ph.actuation.tendon_jacobian(scene, q)
        near(J @ qd, data.ten_velocity)
        near(ph.passive_forces(scene, q, qd)[order], data.qfrc_passive)
        near(ph.bias_forces(scene.model, q, qd)[order], data.qfrc_bias)
        H = np.zeros((theirs.nv, theirs.nv))
        mujoco.mj_fullM(theirs, data, H)
        near(ph.mass_matrix(scene.model, q)[np.ix_(order, order)], H)
        qacc = ph.forward_dynamics(scene.model, q, qd, ph.passive_forces(scene, q, qd))
        near(qacc[order], data.qacc_smooth)


def balls(number: int, count: int, inside: str = "") -> str:
    """Balls on ropes side by side, and what else is replicated with them."""
    return (
        f'<replicate count="{count}" offset="1 0 0"><site name="S{number}"/>'
        f'<body name="b{number}" pos="0 0 -1"><freejoint/><geom size=".1"/>'
        f'<site name="T{number}"/></body>{inside}</replicate>'
    )


def ropes(*numbers: int) -> str:
    """Their tendons, with a motor on each."""
    tendons = "".join(
        f'<spatial name="R{k}"><site site="S{k}"/><site site="T{k}"/></spatial>' for k in numbers
    )
    motors = "".join(f'<motor name="M{k}" tendon="R{k}"/>' for k in numbers)
    return f"<tendon>{tendons}</tendon><actuator>{motors}</actuator>"


REPLICAS = {
    "one": '<tendon><fixed name="T"><joint joint="J" coef="1"/></fixed></tendon>'
    '<actuator><motor name="A" joint="J"/><motor name="B" joint="K"/>'
    '<motor name="C" tendon="T"/></actuator><worldbody>'
    '<replicate count="2" sep="-" offset="1 0 0"><body name="b"><joint name="J"/>'
    '<geom size=".1"/></body></replicate>'
    '<body><joint name="K"/><geom size=".1"/></body></worldbody>',
    "two": ropes(0, 1, 2) + f"<worldbody>{balls(0, 3)}{balls(1, 2)}{balls(2, 3)}</worldbody>",
    "nested": ropes(0, 1, 2) + f"<worldbody>{balls(0, 2, balls(1, 3) + balls(2, 2))}</worldbody>",
}


@pytest.mark.parametrize("name", REPLICAS)
def test_order(name):
    """Copies of replicated and attached parts come in MuJoCo's order, under its names."""
    text = f"<mujoco>{REPLICAS[name]}</mujoco>"
    scene, theirs = mjcf.parse(text).model, mujoco.MjModel.from_xml_string(text)
    names = [theirs.actuator(k).name for k in range(theirs.nu)]
    assert [actuator.name for actuator in scene.actuators] == names
    assert [each.name for each in scene.tendons] == [
        theirs.tendon(k).name for k in range(theirs.ntendon)
    ]
