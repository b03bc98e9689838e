"""Find the gains of an arm's controller by trying a grid of them.

    python examples/sweeps/gain_tuning.py [--side 10] [--workers N] [--output FOLDER]

The arm that ships with polhode goes from one pose to another under springs and dampers in its
joints.  Its motors have limited torques.  Each task is one pair of gains.  Its results are the
settling time, the overshoot and the work.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.examples import path

GOAL = np.array([0.8, -0.6, 0.9, 0.4, -0.5, 0.3])
DURATION, SAMPLE, NEAR = 1.5, 2e-3, 0.01


def arm() -> ph.Model:
    return ph.load(path("arm.urdf"))


def response(stiffness: float, damping: float) -> dict[str, float]:
    """One motion, with both gains in proportion to what each joint moves."""
    model = arm()
    weight = np.diag(ph.mass_matrix(model, GOAL))
    limit = 40.0 * np.sqrt(weight)

    def motors(t: float, state) -> np.ndarray:
        pull = stiffness * (GOAL - state.q) - damping * state.qd
        lift = ph.gravity_forces(model, state.q)
        return lift + np.clip(weight * pull, -limit, limit)

    held = ph.simulation.zero_order_hold(motors, SAMPLE)
    run = ph.simulate(model, DURATION, dt=SAMPLE, controller=held, record=SAMPLE, progress=False)
    error = np.abs(run.q - GOAL).max(axis=1)
    away = np.flatnonzero(error > NEAR)
    settled = float(run.times[away[-1]]) if len(away) else 0.0
    past = ((run.q - GOAL) * np.sign(GOAL)).max()
    return {"settling": settled, "overshoot": max(past, 0.0), "work": float(run.work[-1])}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--side", type=int, default=10, help="values of each gain")
    parser.add_argument("--workers", type=int, help="processes (all processors)")
    parser.add_argument("--output", type=Path, help="a folder for the figure")
    options = parser.parse_args()

    tasks = ph.sweeps.grid(stiffness=np.geomspace(50.0, 5000.0, options.side),
                    damping=np.geomspace(5.0, 300.0, options.side))  # fmt: skip
    result = ph.sweep(response, tasks, workers=options.workers)
    print(result)
    good = np.flatnonzero(result["overshoot"] < 0.01)
    best = good[np.argmin(result["settling"][good])]
    gains, found = result.parameters[best], result.results[best]
    print(f"settles in {found['settling']:.3f} s without overshoot at stiffness "
          f"{gains['stiffness']:.0f} and damping {gains['damping']:.1f}")  # fmt: skip
    ratio = gains["damping"] / (2.0 * np.sqrt(gains["stiffness"]))
    print(f"that is {ratio:.2f} of what is critical for a joint alone")
    if options.output is not None:
        draw(result, options.side, options.output / "gain_tuning.svg")


def draw(result: ph.sweeps.SweepResult, side: int, path: Path) -> None:
    """Settling times over both gains."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    table = result.table()
    x, y, z = (table[n].reshape(side, side) for n in ("stiffness", "damping", "settling"))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    mesh = axes.pcolormesh(x, y, z, shading="nearest")
    axes.set(xscale="log", yscale="log", xlabel="stiffness [1/s^2]", ylabel="damping [1/s]")
    axes.plot(x[:, 0], 2.0 * np.sqrt(x[:, 0]), color="white", label="critical for a joint alone")
    axes.legend(facecolor="gray", labelcolor="white")
    figure.colorbar(mesh, label="settling time [s]")
    figure.savefig(path)
    print(f"wrote {os.fspath(path)}")


if __name__ == "__main__":
    main()
