"""Constraint rows over nodes: the one form in which the contact solver takes a problem.

A *node* has a mass matrix of its own: it is a free body or a whole articulated model.  Rows are
grouped in *blocks*; a block touches nodes through *segments* of its Jacobian::

    M_j (v_j - free_j) = sum_k J_kj^T x_k
    u_k = sum_j J_kj v_j + bias_k + compliance_k x_k
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiler.jit import jit

BILATERAL = 0
UNILATERAL = 1
BOX = 2
CONTACT = 3
DISK = 4

MIN_EDGES, MOST_EDGES = 3, 1000  # of a polygon of friction; Lemke's method has a row for each
NO_SLIP = 100.0  # coefficient of friction from which on a point does not slip, as in Moby


@jit
def height_of(kind: int):
    """How many rows a block has."""
    if kind == CONTACT:
        return 3
    return 2 if kind == DISK else 1


class ConstraintRows(NamedTuple):
    """All rows of one step, in C-contiguous arrays of int64 and float64.

    Attributes
    ----------
    node_dof : shape (N+1,)
        First velocity of node j; the last entry is their number.
    node_mass : shape (N+1,)
        Where node j's mass matrix begins in `mass` (full, row by row).
    mass : flat
        The mass matrices.
    free : shape (nv,)
        Velocities as they would be without the impulses of these rows.
    kind : shape (K,)
        BILATERAL, UNILATERAL, BOX (one row each), DISK (two rows) or CONTACT (normal and two
        tangents).
    row : shape (K+1,)
        First row of block k.
    segment : shape (K+1,)
        First segment of block k; a node appears at most once in a block.
    node : shape (S,)
        Node of each segment.
    value : shape (S+1,)
        Where each segment begins in `jacobian`: (rows of the block) x (size of the node).
    jacobian : flat
        Maps velocities to row velocities; positive along a normal is separation.
    bias : shape (m,)
        Added to the row velocities: gap over step, belt speeds.
    compliance : shape (m,)
        Slack velocity per impulse; 0 is rigid.  Negative: a share of the row's own velocity
        per impulse.
    mu : shape (K,)
        Coulomb's coefficient; from 100 on 1000, so that nothing slips while pressed.
    widening : shape (K,)
        Impulse w of viscous friction: the disk has radius sqrt((mu x_n)^2 + w^2).
    edges : shape (K,)
        Of CONTACT and DISK: 0 for the circle, k >= 3 for the regular polygon inscribed in it.
    lower, upper : shape (K,)
        Least normal impulse of CONTACT and UNILATERAL; bounds of BOX; ``upper`` is the radius of
        DISK.
    factor, last : flat, shape (nv,)
        Factors of the mass matrices as of `factor_mass`, where these are known; else empty.
    speed : shape (N,)
        Velocities that residuals of the islands of these nodes are relative to, at least; or empty.
    trials : shape (N, 4)
        What failed in the steps before (`retries`), or empty; the exact solver writes to it.
    choices : shape (N, 4)
        How costly choices among many impulses were (`following`), or empty; likewise.
    presser, arm : shape (K,)
        The contact whose normal impulse bounds a BOX or DISK (`torque_bounds`), or -1, and the
        bound per impulse [m]; or empty.  `impact`, `solve` and `solve_convex` write to `lower` and
        `upper` of these.
    """

    node_dof: np.ndarray
    node_mass: np.ndarray
    mass: np.ndarray
    free: np.ndarray
    kind: np.ndarray
    row: np.ndarray
    segment: np.ndarray
    node: np.ndarray
    value: np.ndarray
    jacobian: np.ndarray
    bias: np.ndarray
    compliance: np.ndarray
    mu: np.ndarray
    widening: np.ndarray
    edges: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    factor: np.ndarray = np.empty(0)
    last: np.ndarray = np.empty(0, np.int64)
    speed: np.ndarray = np.empty(0)
    trials: np.ndarray = np.empty((0, 4), np.int64)
    choices: np.ndarray = np.empty((0, 4), np.int64)
    presser: np.ndarray = np.empty(0, np.int64)
    arm: np.ndarray = np.empty(0)
