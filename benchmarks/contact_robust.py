"""Random scenes with bad starts, 2 s each: what fails, what is not solved, what falls through.

    python benchmarks/contact_robust.py [--first 0] [--last 1000] [--every 1] [-o results.jsonl]

A line of JSON for each scene; a summary at the end, also of a file that is there already
(``--summary``).  A scene that has not ended after ``--limit`` seconds of computing is left.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import process_time

import numpy as np

import polhode as ph

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from contact.random_scenes import SIDE, scene

STEP, DURATION, CHUNK = 1e-3, 2.0, 50
DEPTH = 0.35  # of a height map below nought, and a margin [m]


def run(seed: int, limit: float, method: str) -> dict:
    """Simulate the scene of a seed; what came of it."""
    random = scene(seed)
    result, began = {"seed": seed, "name": random.name}, process_time()
    try:
        simulator = ph.TimeSteppingSimulator(random, dt=STEP, contact=method, start="keep")
        for _ in range(round(DURATION / STEP / CHUNK)):
            simulator.advance(STEP, CHUNK)
            if process_time() - began > limit:
                result["left"] = simulator.current_time
                break
        q, qd = simulator.state
        places = centres(random.model, q)
        inside = (np.abs(places[:, :2]) < SIDE / 2 - 1).all(axis=1)
        result["lowest"] = float(places[inside, 2].min(initial=np.inf))
        result["is_finite"] = bool(np.isfinite(q).all() and np.isfinite(qd).all())
        result |= simulator.report
    except Exception as error:
        result["error"] = f"{type(error).__name__}: {error}"
    result["seconds"] = process_time() - began
    return result


def centres(model: ph.Model, q: np.ndarray) -> np.ndarray:
    """Centres of mass: the origin of a body may lie outside its surface."""
    bodies = [model.body(i + 1).body for i in range(model.n_bodies)]
    poses = ph.body_poses(model, q)
    pairs = [(T, b) for T, b in zip(poses, bodies, strict=True) if b.mass]
    return np.array([T[:3, :3] @ b.com + T[:3, 3] for T, b in pairs])


def summary(results: list[dict]) -> str:
    """What to say of many scenes."""
    solves = sum(r.get("solves", 0) for r in results)
    unsolved = sum(r.get("unconverged", 0) for r in results)
    relaxed = sum(r.get("relaxed", 0) for r in results)
    slack = max((r.get("slack", 0.0) for r in results), default=0.0)
    failed = [r for r in results if "error" in r or not r.get("is_finite", True)]
    low = [r["seed"] for r in results if r.get("lowest", 0.0) < -DEPTH]
    left = [r["seed"] for r in results if "left" in r]
    seconds = sum(r["seconds"] for r in results)
    share, relaxed_share = 100 * unsolved / max(solves, 1), 100 * relaxed / max(solves, 1)
    clean = sum(r.get("unconverged") == 0 for r in results)
    soft = sum(r.get("slack", 0.0) > 1e-6 for r in results)
    deepest = max((r.get("penetration", 0.0) for r in results), default=0.0)
    loops = [r["loop_error"] for r in results if r.get("loop_error", 0.0) > 1e-4]
    slowest = max((r["seconds"] for r in results), default=0.0)
    steps = 100 * unsolved / max(sum(r.get("steps", 0) for r in results), 1)
    lines = [
        f"{len(results)} scenes, {solves} contact problems in {seconds:.0f} s",
        f"not solved below the tolerance: {unsolved} ({share:.3f} %; {steps:.3f} % of the steps);"
        f" none in {clean} scenes",
        f"solved with compliant constraints: {relaxed} ({relaxed_share:.3f} %),"
        f" slack {slack:.2g} m/s; more than 1e-6 m/s in {soft} scenes",
        f"deepest overlap {deepest:.2g} m; loops open by more than 1e-4 m in {len(loops)} scenes,"
        f" by {max(loops, default=0.0):.2g} m; slowest scene {slowest:.0f} s",
        f"errors: {len(failed)}; left for their time: {len(left)} {left}; under the floor: {low}",
    ]  # fmt: skip
    lines += [f"  {r['name']}: {r.get('error', 'not finite')}" for r in failed]
    worst = sorted(results, key=lambda r: -r.get("unconverged", 0))[:10]
    lines += [f"  {r.get('unconverged')} of {r.get('solves')}: {r['name']}" for r in worst]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=1000)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--method", default="exact")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("-o", "--output", type=Path, default=Path("robust.jsonl"))
    options = parser.parse_args()
    if not options.summary:
        with options.output.open("a", encoding="utf-8") as file:
            for seed in range(options.first, options.last, options.every):
                result = run(seed, options.limit, options.method)
                file.write(json.dumps(result) + "\n")
                file.flush()
    lines = options.output.read_text(encoding="utf-8").splitlines()
    print(summary([json.loads(line) for line in lines]))


if __name__ == "__main__":
    main()
