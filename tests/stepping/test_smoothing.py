"""Steps whose laws are relaxed, and their derivatives: differences, closed forms and limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import polhode as ph
from polhode.model import Box, Capsule, Heightmap, Plane, Prismatic, Sphere, Torus
from polhode.spatial import Transform
from stepping.test_lane_gears import leg as geared_leg
from stepping.test_lane_lengths import arm, on_rope, pinned
from stepping.test_lane_loops import four_bar
from stepping.test_lane_springs import hung, legs
from stepping.test_law_derivatives import (
    BOTH,
    SOFT,
    SOFT_TORQUES,
    TORQUES,
    VISCOUS,
    lawful,
    muscled,
)
from stepping.test_step_derivatives import NAMES, POSITIVE, SERVOS, STEP, G, on_floor, random_speeds
from stepping.test_step_gradients import STIFF, beside
from stepping.test_step_laws import machine
from stepping.test_step_margins import sledge

WORLDS, R = 8, 1e-3


def relaxed(scene, qd, steps=60, r=R, **options):
    """A step, and where worlds are after some relaxed ones: there gaps are open."""
    step, q = ph.compile_step(scene, dt=STEP, **options), np.tile(scene.q0, (len(qd), 1))
    for _ in range(steps):
        q, qd, _, is_unsolved = step(q, qd, smoothing=r)
        assert not is_unsolved.any()
    return step, q, qd


def speeds(scene):
    return random_speeds(scene)[:WORLDS]


def slopes(change, eps=1e-5):
    """The derivative of a function at zero by four values, and how far it is from that by two."""
    ends = [change(k * eps) for k in (1, -1, 2, -2)]
    near, far = (ends[0] - ends[1]) / (2.0 * eps), (ends[2] - ends[3]) / (4.0 * eps)
    return (4.0 * near - far) / 3.0, near - far


def missed(step, q, qd, *, r=R, controls=None, directions=None):
    """Errors of derivatives beside differences by column and world, where these are smooth."""
    model, n = step.scene.model, len(qd)
    u = np.zeros((n, model.n_controls)) if controls is None else controls
    A, B = step.derivatives(q, qd, u, smoothing=r)
    there, nv = step(q, qd, u, smoothing=r), model.nv
    whole, errors = np.concatenate([A, B], axis=2), []
    ways = [np.eye(nv) if directions is None else directions, np.eye(nv), np.eye(u.shape[1])]
    moved = ph.difference(model, ph.integrate(model, q, there.qd, STEP), there.q)
    is_exact = np.ones((n, 2 * nv), bool)  # a push-out is differentiated to first order
    is_exact[:, :nv] = (np.abs(moved) < 1e-12).all(axis=1)[:, None]
    for group, rows in enumerate(ways):
        for row in rows:
            by = [np.zeros(w.shape[1]) for w in ways]
            by[group] = row

            def change(eps, by=by):
                d = [eps * x for x in by]
                end = step(ph.integrate(model, q, np.tile(d[0], (n, 1))), qd + d[1], u + d[2],
                           smoothing=r)  # fmt: skip
                return np.hstack([ph.difference(model, there.q, end.q), end.qd - there.qd])

            ours, found = whole @ np.concatenate(by), []
            for eps in (1e-5, 1e-6):
                mean, off = slopes(change, eps)
                scale = np.maximum(1.0, np.abs(mean).max(axis=1))
                is_smooth = np.abs(off).max(axis=1) < 1e-2 * scale
                error = (np.abs(ours - mean) * is_exact).max(axis=1) / scale
                found.append(np.where(is_smooth, error, np.nan))
            errors.append(np.fmin(*found))
    return np.array(errors)


def check(errors, most=2e-5):
    """Most columns are smooth, and all derivatives right; shapes have edges where they are not."""
    assert np.isfinite(errors).mean() > 0.9
    assert np.nanmax(errors) < most and np.nanquantile(errors, 0.9) < 2e-6


def is_reversed(step, q, qd, controls=None, r=R):
    """Whether weighted sums are those of the matrices."""
    A, B = step.derivatives(q, qd, controls, smoothing=r)
    w = np.random.default_rng(0).standard_normal((2, len(qd), step.scene.model.nv))
    found = step.vjp(q, qd, controls, weight_q=w[0], weight_qd=w[1], smoothing=r)
    whole = np.concatenate(w, axis=1)
    wanted = np.einsum("nij,ni->nj", A, whole)
    assert beside(np.hstack([found.q, found.qd]), wanted) < STIFF
    assert beside(found.controls, np.einsum("nij,ni->nj", B, whole)) < STIFF


@pytest.mark.parametrize("seed", [0, 2, 3, 5])
def test_machines_of_all_joints(seed):
    scene, _ = machine(seed)
    step, q, qd = relaxed(scene, speeds(scene))
    check(missed(step, q, qd))
    is_reversed(step, q, qd)


@pytest.mark.parametrize("law", [SOFT, VISCOUS, BOTH, TORQUES, SOFT_TORQUES])
def test_laws_of_contact(law):
    scene = lawful(0, **law)
    step, q, qd = relaxed(scene, speeds(scene))
    check(missed(step, q, qd))
    is_reversed(step, q, qd)


def test_loops_gears_limits_and_dry_friction():
    for scene in (four_bar(), pinned(lower=0.0, upper=0.7, coulomb_friction=0.4)):
        along = np.array([[1.0, -1.0, 1.0]])
        step, q, qd = relaxed(scene, speeds(scene)[:, :1] * along)
        check(missed(step, q, qd, directions=along))
        is_reversed(step, q, qd)
    scene, along = geared_leg(), np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -2.0]])
    qd = speeds(scene)
    qd[:, 3] = -2.0 * qd[:, 2]
    step, q, qd = relaxed(scene, qd)
    check(missed(step, q, qd, directions=along))
    is_reversed(step, q, qd)


@pytest.mark.parametrize(
    "make",
    [
        lambda: on_rope(x=0.9),
        lambda: ph.Scene("arm").add_machine(arm(limits=(0.0, 0.72), friction=0.2), "arm"),
        lambda: hung("bushing"),
        legs,
    ],
)
def test_tendons_and_springs(make):
    scene = make()
    step, q, qd = relaxed(scene, speeds(scene))
    check(missed(step, q, qd))
    is_reversed(step, q, qd)


HILLS = Heightmap(((0.0, 0.1, 0.0), (0.1, 0.2, 0.0), (0.0, 0.1, 0.1)), (2.0, 2.0))


@pytest.mark.parametrize(
    ("shape", "other"),
    [
        (Sphere(0.1), HILLS),
        (Box((0.2, 0.2, 0.1)), Box((1.0, 1.0, 0.2))),
        (Capsule(0.1, 0.3), Box((1.0, 1.0, 0.2))),
        (Torus(0.2, 0.05), Plane()),
    ],
)
def test_bodies_on_shapes(shape, other):
    scene = ph.Scene("pair").contact(mu_coulomb=0.4).add_fixed("other", other)
    scene = scene.add_body("body", shape, mass=1.0, position=(0.05, 0.08, 0.42))
    step, q, qd = relaxed(scene, speeds(scene), 100)
    check(missed(step, q, qd))


def test_controls(tmp_path):
    (tmp_path / "servos.xml").write_text(SERVOS)
    scene = ph.load(tmp_path / "servos.xml")
    u = np.random.default_rng(1).uniform(-0.9, 0.9, (WORLDS, 2))
    step, q, qd = relaxed(scene, speeds(scene))
    check(missed(step, q, qd, controls=u))
    is_reversed(step, q, qd, u)


def test_activation_goes_on():
    scene = muscled()
    step = ph.compile_step(scene, dt=STEP)
    given = {"activation": [0.5], "controls": [0.8]}
    exact, soft = step([1.0], [0.1], **given), step([1.0], [0.1], **given, smoothing=R)
    assert soft.activation == exact.activation
    A, B = step.derivatives([1.0], [0.1], **given, smoothing=R)
    assert A.shape == (3, 3) and B.shape == (3, 1) and 0.0 < A[2, 2] < 1.0


@pytest.mark.parametrize("make", [lambda: machine(4)[0], legs])
def test_parameters(make):
    scene = make()
    step, nv = ph.compile_step(scene, dt=STEP, parameters=NAMES), scene.model.nv
    own = dict(ph.identification.parameters_of(scene.model, NAMES[:-1]), mu_coulomb=0.5)
    _, q, qd = relaxed(scene, speeds(scene))
    found = step.parameter_derivatives(q, qd, parameters=own, smoothing=R)
    there, n_checked = step(q, qd, parameters=own, smoothing=R), 0
    w = np.random.default_rng(0).standard_normal((2, WORLDS, nv))
    back = step.vjp(q, qd, parameters=own, weight_q=w[0], weight_qd=w[1], by=NAMES, smoothing=R)
    for name in NAMES:
        value = np.asarray(own[name], float)
        total = np.einsum("ni,ni...->n...", np.concatenate(w, axis=1), found[name])
        assert beside(back.parameters[name], total) < STIFF
        for at in np.ndindex(value.shape):
            way = np.zeros(value.shape)
            way[at] = 1.0
            way = 0.5 * (way + np.swapaxes(way, 1, 2)) if name == "inertia" else way
            if name in POSITIVE and value[at] == 0.0:
                continue

            def change(eps, name=name, value=value, way=way):
                end = step(q, qd, parameters={**own, name: value + eps * way}, smoothing=R)
                return np.hstack([ph.difference(scene.model, there.q, end.q), end.qd - there.qd])

            mean, off = slopes(change)
            scale = np.maximum(1.0, np.abs(mean).max(axis=1))
            is_smooth = np.abs(off).max(axis=1) < 1e-2 * scale
            ours = np.tensordot(found[name], way, way.ndim)
            error = np.abs(ours - mean).max(axis=1) / scale
            assert error[is_smooth].max(initial=0.0) < 2e-5
            n_checked += int((is_smooth & (np.abs(mean).max(axis=1) > 1e-6)).sum())
    assert n_checked > 10 * WORLDS


def test_a_ball_hovers_where_the_force_of_its_point_bears_it():
    """m g = r / gap."""
    mass = 2.0
    scene = on_floor(Sphere(0.1), 0.101)
    step, q, qd = ph.compile_step(scene, dt=STEP), scene.q0, scene.qd0
    for _ in range(3000):
        q, qd = step(q, qd, smoothing=R)[:2]
    assert abs(q[2] - 0.1 - R / (mass * G)) < 1e-10


def test_an_open_point_pushes_by_one_over_its_gap():
    """m (v1 - v + g dt) = dt r / (gap + dt v1), however far it is."""
    mass, gap = 2.0, np.array([1e-4, 1e-2, 1.0])
    scene = on_floor(Sphere(0.1), 0.1)
    q = np.tile(scene.q0, (3, 1))
    q[:, 2] += gap
    step = ph.compile_step(scene, dt=STEP)
    v = step(q, scene.qd0, smoothing=R).qd[:, 2]
    np.testing.assert_allclose(mass * (v + G * STEP), STEP * R / (gap + STEP * v), rtol=1e-7)


@pytest.mark.parametrize("speed", [0.0, 1e-3, 1.0])
def test_friction_creeps_where_it_would_hold(speed):
    """x = -2 R^2 u / (r + sqrt(r^2 + 4 R^2 u^2)) with R = mu x_n, at a foot that is pushed."""
    mu, mass, push = 0.3, 2.0, 2.0
    step = ph.compile_step(sledge().contact(mu_coulomb=mu), dt=STEP)
    v = step([0.0, 1e-4], [speed, 0.0], tau=[push, 0.0], smoothing=R).qd
    u, x = v[0], mass * (v[0] - speed) - push * STEP
    radius = mu * mass * (v[1] + G * STEP)
    assert abs(x + 2 * radius**2 * u / (R + np.hypot(R, 2 * radius * u))) < 1e-12
    assert u > 0.0 > x > -radius


def test_both_ends_of_a_range_push():
    """A slide without weight: m dv = dt r (1 / low - 1 / high), with distances from both ends."""
    slide = ph.Model("slide", gravity=(0, 0, 0)).add(
        "slide", joint=Prismatic.x(), mass=1.0, limits=(-0.2, 0.3)
    )
    step = ph.compile_step(slide, dt=STEP)
    v = step([0.1], [0.0], smoothing=R).qd[0]
    at = 0.1 + STEP * v
    assert abs(v - STEP * R * (1.0 / (at + 0.2) - 1.0 / (0.3 - at))) < 1e-12
    assert step([0.05], [0.0], smoothing=R).qd[0] == 0.0


@pytest.mark.parametrize("seed", [0, 4])
def test_less_relaxation_leads_to_the_exact_step_and_its_derivatives(seed):
    """Away from switches, in proportion to it."""
    scene, _ = machine(seed)
    end = ph.rollout(scene, qd=speeds(scene), steps=120, dt=STEP)
    q, qd = end.q[-1], end.qd[-1]
    step, errors = ph.compile_step(scene, dt=STEP), []
    exact, (A, _), is_far = step(q, qd), step.derivatives(q, qd), step.margin(q, qd) > 5e-3
    for r in (1e-5, 1e-6, 1e-7):
        end, (B, _) = step(q, qd, smoothing=r), step.derivatives(q, qd, smoothing=r)
        d_v = np.abs(end.qd - exact.qd).max(axis=1)
        d_A = np.abs(B - A).max(axis=(1, 2)) / np.abs(A).max(axis=(1, 2))
        errors.append(np.array([d_v, d_A])[:, is_far])
    assert is_far.sum() >= 3
    rates = np.log10(np.array(errors[:-1]) / np.array(errors[1:]))
    assert (np.abs(np.median(rates[-1], axis=-1) - 1.0) < 0.1).all()
    assert np.median(errors[-1][1]) < 1e-4


def test_without_smoothing_nothing_changes():
    scene, _ = machine(3)
    step, qd = ph.compile_step(scene, dt=STEP), random_speeds(scene)
    a, b = step(scene.q0, qd), step(scene.q0, qd, smoothing=0.0)
    assert all(x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))
    a, b = step.derivatives(scene.q0, qd), step.derivatives(scene.q0, qd, smoothing=0)
    assert a.by_state.tobytes() == b.by_state.tobytes()


def jumps(step, entry, r, **given):
    """The greatest change of an entry of derivatives between states side by side."""
    return np.abs(np.diff(step.derivatives(**given, smoothing=r).by_state[(..., *entry)])).max()


@pytest.mark.parametrize("switch", ["touch", "slide"])
def test_derivatives_are_continuous_across_switches(switch):
    """Samples that are ten times as dense differ by a tenth; without smoothing they jump."""
    scene = sledge().contact(mu_coulomb=0.3)
    step, found = ph.compile_step(scene, dt=STEP), []
    for n in (200, 2000):
        q, tau, v = np.zeros((n, 2)), np.zeros((n, 2)), np.zeros((n, 2))
        if switch == "touch":  # it falls, and the step closes its gap or does not
            q[:, 1], v[:, 1] = 2e-3 + np.linspace(-1e-4, 1e-4, n), -1.0
        else:  # it is pushed by less or by more than friction holds
            q[:, 1] = 1e-4
            tau[:, 0] = 0.3 * 2.0 * G * np.linspace(0.9, 1.1, n)
            q[:, 1] = 1e-8
        entry = (3, 3) if switch == "touch" else (2, 2)
        found.append([jumps(step, entry, r, q=q, qd=v, tau=tau) for r in (0.0, 1e-4)])
    (exact, smooth), (exact_dense, smooth_dense) = found
    assert exact > 0.9 and exact_dense > 0.9
    assert smooth < 0.3 and smooth_dense < 0.15 * smooth


def table():
    """A finger with a motor, a tenth of a metre from a box that lies on a floor."""
    pusher = ph.Model("pusher").add(
        "finger", joint=Prismatic.x(), mass=0.5, frame=Transform.translation(-0.23, 0, 0.05)
    )
    pusher = pusher.add_motor("motor", joint="finger", gear=10.0)
    return (
        ph.Scene("table").add_fixed("floor", Plane()).contact(mu_coulomb=0.3)
        .add_machine(pusher, geometries=[("finger", Sphere(0.03))])
        .add_body("box", Box((0.2, 0.2, 0.1)), mass=1.0, position=(0, 0, 0.05))
    )  # fmt: skip


def test_a_finger_finds_the_box_that_it_does_not_touch():
    scene, dt, n = table(), 1e-2, 6
    step, nv = ph.compile_step(scene, dt=dt), scene.model.nv
    x = scene.model.joint("box/box").v.start

    def miss(u, r):
        """Of the box from its goal after half a second, and the gradient by the motor."""
        q, qd, controls = [scene.q0], [scene.qd0], np.repeat(u, 10)[:, None]
        for c in controls:
            end = step(q[-1], qd[-1], c, smoothing=r)
            q.append(end.q)
            qd.append(end.qd)
        w_q, w_qd, gradient = np.zeros(nv), np.zeros(nv), np.zeros(n)
        w_q[x], w_qd[x] = 2.0 * (q[-1][x] - 0.1), 0.2 * qd[-1][x]
        for k in reversed(range(len(controls))):
            back = step.vjp(q[k], qd[k], controls[k], weight_q=w_q, weight_qd=w_qd, smoothing=r)
            w_q, w_qd = back.q, back.qd
            gradient[k // 10] += back.controls[0]
        return (q[-1][x] - 0.1) ** 2 + 0.1 * qd[-1][x] ** 2, gradient

    u = np.zeros(n)
    start, gradient = miss(u, 0.0)
    assert abs(start - 0.01) < 1e-12 and (gradient == 0.0).all()
    _, gradient = miss(u, 1e-2)
    assert (gradient[:-1] < -1e-6).all()
    numeric = (miss(1e-5 * np.eye(n)[0], 1e-2)[0] - miss(-1e-5 * np.eye(n)[0], 1e-2)[0]) / 2e-5
    assert abs(gradient[0] - numeric) < 1e-6 * abs(numeric)
    for r in (1e-1, 1e-2, 1e-3, 1e-4, 0.0):
        u = minimize(miss, u, args=(r,), jac=True, bounds=[(-1, 1)] * n).x
    assert miss(u, 0.0)[0] < 1e-6


def test_a_ball_without_room_is_held():
    """Between plates that both touch it nothing has room: pressures are great, and balance."""
    scene = ph.Scene("plates").contact(mu_coulomb=0.3).add_fixed("floor", Plane())
    scene = scene.add_fixed("lid", Box((1, 1, 0.2)), position=(0, 0, 0.3))
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.1))
    step = ph.compile_step(scene, dt=STEP)
    end = step(scene.q0, scene.qd0, smoothing=R)
    assert not end.is_unsolved and np.abs(end.qd).max() < 1e-6
    assert np.isfinite(step.derivatives(scene.q0, scene.qd0, smoothing=R).by_state).all()


def test_laws_that_are_relaxed_much_are_solved_too():
    """Far from the exact impulses the search begins anew."""
    for scene in (machine(3)[0], machine(6)[0], lawful(0, **TORQUES), legs()):
        step, qd = ph.compile_step(scene, dt=STEP), 4.0 * random_speeds(scene)
        for r in (1.0, 1e-1, 1e-9):
            assert not step(scene.q0, qd, smoothing=r).is_unsolved.any()


def test_worlds_have_the_steps_and_derivatives_that_they_have_alone():
    scene, _ = machine(3)
    step, q, qd = relaxed(scene, speeds(scene))
    ends, (A, _) = step(q, qd, smoothing=R), step.derivatives(q, qd, smoothing=R)
    for k in (0, 3, 7):
        assert step(q[k], qd[k], smoothing=R).qd.tobytes() == ends.qd[k].tobytes()
        assert step.derivatives(q[k], qd[k], smoothing=R).by_state.tobytes() == A[k].tobytes()
    whole = step.derivatives(q.reshape(4, 2, -1), qd.reshape(4, 2, -1), smoothing=R).by_state
    assert whole.shape == (4, 2, *A.shape[1:]) and whole.tobytes() == A.tobytes()
    assert step(q[:0], qd[:0], smoothing=R).is_unsolved.shape == (0,)


def test_a_world_without_mass_is_lost_alone():
    scene = on_floor(Sphere(0.1), 0.1)
    step = ph.compile_step(scene, dt=STEP, parameters=["mass", "inertia"])
    own = ph.identification.parameters_of(scene.model, ["mass", "inertia"])
    given = {name: np.multiply.outer([1.0, 0.0], x) for name, x in own.items()}
    end = step(scene.q0, scene.qd0, parameters=given, smoothing=R)
    assert end.is_unsolved.tolist() == [False, True]
    alone = step(scene.q0, scene.qd0, parameters=own, smoothing=R)
    np.testing.assert_array_equal(end.qd[0], alone.qd)


def test_wrong_arguments():
    scene = on_floor(Sphere(0.1), 0.1)
    step = ph.compile_step(scene, dt=STEP)
    for call in (step, step.derivatives, step.parameter_derivatives, step.vjp):
        with pytest.raises(ph.ArgumentError, match=r"smoothing of at least 0, got -1.*'floor'"):
            call(scene.q0, scene.qd0, smoothing=-1.0)
        with pytest.raises(ph.ArgumentError, match="finite number as smoothing"):
            call(scene.q0, scene.qd0, smoothing=np.ones(2))
