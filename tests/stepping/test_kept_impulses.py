"""Impulses that steps keep: they stay with their points, whichever slots these are in."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.algorithms.stepping.kept_impulses import IN_SLOT, impulses_of, kept_points
from polhode.model import Box, FloatingBase, Plane, Revolute, Sphere
from polhode.simulation.lanes.kept import KeptRows
from polhode.simulation.lanes.lowering import contact_model_of
from polhode.simulation.lanes.programs import step_programs
from polhode.spatial import Transform
from stepping.lanes import rolled

STEP = 2e-3


def stool(feet: int) -> ph.Scene:
    """A body that stands on spheres."""
    scene = ph.Scene("stool").add_fixed("floor", Plane()).contact(mu_coulomb=0.5)
    model = ph.Model("stool").add("seat", joint=FloatingBase(), mass=2.0, inertia=np.eye(3))
    scene = scene.add_machine(model, q=[0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0])
    for k in range(feet):
        angle = 2.0 * np.pi * k / feet
        place = Transform.translation(np.cos(angle), np.sin(angle), -0.4)
        scene = scene.add_geometry(f"foot{k}", ("stool", "seat"), Sphere(0.1), frame=place)
    return scene


def heap() -> ph.Scene:
    """Two boxes on the floor, joined by nothing, and an arm with limits beside them."""
    scene = ph.Scene("heap").add_fixed("floor", Plane()).contact(mu_coulomb=0.5)
    scene = scene.add_body("low", Box((0.2, 0.2, 0.2)), mass=1.0, position=(0, 0, 0.1))
    scene = scene.add_body("high", Box((0.2, 0.2, 0.2)), mass=1.0, position=(0.02, 0, 0.3))
    arm = ph.Model("arm").add("bar", joint=Revolute.x(), mass=1.0, com=(0, 0, 0.2),
                              limits=(-0.5, 0.5))  # fmt: skip
    return scene.add_machine(arm, "arm", q=[0.1])


def test_a_point_finds_its_impulses_in_any_slot():
    kept = kept_points([3.0, 1.0, 2.0, 3.0, -1.0, 0.0, 0.0, 0.0, 0.0, 7.0, 8.0, 9.0])
    assert impulses_of(0.0, kept) == [7.0, 8.0, 9.0]
    assert impulses_of(3.0, kept) == [1.0, 2.0, 3.0]
    assert impulses_of(5.0, kept) == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("scene", [stool(4), heap()], ids=["stool", "heap"])
def test_steps_do_not_depend_on_the_order_of_slots(scene):
    programs, rng = step_programs(scene), np.random.default_rng(0)
    n = 16
    q, qd = np.tile(scene.q0, (n, 1)), 0.1 * rng.normal(size=(n, scene.model.nv))
    x, tau = np.zeros((n, programs.kept.n_kept)), np.zeros_like(qd)
    first, pressed = programs.kept.n_joints, 0
    for _ in range(60):
        other = x.copy()
        slots = other[:, first:].reshape(n, -1, IN_SLOT)
        group = slots[:, : programs.kept.n_slots[0]]
        group[:] = group[:, rng.permutation(group.shape[1])]
        ends = [programs.step(q, qd, start, tau, STEP) for start in (x, other)]
        for a, b in zip(*ends, strict=True):
            assert a.tobytes() == b.tobytes()
        pressed += int((other != x).any())
        q, qd, x, *_ = ends[0]
    assert pressed > 20


@pytest.mark.parametrize("scene", [stool(12), heap()], ids=["stool", "heap"])
def test_what_is_kept_of_all_rows(scene):
    """All, if no more points press than there are slots; else those that press most."""
    whole = contact_model_of(scene)
    kept, rng = KeptRows(whole, len(whole.limits)), np.random.default_rng(1)
    rows = rng.normal(size=(5, kept.n_joints + 3 * kept.n_points))
    few = rows.copy()
    few[:, kept.n_joints + 9 :] = 0.0
    assert np.array_equal(kept.all_rows(kept.kept(few)), few)
    back = kept.all_rows(kept.kept(rows))
    points, found = (x[:, kept.n_joints :].reshape(5, -1, 3) for x in (rows, back))
    is_kept = found.any(axis=-1)
    assert np.array_equal(found[is_kept], points[is_kept])
    assert is_kept.sum(axis=1).tolist() == [min(sum(kept.n_slots), kept.n_points)] * 5
    size = np.abs(points).max(axis=-1)
    if len(kept.n_slots) == 1:
        assert all(size[k][is_kept[k]].min() > size[k][~is_kept[k]].max() for k in range(5))


def test_all_forces_are_recorded_of_more_points_than_there_are_slots():
    """The exact solver has all of them: twelve feet on the floor carry the weight."""
    scene = stool(12)
    run = ph.simulate(scene, 0.1, dt=STEP, integrator="moreau", record=1)
    contacts = run.contacts(-1)
    assert len(contacts) == 12 > max(step_programs(scene).kept.n_slots)
    total = sum(np.abs(contact.force[2]) for contact in contacts)
    assert total == pytest.approx(2.0 * 9.81, rel=1e-9)
    assert rolled(scene, steps=50, dt=STEP).refined == 50
