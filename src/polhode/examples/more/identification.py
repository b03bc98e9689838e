"""Find the masses of an arm from noisy measurements of its motion and joint torques.

    python examples/more/identification.py

The arm that ships with polhode is given masses that its file does not know.  It moves along
sums of sines; joint torques are measured with noise.  What is identified is checked on
motion that had no part in it.
"""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.examples import path

HARMONICS, BASE_FREQUENCY = 5, 0.1  # Hz
NOISE = np.array([0.5, 0.5, 0.3, 0.1, 0.1, 0.05])  # of the torque sensors [N m]


def motion(
    arm: ph.Model, rng: np.random.Generator, n_samples: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ten seconds of a periodic motion whose derivatives are exact."""
    t = np.linspace(0.0, 1.0 / BASE_FREQUENCY, n_samples, endpoint=False)
    w = 2.0 * np.pi * BASE_FREQUENCY * np.arange(1, HARMONICS + 1)
    a, b = rng.uniform(-1.0, 1.0, (2, HARMONICS, arm.nv)) / w[:, None]
    sin, cos = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    return sin @ a - cos @ b, (cos * w) @ a + (sin * w) @ b, (cos * w**2) @ b - (sin * w**2) @ a


def main() -> None:
    rng = np.random.default_rng(0)
    arm = ph.load(path("arm.urdf"))
    mass = ph.identification.parameters_of(arm, ["mass"])["mass"]
    real = ph.identification.with_parameters(
        arm, {"mass": mass * rng.uniform(0.7, 1.3, arm.n_bodies)}
    )

    q, qd, qdd = motion(arm, rng, 2000)
    tau = ph.inverse_dynamics(real, q, qd, qdd) + NOISE * rng.standard_normal(q.shape)

    result = ph.identification.identify(arm, q, qd, qdd, tau)
    true = result.base.combinations @ ph.identification.inertial_parameters(real)
    print(f"{result.base.rank} of {len(result.base.names)} inertial parameters can be told")
    print(f"condition number of the motion: {result.condition:.1f}\n")
    print(f"{'identified':>12s}  {'deviation':>10s}  {'true':>10s}")
    rows = zip(result.values, result.deviations, true, strict=True)
    for k, (value, deviation, truth) in enumerate(rows):
        print(f"{value:12.5f}  {deviation:10.1e}  {truth:10.5f}  {result.base.describe(k)}")

    found = ph.identification.with_inertial_parameters(arm, result.parameters)
    state = motion(arm, rng, 500)
    tau = ph.inverse_dynamics(real, *state)
    print("\nerror of each torque in another motion, root mean square [N m]:")
    for name, model in (("as the file says", arm), ("identified", found)):
        error = ph.inverse_dynamics(model, *state) - tau
        size = np.sqrt(np.mean(error**2, axis=0))
        print(f"{name:>18s}  " + "  ".join(f"{x:.1e}" for x in size))


if __name__ == "__main__":
    main()
