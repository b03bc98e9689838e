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
from reference.contact_scenes import about_y, add_free, axis, spin_in_world


def dzhanibekov(case):
    """A torque-free body that turns over and over."""
    inertia, spin = case["params"]["I"], case["params"]["omega0"]
    scene = add_free(
        Scene("case", gravity=(0, 0, 0)), "body", 1.0, inertia, [],
        (0, 0, 0, *UNIT), (0, 0, 0, *spin),
    )  # fmt: skip
    recording = run(scene, 16.0)
    _, qd = recording.of("body")
    w = qd[:, 3:6]
    curve = CubicSpline(recording.times, w[:, 1])
    zeros, turns = curve.roots(extrapolate=False), curve.derivative().roots(extrapolate=False)
    momentum = np.linalg.norm(w * np.array(inertia), axis=1)
    energy = 0.5 * (w**2 * np.array(inertia)).sum(axis=1)
    worst = np.abs(energy - energy[0]).argmax()
    return {
        "period": 2.0 * (zeros[-1] - zeros[-2]),
        "omega2_max": float(np.abs(curve(turns)).max()),
        "H_norm": momentum[np.abs(momentum - momentum[0]).argmax()],
        "T": energy[worst],
    }


def symmetric_body(case):
    """A torque-free body with two equal moments of inertia precesses."""
    scene = add_free(
        Scene("case", gravity=(0, 0, 0)), "body", 1.0, (1.0, 1.0, 2.0), [],
        (0, 0, 0, *UNIT), (0, 0, 0, 0.3, 0.0, 5.0),
    )  # fmt: skip
    recording = run(scene, 2.0, dt=2e-4)
    q, qd = recording.of("body")
    angle = np.unwrap(np.arctan2(qd[:, 4], qd[:, 3]))
    momentum = spin_in_world(q, np.concatenate((qd[:, :3], qd[:, 3:6] * (1.0, 1.0, 2.0)), 1))[0]
    up = momentum / np.linalg.norm(momentum)
    side = np.cross((0.0, 1.0, 0.0), up)
    side /= np.linalg.norm(side)
    symmetry = axis(q, 2)
    around = np.unwrap(np.arctan2(symmetry @ np.cross(up, side), symmetry @ side))
    return {
        "body_precession": (angle[-1] - angle[0]) / 2.0,
        "space_precession": (around[-1] - around[0]) / 2.0,
    }


def top(case):
    """A top on a pivot, started in steady precession."""
    p = case["params"]
    across = p["I1_pivot"] - p["m"] * p["l"] ** 2
    model = Model("top").add(
        "top", joint=Spherical(), mass=p["m"], com=(0, 0, p["l"]),
        inertia=(across, across, p["I3"]),
    )  # fmt: skip
    w, x, y, z = about_y(p["theta"])
    rate = case["expected"]["Omega"]
    # Body axes: precession about the vertical, and what is missing to omega3 about z.
    spin = (-rate * math.sin(p["theta"]), 0.0, p["omega3"])
    scene = Scene("case").add_machine(model, "top", q=(x, y, z, w), qd=spin)
    recording = run(scene.with_settings(kind="simulator"), 0.5, dt=5e-5, record=10)
    q = recording.of("top")[0]
    up = _z_axis(q)
    angle = np.unwrap(np.arctan2(up[:, 1], up[:, 0]))
    tilt = np.arccos(up[:, 2])
    assert np.abs(tilt - p["theta"]).max() < 1e-6
    return {"Omega": (angle[-1] - angle[0]) / recording.duration}


def _z_axis(q):
    x, y, z, w = np.moveaxis(q, -1, 0)
    return np.stack((2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)), -1)


def pendulum(case):
    """A pendulum released from the horizontal; it falls to negative angles."""
    p = case["params"]
    model = Model("pendulum").add(
        "bob", joint=Revolute.y(), mass=p["m"], com=(-p["d"], 0, 0), inertia=(1.0, p["Jz"], 1.0)
    )
    scene = Scene("case").add_machine(model, "pendulum").with_settings(kind="simulator")
    recording = run(scene, 1.0, dt=1e-4, record=10)
    q, qd = recording.of("pendulum")
    return {"q_1s": q[-1, 0], "qd_1s": qd[-1, 0]}


def pendulum_limit(case):
    """A joint strikes its limit."""
    p = case["params"]
    model = Model("pendulum").add(
        "bob", joint=Revolute.y(), mass=1.0, com=(1, 0, 0), inertia=(1, 1, 1)
    )
    settings = [JointSettings("bob", lower=-10.0, upper=0.0, restitution=p["e"])]
    scene = Scene("case", gravity=(0, 0, 0)).add_machine(
        model, "pendulum", qd=[p["qd"]], joint_settings=settings
    )
    return {"qd_after": run(scene, 1e-3).of("pendulum")[1][-1, 0]}


def gear(case):
    """Moby's example of gears: a pendulum with a rotor, from the horizontal."""
    scene = ph.load(MODELS / "moby/gears/pendulum-gears.xml", strict=False)
    h = 1e-5
    return {"qdd1": run(scene, h, dt=h).of("pendulum")[1][-1, 0] / h}


def rimless_wheel(case):
    """A wheel of six spokes rolls down a slope in a cycle."""
    count, tip, tilt = 6, 1e-4, 0.1
    half = math.pi / count
    model = Model("wheel").add("hub", joint=Planar3, mass=1.0, inertia=(1.0, 1.0, 1.0))
    spokes = []
    for k in range(count):
        turn = 2.0 * half * k + half
        place = (1.0 - tip) * np.array([-math.sin(turn), 0.0, -math.cos(turn)])
        spokes.append(("hub", Sphere(tip), Transform.translation(*place)))
    height = math.cos(half)
    gravity = (math.sin(tilt), 0.0, -math.cos(tilt))
    scene = Scene("case", gravity=gravity).add_fixed("ground", Plane()).contact(mu_coulomb=1e3)
    start = 0.45
    scene = scene.add_machine(
        model,
        "wheel",
        q=(0, height, 0),
        qd=(start * height, start * math.sin(half), start),
        geometries=spokes,
    )
    recording = run(scene, 40.0)
    spin = recording.of("wheel")[1][:, 2]
    drops = np.flatnonzero(spin[1:] < 0.9 * spin[:-1])
    after = spin[drops[-1] + 3]
    before = spin[drops[-1] - 2]
    return {"eta": after / before, "omega_plus": after}


Planar3 = Axes(((0, 0, 0, 1, 0, 0), (0, 0, 0, 0, 0, 1), (0, 1, 0, 0, 0, 0)))
