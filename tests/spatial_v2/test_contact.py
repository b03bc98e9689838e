"""The ground's law, and roll-outs of many worlds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from polhode import spatial_v2 as sv
from polhode.algorithms.ground_contact import contact_law
from polhode.compiler import Program
from polhode.errors import ModelError, ShapeError
from polhode.spatial_v2.convert import core_model, floating_core

K, D, MU = 1e6, 2000.0, 0.1
GRAVITY = 9.81
TOLERANCE = 1e-11
depths = st.floats(-1e-3, 1e-3)
speeds = st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3)
yields = st.lists(st.floats(-1e-4, 1e-4), min_size=2, max_size=2)


@given(depths, speeds, yields)
def test_law(z, pd, u):
    """Never a pull, never outside the cone; sticking ground follows the point."""
    f, ud, cone = ph.contact.ground_contact_force(K, D, MU, [0.3, -0.2, z], pd, u)
    limit = MU * f[2]
    assert f[2] >= 0.0
    assert np.hypot(*f[:2]) <= limit * (1 + 1e-12)
    if f[2] == 0.0:
        np.testing.assert_allclose(ud, -(K / D) * np.array(u))
        assert cone == 2.0
    elif cone <= 1.0:
        assert np.array_equal(ud, pd[:2])
    else:
        root = np.sqrt(-z)
        spring = -root * (K * np.array(u) + D * ud)
        np.testing.assert_allclose(spring, f[:2], rtol=0, atol=1e-9 * (1 + limit + root * K))


@given(st.lists(st.tuples(depths, speeds, yields), min_size=1, max_size=6))
def test_columns_are_independent(rows):
    """Many points at once are each point alone; two dimensions are three without y."""
    p = np.array([[0.1, 0.2, z] for z, _, _ in rows]).T
    pd, u = np.array([v for _, v, _ in rows]).T, np.array([y for *_, y in rows]).T
    stacked = sv.gcontact(K, D, MU, p, pd, u, nargout=1)
    for k in range(len(rows)):
        alone = sv.gcontact(K, D, MU, p[:, k], pd[:, k], u[:, k])
        assert np.array_equal(np.concatenate((*alone[:2], [alone[2]])), stacked[:, k])
    flat = sv.gcontact(K, D, MU, p[[0, 2]], pd[[0, 2]], u[:1])
    pd[1], u[1] = 0.0, 0.0
    solid = sv.gcontact(K, D, MU, p, pd, u)
    assert np.array_equal(flat[0], solid[0][[0, 2]])
    assert np.array_equal(flat[2], solid[2])
    assert np.array_equal(sv.gcontact(K, D, 0, p[2], pd[2]), solid[0][2])


@given(depths, speeds, yields)
def test_law_in_every_mode(z, pd, u):
    """Floats, arrays and a compiled program agree on the law."""

    def law(p, pd, u):
        force, rate, cone = contact_law(K, D, MU, p, pd, u)
        return [*force, *rate, cone]

    state = (0.0, 0.0, z), tuple(pd), tuple(u)
    program = Program(law, {"p": (3,), "pd": (3,), "u": (2,)})
    wanted = law(*state)
    on_arrays = np.concatenate(
        [np.ravel(x) for x in ph.contact.ground_contact_force(K, D, MU, *state)]
    )
    scale = TOLERANCE * (1 + np.abs(wanted))
    assert np.all(np.abs(program(*state) - wanted) <= scale)
    assert np.all(np.abs(on_arrays - wanted) <= scale)


@cache
def disc(npt: int = 6):
    """A rolling disc of the core, and the ground under it."""
    model = sv.rollingdisc(npt)
    core = floating_core(model)
    ground = ph.contact.compliant_ground(
        K, D, MU, core, [(2, p) for p in model.gc.point.T.tolist()]
    )
    return model, core, ground


def starts(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Discs thrown at random."""
    rng = np.random.default_rng(2)
    x = np.zeros((n, 13))
    x[:, :4] = rng.standard_normal((n, 4))
    x[:, 6] = 0.07
    x[:, 7:] = 0.5 * rng.standard_normal((n, 6))
    return ph.floating_base.floating_base_state(disc()[1], x, np.empty((n, 0)), np.empty((n, 0)))


@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_worlds_do_not_see_each_other(method):
    """A world among 300 moves as it does alone, bit for bit, in any number of threads."""
    _, core, ground = disc()
    q, qd = starts(300)
    ph.set_num_threads(2)
    together = ph.rollout(
        core, ground, q, qd, steps=40, dt=1e-3, integrator=method, record_every=15
    )
    ph.set_num_threads(None)
    assert together.times.tolist() == pytest.approx([0.0, 0.015, 0.03, 0.04])
    for k in (0, 255, 299):
        alone = ph.rollout(core, ground, q[k], qd[k], steps=40, dt=1e-3, integrator=method)
        for name in ("q", "qd", "u"):
            assert np.array_equal(getattr(together, name)[-1, k], getattr(alone, name)[-1])


def test_rollout_is_the_facades_motion():
    """One program of all stages follows the disc that gcPosVel, gcontact and gcFD move."""
    model, core, ground = disc()
    x = np.array([*sv.rq(sv.rz(0.18)), 0.0, 0.0, 0.051, 0.0, 0.0, 0.0, 0.6, 0.0, -0.3])
    q, qd = ph.floating_base.floating_base_state(core, x)
    steps, h = 200, 1e-4
    u, lowest = np.zeros((2, 12)), 0.0

    def rates(x, u):
        motion = sv.gcPosVel(model, x)
        f, ud, _ = sv.gcontact(K, D, MU, motion[:3], motion[3:], u)
        forces = sv.Fpt(f, motion[:3]).ravel(order="F")
        return sv.gcFD(model, sv.FDfb, np.concatenate((x, forces))), ud

    for _ in range(steps):
        lowest = min(lowest, sv.gcPosVel(model, x)[2].min())
        a = rates(x, u)
        b = rates(x + h / 2 * a[0], u + h / 2 * a[1])
        c = rates(x + h / 2 * b[0], u + h / 2 * b[1])
        d = rates(x + h * c[0], u + h * c[1])
        x, u = (y + h / 6 * (k + 2 * l + 2 * m + n)
                for y, k, l, m, n in zip((x, u), a, b, c, d, strict=True))  # fmt: skip
    end = ph.rollout(core, ground, q, qd, steps=steps, dt=h)
    wanted = ph.floating_base.floating_base_state(core, x)
    assert lowest < -1e-5  # it has touched the ground
    np.testing.assert_allclose(end.q[-1], wanted[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(end.qd[-1], wanted[1], rtol=0, atol=1e-5)
    np.testing.assert_allclose(end.u[-1], u.T, rtol=0, atol=1e-8)


@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_energy_does_not_grow(method):
    """The ground takes energy and gives none, up to what it stores while pressed."""
    _, core, ground = disc()
    q, qd = starts(64)
    motion = ph.rollout(
        core, ground, q, qd, steps=1500, dt=2e-4, integrator=method, record_every=100
    )
    energy = ph.energy(core, motion.q, motion.qd).total
    assert np.all(np.diff(energy, axis=0) <= 0.02 * energy[0] + 1e-4)
    assert np.all(energy[-1] < energy[0])


def test_resting_disc_stands_on_the_ground():
    """A disc laid on its face comes to rest with the ground carrying its weight."""
    _, core, ground = disc()
    q = ph.neutral(core)
    q[2], q[3:6], q[6] = 0.0049, (np.sqrt(0.5), 0.0, 0.0), np.sqrt(0.5)
    end = ph.rollout(core, ground, q, np.zeros(6), steps=4000, dt=2e-4)
    assert np.abs(end.qd[-1]).max() < 1e-9
    depth = 0.005 - end.q[-1, 2]
    assert 6 * K * depth**1.5 == pytest.approx(core.mass * GRAVITY, rel=1e-6)


def test_points_of_the_plane():
    """A planar model has planar points, forces and accelerations."""
    model = sv.planar(2)
    model.gc = {"point": [[1.0, 0.5], [0.0, 0.1]], "body": [2, 1]}
    q, qd = [0.3, -0.2], [1.0, 0.5]
    motion = sv.gcPosVel(model, q, qd)
    core = core_model(model)
    tip = ph.point_position(core, q, 2, [1.0, 0.0, 0.0])[:2]
    np.testing.assert_allclose(motion[:2, 0], tip, atol=1e-15)
    force = sv.Fpt(np.array([[1.0, 2.0], [3.0, 4.0]]), motion[:2])
    u = np.concatenate((q, qd, [0.0, 0.0], force.ravel(order="F")))
    expected = sv.FDab(model, q, qd, [0, 0], [force[:, 1], force[:, 0]])
    np.testing.assert_allclose(sv.gcFD(model, sv.FDab, u), expected, atol=1e-12)


def test_what_is_refused():
    """Wrong sizes, ground that is none, and unknown methods are named."""
    model, core, ground = disc()
    with pytest.raises(ShapeError, match="expected 13 numbers, or 85"):
        sv.gcFD(model, sv.FDfb, np.zeros(20))
    with pytest.raises(ModelError, match="'gc'"):
        sv.gcPosVel(sv.singlebody(), np.zeros(13))
    with pytest.raises(ValueError, match="positive stiffness"):
        ph.contact.compliant_ground(-1.0, D, MU, core, [])
    with pytest.raises(ModelError, match="moving body"):
        ph.contact.compliant_ground(K, D, MU, core, [(0, (0.0, 0.0, 0.0))])
    with pytest.raises(ValueError, match="one of event_driven, moreau, semi_implicit, rk4"):
        ph.rollout(
            core, ground, ph.neutral(core), np.zeros(6), steps=1, dt=1e-3, integrator="euler"
        )
    with pytest.raises(ShapeError, match="n_points"):
        ph.rollout(core, ground, ph.neutral(core), np.zeros(6), steps=1, dt=1e-3, u=np.zeros(2))
