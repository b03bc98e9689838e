"""Newton's cradle: as many balls leave as came.

Five steel balls hang side by side, a hair's breadth apart, and give back all they are struck
with.  The first hits the second, which hits the third.  Within a hundredth of a second there
are four impacts, and the last ball swings up in the place of the first.
"""

from __future__ import annotations

import math

import numpy as np

import polhode as ph
from polhode import Model
from polhode.examples.stage import Stage
from polhode.model import Box, Cylinder, Revolute, Sphere
from polhode.model.records import Visual
from polhode.spatial import Transform

# %%
# Each ball is a machine with one hinge.  The gap matters: where balls touch, all contacts are
# solved at once, and three balls of which the first comes with the speed 1 leave with -1/3, 2/3
# and 2/3, which also keeps momentum and energy.
LENGTH, RADIUS, GAP, LIFT = 1.0, 0.1, 1e-4, 0.7
STEEL, WIRE = (0.75, 0.77, 0.8, 1.0), (0.3, 0.32, 0.36, 1.0)


def pendulum(place: Transform) -> Model:
    """A ball on a wire that hangs at a place."""
    own = 0.4 * RADIUS**2
    hangs = Transform.translation(0, 0, -LENGTH)
    middle = Transform.translation(0, 0, -0.5 * LENGTH)
    wire, bob = Visual(Cylinder(0.006, LENGTH), middle, WIRE), Visual(Sphere(RADIUS), hangs, STEEL)
    return Model("pendulum").add(
        "ball", joint=Revolute.y(), frame=place, mass=1.0, com=(0, 0, -LENGTH),
        inertia=(own, own, own), visuals=[wire, bob],
    )  # fmt: skip


def cradle(lifted: int, count: int = 5) -> ph.Scene:
    """The first ``lifted`` balls start away from the others."""
    beam = Visual(Box((1.4, 0.06, 0.04)), color=WIRE)
    scene = ph.Scene("cradle").contact(restitution=1.0)
    scene = scene.add_machine(Model("frame").add("beam", visuals=[beam]))
    for k in range(count):
        place = Transform.translation((k - 0.5 * (count - 1)) * (2.0 * RADIUS + GAP), 0, 0)
        shape = ("ball", Sphere(RADIUS), Transform.translation(0, 0, -LENGTH))
        q = [LIFT] if k < lifted else [0.0]
        scene = scene.add_machine(pendulum(place), f"ball{k}", q=q, geometries=[shape])
    return scene


# %%
# *Notice* what goes up on the other side: what one ball brings, one ball takes, and two take
# what two bring.
def main() -> None:
    stage = Stage("04_cradle", __doc__)
    lines = []
    for lifted in (1, 2):
        recording = ph.simulate(cradle(lifted), 4.0, record=2, progress=False)
        angles = np.stack([recording.of(f"ball{k}")[0][:, 0] for k in range(5)], axis=1)
        before = recording.times < 1.6
        highest = np.degrees(-angles[before].min(axis=0))
        print(
            f"{lifted} lifted to {math.degrees(LIFT):.1f} degrees; on the other side the five "
            f"rise to {' '.join(f'{max(a, 0.0):.1f}' for a in highest)}"
        )
        lines += [
            (f"{lifted} lifted: first", angles[:, 0]),
            (f"{lifted} lifted: last", angles[:, 4]),
        ]
    stage.figure("angle", recording.times, lines, "The outer balls", "angle [rad]")
    stage.animation(recording, still=1.0, camera={"direction": (0.15, -1.0, 0.1)})


if __name__ == "__main__":
    main()
