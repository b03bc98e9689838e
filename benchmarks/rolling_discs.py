"""Many discs rolling on the ground, here and in MuJoCo, on one core in one run.

    python benchmarks/rolling_discs.py [--worlds 4096] [--duration 1.5] [--step 5e-4]

Both sides step the same discs, 32 corners each, from the same starts with the same time
step; each has its own contact model.  MuJoCo runs ``--peer-worlds`` of them.  Steps of one
world are counted per second of processor time.
"""

from __future__ import annotations

import argparse
import os
from time import process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import polhode as ph
from polhode import spatial_v2 as sv
from polhode.spatial_v2.convert import floating_core

K, D, MU, NPOLY = 1e6, 2000.0, 0.1, 16

DISC = """
<mujoco>
  <option timestep="{step}"/>
  <asset><mesh name="disc" vertex="{vertices}"/></asset>
  <worldbody>
    <geom type="plane" size="5 5 .1" friction="{mu} 0 0"/>
    <body><freejoint/>
      <inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/>
      <geom type="mesh" mesh="disc" friction="{mu} 0 0"/>
    </body>
  </worldbody>
</mujoco>
"""


def starts(n: int) -> np.ndarray:
    """Discs 0.1 m up, thrown along x with different twists, as quaternion states."""
    twists = np.linspace(0.09, 0.27, n)
    return np.array([[*sv.rq(sv.rz(t)), 0, 0, 0.1, 0, 0, 0, 0.6, 0, 0] for t in twists], float)


def ours(x: np.ndarray, steps: int, step: float, method: str) -> tuple[float, float]:
    """Steps of one world per second, and the lowest centre at the end."""
    model = sv.rollingdisc(NPOLY)
    core = floating_core(model)
    ground = ph.contact.compliant_ground(
        K, D, MU, core, [(2, p) for p in model.gc.point.T.tolist()]
    )
    none = np.empty((len(x), 0))
    q, qd = ph.floating_base.floating_base_state(core, x, none, none)
    ph.rollout(core, ground, q[:64], qd[:64], steps=2, dt=step, integrator=method)  # compiles
    began = process_time()
    motion = ph.rollout(core, ground, q, qd, steps=steps, dt=step, integrator=method)
    return len(x) * steps / (process_time() - began), float(motion.q[-1, :, 2].min())


def mujocos(x: np.ndarray, steps: int, step: float) -> tuple[float, float]:
    """The same of MuJoCo, stepped in its own loop over worlds."""
    import mujoco
    from mujoco import rollout

    disc = sv.rollingdisc(NPOLY)
    I = disc.I[6]
    text = DISC.format(
        step=step, mu=MU, mass=I[5, 5], inertia=" ".join(map(str, np.diag(I)[:3])),
        vertices=" ".join(f"{v:.17g}" for v in disc.gc.point.T.ravel()),
    )  # fmt: skip
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    initial = np.zeros((len(x), size))
    for row, state in zip(initial, x, strict=True):
        mujoco.mj_resetData(model, data)
        data.qpos[:3], data.qpos[3:] = state[4:7], state[:4]
        data.qvel[:3] = state[10:] + np.cross(state[7:10], state[4:7])
        mujoco.mj_getState(model, data, row, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    began = process_time()
    states, _ = rollout.rollout(model, [data], initial, nstep=steps)
    seconds = process_time() - began
    height = 3 if size == 1 + model.nq + model.nv else size - model.nq - model.nv + 2
    return len(x) * steps / seconds, float(states[:, -1, height].min())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=4096)
    parser.add_argument("--peer-worlds", type=int, default=128)
    parser.add_argument("--duration", type=float, default=1.5)
    parser.add_argument("--step", type=float, default=5e-4)
    options = parser.parse_args()
    ph.set_num_threads(1)
    steps = round(options.duration / options.step)
    x = starts(options.worlds)
    peer, peer_height = mujocos(starts(options.peer_worlds), steps, options.step)
    print(
        f"{options.worlds} discs, {steps} steps of {options.step:g} s; steps of a world per second"
    )
    print(f"{'MuJoCo, its default method':32s} {peer:12.0f}         lowest {peer_height:.4f} m")
    for method in ("semi_implicit", "rk4"):
        rate, height = ours(x, steps, options.step, method)
        print(f"{'polhode, ' + method:32s} {rate:12.0f} {rate / peer:6.1f}x lowest {height:.4f} m")


if __name__ == "__main__":
    main()
