"""Time of a step of large heaps beside MuJoCo, in one run: the table of docs/benchmarks.md.

    python benchmarks/contact_heaps.py [--quick] [--repeats 5] [--only tower] [--speed 1.0]

Towers that slide and that shake, a wall hit by a ball, falling dominoes, capsules and balls in a
pit; each at rest and moving.  All step on from the same kind of state, each library from its own,
again and again, in turn; the median processor time counts.  Step, friction and MuJoCo's settings
are those of `contact_mujoco.py`.  Ours is settled with the convex method and then with the one that
is timed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from time import process_time

import mujoco
import numpy as np
from contact_mujoco import MU, STEP, ground

import polhode as ph
from polhode.model import Box, Capsule, Sphere
from polhode.scene import Scene

Shape = Box | Capsule | Sphere
OWN_SETTLE = 50  # steps with the method that is timed, before it is


@dataclass(frozen=True)
class Body:
    """A free body at its start."""

    shape: Shape
    place: tuple[float, float, float]
    turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    mass: float = 1.0


@dataclass(frozen=True)
class Heap:
    """Bodies, and when they are timed.

    At rest: after ``settle`` steps.  Moving: from then on with the velocities of ``push`` (by
    number of the body: linear, angular) for ``lead`` steps; or, where nothing is pushed, ``lead``
    steps after the start, while all fall.
    """

    bodies: list[Body]
    settle: int
    lead: int
    push: dict[int, Sequence[float]] = field(default_factory=dict)
    pit: float = 0.0  # width of the square between walls, if there are any
    steps: int = 50

    def pushed(self, factor: float) -> Heap:
        """The same heap, with other velocities of what is pushed."""
        push = {k: [factor * v for v in velocity] for k, velocity in self.push.items()}
        return replace(self, push=push)

    @property
    def walls(self) -> list[tuple[Box, tuple[float, float, float]]]:
        """Of the pit."""
        if not self.pit:
            return []
        w, thick, high = self.pit, 1.0, 40.0
        out = 0.5 * (w + thick)
        along_y, along_x = Box((thick, w, high)), Box((w, thick, high))
        return [(along_y, (out, 0, 0)), (along_y, (-out, 0, 0)),
                (along_x, (0, out, 0)), (along_x, (0, -out, 0))]  # fmt: skip

    def scene(self) -> Scene:
        """For us."""
        scene = ground("heap")
        for k, (shape, place) in enumerate(self.walls):
            scene = scene.add_fixed(f"wall{k}", shape, position=place)
        for k, b in enumerate(self.bodies):
            scene = scene.add_body(
                f"b{k}", b.shape, mass=b.mass, position=b.place, quaternion=b.turn
            )
        return scene

    def world(self) -> str:
        """For MuJoCo."""
        text = '<geom type="plane" size="50 50 1"/>'
        for shape, place in self.walls:
            text += f'<geom {_geom(shape)} pos="{_numbers(place)}"/>'
        for b in self.bodies:
            text += (
                f'<body pos="{_numbers(b.place)}" quat="{_numbers(b.turn)}"><freejoint/>'
                f'<geom {_geom(b.shape)} mass="{b.mass}"/></body>'
            )
        return (
            f'<mujoco><option timestep="{STEP}"/><default><geom friction="{MU} 0 0" condim="3"/>'
            f"</default><worldbody>{text}</worldbody></mujoco>"
        )


def _numbers(values: Sequence[float]) -> str:
    return " ".join(map(str, values))


def _geom(shape: Shape) -> str:
    match shape:
        case Box(size):
            return f'type="box" size="{_numbers([0.5 * x for x in size])}"'
        case Capsule(radius, length):
            return f'type="capsule" size="{radius} {0.5 * length}"'
        case Sphere(radius):
            return f'type="sphere" size="{radius}"'


def tower(count: int) -> Heap:
    """Cubes on each other; all slide."""
    cube = Box((1.0, 1.0, 1.0))
    bodies = [Body(cube, (0.0, 0.0, 0.5 + k)) for k in range(count)]
    slide = dict.fromkeys(range(count), (1.0, 0, 0, 0, 0, 0))
    return Heap(bodies, 300, 5, slide, steps=20)


def shaken(count: int) -> Heap:
    """Cubes on each other, each with velocities drawn from 0.1 m/s and rad/s."""
    heap, rng = tower(count), np.random.default_rng(0)
    push = {k: list(0.1 * rng.standard_normal(6)) for k in range(count)}
    return replace(heap, push=push, steps=40)


def wall(rows: int, columns: int) -> Heap:
    """Bricks in bond; a ball hits them."""
    brick, bodies = Box((0.4, 0.2, 0.2)), []
    for row in range(rows):
        for column in range(columns):
            x = 0.401 * (column - 0.5 * columns + 0.5 * (row % 2))
            bodies.append(Body(brick, (x, 0.0, 0.1 + 0.2 * row)))
    bodies.append(Body(Sphere(0.3), (0.0, -0.45, 0.3), mass=5.0))
    return Heap(bodies, 300, 10, {len(bodies) - 1: (0, 10.0, 0, 0, 0, 0)}, steps=20)


def dominoes(count: int) -> Heap:
    """In a row; the first is turned about its lower edge."""
    thick, high, turn = 0.1, 1.0, 2.0
    stone = Box((thick, 0.5, high))
    bodies = [Body(stone, (0.4 * k, 0.0, 0.5 * high)) for k in range(count)]
    push = (0.5 * turn * high, 0, 0.5 * turn * thick, 0, turn, 0)
    return Heap(bodies, 300, 400, {0: push})


def capsules(count: int) -> Heap:
    """Turned at random, falling into a pit."""
    rng, shape, bodies = np.random.default_rng(0), Capsule(0.2, 0.6), []
    side = math.ceil((count / 3) ** 0.5)
    for place in _grid(count, side, 1.1, 0.6):
        turn = rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        bodies.append(Body(shape, place, tuple(map(float, turn))))
    return Heap(bodies, 2500, 700, pit=1.1 * side)


def balls(count: int) -> Heap:
    """Poured into a pit."""
    side = max(2, round(count ** (1 / 3)))
    bodies = [Body(Sphere(0.5), place) for place in _grid(count, side, 1.02, 0.5)]
    return Heap(bodies, 2500, 300, pit=1.02 * side + 0.3, steps=20)


def _grid(count: int, side: int, apart: float, lowest: float) -> list[tuple[float, float, float]]:
    """Places in layers of side x side, each layer a little aside of the one below."""
    out = []
    for k in range(count):
        layer, rest = divmod(k, side * side)
        shift = 0.05 * apart * (layer % 3) - 0.5 * apart * (side - 1)
        x, y = apart * (rest % side) + shift, apart * (rest // side) + 0.5 * shift
        out.append((x, y - 0.25 * apart * (side - 1), lowest + apart * layer))
    return out


CASES: dict[str, Callable[[], Heap]] = {
    "tower of 100": lambda: tower(100),
    "shaken tower of 20": lambda: shaken(20),
    "wall of 200": lambda: wall(10, 20),
    "20 dominoes": lambda: dominoes(20),
    "50 capsules": lambda: capsules(50),
    "162 balls": lambda: balls(162),
    "1000 balls": lambda: replace(balls(1000), settle=800),  # longer takes an hour
}
QUICK: dict[str, Callable[[], Heap]] = {
    "tower of 10": lambda: tower(10),
    "shaken tower of 5": lambda: shaken(5),
    "wall of 12": lambda: wall(3, 4),
    "5 dominoes": lambda: dominoes(5),
    "9 capsules": lambda: capsules(9),
    "27 balls": lambda: balls(27),
}


class Ours:
    """One of our methods, set back to the same state before each repetition."""

    def __init__(self, heap: Heap, method: str, is_moving: bool, settled: ph.TimeSteppingSimulator):
        self.steps = heap.steps
        self.simulator = ph.TimeSteppingSimulator(
            heap.scene(), dt=STEP, contact=method, start="keep"
        )
        for k in range(len(heap.bodies)):
            q, qd = settled.state_of(f"b{k}")
            self.simulator.set_state(f"b{k}", q=q, qd=qd)
        if heap.push or not is_moving:
            self.simulator.advance(STEP, OWN_SETTLE)
        if is_moving and heap.push:
            for k, qd in heap.push.items():
                self.simulator.set_state(f"b{k}", qd=qd)
            self.simulator.advance(STEP, heap.lead)
        self.start = self.simulator.checkpoint()
        self.unsolved = self.simulator.report["unconverged"]

    def run(self) -> float:
        self.simulator.restore(self.start)
        began = process_time()
        self.simulator.advance(STEP, self.steps)
        return (process_time() - began) / self.steps

    def left(self) -> str:
        """Steps of the last repetition that were not solved, and contacts of a step."""
        report, before = self.simulator.report, self.start.arrays["counters"][7]
        contacts = (report["contacts"] - before) / self.steps
        return f"{report['unconverged'] - self.unsolved} of {self.steps}, {contacts:.0f} contacts"


class Theirs:
    """MuJoCo, likewise."""

    def __init__(self, heap: Heap, is_moving: bool):
        self.model = mujoco.MjModel.from_xml_string(heap.world())
        self.data, self.steps = mujoco.MjData(self.model), heap.steps
        mujoco.mj_step(self.model, self.data, _before(heap, is_moving))
        if is_moving and heap.push:
            for k, qd in heap.push.items():
                self.data.qvel[6 * k : 6 * k + 6] = qd
            mujoco.mj_step(self.model, self.data, heap.lead)
        self.start = mujoco.MjData(self.model)
        mujoco.mj_copyData(self.start, self.model, self.data)

    def run(self) -> float:
        mujoco.mj_copyData(self.data, self.model, self.start)
        began = process_time()
        mujoco.mj_step(self.model, self.data, self.steps)
        return (process_time() - began) / self.steps


def _before(heap: Heap, is_moving: bool) -> int:
    """Steps before anything is pushed or timed."""
    return heap.lead if is_moving and not heap.push else heap.settle


def measure(heap: Heap, is_moving: bool, repeats: int) -> list[str]:
    """Cells of a row: microseconds of each, and ratios."""
    settled = ph.TimeSteppingSimulator(heap.scene(), dt=STEP, contact="convex")
    settled.advance(STEP, _before(heap, is_moving))
    ours = [Ours(heap, method, is_moving, settled) for method in ("exact", "convex")]
    runs = [Theirs(heap, is_moving), *ours]
    times = [[run.run() for run in runs] for _ in range(repeats)]
    theirs, exact, convex = (1e6 * median(column) for column in zip(*times, strict=True))
    cells = [f"{theirs:.0f}", f"{exact:.0f}", f"{exact / theirs:.1f}", f"{convex:.0f}"]
    return [*cells, f"{convex / theirs:.1f}", *(run.left() for run in ours)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small heaps")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--speed", type=float, default=1.0, help="factor on what is pushed")
    options = parser.parse_args()
    head = ["heap", "", "MuJoCo [us]", "exact [us]", "ratio", "convex [us]", "ratio",
            "exact: unsolved", "convex: unsolved"]  # fmt: skip
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for name, make in (QUICK if options.quick else CASES).items():
        if options.only in name:
            for is_moving in (False, True):
                heap = make().pushed(options.speed)
                cells = measure(heap, is_moving, options.repeats)
                state = "moving" if is_moving else "at rest"
                print("| " + " | ".join([name, state, *cells]) + " |", flush=True)


if __name__ == "__main__":
    np.seterr(all="ignore")
    main()
