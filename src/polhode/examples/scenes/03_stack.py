"""Ten boxes stand on each other, the heaviest on top.

Each box is two thirds heavier than the one below; the lowest carries almost 250 times its own
weight.  Such towers are hard for solvers that go from contact to contact.  A push has to travel
up and down the tower hundreds of times before the forces fit.  Then a ball is thrown at it.
"""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.examples.stage import GROUND, Stage
from polhode.model import Box, Plane, Sphere

# %%
# The ball starts far enough to give the tower two seconds of rest.
MASSES = np.geomspace(1.0, 100.0, 10)
SIDE, G = 0.3, 9.81


def tower() -> ph.Scene:
    scene = ph.Scene("tower").add_fixed("ground", Plane(), color=GROUND).contact(mu_coulomb=0.6)
    for k, mass in enumerate(MASSES):
        shade = k / (len(MASSES) - 1)
        scene = scene.add_body(
            f"box{k}", Box((SIDE, SIDE, SIDE)), mass=float(mass), position=(0, 0, SIDE * (k + 0.5)),
            color=(0.3 + 0.6 * shade, 0.5 - 0.2 * shade, 0.8 - 0.65 * shade, 1.0),
        )  # fmt: skip
    # It flies for two seconds and comes down on the upper half of the tower.
    return scene.add_body("ball", Sphere(0.25), mass=60.0, position=(-5.4, 0, 2.0),
                          velocity=(2.5, 0.0, 9.9), color=(0.15, 0.17, 0.2, 1.0))  # fmt: skip


def loads(recording: ph.Recording, t: float) -> np.ndarray:
    """What presses on the ground and on each box but the last, from below [N]."""
    order = ["ground", *(f"box{k}" for k in range(len(MASSES)))]
    found = np.zeros(len(MASSES))
    for contact in recording.contacts(int(np.searchsorted(recording.times, t))):
        lower = min(order.index(contact.a), order.index(contact.b))
        found[lower] += abs(contact.force[2])
    return found


# %%
# *Notice* that for two seconds nothing moves and each box carries exactly what is above it; and
# that the heap at the end lies still.
def main() -> None:
    stage = Stage("03_stack", __doc__)
    recording = ph.simulate(tower(), 8.0, dt=2e-3, record=0.01, progress=False)
    rests = recording.times < 1.9
    top = recording.of("box9")[0]
    weights = G * np.cumsum(MASSES[::-1])[::-1]
    off = np.abs(loads(recording, 1.0) / weights - 1.0).max()
    print(f"the top box moves {np.abs(top[rests] - top[0]).max():.1e} m in 1.9 s")
    print(f"what each box carries is off by {off:.1e} of the weight above it at most")
    speeds = [np.linalg.norm(recording.of(f"box{k}")[1][:, :3], axis=1) for k in (0, 5, 9)]
    print(f"at the end no box is faster than {max(v[-1] for v in speeds):.1e} m/s")
    named = zip(("lowest", "sixth", "top"), speeds, strict=True)
    stage.figure("speed", recording.times, list(named), "A tower is hit", "speed [m/s]")
    camera = {"direction": (0.3, -1.0, 0.25)}
    stage.animation(recording, still=3.9, camera=camera)


if __name__ == "__main__":
    main()
