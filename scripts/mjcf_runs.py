"""Run MJCF files under random controls, and print how each run went; fail if one did not go well.

``python scripts/mjcf_runs.py FILE ... [--seconds 5] [--integrator event_driven ...]``; without
files those of Gymnasium, if it is installed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import polhode as ph

STEP = 0.002  # s
HELD = 0.02  # s, how long controls stay the same
DEEPEST = 1e-3  # m, the penetration that may be


def gymnasium_files() -> list[Path]:
    """The models of Gymnasium; none where it is not installed."""
    found = find_spec("gymnasium")
    if found is None or found.origin is None:
        return []
    return sorted((Path(found.origin).parent / "envs/mujoco/assets").glob("*.xml"))


def run(path: Path, seconds: float, integrator: str) -> ph.Recording:
    """A run under controls that are uniform in their ranges, or from -1 to 1."""
    scene = ph.load(path)
    ranges = np.array([each for actuator in scene.actuators for each in actuator.control_range])
    low, high = ranges.reshape(-1, 2).T
    low, high = np.where(np.isfinite(low), low, -1.0), np.where(np.isfinite(high), high, 1.0)
    rng = np.random.default_rng(3)
    values = rng.uniform(low, high, (round(seconds / HELD) + 1, scene.n_controls))
    return ph.simulate(
        scene, seconds, dt=STEP, integrator=integrator, start="settle",
        controls=(lambda t, state: values[int(t / HELD + 1e-6)]) if scene.n_controls else None,
    )  # fmt: skip


def fault(recording: ph.Recording) -> str:
    """What is wrong with a run; empty if nothing is."""
    if not all(np.isfinite(x).all() for x in (recording.q, recording.qd)):
        return "not finite"
    depth = recording.audit.penetration
    return "" if depth <= DEEPEST else f"{depth:.2g} m deep"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--integrator", nargs="+", default=["event_driven"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = 0
    for path in options.files or gymnasium_files():
        for integrator in options.integrator:
            began = time.perf_counter()
            try:
                found = fault(run(path, options.seconds, integrator))
            except Exception as error:  # whatever it is, the run did not go well
                found = f"{type(error).__name__}: {error}"
            failed += bool(found)
            took = time.perf_counter() - began
            print(f"{path.stem:28}{integrator:14}{took:7.1f} s  {found or 'good'}", flush=True)
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
