"""Two legs walk down a ramp, without motors.

McGeer's passive walker at its barest, the compass: two legs, a hip, no knees, no control.  The
leg in front stands, the other swings by its weight alone and lands.  Each landing takes energy,
and the slope gives it back.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import polhode as ph
from polhode import Model
from polhode.examples.stage import Stage
from polhode.model import Axes, Box, Cylinder, Plane, Revolute, Sphere, Visual
from polhode.spatial import Transform

# %%
# Legs of one metre with 5 kg at their middle, 10 kg at the hip, a slope of three degrees.  The
# hip moves in the plane of x and z and tilts with the first leg; gravity leans instead of the
# ground.
LEG, TIP, SLOPE = 1.0, 0.01, math.radians(3.0)
PLANE = Axes(((0, 0, 0, 1, 0, 0), (0, 0, 0, 0, 0, 1), (0, 1, 0, 0, 0, 0)))
RAMP = (0.62, 0.68, 0.56, 1.0)
COLORS = {"left": (0.85, 0.35, 0.2, 1.0), "right": (0.2, 0.5, 0.8, 1.0)}


def leg(side: float, name: str) -> dict[str, Any]:
    """A leg that hangs from the hip."""
    foot = Transform.translation(0, side, TIP - LEG)
    visuals = [
        Visual(Cylinder(0.02, LEG), Transform.translation(0, side, -0.5 * LEG), COLORS[name]),
        Visual(Sphere(0.07), Transform.translation(0, side, -0.5 * LEG), COLORS[name]),
        Visual(Sphere(0.03), foot, (0.2, 0.2, 0.22, 1.0)),
    ]
    return {
        "mass": 5.0,
        "com": (0, 0, -0.5 * LEG),
        "inertia": (1e-4, 1e-4, 1e-4),
        "visuals": visuals,
    }


def walker() -> Model:
    hip = {"mass": 10.0, "inertia": (1e-4, 1e-4, 1e-4)}
    hip["visuals"] = [Visual(Box((0.12, 0.3, 0.12)), color=(0.3, 0.32, 0.36, 1.0))]
    model = Model("walker").add("left", joint=PLANE, **leg(0.08, "left"))
    model = model.add("hip", parent="left", **hip)
    return model.add("right", parent="left", joint=Revolute.y(), **leg(-0.08, "right"))


def scene() -> ph.Scene:
    g = (9.81 * math.sin(SLOPE), 0.0, -9.81 * math.cos(SLOPE))
    ramp = Visual(Box((7.0, 1.2, 0.02)), Transform.translation(3, 0, -0.01), RAMP)
    feet = [(name, Sphere(TIP), Transform.translation(0, side, TIP - LEG))
            for name, side in (("left", 0.08), ("right", -0.08))]  # fmt: skip
    stance, swing = (-0.4, 2.0)  # rates at the start, both legs upright
    out = ph.Scene("walker", gravity=g).contact(mu_coulomb=1e3)
    out = out.add_machine(Model("ramp").add("ramp", visuals=[ramp]))
    out = out.add_geometry("ground", ("ramp", "ramp"), Plane())
    # The joint's third entry tilts about y: positive leans the leg's foot backwards.
    rates = (-stance * LEG, 0, -stance, stance - swing)
    return out.add_machine(walker(), q=(0, LEG, 0, 0), qd=rates, geometries=feet)


# %%
# Legs of one length would scuff as they pass each other.  A contact filter leaves out the foot
# that swings, until it is far enough ahead to be set down.
class Steps:
    """Which foot stands; a contact filter."""

    def __init__(self, feet: dict[int, str]):
        self.feet: dict[int, str] = feet
        self.stands: str = "left"
        self.landings: list[tuple[float, float]] = []

    def __call__(self, t: float, contacts: Any) -> np.ndarray:
        where = {}
        for k in range(len(contacts)):
            g = contacts.a[k] if contacts.a[k] in self.feet else contacts.b[k]
            where[self.feet[g]] = k
        other = "right" if self.stands == "left" else "left"
        if other in where and self.stands in where:
            ahead = contacts.point[where[other], 0] - contacts.point[where[self.stands], 0]
            if ahead > 0.2 and contacts.gap[where[other]] < 1e-4:
                self.stands = other
                self.landings.append((t, float(contacts.point[where[other], 0])))
        keep = np.zeros(len(contacts), bool)
        if self.stands in where:
            keep[where[self.stands]] = True
        return keep


# %%
# *Notice* how soon all steps are alike: a limit cycle.
def main() -> None:
    stage = Stage("07_walker", __doc__)
    built = scene()
    names = {g.name: k for k, g in enumerate(built.geometries)}
    steps = Steps({names[f"walker/{name}#{k}"]: name for k, name in enumerate(("left", "right"))})
    recording = ph.simulate(built, 8.0, contact_filter=steps, progress=False)
    t, x = np.array(steps.landings).T
    for k in range(len(t) - 1):
        print(f"step {k + 1}: {x[k + 1] - x[k]:.4f} m in {t[k + 1] - t[k]:.4f} s")
    q, _ = recording.of("walker")
    lines = [("left", q[:, 2]), ("right", q[:, 2] + q[:, 3])]
    stage.figure("legs", recording.times, lines, "Angles of the legs", "angle [rad]")
    up = (-math.sin(SLOPE), 0.0, math.cos(SLOPE))
    camera = {"direction": (0.35, -1.0, 0.25), "up": up}
    stage.animation(recording, still=2.0, camera=camera)


if __name__ == "__main__":
    main()
