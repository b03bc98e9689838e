"""Moby's own examples, simulated: five seconds of each that can be read."""

from __future__ import annotations

import warnings
from contextlib import nullcontext

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.formats import moby
from reference.cases import MODELS

HOME = MODELS / "moby"
FILES = [path for path in sorted(HOME.glob("**/*.xml")) if path.stem not in
         ("contact-constrained-pendulum", "ellipse2D", "walker", "ur10")]  # fmt: skip
DRIVEN = ("rolling-spheres-polyhedral", "multibody-with-prismatic")  # by a surface, in big steps
OVERLAPPING = ("ramp", "pendulum-gears-impact", "tare-pendulum")  # or beyond a limit, at the start


def label(path) -> str:
    return f"{path.parent.name}-{path.stem}"


@pytest.mark.parametrize("path", FILES, ids=label)
def test_five_seconds(path):
    """No exception, no NaN, nothing lost; couplings closed, and energy that does not grow."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ph.ModelWarning)
        scene = ph.load(path)
    starts_badly = {path.stem, label(path)} & {*OVERLAPPING}
    with pytest.warns(ph.simulation.StartWarning) if starts_badly else nullcontext():
        recording = ph.simulate(scene, 5.0, record=0.1, progress=False, start="keep")
    audit = recording.audit
    assert recording.stopped == ""
    assert np.isfinite(recording.q).all()
    assert np.isfinite(recording.qd).all()
    assert (audit.loop_error or 0.0) < 1e-8
    assert audit.unconverged <= 0.01 * audit.solves
    if not {path.stem, label(path)} & {*DRIVEN, *OVERLAPPING}:
        # The way of a tip in one step; the order is two.
        way = recording.dt * np.abs(recording.qd).sum(axis=-1).max()
        assert audit.energy_rise < (1e-6 + way**2) * audit.energy_scale + 1e-8


def test_spin_against_a_planar_joint_ends_at_once():
    """Moby's example of a box that spins about an axis its joint forbids; Moby gives NaN."""
    scene = ph.load(HOME / "planar-joint" / "constrained.xml")
    recording = ph.simulate(scene, 1.0, record=1, dt=1e-3, progress=False)
    q, qd = recording.of("box")
    assert qd[1, 3:6] == pytest.approx(np.zeros(3), abs=1e-9)
    # Gravity of (1, -9.81, 1) with a joint that lets it slide across y.
    t = recording.times
    way = q[:, :3] - q[0, :3]
    assert way == pytest.approx(np.stack((0.5 * t**2, 0 * t, 0.5 * t**2), 1), abs=1e-6)


def test_gears_of_the_example():
    """A pendulum that turns a rotor ten times as far: its acceleration at the start."""
    scene = ph.load(HOME / "gears" / "pendulum-gears.xml")
    simulator = ph.Simulator(scene, dt=1e-4)
    before = simulator.state_of("pendulum")[1].copy()
    simulator.step(1e-4)
    model = scene.machine("pendulum").model
    rate = dict(zip((j.name for j in model.joints),
                    (simulator.state_of("pendulum")[1] - before) / 1e-4, strict=True))  # fmt: skip
    assert rate["q"] == pytest.approx(-0.0962, abs=2e-4)
    assert rate["q2"] == pytest.approx(10.0 * rate["q"], rel=1e-9)


SWING = """<XML><MOBY>
<GravityForce id="g" accel="0 -9.81 0"/><Box id="b" xlen="2" ylen="0.1" zlen="0.1" mass="1"/>
<RigidBody id="wall" enabled="false"/>
<RigidBody id="bar" position="1 0 0"><InertiaFromPrimitive primitive-id="b"/></RigidBody>
<RevoluteJoint id="hinge" inboard-link-id="wall" outboard-link-id="bar" location="0 0 0"
  axis="0 0 1" lower-limits="-0.7" upper-limits="2" restitution-coeff="{e}"
  viscous-friction-coeff="{c}"/>
<TimeSteppingSimulator id="s"><DynamicBody dynamic-body-id="bar"/>
<DynamicBody dynamic-body-id="wall"/><ImplicitConstraint joint-id="hinge"/>
<RecurrentForce recurrent-force-id="g"/></TimeSteppingSimulator></MOBY></XML>"""


def test_limits_of_an_implicit_joint():
    """A bar on an implicit hinge falls to its limit, and rebounds with half its speed."""
    scene = moby.parse(SWING.format(e=0.5, c=0)).model
    recording = ph.simulate(scene, 0.6, record=1, dt=1e-3, progress=False)
    (q, qd) = recording.of("bar")
    angle, rate = np.arctan2(q[:, 1], q[:, 0]), qd[:, 5]
    assert angle.min() >= -0.7 - 1e-6
    assert angle.min() == pytest.approx(-0.7, abs=2e-3)  # to a step
    inertia = 1.0 + (4.0 + 0.01) / 12.0
    speed = -np.sqrt(2.0 * 9.81 * np.sin(0.7) / inertia)
    hit = int(np.argmax(rate > 0.0))
    assert rate[hit - 1] == pytest.approx(speed, rel=5e-3)
    assert rate[hit] == pytest.approx(-0.5 * speed, rel=5e-3)
    assert recording.report["impacts"] >= 1


def test_friction_of_an_implicit_joint():
    """Viscous friction slows the fall by what the equation of motion says."""
    scene = moby.parse(SWING.format(e=0, c=2)).model
    end = ph.simulate(scene, 0.3, dt=1e-3, progress=False).of("bar")[0][-1]
    inertia = 1.0 + (4.0 + 0.01) / 12.0
    fall = solve_ivp(
        lambda t, y: (y[1], -(9.81 * np.cos(y[0]) + 2.0 * y[1]) / inertia), (0, 0.3), (0, 0),
        rtol=1e-10, atol=1e-12,
    ).y[0, -1]  # fmt: skip
    assert np.arctan2(end[1], end[0]) == pytest.approx(fall, abs=1e-6)
