"""Random scenes of free bodies, machines, loops, gears, forces and contacts."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

import polhode as ph
from polhode.model import (
    Axes,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Fixed,
    FloatingBase,
    Heightmap,
    Helical,
    Link,
    Model,
    Plane,
    Polyhedron,
    Prismatic,
    Revolute,
    RigidBody,
    Sphere,
    Spherical,
    Torus,
    TriangleMesh,
    Universal,
    Visual,
)
from polhode.scene import (
    ContactParameters,
    Damping,
    DampingGains,
    Dissipation,
    Gear,
    Geometry,
    JointSettings,
    Loop,
    LoopKind,
    Machine,
    Scene,
    Settings,
    StokesDrag,
    UniformGravity,
    View,
)
from random_trees import random_axis, random_frame, random_rotation

Generator = np.random.Generator
CORNERS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def _shape(rng: Generator, files: bool):
    a, b, c = rng.uniform(0.1, 2.0, 3).tolist()
    plain = [Box((a, b, c)), Sphere(a), Cylinder(a, b), Cone(a, b), Torus(a + b, b), Capsule(a, b)]
    if files:
        hills = tuple(tuple(row) for row in rng.uniform(-1, 1, (3, 4)).tolist())
        plain += [
            Plane(),
            Polyhedron(CORNERS),
            TriangleMesh(CORNERS, FACES),
            Heightmap(hills, (a, b)),
        ]
    return plain[rng.integers(len(plain))]


def _body(rng: Generator) -> RigidBody:
    R = random_rotation(rng)
    inertia = R @ np.diag(rng.uniform(1.0, 1.5, 3)) @ R.T
    inertia = (inertia + inertia.T) / 2
    com = rng.uniform(-0.3, 0.3, 3) * rng.integers(0, 2)
    return RigidBody(rng.uniform(0.5, 3.0), tuple(com), tuple(map(tuple, inertia.tolist())))


def _joint(rng: Generator):
    first = np.array(random_axis(rng))
    second = np.cross(first, random_axis(rng))
    second /= np.linalg.norm(second)
    third = np.cross(first, second)
    ball = Axes(tuple((*row.tolist(), 0.0, 0.0, 0.0) for row in (first, second, third)))
    pitch = rng.uniform(0.1, 1.0)
    kinds = [
        Revolute(random_axis(rng)), Prismatic(random_axis(rng)), Fixed(), Spherical(), ball,
        Universal(tuple(first), tuple(second)), Helical((*first, *(pitch * first))),
    ]  # fmt: skip
    return kinds[rng.integers(len(kinds))]


def _visuals(rng: Generator, files: bool):
    color = tuple(rng.uniform(0.1, 1.0, 4).tolist())
    return tuple(
        Visual(_shape(rng, files), random_frame(rng), color, name="seen")
        for _ in range(rng.integers(0, 2))
    )


def _single(rng: Generator, name: str, files: bool) -> Machine:
    if rng.integers(3) == 0:
        link = Link(name, None, Fixed(), random_frame(rng), visuals=_visuals(rng, files))
        surface = tuple(rng.uniform(-1, 1, 6).tolist()) if rng.integers(2) else (0.0,) * 6
        return Machine(name, Model(name, (link,), (0, 0, 0)), surface_velocity=surface)
    link = Link(name, None, FloatingBase(), body=_body(rng), visuals=_visuals(rng, files))
    model = Model(name, (link,), (0, 0, 0))
    q = ph.random_configuration(model, rng).tolist()
    return Machine(name, model, q, rng.uniform(-1, 1, 6).tolist())


def _settings(rng: Generator, model: Model) -> tuple[JointSettings, ...]:
    found = []
    for joint in model.joints:
        if joint.kind.nq == joint.kind.nv and rng.integers(2):
            n = joint.kind.nv
            low = tuple(rng.uniform(-3, -1, n).tolist())
            high = tuple(rng.uniform(1, 3, n).tolist()) if rng.integers(2) else (math.inf,) * n
            found.append(JointSettings(joint.name, low, high, *rng.uniform(0, 1, 3).tolist()))
    return tuple(found)


def _tree(rng: Generator, name: str, files: bool) -> Machine:
    floats = rng.integers(2)
    frame = {} if floats else {"frame": random_frame(rng)}
    base = Link(f"{name}.0", None, FloatingBase() if floats else Fixed(), body=_body(rng), **frame)
    links = [base]
    for k in range(1, rng.integers(2, 5)):
        parent = links[rng.integers(len(links))].name
        own = {"body": _body(rng), "visuals": _visuals(rng, files)}
        links.append(Link(f"{name}.{k}", parent, _joint(rng), random_frame(rng),
                          joint_name=f"{name}.j{k}", **own))  # fmt: skip
    model = Model(name, tuple(links), (0, 0, 0))
    tare = [0.0] * model.nv
    settings = _settings(rng, model)
    for joint in model.joints:
        if joint.kind.nv == 1 and rng.integers(2):
            tare[joint.v.start] = rng.uniform(-1, 1)
    balls = {s.joint for s in settings}
    q, qd = ph.random_configuration(model, rng), rng.uniform(-1, 1, model.nv)
    # Without limits or tare a spherical joint of three axes is read as one with a quaternion.
    settings += tuple(
        JointSettings(j.name, (-2.0,) * 3, (2.0,) * 3, 0.0, 0.0, 0.0)
        for j in model.joints
        if isinstance(j.kind, Axes) and j.name not in balls
    )
    return Machine(name, model, q.tolist(), qd.tolist(), tare, settings)


def _loops(rng: Generator, machines: list[Machine]) -> list[Loop]:
    ends = [None, *((m.name, link) for m in machines for link in m.link_names)]
    found = []
    for k in range(rng.integers(0, 3)):
        a, b = (ends[i] for i in rng.choice(len(ends), 2, replace=False))
        kind = list(LoopKind)[rng.integers(len(LoopKind))]
        pitch = rng.uniform(0.1, 1.0) if kind is LoopKind.SCREW else 0.0
        own = JointSettings("x", (-1.0,), (2.0,), 0.5, 0.0, 0.0) if kind.freedoms == 1 else None
        loop = Loop(f"loop{k}", kind, a, b, random_frame(rng), random_frame(rng), pitch, own)
        found.append(loop)
    return found


def _gears(rng: Generator, machines: list[Machine]) -> list[Gear]:
    ends = [(m.name, j.name) for m in machines for j in m.model.joints if j.kind.nv == 1]
    if len(ends) < 2:
        return []
    a, b = (ends[i] for i in rng.choice(len(ends), 2, replace=False))
    return [Gear("gear", a, b, rng.uniform(-3, 3))]


def _forces(rng: Generator, machines: list[Machine]):
    g = tuple(rng.uniform(-1, 1, 3).tolist())
    single, last = machines[0].name, machines[-1].link_names[-1]
    gains = (DampingGains(single, 1.0, 2.0, 3.0, 4.0), DampingGains(last, 0.5))
    return (
        UniformGravity("wind", g, (single,)),
        StokesDrag("drag", *rng.uniform(0, 1, 2).tolist()),
        Damping("damping", gains, (last,)),
    )


def random_scene(seed: int, files: bool) -> Scene:
    """A scene that a Moby file can express; ``files``: also with meshes and height fields."""
    rng = np.random.default_rng(seed)
    machines = [_single(rng, f"body{k}", files) for k in range(rng.integers(1, 4))]
    machines += [_tree(rng, f"arm{k}", files) for k in range(rng.integers(0, 3))]
    geometries = [
        Geometry(f"shape{k}", m.name, m.link_names[-1], _shape(rng, files), random_frame(rng))
        for k, m in enumerate(machines)
    ]
    names = [*(m.name for m in machines), *(g.name for g in geometries)]
    a, b = (names[i] for i in rng.choice(len(names), 2, replace=False))
    contact = ContactParameters(a, b, rng.uniform(0, 1), math.inf, 0.1, 8, 1e-6, 5.0, 6.0)
    gravity = tuple(rng.uniform(-10, 10, 3).tolist())
    scene = Scene(
        f"scene {seed} <&>", machines, geometries, _loops(rng, machines), _gears(rng, machines),
        _forces(rng, machines), [contact, ContactParameters(mu_coulomb=0.5)],
        dissipation=Dissipation(((machines[0].name, 0.5),), 0.9), gravity=gravity,
        settings=Settings("time-stepping", "sim", 1.5, 0.01, 1e-5, 1e-4, 1e-3, 1e-2, 7),
        view=View((0, 0, 9), (0, 1, 0), (0, 1, 0), (1, 2), (640, 480)),
    )  # fmt: skip
    for machine in machines:  # the reader gives models the gravity of the scene
        scene = scene.with_start(machine.name, model=_falling(machine.model, gravity))
    return scene.disable(names[0], names[-1])


def _falling(model: Model, gravity) -> Model:
    return Model(model.name, model.links, gravity, model.base)


def scenes(files: bool = False) -> st.SearchStrategy[Scene]:
    return st.integers(0, 2**32 - 1).map(lambda seed: random_scene(seed, files))
