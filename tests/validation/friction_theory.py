"""Velocities of frictional problems that theory makes unique, by another solver.

With the sliding speeds ``s`` held, Coulomb's law is a convex problem (Acary, Cadoux, Lemarechal and
Malick, ZAMM 91, 2011): impulses minimise ``r W r / 2 + (q + mu s n) r`` over the cones.  The
velocities ``W r + q`` of all its solutions are the same, though ``r`` need not be: of two solutions
the difference ``d`` has ``d W d <= 0``.  So those of a solution of Coulomb's law follow from its
sliding speeds alone.  The law itself has one velocity where ``s -> |u_t|`` is a contraction.
For this ``W`` is symmetric and not indefinite; recorded ones are so but for their last digits.

The convex problems are solved by Clarabel's interior points.  Newton's method on the projection
equation follows, as interior points stop at the square root of rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import splu

GAP = 1e-12  # of Clarabel's interior points: below it rounding ends their progress
STEPS, ENOUGH = 60, 1e-14  # of Newton's method, and the residual where it ends
DAMPING = 1e-2  # of the residual, added to the derivative: impulses need not be unique
ROUNDING = 1e-12  # of the largest eigenvalue
MOST_CONTACTS = 400  # the contraction factor needs an inverse


class Convex(NamedTuple):
    """Minimise ``x W x / 2 + b x`` over second-order cones of ``dimension`` entries each."""

    dimension: int
    W: sparse.csr_matrix
    b: np.ndarray


def velocity(
    dimension: int, W: sparse.csr_matrix, q: np.ndarray, mu: np.ndarray, slip: np.ndarray
) -> np.ndarray:
    """``W r + q`` (n d) of the convex problem with sliding speeds (n).

    ``mu`` is positive, or there are normals only: then ``dimension`` is one.
    """
    n, size = len(mu), float(np.abs(W.diagonal()).max())
    scale = np.ones((n, dimension))
    scale[:, 0] = 1.0 / mu  # makes every cone that of the norm
    D = sparse.diags(scale.ravel())
    b = q.copy()
    b[::dimension] += mu * slip
    problem = Convex(dimension, sparse.csr_matrix(D @ (W / size) @ D), D @ b)
    x = polished(problem, interior_point(problem))
    return (W / size) @ (D @ x) + q


def interior_point(problem: Convex) -> np.ndarray:
    """Clarabel's solution for the symmetric part of ``W``."""
    import clarabel

    d, W, b = problem
    n = len(b) // d
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = GAP
    cones = [clarabel.SecondOrderConeT(d)] * n if d > 1 else [clarabel.NonnegativeConeT(n)]
    symmetric = sparse.triu(0.5 * (W + W.T)).tocsc()
    inside = sparse.csc_matrix(-sparse.eye(len(b)))
    return np.array(
        clarabel.DefaultSolver(symmetric, b, inside, np.zeros(len(b)), cones, options).solve().x
    )


def polished(problem: Convex, x: np.ndarray) -> np.ndarray:
    """The best impulses of Newton's method on ``x = P(x - rho (W x + b))``, from ``x`` on."""
    d, W, b = problem
    step = np.repeat([1.0 / largest_eigenvalue(block) for block in diagonal_blocks(W, d)], d)
    eye, slope = sparse.eye(len(b)), sparse.diags(step) @ W
    enough = ENOUGH * max(1.0, float(np.linalg.norm(x)))

    def off(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z = x - step * (W @ x + b)
        return x - projected(z.reshape(-1, d)).ravel(), z

    rest, z = off(x)
    best, least = x, float(np.linalg.norm(rest))
    for _ in range(STEPS):
        size = float(np.linalg.norm(rest))
        if size < least:
            best, least = x, size
        if size < enough:
            break
        derivative = eye - derivative_of_projection(z.reshape(-1, d)) @ (eye - slope)
        dx = splu(sparse.csc_matrix(derivative + DAMPING * min(size, 1e-3) * eye)).solve(-rest)
        share = 1.0
        while share > 1e-4 and np.linalg.norm(off(x + share * dx)[0]) >= size:
            share *= 0.5
        x = x + share * dx if share > 1e-4 else x - rest  # else a step of the projection itself
        rest, z = off(x)
    return best


def diagonal_blocks(W: sparse.csr_matrix, d: int) -> list[np.ndarray]:
    """Of each contact, (d, d)."""
    return [W[k : k + d, k : k + d].toarray() for k in range(0, W.shape[0], d)]


def largest_eigenvalue(block: np.ndarray) -> float:
    """Of the symmetric part."""
    return float(np.linalg.eigvalsh(0.5 * (block + block.T))[-1])


def projected(z: np.ndarray) -> np.ndarray:
    """The nearest points (n, d) of the cones ``|z_t| <= z_n``."""
    normal, slip = z[:, 0], np.linalg.norm(z[:, 1:], axis=1)
    top = 0.5 * (normal + slip)
    share = np.divide(top, slip, out=np.zeros_like(slip), where=slip > 0.0)
    found = np.column_stack([top, share[:, None] * z[:, 1:]])
    found[slip <= normal] = z[slip <= normal]
    found[slip <= -normal] = 0.0
    return found


def derivative_of_projection(z: np.ndarray) -> sparse.bsr_matrix:
    """Of the projection at (n, d), as a matrix of blocks; on the edges that of one side."""
    n, d = z.shape
    normal, slip = z[:, 0], np.linalg.norm(z[:, 1:], axis=1)
    blocks = np.zeros((n, d, d))
    blocks[slip <= normal] = np.eye(d)
    between = (slip > normal) & (slip > -normal)
    along = z[between, 1:] / slip[between, None]
    share = (normal[between] / slip[between])[:, None, None]
    blocks[between, 0, 0] = 0.5
    blocks[between, 0, 1:] = blocks[between, 1:, 0] = 0.5 * along
    across = along[:, :, None] * along[:, None, :]
    blocks[between, 1:, 1:] = 0.5 * ((1.0 + share) * np.eye(d - 1) - share * across)
    return sparse.bsr_matrix((blocks, np.arange(n), np.arange(n + 1)), shape=(n * d, n * d))


def contraction_factor(dimension: int, W: sparse.csr_matrix, mu: np.ndarray) -> float:
    """A bound on the derivative of ``s -> |u_t|``; below one Coulomb's law has one velocity.

    For two solutions of convex problems ``d W d <= |mu ds| |d_n|``, so the norm of ``d`` by ``W``
    is at most that of ``mu ds`` times the root of the largest eigenvalue of the normal block of
    ``W^-1``.  The tangential velocities differ by at most that norm times the root of the largest
    eigenvalue of the tangential block of ``W``.  Infinite where ``W`` has no inverse or is not
    symmetric.
    """
    if len(mu) > MOST_CONTACTS:
        return np.inf
    whole = W.toarray()
    values = np.linalg.eigvalsh(0.5 * (whole + whole.T))
    if values[0] <= ROUNDING * values[-1] or np.abs(whole - whole.T).max() > ROUNDING * values[-1]:
        return np.inf
    is_normal = np.arange(len(whole)) % dimension == 0
    inverse = np.linalg.inv(whole)[np.ix_(is_normal, is_normal)]
    tangents = whole[np.ix_(~is_normal, ~is_normal)]
    return float(mu.max() * np.sqrt(largest_eigenvalue(inverse) * largest_eigenvalue(tangents)))


def coulomb_velocity(
    dimension: int, W: sparse.csr_matrix, q: np.ndarray, mu: np.ndarray, factor: float
) -> np.ndarray:
    """The one velocity (n d) of Coulomb's law where ``s -> |u_t|`` contracts by ``factor``."""
    u = velocity(dimension, W, q, mu, np.zeros(len(mu)))
    for _ in range(int(np.ceil(np.log(1e-12) / np.log(factor)))):
        slip = np.linalg.norm(u.reshape(-1, dimension)[:, 1:], axis=1)
        u = velocity(dimension, W, q, mu, slip)
    return u
