"""The exact solver without each stage and each threshold: what is not solved then, and how fast.

    python benchmarks/contact_record.py -o islands.npz
    python benchmarks/contact_stages.py islands.npz [--every 1] [--only PATTERN]

The problems are those that sweeps do not solve: recorded islands, the hard problems of the
tests, and the random problems of `contact_solver.py`.  A variant is a copy of the solver in which
some lines of ``thresholds.py`` are replaced.  All variants solve each problem one after the other,
in one process; times are processor times, relative to the solver as it is.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import sys
from pathlib import Path
from time import thread_time
from types import ModuleType
from typing import NamedTuple

import contact_solver
import numpy as np
from contact_islands import StoredProblem, load_problems

import polhode.contact_problem
from polhode.contact_problem import thresholds

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from contact.solver_problems import kept_problems

SOURCE = Path(polhode.contact_problem.__file__).parent
MANY = 10**9
DEFAULT = np.array([6, 2000, 1])  # stages, last sweeps, whether rows may be relaxed
STAGE_NAMES = {
    number: name.lower().replace("_", " ")
    for name, number in vars(thresholds).items()
    if isinstance(number, int) and name in ("NEWTON", "DE_SAXCE", "STEADY", "SMALL_PROX",
                                            "PROXIMAL", "LEMKE")
}  # fmt: skip
# What replaces each threshold where it is left out.
NEUTRAL = {
    "STILL": 0.0, "NEAR": 0.0, "SWEEPS_BETWEEN": 0, "MOST_SWEPT": MANY,
    "PROX": 1e-3, "PROX_FALL": 1.0, "PROX_RISE": 1.0, "HALVINGS": 0, "IDLE": 1.0,
    "MOST_WORK": MANY, "FEWEST_STEPS": 0, "STEADY_STEPS": 50, "STEADY_PROX": 1e-5,
    "SMALL_FIRST_PROX": 1e-5, "LEAST_PROX": 1e-6, "SMALL_PROX_STEPS": 1,
    "ROUNDS": 3, "ROUND_PROX": 1e-4, "ROUND_ENOUGH": np.inf, "ROUND_STEPS": MANY,
    "STIFFEST_PROX": 1e-3, "SHORTEST_STEP": 0.5, "POINT_STEPS": 1000, "POINTS": MANY,
    "MOST_FAILED": MANY,
    "FIRST_ALPHA": 1e-3, "LEAST_ALPHA": 0.0, "GREATEST_ALPHA": np.inf, "SHARE_OF_ALPHA": 1e-6,
    "INTERIOR_STEPS": 0, "STALLED_STEP": 0.0, "MOST_PAIRS": MANY, "TURNS": 1,
    "MOST_SLACK": 0.0,
}  # fmt: skip


class Outcome(NamedTuple):
    """What came of every problem with one variant: shape (n,) each."""

    seconds: np.ndarray
    is_unsolved: np.ndarray
    is_relaxed: np.ndarray


def variants() -> dict[str, dict[str, object]]:
    """Names of the variants, and the thresholds that each replaces."""
    out: dict[str, dict[str, object]] = {"all": {}, "all, again": {}}
    for stage in thresholds.STAGES:
        left = tuple(s for s in thresholds.STAGES if s != stage)
        out[f"no {STAGE_NAMES[stage]}"] = {"STAGES": left}
        if stage != thresholds.STAGES[0]:
            out[f"{STAGE_NAMES[stage]} first"] = {"STAGES": (stage, *left)}
    for i, compliance in enumerate(thresholds.COMPLIANCES):
        out[f"no compliance {compliance:g}"] = {
            "COMPLIANCES": thresholds.COMPLIANCES[:i] + thresholds.COMPLIANCES[i + 1 :]
        }
    known = {name: value for name, value in NEUTRAL.items() if hasattr(thresholds, name)}
    return out | {f"{name} = {value:g}": {name: value} for name, value in known.items()}


def loaded(number: int, replaced: dict[str, object], folder: Path) -> ModuleType:
    """A copy of the solver in which some thresholds are replaced."""
    name = "_".join(f"{k}_{v}" for k, v in replaced.items()) or f"all_{number}"
    name = "variant_" + re.sub(r"\W+", "_", name)
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(SOURCE, target, ignore=shutil.ignore_patterns("__pycache__"))
    path = target / "thresholds.py"
    text = path.read_text(encoding="utf-8")
    for threshold, value in replaced.items():
        value = "float('inf')" if value == np.inf else repr(value)
        text, count = re.subn(rf"(?m)^{threshold} = .*$", f"{threshold} = {value}", text)
        assert count == 1, threshold
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(
        f"polhode.{name}", target / "__init__.py", submodule_search_locations=[str(target)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def random_problems(count: int) -> list[StoredProblem]:
    """Those of `contact_solver`, from nothing."""
    out = []
    for make in contact_solver.CASES.values():
        rng = np.random.default_rng(1)
        for i in range(count):
            rows = make(rng, contact_solver.MUS[i % 3])
            out.append(
                StoredProblem(rows, np.zeros(len(rows.kind)), np.zeros(len(rows.bias)), DEFAULT)
            )
    return out


def solve(solver: ModuleType, problem: StoredProblem) -> tuple[float, bool, bool]:
    """(processor time, whether unsolved, whether relaxed)."""
    stages, last_sweeps, may_relax, chooses = problem.settings
    settings = solver.solver_settings(
        stages=int(stages),
        last_sweeps=int(last_sweeps),
        may_relax=bool(may_relax),
        chooses=bool(chooses),
    )
    x, v = problem.start.copy(), np.empty(len(problem.rows.free))
    rows, report = solver.ConstraintRows(*problem.rows), solver.Report()
    began = thread_time()
    solver.impact(rows, problem.restitution, x, v, settings, report)
    return thread_time() - began, report.unconverged > 0, report.relaxed > 0


def measured(solvers: dict[str, ModuleType], problems: list[StoredProblem]) -> dict[str, Outcome]:
    """Every problem, solved by every variant."""
    for solver in solvers.values():
        solve(solver, problems[0])
    results = {name: [] for name in solvers}
    for i, problem in enumerate(problems):
        for name, solver in solvers.items():
            results[name].append(solve(solver, problem))
        if i % 100 == 99:
            print(f"{i + 1} of {len(problems)}", file=sys.stderr, flush=True)
    return {name: Outcome(*map(np.array, zip(*r, strict=True))) for name, r in results.items()}


def table(outcomes: dict[str, Outcome]) -> str:
    """A row for each variant."""
    base = next(iter(outcomes.values()))
    lines = [
        "| variant | unsolved | relaxed | median time | 95th percentile | total time |",
        "|---|---|---|---|---|---|",
    ]
    for name, o in outcomes.items():
        lost = int((o.is_unsolved & ~base.is_unsolved).sum())
        won = int((base.is_unsolved & ~o.is_unsolved).sum())
        ratios = [
            np.median(o.seconds) / np.median(base.seconds),
            np.percentile(o.seconds, 95) / np.percentile(base.seconds, 95),
            o.seconds.sum() / base.seconds.sum(),
        ]
        cells = [name, f"{o.is_unsolved.sum()} (+{lost} -{won})", str(o.is_relaxed.sum())]
        lines.append("| " + " | ".join(cells + [f"{r:.2f}" for r in ratios]) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("islands", type=Path, nargs="?")
    parser.add_argument("--every", type=int, default=1, help="take every n-th problem")
    parser.add_argument("--random", type=int, default=20, help="random problems of each kind")
    parser.add_argument("--only", default="", help="pattern of the variants' names")
    parser.add_argument("--folder", type=Path, default=Path("build/contact-variants"))
    parser.add_argument("--raw", type=Path, help="write all outcomes to this file (npz)")
    options = parser.parse_args()
    kept = kept_problems("hard_problems.npz") + kept_problems("relaxed_problems.npz")
    problems = [StoredProblem(*arguments, DEFAULT) for arguments in kept]
    more = random_problems(options.random)
    if options.islands:
        more += load_problems(options.islands)
    problems += more[:: options.every]
    chosen = {
        name: replaced for name, replaced in variants().items()
        if name == "all" or re.search(options.only, name)
    }  # fmt: skip
    solvers = {
        name: loaded(i, replaced, options.folder.resolve())
        for i, (name, replaced) in enumerate(chosen.items())
    }
    outcomes = measured(solvers, problems)
    if options.raw:
        np.savez(options.raw, **{n: np.array(o, float) for n, o in outcomes.items()})
    seconds = next(iter(outcomes.values())).seconds
    print(f"{len(problems)} problems; all stages: median {1e3 * np.median(seconds):.3f} ms, "
          f"95th percentile {1e3 * np.percentile(seconds, 95):.2f} ms, "
          f"total {seconds.sum():.1f} s\n")  # fmt: skip
    print(table(outcomes))


if __name__ == "__main__":
    main()
