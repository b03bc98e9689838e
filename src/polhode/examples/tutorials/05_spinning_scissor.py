"""A free-floating scissor rotates.

Two strips on a joint, spun about the long axis: the scissor swings all the way round and back
as it turns over and over.  The angles of the animation do not jump at half a turn.
"""

from __future__ import annotations

import numpy as np

from polhode import spatial_v2 as sv
from polhode.examples.tutorial import Tutorial, integrate


def start(opening: float, spin: float) -> np.ndarray:
    """Floating base, joint angle and its rate; the joint is at rest."""
    turn = [np.cos(opening / 4), 0.0, -np.sin(opening / 4), 0.0]
    return np.array([*turn, 0, 0, 0, 0, 0, spin, 0, 0, 0, opening, 0], float)


def main() -> None:
    run = Tutorial("05_spinning_scissor", __doc__, 20.0, opening=0.1, spin=3.0)
    model = sv.scissor()

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        y = sv.gcFD(model, sv.FDfb, np.append(x, 0.0))
        return np.concatenate((y[:13], x[14:15], y[13:]))

    x0 = start(run.options.opening, run.options.spin)
    t, x = integrate(rates, x0, (0.0, run.options.duration), rtol=1e-6, max_step=0.02)
    q, qd = x[13], x[14]
    run.figure("position", t, [("q", q)], "Opening of the scissor", "angle [rad]")
    run.figure("velocity", t, [("qd", qd)], "Rate of opening", "rate [rad/s]")
    run.phase_figure("phase", q, qd, "Rate over opening")
    print(f"the scissor opens from {q.min():.3f} to {q.max():.3f} rad")
    run.animation(model, t, sv.fbanim(x[:13], q[None]), "Free-floating scissor")


if __name__ == "__main__":
    main()
