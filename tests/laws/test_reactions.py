"""Reactions of joints: what they balance, in trees and beside constraints."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from constraints.machines import CLOSED, PIN_X, PIN_Y, closed, constrained_state, random_set
from models import at, four_bar
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.model import Revolute
from polhode.spatial import Force
from random_trees import random_state, trees

SEEDS = st.integers(0, 1000)
STEP = 1e-5
ROUNDING = 1e-11  # some thousand roundings of size eps, relative to the largest term


def close(a, b, scale=1.0):
    size = max(scale, float(np.abs(b).max(initial=1.0)))
    assert np.abs(np.asarray(a) - b).max(initial=0.0) <= ROUNDING * size


def in_base(model, q, wrenches):
    """Wrenches of the bodies, in base coordinates."""
    poses = run_plain(algorithms.poses, model, (q,))
    R, r = poses[..., :3, :3], poses[..., :3, 3]
    moment, force = (np.einsum("...ij,...j->...i", R, w) for w in np.split(wrenches, 2, axis=-1))
    return np.concatenate([moment + np.cross(r, force), force], axis=-1)


@given(trees(), SEEDS)
def test_reactions_along_a_joint_are_its_force(model, seed):
    """``S^T f = tau - armature qdd``, body by body."""

    def along(model, q, qd, qdd):
        f = algorithms.joint_reactions(model, q, qd, qdd)
        subspaces = {i: model.joint[i].jcalc(q[i], qd[i]).S for i in model.bodies}
        rotor = {i: model.armature[i] @ qdd[i] for i in model.bodies}
        return model.join_v(
            {i: [x + y for x, y in zip(S.T @ Force.of(f[i - 1]), rotor[i], strict=True)]
             for i, S in subspaces.items()}
        )  # fmt: skip

    q, qd, qdd, _ = random_state(model, seed)
    tau = run_plain(algorithms.rnea, model, (q, qd, qdd))
    got = run_plain(along, model, (q, qd, qdd))
    close(got, tau)


@given(trees(), SEEDS)
def test_reactions_at_the_base_change_the_momentum(model, seed):
    """With weight and external forces they are the rate of the momentum."""
    q, qd, qdd, _ = random_state(model, seed)
    f_ext = np.random.default_rng(seed).standard_normal((model.n_bodies, 6))
    arrays = (q, qd, qdd, f_ext)
    f = in_base(model, q, run_plain(algorithms.joint_reactions, model, arrays))
    roots = [i - 1 for i in model.bodies if model.parent[i] == 0]
    total = f[roots].sum(axis=0) + f_ext.sum(axis=0)
    poses = run_plain(algorithms.poses, model, (q,))
    for i in model.bodies:
        weight = model.inertia[i].m * np.array([*model.gravity.lin])
        moved = model.inertia[i].m * poses[i - 1, :3, 3] + poses[i - 1, :3, :3] @ [
            *model.inertia[i].h
        ]
        total += np.concatenate([np.cross(moved, [*model.gravity.lin]), weight])

    def momentum(h):
        ahead = run_plain(algorithms.integrate, model, (q, qd + 0.5 * h * qdd, h))
        return run_plain(algorithms.momentum, model, (ahead, qd + h * qdd))

    rate = (momentum(STEP) - momentum(-STEP)) / (2.0 * STEP)
    size = max(1.0, float(np.abs(f).max()), float(np.abs(rate).max()))
    assert np.abs(total - rate).max() <= 1e-6 * size  # error of the difference: STEP^2


@given(trees(max_links=4), SEEDS)
def test_rows_of_constraints_act_on_bodies(model, seed):
    """As external forces do that are made of `constraint_forces`."""
    rows = random_set(model, seed)
    q, qd, qdd = constrained_state(model, seed)
    force = np.random.default_rng(seed).standard_normal(rows.n_rows)
    f_ext = np.zeros((model.n_bodies, 6))
    for group, on in zip(rows.groups, ph.constraints.constraint_forces(
        model, rows, q, force, in_base_axes=True), strict=True):  # fmt: skip
        first = group.constraints[0]
        ends = ("body", "ground") if group.kind == "contact" else ("predecessor", "successor")
        for k, end in enumerate(ends):
            body = 0 if end == "ground" else model.body(getattr(first, end)).moving
            if body:
                place, wrench = on.frames[k][:3, 3], on.forces[k]
                f_ext[body - 1] += [*(wrench[:3] + np.cross(place, wrench[3:])), *wrench[3:]]
    shapes = {"q": q.shape, "qd": qd.shape, "qdd": qdd.shape, "force": force.shape}
    got = run_plain(
        algorithms.constrained_joint_reactions, model, (q, qd, qdd, force), shapes=shapes,
        constraints=rows.constraints,
    )  # fmt: skip
    expected = run_plain(algorithms.joint_reactions, model, (q, qd, qdd, f_ext))
    close(got, expected, float(np.abs(expected).max()))


def test_hinges_of_a_closed_loop_carry_no_moment_about_their_axes():
    """A four-bar without a motor, in motion; and without the loop's force they would."""
    model = four_bar()
    rows = closed(model, [PIN_X, PIN_Y])
    start = ph.assemble(model, rows, CLOSED, [1.0, 0.0, 0.0])
    motion = ph.constrained_dynamics(model, rows, start.q, start.qd, np.zeros(3))
    arguments = model, start.q, start.qd, motion.qdd
    f = ph.constraints.joint_reactions(*arguments, constraints=rows, force=motion.force)
    close(f[:, 2], np.zeros(3), float(np.abs(f).max()))
    assert np.abs(ph.constraints.joint_reactions(*arguments)[:, 2]).min() > 0.1
    many = [np.broadcast_to(x, (9, len(x))) for x in (*arguments[1:], motion.force)]
    batch = ph.constraints.joint_reactions(model, *many[:3], constraints=rows, force=many[3])
    assert np.array_equal(batch, np.broadcast_to(f, batch.shape))


@pytest.mark.parametrize("given", [{"force": [0.0, 0.0]}, {"constraints": "a set"}])
def test_constraints_need_their_forces(given):
    """One without the other is refused, and so are rows that push unknown bodies."""
    model = four_bar()
    rows = closed(model, [PIN_X, PIN_Y])
    given = {k: rows if k == "constraints" else v for k, v in given.items()}
    with pytest.raises(ph.ArgumentError, match="one without the other"):
        ph.constraints.joint_reactions(model, CLOSED, [0.0] * 3, [0.0] * 3, **given)
    custom = rows.custom(1, lambda m, q, qd: ([[1.0, 0.0, 0.0]], [0.0], [0.0]), name="gear")
    with pytest.raises(ph.ModelError, match="custom rows 'gear'"):
        ph.constraints.joint_reactions(
            model, CLOSED, [0.0] * 3, [0.0] * 3, constraints=custom, force=[0.0] * 3
        )


def test_a_hanging_chain():
    """Each joint carries the weight below it."""
    model = ph.Model("chain")
    for k in range(3):
        model = model.append(
            f"link {k}", joint=Revolute.x(), frame=at(0.0, 0.0, -1.0), mass=1.0 + k,
            com=(0.1, 0.0, -0.5),
        )  # fmt: skip
    zero = np.zeros(3)
    f = ph.constraints.joint_reactions(model, zero, zero, zero)
    np.testing.assert_allclose(f[:, 5], 9.81 * np.array([6.0, 5.0, 3.0]), rtol=1e-14)
    np.testing.assert_allclose(f[:, 1], -0.1 * 9.81 * np.array([6.0, 5.0, 3.0]), rtol=1e-14)
