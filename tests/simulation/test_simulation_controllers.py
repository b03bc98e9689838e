"""Controllers, held controllers, external forces, and what goes wrong with them."""

import numpy as np
import pytest

import polhode as ph
from polhode.model import Revolute
from polhode.simulation import SimulationError
from polhode.simulation.integrators import adaptive


@pytest.mark.parametrize("method", ["symplectic", "rk4", "RK45"])
def test_held_controller_is_called_once_a_period(pendulum, method):
    """The calls come in order at the multiples of the period, the forces stay between."""
    calls = []

    def controller(t, state):
        calls.append(t)
        return np.array([t, -t])

    held = ph.simulation.zero_order_hold(controller, 0.03)
    run = ph.simulate(pendulum, 0.1, controller=held, record=0.01, integrator=method, dt=0.004)
    assert np.allclose(calls, [0.0, 0.03, 0.06, 0.09], rtol=0, atol=1e-12)
    expected = 0.03 * np.floor(run.times / 0.03 + 1e-9)
    assert np.allclose(run.tau[:, 0], expected, rtol=0, atol=1e-12)


def test_a_period_that_is_no_multiple_of_the_step_keeps_the_order(pendulum):
    """Steps end where a held force changes, so the error still falls with the square."""
    held = ph.simulation.zero_order_hold(lambda t, s: 2.0 * np.cos(30.0 * t) - s.qd, 0.0137)
    options = dict(q0=[0.5, 0.2], controller=held, record=0.3)
    exact = ph.simulate(pendulum, 0.3, integrator="DOP853", rtol=1e-13, atol=1e-13, **options)
    errors = [
        np.abs(ph.simulate(pendulum, 0.3, dt=dt, **options).q[-1] - exact.q[-1]).max()
        for dt in (0.008, 0.002)
    ]
    assert 9.0 < errors[0] / errors[1] < 40.0


def test_a_controller_sees_the_state_and_may_change_its_copy(pendulum):
    """Positions, velocities, time, model; scribbling over them does no harm."""
    seen = []

    def controller(t, state):
        seen.append((state.t, state.q.copy(), state.model))
        state.q[:] = state.qd[:] = np.nan
        return np.zeros(2)

    run = ph.simulate(pendulum, 0.01, q0=[1.0, 0.5], controller=controller)
    free = ph.simulate(pendulum, 0.01, q0=[1.0, 0.5])
    assert seen[0][0] == 0.0 and seen[0][1].tolist() == [1.0, 0.5] and seen[0][2] is pendulum
    assert run.q.tobytes() == free.q.tobytes()


@pytest.mark.parametrize("method", ["symplectic", "RK45"])
@pytest.mark.parametrize("answer", [np.zeros(3), 1.0, None, "push", [[0.0]], np.zeros((2, 1))])
def test_forces_that_do_not_fit_are_refused(pendulum, method, answer):
    """The error names what was expected, what came, and when."""
    with pytest.raises(ph.ShapeError, match=r"expected forces of the controller of shape \(2,\)"):
        ph.simulate(pendulum, 0.1, controller=lambda t, s: answer, integrator=method)


@pytest.mark.parametrize("method", ["symplectic", "rk4", "RK45", "LSODA"])
def test_nan_from_a_controller_stops_the_run_and_keeps_it(pendulum, method):
    """What was recorded before the failure is in the error."""

    def controller(t, state):
        return np.full(2, np.nan) if t > 0.05 else np.zeros(2)

    with pytest.raises(SimulationError, match="NaN") as failure:
        ph.simulate(pendulum, 0.1, controller=controller, integrator=method, record=0.01)
    kept = failure.value.recording
    assert kept.stopped and 1 <= len(kept.times) <= 7  # LSODA looks far ahead
    assert np.isfinite(kept.q).all()


@pytest.mark.parametrize("method", ["symplectic", "RK45", "LSODA"])
def test_errors_of_a_controller_come_through(pendulum, method):
    """The user's own exception, with a note of when it was raised."""

    def controller(t, state):
        raise ValueError("my own mistake")

    with pytest.raises(ValueError, match="my own mistake") as failure:
        ph.simulate(pendulum, 0.1, controller=controller, integrator=method)
    assert type(failure.value) is ValueError
    assert "in the controller, at t = 0 s" in failure.value.__notes__[0]


def test_keyboard_interrupt_keeps_the_recording(pendulum):
    """The interrupt goes on, with a recording that ends there and says so."""

    def controller(t, state):
        if t > 0.05:
            raise KeyboardInterrupt
        return np.zeros(2)

    with pytest.raises(KeyboardInterrupt, match=r"interrupted at t = 0\.05 s") as interrupt:
        ph.simulate(pendulum, 1.0, controller=controller)
    run = interrupt.value.recording
    assert run.stopped == "interrupted at t = 0.05 s"
    assert run.times[-1] == 0.05 and run.q.shape == (6, 2)


def test_a_failed_batch_keeps_the_worlds_before_it(pendulum):
    """SciPy's methods go world by world: finished worlds stay, the others are NaN."""

    def controller(t, state):
        return np.full(2, np.nan) if state.q[0] > 0.5 and t > 0.02 else np.zeros(2)

    q0 = np.array([[0.1, 0.0], [0.9, 0.0], [0.2, 0.0]])
    with pytest.raises(SimulationError, match="NaN") as failure:
        ph.simulate(pendulum, 0.05, q0=q0, controller=controller, integrator="RK45")
    kept = failure.value.recording
    alone = ph.simulate(pendulum, 0.05, q0=q0[0], controller=controller, integrator="RK45")
    assert kept.q[:, 0].tobytes() == alone.q.tobytes()
    assert np.isnan(kept.q[:, 2]).all()


def test_only_a_zero_order_hold_is_held(pendulum):
    """A controller that happens to have a ``period`` is still called every step."""

    class Clock:
        period = 0.05
        calls = 0

        def __call__(self, t, state):
            self.calls += 1
            return np.zeros(2)

    clock = Clock()
    ph.simulate(pendulum, 0.1, controller=clock)
    assert clock.calls > 100


def test_an_unstable_run_stops_with_what_it_has(pendulum):
    """A force that pumps energy without bound ends in an error, not in NaN results."""
    with pytest.raises(SimulationError, match=r"not finite|too long") as failure:
        ph.simulate(
            pendulum, 50.0, q0=[1.0, 0.1], controller=lambda t, s: 5e2 * s.qd, integrator="rk4"
        )
    assert np.isfinite(failure.value.recording.q).all()


def test_the_first_world_that_fails_is_named(pendulum):
    """In a batch the error says which worlds stopped being finite."""
    q0 = np.zeros((5, 2))
    qd0 = np.zeros((5, 2))
    qd0[3] = 1e200
    with pytest.raises(SimulationError, match="1 of 5 worlds, the first of them 3"):
        ph.simulate(pendulum, 0.1, q0=q0, qd0=qd0, integrator="rk4")


def test_a_step_too_long_for_the_damping_is_an_error(pendulum):
    """The implicit half step that cannot be solved is reported, with a way out."""
    with pytest.raises(SimulationError, match=r"too long .* integrator='Radau'"):
        ph.simulate(pendulum, 0.1, qd0=[1.0, 1.0], controller=lambda t, s: -1e4 * s.qd, dt=1e-3)


UNSTABLE, STIFF = "does not stabilise the motion", "a stiff model.* may need integrator='Radau'"


@pytest.mark.parametrize(
    ("law", "integrator", "most", "advice"),
    [
        (lambda t, s: 10.0 * s.qd**2 + 1.0, "RK45", 2000, f"the speeds grew to .* {UNSTABLE}"),
        (lambda t, s: 10.0 * s.qd**2 + 1.0, "LSODA", 2000, f"the speeds grew to .* {UNSTABLE}"),
        (lambda t, s: -1e7 * s.qd, "RK45", 2000, STIFF),
        (lambda t, s: -10.0 * np.sign(s.q) - 10.0 * np.sign(s.qd), "Radau", 100, "smaller rtol"),
    ],
)
def test_causes_of_failures_of_scipy(law, integrator, most, advice, monkeypatch):
    """Speeds that explode are told apart from steps that are small for another reason."""
    monkeypatch.setattr(adaptive, "_EVALUATIONS_AT_LEAST", most)
    monkeypatch.setattr(adaptive, "_EVALUATIONS_PER_STEP", 0)
    model = ph.Model("rotor").add("rotor", joint=Revolute.z(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(SimulationError, match=advice) as failure:
        ph.simulate(model, 1.0, qd0=[1.0], controller=law, integrator=integrator)
    assert ("Radau'" in str(failure.value)) == ("stiff" in advice or integrator == "Radau")


def test_external_forces_act(brick):
    """A constant push through the centre of mass lifts a brick by Newton's law."""
    mass, g = 1.3, 9.81
    loads = np.zeros((brick.n_bodies, 6))

    def lift(t, state):
        com = ph.center_of_mass(brick, state.q)
        force = np.array((0.0, 0.0, 2.0 * mass * g))
        loads[-1] = np.concatenate((np.cross(com, force), force))
        return loads

    run = ph.simulate(brick, 0.5, f_ext=lift, integrator="rk4")
    assert np.allclose(run.q[-1][:3], [0.0, 0.0, 0.5 * g * 0.25], rtol=0, atol=1e-9)
    assert run.audit.relative_energy_balance < 1e-9


@pytest.mark.parametrize("loads", [np.zeros((3, 6)), np.zeros(6), "wind"])
def test_external_forces_that_do_not_fit_are_refused(pendulum, loads):
    """Shape (n_bodies, 6), nothing else."""
    with pytest.raises(ph.ShapeError, match="expected external forces f_ext of shape"):
        ph.simulate(pendulum, 0.1, f_ext=loads)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (dict(duration=-1.0), ValueError, "duration to be positive"),
        (dict(duration=np.nan), ValueError, "duration to be positive"),
        (dict(duration=1.0, dt=0.0), ValueError, "dt to be positive"),
        (dict(duration=1.0, dt=1e-300), ValueError, "at most"),
        (dict(duration=1.0, record=-0.1), ValueError, "record to be positive"),
        (dict(duration=1.0, record=True), TypeError, "bool"),
        (dict(duration=1.0, integrator="rk5"), ValueError, "did you mean 'rk4'"),
        (dict(duration=1.0, q0=[0.0]), ValueError, "expected nq = 2 on the last axis of q0, got 1"),
        (dict(duration=1.0, qd0=0.0), ValueError, "expected nv = 2 on the last axis of qd0"),
        (dict(duration=1.0, q0=[0.0, np.inf]), ValueError, "finite start"),
        (dict(duration=1.0, q0=np.zeros((2, 2)), qd0=np.zeros((3, 2))), ValueError, "worlds"),
    ],
)
def test_wrong_arguments_are_refused_at_the_door(pendulum, arguments, error, text):
    """Each with what was expected and what came."""
    duration = arguments.pop("duration")
    with pytest.raises(error, match=text):
        ph.simulate(pendulum, duration, **arguments)


def test_quaternions_of_the_start(brick):
    """Nearly unit ones are made unit, others refused: a zero q is no position of a brick."""
    with pytest.raises(ValueError, match="unit quaternions"):
        ph.simulate(brick, 0.1, q0=np.zeros(7))
    run = ph.simulate(brick, 0.02, q0=ph.neutral(brick) * (1.0 + 1e-7))
    assert np.linalg.norm(run.q[0, 3:]) == 1.0


def test_record_times(pendulum):
    """Every 10 ms, every n steps, or a period; always the start and the end."""
    times = lambda **options: ph.simulate(pendulum, 0.105, **options).times  # noqa: E731
    assert np.allclose(times(), [*np.arange(11) * 0.01, 0.105])
    assert np.allclose(times(record=20), [0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.105])
    assert np.allclose(times(record=0.05), [0, 0.05, 0.1, 0.105])
    assert np.allclose(times(record=7.0), [0, 0.105])
    assert np.allclose(times(dt=0.05), [0, 0.05, 0.1, 0.105])


@pytest.mark.parametrize("integrator", ["event_driven", "moreau", "symplectic", "rk4", "RK45"])
def test_sampled_controls_are_asked_for_once_a_period(integrator):
    """Controls of actuators are held as the forces of controllers are."""
    model = ph.Model("bar").add(
        "bar", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1)
    )
    model = model.add_motor("motor", joint="bar", gear=2.0)
    times = []

    def ramp(t, state):
        times.append(t)
        return [t]

    held = ph.simulation.zero_order_hold(ramp, 0.02)
    run = ph.simulate(
        ph.Scene.of(model) if integrator == "moreau" else model, 0.1, dt=2e-3, controls=held,
        integrator=integrator, record=2e-3,
    )  # fmt: skip
    assert times == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08])
    assert np.unique(run.controls) == pytest.approx(times)
