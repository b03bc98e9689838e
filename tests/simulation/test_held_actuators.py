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
    """Beside a free body, or with contact."""
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
<body pos="0 0 .1"><freejoint/><geom type="box" size=".05 .05 .05" pos=".01 .02 0"/>
  <site name="s" pos=".02 0 .05"/></body>
<body pos=".5 0 .5"><joint name="j" axis="0 1 0" damping=".1"/>
  <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
  <body pos=".3 0 0" gravcomp="{carried}"><joint name="k" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/><site name="r" pos=".3 0 0"/>
    </body></body>"""
TENDON = """<tendon><fixed name="t" stiffness="3" damping=".2"><joint joint="j" coef="1"/>
<joint joint="k" coef="-1"/></fixed></tendon>"""
DRIVEN = """<actuator><position joint="j" kp="30" kv="1"/><motor joint="k"/></actuator>"""
SURROUNDED = {
    "tendon": ("", 0, TENDON + DRIVEN),
    "tendon alone": ("", 0, TENDON),
    "carried": ("", 0.7, DRIVEN),
    "fluid": ('<option density="100" viscosity="0.3"/>', 0, DRIVEN),
    "box": ("", 0, DRIVEN),
    "thruster": (
        "",
        0,
        DRIVEN.replace("<motor", '<general site="s" gear="1 2 3 .1 .2 .3"/><motor'),
    ),
    "string": (
        "",
        0,
        DRIVEN + '<tendon><spatial stiffness="9" damping=".1"><site site="s"/>'
        '<site site="r"/></spatial></tendon>',
    ),
}


@pytest.mark.parametrize("name", SURROUNDED)
def test_what_surrounds_a_robot_is_found_without_python(name, tmp_path):
    """Beside boxes that nothing but contact acts on, too; with the bits of called controls."""
    option, carried, more = SURROUNDED[name]
    bodies = BODIES.format(carried=carried)
    path = tmp_path / "scene.xml"
    path.write_text(f"<mujoco>{option}<worldbody>{bodies}</worldbody>{more}</mujoco>")
    made = ph.load(path)
    controls = np.linspace(0.3, 0.1, made.n_controls).tolist()
    held = ph.Simulator(made, dt=STEP, controls=controls or None)
    forces = {"forces": lambda t, simulator: {}}  # makes each step call Python
    asked = ph.Simulator(made, dt=STEP, controls=controls or None, **forces)
    assert (held._callables.is_called, asked._callables.is_called) == (False, True)
    for simulator in (held, asked):
        simulator.advance(STEP, 300)
    for one, other in zip(held.state, asked.state, strict=True):
        assert one.tobytes() == other.tobytes()


STATES = """<mujoco><option timestep="0.002"/><worldbody>
<body><joint name="j" axis="0 1 0" damping=".1" range="-60 60" limited="true"/>
  <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03"/>
  <site name="a" pos=".03 0 -.2"/><site name="s" pos=".03 0 -.02"/>
  <body pos="0 0 -.3"><joint name="k" axis="0 1 0" armature=".01"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.3" size=".03"/><site name="b" pos=".03 0 -.1"/>
    <body pos="0 0 -.3"><joint name="l" axis="0 1 0" armature=".01"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.1" size=".02"/></body></body></body>
<body pos="1 0 0"><freejoint/><geom type="sphere" size=".1"/></body></worldbody>
<tendon><spatial name="t"><site site="a"/><site site="b"/></spatial></tendon>
<actuator>{}</actuator></mujoco>"""
WITH_STATES = {
    "filter": '<general joint="j" dyntype="filter" dynprm=".05" gainprm="3"/>',
    "exact filter": '<general joint="j" dyntype="filterexact" dynprm=".03" gainprm="3"/>',
    "integrator": '<intvelocity joint="j" kp="5" kv=".2" actrange="-1 1"/>',
    "muscles": '<muscle joint="k" lengthrange="-2 2" force="3"/>'
    '<motor joint="j"/><muscle joint="j" lengthrange="-1 1" force="2"/>',
    "all": '<general joint="l" dyntype="filter" dynprm=".05"/><motor joint="k"/>'
    '<intvelocity joint="j" kp="5" actrange="-1 1"/><muscle joint="k" lengthrange="-2 2"/>',
}


def with_states(name, folder):
    path = folder / "states.xml"
    path.write_text(STATES.format(WITH_STATES[name]))
    return ph.load(path)


def asking(made, **options):
    """A simulator whose steps call Python, as functions that do nothing make them."""
    return ph.Simulator(made, dt=STEP, forces=lambda t, simulator: {}, **options)


@pytest.mark.parametrize("name", WITH_STATES)
def test_activation_goes_on_without_python(name, tmp_path):
    """With the bits of called code, whatever is set between steps, and in records."""
    made = with_states(name, tmp_path)
    controls = np.linspace(0.9, 0.2, made.n_controls)
    held, asked = ph.Simulator(made, dt=STEP, controls=controls), asking(made, controls=controls)
    assert (held._callables.is_called, asked._callables.is_called) == (False, True)
    for k in range(12):
        for simulator in (held, asked):
            if k % 3 == 1:
                simulator.controls = controls * np.cos(k)
            if k == 7:
                simulator.activation = np.full(made.n_activations, 0.3)
            simulator.advance(STEP, 1 + 4 * (k % 2))
        assert held.activation.tobytes() == asked.activation.tobytes()
        for one, other in zip(held.state, asked.state, strict=True):
            assert one.tobytes() == other.tobytes()
    assert np.abs(held.activation).max() > 1e-3
    runs = [
        ph.simulate(made, 0.3, dt=STEP, controls=given, record=7)
        for given in (controls, called(controls))
    ]
    for column in (*RECORDED, "controls", "activation"):
        first = 1 if column == "controls" else 0  # a function is asked when the first step begins
        one, other = (getattr(run, column)[first:] for run in runs)
        assert one.tobytes() == other.tobytes(), column
    assert len(np.unique(runs[0].activation[:, 0])) > 5


@pytest.mark.parametrize("name", ["filter", "all"])
def test_activation_is_in_checkpoints(name, tmp_path):
    made = with_states(name, tmp_path)
    controls = np.linspace(0.9, 0.2, made.n_controls)
    first = ph.Simulator(made, dt=STEP, controls=controls)
    first.advance(STEP, 30)
    start = first.checkpoint()
    first.advance(STEP, 30)
    other = ph.Simulator(made, dt=STEP, controls=controls)
    for simulator in (first, other):
        if simulator is other:
            ends = np.concatenate([*first.state, first.activation]).tobytes()
        simulator.restore(start)
        simulator.advance(STEP, 30)
        if simulator is other:
            assert np.concatenate([*other.state, other.activation]).tobytes() == ends
    path, options = tmp_path / "run.h5", {"dt": STEP, "controls": controls, "record": 5}
    whole = ph.simulate(made, 0.4, **options)
    ph.simulate(made, 0.2, output=path, **options)
    resumed = ph.simulate(made, 0.4, resume=path, **options)
    for column in ("q", "tau", "activation"):
        assert getattr(resumed, column)[-1].tobytes() == getattr(whole, column)[-1].tobytes()


def test_calls_of_muscles_in_rollouts_have_the_same_bits(tmp_path):
    made = with_states("muscles", tmp_path)
    controls = np.random.default_rng(1).uniform(0.0, 1.0, (4, 25, made.n_controls))
    q = np.broadcast_to(made.q0, (4, made.model.nq))
    ends = ph.rollout(made, steps=25, dt=STEP, q=q, controls=controls, integrator="event_driven")
    for world in range(4):
        simulator = ph.Simulator(made, dt=STEP)
        for u in controls[world]:
            simulator.controls = u
            simulator.step()
        assert ends.q[-1, world].tobytes() == simulator.state[0].tobytes()
