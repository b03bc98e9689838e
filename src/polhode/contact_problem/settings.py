"""Settings and report of the contact solver."""

from __future__ import annotations

from ..compiler.jit import Struct


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
