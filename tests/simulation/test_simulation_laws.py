"""What must hold whatever the machine: order, energy, momentum, worlds, repeatability."""

import numpy as np
import pytest

import polhode as ph
from polhode.simulation.integrators import FIXED_STEP

FIXED = tuple(FIXED_STEP)
METHODS = (*FIXED, "RK45", "DOP853", "Radau", "BDF", "LSODA")


def start(model, rng, size=()):
    """Random and well away from the singular positions of Euler joints."""
    way = 0.4 * rng.standard_normal((*size, model.nv))
    return ph.integrate(model, ph.neutral(model), way), rng.standard_normal((*size, model.nv))


def end_error(model, run, exact):
    return (
        np.abs(ph.difference(model, run.q[-1], exact.q[-1])).max()
        + np.abs(run.qd[-1] - exact.qd[-1]).max()
    )


def damped(t, state):
    """Depends on velocity, position and time."""
    return -0.3 * state.qd + 0.2 * np.sin(3.0 * t) * np.ones_like(state.qd)


@pytest.mark.parametrize("controller", [None, damped], ids=["free", "damped"])
@pytest.mark.parametrize(("method", "order"), [(m, kind.order) for m, kind in FIXED_STEP.items()])
def test_order_of_convergence(machine, rng, method, order, controller):
    """Halving the step divides the error by two to the order, also under damping."""
    q0, qd0 = start(machine, rng)
    options = dict(q0=q0, qd0=qd0, controller=controller, record=0.4)
    exact = ph.simulate(machine, 0.4, integrator="DOP853", rtol=1e-13, atol=1e-13, **options)
    steps = (0.02, 0.01, 0.005)
    errors = [
        end_error(machine, ph.simulate(machine, 0.4, dt=dt, integrator=method, **options), exact)
        for dt in steps
    ]
    observed = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(np.abs(observed - order) < 0.5), (errors, observed)


def test_rk4_is_fourth_order_on_a_free_spinning_body(weightless_brick):
    """The exponential map's correction is right: a tumbling body shows the full order."""
    qd0 = [0.1, -0.2, 0.3, 0.3, 6.0, 0.2]
    runs = {
        dt: ph.simulate(weightless_brick, 1.0, qd0=qd0, dt=dt, integrator="rk4", record=1.0)
        for dt in (0.02, 0.01, 0.0025 / 4)
    }
    exact = runs[0.0025 / 4]
    ratio = end_error(weightless_brick, runs[0.02], exact) / end_error(
        weightless_brick, runs[0.01], exact
    )
    assert 13.0 < ratio < 20.0


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_agree(machine, rng, method):
    """Every method finds the same motion, to its own accuracy."""
    q0, qd0 = start(machine, rng)
    exact = ph.simulate(machine, 0.3, q0=q0, qd0=qd0, integrator="DOP853", rtol=1e-12, atol=1e-12)
    run = ph.simulate(machine, 0.3, q0=q0, qd0=qd0, dt=5e-4, integrator=method)
    tolerance = {"BDF": 1e-4, "LSODA": 1e-5}.get(method, 2e-6)
    if method in FIXED_STEP and FIXED_STEP[method].order == 2:
        tolerance = 1e-4
    assert run.times.tobytes() == exact.times.tobytes()
    assert np.abs(ph.difference(machine, run.q, exact.q)).max() < tolerance
    assert np.abs(run.qd - exact.qd).max() < 30 * tolerance


def test_symplectic_energy_does_not_drift(pendulum):
    """The error of the energy at late times is no larger than at early ones."""
    run = ph.simulate(pendulum, 60.0, q0=[0.9, -0.4], dt=5e-3)
    error = np.abs(run.kinetic + run.potential - run.kinetic[0] - run.potential[0])
    early, late = error[: len(error) // 4].max(), error[-len(error) // 4 :].max()
    assert late < 2.0 * early
    assert run.audit.energy_drift < 1e-3 * run.audit.energy_scale


@pytest.mark.parametrize("method", FIXED)
def test_reversible_methods_retrace_their_way(machine, rng, method):
    """Turned round, they come back to their start; others, such as Runge-Kutta's, do not."""
    q0, qd0 = start(machine, rng)
    there = ph.simulate(machine, 0.5, q0=q0, qd0=qd0, dt=0.01, integrator=method)
    back = ph.simulate(machine, 0.5, q0=there.q[-1], qd0=-there.qd[-1], dt=0.01, integrator=method)
    error = np.abs(ph.difference(machine, back.q[-1], q0)).max()
    assert error < 1e-9 if FIXED_STEP[method].is_reversible else error > 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_work_balances_energy(mixed, rng, method):
    """Energy changes by the work of controller and external forces."""
    q0, qd0 = start(mixed, rng)
    loads = 0.5 * rng.standard_normal((mixed.n_bodies, 6))
    run = ph.simulate(
        mixed, 0.5, q0=q0, qd0=qd0, dt=5e-4, integrator=method, controller=damped, f_ext=loads
    )
    tolerance = {"BDF": 1e-5}.get(method, 1e-6)
    if method in FIXED_STEP and FIXED_STEP[method].order == 2:
        tolerance = 3e-5
    assert np.abs(run.work[-1]) > 0.01
    assert run.audit.relative_energy_balance < tolerance


@pytest.mark.parametrize("method", ["rk4", "DOP853"])
def test_momentum_of_free_flight(mixed, rng, method):
    """Inner forces do not change the momentum of a floating machine in free fall."""
    q0, qd0 = start(mixed, rng)
    inner = np.zeros(mixed.nv)
    inner[6:] = 0.3
    run = ph.simulate(
        mixed, 0.5, q0=q0, qd0=qd0, dt=1e-3, integrator=method, controller=lambda t, s: inner
    )
    assert run.audit.momentum_drift < 1e-7


def test_momentum_is_not_judged_where_it_is_not_kept(pendulum, brick):
    """A machine that is held, or pushed at its base, has no momentum to keep."""
    assert ph.simulate(pendulum, 0.02, q0=[1.0, 0.0]).audit.momentum_drift is None
    pushed = ph.simulate(brick, 0.02, controller=lambda t, s: np.ones(6))
    assert pushed.audit.momentum_drift is None
    loaded = ph.simulate(brick, 0.02, f_ext=np.ones((brick.n_bodies, 6)))
    assert loaded.audit.momentum_drift is None


def test_momentum_of_scenes(brick):
    """Kept by one body in free flight; not judged with contact, a loop, forces, or other bodies."""
    scene = ph.Scene("flight").add_machine(brick, "brick", qd=[0.3, 0.1, 2.0, 1.0, -2.0, 0.5])
    free = ph.simulate(scene, 0.1, integrator="rk4", progress=False)
    assert free.audit.momentum_drift < 1e-9
    held = scene.add_loop("pin", "spherical", ("brick", brick.links[0].name), None)
    still = ph.Scene("two").add_machine(brick, "a").add_machine(brick, "b")
    others = {
        "contact": ph.simulate(scene, 0.02, contact="exact", progress=False),
        "loop": ph.simulate(held, 0.02, integrator="rk4", progress=False),
        "forces": ph.simulate(
            scene, 0.02, integrator="rk4", progress=False, forces=lambda t, s: {}
        ),
        "two": ph.simulate(still, 0.02, integrator="rk4", progress=False),
    }
    for name, run in others.items():
        assert run.audit.momentum_drift is None, name


@pytest.mark.parametrize("method", ["symplectic", "rk4", "RK45"])
def test_a_batch_is_its_worlds_bit_for_bit(machine, rng, method):
    """Simulating worlds together changes no bit of any of them."""
    q0, qd0 = start(machine, rng, (7,))
    options = dict(dt=0.005, integrator=method, controller=damped)
    together = ph.simulate(machine, 0.1, q0=q0, qd0=qd0, **options)
    for w in range(7):
        alone = ph.simulate(machine, 0.1, q0=q0[w], qd0=qd0[w], **options)
        for name in ("q", "qd", "tau", "work"):
            ours, theirs = getattr(alone, name), getattr(together, name)[:, w]
            assert ours.tobytes() == np.ascontiguousarray(theirs).tobytes(), (name, w)


def test_the_same_seed_gives_the_same_bits(machine):
    """Random numbers of a controller come from the seed and nothing else."""

    def noise(t, state):
        return 0.1 * state.rng.standard_normal(state.qd.shape)

    held = ph.simulation.zero_order_hold(noise, 0.01)
    first, again, other = (
        ph.simulate(machine, 0.1, controller=held, seed=seed) for seed in (3, 3, 4)
    )
    assert first.q.tobytes() == again.q.tobytes()
    assert first.q.tobytes() != other.q.tobytes()
