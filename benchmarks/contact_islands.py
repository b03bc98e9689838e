"""Contact problems in files, and the islands that they are made of."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from polhode.contact_problem import ConstraintRows
from polhode.contact_problem.islands import islands_of
from polhode.contact_problem.problem import problem_of


class StoredProblem(NamedTuple):
    """Rows, what `impact` takes with them, and the settings that the simulation chose."""

    rows: ConstraintRows
    restitution: np.ndarray
    start: np.ndarray
    settings: np.ndarray  # stages, last sweeps, whether rows may be relaxed, impulses chosen


def islands(problem: StoredProblem) -> list[StoredProblem]:
    """The islands of a problem, each a problem of its own."""
    rows = problem.rows
    blocks, first, nodes, first_node = islands_of(problem_of(rows))
    return [
        cut(problem, blocks[first[i] : first[i + 1]], nodes[first_node[i] : first_node[i + 1]])
        for i in range(len(first) - 1)
    ]


def cut(problem: StoredProblem, blocks: np.ndarray, nodes: np.ndarray) -> StoredProblem:
    """The problem of some blocks and nodes."""
    rows = problem.rows
    dof, size = rows.node_dof, np.diff(rows.node_dof)[nodes]
    local = {int(j): i for i, j in enumerate(nodes)}
    row = np.concatenate([np.arange(rows.row[k], rows.row[k + 1]) for k in blocks])
    segment = np.concatenate([np.arange(rows.segment[k], rows.segment[k + 1]) for k in blocks])
    mass = [rows.mass[rows.node_mass[j] :][: n * n] for j, n in zip(nodes, size, strict=True)]
    values = [rows.jacobian[rows.value[s] : rows.value[s + 1]] for s in segment]
    small = ConstraintRows(
        node_dof=_offsets(size), node_mass=_offsets(size * size), mass=np.concatenate(mass),
        free=np.concatenate([rows.free[dof[j] : dof[j + 1]] for j in nodes]),
        kind=rows.kind[blocks], row=_offsets(np.diff(rows.row)[blocks]),
        segment=_offsets(np.diff(rows.segment)[blocks]),
        node=np.array([local[int(j)] for j in rows.node[segment]], np.int64),
        value=_offsets(np.array([len(v) for v in values], np.int64)),
        jacobian=np.concatenate(values), bias=rows.bias[row], compliance=rows.compliance[row],
        mu=rows.mu[blocks], widening=rows.widening[blocks], edges=rows.edges[blocks],
        lower=rows.lower[blocks], upper=rows.upper[blocks],
    )  # fmt: skip
    return StoredProblem(small, problem.restitution[blocks], problem.start[row], problem.settings)


def _offsets(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


# Without the factors of masses, which are computed again, and what steps before tell.
FIELDS = ConstraintRows._fields[: ConstraintRows._fields.index("factor")]
NAMES = (*FIELDS, "restitution", "start", "settings")


def save_problems(path: Path, problems: list[StoredProblem]) -> None:
    """All problems in one file: the arrays of each name one behind the other, and their lengths."""
    arrays = {}
    for i, name in enumerate(NAMES):
        parts = [(*p.rows[: len(FIELDS)], *p[1:])[i] for p in problems]
        arrays[name] = np.concatenate(parts)
        arrays[f"{name}.sizes"] = np.array([len(a) for a in parts])
    np.savez_compressed(path, **arrays)


def load_problems(path: Path) -> list[StoredProblem]:
    """What `save_problems` wrote."""
    with np.load(path) as file:
        split = [np.split(file[n], np.cumsum(file[f"{n}.sizes"])[:-1]) for n in NAMES]
    return [StoredProblem(ConstraintRows(*a[:-3]), *a[-3:]) for a in zip(*split, strict=True)]
