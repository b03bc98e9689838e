"""A contact that slides while its body turns: to the second order of the step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.model import FloatingBase
from polhode.model.shapes import Capsule, Plane
from polhode.spatial import Transform

G, START, END, THIN = 9.81, 0.3, 0.44, 1e-5


def lean() -> float:
    """Of a rod whose lower end slides on smooth ground, from the equation of its motion."""

    def rates(_, y):
        s, c = math.sin(y[0]), math.cos(y[0])
        return y[1], (6 * G * s - 3 * s * c * y[1] ** 2) / (1 + 3 * s * s)

    return solve_ivp(rates, (0, END), (START, 0), rtol=1e-12, atol=1e-12).y[0, -1]


def fallen(dt: float) -> ph.TimeSteppingSimulator:
    rod = ph.Model("rod").add("rod", joint=FloatingBase(), mass=1.0, inertia=(1 / 12, 1 / 12, 1e-4))
    q = [0, 0, 0.5 * math.cos(START) + 1e-9, 0, math.sin(START / 2), 0, math.cos(START / 2)]
    shape = ("rod", Capsule(THIN, 1.0 - 2 * THIN), Transform.identity())
    scene = ph.Scene("fall").add_fixed("ground", Plane()).contact(mu_coulomb=0.0)
    scene = scene.add_machine(rod, "rod", q=q, geometries=[shape])
    simulator = ph.TimeSteppingSimulator(scene, dt=dt)
    simulator.advance_to(END)
    return simulator


@pytest.mark.parametrize("dt", [2e-3, 1e-3, 5e-4])
def test_a_rod_slides_down(dt):
    """Its lean and its energy, with an error that falls with the square of the step."""
    simulator = fallen(dt)
    q, qd = simulator.state
    angle = math.acos(1.0 - 2.0 * (q[3] ** 2 + q[4] ** 2))
    turned = dt * abs(qd[4])  # in the last step
    assert angle == pytest.approx(lean(), rel=0.2 * turned**2)
    energy = float(np.sum(ph.energy(simulator.scene.model, q, qd)))
    assert energy == pytest.approx(0.5 * G * math.cos(START), rel=turned**2)
    assert simulator.report["penetration"] < 1e-6
