"""Actuators under held controls: compiled code finds what Python would."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.model import Actuator, Affine, Box, ForceLaw, JointTransmission, Plane, Sphere
from polhode.spatial import Transform

from .test_scene_state import CHAIN, chain

STEP = 2e-3


def acting(scene, machine, *, gain=3.0):
    """The scene with a motor and a servo on one joint of a chain."""
    servo = ForceLaw(gain=Affine(5.0), bias=Affine(0.0, -5.0, -0.2))
    for name, law in (("motor", ForceLaw(gain=Affine(gain))), ("servo", servo)):
        scene = scene.add_actuator(Actuator(name, JointTransmission(f"{machine}/bar"), law))
    return scene


def scene():
    """A chain that moves behind one that stands still."""
    rng = np.random.default_rng(0)
    made = ph.Scene("chains").add_fixed("floor", Plane(), position=(0, 0, -0.2))
    machines = chain("still", rng, moves=False), chain("last", rng)
    return acting(replace(made, machines=(*made.machines, *machines)), "last")


def called(controls):
    """The same controls by a function, which Python is asked for."""
    return lambda t, state: controls


RECORDED = "q", "qd", "tau", "tau_passive", "tau_constraint", "work"


def test_bits_are_those_of_controls_by_a_function():
    controls = np.array([0.4, 0.3])
    held, asked = (
        ph.simulate(scene(), 0.4, dt=STEP, controls=given, record=5)
        for given in (controls, called(controls))
    )
    assert held.integrator == "event_driven"
    for name in RECORDED:
        assert getattr(held, name).tobytes() == getattr(asked, name).tobytes(), name
    assert np.abs(held.tau).max() > 0.1


def test_python_is_not_called_in_the_steps():
    simulator = ph.Simulator(scene(), dt=STEP, controls=[0.4, 0.3])
    simulator.advance(STEP, 2)
    calls = []
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name))
    try:
        simulator.advance(STEP, 1)
        first = len(calls)
        simulator.advance(STEP, 500)
    finally:
        sys.setprofile(None)
    assert len(calls) < 3 * first


def test_controls_may_change_between_steps():
    one = ph.Simulator(scene(), dt=STEP, controls=[0.0, 0.0])
    now = np.array([0.0, 0.0])
    other = ph.Simulator(scene(), dt=STEP, controls=lambda t, state: now.copy())
    for k in range(20):
        now[:] = one.controls = np.array([np.sin(k), 0.1 * k])
        one.advance(STEP, 5)
        other.advance(STEP, 5)
    assert one.state[0].tobytes() == other.state[0].tobytes()
    assert one.state[1].tobytes() == other.state[1].tobytes()


def test_joint_forces_are_added():
    """Beside those of the actuators, as a controller would add them."""
    made, nv = scene(), CHAIN.nv
    tau = np.zeros(made.model.nv)
    tau[-nv:] = np.random.default_rng(3).normal(size=nv)
    ends = ph.rollout(made, tau=tau, steps=60, dt=STEP, integrator="event_driven")
    controllers = {"last": lambda t, state: tau[-nv:]}
    run = ph.simulate(made, 60 * STEP, dt=STEP, controllers=controllers, record=60)
    assert ends.q[-1].tobytes() == run.q[-1].tobytes()
    assert ends.qd[-1].tobytes() == run.qd[-1].tobytes()


@pytest.mark.parametrize("given", [list, called])
def test_a_checkpoint_goes_on_with_the_same_bits(given):
    """The forces of actuators in it are not taken for joint forces that somebody set."""
    simulator = ph.Simulator(scene(), dt=STEP, controls=given([0.4, 0.3]))
    simulator.advance(STEP, 30)
    start = simulator.checkpoint()
    simulator.advance(STEP, 30)
    first = np.concatenate(simulator.state).tobytes()
    other = ph.Simulator(scene(), dt=STEP, controls=given([0.4, 0.3]))
    for each in (simulator, other):
        each.restore(start)
        each.advance(STEP, 30)
        assert np.concatenate(each.state).tobytes() == first


@pytest.mark.parametrize("given", [list, called])
def test_a_run_is_resumed_with_the_same_bits(tmp_path, given):
    path, options = tmp_path / "run.h5", {"dt": STEP, "controls": given([0.4, 0.3]), "record": 5}
    whole = ph.simulate(scene(), 0.4, **options)
    ph.simulate(scene(), 0.2, output=path, **options)
    resumed = ph.simulate(scene(), 0.4, resume=path, **options)
    assert resumed.q[-1].tobytes() == whole.q[-1].tobytes()
    assert resumed.tau[-1].tobytes() == whole.tau[-1].tobytes()


@pytest.mark.filterwarnings("ignore::polhode.simulation.StartWarning")
@pytest.mark.parametrize("what", ["free body", "contact"])
def test_other_scenes_have_the_same_bits(what):
    """Free bodies are asked for in Python; with contact alone nothing is."""
    made = scene().contact(mu_coulomb=0.5)
    if what == "free body":
        made = made.add_body("box", Box((0.1, 0.2, 0.3)), mass=1.0, position=(5, 0, 2))
    else:
        tip = Transform.translation(0.0, 0.0, -0.5)
        made = made.add_geometry("ball", ("last", "bar"), Sphere(0.1), frame=tip)
    controls = np.array([0.4, 0.3])
    held, asked = (
        ph.simulate(made, 0.2, dt=STEP, controls=given, record=5, start="settle")
        for given in (controls, called(controls))
    )
    assert (len(held.contact_pair) > 0) == (what == "contact")
    for name in RECORDED:
        assert getattr(held, name).tobytes() == getattr(asked, name).tobytes(), name


BODIES = """<geom type="plane" size="2 2 .1"/>
<body pos="0 0 .1"><freejoint/><geom type="box" size=".05 .05 .05"/></body>
<body pos=".5 0 .5"><joint name="j" axis="0 1 0" damping=".1"/>
  <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
  <body pos=".3 0 0" gravcomp="{carried}"><joint name="k" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/></body></body>"""
TENDON = """<tendon><fixed name="t" stiffness="3" damping=".2"><joint joint="j" coef="1"/>
<joint joint="k" coef="-1"/></fixed></tendon>"""
DRIVEN = """<actuator><position joint="j" kp="30" kv="1"/><motor joint="k"/></actuator>"""
SURROUNDED = {
    "tendon": ("", 0, TENDON + DRIVEN),
    "tendon alone": ("", 0, TENDON),
    "carried": ("", 0.7, DRIVEN),
    "fluid": ('<option density="100" viscosity="0.3"/>', 0, DRIVEN),
    "box": ("", 0, DRIVEN),
}


@pytest.mark.parametrize("name", SURROUNDED)
def test_what_surrounds_a_robot_is_found_without_python(name, tmp_path):
    """Beside boxes that nothing but contact acts on, too; with the bits of called controls."""
    option, carried, more = SURROUNDED[name]
    bodies = BODIES.format(carried=carried)
    if name not in ("box", "tendon"):  # these would act on it, or be asked for by Python
        bodies = bodies.replace("<freejoint/>", '<joint type="slide" axis="0 0 1"/>')
    path = tmp_path / "scene.xml"
    path.write_text(f"<mujoco>{option}<worldbody>{bodies}</worldbody>{more}</mujoco>")
    made = ph.load(path)
    controls = [0.3, 0.1] if made.actuators else []
    held = ph.Simulator(made, dt=STEP, controls=controls or None)
    forces = {"forces": lambda t, simulator: {}}  # makes each step call Python
    asked = ph.Simulator(made, dt=STEP, controls=controls or None, **forces)
    assert (held._callables.is_called, asked._callables.is_called) == (False, True)
    for simulator in (held, asked):
        simulator.advance(STEP, 300)
    for one, other in zip(held.state, asked.state, strict=True):
        assert one.tobytes() == other.tobytes()
