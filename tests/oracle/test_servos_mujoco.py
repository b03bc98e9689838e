"""Servos in steps beside MuJoCo's `implicitfast`, which takes their damping implicitly, too."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import polhode as ph

pytestmark = pytest.mark.oracle

ARM = """<mujoco><option timestep="0.002" integrator="implicitfast" gravity="0 0 0"/>
<default><joint armature="1e-4"/></default>
<worldbody><body><joint name="a" type="slide"/>
<inertial pos="0 0 0" mass="0.01" diaginertia="1e-5 1e-5 1e-5"/></body></worldbody>
<actuator>{actuators}</actuator></mujoco>"""
SERVOS = {
    "velocity": '<velocity joint="a" kv="40"/>',
    "geared": '<velocity joint="a" kv="3" gear="5"/>',
    "clamped": '<velocity joint="a" kv="40" forcerange="-0.01 0.01"/>',
    "damper": '<damper joint="a" kv="9" ctrlrange="0 2"/><motor joint="a" gear="0.3"/>',
    "voltage": '<dcmotor joint="a" motorconst="2" resistance="0.05"/>',
}


@pytest.mark.parametrize("name", SERVOS)
def test_steps_are_those_of_mujoco(name, tmp_path):
    text = ARM.format(actuators=SERVOS[name])
    theirs = mujoco.MjModel.from_xml_string(text)
    (tmp_path / "arm.xml").write_text(text)
    scene, data = ph.load(tmp_path / "arm.xml"), mujoco.MjData(theirs)
    controls = np.random.default_rng(2).uniform(0.0, 1.5, (50, theirs.nu))
    data.qvel[0] = 0.7
    speeds = []
    for u in controls:
        data.ctrl[:] = u
        mujoco.mj_step(theirs, data)
        speeds.append(float(data.qvel[0]))
    run = ph.rollout(scene, qd=np.full((1, 1), 0.7), controls=controls[None], steps=50, dt=0.002,
                     record_every=1)  # fmt: skip
    assert np.allclose(run.qd[1:, 0, 0], speeds, rtol=1e-9, atol=1e-12)
