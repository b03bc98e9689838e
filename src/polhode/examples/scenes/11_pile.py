"""A hundred boxes fall on a heap.

Boxes of all sizes rain into a pit between walls, and each step is one problem of hundreds of
contacts.  Here the convex relaxation of contact is enough: every step has exactly one answer,
found in the same few Newton steps however the boxes lie.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np

import polhode as ph
from polhode.examples.stage import GROUND, Stage
from polhode.model import Box, Plane

# %%
# Mass goes with the cube of the size, so that some boxes weigh ten times as much as others.
COUNT, STEP, HALF = 100, 5e-3, 1.0


def scene(seed: int = 5) -> ph.Scene:
    rng = np.random.default_rng(seed)
    out = ph.Scene("pile").add_fixed("ground", Plane(), color=GROUND).contact(mu_coulomb=0.6)
    glass = (0.6, 0.7, 0.8, 0.25)
    wall = HALF + 0.05
    for name, x, y in (
        ("back", 0, wall),
        ("front", 0, -wall),
        ("left", -wall, 0),
        ("right", wall, 0),
    ):
        size = (2 * HALF + 0.2, 0.1, 0.8) if x == 0 else (0.1, 2 * HALF, 0.8)
        out = out.add_fixed(name, Box(size), position=(x, y, 0.4), color=glass)
    for k in range(COUNT):
        quaternion = rng.normal(size=4)
        size = rng.uniform(0.14, 0.3, 3)
        layer, place = divmod(k, 16)
        x, y = 0.46 * (place % 4 - 1.5), 0.46 * (place // 4 - 1.5)
        shade = rng.uniform()
        out = out.add_body(
            f"box{k}", Box(tuple(size)), density=400.0,
            position=(x, y, 0.3 + 0.45 * layer),
            quaternion=tuple(quaternion / np.linalg.norm(quaternion)),
            velocity=(0.0, 0.0, -2.0), color=(0.3 + 0.6 * shade, 0.5, 0.85 - 0.6 * shade, 1.0),
        )  # fmt: skip
    return out


# %%
# *Notice* the deepest overlap: the relaxed contacts yield a little, and nothing sinks for that.
def main() -> None:
    stage = Stage("11_pile", __doc__)
    built = scene()
    began = perf_counter()
    recording = ph.simulate(built, 1.6, dt=STEP, record=4, contact="convex", progress=False)
    took = perf_counter() - began
    steps, contacts = recording.report["steps"], recording.report["contacts"]
    print(f"{contacts / steps:.0f} contacts in the mean, {1e3 * took / steps:.1f} ms a step")
    speeds = np.stack([np.linalg.norm(recording.of(f"box{k}")[1][:, :3], axis=1)
                       for k in range(COUNT)])  # fmt: skip
    print(f"at the end the boxes move with {np.median(speeds[:, -1]):.1e} m/s in the median")
    count = np.diff(recording.contact_start)
    stage.figure("speed", recording.times, [("mean", speeds.mean(axis=0))], "A heap comes to rest",
                 "speed [m/s]")  # fmt: skip
    stage.figure("contacts", recording.times, [("contacts", count)], "A heap", "number")
    camera = {"direction": (0.8, -1.0, 0.8)}
    stage.animation(recording, still=recording.duration, camera=camera)


if __name__ == "__main__":
    main()
