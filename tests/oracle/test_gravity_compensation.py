"""Gravity compensation against MuJoCo: what carries weights, and within which bounds."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import polhode as ph
from polhode.actuation import actuator_values
from polhode.algorithms.actuation.gains import actuator_gains
from polhode.formats import mjcf

pytestmark = pytest.mark.oracle

ARM = """<mujoco><option timestep="{step}">{flags}</option><worldbody>
<body name="a" gravcomp="0.7"><joint name="j" axis="0 1 0" {first}/>
<geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" mass="2"/>
<body name="b" pos=".4 0 0" gravcomp="{second}"><joint name="s" type="slide" axis="1 0 1"/>
<joint name="k" axis="0 1 0.2" actuatorgravcomp="true" damping="0.1"/>
<geom type="capsule" fromto="0 0 0 .3 .1 0" size=".03" mass="1"/></body></body></worldbody>
<actuator>{actuators}</actuator><sensor><jointactuatorfrc joint="j"/></sensor></mujoco>"""
ACTUATORS = '<position joint="j" kp="3" kv="0.2"/><motor joint="k"/>'
BOUNDED = 'actuatorgravcomp="true" actuatorfrcrange="-4 3"'


@pytest.fixture(autouse=True)
def _log_elsewhere(monkeypatch, tmp_path):
    """MuJoCo writes its warnings into the folder where the tests run."""
    monkeypatch.chdir(tmp_path)


def document(first=BOUNDED, second=1.2, flags="", actuators=ACTUATORS, step=1e-3):
    return ARM.format(first=first, second=second, flags=flags, actuators=actuators, step=step)


def forces(scene, q, qd, controls):
    """Passive forces and those of actuators."""
    tau = ph.actuator_forces(scene, q, qd, controls) if scene.actuators else np.zeros(len(qd))
    return ph.passive_forces(scene, q, qd), tau


@pytest.mark.parametrize(
    "options",
    [
        {}, {"first": 'actuatorgravcomp="true"'}, {"first": 'actuatorfrcrange="-4 3"'},
        {"second": 0.0}, {"actuators": ""}, {"flags": '<flag gravity="disable"/>'},
        {"flags": '<flag actuation="disable"/>'}, {"flags": '<flag spring="disable"/>'},
        {"flags": '<flag spring="disable" damper="disable"/>'},
    ],
    ids=str,
)  # fmt: skip
def test_forces_and_accelerations(options):
    """The actuators' part is within their range, and is none without actuators."""
    text = document(**options)
    scene, theirs = mjcf.parse(text).model, mujoco.MjModel.from_xml_string(text)
    data, rng = mujoco.MjData(theirs), np.random.default_rng(3)
    clamped = 0
    for _ in range(20):
        q, qd, controls = rng.standard_normal((3, theirs.nv))
        data.qpos[:], data.qvel[:], data.ctrl[:] = q, qd, controls[: theirs.nu]
        mujoco.mj_forward(theirs, data)
        passive, tau = forces(scene, q, qd, controls[: scene.n_controls])
        np.testing.assert_allclose(passive, data.qfrc_passive, atol=1e-12)
        np.testing.assert_allclose(tau, data.qfrc_actuator, atol=1e-12)
        np.testing.assert_allclose(
            ph.forward_dynamics(scene.model, q, qd, passive + tau), data.qacc, rtol=1e-9
        )
        clamped += bool(tau[0] in (-4.0, 3.0))
    assert clamped > 3 or options


def test_gains_are_those_of_the_clamped_force():
    """A servo whose joint has no more force to give has neither stiffness nor damping."""
    scene = mjcf.parse(document()).model
    model, rng = scene.model, np.random.default_rng(5)
    seen = set()
    for _ in range(40):
        q, qd = rng.standard_normal((2, 3))
        tau = ph.actuator_forces(scene, q, qd, [0.0, 0.0])[0]
        split = (model.split_q([*q]), model.split_v([*qd]))
        (gains,) = actuator_gains(model, *split, [0.0, 0.0])
        is_clamped = tau in (-4.0, 3.0)
        assert (gains.stiffness, gains.damping) == ((0.0, 0.0) if is_clamped else (3.0, 0.2))
        seen.add(is_clamped)
    assert seen == {True, False}


def test_runs_reach_the_same_place():
    """In MuJoCo, and by steps of both kinds here, as far as the steps' first order lets them."""
    step, n = 1e-4, 3000
    text = document(step=step)
    scene, theirs = mjcf.parse(text).model, mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    data.qpos[:], data.ctrl[:] = (0.3, 0.1, -0.4), (0.5, 0.2)
    mujoco.mj_step(theirs, data, n)
    start = {"q": [0.3, 0.1, -0.4], "controls": [0.5, 0.2]}
    run = ph.simulate(scene.with_start("a", q=start["q"]), step * n, controls=start["controls"])
    assert abs(run.q[-1] - data.qpos).max() < 1e-3
    held = np.tile(start["controls"], (n, 1))
    motion = ph.rollout(scene, q=start["q"], controls=held, steps=n, dt=step)
    assert abs(motion.q[-1] - data.qpos).max() < 1e-3
    assert abs(run.q[-1] - [0.3, 0.1, -0.4]).max() > 0.05


def test_measured_and_written(tmp_path):
    """The force sensor of a joint has it; a file that is written says the same again."""
    text = document()
    scene, theirs = mjcf.parse(text).model, mujoco.MjModel.from_xml_string(text)
    data, q = mujoco.MjData(theirs), np.array([0.3, 0.1, -0.4])
    data.qpos[:] = q
    mujoco.mj_forward(theirs, data)
    found = ph.sensors(scene, q, np.zeros(3), controls=[0.0, 0.0])
    np.testing.assert_allclose(found[0], data.sensordata[0], atol=1e-12)
    ph.save(scene, tmp_path / "again.xml", format="mjcf")
    again = ph.load(tmp_path / "again.xml")
    values = actuator_values(again, q, np.zeros(3), [0.0, 0.0])
    np.testing.assert_allclose(values.force, data.actuator_force, atol=1e-12)
    for mine, other in zip(forces(again, q, [0.0] * 3, [0.0] * 2),
                           (data.qfrc_passive, data.qfrc_actuator), strict=True):  # fmt: skip
        np.testing.assert_allclose(mine, other, atol=1e-12)
