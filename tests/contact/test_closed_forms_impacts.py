"""Closed forms of impacts: balls, cradles, a rod that jams; and the laws all impacts obey."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.model.shapes import Box, Capsule, Plane, Sphere
from polhode.scene import Scene, Settings
from reference.contact_cases import run
from reference.contact_scenes import G, about_y, ball, box, ground, spin_in_world


def space(**contact):
    return Scene("space", gravity=(0, 0, 0)).contact(**contact)


def unsure(scene, approach, speed, r):
    """How much of a speed may be found elsewhere: touch is told to within a gap.

    While that closes, the line of centres turns.
    """
    return 2.0 * scene.settings.contact_dist_thresh / approach * speed / (2.0 * r) * speed


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_smooth_balls_exchange_along_the_line_of_centres_only(e):
    """An oblique hit without friction: Newton's formula along it, nothing across."""
    ma, mb, r = 1.0, 3.0, 0.1
    line = np.array([math.cos(0.6), math.sin(0.6), 0.0])
    centre = -2.0 * r * line  # of the first ball when they touch, the second at the origin
    velocity = np.array([2.0, 0.3, -0.2])
    scene = space(restitution=e).add_body("b", Sphere(r), mass=mb, velocity=(0, 0, -0.2))
    start = centre - 0.1 * (velocity - [0, 0, -0.2])
    scene = scene.add_body("a", Sphere(r), mass=ma, position=start, velocity=velocity)
    recording = run(scene, 0.2)
    a, b = (recording.of(name)[1][-1, :3] for name in "ab")
    along = velocity @ line
    ua, ub = (ma - e * mb) * along / (ma + mb), (1 + e) * ma * along / (ma + mb)
    # Without rebound the moment is not sought within the step.
    bound = unsure(scene, along, np.linalg.norm(velocity), r) if e else 1e-3 * along
    assert a == pytest.approx(velocity + (ua - along) * line, abs=bound)
    assert b == pytest.approx(np.array([0, 0, -0.2]) + ub * line, abs=bound)


@pytest.mark.parametrize("e", [0.3, 1.0])
def test_two_moving_balls_exchange_what_the_formula_says(e):
    """u_a = ((m_a - e m_b) v_a + (1 + e) m_b v_b) / (m_a + m_b), and mirrored."""
    ma, mb, va, vb = 2.0, 0.5, 1.5, -2.0
    scene = space(restitution=e).add_body("a", Sphere(0.1), mass=ma, velocity=(va, 0, 0))
    scene = scene.add_body(
        "b", Sphere(0.1), mass=mb, position=(0.5, 0, 0), velocity=(vb, 0, 0)
    )  # fmt: skip
    recording = run(scene, 0.3)
    u = [recording.of(name)[1][-1, 0] for name in "ab"]
    assert u[0] == pytest.approx(((ma - e * mb) * va + (1 + e) * mb * vb) / (ma + mb), abs=1e-6)
    assert u[1] == pytest.approx(((mb - e * ma) * vb + (1 + e) * ma * va) / (ma + mb), abs=1e-6)


def test_a_cradle_with_gaps_passes_the_blow_on():
    """One ball after the other is hit: the last leaves with all the speed."""
    scene = space(restitution=1.0)
    for k in range(5):
        velocity = (1.3 if k == 0 else 0.0, 0, 0)
        scene = scene.add_body(
            f"ball{k}", Sphere(0.5), mass=1.0, position=(1.01 * k, 0, 0), velocity=velocity
        )
    recording = run(scene, 0.1)
    final = [recording.of(f"ball{k}")[1][-1, 0] for k in range(5)]
    assert final == pytest.approx([0, 0, 0, 0, 1.3], abs=1e-9)


def test_bounces_end():
    """Infinitely many bounces in a finite time do not hang the simulation; then it rests."""
    e, h = 0.7, 0.5
    recording = run(ball(e, h), 4.0)
    q, qd = recording.of("ball")
    ends = math.sqrt(2.0 * h / G) * (1.0 + e) / (1.0 - e)
    after = recording.times > 1.01 * ends
    assert np.abs(qd[after]).max() < 1e-9
    assert np.abs(q[after, 2] - 0.5).max() < 1e-6
    assert recording.report["capped_steps"] == 0


def test_elastic_bounces_keep_their_energy():
    """Drift below a millionth for each bounce."""
    recording = run(ball(1.0, 1.0), 9.0)
    bounces = recording.report["impacts"]
    assert bounces == 10
    assert recording.audit.energy_drift < 1e-6 * bounces * recording.audit.energy_scale


ANGLE, HALF, SLIP = math.atan(2.0), 0.5, 2.0  # where a uniform rod jams with the least friction


def rod(mu, spin):
    """A rod whose foot slides under its weight, digging in: the slip the upper end leans away from.

    ``spin`` turns it about the foot's height-keeping axis: the foot's vertical speed is zero.
    """
    thin = 1e-6
    shape = Capsule(thin, 2.0 * HALF)
    foot = HALF * np.array([-math.cos(ANGLE), 0.0, -math.sin(ANGLE)])
    centre = np.array([0.0, 0.0, thin]) - foot
    at_foot = np.cross([0.0, spin, 0.0], foot)
    velocity = np.array([-SLIP, 0.0, 0.0]) - at_foot
    scene = ground(mu_coulomb=mu)
    return scene.add_body(
        "rod", shape, mass=1.0, position=centre, quaternion=about_y(math.pi / 2 - ANGLE),
        velocity=velocity, spin=(0, spin, 0),
    )  # fmt: skip


def foot_velocity(q, qd):
    """Of the rod's lower end."""
    spin = spin_in_world(q, qd)
    foot = HALF * np.array([-math.cos(ANGLE), 0.0, -math.sin(ANGLE)])
    return qd[:, :3] + np.cross(spin, foot)


@pytest.mark.parametrize("spin", [0.0, 5.0], ids=["inconsistent", "indeterminate"])
def test_painleves_rod_jams(spin):
    """No forces fit: an impulse without a collision stops the foot in one step; no energy won."""
    assert 1.0 + 3.0 * math.cos(ANGLE) * (math.cos(ANGLE) - 1.6 * math.sin(ANGLE)) < 0.0
    h = 1e-5
    recording = run(rod(1.6, spin), h, dt=h)
    q, qd = recording.of("rod")
    assert np.isfinite(qd).all()
    before, after = foot_velocity(q, qd)
    assert before == pytest.approx([-SLIP, 0.0, 0.0], abs=1e-9)
    # The rod turns during the step, and with it what of its spin the foot feels.
    bound = HALF * h * float(np.square(spin_in_world(q, qd)).max()) + 1e-6
    assert np.abs(after).max() < bound
    assert recording.audit.energy_rise < 1e-12
    assert recording.audit.unconverged == 0


def test_below_painleves_friction_the_rod_slides_on():
    """With mu below 4/3 there are forces, and the foot keeps sliding."""
    h = 1e-5
    recording = run(rod(1.2, 0.0), h, dt=h)
    q, qd = recording.of("rod")
    _, after = foot_velocity(q, qd)
    c, s, mu = math.cos(ANGLE), math.sin(ANGLE), 1.2
    push = G / (1.0 + 3.0 * c * (c - mu * s))  # what keeps the foot on the ground
    foot = -SLIP + h * (mu * push + 3.0 * s * (mu * push * s - push * c))
    assert after == pytest.approx([foot, 0.0, 0.0], abs=1e-7)


@pytest.mark.parametrize("e", [0.0, 0.5])
@pytest.mark.parametrize("mu", [0.1, 0.9], ids=["slides", "rolls"])
def test_a_ball_strikes_the_ground_aslant(mu, e):
    """It slides throughout, and loses mu (1 + e) v_n; or it leaves rolling with 5/7 of v_t."""
    r, vt, vn = 0.5, 5.0, 2.0
    scene = ground(restitution=e, mu_coulomb=mu)
    scene = replace(scene, gravity=(0.0, 0.0, 0.0))
    scene = scene.add_body("ball", Sphere(r), mass=2.0, position=(0, 0, 0.6), velocity=(vt, 0, -vn))
    q, qd = run(scene, 0.2).of("ball")
    lost = min(mu * (1.0 + e) * vn, vt * (1.0 - 1.0 / 1.4))
    # Touch is told to within a gap, and by so much the arm of friction is longer.
    bound = scene.settings.contact_dist_thresh / r * vt
    assert qd[-1, :3] == pytest.approx([vt - lost, 0.0, e * vn], abs=bound)
    assert spin_in_world(q, qd)[-1] == pytest.approx([0, lost / (0.4 * r), 0], abs=bound / r)


def touch(places, speeds, reach):
    """The line of centres when two balls in free flight touch, from the second to the first."""
    d, v = places[0] - places[1], speeds[0] - speeds[1]
    a, b, c = v @ v, d @ v, d @ d - reach * reach
    n = d + v * (-b - math.sqrt(b * b - a * c)) / a
    return n / np.linalg.norm(n)


@pytest.mark.parametrize("seed", range(6))
def test_every_impact_obeys_its_laws(seed):
    """Momentum, energy, separation, cone and opposition of friction, from velocities alone."""
    rng = np.random.default_rng(seed)
    e, mu, r = rng.uniform(), rng.uniform(0.0, 1.0), 0.3
    side = rng.normal(size=3)
    side /= np.linalg.norm(side)
    places = np.outer((0.5, -0.5), side) * (2.0 * r + 0.01)
    v, w = rng.normal(size=(2, 2, 3)) * np.array([[[1.0]], [[3.0]]])
    v[1] = v[0] + side * rng.uniform(0.5, 2.0) + 0.3 * rng.normal(size=3)
    m = rng.uniform(0.5, 4.0, 2)
    scene = space(restitution=e, mu_coulomb=mu)
    for k in range(2):
        scene = scene.add_body(
            f"b{k}", Sphere(r), mass=m[k], position=places[k], velocity=v[k], spin=w[k]
        )
    recording = run(scene, 0.2)
    assert recording.report["impacts"] == 1
    ends = [recording.of(f"b{k}") for k in range(2)]
    v1 = np.array([qd[-1, :3] for _, qd in ends])
    w1 = np.array([spin_in_world(q, qd)[-1] for q, qd in ends])
    n = touch(places, v, 2.0 * r)
    before, after = (x[0] - x[1] + np.cross(y[0] + y[1], -r * n) for x, y in ((v, w), (v1, w1)))
    impulse = m[0] * (v1[0] - v[0])
    across, slip = impulse - (impulse @ n) * n, before - (before @ n) * n
    assert m[1] * (v1[1] - v[1]) == pytest.approx(-impulse, abs=1e-12)
    bound = unsure(scene, -(before @ n), np.linalg.norm(v[0] - v[1]), r)
    assert after @ n == pytest.approx(-e * (before @ n), abs=2.0 * bound)
    assert np.linalg.norm(across) <= mu * (impulse @ n) + 2.0 * bound * m.min()
    assert across @ slip <= 0.0
    own = 0.4 * m * r * r
    energies = [
        0.5 * (m * (x**2).sum(1) + own * (y**2).sum(1)).sum() for x, y in ((v, w), (v1, w1))
    ]
    assert energies[1] <= energies[0]


def test_a_box_dropped_flat_does_not_tip():
    """Four corners at once share the blow: it goes up as it came down, times e."""
    recording = run(box(restitution=0.6).with_start("box", q=(0, 0, 0.7, 0, 0, 0, 1)), 0.3)
    qd = recording.of("box")[1]
    hit = math.sqrt(2.0 * 0.2 / G)
    up = 0.6 * G * hit - G * (0.3 - hit)
    assert qd[-1, 2] == pytest.approx(up, rel=1e-3)
    assert np.abs(qd[:, 3:]).max() < 1e-9


def test_moment_of_a_hit_is_found_within_its_step():
    """A fast ball meets a thin wall: it does not pass, and its way is that of the exact hit."""
    scene = space(restitution=1.0).add_fixed("wall", Box((0.001, 2.0, 2.0)))
    scene = scene.add_body("ball", Sphere(0.01), mass=0.1, position=(-1, 0, 0), velocity=(90, 0, 0))
    recording = ph.simulate(scene, 0.02, dt=1e-3, record=1, progress=False)
    q, qd = recording.of("ball")
    way = 1.0 - 0.01 - 0.0005
    assert q[-1, 0] == pytest.approx(-1.0 + 2.0 * way - 90.0 * 0.02, abs=1e-5)
    assert qd[-1, 0] == pytest.approx(-90.0, rel=1e-9)


def test_a_plane_that_is_no_floor_holds_too():
    """A ceiling: the half-space of a plane turned over."""
    scene = Scene("lid", gravity=(0, 0, 9.81)).contact(restitution=0.0)
    scene = scene.add_fixed("lid", Plane(), quaternion=about_y(math.pi))
    scene = scene.add_body("ball", Sphere(0.2), mass=1.0, position=(0, 0, -1.0))
    q, qd = run(scene, 1.0).of("ball")
    assert q[-1, 2] == pytest.approx(-0.2, abs=1e-6)
    assert np.abs(qd[-1]).max() < 1e-9


@pytest.mark.parametrize("thresh", [1e-4, 1e-6, 1e-8, 1e-12])
def test_oblique_hits_on_a_curve_rebound_however_small_the_distance_that_counts(thresh):
    """Smooth balls on a ball: the normal part of the velocity turns round by e, at the touch."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        way, off = rng.normal(size=3), 0.8 * rng.uniform()
        way /= np.linalg.norm(way)
        side = np.cross(way, rng.normal(size=3))
        side /= np.linalg.norm(side)
        velocity, e = -way * rng.uniform(1.0, 10.0), rng.uniform(0.3, 1.0)
        scene = Scene("hit", gravity=(0, 0, 0), settings=Settings(contact_dist_thresh=thresh))
        scene = scene.contact(restitution=e).add_fixed("ball", Sphere(1.0)).add_body(
            "other", Sphere(0.3), mass=1.0, position=tuple(2 * way + off * side),
            velocity=tuple(velocity),
        )  # fmt: skip
        simulator = ph.TimeSteppingSimulator(scene, dt=1e-2)
        simulator.advance_to(2.0)
        normal = (way * math.sqrt(1.69 - off**2) + off * side) / 1.3
        expected = velocity - (1.0 + e) * (velocity @ normal) * normal
        got = simulator.state_of("other")[1][:3]
        assert np.linalg.norm(got - expected) < (thresh + 1e-7) * np.linalg.norm(velocity)
