"""The closed forms of contact, each as a function from a case's parameters to computed numbers."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad

import polhode as ph
from polhode.model.shapes import Box, Capsule, Cylinder, Plane, Polyhedron, Sphere
from polhode.scene import Scene, StokesDrag
from reference.contact_scenes import (
    G,
    about_y,
    above,
    add_free,
    along,
    apexes,
    axis,
    ball,
    box,
    contact_times,
    empty,
    ground,
    round_body,
    slope,
    spin_in_world,
)

STEP = 1e-3
UNIT = (0.0, 0.0, 0.0, 1.0)
BALL = 2.0 / 5.0  # I / (m r^2)


def run(scene, duration, dt=STEP, record=1):
    return ph.simulate(scene, duration, dt=dt, record=record, progress=False)


def bounce(*, h0, e, g=G, r=0.5, m=2.0, bounces=None):
    """Heights, flights and the end of a ball's bounces; one height if their number is given."""
    fall = math.sqrt(2.0 * h0 / g)
    rest = fall * (1.0 + e) / (1.0 - e) if e < 1.0 else math.inf
    recording = run(
        ball(e, h0, r=r, m=m, g=g), min(1.1 * rest, 2.0 * fall * ((bounces or 5) + 0.2))
    )
    q, qd = recording.of("ball")
    z, v = q[:, 2] - r, qd[:, 2]
    times, heights = contact_times(recording.times, z, v, g), apexes(z, v, g)
    is_moving = (np.abs(v) > 1e-6) | (z > 1e-6)
    last = min(np.flatnonzero(is_moving)[-1] + 1, len(z) - 1)
    return {
        "first_contact_t": times[0],
        "apex": [h0, *heights] if bounces is None else heights[int(bounces) - 1],
        "flight": np.diff(times),
        "rest_time": recording.times[last],
    }


def slide(*, v, mu, angle_deg=0.0, g=G, a=1.0):
    """A sliding box stops."""
    angle = math.radians(angle_deg)
    velocity = (v * math.cos(angle), v * math.sin(angle), 0, 0, 0, 0)
    scene = box(a, mu_coulomb=mu, g=g).with_start("box", qd=velocity)
    recording = run(scene, 1.3 * v / (mu * g))
    q, qd = recording.of("box")
    speeds = np.linalg.norm(qd[:, :3], axis=1)
    return {
        "stop_time": recording.times[np.flatnonzero(speeds > 1e-6)[-1] + 1],
        "stop_distance": np.linalg.norm(q[-1, :2] - q[0, :2]),
        "max_liftoff": float(np.abs(q[:, 2] - 0.5 * a).max()),
        "omega": float(np.abs(qd[:, 3:]).max()),
    }


def incline(*, mu, theta_deg, g=G):
    """A box on a slope, from rest, for 2 s."""
    tilt = math.radians(theta_deg)
    scene = slope(tilt, g, mu_coulomb=mu)
    scene = scene.add_body(
        "box", Box((1.0, 1.0, 1.0)), position=above(0.5, tilt), quaternion=about_y(tilt), mass=2.0
    )
    q, qd = run(scene, 2.0).of("box")
    s, v = along(q[-1, :3] - q[0, :3], tilt), along(qd[-1, :3], tilt)
    return {"accel": v / 2.0, "s_2s": s, "v_2s": v}


def threshold(*, mu_crit, g=G):
    """A box with a thousandth more and less friction than holds it."""
    tilt, more, less = math.degrees(math.atan(mu_crit)), 1.001 * mu_crit, 0.999 * mu_crit
    above_it = incline(mu=more, theta_deg=tilt, g=g)["v_2s"]
    below_it = incline(mu=less, theta_deg=tilt, g=g)["v_2s"]
    return {
        "sticks_at": more if abs(above_it) < 1e-6 else above_it,
        "slides_at": less if below_it > 1e-3 else below_it,
    }


def slide_to_roll(*, beta, r, v0, mu, omega0=0.0, g=G):
    """When, where and how fast sliding becomes rolling; the spin at first is in rolling sense."""
    start = {"velocity": (v0, 0, 0), "spin": (0, omega0, 0)}
    scene = round_body(ground(g, mu_coulomb=mu), beta, r, (0, 0, r), **start)
    recording = run(scene, 1.4 * beta * abs(v0 - r * omega0) / ((1.0 + beta) * mu * g))
    q, qd = recording.of("body")
    spin = spin_in_world(q, qd)[:, 1]
    slip = qd[:, 0] - r * spin
    first = np.flatnonzero(np.abs(slip) > 1e-6)[-1] + 1
    return {
        "v_final": qd[-1, 0],
        "omega_final": spin[-1],
        "t_roll": recording.times[first],
        "distance": q[first, 0],
    }


def _down(beta, r, mu, theta_deg, g, duration):
    """Way, speed and spin down a slope, of a body whose inertia is beta m r^2."""
    tilt = math.radians(theta_deg)
    scene = round_body(slope(tilt, g, mu_coulomb=mu), beta, r, above(r, tilt))
    q, qd = run(scene, duration).of("body")
    way, speed = along(q[-1, :3] - q[0, :3], tilt), along(qd[-1, :3], tilt)
    return way, speed, spin_in_world(q, qd)[-1, 1]


def roll_down(*, beta, mu, theta_deg, r=0.5, g=G):
    """Rolling from rest on a slope, and the friction from which it rolls."""
    way, speed, _ = _down(beta, r, mu, theta_deg, g, 2.0)
    least = math.tan(math.radians(theta_deg)) * beta / (1.0 + beta)

    def slip(mu):
        _, speed, spin = _down(beta, r, mu, theta_deg, g, 0.5)
        return abs(speed - r * spin)

    is_least = slip(1.001 * least) < 1e-6 and slip(0.999 * least) > 1e-4
    return {"accel": speed / 2.0, "x_2s": way, "mu_min": least if is_least else math.nan}


def slip_down(*, mu, r, theta_deg, beta=BALL, g=G):
    """A ball, or another round body, that slips while it rolls down."""
    _, speed, spin = _down(beta, r, mu, theta_deg, g, 2.0)
    return {"accel": speed / 2.0, "alpha": spin / 2.0}


def head_on(*, ma, mb, va, e, vb=0.0):
    """Two balls meet."""
    scene = Scene("case", gravity=(0, 0, 0)).contact(restitution=e)
    scene = scene.add_body("a", Sphere(0.1), mass=ma, velocity=(va, 0, 0))
    scene = scene.add_body("b", Sphere(0.1), mass=mb, position=(0.5, 0, 0), velocity=(vb, 0, 0))
    recording = run(scene, 1.5 * 0.3 / (va - vb))
    return {"ua": recording.of("a")[1][-1, 0], "ub": recording.of("b")[1][-1, 0]}


def cradle(*, v, n=3, gap=0.0, e=1.0):
    """Balls in a row, which touch or are this far apart, hit by the first."""
    n, scene = int(n), Scene("case", gravity=(0, 0, 0)).contact(restitution=e)
    for k in range(n):
        place = {"position": ((1.0 + gap) * k, 0, 0), "velocity": (0.0 if k else v, 0, 0)}
        scene = scene.add_body(f"ball{k}", Sphere(0.5), mass=1.0, **place)
    recording = run(scene, 0.1 + 1.1 * n * gap / v)
    return {"final": [recording.of(f"ball{k}")[1][-1, 0] for k in range(n)]}


def wedge(*, M, m, theta_deg, g=G):
    """A block slides on a wedge that slides; both start at rest."""
    angle, length = math.radians(theta_deg), 6.0
    rise = length * math.tan(angle)
    corners = [(x, y, z) for x, z in ((0, 0), (length, 0), (0, rise)) for y in (-0.5, 0.5)]
    centre = np.mean(corners, axis=0)
    hull = Polyhedron(tuple(tuple(c - centre) for c in np.array(corners)))
    scene = ground(g).add_body("wedge", hull, mass=M, position=tuple(centre))
    half, s, c = 0.1, math.sin(angle), math.cos(angle)
    foot = np.array([1.0, 0.0, rise - math.tan(angle)])
    place = foot + half * np.array([s, 0.0, c])
    scene = scene.add_body(
        "block", Box((0.2, 0.2, 0.2)), position=tuple(place), quaternion=about_y(angle), mass=m
    )
    recording = run(scene, 0.5)
    big, small = recording.of("wedge")[1][-1, :3], recording.of("block")[1][-1, :3]
    return {
        "wedge_accel": -big[0] / 0.5,
        "block_rel_accel": float((small - big) @ np.array([c, 0.0, -s])) / 0.5,
    }


def oblique(*, vn, vt, mu, e, beta=BALL, r=0.5, m=2.0):
    """A round body strikes the ground at an angle, without gravity; the file's y is up."""
    start = {"velocity": (vt, 0, -vn)}
    scene = ground(0.0, restitution=e, mu_coulomb=mu)
    scene = round_body(scene, beta, r, (0, 0, r + 0.1), m=m, **start)
    q, qd = run(scene, 0.4 / vn).of("body")
    return {"vx": qd[-1, 0], "vy": qd[-1, 2], "omega": -spin_in_world(q, qd)[-1, 1]}


def falling_rod(*, L, theta0, g=G):
    """A rod slides down on a smooth floor until it lies."""

    def slowness(tilt):
        fallen = math.cos(theta0) - math.cos(tilt)
        return math.sqrt((1.0 + 3.0 * math.sin(tilt) ** 2) * L / (12.0 * g * fallen))

    fall, _ = quad(slowness, theta0, math.pi / 2)  # tells the run when to end, no more
    thin = 1e-5 * L
    w, x, y, z = about_y(theta0)
    shape = Capsule(thin, L - 2.0 * thin)
    inertia = (L**2 / 12.0, L**2 / 12.0, 1e-6 * L**2)
    q = (0.0, 0.0, 0.5 * L * math.cos(theta0) + thin, x, y, z, w)
    recording = run(add_free(ground(g), "rod", 1.0, inertia, [shape], q, None), 0.997 * fall)
    q, qd = recording.of("rod")
    tilt = np.arctan2(axis(q, 2)[:, 0], axis(q, 2)[:, 2])
    spin = spin_in_world(q, qd)[:, 1]
    # The last records are continued with the acceleration they show.
    gain = (spin[-1] - spin[-3]) / (recording.times[-1] - recording.times[-3])
    left = math.pi / 2 - tilt[-1]
    t = (-spin[-1] + math.sqrt(spin[-1] ** 2 + 2.0 * gain * left)) / gain
    return {
        "omega_landing": spin[-1] + gain * t,
        "t_landing": recording.times[-1] + t,
        "com_x_shift": float(np.abs(q[:, 0]).max()),
    }


def stokes(*, b, m, v0, time):
    """Linear drag slows a body."""
    scene = Scene("case", gravity=(0, 0, 0)).add_force(StokesDrag("drag", linear=b))
    scene = scene.add_body("ball", Sphere(0.5), mass=m, velocity=(v0, 0, 0))
    return {"v": run(scene, time).of("ball")[1][-1, 0]}


def projectile(*, v0, time, g=G):
    """A parabola; the file's y is up."""
    x, y, z = v0
    scene = empty(g).add_body("ball", Sphere(0.5), mass=2.0, velocity=(x, -z, y))
    q = run(scene, time).of("ball")[0][-1]
    return {"pos": [q[0], q[2], -q[1]]}


def spin_down(*, mu, a, spin, g=G):
    """A box spins on its four corners."""
    scene = box(a, mu_coulomb=mu, g=g).with_start("box", qd=(0, 0, 0, 0, 0, spin))
    # Four corners a / sqrt(2) from the axis brake an inertia of m a^2 / 6.
    recording = run(scene, 1.1 * spin * a / (6.0 * mu * g / math.sqrt(2.0)))
    q, qd = recording.of("box")
    spins, at = qd[:, 5], len(qd) // 3
    return {
        "alpha": (spins[at] - spins[0]) / recording.times[at],
        "stop_time": recording.times[np.flatnonzero(np.abs(spins) > 1e-6)[-1] + 1],
        "max_liftoff": float(np.abs(q[:, 2] - 0.5 * a).max()),
    }


def turntable(*, Omega, beta=BALL, r=0.5, g=G):
    """A ball rolls on a turntable: the direction of its velocity turns."""
    scene = empty(g).add_fixed("table", Plane(), spin=(0, 0, Omega)).contact(mu_coulomb=1e3)
    start = {
        "velocity": (0, Omega * beta / (1.0 + beta), 0),
        "spin": (Omega / ((1.0 + beta) * r), 0, 0),
    }
    recording = run(round_body(scene, beta, r, (1, 0, r), **start), 10.0)
    velocity = recording.of("body")[1]
    angle = np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0]))
    return {"center_rate": (angle[-1] - angle[0]) / 10.0}


def euler_disk(*, a, alpha, g=G):
    """A thin disc rolls around on its rim."""
    thick = 2e-4 * a
    rate = math.sqrt(4.0 * g / (a * math.sin(alpha)))
    w, x, y, z = about_y(alpha)
    mass = 0.1
    inertia = (mass * a * a / 4.0, mass * a * a / 4.0, mass * a * a / 2.0)
    height = a * math.sin(alpha) + 0.5 * thick * math.cos(alpha)
    # Turns about its diameter through the point of contact; body x points down there.
    spin = (-rate * math.sin(alpha), 0.0, 0.0)
    scene = add_free(
        ground(g, mu_coulomb=1e3), "disc", mass, inertia, [Cylinder(a, thick)],
        (0, 0, height, x, y, z, w), (0, 0, 0, *spin),
    )  # fmt: skip
    recording = run(scene, 0.5, dt=5e-5, record=10)
    normal = axis(recording.of("disc")[0], 2)
    angle = np.unwrap(np.arctan2(normal[:, 1], normal[:, 0]))
    return {"Omega": abs(angle[-1] - angle[0]) / 0.5}
