"""Newton's method in which contacts of the same bodies are solved among themselves first."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from contact.solver_problems import dense, kept_problems, pile, run, tower, violation
from polhode import contact_problem as c
from polhode.contact_problem.block_lu import plan
from polhode.contact_problem.following import FOLLOW
from polhode.contact_problem.gauss_seidel import residual, speed_of
from polhode.contact_problem.islands import islands_of
from polhode.contact_problem.newton import scratch_of
from polhode.contact_problem.patches import (
    has_many_patches,
    newton_on_patches,
    patches_of,
    solve_patch,
    solve_patches,
)
from polhode.contact_problem.problem import Island, problem_of, velocity_of
from polhode.contact_problem.thresholds import JOINT_STEPS, MANY_BLOCKS, MOST_CHANGED
from polhode.model import Box, Plane
from polhode.scene import Scene

TOLERANCE = 1e-8


def sliding(n, seed=0, turn=0.0, **settings):
    """A tower that slides by some millimetres a second, within a step of gravity."""
    rng = np.random.default_rng(seed)
    rows = tower(rng, n, speed=0.0, **{"mu": 0.5, **settings})
    free = rows.free.reshape(n, 6)
    free[:] = turn * rng.normal(size=(n, 6))
    free[:, 0] += 0.02
    free[:, 2] -= 0.01
    return rows._replace(free=free.ravel())


def island_of(rows, x):
    """The one island of a problem, at the impulses ``x``."""
    p = problem_of(rows)
    blocks, first, nodes, _ = islands_of(p)
    assert first.size == 2
    local = np.zeros(len(p.node), np.int64)
    local[nodes] = np.arange(len(nodes))
    island = Island(p, blocks, nodes, local, x.copy(), p.free.copy(), speed_of(p, blocks, nodes))
    velocity_of(p, blocks, nodes, island.x, island.v)
    return island


def scratch(island):
    structure = plan(island.p, island.blocks, island.nodes, island.local)
    return structure, scratch_of(structure, island.x, island.v)


def test_only_large_heaps_of_bodies_with_faces_have_many_patches():
    def asked(rows):
        return has_many_patches(island_of(rows, np.zeros(len(rows.bias))))

    assert asked(sliding(MANY_BLOCKS // 4))
    assert not asked(sliding(MANY_BLOCKS // 4 - 1))
    assert not asked(pile(np.random.default_rng(0), 60))
    pressed = np.full(MANY_BLOCKS, -1)
    pressed[5] = 4
    rows = sliding(MANY_BLOCKS // 4)
    assert not asked(rows._replace(presser=pressed, arm=np.zeros(MANY_BLOCKS)))


def test_the_contacts_of_a_pair_of_bodies_are_one_patch():
    rows = sliding(30)
    x = np.zeros(len(rows.bias))
    x[::3][:8] = 1.0
    patches = patches_of(island_of(rows, x))
    np.testing.assert_array_equal(patches.first, 4 * np.arange(31))
    assert patches.does[:8].tolist() == [1] * 8 and not patches.does[8:].any()


@pytest.mark.parametrize("turn", [0.0, 0.02])
def test_a_patch_is_solved_while_all_other_impulses_stay(turn):
    """Its bodies then move as its own impulses make them, and the problem is as before."""
    rows = sliding(30, turn=turn)
    island = island_of(rows, np.random.default_rng(1).uniform(0.0, 0.01, len(rows.bias)))
    patches, (_, own) = patches_of(island), scratch(island)
    M, J = dense(rows)
    free, local, before = island.p.free.copy(), island.local.copy(), island.x.copy()
    for i in (0, 7, 29):
        blocks = island.blocks[4 * i : 4 * i + 4]
        some = slice(12 * i, 12 * i + 12)
        solve_patch(island, blocks, patches, own, c.solver_settings(), c.Report())
        assert residual(island.p, blocks, island.x, patches.v, island.speed) <= TOLERANCE
        moved = island.v + np.linalg.solve(M, J[some].T @ (island.x - before)[some])
        bodies = slice(6 * max(i - 1, 0), 6 * i + 6)
        np.testing.assert_allclose(patches.v[bodies], moved[bodies], atol=1e-12)
        np.testing.assert_array_equal(np.delete(island.x, some), np.delete(before, some))
        np.testing.assert_array_equal(island.p.free, free)
        np.testing.assert_array_equal(island.local, local)
        island.x[:] = before


def test_towers_that_slide_are_solved_in_few_steps():
    """From the impulses of the step before, to the velocities found without a choice.

    Towers of 30 boxes; in the last three of the problems one in the middle was pushed.
    """
    problems = kept_problems("sliding_problems.npz")
    assert len(problems) == 6
    for rows, _, start in problems:
        island, report = island_of(rows, start), c.Report()
        worst = newton_on_patches(island, *scratch(island), c.solver_settings(), report)
        assert worst <= TOLERANCE and 0 < report.newton_steps <= 8
        assert violation(rows, island.x, island.v) <= 1e-6
        _, v, other = run(rows, c.solver_settings(chooses=False), start)
        assert other.worst <= TOLERANCE
        np.testing.assert_allclose(island.v, v, atol=1e-5 * island.speed)


def test_the_same_impulses_are_chosen_cold_and_warm():
    """Rounding would decide how contacts of a face share what they bear."""
    for rows, _, start in kept_problems("sliding_problems.npz"):
        cold, _, report = run(rows, c.solver_settings())
        warm, _, _ = run(rows, c.solver_settings(), start)
        assert report.worst <= TOLERANCE
        np.testing.assert_allclose(warm, cold, atol=1e-8 * np.abs(cold).max())


OTHER_LAWS = {
    "square cones": {"edges": 4},
    "heptagons": {"edges": 7},
    "viscous friction": {"widening": 1e-3},
    "no friction": {"mu": 0.0},
    "no slip": {"mu": 1000.0},
    "least impulses": {"lower": 1e-4},
}


@pytest.mark.parametrize("law", OTHER_LAWS)
@pytest.mark.parametrize("follows", [False, True])
def test_towers_with_other_laws_are_solved_too(law, follows):
    """Where steps follow, from the impulses before; the laws hold in either case."""
    problems = kept_problems("sliding_problems.npz")
    for rows, _, start in (problems[0], problems[2]):
        count = len(rows.kind)
        changed = {
            name: np.full(count, value, getattr(rows, name).dtype)
            for name, value in OTHER_LAWS[law].items()
        }
        choices = np.zeros((len(rows.node_dof) - 1, 4), np.int64)
        choices[:, FOLLOW] = 3 if follows else 0
        rows = rows._replace(**changed, choices=choices)
        x, v, report = run(rows, c.solver_settings(), start)
        assert report.unconverged == report.relaxed == 0 and report.worst <= TOLERANCE
        if law not in ("square cones", "heptagons"):  # `violation` has round cones
            assert violation(rows, x, v) <= 1e-5


def test_it_gives_up_where_most_patches_change():
    """A tower that shakes hard: the second time more than half of the patches are solved."""
    rows = tower(np.random.default_rng(0), 30, speed=1.0, mu=0.5)
    island, report = island_of(rows, np.zeros(len(rows.bias))), c.Report()
    assert newton_on_patches(island, *scratch(island), c.solver_settings(), report) == math.inf
    assert report.newton_steps < JOINT_STEPS
    again = island_of(rows, np.zeros(len(rows.bias)))
    patches, (_, own), most = patches_of(again), scratch(again), int(MOST_CHANGED * 30)
    count = solve_patches(again, patches, own, most, c.solver_settings(), c.Report())
    assert count == most + 1


def test_a_tall_tower_that_slides_needs_few_of_newtons_steps():
    """Corners strike in some steps, and hundreds of others have to share their load anew."""
    scene = Scene("tower").add_fixed("ground", Plane()).contact(mu_coulomb=0.5)
    for k in range(100):
        scene = scene.add_body(f"b{k}", Box((1.0, 1.0, 1.0)), mass=1.0, position=(0, 0, 0.5 + k))
    settled = ph.TimeSteppingSimulator(scene, dt=1e-3, contact="convex")
    settled.advance(1e-3, 300)
    simulator = ph.TimeSteppingSimulator(scene, dt=1e-3, contact="exact", start="keep")
    for k in range(100):
        simulator.set_state(f"b{k}", q=settled.state_of(f"b{k}")[0], qd=[1.0, 0, 0, 0, 0, 0])
    simulator.advance(1e-3, 25)
    report = simulator.report
    assert report["unconverged"] == report["relaxed"] == 0
    assert report["newton_steps"] < 400
