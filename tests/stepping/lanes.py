"""What tests of Moreau's step in lanes do with scenes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

import polhode as ph
from polhode.simulation.lanes.programs import StepPrograms, step_programs
from polhode.simulation.lanes.refining import Refined, WorldProblem, refined


def rolled(scene, **options):
    return ph.rollout(scene, integrator="moreau", **options)


def rolled_as_alone(scene, qd, **options):
    """Worlds that start at velocities ``qd``; three of them have the bits that they have alone."""
    many = rolled(scene, qd=qd, **options)
    assert not many.unsolved.any()
    for k in (0, 3, len(qd) - 1):
        alone = rolled(scene, qd=qd[k], **options)
        assert alone.q.tobytes() == many.q[:, k].copy().tobytes()
    return many


class SolvedAgain(NamedTuple):
    """A step of worlds in lanes, and what the exact solver makes of its impulses ``x`` of all rows.

    ``qd`` and ``exact`` are velocities after the step by the lanes and by the exact solver.
    """

    programs: StepPrograms
    problem: WorldProblem
    x: np.ndarray
    solved: np.ndarray
    found: Refined
    qd: np.ndarray
    exact: np.ndarray


def solved_again(scene, qd, steps, dt, every) -> Iterator[SolvedAgain]:
    """Each step of so many; most worlds are solved, and obey the laws by the exact solver."""
    programs, n = step_programs(scene), len(qd)
    q, x = np.tile(scene.q0, (n, 1)), np.zeros((n, programs.kept.n_kept))
    tau = np.zeros_like(qd)
    for step in range(1, steps + 1):
        given = q, qd, x, tau
        q, qd, x, error, _ = programs.step(*given, dt)
        if step % every == 0:
            problem, rows = programs.problem(*given, dt), programs.kept.all_rows(x)
            found, solved = refined(problem, programs.kinds, rows, dt), error < 1e-6
            assert solved.mean() > 0.9 and found.error[solved].max() < 1e-6
            _, exact, *_ = programs.finish(*given, dt, found.w)
            yield SolvedAgain(programs, problem, rows, solved, found, qd, exact)


def dense_jacobian(rows, kinds) -> np.ndarray:
    """``y`` of all rows of a world, out of those of the trees that each block moves."""
    J = np.zeros((len(rows.bias), len(kinds.order)))
    for b, (first, last) in enumerate(pairwise(rows.row)):
        for s in range(rows.segment[b], rows.segment[b + 1]):
            tree = slice(*kinds.first[rows.node[s] : rows.node[s] + 2])
            part = rows.jacobian[rows.value[s] : rows.value[s + 1]]
            J[first:last, kinds.order[tree]] = part.reshape(last - first, -1)
    return J
