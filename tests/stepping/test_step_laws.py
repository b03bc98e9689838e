"""Every step of every world obeys the laws of contact, as rows of the exact solver have them.

Machines of all joints at random, with friction from 0 to 10 and mass ratios up to 1e4.
"""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.contact_problem import BILATERAL, BOX, CONTACT, UNILATERAL
from polhode.model import Box, Capsule, FloatingBase, Plane, Revolute, Sphere
from polhode.scene import Scene
from polhode.simulation.lanes.programs import step_programs
from polhode.simulation.lanes.refining import GAP, IN_REACH, near_blocks, rows_of
from polhode.spatial import Transform
from random_trees import KINDS, tree

WORLDS, STEPS, STEP, G = 16, 60, 4e-3, 9.81
SHAPES = (Sphere(0.1), Capsule(0.06, 0.2), Box((0.2, 0.15, 0.1)))


def machine(seed):
    """A tree of four joints at random over a floor, with a shape on each link."""
    rng = np.random.default_rng(seed)
    names = [name for name in KINDS if name not in ("fixed", "floating")]
    kinds = [("floating", "translation", "planar")[seed % 3], *rng.choice(names, 3)]
    parents = [-1, *(int(rng.integers(0, k)) for k in range(1, 4))]
    model = tree(kinds, parents, seed)
    mass = ph.identification.parameters_of(model, ["mass", "inertia"])
    ratio = 10.0 ** rng.uniform(-2.0, 2.0, (model.n_bodies, 1, 1))
    scaled = {"mass": mass["mass"] * ratio[:, 0, 0], "inertia": mass["inertia"] * ratio}
    model = ph.identification.with_parameters(model, scaled)
    geometries = [(f"link{k}", SHAPES[int(rng.integers(3))]) for k in range(4)]
    lowest = min(float(ph.body_pose(model, ph.neutral(model), f"link{k}")[2, 3]) for k in range(4))
    scene = ph.Scene(f"machine{seed}")
    scene = scene.add_fixed("floor", Plane(), position=(0, 0, lowest - 0.25))
    scene = scene.contact(mu_coulomb=float(rng.choice([0.0, 0.5, 10.0])))
    return scene.add_machine(model, "machine", geometries=geometries), rng


def residual(rows, x):
    """The worst miss of a law, as a velocity, and the greatest velocity without impulses."""
    kind, first = rows.kind, rows.row
    J = rows.jacobian.reshape(len(rows.bias), -1)
    u = rows.bias + J @ (J.T @ x)
    worst = 0.0
    for b in range(len(kind)):
        own = slice(first[b], first[b + 1])
        e = 1.0 / max(float((J[own] ** 2).sum()), 1e-300)
        z = x[own] - e * u[own]
        if kind[b] == CONTACT:
            n = max(z[0], 0.0)
            t = z[1:] * min(1.0, rows.mu[b] * n / max(float(np.hypot(*z[1:])), 1e-300))
            wanted = np.array([n, *t])
        elif kind[b] == UNILATERAL:
            wanted = np.maximum(z, 0.0)
        elif kind[b] == BOX:
            wanted = np.clip(z, rows.lower[b], rows.upper[b])
        else:
            assert kind[b] == BILATERAL
            wanted = z
        worst = max(worst, float(np.abs(wanted - x[own]).max()) / e)
    return worst, float(np.abs(rows.bias).max(initial=0.0))


@pytest.mark.parametrize("seed", range(int(__import__("os").environ.get("SEEDS", 4))))
def test_every_step_obeys_the_laws(seed):
    scene, rng = machine(seed)
    model, programs = scene.model, step_programs(scene)
    q, qd = np.tile(scene.q0, (WORLDS, 1)), 0.5 * rng.normal(size=(WORLDS, model.nv))
    x, tau = np.zeros((WORLDS, programs.kept.n_kept)), np.zeros((WORLDS, model.nv))
    touched = unsolved = 0
    for _ in range(STEPS):
        given = q, qd, x, tau
        q, qd, x, error, _ = programs.step(*given, STEP)
        problem, known = programs.problem(*given, STEP), programs.kept.all_rows(x)
        assert np.isfinite(q).all() and np.isfinite(qd).all()
        unsolved += int((error >= 1e-6).sum())
        for k in np.flatnonzero(error < 1e-6).tolist():
            near = near_blocks(problem, k, IN_REACH)
            if not len(near):
                continue
            rows, _, impulses = rows_of(problem, programs.kinds, known[k], near, k, STEP)
            missed, speed = residual(rows, impulses)
            assert missed < 1e-6 * (speed + G * STEP)
            touched += bool(impulses.any())
    assert unsolved <= 0.02 * WORLDS * STEPS
    assert touched > WORLDS
    gaps = programs.problem(q, qd, x, tau, STEP).points[..., GAP]
    assert gaps.min() > -0.02


def test_what_no_impulse_moves_gets_none():
    """Spheres that touch along a straight chain, whose joints do not let it shorten."""
    model = ph.Model("chain").add("0", joint=FloatingBase(), mass=0.1, inertia=(1e-6,) * 3)
    for k in range(1, 5):
        axis = (Revolute.y(), Revolute.z())[k % 2]
        model = model.append(str(k), joint=axis, mass=0.1, inertia=(1e-6,) * 3,
                             frame=Transform.translation(0.01, 0, 0))  # fmt: skip
    shapes = [(str(k), Sphere(0.01)) for k in range(5)]
    scene = Scene("chains").add_machine(model, geometries=shapes).contact(mu_coulomb=0.5)
    turns = np.random.default_rng(0).standard_normal((32, 4))
    q = np.zeros((32, 11))
    q[:, 2], q[:, [3, 4, 5, 10]] = 1.0, turns / np.linalg.norm(turns, axis=1, keepdims=True)
    found = ph.rollout(scene, q=q, steps=50, dt=2e-3, start="keep")
    assert not found.unsolved.any() and not found.refined.any()
    assert np.allclose(found.qd[-1, :, :3], (0.0, 0.0, -9.81 * 0.1), atol=1e-9)
    assert np.abs(found.qd[-1, :, 3:]).max() < 1e-9
