"""Averages of long motions in lanes and by the other integrator: within what worlds scatter.

Single motions part after a while, for impacts and bumps magnify what differs.  Means over worlds
and time do not.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

import polhode as ph
from polhode.model import Capsule, Plane, Prismatic, Revolute, Sphere
from polhode.spatial import Transform

STEP = 2e-3
WORLDS = 12
ACROSS = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)  # a capsule along y
BLOCK = np.diag([0.02, 0.02, 0.02])


class Averages(NamedTuple):
    """Mean height and speed along x of each world in the second half of a run."""

    height: np.ndarray
    speed: np.ndarray


def planar(mass, name="robot"):
    """A body that moves along x and z and turns about y."""
    return (
        ph.Model(name).add("x", joint=Prismatic.x(), mass=1e-3)
        .add("z", parent="x", joint=Prismatic.z(), mass=1e-3)
        .add("trunk", parent="z", joint=Revolute.y(), mass=mass, inertia=BLOCK * mass)
    )  # fmt: skip


def cart():
    """Two driven wheels under a trunk, on a floor with bumps of different size."""
    model = planar(3.0)
    for name, x in (("rear", -0.25), ("front", 0.25)):
        model = model.add(name, parent="trunk", frame=Transform.translation(x, 0, -0.05),
                          joint=Revolute.y(), mass=0.5, inertia=np.eye(3) * 2e-3,
                          damping=0.15)  # fmt: skip
    scene = ph.Scene("cart").add_machine(model, "robot", q=[0, 0.17, 0, 0, 0])
    for name in ("rear", "front"):
        scene = scene.add_geometry(name, ("robot", name), Sphere(0.1))
    scene = scene.add_fixed("floor", Plane()).contact(mu_coulomb=0.8)
    for k in range(30):
        scene = scene.add_fixed(f"bump{k}", Capsule(0.04, 0.4), quaternion=ACROSS,
                                position=(0.4 + 0.45 * k, 0, -0.03 + 0.005 * (k % 3)))  # fmt: skip
    return scene, [0.0, 0.0, 0.0, 1.2, 1.2]


def rimless_wheel():
    """Eight spokes with balls at their ends, which roll down a slope from spoke to spoke."""
    scene = ph.Scene("wheel", gravity=(9.81 * math.sin(0.12), 0, -9.81 * math.cos(0.12)))
    scene = scene.add_machine(planar(2.0), "robot", q=[0, 0.52, 0], qd=[1.2, 0, 2.4])
    for k in range(8):
        angle = k * math.pi / 4
        frame = Transform.translation(0.45 * math.sin(angle), 0, -0.45 * math.cos(angle))
        scene = scene.add_geometry(f"spoke{k}", ("robot", "trunk"), Sphere(0.05), frame=frame)
    return scene.add_fixed("floor", Plane()).contact(mu_coulomb=0.9), [0.0] * 3


def roller():
    """A wheel on an arm that a spring holds, with rolling friction and a soft tyre."""
    model = planar(2.0)
    model = model.add("arm", parent="trunk", joint=Revolute.y(), mass=0.3, com=(0.15, 0, 0),
                      inertia=np.eye(3) * 3e-3, damping=0.2, stiffness=20.0)  # fmt: skip
    model = model.add("wheel", parent="arm", frame=Transform.translation(0.3, 0, 0),
                      joint=Revolute.y(), mass=0.4, inertia=np.eye(3) * 2e-3)  # fmt: skip
    scene = ph.Scene("roller").add_machine(model, "robot", q=[0, 0.12, 0, 0.05, 0])
    scene = scene.add_geometry("tyre", ("robot", "wheel"), Sphere(0.12), is_compliant=True)
    scene = scene.add_geometry("tail", ("robot", "trunk"), Sphere(0.1),
                               frame=Transform.translation(-0.2, 0, 0))  # fmt: skip
    scene = scene.add_fixed("floor", Plane()).contact(mu_coulomb=0.4)
    scene = scene.contact("tyre", "floor", mu_coulomb=0.9, mu_rolling=0.003, penalty_kp=4e3,
                          penalty_kv=60.0)  # fmt: skip
    for k in range(20):
        scene = scene.add_fixed(f"bump{k}", Capsule(0.04, 0.4), quaternion=ACROSS,
                                position=(1.0 + 0.6 * k, 0, -0.025 - 0.003 * (k % 2)))  # fmt: skip
    return scene, [0.0, 0.0, 0.0, 0.0, 1.1]


def averages(scene, tau, integrator, dt=STEP, duration=5.0):
    """Those of worlds with starts by chance, the same for each integrator."""
    rng, n = np.random.default_rng(2), scene.model.nv
    qd = scene.qd0 + 0.2 * rng.normal(size=(WORLDS, n)) * np.r_[1.0, 0.0, 0.2, np.zeros(n - 3)]
    q = np.tile(scene.q0, (WORLDS, 1))
    q[:, 0] += rng.uniform(0.0, 0.3, WORLDS)
    way = ph.rollout(scene, q=q, qd=qd, tau=tau, steps=round(duration / dt), dt=dt, start="keep",
                     integrator=integrator, record_every=round(0.02 / dt))  # fmt: skip
    assert not way.failed.any()
    half = len(way.times) // 2
    time = way.times[-1] - way.times[half]
    return Averages(way.q[half:, :, 1].mean(axis=0), (way.q[-1, :, 0] - way.q[half, :, 0]) / time)


@pytest.mark.parametrize("robot", [cart, rimless_wheel, roller])
def test_long_runs_have_the_averages_of_the_other_integrator(robot):
    """Beside the scatter there are errors of first order: less than a hundredth of the speed."""
    scene, tau = robot()
    lanes = averages(scene, tau, "moreau")
    exact = averages(scene, tau, "event_driven")
    assert exact.speed.mean() > 0.3
    for a, b, share in zip(lanes, exact, (1e-3, 0.01), strict=True):
        scatter = math.sqrt((a.var() + b.var()) / (WORLDS - 1))
        assert abs(a.mean() - b.mean()) < 3.0 * scatter + share * abs(b.mean())
