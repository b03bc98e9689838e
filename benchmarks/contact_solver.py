"""The contact solver on random problems: how many are solved, and how fast.

    python benchmarks/contact_solver.py [--count 60] [--method exact | convex | lcp] [--markdown]

Boxes, towers and heaps with random velocities are solved from nothing (the hard case: a real
run starts each step at the last one's impulses) and again from their own solution after a
change of all free velocities by a thousandth (what a resting or sliding scene looks like).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

from polhode import contact_problem as contact
from polhode.contact_problem.solve import solve, solve_convex, solve_lcp

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from contact import solver_problems as problems

MUS = (0.1, 0.5, 1.0)
SOLVERS = {"exact": solve, "convex": solve_convex, "lcp": solve_lcp}  # those that check nothing
BOXES, TOWERS, HEAPS = (4, 8, 16, 32, 64), (1, 2, 4, 8, 16), (20, 60, 100)
CASES = {
    **{f"box on {n} points": lambda r, mu, n=n: problems.flat(r, n, mu=mu) for n in BOXES},
    **{f"tower of {n}": lambda r, mu, n=n: problems.tower(r, n, mu=mu) for n in TOWERS},
    **{f"heap of {n} spheres": lambda r, mu, n=n: problems.pile(r, n, mu=mu) for n in HEAPS},
}
SMALL = ("box on 4 points", "box on 8 points", "tower of 1", "tower of 2")


def timed(solver, rows, x0, settings):
    """(best of three in microseconds, impulses, report)."""
    best = np.inf
    for _ in range(3):
        x, v, report = x0.copy(), np.empty(len(rows.free)), contact.Report()
        start = perf_counter()
        solver(rows, x, v, settings, report)
        best = min(best, perf_counter() - start)
    return 1e6 * best, x, report


def measure(make, count, solver, settings):
    """Contacts, share solved, and times cold and warm: median and 95th percentile."""
    rng = np.random.default_rng(1)
    cold, warm, solved, stages = [], [], 0, []
    for i in range(count):
        rows = make(rng, MUS[i % 3])
        time, x, report = timed(solver, rows, np.zeros(len(rows.bias)), settings)
        cold.append(time)
        solved += report.unconverged == 0
        stages.append(report.stage)
        next_step = rows._replace(free=rows.free * (1 + 1e-3 * rng.normal(size=len(rows.free))))
        warm.append(timed(solver, next_step, x, settings)[0])
    times = [*np.percentile(cold, [50, 95]), *np.percentile(warm, [50, 95])]
    return len(rows.kind), solved, int(max(stages)), times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--method", choices=list(SOLVERS), default="exact")
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    start = perf_counter()
    settings = contact.solver_settings()
    solver = SOLVERS[arguments.method]
    timed(solver, problems.flat(np.random.default_rng(0), 4), np.zeros(12), settings)
    print(f"ready after {perf_counter() - start:.2f} s", file=sys.stderr)
    cases = CASES if arguments.method != "lcp" else {name: CASES[name] for name in SMALL}
    if arguments.markdown:
        print("| problem | contacts | solved | cold: median, p95 (us) | warm: median, p95 (us) |")
        print("|---|---|---|---|---|")
    for name, make in cases.items():
        contacts, solved, stage, times = measure(make, arguments.count, solver, settings)
        if arguments.markdown:
            cells = [name, contacts, f"{solved}/{arguments.count}"]
            cells += ["{:.0f}, {:.0f}".format(*times[:2]), "{:.0f}, {:.0f}".format(*times[2:])]
            print("| " + " | ".join(map(str, cells)) + " |")
        else:
            print(
                f"{name:20s} {contacts:4d} contacts  solved {solved}/{arguments.count}"
                "  cold {:7.0f} {:7.0f}  warm {:7.0f} {:7.0f} us".format(*times),
                f" highest stage {stage}",
                flush=True,
            )


if __name__ == "__main__":
    main()
