"""Impulses of an island that is not solved: they may let bodies sink, but not fly."""

from __future__ import annotations

import numpy as np

from ..compiler.jit import Floats, Ints, jit
from .problem import HEIGHT, LOWER, ROW, Problem, row_velocity, velocity_of


@jit
def clamp_work(p: Problem, blocks: Ints, nodes: Ints, x: Floats, v: Floats):
    """Scale the impulses of an island that is not solved until they do no work.

    Impulses that obey the laws dissipate energy.  Those of the second phase of an impact need
    not: there `exact.end` limits the work of both phases.
    """
    none, u = np.zeros(x.size), np.empty(3)
    linear, square = 0.0, 0.0
    for k in blocks:
        r = p.block[k, ROW]
        if p.law[k, LOWER] > 0.0:
            return
        row_velocity(p, k, none, p.free, u)
        for a in range(p.block[k, HEIGHT]):
            linear += x[r + a] * u[a]
            square -= 0.5 * x[r + a] * u[a]
        row_velocity(p, k, x, v, u)
        for a in range(p.block[k, HEIGHT]):
            square += 0.5 * x[r + a] * u[a]
    if linear + square <= 0.0:
        return
    share = max(-linear / square, 0.0) if square > 0.0 else 0.0
    for k in blocks:
        for r in range(p.block[k, ROW], p.block[k, ROW] + p.block[k, HEIGHT]):
            x[r] = share * x[r] if share > 0.0 else 0.0
    velocity_of(p, blocks, nodes, x, v)
