"""A free-floating box tumbles.

Nothing acts on it: kinetic energy, momentum, and the place of its centre of mass stay as
they were.  Spun about its middle axis, it turns over again and again.
"""

from __future__ import annotations

import numpy as np

from polhode import spatial_v2 as sv
from polhode.examples.tutorial import Tutorial, integrate

SPINS = {"messy": (0.4, 2.0, 0.0), "x": (2.0, 0.0, 0.0), "y": (0.0, 2.0, 0.0), "z": (0.0, 0.0, 2.0)}
CENTRE = np.array([1.5, 1.0, 0.5])


def start(spin: tuple[float, float, float]) -> np.ndarray:
    """The box at rest in the place, rotating about its centre of mass."""
    w = np.array(spin)
    return np.concatenate(([1.0, 0.0, 0.0, 0.0], np.zeros(3), w, np.cross(CENTRE, w)))


def drifts(model: sv.SystemModel, x: np.ndarray) -> dict[str, np.ndarray]:
    """How far energy, momentum and centre of mass are from where they began, by sample."""
    records = [sv.EnerMo(model, *sv.fbkin(column)) for column in x.T]
    energy = np.array([record.KE for record in records])
    momentum = np.array([record.htot for record in records])
    centre = np.array([sv.Xpt(np.linalg.inv(sv.plux(sv.rq(c[:4]), c[4:7])), CENTRE) for c in x.T])
    return {
        "energy": energy - energy[0],
        "momentum": np.abs(momentum - momentum[0]).max(axis=1),
        "centre": np.abs(centre - centre[0]).max(axis=1),
    }


def main() -> None:
    run = Tutorial("04_tumbling_body", __doc__, 20.0, spin=list(SPINS), original=False)
    model = sv.singlebody()
    # Default: a method of eighth order.  The original's was ode45 at a tolerance of 1e-6.
    fine = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12, "max_step": 0.1}
    coarse = {"method": "RK45", "rtol": 1e-6, "max_step": 0.02}
    t, x = integrate(
        lambda t, x: sv.FDfb(model, x)[0],
        start(SPINS[run.options.spin]),
        (0.0, run.options.duration),
        **(coarse if run.options.original else fine),
    )
    drift = drifts(model, x)
    run.figure("drift", t, list(drift.items()), "What should not change", "drift [J, N s, m]")
    run.figure("spin", t, [(f"about {k}", x[7 + i]) for i, k in enumerate("xyz")],
               "Angular velocity in fixed axes", "rate [rad/s]")  # fmt: skip
    run.figure("quaternion", t, [(k, x[i]) for i, k in enumerate("wxyz")],
               "Orientation", "quaternion")  # fmt: skip
    for name, values in drift.items():
        print(f"{name} drifts by {np.abs(values).max():.1e}")
    run.animation(model, t, sv.fbanim(x), "A free-floating box tumbles")


if __name__ == "__main__":
    main()
