"""Loops in Moreau's step in lanes: the other integrator, laws, bits and starts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.model import FloatingBase, Plane, Revolute, Sphere
from polhode.simulation.lanes.programs import step_programs
from polhode.simulation.lanes.refining import refined
from polhode.spatial import Transform
from stepping.lanes import rolled

ROD = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (0.01, 0.1, 0.1)}
KINDS = ["fixed", "revolute", "prismatic", "spherical", "universal", "planar", "screw"]


def four_bar(kind="revolute", floor=-5.0):
    """Bars of length one whose last end turns about a pin: a parallelogram, above a floor."""
    model = (
        ph.Model("bars")
        .add("crank", joint=Revolute.y(), **ROD)
        .add("coupler", parent="crank", frame=Transform.translation(1, 0, 0), joint=Revolute.y(),
             **ROD)
        .add("rocker", parent="coupler", frame=Transform.translation(1, 0, 0), joint=Revolute.y(),
             **ROD)
    )  # fmt: skip
    axis = Transform.rotation(ph.spatial.rotation_x(0.5 * math.pi))
    return (
        ph.Scene("four-bar")
        .add_machine(model, "bars", q=bars(0.6))
        .add_geometry("knob", ("bars", "coupler"), Sphere(0.1))
        .add_fixed("floor", Plane(), position=(0, 0, floor))
        .contact(mu_coulomb=0.5)
        .add_loop("pin", kind, ("bars", "rocker"), None,
                  frame_a=axis @ Transform.translation(1, 0, 0),
                  frame_b=axis @ Transform.translation(1, 0, 0))
    )  # fmt: skip


def bars(angle):
    """Joint positions of a parallelogram whose crank is turned by an angle below the horizon."""
    return [angle, -angle, math.pi + angle]


def ends(q):
    """Where the last bar ends, (x, z)."""
    angles = np.cumsum(q, axis=-1)
    return np.cos(angles).sum(-1), -np.sin(angles).sum(-1)


def hung(kind):
    """A body that a joint of some kind holds beside its centre of mass."""
    turn = Transform.rotation(ph.spatial.rotation_x(0.9))
    at = Transform.translation(0.3, 0, 0)
    inertia = (0.02, 0.03, 0.04)
    model = ph.Model("body").add("body", joint=FloatingBase(), mass=2.0, inertia=inertia)
    scene = ph.Scene("hung").add_machine(model, "body", q=[-0.3, 0, 0, 0, 0, 0, 1])
    return scene.add_loop("hook", kind, ("body", "body"), None, frame_a=turn @ at, frame_b=turn,
                          pitch=0.1 if kind == "screw" else 0.0)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_moves_as_by_the_other_integrator(kind):
    exact = ph.rollout(hung(kind), steps=1500, dt=2e-4, integrator="event_driven")
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        end = rolled(hung(kind), steps=round(0.3 / dt), dt=dt)
        assert not end.unsolved.any()
        errors.append(np.abs(end.q[-1] - exact.q[-1]).max())
    way = np.abs(exact.q[-1] - exact.q[0]).max()
    assert (way > 0.05) == (kind != "fixed")
    assert errors[0] < 0.1 * way + 1e-7
    assert errors[1] < 0.6 * errors[0] + 1e-7
    assert errors[2] < 0.6 * errors[1] + 1e-7


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_the_limit_of_short_steps_is_the_motion_of_the_other_integrator(kind):
    scene = four_bar(kind)
    exact = ph.rollout(scene, steps=2500, dt=2e-4, integrator="event_driven").q[-1]
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        end = rolled(scene, steps=round(0.5 / dt), dt=dt)
        assert not end.unsolved.any()
        errors.append(np.abs(end.q[-1] - exact).max())
    assert 1e-4 < errors[0] < 0.05
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.6 * errors[1]


def test_loops_stay_closed_and_energy_does_not_rise():
    """A floor below stops the bars; positions come together in every step."""
    scene = four_bar(floor=-0.95)
    starts = np.array([bars(x) for x in np.linspace(0.1, 0.9, 20)])
    way = rolled(scene, q=starts, steps=3000, dt=1e-3, record_every=1)
    x, z = ends(way.q)
    assert not way.failed.any() and way.unsolved.sum() <= 1e-3 * 20 * 3000
    assert np.abs(x - 1.0).max() < 2e-5 and np.abs(z).max() < 2e-5
    knob = -np.sin(way.q[..., 0])
    assert knob.min() < -0.84 and knob.min() > -0.86
    energy = ph.energy(scene.model, way.q, way.qd).total
    assert (energy.max(axis=0) - energy[0]).max() < 5e-3 * np.ptp(energy, axis=0).max()


def test_every_step_obeys_the_laws_by_the_other_solver():
    scene, rng, dt, n = four_bar(floor=-0.95), np.random.default_rng(3), 1e-3, 100
    programs = step_programs(scene)
    angle, rate = rng.uniform(-0.5, 0.8, n), rng.normal(size=n)
    q = np.array([bars(x) for x in angle])
    qd = rate[:, None] * [1.0, -1.0, 1.0]
    x, tau = np.zeros((n, programs.kept.n_kept)), np.zeros((n, 3))
    for _ in range(200):
        given = q, qd, x, tau
        q, qd, x, error, _ = programs.step(*given, dt)
        solved = error < 1e-6
        assert solved.mean() > 0.95
        rows = programs.kept.all_rows(x)
        found = refined(programs.problem(*given, dt), programs.kinds, rows, dt)
        assert found.error[solved].max() < 1e-6


def test_worlds_with_loops_have_the_bits_that_they_have_alone():
    scene = four_bar(floor=-0.95)
    q = np.array([bars(x) for x in np.linspace(0.1, 0.9, 17)])
    many = rolled(scene, q=q, steps=300, dt=2e-3)
    for k in (0, 7, 16):
        assert rolled(scene, q=q[k], steps=300, dt=2e-3).q.tobytes() == many.q[:, k].tobytes()


def test_starts_with_open_loops_are_refused_or_close_without_a_velocity():
    scene = four_bar()
    open_start = np.add(bars(0.6), [0.05, 0, 0])
    with pytest.raises(ph.simulation.StartError, match="loop 'pin' is open by"):
        rolled(scene, q=open_start, steps=1, dt=1e-3)
    end = rolled(scene, q=open_start, steps=50, dt=1e-3, start="keep").q[-1]
    x, z = ends(end)
    assert abs(x - 1.0) < 1e-4 and abs(z) < 1e-4
