"""Entry points: `solve`, `impact`, `solve_convex`, `solve_lcp`, and their settings."""

from __future__ import annotations

import numpy as np

from ..compiler.jit import Floats, jit
from .coordinates import any_of, leave, seen_by, small_nodes
from .exact import exact
from .lcp import lcp
from .relaxation import convex
from .rows import ConstraintRows
from .settings import Report, SolverSettings


@jit
def impact(
    rows: ConstraintRows,
    restitution: Floats,
    x: Floats,
    v: Floats,
    settings: SolverSettings,
    report: Report,
):
    """Impulses ``x`` and velocities ``v`` of an impact after Poisson, friction in both phases.

    ``x`` is taken as a warm start.  Returns the worst residual of any island and phase.
    """
    is_small = small_nodes(rows)
    if not any_of(is_small):
        return exact(rows, restitution, x, v, settings, report)
    seen = seen_by(rows, is_small)
    w = np.empty(seen.rows.free.size)
    worst = exact(seen.rows, restitution, x, w, settings, report)
    leave(rows, seen, x, w, v)
    return worst


@jit
def solve(rows: ConstraintRows, x: Floats, v: Floats, settings: SolverSettings, report: Report):
    """Impulses ``x`` and velocities ``v`` that obey every law of ``rows``.

    ``x`` is taken as a warm start.  Returns the worst residual of any island.
    """
    return impact(rows, np.zeros(len(rows.kind)), x, v, settings, report)


@jit
def solve_convex(
    rows: ConstraintRows, x: Floats, v: Floats, settings: SolverSettings, report: Report
):
    """Impulses ``x`` and velocities ``v`` of the convex relaxation of ``rows``.

    ``x`` is taken as a warm start.  Returns the distance of the velocities from
    those under the impulses.
    """
    is_small = small_nodes(rows)
    if not any_of(is_small):
        return convex(rows, x, v, settings, report)
    seen = seen_by(rows, is_small)
    w = np.empty(seen.rows.free.size)
    worst = convex(seen.rows, x, w, settings, report)
    leave(rows, seen, x, w, v)
    return worst


@jit
def solve_lcp(rows: ConstraintRows, x: Floats, v: Floats, settings: SolverSettings, report: Report):
    """Impulses ``x`` and velocities ``v`` by Lemke's method, friction on pyramids.

    For small islands: the cost grows with the cube of contacts times edges.  Returns the
    worst residual of any island under the pyramid law.
    """
    return lcp(rows, x, v, settings, report)


def solver_settings(
    *,
    tolerance: float = 1e-8,
    sweeps: int = 20,
    newton: int = 25,
    stages: int = 6,
    last_sweeps: int = 200,
    softness: float = 1e-3,
    convex_steps: int = 200,
    lcp_edges: int = 8,
    may_relax: bool = True,
    chooses: bool = True,
) -> SolverSettings:
    """Settings of the contact solver.

    Parameters
    ----------
    tolerance : float
        Residual below which an island counts as solved.
    sweeps : int
        Gauss-Seidel sweeps before the first Newton attempt; the most of `solve_convex`.
    newton : int
        Most steps of Newton's method by itself.
    stages : int
        How many stages may follow the first sweeps, with more sweeps after each.  They are Newton,
        Newton with a small prox, rounds of convex problems, steady Newton, proximal points, and
        Lemke's method.  With 0 nothing is chosen among many impulses either.
    last_sweeps : int
        Most sweeps of the last stage.
    softness : float
        Regularisation of `solve_convex`, as a share of each block's own diagonal.
    convex_steps : int
        Most steps of Newton's method in `solve_convex`.
    lcp_edges : int
        Edges of the pyramid that `solve_lcp` takes for a round cone.
    may_relax : bool
        Whether rows may be compliant where no rigid impulses are found.
    chooses : bool
        Whether the same impulses are chosen among many, whatever the start; else those near it.

    Returns
    -------
    settings : Settings
    """
    return SolverSettings(
        tolerance=tolerance, sweeps=sweeps, newton=newton, stages=stages,
        last_sweeps=last_sweeps, softness=softness, convex_steps=convex_steps, lcp_edges=lcp_edges,
        may_relax=may_relax, chooses=chooses, follows=False,
    )  # fmt: skip
