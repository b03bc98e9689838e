"""Time of a step with contact beside MuJoCo, in one run: the table of docs/benchmarks.md.

    python benchmarks/contact_mujoco.py [--repeats 7] [--only stack]

The same bodies, the same step of 1 ms, both settled first (resting) or settled and then set
sliding (moving); each repetition steps on from the same state, the two libraries in turn, and
the least processor time counts.  MuJoCo runs as it comes: Newton's method, elliptic cones would
be slower.
"""

from __future__ import annotations

import argparse
import math
from time import process_time

import mujoco
import numpy as np

import polhode as ph
from polhode.model import Box, Capsule, FloatingBase, Model, Plane, Revolute, Sphere
from polhode.scene import JointSettings, Scene
from polhode.spatial import Transform

STEP, MU, SETTLE, STEPS = 1e-3, 0.5, 300, 50
HALF_THIGH = 0.7  # the angle at which the quadruped stands [rad]
SHIN, FOOT = 0.2, 0.02


def places(case: str, count: int) -> list[tuple[float, float, float]]:
    """Where the bodies begin: boxes on each other, spheres in layers."""
    if case == "stack":
        return [(0.0, 0.0, 0.5 + k) for k in range(count)]
    side = math.ceil((count / 3) ** 0.5)
    out = []
    for k in range(count):
        layer, rest = divmod(k, side * side)
        shift = 0.5 * (layer % 2)
        out.append(
            (1.02 * (rest % side) + shift, 1.02 * (rest // side) + shift, 0.5 + 0.75 * layer)
        )
    return out


def bodies(case: str, count: int) -> tuple[Scene, str]:
    """Free boxes or spheres: (our scene, MuJoCo's world)."""
    is_box = case == "stack"
    shape = Box((1.0, 1.0, 1.0)) if is_box else Sphere(0.5)
    geom = 'type="box" size=".5 .5 .5"' if is_box else 'type="sphere" size=".5"'
    scene, world = ground(case), ""
    for k, (x, y, z) in enumerate(places(case, count)):
        scene = scene.add_body(f"b{k}", shape, mass=1.0, position=(x, y, z))
        world += f'<body pos="{x} {y} {z}"><freejoint/><geom {geom} mass="1"/></body>'
    return scene, world


def ground(name: str) -> Scene:
    return Scene(name).add_fixed("ground", Plane()).contact(mu_coulomb=MU)


def chain(count: int) -> tuple[Scene, str]:
    """Bars that hang between two points: hinges all along, the last one closes a loop."""
    model, geometry, own = Model("chain"), [], 0.1 * 0.2**2 / 12 + 1e-5
    turn = Transform.rotation(ph.spatial.rotation_y(0.5 * math.pi))
    for k in range(count):
        at = Transform.translation(0.2 if k else 0.0, 0, 0.0 if k else 1.0)
        model = model.add(
            f"l{k}", parent=f"l{k - 1}" if k else None, frame=at, joint=Revolute.y(), mass=0.1,
            com=(0.1, 0, 0), inertia=(1e-5, own, own),
        )  # fmt: skip
        geometry.append((f"l{k}", Capsule(0.02, 0.1), Transform.translation(0.1, 0, 0) @ turn))
    scene = ground("chain").add_machine(model, "chain", geometries=geometry[:0])
    scene = scene.add_loop(
        "end", "spherical", ("chain", f"l{count - 1}"), None,
        frame_a=Transform.translation(0.2, 0, 0),
        frame_b=Transform.translation(0.2 * count, 0, 1.0),
    )  # fmt: skip
    inner = ""
    for k in reversed(range(count)):
        place = '".2 0 0"' if k else '"0 0 1"'
        inner = (
            f'<body name="l{k}" pos={place}><joint type="hinge" axis="0 1 0"/><inertial'
            f' pos=".1 0 0" mass=".1" diaginertia="1e-5 {own} {own}"/>{inner}</body>'
        )
    close = f'<equality><connect body1="l{count - 1}" anchor=".2 0 0"/></equality>'
    return scene, inner + "</worldbody>" + close + "<worldbody>"


def quadruped() -> tuple[Scene, str]:
    """A trunk on four legs of three joints that dry friction holds."""
    height = 2 * SHIN * math.cos(HALF_THIGH) + FOOT
    model = Model("dog").add(
        "trunk", joint=FloatingBase(), mass=8.0, inertia=(0.05, 0.15, 0.17)
    )  # fmt: skip
    settings, feet, legs, q = [], [], "", [0.0, 0.0, height]
    for x in (-0.2, 0.2):
        for y in (-0.1, 0.1):
            name = f"{'f' if x > 0 else 'h'}{'l' if y > 0 else 'r'}"
            parts = (("hip", Revolute.x(), (x, y, 0.0), 0.5),
                     ("thigh", Revolute.y(), (0, 0, 0), 0.8),
                     ("shin", Revolute.y(), (0, 0, -SHIN), 0.2))  # fmt: skip
            parent, text, ends = "trunk", "", ""
            for part, joint, place, mass in parts:
                own = mass * SHIN**2 / 12 + 1e-4
                com = -0.5 * SHIN if part != "hip" else 0.0
                model = model.add(
                    f"{name}.{part}", parent=parent, frame=Transform.translation(*place),
                    joint=joint, mass=mass, com=(0, 0, com), inertia=(own, own, 1e-4),
                )  # fmt: skip
                settings.append(JointSettings(f"{name}.{part}", coulomb_friction=20.0))
                axis = "1 0 0" if part == "hip" else "0 1 0"
                text += (
                    f'<body pos="{place[0]} {place[1]} {place[2]}">'
                    f'<joint type="hinge" axis="{axis}"'
                    f' frictionloss="20"/><inertial pos="0 0 {com}" mass="{mass}"'
                    f' diaginertia="{own} {own} 1e-4"/>'
                )
                ends += "</body>"
                parent = f"{name}.{part}"
            foot = Transform.translation(0, 0, -SHIN)
            feet.append((f"{name}.shin", Sphere(FOOT), foot))
            legs += f'{text}<geom type="sphere" size="{FOOT}" pos="0 0 {-SHIN}" mass="0"/>{ends}'
    bent = [0.0, HALF_THIGH, -2 * HALF_THIGH] * 4
    q = [0.0, 0.0, height, 0.0, 0.0, 0.0, *bent, 1.0]
    scene = ground("quadruped").add_machine(
        model, "dog", q=q, joint_settings=settings, geometries=feet
    )  # fmt: skip
    trunk = '<freejoint/><inertial pos="0 0 0" mass="8" diaginertia=".05 .15 .17"/>'
    return scene, f'<body pos="0 0 {height}">{trunk}{legs}</body>'


def peer(world: str, dog: bool) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """MuJoCo's model and state."""
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}"/><default>'
        f'<geom friction="{MU} 0 0" condim="3"/></default>'
        f'<worldbody><geom type="plane" size="50 50 1"/>{world}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    if dog:
        data.qpos[7:] = [0.0, HALF_THIGH, -2 * HALF_THIGH] * 4
    return model, data


CASES = {
    "stack of 1": ("stack", 1), "stack of 3": ("stack", 3), "stack of 10": ("stack", 10),
    "30 spheres": ("spheres", 30), "100 spheres": ("spheres", 100),
    "chain of 10 with a loop": ("chain", 10), "quadruped": ("quadruped", 1),
}  # fmt: skip


class Ours:
    """One of our methods, set back to the same state before each repetition."""

    def __init__(self, scene: Scene, speed: float, **options: str):
        self.simulator = ph.Simulator(scene, dt=STEP, **options)
        self.simulator.advance(STEP, SETTLE)
        if speed:
            for machine in scene.simulated:
                if not machine.is_fixed:
                    qd = self.simulator.state_of(machine.name)[1]
                    qd[0] = speed
                    self.simulator.set_state(machine.name, qd=qd)
            self.simulator.advance(STEP, 5)
        self.start = self.simulator.checkpoint()

    def run(self) -> float:
        self.simulator.restore(self.start)
        began = process_time()
        self.simulator.advance(STEP, STEPS)
        return process_time() - began

    @property
    def contacts(self) -> float:
        before = self.start.arrays["counters"][7]
        return (self.simulator.report["contacts"] - before) / STEPS


def in_lanes(scene: Scene, speed: float) -> list[Ours]:
    """The step in lanes, at width one, if the scene has no more points of contact than it takes."""
    try:
        return [Ours(scene, speed, integrator="moreau")]
    except ph.ModelError:
        return []


class Theirs:
    """MuJoCo, likewise."""

    def __init__(self, world: str, speed: float, dog: bool):
        self.model, self.data = peer(world, dog)
        mujoco.mj_step(self.model, self.data, SETTLE)
        if speed:
            free = self.model.jnt_dofadr[self.model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]
            self.data.qvel[free if len(free) else [0]] = speed
            mujoco.mj_step(self.model, self.data, 5)
        self.start = mujoco.MjData(self.model)
        mujoco.mj_copyData(self.start, self.model, self.data)

    def run(self) -> float:
        mujoco.mj_copyData(self.data, self.model, self.start)
        began = process_time()
        mujoco.mj_step(self.model, self.data, STEPS)
        return process_time() - began


def measure(case: str, count: int, speed: float, repeats: int) -> list[str]:
    """Cells of a row: microseconds of each, and ratios."""
    if case in ("stack", "spheres"):
        scene, world = bodies(case, count)
    else:
        scene, world = chain(count) if case == "chain" else quadruped()
    theirs = Theirs(world, speed, case == "quadruped")
    ours = [Ours(scene, speed, contact=method) for method in ("exact", "convex")]
    ours += in_lanes(scene, speed)
    runs = (theirs, *ours)
    best = [math.inf] * len(runs)
    for _ in range(repeats):
        for k, run in enumerate(runs):
            best[k] = min(best[k], run.run())
    micro = [1e6 * t / STEPS for t in best]
    cells = [f"{micro[0]:.1f}"]
    for time in micro[1:]:
        cells += [f"{time:.1f}", f"{time / micro[0]:.1f}"]
    cells += [""] * (7 - len(cells))
    contacts = [f"{theirs.data.ncon}", *(f"{r.contacts:.0f}" for r in ours[:2])]
    unsolved = [str(r.simulator.report["unconverged"]) for r in ours]
    return [*cells, " / ".join(contacts), " / ".join(unsolved)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    head = ["scene", "", "MuJoCo [us]", "exact [us]", "ratio", "convex [us]", "ratio",
            "moreau [us]", "ratio", "contacts of three", "steps unsolved"]  # fmt: skip
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for name, (case, count) in CASES.items():
        if arguments.only in name:
            for state, speed in (("resting", 0.0), ("moving", 1.0)):
                cells = measure(case, count, speed, arguments.repeats)
                print("| " + " | ".join([name, state, *cells]) + " |", flush=True)


if __name__ == "__main__":
    np.seterr(all="ignore")
    main()
