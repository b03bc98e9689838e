"""Scenes of the closed forms: what they are made of, and how their motion is measured."""

from __future__ import annotations

import math

import numpy as np

from polhode.model import Link, Model
from polhode.model.joints import FloatingBase
from polhode.model.records import RigidBody
from polhode.model.shapes import Box, Cylinder, Plane, Sphere
from polhode.scene import Scene
from polhode.spatial import Transform

G = 9.81
TILT = math.radians(20.0)
SPHERES = (2.0 / 5.0, 2.0 / 3.0)  # I / (m r^2) of a ball and of a thin shell


def free(name, mass, inertia):
    """A free body of given inertia."""
    body = RigidBody(mass, (0.0, 0.0, 0.0), inertia)
    return Model(name, (Link(name, None, FloatingBase(), body=body),))


def add_free(scene, name, mass, inertia, shapes, q, qd):
    """One more free body of given inertia: q is position, then quaternion (x, y, z, w)."""
    return scene.add_machine(
        free(name, mass, inertia), name, q=q, qd=qd,
        geometries=[(name, shape, Transform.identity()) for shape in shapes],
    )  # fmt: skip


def empty(g=G):
    """Nothing but gravity."""
    return Scene("case", gravity=(0.0, 0.0, -g))


def ground(g=G, **contact):
    """A plane at height 0 and a rule for all pairs."""
    return empty(g).add_fixed("ground", Plane()).contact(**contact)


def about_y(angle):
    """Quaternion (w, x, y, z)."""
    return math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0


def about_x(angle):
    """Quaternion (w, x, y, z)."""
    return math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0


def slope(tilt=TILT, g=G, **contact):
    """A plane that falls along x."""
    scene = empty(g).add_fixed("ground", Plane(), quaternion=about_y(tilt))
    return scene.contact(**contact)


def above(distance, tilt=TILT):
    """The point at this distance from the origin of `slope`."""
    return distance * math.sin(tilt), 0.0, distance * math.cos(tilt)


def along(vectors, tilt=TILT):
    """Components of vectors along a slope."""
    return np.asarray(vectors) @ np.array([math.cos(tilt), 0.0, -math.sin(tilt)])


def round_body(scene, beta, r, position, *, m=2.0, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)):
    """One more `body` of inertia ``beta m r^2`` about y: a sphere, or a cylinder lying along y.

    The spin is about world axes.
    """
    own = beta * m * r * r
    if beta in SPHERES:
        q = (*position, 0.0, 0.0, 0.0, 1.0)
        return add_free(scene, "body", m, (own,) * 3, [Sphere(r)], q, (*velocity, *spin))
    w, x, y, z = about_x(math.pi / 2)  # takes body y to world z, body z to world -y
    q, across = (*position, x, y, z, w), 0.5 * own + m / 12.0
    turn = (spin[0], spin[2], -spin[1])
    shapes = [Cylinder(r, 1.0)]
    return add_free(scene, "body", m, (across, across, own), shapes, q, (*velocity, *turn))


def ball(e=0.0, height=1.0, *, r=0.5, m=2.0, **contact):
    """A ball at this height above the plane."""
    scene = ground(restitution=e, **contact)
    return scene.add_body("ball", Sphere(r), position=(0, 0, r + height), mass=m)


def box(a=1.0, **contact):
    """A cube of side ``a`` and mass 2 on the plane."""
    scene = ground(**contact)
    return scene.add_body("box", Box((a, a, a)), position=(0, 0, 0.5 * a), mass=2.0)


def spin_in_world(q, qd):
    """Angular velocities of a free body in world axes."""
    x, y, z, w = np.moveaxis(np.asarray(q)[..., 3:7], -1, 0)
    u, v = np.stack((x, y, z), -1), np.asarray(qd)[..., 3:6]
    t = 2.0 * np.cross(u, v)
    return v + w[..., None] * t + np.cross(u, t)


def axis(q, k):
    """Body axis ``k`` of a free body in world coordinates."""
    e = np.zeros((*np.shape(q)[:-1], 6))
    e[..., 3 + k] = 1.0
    return spin_in_world(q, e)


def contact_times(times, z, v, g=G):
    """When a bouncing ball touches: each flight is continued from its last record."""
    turns = np.flatnonzero((v[:-1] < 0.0) & (v[1:] > 0.0))
    heights, speeds = np.maximum(z[turns], 0.0), v[turns]
    return times[turns] + (speeds + np.sqrt(speeds**2 + 2.0 * g * heights)) / g


def apexes(z, v, g=G):
    """Heights of the flights between bounces: of each the highest record, continued to the top."""
    inner = np.flatnonzero((z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])) + 1
    return z[inner] + v[inner] ** 2 / (2.0 * g)
