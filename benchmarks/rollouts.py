"""Independent worlds with contact on all processors, here and in MuJoCo, in one run.

    python benchmarks/rollouts.py [--worlds 64] [--steps 1000] [--step 2e-3] [--only boxes]

Both sides step the same machines from the same starts with the same time step, each with its
own contact model at its default accuracy; MuJoCo's worlds run in its ``rollout``.  The arm moves
without contact, by the same semi-implicit rule on both sides.  Robots of gymnasium, where it is
installed, move under random controls, in lanes (`integrator="moreau"`).  A step of one world is
what is counted.  That the bits do not depend on the number of threads is checked on the way, and
that both sides end alike: the arm at the same angles, the others at similar heights.

mjbatch stands beside them where it is installed, and has to end with the bits of MuJoCo's
``rollout``.  It needs another MuJoCo than the tests: give it an environment of its own,

    pip install mjbatch . && pip install --no-deps gymnasium
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import mujoco
import numpy as np
from mujoco import rollout as peer
from rollout_scenes import BOXES, MU, boxes, legged, place_of

import polhode as ph
from polhode.scene import Scene

sys.path.insert(0, str(files("polhode") / "examples" / "sweeps"))
from random_terrain import FOOT, SHANK, STANCE, THIGH

HELD = 10  # steps of the same controls
HEAD = """<mujoco><option timestep="{step}"/><worldbody>
<geom type="plane" size="9 9 .1" friction="{mu} 0 0" condim="3"/>
{bodies}</worldbody></mujoco>"""


class Case(NamedTuple):
    """Something to step: our call, MuJoCo's model and starts, and whether ends differ."""

    name: str
    worlds: int
    steps: int
    ours: Callable[[], np.ndarray]
    model: mujoco.MjModel
    states: np.ndarray
    differ: Callable[[np.ndarray, np.ndarray], bool]
    controls: np.ndarray | None = None


def falling_boxes() -> tuple[Scene, str]:
    """The boxes, and their bodies in MJCF."""
    bodies = ""
    for k, size in enumerate(BOXES):
        half = " ".join(str(x / 2) for x in size)
        place = " ".join(map(str, place_of(k)))
        bodies += (
            f'<body pos="{place}"><freejoint/><geom type="box" '
            f'size="{half}" density="500" friction="{MU} 0 0"/></body>\n'
        )
    return boxes(), bodies


def falling_legged() -> tuple[Scene, str]:
    """The robot, and its bodies in MJCF."""
    legs = ""
    for x in (0.3, -0.3):
        for y in (0.15, -0.15):
            legs += (
                f'<body pos="{x} {y} 0"><joint axis="0 1 0"/><inertial pos="0 0 {-THIGH / 2}" '
                f'mass="0.8" diaginertia="0.005 0.005 0.001"/><body pos="0 0 {-THIGH}">'
                f'<joint axis="0 1 0"/><inertial pos="0 0 {-SHANK / 2}" mass="0.4" '
                f'diaginertia="0.003 0.003 0.001"/><geom type="sphere" size="{FOOT}" '
                f'pos="0 0 {-SHANK}" friction="{MU} 0 0"/></body></body>\n'
            )
    trunk = (
        '<body pos="0 0 0.6"><freejoint/>'
        '<inertial pos="0 0 0" mass="10" diaginertia="0.2 0.6 0.7"/>'
        f'<geom type="box" size="0.35 0.15 0.075" friction="{MU} 0 0"/>\n{legs}</body>'
    )
    return legged(), trunk


def falling(
    options: argparse.Namespace, make: Callable[[], tuple[Scene, str]], integrator: str
) -> Case:
    """Worlds of a scene with small random velocities; both sides turn free bodies alike."""
    scene, bodies = make()
    text = HEAD.format(step=options.step, mu=MU, bodies=bodies)
    model = mujoco.MjModel.from_xml_string(text)
    qd = 0.2 * np.random.default_rng(0).normal(size=(options.worlds, scene.model.nv))
    q = np.array(mujoco.MjData(model).qpos)
    q[7:] = STANCE if scene.name == "legged" else q[7:]

    def ours() -> np.ndarray:
        motion = ph.rollout(
            scene, qd=qd, steps=options.steps, dt=options.step, integrator=integrator
        )
        return motion.q[-1]

    def differ(ends: np.ndarray, peers: np.ndarray) -> bool:
        return abs(ends[:, 2].mean() - peers[:, 3].mean()) > 0.1

    name = scene.name + (", lanes" if integrator == "moreau" else "")
    return Case(name, options.worlds, options.steps, ours, model, states_of(model, q, qd), differ)


def controlled(options: argparse.Namespace, name: str, path: Path) -> Case:
    """Worlds of an MJCF file under the same random controls, held for some steps, in lanes."""
    scene, model = ph.load(path), mujoco.MjModel.from_xml_path(str(path))
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    count, steps = 4 * options.worlds, 300
    rng = np.random.default_rng(5)
    start, qd = mujoco.MjData(model).qpos, 0.1 * rng.normal(size=(count, model.nv))
    u = rng.uniform(-0.5, 0.5, (count, steps // HELD, model.nu)).repeat(HELD, 1)
    own = np.zeros_like(qd)
    for k, joint in enumerate(scene.model.joints):
        entries = np.arange(scene.model.nv)[joint.v]
        own[:, entries] = qd[:, model.jnt_dofadr[k] : model.jnt_dofadr[k] + len(entries)]

    def ours() -> np.ndarray:
        motion = ph.rollout(scene, qd=own, controls=u, steps=steps, dt=model.opt.timestep,
                            integrator="moreau")  # fmt: skip
        return motion.q[-1]

    def differ(ends: np.ndarray, peers: np.ndarray) -> bool:
        if model.jnt_type[0] != mujoco.mjtJoint.mjJNT_FREE:
            return False
        return abs(ends[:, 2].mean() - peers[:, 3].mean()) > 0.2

    states = states_of(model, start, qd)
    return Case(name, count, steps, ours, model, states, differ, u)


def robot_files() -> dict[str, Path]:
    """MJCF files of robots by name, of those of gymnasium and dm_control that are installed."""
    found = {}
    names = ("half_cheetah", "hopper", "walker2d", "ant", "humanoid")
    for package, folder, named in (
        ("gymnasium", "envs/mujoco/assets", {name: f"{name}.xml" for name in names}),
        ("dm_control", "suite", {"humanoid of dm_control": "humanoid.xml"}),
    ):
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            home = Path(spec.origin).parent / folder
            found.update({name: home / file for name, file in named.items()})
    return found


def swinging(options: argparse.Namespace) -> Case:
    """The shipped arm without forces, from random poses."""
    path = str(files("polhode") / "examples" / "arm.urdf")
    arm, model = ph.load(path), mujoco.MjModel.from_xml_path(path)
    model.opt.timestep = options.step
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
    # Few steps of many worlds: undamped, it would leave what so simple a rule can follow.
    count, steps = 64 * options.worlds, min(200, options.steps)
    q = 0.3 * ph.random_configuration(arm, np.random.default_rng(0), size=(count,))
    qd = np.zeros((count, arm.nv))

    def ours() -> np.ndarray:
        motion = ph.rollout(
            arm, q=q, qd=qd, steps=steps, dt=options.step, integrator="semi_implicit"
        )
        return motion.q[-1]

    def differ(ends: np.ndarray, peers: np.ndarray) -> bool:
        short = 20  # steps; later the motion is chaotic
        few = ph.rollout(arm, q=q[:8], qd=qd[:8], steps=short, dt=options.step,
                         integrator="semi_implicit").q[-1]  # fmt: skip
        states, _ = peer.rollout(model, [mujoco.MjData(model)], states_of(model, q[:8], qd[:8]),
                                 nstep=short)  # fmt: skip
        return bool(np.abs(few - states[:, -1, 1 : 1 + arm.nq]).max() > 1e-6)

    return Case("arm", count, steps, ours, model, states_of(model, q, qd), differ)


def states_of(model: mujoco.MjModel, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Starts as MuJoCo wants them: time, positions, velocities."""
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    states = np.zeros((len(qd), size))
    states[:, 1 : 1 + model.nq], states[:, 1 + model.nq : 1 + model.nq + model.nv] = q, qd
    return states


def timed(work: Callable[[], np.ndarray], repeats: int) -> tuple[float, float, np.ndarray]:
    """Best wall time and best processor time of some runs, and what they gave."""
    walls, cpus, out = [], [], np.zeros(0)
    for _ in range(repeats):
        wall, cpu = perf_counter(), process_time()
        out = work()
        walls.append(perf_counter() - wall)
        cpus.append(process_time() - cpu)
    return min(walls), min(cpus), out


def batched(case: Case, n: int) -> Callable[[], np.ndarray] | None:
    """The same worlds in mjbatch; None where it is not installed, or cannot take the case."""
    if find_spec("mjbatch") is None:
        return None
    from mjbatch import Batch

    model, nq = case.model, case.model.nq
    batch = Batch(model, num_sims=case.worlds, num_threads=n)
    q, qd, ctrl = (batch.bind(name) for name in ("qpos", "qvel", "ctrl"))

    def work() -> np.ndarray:
        batch.reset()
        q[:], qd[:] = case.states[:, 1 : 1 + nq], case.states[:, 1 + nq : 1 + nq + model.nv]
        if case.controls is None:
            batch.step(nstep=case.steps)
        else:
            for k in range(0, case.steps, HELD):
                ctrl[:] = case.controls[:, k]
                batch.step(nstep=HELD)
        return np.hstack([np.zeros((case.worlds, 1)), q, qd])

    return work


def measure(case: Case, n: int, options: argparse.Namespace) -> tuple[list[float], np.ndarray]:
    """Microseconds for a step of a world: wall and processor, here, in MuJoCo and in mjbatch."""
    ph.set_num_threads(n)
    datas = [mujoco.MjData(case.model) for _ in range(n)]

    def theirs() -> np.ndarray:
        return peer.rollout(case.model, datas, case.states, case.controls, nstep=case.steps)[0][
            :, -1
        ]

    case.ours()  # compiles
    wall, cpu, ends = timed(case.ours, options.repeats)
    peer_wall, peer_cpu, peer_ends = timed(theirs, options.repeats)
    assert not case.differ(ends, peer_ends)
    total = case.worlds * case.steps
    times = [wall, peer_wall, cpu, peer_cpu]
    another = batched(case, n)
    if another is not None:
        batch_wall, batch_cpu, batch_ends = timed(another, options.repeats)
        assert np.array_equal(batch_ends[:, 1:], peer_ends[:, 1 : batch_ends.shape[1]])
        times += [batch_wall, batch_cpu]
    return [1e6 * x / total for x in times], ends


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--step", type=float, default=2e-3)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    between, edge = (" | ", "|") if options.markdown else ("  ", "")
    names = ["scene", "threads", "wall", "MuJoCo", "processor", "MuJoCo", "ratio of processor"]
    if find_spec("mjbatch") is not None:
        names += ["mjbatch, wall", "mjbatch, processor", "ratio of processor"]
    print(edge + between.join(f"{name:>9s}" for name in names) + edge)
    if options.markdown:
        print("| --- " + "| ---: " * (len(names) - 1) + "|")
    cases = [
        swinging(options),
        *(falling(options, make, integrator) for make in (falling_boxes, falling_legged)
          for integrator in ("event_driven", "moreau")),
        *(controlled(options, name, path) for name, path in robot_files().items()),
    ]  # fmt: skip
    for case in (case for case in cases if options.only in case.name):
        first = None
        for n in sorted({1, os.cpu_count() or 1}):
            times, ends = measure(case, n, options)
            first = ends if first is None else first
            assert ends.tobytes() == first.tobytes()
            numbers = [*times[:4], times[3] / times[2]]
            numbers += [*times[4:], times[5] / times[2]] if len(times) > 4 else []
            cells = [f"{case.name:>9s}", f"{n:9d}", *(f"{x:9.3g}" for x in numbers)]
            print(edge + between.join(cells) + edge, flush=True)
    print("times are microseconds for a step of one world")


if __name__ == "__main__":
    main()
