"""Compliant contacts in the convex relaxation: their tangents stay as stiff as those of others.

Springs of the relaxation are alike along the three rows of a contact.  A compliant normal is far
softer than tangents have to be, whose friction would vanish with it.  So the tangents are measured
in units in which they are as soft: velocities are ``s`` times greater, impulses and the cone ``s``
times less.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiler.jit import Floats, jit
from .problem import COMPLIANCE, KIND, MU, NORMAL, ROW, TANGENT, Problem
from .rows import CONTACT, ConstraintRows
from .springs import STEEPEST


@jit
def units_of(p: Problem, softness: float):
    """``s`` of each block, 1 where its normal is not compliant; whether any is."""
    units, is_soft = np.full(p.block.shape[0], 1.0), False
    for k in range(units.size):
        if p.block[k, KIND] == CONTACT:
            own, target = _softness(p, k, softness)
            if target > own and own > 0.0:
                units[k], is_soft = math.sqrt(target / own), True
    return units, is_soft


@jit
def _softness(p: Problem, k: int, softness: float):
    """That of a contact's tangents, and of its normal."""
    compliance = p.line[p.block[k, ROW], COMPLIANCE]
    own = softness * max(p.law[k, NORMAL] - compliance, p.law[k, TANGENT])
    return own, own + compliance


@jit
def in_units(rows: ConstraintRows, p: Problem, units: Floats, softness: float):
    """The same rows with tangents in other units, and springs as soft as their normals were."""
    jacobian, bias, mu = rows.jacobian.copy(), rows.bias.copy(), rows.mu.copy()
    compliance = rows.compliance.copy()
    for k in range(units.size):
        s, r = units[k], rows.row[k]
        if s == 1.0:
            continue
        for e in range(rows.segment[k], rows.segment[k + 1]):
            first, n = rows.value[e], (rows.value[e + 1] - rows.value[e]) // 3
            for c in range(first + n, first + 3 * n):
                jacobian[c] *= s
        bias[r + 1] *= s
        bias[r + 2] *= s
        mu[k] = min(p.law[k, MU], STEEPEST) / s
        _, target = _softness(p, k, softness)
        normal, tangent = p.law[k, NORMAL] - p.line[r, COMPLIANCE], s * s * p.law[k, TANGENT]
        compliance[r] = (target - softness * normal) / (1.0 + softness)
        if normal + compliance[r] < tangent:
            compliance[r] = max(target - softness * tangent, 0.0)
    return ConstraintRows(
        rows.node_dof, rows.node_mass, rows.mass, rows.free, rows.kind, rows.row, rows.segment,
        rows.node, rows.value, jacobian, bias, compliance, mu, rows.widening, rows.edges,
        rows.lower, rows.upper, rows.factor, rows.last, rows.speed, rows.trials, rows.choices,
        rows.presser, rows.arm,
    )  # fmt: skip


@jit
def stretch(rows: ConstraintRows, units: Floats, x: Floats, is_back: bool):
    """Measure the tangents of impulses in other units, or back again."""
    for k in range(units.size):
        if units[k] != 1.0:
            for a in (1, 2):
                x[rows.row[k] + a] *= units[k] if is_back else 1.0 / units[k]
