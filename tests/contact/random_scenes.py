"""Random scenes that start badly: overlaps, wild spins, masses from gram to tonne."""

from __future__ import annotations

import math

import numpy as np

import polhode as ph
from polhode.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    FloatingBase,
    Heightmap,
    Model,
    Plane,
    Polyhedron,
    Prismatic,
    Revolute,
    Sphere,
    Spherical,
    Torus,
    TriangleMesh,
)
from polhode.scene import JointSettings, Scene
from polhode.simulation.self_collision import neighbours
from polhode.spatial import Transform

SIDE = 40.0  # of floors that have an end [m]
MUS = (0.0, 0.1, 0.5, 1.0, 10.0, 100.0, math.inf)


def shape(rng):
    """One of every kind that may move, about half a metre wide."""
    size = float(rng.uniform(0.15, 0.6))
    kind = rng.integers(8)
    if kind == 0:
        return Sphere(size / 2)
    if kind == 1:
        return Box(tuple(size * rng.uniform(0.3, 1.5, 3)))
    if kind == 2:
        return Cylinder(size / 2, size * float(rng.uniform(0.3, 2.0)))
    if kind == 3:
        return Capsule(size / 3, size)
    if kind == 4:
        return Cone(size / 2, size)
    if kind == 5:
        return Torus(size / 2, size / 6)
    if kind == 6:
        corners = rng.normal(size=(int(rng.integers(5, 12)), 3))
        corners *= size / 2 / np.linalg.norm(corners, axis=1)[:, None]
        return Polyhedron(tuple(map(tuple, corners)))
    corners = size / 2 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    return TriangleMesh(tuple(map(tuple, corners)), ((0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)))


def plain_shape(rng):
    """A shape against which everything is compiled once: no mesh."""
    while isinstance(found := shape(rng), TriangleMesh):
        pass
    return found


def floor(rng, kind):
    """(shape, height of its top)."""
    if kind == 0:
        return Plane(), 0.0
    if kind == 1:
        return Box((SIDE, SIDE, 2.0)), -1.0
    heights = 0.3 * rng.uniform(size=(21, 21))
    return Heightmap(tuple(map(tuple, heights)), (SIDE, SIDE)), -0.3


def turned(rng):
    quaternion = rng.normal(size=4)
    return tuple(quaternion / np.linalg.norm(quaternion))


def chain(rng, name, height):
    """(model, start, velocity, joint settings, geometries) of two to five bars in a row."""
    model, shapes, settings = Model(name), [], []
    is_free, previous, drop = rng.random() < 0.5, None, Transform.translation(0, 0, height)
    for k in range(int(rng.integers(2, 6))):
        length = float(rng.uniform(0.2, 0.5))
        link, mass = f"{name}.{k}", float(10.0 ** rng.uniform(-1, 2))
        joint = (Revolute.y(), Revolute.x(), Prismatic.z(), Spherical())[rng.integers(4)]
        if is_free and previous is None:
            joint, drop = FloatingBase(), Transform.identity()
        own = mass * (length**2 / 12 + 0.0025)
        model = model.add(
            link, parent=previous, frame=drop, joint=joint, mass=mass, com=(0, 0, -length / 2),
            inertia=(own, own, 0.005 * mass),
        )  # fmt: skip
        middle = Transform.translation(0, 0, -length / 2)
        shapes.append((link, Capsule(0.05, length - 0.1), middle))
        if joint.nv == 1:
            settings.append(stops(rng, link))
        previous, drop = link, Transform.translation(0, 0, -length)
    q, qd = np.zeros(model.nq), rng.normal(size=model.nv) * float(rng.choice([0.0, 1.0, 20.0]))
    q[model.nv :] = 1.0  # the last number of each quaternion
    if is_free:
        q[2] = height
    return model, q, qd, settings, shapes


def stops(rng, joint):
    """Limits, friction and damping of a joint."""
    return JointSettings(
        joint, lower=-float(rng.uniform(0.0, 0.8)), upper=float(rng.uniform(0.0, 0.8)),
        restitution=float(rng.choice([0.0, 0.5, 1.0])),
        coulomb_friction=float(rng.choice([0.0, 0.0, 1.0])),
        viscous_friction=float(rng.choice([0.0, 0.0, 0.1])),
    )  # fmt: skip


def scene(seed, *, most=30, meshes=True, kind=None, only_chains=False):
    """The random scene of a seed; everything about it follows from the seed.

    One to ``most`` bodies; in every third scene some are chains, and some chains hang on a
    loop.  The name says what it is.  ``only_chains``: the same without free bodies.
    """
    rng = np.random.default_rng([6, seed])
    count = int(rng.integers(1, most + 1))
    ground = int(rng.choice([0, 0, 1, 2])) if kind is None else kind
    mu, e = float(rng.choice(MUS)), float(rng.choice([0.0, 0.3, 0.7, 1.0]))
    crowd = float(rng.choice([0.05, 0.3, 1.0]))  # room for a body, in its widths
    spin = float(rng.choice([0.0, 3.0, 1000.0]))
    ratio = float(rng.choice([0.0, 1.0, 3.0]))  # masses of 10^-ratio to 10^ratio kg
    base, z = floor(rng, ground)
    out = Scene(f"seed {seed}: {count} bodies, {type(base).__name__}, mu {mu:g}, e {e:g}, "
                f"crowd {crowd:g}, spin {spin:g}, masses 1e+-{ratio:g}")  # fmt: skip
    out = out.add_fixed("floor", base, position=(0, 0, z))
    viscous, edges = float(rng.choice([0.0, 0.0, 0.3])), int(rng.choice([0, 0, 4, 7]))
    rule = {"restitution": e, "mu_coulomb": mu, "mu_viscous": viscous,
            "friction_cone_edges": edges}  # fmt: skip
    out = out.contact(**rule)
    width = crowd * count ** (1 / 3)
    chains = 0
    for k in range(count):
        place = width * rng.uniform(-1, 1, 3)
        place[2] = 0.35 + abs(place[2])
        if seed % 3 == 0 and chains < 3 and rng.random() < 0.2:
            chains += 1
            out = _with_chain(rng, out, f"chain{k}", 1.5 + float(place[2]))
            continue
        direction = rng.normal(size=3)
        body = out.add_body(
            f"b{k}", shape(rng) if meshes else plain_shape(rng),
            mass=float(10.0 ** (ratio * rng.uniform(-1, 1))), position=tuple(place),
            quaternion=turned(rng), velocity=tuple(rng.normal(size=3) * [1, 1, 2]),
            spin=tuple(spin * direction / np.linalg.norm(direction)),
        )  # fmt: skip
        out = out if only_chains else body
    for pair in (pair for pairs in neighbours(out) for pair in pairs):
        # Links of a chain touch their neighbours, which makes harder problems.
        out = out.contact(*(out.geometries[k].name for k in pair), **rule)
    return out


def _with_chain(rng, scene, name, height):
    """The scene with a chain; half of them hang with their last link on a loop."""
    model, q, qd, settings, shapes = chain(rng, name, height)
    scene = scene.add_machine(model, q=q, qd=qd, joint_settings=settings, geometries=shapes)
    if rng.random() < 0.5:
        tip = len(model.links) - 1
        place = ph.body_poses(model, q)[tip]
        scene = scene.add_loop(
            f"{name}-loop", "spherical", (name, model.links[tip].name), None,
            frame_b=Transform.translation(*place[:3, 3]),
        )  # fmt: skip
    return scene
