"""Record the islands of the random scenes that plain sweeps do not solve.

    python benchmarks/contact_record.py [--first 0] [--last 1000] [--every 7] [-o islands.npz]

`contact_stages.py` reads them.  Of each scene come at most ``--most`` problems, evenly spread over
its two seconds; each problem is cut into islands, and those that reach a stage are kept.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import NamedTuple

# The recording code holds the address of a callback: no other process may load it.
os.environ["POLHODE_CACHE_DIR"] = tempfile.mkdtemp(prefix="polhode-record-")

import numpy as np

from polhode.compiler.jit import Floats, Foreign, jit
from polhode.contact_problem import ConstraintRows, Report, SolverSettings, solve, solver_settings
from polhode.contact_problem.exact import exact
from polhode.contact_problem.islands import islands_of
from polhode.contact_problem.problem import problem_of

call: Foreign = Foreign(1)


class StoredProblem(NamedTuple):
    """Rows, what `impact` takes with them, and the settings that the simulation chose."""

    rows: ConstraintRows
    restitution: np.ndarray
    start: np.ndarray
    settings: np.ndarray  # stages, last sweeps, whether rows may be relaxed


class EvenSample:
    """Items of a long sequence, evenly spread, twice ``most`` at the most."""

    def __init__(self, most: int):
        self.most, self.items = most, []
        self._stride, self._met = 1, 0

    def offer(self, make) -> None:
        """Keep what ``make`` returns, if its turn has come."""
        if self._met % self._stride == 0:
            self.items.append(make())
            if len(self.items) >= 2 * self.most:
                self.items, self._stride = self.items[::2], 2 * self._stride
        self._met += 1


sample = EvenSample(0)


def _copied(addresses: np.ndarray, at: int, dtype: type) -> np.ndarray:
    """A copy of the array whose length and address stand at ``at``."""
    length, address = int(addresses[at]), int(addresses[at + 1])
    kind = ctypes.c_int64 if dtype is np.int64 else ctypes.c_double
    return np.array((kind * length).from_address(address), dtype)


INTEGERS = {"node_dof", "node_mass", "kind", "row", "segment", "node", "value", "edges"}
N_ADDRESSES = 2 * (len(ConstraintRows._fields) + 2) + 3


@ctypes.CFUNCTYPE(None, ctypes.c_int64)
def _take(address: int) -> None:
    """Keep the problem whose arrays are listed at ``address``."""

    def made() -> StoredProblem:
        values = np.array((ctypes.c_int64 * N_ADDRESSES).from_address(address))
        arrays = [
            _copied(values, 2 * i, np.int64 if name in INTEGERS else np.float64)
            for i, name in enumerate((*ConstraintRows._fields, "restitution", "start"))
        ]
        return StoredProblem(ConstraintRows(*arrays[:-2]), *arrays[-2:], values[-3:])

    sample.offer(made)


TAKE: int = ctypes.cast(_take, ctypes.c_void_p).value or 0


@jit
def recorded(
    rows: ConstraintRows,
    restitution: Floats,
    x: Floats,
    v: Floats,
    settings: SolverSettings,
    report: Report,
):
    """`exact`, and a call of `_take` where a stage was needed."""
    start = x.copy()
    worst = exact(rows, restitution, x, v, settings, report)
    if report.stage > 0:
        a = np.empty(N_ADDRESSES, np.int64)
        a[0], a[1] = rows.node_dof.size, rows.node_dof.ctypes.data
        a[2], a[3] = rows.node_mass.size, rows.node_mass.ctypes.data
        a[4], a[5] = rows.mass.size, rows.mass.ctypes.data
        a[6], a[7] = rows.free.size, rows.free.ctypes.data
        a[8], a[9] = rows.kind.size, rows.kind.ctypes.data
        a[10], a[11] = rows.row.size, rows.row.ctypes.data
        a[12], a[13] = rows.segment.size, rows.segment.ctypes.data
        a[14], a[15] = rows.node.size, rows.node.ctypes.data
        a[16], a[17] = rows.value.size, rows.value.ctypes.data
        a[18], a[19] = rows.jacobian.size, rows.jacobian.ctypes.data
        a[20], a[21] = rows.bias.size, rows.bias.ctypes.data
        a[22], a[23] = rows.compliance.size, rows.compliance.ctypes.data
        a[24], a[25] = rows.mu.size, rows.mu.ctypes.data
        a[26], a[27] = rows.widening.size, rows.widening.ctypes.data
        a[28], a[29] = rows.edges.size, rows.edges.ctypes.data
        a[30], a[31] = rows.lower.size, rows.lower.ctypes.data
        a[32], a[33] = rows.upper.size, rows.upper.ctypes.data
        a[34], a[35] = restitution.size, restitution.ctypes.data
        a[36], a[37] = start.size, start.ctypes.data
        a[38], a[39], a[40] = settings.stages, settings.last_sweeps, int(settings.may_relax)
        call(TAKE, a.ctypes.data)
    return worst


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


def reaches_a_stage(problem: StoredProblem) -> bool:
    """Whether sweeps alone do not solve it."""
    x, v, report = problem.start.copy(), np.empty(len(problem.rows.free)), Report()
    settings = solver_settings(stages=0, last_sweeps=0, may_relax=False)
    exact(problem.rows, problem.restitution, x, v, settings, report)
    return report.stage > 0


NAMES = (*ConstraintRows._fields, "restitution", "start", "settings")


def save(path: Path, problems: list[StoredProblem]) -> None:
    """All problems in one file: the arrays of each name one behind the other, and their lengths."""
    arrays = {}
    for i, name in enumerate(NAMES):
        parts = [(*p.rows, *p[1:])[i] for p in problems]
        arrays[name] = np.concatenate(parts)
        arrays[f"{name}.sizes"] = np.array([len(a) for a in parts])
    np.savez_compressed(path, **arrays)


def load(path: Path) -> list[StoredProblem]:
    """What `save` wrote."""
    with np.load(path) as file:
        split = [np.split(file[n], np.cumsum(file[f"{n}.sizes"])[:-1]) for n in NAMES]
    return [StoredProblem(ConstraintRows(*a[:-3]), *a[-3:]) for a in zip(*split, strict=True)]


def main() -> None:
    global sample
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=1000)
    parser.add_argument("--every", type=int, default=7)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds of computing a scene")
    parser.add_argument("--most", type=int, default=20, help="problems kept of a scene")
    parser.add_argument("-o", "--output", type=Path, default=Path("islands.npz"))
    options = parser.parse_args()
    import contact_robust

    from polhode.contact_problem import solve as _  # noqa: F401

    sys.modules["polhode.contact_problem.solve"].exact = recorded
    kept = []
    for seed in range(options.first, options.last, options.every):
        sample = EvenSample(options.most)
        began = process_time()
        contact_robust.run(seed, options.limit, "exact")
        cuts = [island for problem in sample.items for island in islands(problem)]
        found = [island for island in cuts if reaches_a_stage(island)]
        kept += found[:: max(1, round(len(found) / options.most))]
        print(f"{seed} {process_time() - began:.1f} s {len(found)} {len(kept)}", flush=True)
        if seed % 10 == 0:  # what was found so far, should the run be ended
            save(options.output, kept)
    save(options.output, kept)


if __name__ == "__main__":
    main()
