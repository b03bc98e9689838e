"""Simulators without contact: schemes, their orders, dense output, events, Moby's own scheme."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import polhode as ph
from contact.stepping_scenes import four_bar, pendulum
from polhode.model.joints import FloatingBase, Revolute
from polhode.model.shapes import Box
from polhode.scene import (
    Damping,
    DampingGains,
    Dissipation,
    JointSettings,
    Scene,
    StokesDrag,
    UniformGravity,
)


def top(kind="simulator"):
    """A body that tumbles, a pendulum on it, viscous friction, drag, a second gravity."""
    model = ph.Model("m").add("body", joint=FloatingBase(), mass=2.0, com=(0.1, 0, 0.05),
                              inertia=(0.2, 0.3, 0.4))  # fmt: skip
    model = model.add("arm", parent="body", joint=Revolute.x(), mass=0.5, com=(0, 0, -0.4),
                      inertia=(0.02, 0.02, 0.001))  # fmt: skip
    q = [0, 0, 1, 0.1, -0.2, 0.3, 0.5, math.sqrt(0.86)]
    scene = Scene("top").add_machine(
        model, "m", q=q, qd=[1, 0, 2, 3, -2, 1, 0.5],
        joint_settings=[JointSettings("arm", viscous_friction=0.1)],
    )  # fmt: skip
    scene = scene.add_body("ball", Box((0.2, 0.3, 0.4)), mass=1.0, spin=(4, 1, -2))
    scene = scene.add_force(StokesDrag("air", 0.3, 0.02))
    gains = (DampingGains("body", linear_squared=0.1, angular_squared=0.01),)
    scene = scene.add_force(Damping("water", gains)).add_force(
        UniformGravity("wind", (1.0, 0.5, 0.0), ("m",))
    )
    return scene.with_settings(kind=kind)


def end_of(scene, t=0.5, **options):
    simulator = ph.Simulator(scene, **options)
    simulator.advance_to(t)
    return np.concatenate(simulator.state)


def test_schemes_agree():
    """Symplectic to the second order, Runge-Kutta's to the fourth, with SciPy's."""
    truth = end_of(top(), integrator="DOP853", rtol=1e-12, atol=1e-13)
    for scheme in ("RK45", "LSODA"):
        assert end_of(top(), integrator=scheme, rtol=1e-9) == pytest.approx(truth, abs=1e-5)
    for scheme, order, dt in (
        ("event_driven", 2, 2e-3),
        ("symplectic", 2, 2e-3),
        ("rk4", 4, 2e-2),
        ("moby", 1, 2e-3),
    ):
        coarse, fine = (
            np.abs(end_of(top(), integrator=scheme, dt=h) - truth).max() for h in (dt, dt / 2)
        )
        assert math.log2(coarse / fine) == pytest.approx(order, abs=0.3), scheme


def test_a_controller_and_forces_act_alike():
    """Callables of every scheme; a push held from outside."""

    def controller(t, state):
        return np.array([0, 0, 0, 0, 0, 0, 0.3 * math.sin(5.0 * t) - 0.2 * state.qd[6]])

    def forces(t, simulator):
        return {("ball", "ball"): (0, 0, 0.1, math.sin(t), 0, 2.0)}

    def end(**options):
        simulator = ph.Simulator(top(), controllers={"m": controller}, forces=forces, **options)
        simulator.push("m", "arm", (0, 0.1, 0, 0, 0, 1.0))
        simulator.advance_to(0.5)
        return np.concatenate(simulator.state)

    truth = end(integrator="DOP853", rtol=1e-10)
    assert end(integrator="rk4", dt=5e-3) == pytest.approx(truth, abs=1e-6)
    # Held over each step: of the first order.
    assert end(integrator="event_driven", dt=2e-4) == pytest.approx(truth, abs=2e-3)
    assert np.abs(truth - end_of(top(), integrator="DOP853")).max() > 0.01


def test_four_bar_by_every_scheme():
    """A loop in coordinates: its equation of motion."""
    swing = solve_ivp(
        lambda t, y: (y[1], -22.0725 * math.sin(y[0])), (0, 1), (0.6, 0), rtol=1e-11, atol=1e-12
    )
    for options, bound in (
        ({"integrator": "rk4", "dt": 1e-2}, 1e-6),
        ({"integrator": "DOP853"}, 1e-6),
        ({"integrator": "event_driven"}, 1e-5),
        ({"integrator": "moby"}, 1e-2),
    ):
        simulator = ph.Simulator(four_bar(), **options)
        simulator.advance_to(1.0)
        assert simulator.state_of("bars")[0][0] == pytest.approx(swing.y[0, -1], abs=bound)
        assert simulator.current_time == pytest.approx(1.0)


def bar(kind="time-stepping"):
    """A bar on a hinge, level at first: mass 2, its centre 1 away, inertia 0.0083333 there."""
    model = ph.Model("bar").add("bar", joint=Revolute.y(), mass=2.0, com=(1.0, 0, 0),
                                inertia=(1e-3, 0.0083333, 0.0083333))  # fmt: skip
    return Scene("bar").add_machine(model, "bar").with_settings(kind=kind)


def test_moby_as_moby_measured():
    """What Moby itself computed for this pendulum after a second in steps of 1 ms; the truth."""
    moby = ph.Simulator(bar(), integrator="moby", dt=1e-3)
    moby.advance_to(1.0)
    assert moby.state_of("bar")[0][0] == pytest.approx(2.97116, abs=2e-5)
    exact = ph.Simulator(bar(), integrator="DOP853", rtol=1e-11)
    exact.advance_to(1.0)
    (q,), (qd,) = exact.state_of("bar")
    assert (q, qd) == pytest.approx((2.97206589, 1.81561862), abs=1e-7)


def test_moby_euler_is_explicit():
    """One step of either scheme by hand, for the two kinds of simulators."""
    h, inertia = 0.1, 0.0083333 + 2.0
    rate = 2.0 * 9.81 / inertia
    for kind, angles in (("simulator", (0.0, h * rate)), ("time-stepping", (0.0, h * rate))):
        simulator = ph.Simulator(bar(kind), integrator="moby", dt=h)
        simulator.step(h)
        (q,), (qd,) = simulator.state_of("bar")
        assert (q, qd) == pytest.approx(angles, abs=1e-12)
        simulator.step(h)
        (q,), (qd,) = simulator.state_of("bar")
        at = 0.0 if kind == "simulator" else h * h * rate
        assert q == pytest.approx(h * h * rate, abs=1e-12)
        assert qd == pytest.approx(h * rate * (1.0 + math.cos(at)), abs=1e-12)


def test_dense_output_and_events():
    """A pendulum passes its lowest point at quarters of its period, wherever the solver stepped."""
    model = ph.Model("bar").add("bar", joint=Revolute.y(), mass=1.0, com=(0, 0, -1.0),
                                inertia=(0.1, 0.1, 0.1))  # fmt: skip
    scene = Scene("bar").add_machine(model, "bar", q=[1.0])
    period = 4.0 * math.sqrt(1.1 / 9.81) * ellipk(math.sin(0.5) ** 2)
    simulator = ph.Simulator(scene, integrator="DOP853", rtol=1e-11, atol=1e-12)

    def passes(t, q, qd):
        return q[0]

    def is_late(t, q, qd):
        return t - 2.1 * period

    is_late.terminal = True
    flight = simulator.solve(10.0, events=[passes, is_late])
    expected = period * np.array([0.25, 0.75, 1.25, 1.75])
    assert flight.event_times[0] == pytest.approx(expected, abs=1e-8)
    assert flight.stopped_by == 1
    assert simulator.current_time == pytest.approx(2.1 * period)
    q, qd = flight.state(period)
    assert (q[0], qd[0]) == pytest.approx((1.0, 0.0), abs=1e-7)
    simulator.step(1e-3)
    assert simulator.current_time == pytest.approx(2.1 * period + 1e-3)


def test_dissipation_acts_once_in_each_step():
    """Rates of joints are halved, those of single bodies are not; SciPy's schemes have no steps."""
    model = ph.Model("wheel").add("wheel", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 1))
    scene = Scene("two", gravity=(0, 0, 0)).add_machine(model, "wheel", qd=[8.0])
    scene = scene.add_body("box", Box((1, 1, 1)), mass=1.0, spin=(0, 0, 8.0))
    scene = replace(scene, dissipation=Dissipation((("wheel", 0.5),)))
    for scheme in ("event_driven", "symplectic", "rk4", "moby"):
        simulator = ph.Simulator(scene, integrator=scheme, dt=1e-3)
        simulator.advance(1e-3, 3)
        assert simulator.state_of("wheel")[1][0] == pytest.approx(1.0, rel=1e-12)
        assert simulator.state_of("box")[1][5] == pytest.approx(8.0, rel=1e-12)
    with pytest.raises(ph.ModelError, match="once in each step"):
        ph.Simulator(scene, integrator="RK45")


def test_recordings_of_schemes():
    """`simulate` records, keeps and resumes what any scheme does."""
    scene = top()
    whole = ph.simulate(scene, 0.4, integrator="rk4", dt=1e-2, progress=False)
    assert len(whole.times) == 41
    assert whole.q[-1] == pytest.approx(
        end_of(scene, 0.4, integrator="rk4", dt=1e-2)[:15], abs=1e-12
    )
    smooth = [ph.simulate(scene, 0.4, integrator="DOP853", dt=1e-2, progress=False) for _ in "ab"]
    assert smooth[0].q == pytest.approx(whole.q, abs=1e-6)
    assert smooth[0].q.tobytes() == smooth[1].q.tobytes()
    assert whole.q[-1].tobytes() == _in_parts(scene)
    simulator = ph.Simulator(scene, integrator="rk4", dt=1e-2)
    simulator.advance(1e-2, 20)
    again = ph.Simulator(scene, integrator="rk4", dt=1e-2)
    again.restore(simulator.checkpoint())
    for each in (simulator, again):
        each.advance(1e-2, 20)
    assert np.concatenate(again.state).tobytes() == np.concatenate(simulator.state).tobytes()


def _in_parts(scene):
    """The end of the same run, in two calls and through a checkpoint."""
    first, second = (ph.Simulator(scene, integrator="rk4", dt=1e-2) for _ in "ab")
    first.advance(1e-2, 7)
    second.restore(first.checkpoint())
    second.advance(1e-2, 33)
    return second.state[0].tobytes()


@pytest.mark.parametrize(
    ("scene", "options", "text"),
    [
        (
            pendulum(),
            {"integrator": "rk4"},
            "limits of joints are simulated by integrators 'event_driven' and 'moreau'",
        ),
        (bar(), {"integrator": "rk5"}, "did you mean 'rk4'"),
        (bar(), {"integratr": "rk4"}, "did you mean 'integrator'"),
    ],
)
def test_what_a_scheme_cannot(scene, options, text):
    """Limits and misspelt names are refused when the simulator is made."""
    with pytest.raises((ValueError, TypeError), match=text):
        ph.Simulator(scene, **options)


def test_solve_is_for_solvers():
    """A fixed step has no dense output."""
    with pytest.raises(ValueError, match="expected one of SciPy's integrators"):
        ph.Simulator(bar()).solve(1.0)
