"""Frictional contact problems: ``u = W r + q`` under Coulomb's law, in the format of Siconos.

The exact solver takes rows that a factor of the matrix gives: a dense one, or a sparse one of many
contacts.  What a recorded matrix has beyond the product of the factors is applied to the impulses
of the solve before, as in iterative refinement.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from polhode import contact_problem as c
from validation import friction_theory
from validation.scores import Case, Score, largest

TOLERANCE = 1e-8  # of the residual, as the data's README asks for
VELOCITY = 1e-7  # of the largest velocity without impulses
DENSE = 3000  # rows: the cost of a dense factor grows with the cube
LEAST_ADDED = 1e-7  # of the mean of the diagonal: recorded digits make W indefinite
NEAR, SWEEPS = 1e-7, 2000
SOLVES = 8
STRICTEST = 1e-14  # tolerance of the solver, reached in factors of a hundred from its own


class Problem(NamedTuple):
    """``W`` (n d, n d), ``q`` (n d) and ``mu`` (n), normals first in each contact."""

    dimension: int
    W: sparse.csr_matrix
    q: np.ndarray
    mu: np.ndarray


def cases(folder: Path) -> Iterator[Case]:
    """Every problem of the folder's index."""
    index = json.loads((folder / "index.json").read_text())
    for name, entry in index.items():
        path = folder / entry["npz"]
        yield Case(name, lambda path=path: scores(scaled(read(path))))


def read(path: Path) -> Problem:
    """A problem as plain arrays; one without contacts has no numbers."""
    with np.load(path) as kept:
        dimension = int(kept["dimension"])
        if "q" not in kept.files:
            return Problem(dimension, sparse.csr_matrix((0, 0)), np.zeros(0), np.zeros(0))
        q = np.asarray(kept["q"], float)
        parts = kept["W_data"], kept["W_indices"], kept["W_indptr"]
        W = sparse.csr_matrix(parts, shape=(len(q), len(q)))
        mu = np.broadcast_to(np.asarray(kept["mu"], float), (len(q) // dimension,))
        return Problem(dimension, W, q, mu)


def scaled(problem: Problem) -> Problem:
    """The problem with ``q`` of size one: impulses and velocities grow in proportion to it."""
    return problem._replace(q=problem.q / (np.abs(problem.q).max(initial=0.0) or 1.0))


def scores(problem: Problem) -> Iterator[Score]:
    """The residual by the format's own definition, and velocities beside another solver's."""
    r = impulses(problem)
    error = residual(problem, r)
    told = "" if error <= TOLERANCE else "not solved so far"
    yield Score("residual", error, TOLERANCE, told)
    if len(problem.mu) and (problem.mu > 0.0).all():
        yield from of_velocities(problem, problem.W @ r + problem.q)


def of_velocities(problem: Problem, u: np.ndarray) -> Iterator[Score]:
    """Those of Coulomb's law from its sliding speeds, and from nothing where there is but one."""
    d, W, q, mu = problem
    slip = np.linalg.norm(u.reshape(-1, d)[:, 1:], axis=1)
    theirs = friction_theory.velocity(d, W, q, mu, slip)
    yield Score("velocity, given sliding speeds", largest(u, theirs), VELOCITY)
    factor = friction_theory.contraction_factor(d, W, mu)
    if factor < 1.0:
        theirs = friction_theory.coulomb_velocity(d, W, q, mu, factor)
        yield Score("velocity, unique", largest(u, theirs), VELOCITY)


def impulses(problem: Problem) -> np.ndarray:
    """The solver's, group by group of contacts that depend on each other."""
    r = np.zeros(len(problem.q))
    for rows in islands(problem):
        r[rows] = solve(part(problem, rows))
    return r


def islands(problem: Problem) -> list[np.ndarray]:
    """The rows of contacts that depend on each other, one array for each such group."""
    n, d = len(problem.mu), problem.dimension
    i, j = problem.W.nonzero()
    joined = sparse.coo_matrix((np.ones(len(i)), (i // d, j // d)), shape=(n, n))
    count, label = connected_components(joined)
    contacts = [np.flatnonzero(label == k) for k in range(count)]
    return [(d * group[:, None] + np.arange(d)).ravel() for group in contacts]


def part(problem: Problem, rows: np.ndarray) -> Problem:
    """The problem of some of the contacts, on which the others have no effect."""
    contacts = rows[:: problem.dimension] // problem.dimension
    W = problem.W[rows][:, rows]
    return Problem(problem.dimension, W, problem.q[rows], problem.mu[contacts])


def solve(problem: Problem) -> np.ndarray:
    """The best impulses of several solves, each from the one before and stricter."""
    rows, factor = sparse_rows(problem) if len(problem.q) > DENSE else dense_rows(problem)
    n, place = len(problem.mu), rows_in_space(problem)
    x, v = np.zeros(3 * n), np.zeros(len(rows.free))
    best, least = x[place], residual(problem, x[place])
    if len(problem.q) > DENSE:  # Newton's steps are dear: sweeps come near first
        rows.bias[place] = problem.q
        coarse = c.solver_settings(tolerance=NEAR, sweeps=SWEEPS, stages=0)
        c.solve(rows, x, v, coarse, c.Report())
    for k in range(SOLVES):
        if least <= TOLERANCE:
            break
        # The solver's own matrix is the factor's: symmetric, and without what is below rounding.
        now = x[place]
        rows.bias[place] = problem.q + problem.W @ now - factor @ (factor.T @ now)
        tolerance = max(TOLERANCE * 100.0**-k, STRICTEST)
        c.solve(rows, x, v, c.solver_settings(tolerance=tolerance), c.Report())
        error = residual(problem, x[place])
        if error < least:
            best, least = x[place], error
    return best


def dense_rows(problem: Problem) -> tuple[c.ConstraintRows, np.ndarray]:
    """The solver's rows, on one node of as many velocities as ``W`` has rank, and its factor."""
    n, place = len(problem.mu), rows_in_space(problem)
    G = np.zeros((3 * n, 3 * n))
    G[np.ix_(place, place)] = nearest_semidefinite(problem.W.toarray())
    rows = c.rows_of_delassus(G, np.zeros(3 * n), [c.CONTACT] * n, mu=problem.mu)
    return rows, rows.jacobian.reshape(3 * n, -1)[place]


def nearest_semidefinite(W: np.ndarray) -> np.ndarray:
    """The symmetric matrix without negative eigenvalues that is nearest to a recorded one.

    What it lacks is applied to the impulses of the solve before.
    """
    values, vectors = np.linalg.eigh(0.5 * (W + W.T))
    G = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return 0.5 * (G + G.T)


def sparse_rows(problem: Problem) -> tuple[c.ConstraintRows, sparse.csr_matrix]:
    """The solver's rows, on one node of two or three velocities a contact, and a factor of ``W``.

    The columns of a contact in Cholesky's factor are its node: few contacts have entries there.
    """
    n, d, factor = len(problem.mu), problem.dimension, cholesky(problem.W)
    blocks = factor.tobsr((d, d))
    blocks.sort_indices()
    count = len(blocks.indices)
    jacobian = np.zeros((count, 3, d))
    jacobian[:, :d] = blocks.data
    no_row, no_block = np.zeros(3 * n), np.zeros(n)
    rows = c.ConstraintRows(
        node_dof=d * np.arange(n + 1), node_mass=d * d * np.arange(n + 1),
        mass=np.tile(np.eye(d).ravel(), n), free=np.zeros(d * n),
        kind=np.full(n, c.CONTACT), row=3 * np.arange(n + 1),
        segment=blocks.indptr.astype(np.int64), node=blocks.indices.astype(np.int64),
        value=3 * d * np.arange(count + 1), jacobian=jacobian.ravel(),
        bias=no_row.copy(), compliance=no_row, mu=problem.mu.copy(), widening=no_block,
        edges=np.zeros(n, np.int64), lower=no_block, upper=np.full(n, np.inf),
    )  # fmt: skip
    return rows, factor


def cholesky(W: sparse.csr_matrix) -> sparse.csr_matrix:
    """A sparse ``F`` with ``F F^T = W``, but for what makes the diagonal large enough for it."""
    whole, share = 0.5 * (W + W.T), LEAST_ADDED
    added = sparse.diags(np.full(W.shape[0], np.abs(W.diagonal()).mean()))
    while True:
        lu = splu(
            (whole + share * added).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )  # fmt: skip
        pivots, order = lu.U.diagonal(), np.asarray(lu.perm_r)
        if (pivots > 0.0).all() and (order == lu.perm_c).all():
            return (lu.L @ sparse.diags(np.sqrt(pivots))).tocsr()[order]
        share *= 2.0


def rows_in_space(problem: Problem) -> np.ndarray:
    """Where the rows are if every contact has two tangents: one of nothing in the plane."""
    contacts = np.arange(len(problem.mu))[:, None]
    return (3 * contacts + np.arange(problem.dimension)).ravel()


def residual(problem: Problem, r: np.ndarray) -> float:
    """``max_i |r_i - P(r_i - rho_i (u_i + mu |u_t| n))| / max |r|``.

    Without impulses those that would stop each contact by itself take the place of ``r``.
    """
    d = problem.dimension
    x, u = r.reshape(-1, d), (problem.W @ r + problem.q).reshape(-1, d)
    moved = u.copy()
    moved[:, 0] += problem.mu * np.linalg.norm(u[:, 1:], axis=1)
    step = 1.0 / np.array([largest_eigenvalue(problem, k) for k in range(len(x))])
    off = x - projected(x - step[:, None] * moved, problem.mu)
    size = np.abs(x).max(initial=0.0) or np.abs(step[:, None] * u).max(initial=0.0)
    return float(np.linalg.norm(off, axis=1).max(initial=0.0)) / (float(size) or 1.0)


def largest_eigenvalue(problem: Problem, contact: int) -> float:
    """Of the diagonal block of a contact."""
    rows = slice(contact * problem.dimension, (contact + 1) * problem.dimension)
    return float(np.abs(np.linalg.eigvals(problem.W[rows, rows].toarray())).max())


def projected(y: np.ndarray, mu: np.ndarray) -> np.ndarray:
    """The nearest points of the cones ``|y_t| <= mu y_n``."""
    normal, slip = y[:, 0], np.linalg.norm(y[:, 1:], axis=1)
    top = np.maximum((normal + mu * slip) / (1.0 + mu**2), 0.0)
    share = np.divide(mu * top, slip, out=np.zeros_like(slip), where=slip > 0.0)
    on_cone = np.column_stack([top, share[:, None] * y[:, 1:]])
    return np.where((slip <= mu * normal)[:, None], y, on_cone)
