"""Derivatives of steps with contact, beside MuJoCo's finite differences in one run.

    python benchmarks/step_derivatives.py [--worlds 64] [--repeats 5]

The table of docs/benchmarks.md.  Robots of Gymnasium's files have fallen and moved for 150 steps of
2 ms under random controls.  ``mjd_transitionFD`` takes forward differences of MuJoCo's step, in the
states that MuJoCo is in after as many steps.  The column ``reverse`` is of `vjp`, of one weighted
sum.  Needs mujoco, and gymnasium's files.
"""

from __future__ import annotations

import argparse
import sysconfig
import warnings
from functools import partial
from pathlib import Path
from time import process_time

import mujoco
import numpy as np

import polhode as ph

STEP, STEPS, EPS = 2e-3, 150, 1e-6
ROBOTS = ("hopper", "half_cheetah", "walker2d", "ant", "humanoid")
ASSETS = Path(sysconfig.get_paths()["purelib"]) / "gymnasium/envs/mujoco/assets"


def best(function, repeats: int) -> float:
    """The least processor time of some calls [s]."""
    times = []
    for _ in range(repeats):
        begun = process_time()
        function()
        times.append(process_time() - begun)
    return min(times)


def of_mujoco(path: Path, worlds: int, repeats: int) -> tuple[float, float]:
    """Processor time of a step, and of its derivatives [s]."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep, model.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_EULER
    rng, n = np.random.default_rng(2), 2 * model.nv + model.na
    A, B = np.zeros((n, n)), np.zeros((n, model.nu))
    steps, derivatives = [], []
    for _ in range(min(worlds, 8)):
        data = mujoco.MjData(model)
        data.qvel[:], data.ctrl[:] = 0.3 * rng.standard_normal(model.nv), rng.uniform(-0.3, 0.3)
        for _ in range(STEPS):
            mujoco.mj_step(model, data)
        derivatives.append(best(
            lambda data=data: mujoco.mjd_transitionFD(model, data, EPS, False, A, B, None, None),
            repeats,
        ))  # fmt: skip
        steps.append(best(lambda data=data: mujoco.mj_step(model, data), repeats))
    return float(np.mean(steps)), float(np.mean(derivatives))


def missed(step: ph.simulation.CompiledStep, q, qd, u) -> tuple[float, float]:
    """Median and greatest of the errors of velocities by velocities, where differences agree."""
    A, _ = step.derivatives(q, qd, u)
    there, errors = step(q, qd, u).qd, []
    nv = qd.shape[1]
    for k in range(nv):
        change = EPS * np.eye(nv)[k]
        up = (step(q, qd + change, u).qd - there) / EPS
        down = (there - step(q, qd - change, u).qd) / EPS
        mean = 0.5 * (up + down)
        scale = np.maximum(1.0, np.abs(mean).max(axis=1))
        is_smooth = np.abs(up - down).max(axis=1) < 1e-4 * scale
        errors += list((np.abs(A[:, nv:, nv + k] - mean).max(axis=1) / scale)[is_smooth])
    return float(np.median(errors)), float(np.quantile(errors, 0.98))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    ph.set_num_threads(1)
    print("| robot | step [us] | derivatives [us] | in steps | reverse [us] | MuJoCo, step [us] "
          "| differences [us] | ratio | median error | 98 % below |")  # fmt: skip
    print("| --- |" + " ---: |" * 9)
    for name in ROBOTS:
        path, n, rng = ASSETS / f"{name}.xml", options.worlds, np.random.default_rng(2)
        scene = ph.load(path)
        step = ph.compile_step(scene, dt=STEP)
        u = rng.uniform(-0.3, 0.3, (n, scene.n_controls))
        qd = 0.3 * rng.standard_normal((n, scene.model.nv))
        controls = np.repeat(u[:, None], STEPS, axis=1)
        run = ph.rollout(scene, qd=qd, controls=controls, steps=STEPS, dt=STEP)
        state = run.q[-1], run.qd[-1], u
        step.derivatives(*state)
        weights = dict(zip(("weight_q", "weight_qd"), rng.standard_normal((2, *qd.shape)),
                           strict=True))  # fmt: skip
        of_sum = partial(step.vjp, **weights)
        of_sum(*state)
        ours = [best(lambda f=f, s=state: f(*s), options.repeats) / n * 1e6
                for f in (step, step.derivatives, of_sum)]  # fmt: skip
        theirs = [1e6 * x for x in of_mujoco(path, n, options.repeats)]
        median, most = missed(step, *state)
        print(f"| {name} | {ours[0]:.3g} | {ours[1]:.3g} | {ours[1] / ours[0]:.2g} | "
              f"{ours[2]:.3g} | {theirs[0]:.3g} | {theirs[1]:.3g} | "
              f"**{theirs[1] / ours[1]:.3g}** | {median:.0e} | {most:.0e} |",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
