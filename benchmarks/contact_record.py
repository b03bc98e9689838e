"""Record the islands of the random scenes that plain sweeps do not solve.

    python benchmarks/contact_record.py [--first 0] [--last 1000] [--every 7] [-o islands.npz]

`contact_stages.py` reads them.  Of each scene come at most ``--most`` problems, evenly spread over
its two seconds; each problem is cut into islands, and those that reach a stage are kept.
"""

from __future__ import annotations

import argparse
import atexit
import ctypes
import os
import shutil
import sys
import tempfile
from pathlib import Path
from time import process_time

# The recording code holds the address of a callback: no other process may load it.
os.environ["POLHODE_CACHE_DIR"] = tempfile.mkdtemp(prefix="polhode-record-")

import numpy as np
from contact_islands import FIELDS, StoredProblem, islands, save_problems

from polhode.compiler.jit import Floats, Foreign, jit
from polhode.contact_problem import ConstraintRows, Report, SolverSettings, solver_settings
from polhode.contact_problem.exact import exact

call: Foreign = Foreign(1)


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
N_ADDRESSES = 2 * (len(FIELDS) + 2) + 4


@ctypes.CFUNCTYPE(None, ctypes.c_int64)
def _take(address: int) -> None:
    """Keep the problem whose arrays are listed at ``address``."""

    def made() -> StoredProblem:
        values = np.array((ctypes.c_int64 * N_ADDRESSES).from_address(address))
        arrays = [
            _copied(values, 2 * i, np.int64 if name in INTEGERS else np.float64)
            for i, name in enumerate((*FIELDS, "restitution", "start"))
        ]
        return StoredProblem(ConstraintRows(*arrays[:-2]), *arrays[-2:], values[-4:])

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
        a[38], a[39] = settings.stages, settings.last_sweeps
        a[40], a[41] = int(settings.may_relax), int(settings.chooses)
        call(TAKE, a.ctypes.data)
    return worst


def reaches_a_stage(problem: StoredProblem) -> bool:
    """Whether sweeps alone do not solve it."""
    x, v, report = problem.start.copy(), np.empty(len(problem.rows.free)), Report()
    settings = solver_settings(stages=0, last_sweeps=0, may_relax=False)
    exact(problem.rows, problem.restitution, x, v, settings, report)
    return report.stage > 0


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

    sys.modules["polhode.contact_problem.solve"].exact = recorded
    atexit.register(shutil.rmtree, os.environ["POLHODE_CACHE_DIR"])
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
            save_problems(options.output, kept)
    save_problems(options.output, kept)


if __name__ == "__main__":
    main()
