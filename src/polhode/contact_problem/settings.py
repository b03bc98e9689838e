"""Settings and report of the contact solver."""

from __future__ import annotations

from ..arguments import as_count, as_flag, as_number
from ..compiler.jit import Struct
from .rows import MIN_EDGES, MOST_EDGES


class SolverSettings(Struct):
    """Settings of the contact solver; `solver_settings` makes them, with defaults."""

    tolerance: float  # residual, relative, below which an island is solved
    sweeps: int
    newton: int
    stages: int
    last_sweeps: int
    softness: float  # share of each block's own diagonal
    convex_steps: int
    lcp_edges: int
    may_relax: bool
    chooses: bool
    follows: bool  # impulses of the step before come before a choice


class Report(Struct):
    """The work and the result of the contact solver, over all islands.

    Attributes
    ----------
    worst : float
        Greatest residual of an island.
    islands, unconverged, rows : int
        Numbers of islands, of those not solved, and of rows.
    stage : int
        The last stage that any island needed; 0 is none.
    sweeps, newton_steps : int
        Sweeps and Newton steps made.
    energy_clipped : float
        Energy [J] that restitution would have added.
    last_step : int
        Newton steps after which the present island is left unsolved.
    relaxed : int
        Islands solved only with compliant rows.
    slack : float
        Greatest velocity [m/s or rad/s] of a compliant row among these.
    """

    worst: float
    islands: int
    unconverged: int
    stage: int
    sweeps: int
    newton_steps: int
    rows: int
    energy_clipped: float
    last_step: int
    relaxed: int
    slack: float


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
    settings : SolverSettings

    Raises
    ------
    ArgumentError
        If a number is out of its range.
    """
    return SolverSettings(
        tolerance=as_number("tolerance", tolerance, above=0.0),
        sweeps=as_count("sweeps", sweeps),
        newton=as_count("newton", newton),
        stages=as_count("stages", stages),
        last_sweeps=as_count("last_sweeps", last_sweeps),
        softness=as_number("softness", softness, least=0.0),
        convex_steps=as_count("convex_steps", convex_steps),
        lcp_edges=as_count("lcp_edges", lcp_edges, least=MIN_EDGES, most=MOST_EDGES),
        may_relax=as_flag("may_relax", may_relax),
        chooses=as_flag("chooses", chooses),
        follows=False,
    )
