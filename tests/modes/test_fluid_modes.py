"""Forces of fluids: floats, NumPy arrays and compiled code agree to rounding."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from modes.modes import Algorithm as Mode
from modes.modes import results, run_floats, state
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.model import FloatingBase, FluidBox, FluidEllipsoid, Mimic, Revolute, Spherical
from polhode.spatial import Transform

ROD = {"mass": 1.0, "com": (0.1, 0.0, -0.3), "inertia": (0.1, 0.12, 0.05)}
TURNED = Transform.from_rpy(0.3, 0.2, 0.1, (0.1, 0.2, 0.3))
SHAPES = {
    "fin": [FluidEllipsoid((0.3, 0.2, 0.1), TURNED), FluidBox((0.1, 0.2, 0.3))],
    "tail": [FluidEllipsoid((0.1, 0.1, 0.4))],
}
FISH = (
    ph.Model("fish")
    .append("hull", joint=FloatingBase(), **ROD)
    .append("fin", joint=Spherical(), frame=TURNED, stiffness=2.0, **ROD)
    .append("tail", joint=Revolute.y(), damping=0.3, **ROD)
    .with_fluid(1000.0, 1e-3, (0.1, 0.2, -0.3), shapes=SHAPES)
)
AGREEMENT = 1e-13  # of the largest entry
N = 5


@pytest.mark.parametrize(
    "function", [algorithms.fluid_forces, algorithms.all_passive_forces], ids=lambda f: f.__name__
)
def test_all_ways_agree(function):
    """One state and a batch, compiled and in NumPy, beside plain floats."""
    mode, rng = Mode(function, {}), np.random.default_rng(3)
    given = [ph.random_configuration(FISH, rng, size=N), rng.standard_normal((N, FISH.nv))]
    batch = results(mode.compiled(FISH)(*given))
    plain = results(run_plain(function, FISH, given))
    for k in range(N):
        known = run_floats(mode, FISH, state(given, k))
        for expected, *found in zip(known, [b[k] for b in batch], [p[k] for p in plain],
                                    strict=True):  # fmt: skip
            for each in found:
                scale = max(1.0, np.abs(expected).max(initial=0.0))
                np.testing.assert_allclose(each, expected, rtol=0, atol=AGREEMENT * scale)


def test_coupled_joints_share_the_forces_of_a_fluid():
    """They are the independent ones, contracted by ``qd = G qd_coupled``."""
    arm = ph.Model("arm").append("a", joint=Revolute.z(), **ROD)
    arm = arm.append("b", joint=Revolute.x(), mimic=Mimic("a", -2.0, 0.3, coupled=True), **ROD)
    arm = arm.with_fluid(5.0, 0.3, (1.0, 0.0, 0.0))
    q, qd, G = np.array([0.4]), np.array([1.3]), np.array([[1.0], [-2.0]])
    free = forces(arm.uncouple(), G @ q + [0.0, 0.3], G @ qd)
    np.testing.assert_allclose(forces(arm, q, qd), G.T @ free, rtol=1e-12)


def forces(model, q, qd):
    return ph.actuation.fluid_forces(model, q, qd)
