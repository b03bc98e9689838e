"""Closed forms of stacks, rolling discs, a rattleback and a bead on a cycloid."""

from __future__ import annotations

import math

import numpy as np
import pytest

from polhode import momentum as momentum_of
from polhode.model import Link, Model
from polhode.model.joints import FloatingBase
from polhode.model.records import RigidBody
from polhode.model.shapes import Box, Cylinder, Heightmap, Sphere, Torus
from polhode.scene import Scene
from polhode.spatial import Transform, rotation_y
from reference.contact_cases import UNIT, run
from reference.contact_scenes import G, add_free, axis, ground, spin_in_world


@pytest.mark.parametrize(
    "masses", [[1.0] * 10, list(np.geomspace(1.0, 100.0, 10))], ids=["equal", "heavy on light"]
)
def test_a_stack_stands(masses):
    """Ten boxes for 10 s: each carries what is above it, and none creeps."""
    scene = ground(mu_coulomb=0.6)
    for k, mass in enumerate(masses):
        scene = scene.add_body(f"box{k}", Box((0.4, 0.4, 0.2)), position=(0, 0, 0.1 + 0.2 * k),
                               mass=mass)  # fmt: skip
    recording = run(scene, 10.0, dt=2e-3, record=500)
    assert np.abs(recording.q[1:] - recording.q[0]).max() < 1e-6
    assert recording.audit.unconverged == 0
    order = ["ground", *(f"box{k}" for k in range(len(masses)))]
    loads = np.zeros(len(masses))
    for contact in recording.contacts(-1):
        lower = min(order.index(contact.a), order.index(contact.b))
        loads[lower] += abs(contact.force[2])
    assert loads == pytest.approx(G * np.cumsum(masses[::-1])[::-1], rel=1e-6)


LEAN = 1e-3


def upright(share, is_hoop):
    """How far a disc leans that rolls with a share of its least steady spin squared."""
    r, thick = 0.3, 2e-6
    across, own = (0.5, 1.0) if is_hoop else (0.25, 0.5)
    spin = math.sqrt(share * G / (4.0 * r if is_hoop else 3.0 * r))
    turn = -math.pi / 2 + LEAN  # the axis, the body's z, along y of the world and a little up
    quaternion = (math.sin(turn / 2), 0.0, 0.0, math.cos(turn / 2))
    height = r * math.cos(LEAN) + 0.5 * thick * math.sin(LEAN)
    scene = add_free(
        ground(mu_coulomb=1e3), "disc", 1.0, (across * r * r, across * r * r, own * r * r),
        [Cylinder(r, thick)], (0, 0, height, *quaternion), (spin * r, 0, 0, 0, 0, spin),
    )  # fmt: skip
    up = axis(run(scene, 5.0, dt=5e-4, record=20).of("disc")[0], 2)[:, 2]
    return np.abs(np.arcsin(up))


@pytest.mark.parametrize("is_hoop", [False, True], ids=["disc", "hoop"])
def test_a_disc_rolls_upright_from_its_speed_on(is_hoop):
    """w^2 > g / (3 r), a hoop g / (4 r): below it falls over, above it sways for 5 s.

    The yaw that a lean brings rights the disc: theta'' = k (theta - s (theta - theta0)), s the
    share of the least spin squared, so that it sways up to theta0 (s + 1) / (s - 1).
    """
    assert upright(0.8, is_hoop).max() > 0.2
    for share in (1.3, 2.0):
        sway = upright(share, is_hoop).max()
        assert sway == pytest.approx(LEAN * (share + 1.0) / (share - 1.0), rel=1e-2)


def rattleback(spin):
    """The vertical spin of a stone on a tube's outside, curved little along y and much along x.

    Its axes of inertia are turned against those of its curvature by 10 degrees.
    """
    inertia = ((0.02, 0.003, 0.0), (0.003, 0.004, 0.0), (0.0, 0.0, 0.022))
    body = RigidBody(1.0, (0.0, 0.0, 0.0), inertia)
    model = Model("stone", (Link("stone", None, FloatingBase(), body=body),))
    major, minor, height = 0.8, 0.2, 0.12
    # Coordinates of the torus from those of the body: its axis z lies along x.
    stand = Transform.rotation(rotation_y(math.pi / 2)) @ Transform.translation(
        0.0, 0.0, major + minor - height
    )
    scene = ground(mu_coulomb=1e3).add_machine(
        model, "stone", q=(0, 0, height, *UNIT), qd=(0, 0, 0, 1.0, 0.0, spin),
        geometries=[("stone", Torus(major, minor), stand)],
    )  # fmt: skip
    recording = run(scene, 6.0, record=5)
    rocking = 16.0 * recording.dt  # angle of its faster rocking in a step; the order is two
    assert recording.audit.energy_rise < rocking**2 * recording.audit.energy_scale
    return spin_in_world(*recording.of("stone"))[:, 2]


def test_a_rattleback_turns_back_one_way_only():
    """Spun one way it rattles, stops and turns back; the other way it goes on."""
    assert rattleback(1.5).min() > 1.4
    back = rattleback(-1.5)
    assert back[0] == pytest.approx(-1.5)
    assert back[-1] > 1.0


def cycloid(a, r, columns=1601):
    """Ground whose height along x is a hanging cycloid, and its x and slope by parameter."""
    phi = np.linspace(-math.pi, math.pi, 20001)
    x = np.linspace(-0.99 * math.pi * a, 0.99 * math.pi * a, columns)
    heights = np.interp(x, a * (phi + np.sin(phi)), a * (1.0 - np.cos(phi)))
    rows = tuple((float(z),) * 3 for z in heights)
    return Heightmap(rows, (float(x[-1] - x[0]), 1.0))


@pytest.mark.parametrize(("mu", "beta"), [(0.0, 0.0), (1e3, 0.4)], ids=["slides", "rolls"])
def test_a_bead_takes_as_long_from_anywhere(mu, beta):
    """On a cycloid the way down takes pi sqrt(a (1 + beta) / g), from wherever it begins."""
    a, r = 1.0, 0.02
    table = cycloid(a, r)
    expected = math.pi * math.sqrt(a * (1.0 + beta) / G)
    for phi in (0.7, 1.6, 2.3):
        normal = np.array([-math.sin(phi / 2), 0.0, math.cos(phi / 2)])
        start = np.array([a * (phi + math.sin(phi)), 0.0, a * (1.0 - math.cos(phi))]) + r * normal
        scene = Scene("cycloid").add_fixed("ground", table).contact(mu_coulomb=mu)
        scene = scene.add_body("bead", Sphere(r), position=start, mass=0.1)
        recording = run(scene, 1.2 * expected)
        x = recording.of("bead")[0][:, 0]
        k = np.flatnonzero(x < 0.0)[0]
        t = recording.times[k - 1] + 1e-3 * x[k - 1] / (x[k - 1] - x[k])
        assert t == pytest.approx(expected, rel=1e-2)


def test_a_tippe_top_rises():
    """Friction turns it over: its centre of mass ends above the middle of its sphere.

    Whatever the friction, Jellett's constant ``L.r`` stays, with ``r`` from the contact to the
    centre of mass: it tells the angular velocity in the end.
    """
    radius, below, mass, rate, lean = 0.02, 0.002, 0.015, 200.0, 0.1
    inertia = 0.4 * mass * radius**2
    model = Model("top").add("top", joint=FloatingBase(), mass=mass, com=(0.0, 0.0, -below),
                             inertia=(inertia,) * 3)  # fmt: skip
    q = [0.0, 0.0, radius, math.sin(lean / 2), 0.0, 0.0, math.cos(lean / 2)]
    qd = [0.0, 0.0, 0.0, 0.0, rate * math.sin(lean), rate * math.cos(lean)]  # about the vertical
    scene = ground(mu_coulomb=0.1).add_machine(
        model, "top", q=q, qd=qd, geometries=[("top", Sphere(radius), Transform.identity())]
    )
    recording = run(scene, 8.0, dt=2.5e-4, record=40)
    poses = recording.poses[:, -1]
    upwards, middle = poses[:, :3, 2], poses[:, :3, 3]
    center = middle - below * upwards
    assert upwards[0, 2] > 0.99 and upwards[-1, 2] < -0.99
    assert center[-1, 2] == pytest.approx(radius + below, rel=1e-3)
    momentum = np.asarray(momentum_of(scene.model, recording.q, recording.qd))
    L = momentum[:, :3] - np.cross(center, momentum[:, 3:])
    jellett = np.einsum("ti,ti->t", L, center - middle + (0.0, 0.0, radius))
    assert np.ptp(jellett) < 1e-5 * jellett[0]
    turning = poses[-1, 2, :3] @ recording.qd[-1, 3:]
    assert turning == pytest.approx(jellett[0] / (inertia * (radius + below)), rel=1e-3)
    assert recording.audit.energy_rise < 1e-6 * recording.kinetic[0]


LYING = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)  # the axis along y


@pytest.mark.parametrize("dt", [4e-3, 1e-3, 2.5e-4])
@pytest.mark.parametrize("start", [-0.2, -0.2003])
@pytest.mark.parametrize("restitution", [0.0, 0.4])
def test_a_cylinder_that_rolls_against_a_step_stays_square_to_it(dt, start, restitution):
    """The scene has a plane of symmetry: nothing turns the axis, and nothing moves along it."""
    radius = 0.1
    scene = (
        ground(mu_coulomb=0.5, restitution=restitution)
        .add_fixed("step", Box((1.0, 2.0, 0.05)), position=(0.5, 0.0, 0.025))
        .add_body("roller", Cylinder(radius, 0.3), mass=1.0, position=(start, 0.0, radius),
                  quaternion=LYING, velocity=(1.0, 0.0, 0.0),
                  spin=(0.0, 1.0 / radius, 0.0))
    )  # fmt: skip
    q, qd = run(scene, 0.8, dt=dt, record=1).of("roller")
    assert np.abs(q[:, 1]).max() < 1e-7
    assert np.abs(qd[:, 3:5]).max() < 1e-4
