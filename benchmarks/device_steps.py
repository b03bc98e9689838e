"""Steps of worlds with contact on a CUDA device: their bits beside the processor's, and their rate.

    python benchmarks/device_steps.py [FILE ...] [--worlds 1024 8192 65536] [--steps 300]

Each file is a scene or a robot, as `polhode.load` reads it; `legged` and `boxes` are those of
`rollouts.py`.  The program of `polhode.compile_step` runs on both sides from the same
starts under the same random forces of actuators, held for ten steps.  A step that the program does
not solve stays as it is: on the processor, `polhode.rollout` would have the exact solver make it.
Needs a device and `cuda-bindings`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

import numpy as np
from rollout_scenes import boxes, legged

import polhode as ph
from polhode.algorithms.stepping.attempts import SOLVED
from polhode.compiler import Program
from polhode.scene import Scene

HELD = 10  # steps of the same controls
CHECKED = 256  # worlds whose bits are compared
WARM_UP = 3
OWN = {"legged": legged, "boxes": boxes}


class Worlds:
    """A step's program, starts of worlds, and their controls."""

    def __init__(self, scene: Scene, program: Program, n: int, dt: float):
        rng = np.random.default_rng(5)
        self.program, self.dt = program, np.float64(dt)
        self.names = list(program.inputs)
        self.n_state = self.names.index("tau")
        self.start = [np.zeros((n, *program.inputs[k])) for k in self.names[: self.n_state]]
        self.start[0][:] = scene.q0
        self.start[1][:] = 0.1 * rng.normal(size=self.start[1].shape)
        self.tau = np.zeros(program.inputs["tau"])
        self.controls = None
        if "controls" in self.names:
            self.controls = rng.uniform(-0.5, 0.5, (8, n, *program.inputs["controls"]))

    def held(self, step: int, controls: object) -> list:
        """What a step is given beside the state."""
        chosen = [] if controls is None else [controls[step // HELD % len(controls)]]
        return [self.tau, *chosen, self.dt]


def on_processor(worlds: Worlds, steps: int) -> tuple[list[np.ndarray], float]:
    """The state and the errors after so many steps; the share of steps that are not solved."""
    state, unsolved, n = [x.copy() for x in worlds.start], 0.0, worlds.n_state
    found: list[np.ndarray] = []
    for k in range(steps):
        found = list(worlds.program(*state, *worlds.held(k, worlds.controls)))
        state = found[:n]
        unsolved += float(np.mean(~(found[n] < SOLVED))) / steps
    return found, unsolved


class OnDevice:
    """The same worlds on a device, whose arrays each step overwrites."""

    def __init__(self, worlds: Worlds, kernel: ph.cuda.Kernel):
        self.worlds, self.kernel = worlds, kernel
        n, shapes = len(worlds.start[0]), kernel.program.output_shapes
        self.arrays = [_put(np.zeros((n, *shape)), kernel) for shape in shapes]
        for array, x in zip(self.arrays, worlds.start, strict=False):
            array.fill(x)
        given = worlds.controls
        self.controls = None if given is None else [_put(x, kernel) for x in given]
        self.tau, self.dt = _put(worlds.tau, kernel), _put(worlds.dt, kernel)

    def run(self, steps: int) -> None:
        """Make steps."""
        state, worlds, out = self.arrays[: self.worlds.n_state], self.worlds, tuple(self.arrays)
        for k in range(steps):
            _, *controls, _ = worlds.held(k, self.controls)
            self.kernel(*state, self.tau, *controls, self.dt, out=out)

    def wait(self) -> None:
        """Until the device has made them."""
        self.arrays[self.worlds.n_state].numpy()


def _put(x: np.ndarray, kernel: ph.cuda.Kernel) -> ph.cuda.DeviceArray:
    """A copy on the device, each entry of all states together."""
    core = x.ndim - 1
    steps = (1, len(x)) if core == 1 else None
    made = ph.cuda.DeviceArray(x.shape, x.dtype, kernel.device, 0, steps)
    made.fill(x)
    return made


def measure(name: str, scene: Scene, dt: float, options: argparse.Namespace) -> None:
    """Print a line for one scene."""
    program = ph.compile_step(scene).program
    few = Worlds(scene, program, CHECKED, dt)
    expected, unsolved = on_processor(few, options.steps)
    kernel = ph.cuda.compile(program, layout="columns", block=options.block)
    begun = perf_counter()
    device = OnDevice(few, kernel)
    device.run(options.steps)
    got = [x.numpy() for x in device.arrays]
    loaded = perf_counter() - begun
    differ = sum(
        int(np.sum(a.view(np.int64) != b.view(np.int64)))
        for a, b in zip(map(np.ascontiguousarray, expected), got, strict=True)
    )
    print(
        f"{name:16} bits {'equal' if not differ else f'DIFFER in {differ} numbers'} after"
        f" {options.steps} steps of {CHECKED} worlds, unsolved {unsolved:.4f}, with loading"
        f" {loaded:.1f} s;", end="", flush=True,
    )  # fmt: skip
    for n in options.worlds:
        device = OnDevice(Worlds(scene, program, n, dt), kernel)
        device.run(WARM_UP)
        device.wait()
        begun = perf_counter()
        device.run(options.steps)
        device.wait()
        rate = n * options.steps / (perf_counter() - begun)
        print(f" {n} worlds {rate:.3g}/s", end=";", flush=True)
    print(flush=True)


def main() -> None:
    """All scenes that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes", nargs="*", default=list(OWN), help="files, legged, boxes")
    parser.add_argument("--worlds", type=int, nargs="*", default=[1024, 8192, 65536])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--dt", type=float, default=2e-3)
    parser.add_argument("--block", type=int, default=64)
    options = parser.parse_args()
    for name in options.scenes:
        scene = OWN[name]() if name in OWN else ph.load(name)
        scene = scene if isinstance(scene, Scene) else Scene.of(scene)
        measure(Path(name).stem, scene, options.dt, options)


if __name__ == "__main__":
    main()
