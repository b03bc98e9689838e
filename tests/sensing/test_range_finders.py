"""Range finders in a scene."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.contact import ray_cast
from polhode.errors import TraceError
from polhode.model import Box, Capsule, Cone, Heightmap, Plane, Sphere, Torus
from polhode.spatial import Transform

DOWN = Transform.from_rpy(np.pi, 0.0, 0.0)
AHEAD = Transform.from_rpy(0.0, np.pi / 2, 0.0, (0.0, 0.0, 0.1))
HILL = Heightmap(((0.0, 0.2, 0.1), (0.1, 0.4, 0.0), (0.0, 0.1, 0.3)), (4.0, 4.0))


def yard():
    """A drone over some shapes, with a range finder down and one ahead."""
    scene = (
        ph.Scene("yard")
        .add_body("drone", Box((0.3, 0.3, 0.1)), mass=1.0, position=(0.0, 0.0, 2.0))
        .add_body("ball", Sphere(0.4), mass=1.0, position=(1.0, 0.0, 1.0))
        .add_fixed("floor", Plane())
        .add_fixed("hill", HILL)
        .add_fixed("post", Capsule(0.2, 2.0), position=(2.0, 0.0, 1.0))
        .add_fixed("ring", Torus(0.5, 0.1), position=(0.0, 1.0, 1.0))
        .add_fixed("cone", Cone(0.4, 1.0), position=(-1.0, 0.0, 0.5))
    )
    scene = scene.add_sensor("down", "rangefinder", ("drone", "drone"), frame=DOWN)
    return scene.add_sensor("ahead", "rangefinder", ("drone", "drone"), frame=AHEAD, cutoff=1.5)


def test_the_nearest_shape_but_its_own():
    """At random poses, the nearest of all shapes, each asked by itself."""
    scene, rng, hits = yard(), np.random.default_rng(0), 0
    assert tuple(ph.sensors(scene, scene.q0, scene.qd0)[:1]) == (1.6,)  # the top of the hill
    q = np.array([ph.random_configuration(scene.model, rng) for _ in range(60)])
    q[:, :3], q[:, 6:9] = rng.uniform(-1, 1, (60, 3)), rng.uniform(-1, 1, (60, 3))
    q[:, 2] += 2.0
    found = ph.sensors(scene, q, np.zeros(scene.model.nv))
    for k in range(60):
        pose = ph.body_pose(scene.model, q[k], "drone/drone")
        for name, frame, cutoff in (("down", DOWN, np.inf), ("ahead", AHEAD, 1.5)):
            origin = pose[:3, :3] @ tuple(frame.r) + pose[:3, 3]
            direction = pose[:3, :3] @ tuple(frame.E.z)
            every = [
                ray_cast(g.shape, ph.body_pose(scene.model, q[k], f"{g.machine}/{g.body}"),
                         origin, direction)
                for g in scene.geometries if g.shape and g.machine != "drone"
            ]  # fmt: skip
            nearest = min(map(float, every))
            hits += nearest < np.inf
            expected = min(nearest, cutoff) if nearest < np.inf else -1.0
            value = found[k, scene.sensor_slices[name]][0]
            assert value == pytest.approx(expected, abs=1e-12)
    assert 20 < hits < 120


def test_a_batch_has_the_bits_of_its_states():
    """Whatever stands beside a state."""
    scene, rng = yard(), np.random.default_rng(1)
    q = np.array([ph.random_configuration(scene.model, rng) for _ in range(6)]).reshape(2, 3, -1)
    found = ph.sensors(scene, q, np.zeros(scene.model.nv))
    for k in np.ndindex(2, 3):
        one = ph.sensors(scene, q[k], np.zeros(scene.model.nv))
        np.testing.assert_array_equal(found[k], one)


def test_nothing_to_meet():
    """In an empty scene, and where shapes are left to a plug-in."""
    scene = ph.Scene().add_body("ball", Sphere(0.1), mass=1.0)
    scene = scene.add_sensor("eye", "rangefinder", ("ball", "ball"))
    assert ph.sensors(scene, scene.q0, scene.qd0) == [-1.0]


def test_not_in_a_compiled_function():
    """Rays branch, so they are no part of a program."""
    scene = yard()
    with pytest.raises(TraceError, match="range finders cannot be part"):
        ph.compile(lambda model, q, qd: ph.sensors(scene, q, qd), scene.model)(scene.q0, scene.qd0)
