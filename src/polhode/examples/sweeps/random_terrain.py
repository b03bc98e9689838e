"""A legged robot with random masses lands on random terrain.

    python examples/sweeps/random_terrain.py [--runs 48] [--workers N] [--output FOLDER]

A robot of nine bodies is dropped in its stance, whose joints a spring and damper each hold.
How heavy its trunk is, where in the trunk the load lies and how rough the ground is differ from
run to run.  Each run has a random generator of its own, from which the ground is made.  So the
same runs give the same numbers on any number of processors.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from polhode.model import FloatingBase, Revolute
from polhode.model.shapes import Box, Heightmap, Sphere
from polhode.scene import Scene
from polhode.spatial import Transform

STANCE = np.tile([0.6, -1.2], 4)  # hip and knee of each leg
SIZE, CELLS = 3.0, 25  # of the ground [m], and its points along a side
THIGH, SHANK, FOOT = 0.25, 0.25, 0.03


def robot(mass: float, load_x: float) -> ph.Model:
    """A trunk whose load lies ``load_x`` from its middle, and four legs of two joints."""
    inertia = (0.02 * mass, 0.06 * mass, 0.07 * mass)
    model = ph.Model("robot").add(
        "trunk", joint=FloatingBase(), mass=mass, com=(load_x, 0, 0), inertia=inertia
    )
    for x, end in ((0.3, "front"), (-0.3, "rear")):
        for y, side in ((0.15, "left"), (-0.15, "right")):
            leg = f"{end} {side}"
            model = model.add(
                f"{leg} thigh", parent="trunk", frame=Transform.translation(x, y, 0),
                joint=Revolute.y(), mass=0.8, com=(0, 0, -THIGH / 2), inertia=(0.005, 0.005, 0.001),
            ).add(
                f"{leg} shank", parent=f"{leg} thigh", frame=Transform.translation(0, 0, -THIGH),
                joint=Revolute.y(), mass=0.4, com=(0, 0, -SHANK / 2), inertia=(0.003, 0.003, 0.001),
            )  # fmt: skip
    return model


def scene(mass: float, load_x: float, roughness: float, rng: np.random.Generator) -> Scene:
    """The robot in its stance over hills of the given height."""
    heights = roughness * rng.uniform(size=(CELLS, CELLS))
    model = robot(mass, load_x)
    touching = [("trunk", Box((0.7, 0.3, 0.15)), Transform.identity())]
    feet = [link.name for link in model.links if link.name.endswith("shank")]
    touching += [(body, Sphere(FOOT), Transform.translation(0, 0, -SHANK)) for body in feet]
    start = [0, 0, 0.6 + roughness, 0, 0, 0, *STANCE, 1]
    world = Scene("landing").contact(mu_coulomb=0.8)
    world = world.add_fixed("ground", Heightmap(tuple(map(tuple, heights)), (SIZE, SIZE)))
    return world.add_machine(model, "robot", q=start, geometries=touching)


def hold(t: float, state: Any) -> np.ndarray:
    """Springs and dampers in the joints, no force on the trunk."""
    force = 120.0 * (STANCE - state.q[6:14]) - 4.0 * state.qd[6:]
    return np.concatenate((np.zeros(6), np.clip(force, -40.0, 40.0)))


def landing(
    mass: float, load_x: float, roughness: float, rng: np.random.Generator
) -> dict[str, Any]:
    """How the trunk lies a second after it was dropped."""
    world = scene(mass, load_x, roughness, rng)
    run = ph.simulate(world, 1.0, dt=2e-3, controller=hold, record=0.05, progress=False)
    x, y = run.q[-1, 3:5]
    tilt = np.degrees(np.arccos(np.clip(1.0 - 2.0 * (x * x + y * y), -1.0, 1.0)))
    force = max((np.linalg.norm(c.force) for c in run.contacts(-1)), default=0.0)
    return {"height": run.q[-1, 2], "tilt": tilt, "force": force,
            "unconverged": run.report["unconverged"]}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=48)
    parser.add_argument("--workers", type=int, help="processes (all processors)")
    parser.add_argument("--output", type=Path, help="a folder for the figure")
    options = parser.parse_args()

    tasks = ph.sweeps.sample(options.runs, seed=1, mass=(6.0, 14.0), load_x=(-0.15, 0.15),
                      roughness=(0.0, 0.3))  # fmt: skip
    result = ph.sweep(landing, tasks, workers=options.workers)
    print(result)
    table = result.table()
    stands = (table["height"] > 0.3) & (table["tilt"] < 30.0)
    print(f"{stands.sum()} of {len(result)} stand; worst tilt of these "
          f"{table['tilt'][stands].max():.1f} degrees")  # fmt: skip
    for name in ("mass", "load_x", "roughness"):
        share = np.corrcoef(table[name], table["tilt"])[0, 1]
        print(f"correlation of the tilt with {name:10s} {share:6.2f}")
    if options.output is not None:
        draw(table, options.output / "random_terrain.svg")


def draw(table: dict[str, np.ndarray], path: Path) -> None:
    """Tilt over roughness, coloured by mass."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    path.parent.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    points = axes.scatter(table["roughness"], table["tilt"], c=table["mass"])
    axes.set(xlabel="height of the hills [m]", ylabel="tilt of the trunk [degrees]")
    figure.colorbar(points, label="mass of the trunk [kg]")
    figure.savefig(path)
    print(f"wrote {os.fspath(path)}")


if __name__ == "__main__":
    main()
