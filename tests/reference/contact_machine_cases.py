"""The closed forms of machines with limits and gears, and of free rotation."""

from __future__ import annotations

import math

import numpy as np
from scipy.interpolate import CubicSpline

import polhode as ph
from polhode.model import Model
from polhode.model.joints import Axes, Revolute, Spherical
from polhode.model.shapes import Plane, Sphere
from polhode.scene import JointSettings, Scene
from polhode.spatial import Transform
from reference.cases import MODELS
from reference.contact_cases import UNIT, run
from reference.contact_scenes import G, about_y, add_free, axis, empty, spin_in_world


def dzhanibekov(*, I, omega0):
    """A torque-free body that turns over and over."""
    inertia = np.array(I, float)
    scene = add_free(
        Scene("case", gravity=(0, 0, 0)), "body", 1.0, I, [], (0, 0, 0, *UNIT), (0, 0, 0, *omega0)
    )
    for duration in (16.0, 64.0, 256.0):
        recording = run(scene, duration)
        w = recording.of("body")[1][:, 3:6]
        curve = CubicSpline(recording.times, w[:, 1])
        zeros, turns = curve.roots(extrapolate=False), curve.derivative().roots(extrapolate=False)
        if len(zeros) > 1:
            break
    momentum = np.linalg.norm(w * inertia, axis=1)
    energy = 0.5 * (w**2 * inertia).sum(axis=1)
    worst = np.abs(energy - energy[0]).argmax()
    return {
        "period": 2.0 * (zeros[-1] - zeros[-2]),
        "omega2_max": float(np.abs(curve(turns)).max()),
        "H_norm": momentum[np.abs(momentum - momentum[0]).argmax()],
        "T": energy[worst],
    }


def symmetric_body(*, I1, I3, omega):
    """A torque-free body with two equal moments of inertia precesses."""
    inertia = (I1, I1, I3)
    scene = add_free(
        Scene("case", gravity=(0, 0, 0)), "body", 1.0, inertia, [],
        (0, 0, 0, *UNIT), (0, 0, 0, *omega),
    )  # fmt: skip
    recording = run(scene, 2.0, dt=2e-4)
    q, qd = recording.of("body")
    angle = np.unwrap(np.arctan2(qd[:, 4], qd[:, 3]))
    momentum = spin_in_world(q, np.concatenate((qd[:, :3], qd[:, 3:6] * inertia), 1))[0]
    up = momentum / np.linalg.norm(momentum)
    side = np.cross((0.0, 1.0, 0.0), up)
    side /= np.linalg.norm(side)
    symmetry = axis(q, 2)
    around = np.unwrap(np.arctan2(symmetry @ np.cross(up, side), symmetry @ side))
    return {
        "body_precession": (angle[-1] - angle[0]) / 2.0,
        "space_precession": (around[-1] - around[0]) / 2.0,
    }


def top(*, I1_pivot, I3, m, l, theta, omega3, g=G):
    """A top on a pivot, started in slow steady precession."""
    across = I1_pivot - m * l**2
    model = Model("top").add(
        "top", joint=Spherical(), mass=m, com=(0, 0, l), inertia=(across, across, I3)
    )
    w, x, y, z = about_y(theta)
    own, weight = I3 * omega3, 4.0 * I1_pivot * m * g * l * math.cos(theta)
    rate = (own - math.sqrt(own**2 - weight)) / (2.0 * I1_pivot * math.cos(theta))
    # Body axes: precession about the vertical, and what is missing to omega3 about z.
    spin = (-rate * math.sin(theta), 0.0, omega3)
    scene = empty(g).add_machine(model, "top", q=(x, y, z, w), qd=spin)
    recording = run(scene.with_settings(kind="simulator"), 0.5, dt=5e-5, record=10)
    q = recording.of("top")[0]
    up = _z_axis(q)
    angle = np.unwrap(np.arctan2(up[:, 1], up[:, 0]))
    tilt = np.arccos(up[:, 2])
    assert np.abs(tilt - theta).max() < 1e-6
    return {"Omega": (angle[-1] - angle[0]) / recording.duration}


def _z_axis(q):
    x, y, z, w = np.moveaxis(q, -1, 0)
    return np.stack((2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)), -1)


def pendulum(*, m, d, Jz, g=G):
    """A pendulum released from the horizontal; it falls to negative angles."""
    model = Model("pendulum").add(
        "bob", joint=Revolute.y(), mass=m, com=(-d, 0, 0), inertia=(1.0, Jz, 1.0)
    )
    scene = empty(g).add_machine(model, "pendulum").with_settings(kind="simulator")
    recording = run(scene, 1.0, dt=1e-4, record=10)
    q, qd = recording.of("pendulum")
    return {"q_1s": q[-1, 0], "qd_1s": qd[-1, 0]}


def pendulum_limit(*, qd, e):
    """A joint strikes its limit."""
    model = Model("pendulum").add(
        "bob", joint=Revolute.y(), mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1)
    )
    settings = [JointSettings("bob", lower=-10.0, upper=0.0, restitution=e)]
    scene = Scene("case", gravity=(0, 0, 0)).add_machine(
        model, "pendulum", qd=[qd], joint_settings=settings
    )
    return {"qd_after": run(scene, 1e-3).of("pendulum")[1][-1, 0]}


def gear(*, I1, I2, r, mgL, example=None, g=G):
    """A pendulum of inertia I1 about its pivot, geared to a rotor, from the horizontal.

    Of an example of Moby the parameters are rounded; its file is what is computed then.
    """
    qdd = _first_acceleration(_geared(I1, I2, r, mgL, g))
    if example is not None:
        rounded = qdd
        qdd = _first_acceleration(ph.load(MODELS / f"moby/{example}.xml", strict=False))
        assert abs(qdd - rounded) < 1e-4 * abs(rounded)
    return {"qdd1": qdd}


def _geared(I1, I2, r, mgL, g):
    d = 0.5 * I1 * g / mgL  # any length that leaves some inertia about the centre of mass
    m = mgL / (g * d)
    own = I1 - m * d * d
    model = Model("pendulum").add(
        "bob", joint=Revolute.y(), mass=m, com=(-d, 0, 0), inertia=(own, own, own)
    )
    model = model.add("rotor", joint=Revolute.z(), mass=1.0, inertia=(I2, I2, I2))
    scene = empty(g).add_machine(model, "pendulum")
    return scene.add_gear("gear", ("pendulum", "rotor"), ("pendulum", "bob"), r)


def _first_acceleration(scene):
    h = 1e-5
    return run(scene, h, dt=h).of("pendulum")[1][-1, 0] / h


def rimless_wheel(*, n, I, m, l, g, slope):
    """A wheel of so many spokes rolls down a slope in a cycle."""
    n, tip = int(n), 1e-4 * l
    half, inertia = math.pi / n, I + m * l * l
    model = Model("wheel").add("hub", joint=Planar3, mass=m, inertia=(I, I, I))
    spokes = []
    for k in range(n):
        turn = 2.0 * half * k + half
        place = (l - tip) * np.array([-math.sin(turn), 0.0, -math.cos(turn)])
        spokes.append(("hub", Sphere(tip), Transform.translation(*place)))
    height = l * math.cos(half)
    gravity = (g * math.sin(slope), 0.0, -g * math.cos(slope))
    scene = Scene("case", gravity=gravity).add_fixed("ground", Plane()).contact(mu_coulomb=1e3)
    # Half as fast again as takes it over the next spoke, under which it would rock to rest.
    least = math.sqrt(2.0 * m * g * l * (1.0 - math.cos(half - slope)) / inertia)
    start = 1.5 * least
    scene = scene.add_machine(
        model,
        "wheel",
        q=(0, height, 0),
        qd=(start * height, start * l * math.sin(half), start),
        geometries=spokes,
    )
    unit = math.sqrt(l / g)  # of time
    recording = run(scene, 40.0 * unit, dt=1e-3 * unit)
    spin = recording.of("wheel")[1][:, 2]
    kept = (I + m * l * l * math.cos(2.0 * half)) / inertia
    drops = np.flatnonzero(spin[1:] < 0.5 * (1.0 + kept) * spin[:-1])
    after = spin[drops[-1] + 3]
    before = spin[drops[-1] - 2]
    return {"eta": after / before, "omega_plus": after}


Planar3 = Axes(((0, 0, 0, 1, 0, 0), (0, 0, 0, 0, 0, 1), (0, 1, 0, 0, 0, 0)))
