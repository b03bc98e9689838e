"""A crank turns, a rocker swings: a loop of four bars.

Crank, coupler and rocker are a tree of three hinges with a fourth that closes it.  In space the
four hinges are three times redundant: five equations each, twenty for eighteen degrees of
freedom, and yet the linkage moves.
"""

from __future__ import annotations

import math

import polhode as ph
from polhode.examples import path
from polhode.examples.stage import Stage

# %%
# The scene is Moby's XML, `four_bar.xml`.  No force acts: the crank starts with 6 rad/s, and the
# rest of the linkage is made to follow in the first step.
GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.3, 0.9, 0.8


def drawn_angle() -> float:
    """Of the rocker where the file draws it, the crank upright: zero for its joint."""
    diagonal = math.hypot(GROUND, CRANK)
    cosine = (diagonal**2 + ROCKER**2 - COUPLER**2) / (2.0 * diagonal * ROCKER)
    return math.pi - math.atan2(CRANK, GROUND) - math.acos(cosine)


def rocker_range() -> tuple[float, float]:
    """Angles of the rocker where crank and coupler are in line, by the law of cosines."""
    ends = []
    for reach in (COUPLER - CRANK, COUPLER + CRANK):
        cosine = (GROUND**2 + ROCKER**2 - reach**2) / (2.0 * GROUND * ROCKER)
        ends.append(math.pi - math.acos(cosine))
    return min(ends), max(ends)


# %%
# *Notice* that the rocker swings exactly as far as the lengths say, and how well the loop stays
# closed.  The energy is what the step costs: constraints act once in each, and half the step
# loses half as much.
def main() -> None:
    stage = Stage("05_four_bar", __doc__)
    recording = ph.simulate(ph.load(path("scenes/four_bar.xml")), 6.0, record=2, progress=False)
    q, qd = recording.of("linkage")
    assert recording.scene is not None
    joints = {joint.name: joint.q for joint in recording.scene.machine("linkage").model.joints}
    crank, rocker = (q[:, joints[name]].ravel() for name in "ad")
    angle = rocker + drawn_angle()
    low, high = rocker_range()
    print(f"the rocker swings between {angle.min():.6f} and {angle.max():.6f} rad "
          f"(law of cosines: {low:.6f} and {high:.6f})")  # fmt: skip
    kept = recording.kinetic[1:]
    print(
        f"{(crank[-1] - crank[0]) / (2 * math.pi):.2f} turns of the crank; energy falls by "
        f"{1.0 - kept[-1] / kept[0]:.1%}, the loop opens by {recording.audit.loop_error:.1e} m"
    )
    rate = qd[:, joints["a"]].ravel()
    lines = [("crank rate", rate), ("rocker rate", qd[:, joints["d"]].ravel())]
    stage.figure("rates", recording.times, lines, "A crank and its rocker", "rate [rad/s]")
    stage.animation(
        recording, still=1.3, camera={"direction": (0.1, 0.15, 1.0), "up": (0.0, 1.0, 0.0)}
    )


if __name__ == "__main__":
    main()
