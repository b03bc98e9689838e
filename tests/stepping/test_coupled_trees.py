"""Trees of velocities that contact couples in some worlds and not in others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import polhode as ph
from polhode.algorithms.stepping.tree_elimination import CoupledTrees, trees_of
from polhode.compiler import Program
from polhode.contact_problem import Report, solver_settings
from polhode.model import Box, FloatingBase, Plane, Revolute
from polhode.simulation.lanes.programs import step_programs
from polhode.simulation.lanes.refining import IN_REACH, near_blocks, rows_of
from stepping.lanes import dense_jacobian, rolled_as_alone, solved_again

TREES = [[0, 1, 2], [3, 4], [5, 6, 7], [8]]
PAIRS = [(0, 1), (1, 2), (0, 3), (2, 3)]
NV = 9


class Rows(NamedTuple):
    """A block of rows as `CoupledTrees` sees it."""

    is_near: object
    y: list[dict[int, float]]


def pairs(is_near):
    """Blocks between trees, by the trees' numbers."""
    return [Rows(near, [dict.fromkeys([*TREES[a], *TREES[b]], 1.0)])
            for (a, b), near in zip(PAIRS, is_near, strict=True)]  # fmt: skip


def system(near, rng):
    """A matrix with entries of trees by themselves and of those that are coupled."""
    M = np.zeros((NV, NV))
    for tree in TREES:
        M[np.ix_(tree, tree)] = rng.normal(size=(len(tree), len(tree)))
    for (a, b), holds in zip(PAIRS, near, strict=True):
        if holds:
            M[np.ix_(TREES[a], TREES[b])] = rng.normal(size=(len(TREES[a]), len(TREES[b])))
            M[np.ix_(TREES[b], TREES[a])] = rng.normal(size=(len(TREES[b]), len(TREES[a])))
    return M + 8.0 * np.eye(NV)


def solved(M, b, near):
    holds = [x > 0.0 for x in near]
    return (CoupledTrees.of(TREES, pairs(holds)).solved([list(row) for row in M], list(b)),)


def test_all_couplings_are_solved_alone_and_side_by_side():
    """Each of the 16 patterns; what is not coupled is not looked at, whatever it holds."""
    rng = np.random.default_rng(0)
    near = np.array([[k >> bit & 1 for bit in range(4)] for k in range(16)], float)
    M = np.array([system(row, rng) for row in near])
    b = rng.normal(size=(16, NV))
    given = M.copy()
    for (a, c), holds in zip(PAIRS[1:], near.T[1:], strict=True):  # others may couple the first
        given[np.ix_(holds == 0.0, TREES[a], TREES[c])] = np.nan
    shapes = {"M": (NV, NV), "b": (NV,), "near": (4,)}
    program = Program(solved, shapes, name="coupled_trees")
    many = program(given, b, near)
    wanted = np.linalg.solve(M, b[:, :, None])[:, :, 0]
    assert np.allclose(many, wanted, rtol=1e-12, atol=1e-12)
    for k in range(16):
        assert program(given[k], b[k], near[k]).tobytes() == many[k].tobytes()
        alone = solved(given[k].tolist(), b[k].tolist(), near[k].tolist())[0]
        assert np.allclose(alone, wanted[k], rtol=1e-12, atol=1e-12)


def test_one_tree_has_no_couplings():
    found = CoupledTrees.of([range(NV)], pairs([True] * 4))
    assert found.trees == [list(reversed(range(NV)))] and not found.near


def test_the_velocities_of_trees_lie_as_the_bodies_are_numbered():
    model = ph.Model("two").add("a", joint=FloatingBase(), mass=1.0, inertia=np.eye(3))
    model = model.add("b", joint=Revolute.x(), mass=1.0, inertia=np.eye(3))
    model = model.add("c", parent="a", joint=Revolute.x(), mass=1.0, inertia=np.eye(3))
    model = model.add("d", parent="b", joint=Revolute.y(), mass=1.0, inertia=np.eye(3))
    layout = step_programs(ph.Scene("two").add_machine(model)).whole.model
    trees = trees_of(layout)
    assert sorted(map(len, trees)) == [2, 7]
    assert sorted(k for tree in trees for k in tree) == list(range(layout.nv))


def heap(apart=0.0):
    scene = ph.Scene("heap").add_fixed("floor", Plane()).contact(mu_coulomb=0.6)
    for k in range(4):
        place = (0.02 * k + apart * (k % 2), 0.01 * k, 0.12 + 0.22 * (k // 2 if apart else k))
        scene = scene.add_body(f"b{k}", Box((0.2, 0.2, 0.2)), mass=1.0, position=place)
    return scene


def test_worlds_of_a_heap_have_the_bits_that_they_have_alone():
    qd = 0.3 * np.random.default_rng(1).normal(size=(19, 24))
    many = rolled_as_alone(heap(), qd, steps=200, dt=2e-3)
    assert many.refined.sum() < 0.05 * 19 * 200


def test_the_exact_solver_agrees_on_two_heaps():
    qd = 0.3 * np.random.default_rng(2).normal(size=(16, 24))
    pressed = sum((each.x > 0).sum() for each in solved_again(heap(apart=1.0), qd, 200, 2e-3, 40))
    assert pressed > 100


@pytest.mark.parametrize(("apart", "islands"), [(0.0, 1), (1.0, 2)])
def test_the_exact_solver_gets_trees_as_bodies(apart, islands):
    """A block has the velocities of the trees that it moves; heaps apart are islands apart."""
    from polhode.contact_problem import impact

    scene = heap(apart)
    programs, n = step_programs(scene), 1
    run = ph.rollout(scene, steps=150, dt=2e-3, integrator="moreau")
    given = [run.q[-1:], run.qd[-1:], np.zeros((n, programs.kept.n_kept)), np.zeros((n, 24))]
    problem = type(programs.problem(*given, 2e-3))(
        *map(np.ascontiguousarray, programs.problem(*given, 2e-3))
    )
    near, none = near_blocks(problem, 0, IN_REACH), programs.kept.all_rows(given[2])[0]
    rows, restitution, warm = rows_of(problem, programs.kinds, none, near, 0, 2e-3)
    moved = np.diff(rows.segment)
    assert set(moved.tolist()) == {1, 2}  # on the floor, and on each other
    J, v, report = dense_jacobian(rows, programs.kinds), np.zeros(24), Report()
    assert impact(rows, restitution, warm, v, solver_settings(), report) < 1e-8
    assert np.allclose(J.T @ warm, v[np.argsort(programs.kinds.order)], atol=1e-12)
    assert report.islands == islands


def test_boxes_that_touch_do_not_fly_apart():
    """Five on each other, edge along edge, with small velocities."""
    scene = ph.Scene("tower").add_fixed("floor", Plane()).contact(mu_coulomb=0.6)
    for k in range(5):
        place = (0.01 * k, 0.0, 0.1 + 0.2 * k)
        scene = scene.add_body(f"b{k}", Box((0.2, 0.2, 0.2)), mass=1.0, position=place)
    qd = 0.2 * np.random.default_rng(0).normal(size=(64, 30))
    run = ph.rollout(scene, qd=qd, steps=100, dt=2e-3, record_every=10, integrator="moreau")
    speed = np.abs(run.qd).max(axis=2)
    assert speed.max() < 5.0
    assert run.refined.sum() < 0.3 * 64 * 100 and not run.unsolved.any()
