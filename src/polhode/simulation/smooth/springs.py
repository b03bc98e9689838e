"""Springs, dampers and bushings as forces of position and velocity."""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Floats, jit
from ...spatial import Force
from ..stepping.motion import add_wrench, update
from ..stepping.springs import DAMPING, SPRING, elastic_forces, spring_row
from ..stepping.system import System


@jit
def spring_forces(s: System, out: Floats):
    """Write the generalised forces of all springs at the present state into ``out``."""
    update(s, s.velocity)
    elastic_forces(s)
    for k in range(len(out)):
        out[k] = s.elastic[k]
    for r in range(len(s.spring_rows)):
        if s.spring_law[r, DAMPING] != 0.0:
            _add_damper(s, r, out)


@jit
def _add_damper(s: System, r: int, out: Floats):
    """Add the force against the rate of a row."""
    _, wrench = spring_row(s, r)
    spring = s.spring_rows[r, SPRING]
    row = np.zeros(len(out))
    _add_side(s, s.spring_b[spring], wrench, 1.0, row)
    _add_side(s, s.spring_a[spring], wrench, -1.0, row)
    rate = 0.0
    for k in range(len(row)):
        rate += row[k] * s.velocity[k]
    for k in range(len(row)):
        out[k] -= s.spring_law[r, DAMPING] * rate * row[k]


@jit
def _add_side(s: System, b: int, wrench: Force, sign: float, row: Floats):
    if b >= 0:
        n = s.body_node[b]
        add_wrench(s, n, b, wrench, sign, row[s.dof[n] :])
