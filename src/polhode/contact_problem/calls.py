"""The solver as Python calls it: arguments are checked before compiled loops run.

Compiled functions of other packages call those of `solve.py`.
"""

from __future__ import annotations

import numpy as np

from ..errors import ArgumentError, shown
from .checks import KINDS, check_problem, check_restitution
from .rows import ConstraintRows
from .rows import height_of as height_in_rows
from .settings import Report, SolverSettings
from .solve import impact as impact_of
from .solve import solve as solve_exactly
from .solve import solve_convex as solve_relaxed
from .solve import solve_lcp as solve_pyramids


def height_of(kind: int) -> int:
    """How many rows a block has.

    Parameters
    ----------
    kind : int
        BILATERAL, UNILATERAL, BOX, CONTACT or DISK.

    Returns
    -------
    height : int

    Raises
    ------
    ArgumentError
        If there is no such kind.
    """
    if isinstance(kind, bool) or kind not in KINDS:
        raise ArgumentError(f"expected one of {KINDS} as kind, got {shown(kind)}")
    return height_in_rows(int(kind))


def impact(
    rows: ConstraintRows,
    restitution: np.ndarray,
    x: np.ndarray,
    v: np.ndarray,
    settings: SolverSettings,
    report: Report,
) -> float:
    """Find the impulses of an impact after Poisson, with friction in both phases.

    Parameters
    ----------
    rows : ConstraintRows
        Bodies, velocities before the impact, and what constrains them.
    restitution : ndarray, shape (K,)
        Coefficients of the blocks, from 0 to 1: the share of a normal impulse of compression that
        is given back.
    x : ndarray, shape (m,)
        Impulses to start from [N s or N m s]; those found are written here.
    v : ndarray, shape (nv,)
        The velocities found are written here [m/s or rad/s].
    settings : SolverSettings
        As of `solver_settings`.
    report : Report
        Work and result are written here.

    Returns
    -------
    worst : float
        The worst residual of any island and phase, relative to its speed.

    Raises
    ------
    ShapeError
        If an array has the wrong type or length, or offsets do not fit.
    ArgumentError
        If a value is none that the solver takes.
    """
    check_problem(rows, x, v, settings, report)
    check_restitution(rows, restitution)
    return impact_of(rows, restitution, x, v, settings, report)


def solve(
    rows: ConstraintRows, x: np.ndarray, v: np.ndarray, settings: SolverSettings, report: Report
) -> float:
    """Find impulses that obey every law of contact, friction, limits and loops.

    Parameters
    ----------
    rows : ConstraintRows
        Bodies, velocities without impulses, and what constrains them.
    x, v, settings, report
        As of `impact`.

    Returns
    -------
    worst : float
        The worst residual of any island, relative to its speed.

    Raises
    ------
    ShapeError, ArgumentError
        As of `impact`.
    """
    check_problem(rows, x, v, settings, report)
    return solve_exactly(rows, x, v, settings, report)


def solve_convex(
    rows: ConstraintRows, x: np.ndarray, v: np.ndarray, settings: SolverSettings, report: Report
) -> float:
    """Find the impulses of the convex relaxation, in which what slides also parts.

    Parameters
    ----------
    rows : ConstraintRows
        Bodies, velocities without impulses, and what constrains them.
    x, v, settings, report
        As of `impact`.

    Returns
    -------
    worst : float
        How far velocities are from those under the impulses, relative to the speed.

    Raises
    ------
    ShapeError, ArgumentError
        As of `impact`.
    """
    check_problem(rows, x, v, settings, report)
    return solve_relaxed(rows, x, v, settings, report)


def solve_lcp(
    rows: ConstraintRows, x: np.ndarray, v: np.ndarray, settings: SolverSettings, report: Report
) -> float:
    """Find impulses by Lemke's method, with pyramids of friction.

    The cost grows with the cube of contacts times edges: it is for small islands.

    Parameters
    ----------
    rows : ConstraintRows
        Bodies, velocities without impulses, and what constrains them.
    x, v, settings, report
        As of `impact`.

    Returns
    -------
    worst : float
        The worst residual of any island under the pyramid law, relative to its speed.

    Raises
    ------
    ShapeError, ArgumentError
        As of `impact`.
    """
    check_problem(rows, x, v, settings, report)
    return solve_pyramids(rows, x, v, settings, report)
