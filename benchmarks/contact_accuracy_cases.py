"""Scenes with contact whose outcome is known, and how it is read off a motion.

A motion is a mapping from bodies to positions (x, y, z, then the quaternion x, y, z, w) and
velocities (linear in world axes, angular in body axes), a row for each step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from polhode.model.mass_properties import mass_properties
from polhode.model.shapes import Box, Capsule, Plane, Polyhedron, Shape, Sphere
from polhode.scene import Scene

G, TILT, DT = 9.81, math.radians(20.0), 1e-3
DOWN = (0.0, 0.0, -G)
ALONG = (G * math.sin(TILT), 0.0, -G * math.cos(TILT))  # gravity seen from a slope
WEDGE = ((0, 0), (6.0, 0), (0, 6.0 * math.tan(math.pi / 6)))
Motion = dict[str, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Body:
    """A body that moves; ``inertia`` about its own axes."""

    shape: Shape
    mass: float
    inertia: tuple[float, float, float]
    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Case:
    """What is simulated, and the worst deviation of what is read off it from what is known."""

    title: str
    bodies: dict[str, Body]
    duration: float
    error: Callable[[Motion], float]
    mu: float = 0.0
    e: float = 0.0
    gravity: tuple[float, float, float] = DOWN
    planes: tuple[tuple[float, float, float, float], ...] = ((1.0, 0.0, 0.0, 0.0),)

    def scene(self) -> Scene:
        """For polhode."""
        scene = Scene("case", gravity=self.gravity)
        scene = scene.contact(mu_coulomb=self.mu, restitution=self.e)
        for k, turn in enumerate(self.planes):
            scene = scene.add_fixed(f"plane{k}", Plane(), quaternion=turn)
        for name, b in self.bodies.items():
            scene = scene.add_body(
                name, b.shape, mass=b.mass, position=b.position, quaternion=b.quaternion,
                velocity=b.velocity, spin=b.spin,
            )  # fmt: skip
        return scene


def ball(r: float = 0.5, mass: float = 2.0, **start) -> Body:
    return Body(Sphere(r), mass, (0.4 * mass * r * r,) * 3, **start)


def cube(side: float = 1.0, mass: float = 2.0, **start) -> Body:
    return Body(Box((side, side, side)), mass, (mass * side * side / 6.0,) * 3, **start)


def relative(got, known) -> float:
    """The worst relative deviation."""
    got, known = np.asarray(got, float), np.asarray(known, float)
    return float(np.abs(got / known - 1.0).max())


def apexes(z: np.ndarray, count: int) -> np.ndarray:
    """The first local maxima of a height, NaN where there are not so many."""
    inner = z[1:-1][(z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])]
    return np.concatenate((inner, np.full(count, np.nan)))[:count]


def bounces(e: float, count: int, duration: float) -> Case:
    def error(motion: Motion) -> float:
        found = apexes(motion["ball"][0][:, 2] - 0.5, count)
        known = e ** (2.0 * np.arange(1, count + 1))
        return relative(found, known) if np.isfinite(found).all() else 1.0

    title = f"ball, e = {e:g}: heights of {count} bounces"
    return Case(title, {"ball": ball(position=(0, 0, 1.5))}, duration, error, e=e)


def sliding() -> Case:
    v, mu = 3.0, 0.5
    body = cube(position=(0, 0, 0.5), velocity=(v * math.cos(0.5), v * math.sin(0.5), 0))

    def error(motion: Motion) -> float:
        return relative(np.linalg.norm(motion["box"][0][-1, :2]), v * v / (2.0 * mu * G))

    return Case("box slides: way until it stops", {"box": body}, 0.8, error, mu=mu)


def on_slope(mu: float) -> Case:
    body, a = cube(position=(0, 0, 0.5)), ALONG[0] + mu * ALONG[2]

    def error(motion: Motion) -> float:
        x = motion["box"][0][-1, 0]
        return abs(x) if a < 0.0 else relative(x, 2.0 * a)

    what = "box sticks on a slope: way in 2 s [m]" if a < 0.0 else "box slides down a slope: way"
    return Case(what, {"box": body}, 2.0, error, mu=mu, gravity=ALONG)


def slide_to_roll() -> Case:
    v, mu = 5.0, 0.2
    t, way, end = 2 * v / (7 * mu * G), 12 * v * v / (49 * mu * G), 1.2

    def error(motion: Motion) -> float:
        return relative(motion["ball"][0][-1, 0], way + (end - t) * 5.0 * v / 7.0)

    body = ball(position=(0, 0, 0.5), velocity=(v, 0, 0))
    return Case("ball slides, then rolls: way", {"ball": body}, end, error, mu=mu)


def roll_down() -> Case:
    def error(motion: Motion) -> float:
        return relative(motion["ball"][0][-1, 0], 2.0 * ALONG[0] / 1.4)

    body = ball(position=(0, 0, 0.5))
    return Case("ball rolls down a slope: way", {"ball": body}, 2.0, error, 0.8, gravity=ALONG)


def groove() -> Case:
    half = math.pi / 4
    turns = tuple((math.cos(a / 2), math.sin(a / 2), 0.0, 0.0) for a in (half, -half))

    def error(motion: Motion) -> float:
        return relative(motion["ball"][0][-1, 0], 0.5 * ALONG[0] / 1.8)

    body = ball(0.25, position=(0, 0, 0.25 / math.sin(half)))
    return Case("ball rolls down a groove: way", {"ball": body}, 1.0, error, 5.0, gravity=ALONG,
                planes=turns)  # fmt: skip


def head_on() -> Case:
    def error(motion: Motion) -> float:
        return relative([motion[name][1][-1, 0] for name in "ab"], [0.8, 2.4])

    pair = {"a": ball(0.1, position=(0, 0, 0), velocity=(2, 0, 0)),
            "b": ball(0.1, 1.0, position=(0.5, 0, 0))}  # fmt: skip
    return Case(
        "balls meet, e = 0.8: speeds", pair, 0.5, error, e=0.8, gravity=(0, 0, 0), planes=()
    )


def oblique() -> Case:
    def error(motion: Motion) -> float:
        q, v = motion["ball"]
        return relative([v[-1, 0], v[-1, 2], world_spin(q, v)[-1, 1]], [4.7, 1.0, 1.5])

    body = ball(position=(0, 0, 0.6), velocity=(5, 0, -2))
    title = "ball strikes at an angle, e = 0.5: speeds, spin"
    return Case(title, {"ball": body}, 0.25, error, 0.1, 0.5, gravity=(0, 0, 0))


def wedge() -> Case:
    big, small, angle = 3.0, 1.0, math.pi / 6
    corners = np.array([(x, y, z) for x, z in WEDGE for y in (-0.5, 0.5)])
    centre, c, s = corners.mean(axis=0), math.cos(angle), math.sin(angle)
    foot = np.array([1.0, 0.0, 5.0 * math.tan(angle)]) + 0.1 * np.array([s, 0.0, c])
    hull = Polyhedron(tuple(map(tuple, corners - centre)))
    bodies = {
        "wedge": Body(hull, big, (3.0, 6.0, 6.0), tuple(centre)),
        "block": cube(0.2, small, position=tuple(foot),
                      quaternion=(math.cos(angle / 2), 0, math.sin(angle / 2), 0)),
    }  # fmt: skip
    known = [
        small * G * s * c / (big + small * s * s),
        (big + small) * G * s / (big + small * s * s),
    ]

    def error(motion: Motion) -> float:
        u, v = (motion[name][1][-1, :3] for name in ("wedge", "block"))
        return relative([-u[0] / 0.5, (v - u) @ [c, 0.0, -s] / 0.5], known)

    return Case("block slides on a wedge that slides", bodies, 0.5, error)


def falling_rod() -> Case:
    """Its end is a small sphere: the centre is ``length cos(lean) + radius`` above the ground."""
    radius, length, start = 1e-5, 0.5, 0.3
    shape = Capsule(radius, 2 * length)
    mass = 1.0
    inertia = tuple(np.diag(mass_properties(shape, mass=mass).inertia))
    body = Body(
        shape, mass, inertia, (0, 0, length * math.cos(start) + radius),
        (math.cos(start / 2), 0, math.sin(start / 2), 0),
    )  # fmt: skip

    def rates(_: float, y):
        arm, rise = mass * length * math.sin(y[0]), mass * length * math.cos(y[0])
        return y[1], (G * arm - arm * rise / mass * y[1] ** 2) / (inertia[0] + arm**2 / mass)

    known = solve_ivp(rates, (0, 0.44), (start, 0), rtol=1e-12, atol=1e-12).y[0, -1]

    def error(motion: Motion) -> float:
        q = motion["rod"][0][-1]
        return relative(math.acos(1.0 - 2.0 * (q[3] ** 2 + q[4] ** 2)), known)

    return Case("rod slides down on smooth ground: lean", {"rod": body}, 0.44, error)


def spinning() -> Case:
    mu, rate = 0.1, 10.0
    known = rate**2 / (2.0 * mu * G * math.sqrt(0.5) * 6.0)

    def error(motion: Motion) -> float:
        spin = motion["box"][1][:, 5]
        return relative(DT * (spin.sum() - 0.5 * (spin[0] + spin[-1])), known)

    body = cube(position=(0, 0, 0.5), spin=(0, 0, rate))
    return Case("box spins on its corners: angle until rest", {"box": body}, 2.6, error, mu=mu)


def stack() -> Case:
    masses = np.geomspace(1.0, 100.0, 10)
    bodies = {f"box{k}": cube(0.2, m, position=(0, 0, 0.1 + 0.2 * k))
              for k, m in enumerate(masses)}  # fmt: skip

    def error(motion: Motion) -> float:
        return float(np.abs(motion["box9"][0][-1, :3] - [0, 0, 1.9]).max())

    return Case("ten boxes, heavy on light: sinks in 2 s [m]", bodies, 2.0, error, mu=0.6)


def world_spin(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Angular velocity in world axes."""
    u, w = q[:, 3:6], q[:, 6:7]
    t = 2.0 * np.cross(u, v[:, 3:])
    return v[:, 3:] + w * t + np.cross(u, t)


def cases() -> list[Case]:
    return [
        bounces(0.5, 3, 1.4), bounces(1.0, 10, 10.0), sliding(), on_slope(0.5), on_slope(0.3),
        slide_to_roll(), roll_down(), groove(), head_on(), oblique(), wedge(), falling_rod(),
        spinning(), stack(),
    ]  # fmt: skip
