"""The closed forms of contact, each as a function from the case's record to computed numbers."""

from __future__ import annotations

import math

import numpy as np

import polhode as ph
from polhode.model.shapes import Box, Capsule, Cylinder, Plane, Polyhedron, Sphere
from polhode.scene import Scene, StokesDrag
from reference.contact_scenes import (
    TILT,
    about_x,
    about_y,
    above,
    add_free,
    along,
    apexes,
    axis,
    ball,
    box,
    contact_times,
    ground,
    slope,
    spin_in_world,
)

STEP = 1e-3
UNIT = (0.0, 0.0, 0.0, 1.0)


def run(scene, duration, dt=STEP, record=1):
    return ph.simulate(scene, duration, dt=dt, record=record, progress=False)


def bounce(case):
    """Heights, flights and the end of a ball's bounces."""
    e, h0 = case["params"]["e"], case["params"]["h0"]
    recording = run(ball(e, h0), 1.5)
    q, qd = recording.of("ball")
    z, v = q[:, 2] - 0.5, qd[:, 2]
    times = contact_times(recording.times, z, v)
    is_moving = (np.abs(v) > 1e-6) | (z > 1e-6)
    return {
        "first_contact_t": times[0],
        "apex": [h0, *apexes(z)[:4]],
        "flight": np.diff(times)[:4],
        "rest_time": recording.times[np.flatnonzero(is_moving)[-1] + 1],
    }


def bounce_elastic(case):
    """The height after a hundred bounces."""
    flight = 2.0 * math.sqrt(2.0 * case["params"]["h0"] / 9.81)
    recording = run(ball(1.0, 1.0), (case["params"]["bounces"] + 0.2) * flight)
    z = recording.of("ball")[0][:, 2] - 0.5
    return {"apex": apexes(z)[-1]}


def slide(case):
    """A sliding box stops."""
    angle = math.radians(case["params"]["angle_deg"])
    speed = case["params"]["v"]
    velocity = (speed * math.cos(angle), speed * math.sin(angle), 0, 0, 0, 0)
    scene = box(mu_coulomb=case["params"]["mu"]).with_start("box", qd=velocity)
    recording = run(scene, 0.8)
    q, qd = recording.of("box")
    speeds = np.linalg.norm(qd[:, :3], axis=1)
    return {
        "stop_time": recording.times[np.flatnonzero(speeds > 1e-6)[-1] + 1],
        "stop_distance": np.linalg.norm(q[-1, :2] - q[0, :2]),
        "max_liftoff": float(np.abs(q[:, 2] - 0.5).max()),
        "omega": float(np.abs(qd[:, 3:]).max()),
    }


def _box_on_slope(mu, duration=2.0):
    scene = slope(mu_coulomb=mu)
    scene = scene.add_body(
        "box", Box((1.0, 1.0, 1.0)), position=above(0.5), quaternion=about_y(TILT), mass=2.0
    )
    recording = run(scene, duration)
    q, qd = recording.of("box")
    return along(q[-1, :3] - q[0, :3]), along(qd[-1, :3])


def incline(case):
    """A box that sticks on a slope."""
    s, v = _box_on_slope(case["params"]["mu"])
    return {"accel": v / 2.0, "s_2s": s, "v_2s": v}


def threshold(case):
    """A box just above and just below the friction that holds it."""
    expected = case["expected"]
    _, above_it = _box_on_slope(expected["sticks_at"])
    _, below_it = _box_on_slope(expected["slides_at"])
    sticks, slides = abs(above_it) < 1e-6, below_it > 1e-3
    return {
        "sticks_at": expected["sticks_at"] if sticks else above_it,
        "slides_at": expected["slides_at"] if slides else below_it,
    }


def _lying(scene, name, length=1.0, **start):
    """A cylinder of radius 0.5 whose axis is along y."""
    return scene.add_body(
        name, Cylinder(0.5, length), quaternion=about_x(math.pi / 2), mass=2.0, **start
    )


def slide_to_roll(case):
    """When, where and how fast sliding becomes rolling."""
    p = case["params"]
    scene = ground(mu_coulomb=p["mu"])
    start = {"position": (0, 0, p["r"]), "velocity": (p["v0"], 0, 0)}
    if "sphere" in case["id"]:
        scene = scene.add_body("body", Sphere(p["r"]), mass=2.0, **start)
    else:
        scene = _lying(scene, "body", **start)
    recording = run(scene, 1.2)
    q, qd = recording.of("body")
    spin = spin_in_world(q, qd)[:, 1]
    slip = qd[:, 0] - p["r"] * spin
    first = np.flatnonzero(slip > 1e-6)[-1] + 1
    return {
        "v_final": qd[-1, 0],
        "omega_final": spin[-1],
        "t_roll": recording.times[first],
        "distance": q[first, 0],
    }


def _rolling(case, mu, duration):
    """Way and speed along the slope, and the slip, of a body whose inertia is beta m r^2."""
    beta, mass, r = case["params"]["beta"], 2.0, 0.5
    scene, own = slope(mu_coulomb=mu), beta * mass * r * r
    if "shell" in case["id"]:
        q = (*above(r), *UNIT)
        scene = add_free(scene, "body", mass, (own,) * 3, [Sphere(r)], q, None)
    else:
        w, x, y, z = about_x(math.pi / 2)
        q, across = (*above(r), x, y, z, w), 0.5 * own + mass / 12.0
        scene = add_free(scene, "body", mass, (across, across, own), [Cylinder(r, 1.0)], q, None)
    q, qd = run(scene, duration).of("body")
    way, speed = along(q[-1, :3] - q[0, :3]), along(qd[-1, :3])
    return way, speed, abs(speed - r * spin_in_world(q, qd)[-1, 1])


def roll_down(case):
    """Rolling from rest on a slope, and the friction from which it rolls."""
    s, v, _ = _rolling(case, case["params"]["mu"], 2.0)
    least = case["expected"]["mu_min"]
    rolls = _rolling(case, 1.001 * least, 0.5)[2] < 1e-6
    slips = _rolling(case, 0.999 * least, 0.5)[2] > 1e-4
    return {"accel": v / 2.0, "x_2s": s, "mu_min": least if rolls and slips else math.nan}


def slip_down(case):
    """A ball that slips while it rolls down."""
    r = case["params"]["r"]
    scene = slope(mu_coulomb=case["params"]["mu"])
    scene = scene.add_body("ball", Sphere(r), position=above(r), mass=2.0)
    q, qd = run(scene, 2.0).of("ball")
    return {"accel": along(qd[-1, :3]) / 2.0, "alpha": spin_in_world(q, qd)[-1, 1] / 2.0}


def head_on(case):
    """Two balls meet."""
    p = case["params"]
    scene = Scene("case", gravity=(0, 0, 0)).contact(restitution=p["e"])
    scene = scene.add_body("a", Sphere(0.1), mass=p["ma"], velocity=(p["va"], 0, 0))
    scene = scene.add_body("b", Sphere(0.1), mass=p["mb"], position=(0.5, 0, 0))
    recording = run(scene, 0.5)
    return {"ua": recording.of("a")[1][-1, 0], "ub": recording.of("b")[1][-1, 0]}


def cradle(case):
    """Three balls that touch, hit by the first."""
    scene = Scene("case", gravity=(0, 0, 0)).contact(restitution=1.0)
    for k, speed in enumerate((case["params"]["v"], 0.0, 0.0)):
        place = {"position": (1.0 * k, 0, 0), "velocity": (speed, 0, 0)}
        scene = scene.add_body(f"ball{k}", Sphere(0.5), mass=1.0, **place)
    recording = run(scene, 0.1)
    final = [recording.of(f"ball{k}")[1][-1, 0] for k in range(3)]
    return {"final": final}


def wedge(case):
    """A block slides on a wedge that slides; both start at rest."""
    p = case["params"]
    angle, length = math.radians(p["theta_deg"]), 6.0
    rise = length * math.tan(angle)
    corners = [(x, y, z) for x, z in ((0, 0), (length, 0), (0, rise)) for y in (-0.5, 0.5)]
    centre = np.mean(corners, axis=0)
    hull = Polyhedron(tuple(tuple(c - centre) for c in np.array(corners)))
    scene = ground().add_body("wedge", hull, mass=p["M"], position=tuple(centre))
    half, s, c = 0.1, math.sin(angle), math.cos(angle)
    foot = np.array([1.0, 0.0, rise - math.tan(angle)])
    place = foot + half * np.array([s, 0.0, c])
    scene = scene.add_body(
        "block", Box((0.2, 0.2, 0.2)), position=tuple(place), quaternion=about_y(angle), mass=p["m"]
    )
    recording = run(scene, 0.5)
    big, small = recording.of("wedge")[1][-1, :3], recording.of("block")[1][-1, :3]
    return {
        "wedge_accel": -big[0] / 0.5,
        "block_rel_accel": float((small - big) @ np.array([c, 0.0, -s])) / 0.5,
    }


def oblique(case):
    """A ball strikes the ground at an angle, without gravity; the file's y is up."""
    p = case["params"]
    scene = Scene("case", gravity=(0, 0, 0)).add_fixed("ground", Plane())
    scene = scene.contact(restitution=p["e"], mu_coulomb=p["mu"])
    start = {"position": (0, 0, 0.6), "velocity": (p["vt"], 0, -p["vn"])}
    q, qd = run(scene.add_body("ball", Sphere(0.5), mass=2.0, **start), 0.2).of("ball")
    return {"vx": qd[-1, 0], "vy": qd[-1, 2], "omega": -spin_in_world(q, qd)[-1, 1]}


def falling_rod(case):
    """A rod slides down on a smooth floor until it lies."""
    p = case["params"]
    thin, angle = 1e-5, p["theta0"]
    height = 0.5 * math.cos(angle) + 0.0
    w, x, y, z = about_y(angle)
    shape = Capsule(thin, p["L"] - 2.0 * thin)
    inertia = (p["L"] ** 2 / 12.0, p["L"] ** 2 / 12.0, 1e-6)
    q = (0.0, 0.0, height + thin, x, y, z, w)
    scene = add_free(ground(), "rod", 1.0, inertia, [shape], q, None)
    recording = run(scene, 0.45)
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


def stokes(case):
    """Linear drag slows a body."""
    scene = Scene("case", gravity=(0, 0, 0)).add_force(StokesDrag("drag", linear=0.5))
    scene = scene.add_body("ball", Sphere(0.5), mass=2.0, velocity=(3, 0, 0))
    return {"v": run(scene, 1.0).of("ball")[1][-1, 0]}


def projectile(case):
    """A parabola; the file's y is up."""
    scene = Scene("case").add_body("ball", Sphere(0.5), mass=2.0, velocity=(3, 0, 4))
    q = run(scene, 1.0).of("ball")[0][-1]
    return {"pos": [q[0], q[2], -q[1]]}


def spin_down(case):
    """A box spins on its four corners."""
    scene = box(mu_coulomb=case["params"]["mu"]).with_start("box", qd=(0, 0, 0, 0, 0, 10.0))
    recording = run(scene, 2.6)
    q, qd = recording.of("box")
    spin, at = qd[:, 5], 1000
    return {
        "alpha": (spin[at] - spin[0]) / recording.times[at],
        "stop_time": recording.times[np.flatnonzero(np.abs(spin) > 1e-6)[-1] + 1],
        "max_liftoff": float(np.abs(q[:, 2] - 0.5).max()),
    }


def turntable(case):
    """A ball rolls on a turntable: the direction of its velocity turns."""
    turn, r = case["params"]["Omega"], 0.5
    scene = Scene("case").add_fixed("table", Plane(), spin=(0, 0, turn)).contact(mu_coulomb=1e3)
    start = {"velocity": (0, 2.0 * turn / 7.0, 0), "spin": (5.0 * turn / (7.0 * r), 0, 0)}
    scene = scene.add_body("ball", Sphere(r), position=(1, 0, r), mass=2.0, **start)
    recording = run(scene, 10.0)
    velocity = recording.of("ball")[1]
    angle = np.unwrap(np.arctan2(velocity[:, 1], velocity[:, 0]))
    return {"center_rate": (angle[-1] - angle[0]) / 10.0}


def euler_disk(case):
    """A thin disc rolls around on its rim."""
    a, alpha, thick = case["params"]["a"], case["params"]["alpha"], 2e-5
    rate = math.sqrt(4.0 * 9.81 / (a * math.sin(alpha)))
    w, x, y, z = about_y(alpha)
    mass = 0.1
    inertia = (mass * a * a / 4.0, mass * a * a / 4.0, mass * a * a / 2.0)
    height = a * math.sin(alpha) + 0.5 * thick * math.cos(alpha)
    # Turns about its diameter through the point of contact; body x points down there.
    spin = (-rate * math.sin(alpha), 0.0, 0.0)
    scene = add_free(
        ground(mu_coulomb=1e3), "disc", mass, inertia, [Cylinder(a, thick)],
        (0, 0, height, x, y, z, w), (0, 0, 0, *spin),
    )  # fmt: skip
    recording = run(scene, 0.5, dt=5e-5, record=10)
    normal = axis(recording.of("disc")[0], 2)
    angle = np.unwrap(np.arctan2(normal[:, 1], normal[:, 0]))
    return {"Omega": abs(angle[-1] - angle[0]) / 0.5}
