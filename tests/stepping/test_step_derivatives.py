"""Derivatives of steps with contact: central differences, closed forms, bits and errors."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Capsule, Cylinder, Heightmap, Plane, Polyhedron, Sphere, Torus
from polhode.spatial import Transform
from stepping.test_lane_coupled import scenes, starts
from stepping.test_lane_gears import leg as geared_leg
from stepping.test_lane_lengths import arm, on_rope, pinned
from stepping.test_lane_loops import four_bar
from stepping.test_lane_springs import hung, legs
from stepping.test_step_laws import machine

WORLDS, STEP, EPS, G = 16, 2e-3, 1e-6, 9.81


class Differences(NamedTuple):
    """Errors of derivatives beside central differences, by column and world; NaN at a switch.

    ``touched`` says in which worlds contact or a joint's row had an impulse.
    """

    errors: np.ndarray
    touched: np.ndarray


def differences(scene, qd, steps, dt=STEP, q=None, controls=None, **options):
    """Move worlds for a while, and compare the derivatives of the next step."""
    step, model, n = ph.compile_step(scene, dt=dt), scene.model, len(qd)
    held = {} if controls is None else {"controls": np.repeat(controls[:, None], max(steps, 1), 1)}
    if steps:
        end = ph.rollout(scene, q=q, qd=qd, steps=steps, dt=dt, **held, **options)
        q, qd = end.q[-1], end.qd[-1]
    else:
        q = np.tile(scene.q0, (n, 1)) if q is None else q
    u = np.zeros((n, model.n_controls)) if controls is None else controls
    A, B = step.derivatives(q, qd, u)
    there = step(q, qd, u)

    def change(d_q, d_qd, d_u):
        moved = step(ph.integrate(model, q, d_q), qd + d_qd, u + d_u)
        return np.hstack([ph.difference(model, there.q, moved.q), moved.qd - there.qd])

    errors = []
    sizes = model.nv, model.nv, u.shape[1]
    for group, size in enumerate(sizes):
        for k in range(size):
            by = [np.zeros(m) for m in sizes]
            by[group][k] = EPS
            up, down = change(*by) / EPS, -change(*(-x for x in by)) / EPS
            mean, ours = 0.5 * (up + down), (A, A, B)[group][:, :, k + group % 2 * model.nv]
            scale = np.maximum(1.0, np.abs(mean).max(axis=1))
            is_smooth = np.abs(up - down).max(axis=1) < 1e-4 * scale
            missed = np.abs(ours - mean).max(axis=1) / scale
            errors.append(np.where(is_smooth, missed, np.nan))
    zeros = np.zeros((n, step.program.inputs.get("x", (0,))[0])), np.zeros((n, model.nv))
    given = {"q": q, "qd": qd, "x": zeros[0], "tau": zeros[1], "controls": u, "dt": dt}
    found = step.program(*(given[name] for name in step.program.inputs))
    x = found[2] if "x" in step.program.inputs else zeros[0]
    return Differences(np.array(errors), (x != 0.0).any(axis=1) & ~there.is_unsolved)


def check(found, touched=0.5, smooth=0.8):
    """Most columns are smooth, impulses act in many worlds, and all derivatives are right."""
    assert found.touched.mean() >= touched
    assert np.isfinite(found.errors).mean() >= smooth
    own = found.errors[:, found.touched] if found.touched.any() else found.errors
    assert np.nanmax(own) < 2e-5
    assert np.nanmedian(own) < 1e-6


def random_speeds(scene, seed=0, scale=0.5):
    return scale * np.random.default_rng(seed).standard_normal((WORLDS, scene.model.nv))


@pytest.mark.parametrize("seed", range(8))
def test_machines_of_all_joints_on_a_floor(seed):
    scene, _ = machine(seed)
    check(differences(scene, random_speeds(scene, seed), 120), touched=0.2)


def test_loops_on_a_floor():
    for kind in ("revolute", "universal"):
        scene = four_bar(kind, floor=-0.7)
        check(differences(scene, np.zeros((WORLDS, 3)) + random_speeds(scene)[:, :1] * [1, -1, 1], 100))


def test_loops_with_limits_and_friction():
    scene = pinned(lower=-0.8, upper=-0.3, coulomb_friction=0.4, viscous_friction=0.3)
    check(differences(scene, 0.0 * random_speeds(scene), 150))


def test_gears_limits_and_dry_friction():
    scene = geared_leg()
    qd = random_speeds(scene)
    qd[:, 3] = -2.0 * qd[:, 2]
    check(differences(scene, qd, 200))


def test_followers():
    scene = scenes()[0]
    q, qd = starts(WORLDS, 1)
    check(differences(scene, qd, 120, q=q, start="keep"))


def test_ropes_and_tendons():
    scene = on_rope(x=0.9)
    check(differences(scene, random_speeds(scene), 200))
    limited = arm(limits=(0.0, 0.4), friction=0.2)
    scene = ph.Scene("arm").add_machine(limited, "arm")
    check(differences(scene, random_speeds(scene, scale=2.0), 100))


@pytest.mark.parametrize("kind", ["bushing", "table"])
def test_springs_between_bodies(kind):
    scene = hung(kind)
    check(differences(scene, random_speeds(scene), 50), touched=0.0)
    scene = legs()
    check(differences(scene, random_speeds(scene), 200))
