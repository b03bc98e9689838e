"""Entry points of compiled functions: `solve`, `impact`, `solve_convex`, `solve_lcp`."""

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
