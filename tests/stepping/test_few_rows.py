"""Impulses as unknowns: the same steps as with velocities, in slots that are skipped if empty."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.algorithms.stepping import few_rows as few
from polhode.algorithms.stepping import moreau
from polhode.algorithms.stepping.blocks import ContactRows, OneSidedRow
from polhode.algorithms.stepping.few_rows import few_rows
from polhode.algorithms.stepping.impulse_space import ImpulseSpace
from polhode.algorithms.stepping.velocity_space import VelocitySpace
from polhode.binding.tracing import as_argument
from polhode.model import Box, Capsule, FloatingBase, Plane, Revolute, Sphere
from polhode.simulation.lanes import kept
from polhode.simulation.lanes.lowering import contact_model_of
from polhode.spatial import Transform
from stepping.lanes import rolled_as_alone, solved_again

STEP = 2e-3
NV = 7


def crawler(belly=None, friction=0.0, feet=4):
    """A body on four legs of four joints with limits; the lower links are capsules, which touch."""
    belly = belly or Sphere(0.15)
    block = np.diag([0.004, 0.004, 0.002])
    model = ph.Model("crawler").add("body", joint=FloatingBase(), mass=6.0,
                                    inertia=np.diag([0.1, 0.2, 0.2]))  # fmt: skip
    for leg, (x, y) in enumerate([(0.2, 0.12), (0.2, -0.12), (-0.2, 0.12), (-0.2, -0.12)]):
        parent, frame = "body", Transform.translation(x, y, 0)
        for k, axis in enumerate((Revolute.x(), Revolute.y(), Revolute.y(), Revolute.y())):
            name = f"leg{leg}{k}"
            model = model.add(name, parent=parent, joint=axis, frame=frame, mass=0.5,
                              com=(0, 0, -0.07), inertia=block, friction=friction,
                              limits=(-0.4 - 0.2 * k, 0.5))  # fmt: skip
            parent, frame = name, Transform.translation(0, 0, -0.14)
    scene = ph.Scene("crawler").add_fixed("floor", Plane())
    scene = scene.add_machine(model, q=[0, 0, 0.62, *[0.0] * 19, 1.0])
    scene = scene.add_geometry("belly", ("crawler", "body"), belly)
    for leg in range(feet):
        place = Transform.translation(0, 0, -0.07)
        scene = scene.add_geometry(f"shin{leg}", ("crawler", f"leg{leg}3"), Capsule(0.03, 0.14),
                                   frame=place)  # fmt: skip
    return scene.contact(mu_coulomb=0.6)


def test_slots_are_for_robots_with_few_rows():
    """One tree, more velocities than usual rows, no more flat shapes than slots have room for."""
    chosen = few_rows(contact_model_of(crawler()))
    assert chosen is not None and chosen == few.FewRows(points=11, limits=9)
    assert few_rows(contact_model_of(crawler(Box((0.3, 0.2, 0.1))))) == chosen
    assert few_rows(contact_model_of(crawler(friction=0.1))) is None  # 16 rows that are always near
    boxes = ph.Scene("boxes").add_fixed("floor", Plane()).contact(mu_coulomb=0.5)
    for k in range(5):
        boxes = boxes.add_body(f"b{k}", Box((0.2, 0.2, 0.2)), mass=1.0, position=(k, 0, 0.1))
    assert few_rows(contact_model_of(boxes)) is None


def test_a_robot_with_flat_feet_has_velocities_as_unknowns():
    scene = crawler(Box((0.3, 0.2, 0.1)), feet=0)
    for leg in range(2):
        scene = scene.add_geometry(f"foot{leg}", ("crawler", f"leg{leg}3"), Box((0.1, 0.06, 0.02)),
                                   frame=Transform.translation(0, 0, -0.14))  # fmt: skip
    assert few_rows(contact_model_of(scene)) is None


def use(monkeypatch, choose):
    """Have other slots in steps of arrays; nothing is compiled so."""
    for module in (moreau, kept):
        monkeypatch.setattr(module, "few_rows", choose)


def test_steps_are_those_with_velocities_as_unknowns(monkeypatch):
    """From states of a fall, a slide and a rest, on arrays of worlds."""
    scene, rng, n = crawler(), np.random.default_rng(3), 48
    whole = contact_model_of(scene)
    run = ph.rollout(scene, qd=0.5 * rng.normal(size=(n, 22)), steps=400, dt=STEP,
                     record_every=100, integrator="moreau")  # fmt: skip
    some = 0
    for q, qd in zip(run.q[1:], run.qd[1:], strict=True):
        ends = []
        for choose in (lambda _: None, few_rows):
            use(monkeypatch, choose)
            model = whole.model
            parts = [as_argument(key, x.T, model) for key, x in (("q", q), ("qd", qd))]
            drive = moreau.StepForces(as_argument("tau", 0.0 * qd.T, model))
            x = [np.zeros(n)] * kept.KeptRows(whole, 16).n_kept
            with np.errstate(all="ignore"):  # of rows that are near in other worlds
                ends.append(moreau.moreau_step(whole, *parts, drive, x, STEP))
        a, b = (np.broadcast_arrays(*end.v) for end in ends)
        solved = (ends[0].error < 1e-7) & (ends[1].error < 1e-7)
        assert solved.mean() > 0.9
        off = np.abs(np.array(a) - b)[:, solved] / (1.0 + np.abs(b)[:, solved])
        assert off.max() < 1e-6
        rows = kept.KeptRows(whole, 16).all_rows(np.array(np.broadcast_arrays(*ends[1].x)).T)
        some += int(np.sum(rows[solved] != 0.0))
    assert some > 1000


def test_worlds_have_the_bits_that_they_have_alone():
    qd = 0.5 * np.random.default_rng(0).normal(size=(21, 22))
    many = rolled_as_alone(crawler(), qd, steps=300, dt=STEP)
    assert many.refined.sum() < 0.01 * 21 * 300


def test_the_exact_solver_agrees():
    qd = 0.5 * np.random.default_rng(1).normal(size=(24, 22))
    ends = list(solved_again(crawler(), qd, 400, STEP, 40))
    assert sum((again.x[:, 16:] > 0).sum() for again in ends) > 100


def test_more_points_than_slots_are_left_to_the_exact_solver(monkeypatch):
    """With one slot, at two points: the error says so."""
    scene, n = crawler(), 4
    whole = contact_model_of(scene)
    run = ph.rollout(scene, steps=200, dt=STEP, integrator="moreau")
    use(monkeypatch, lambda _: few.FewRows(1, 6))
    q, qd = (np.tile(x[-1], (n, 1)).T for x in (run.q, run.qd))
    parts = [as_argument(key, x, whole.model) for key, x in (("q", q), ("qd", qd))]
    drive = moreau.StepForces(as_argument("tau", 0.0 * qd, whole.model))
    x = [np.zeros(n)] * kept.KeptRows(whole, 16).n_kept
    with np.errstate(all="ignore"):
        assert np.isinf(moreau.moreau_step(whole, *parts, drive, x, STEP).error).all()


@pytest.mark.parametrize("seed", range(6))
def test_newton_steps_are_those_with_velocities_as_unknowns(seed):
    """Of random rows in two chains of which some are near, before and after impulses move."""
    rng = np.random.default_rng(seed)
    counts = float(rng.integers(0, 4)), float(rng.integers(0, 6))
    points, ends = [_point(rng, counts[0] > k) for k in range(3)], []
    for k in range(5):
        ends.append(_end(rng, counts[1] > 2 * (k // 2)))
    blocks = [_end(rng, True), *points, *ends]
    impulses = ImpulseSpace(blocks, [range(4), range(4, 9)], NV)
    velocities = VelocitySpace(blocks, [range(NV)])
    x = [list(rng.uniform(0, 1, len(b.y))) for b in blocks]
    (x, u), (same, w) = impulses.begun(x), velocities.begun(x)
    assert x == same
    for prox in (1e-1, 1e-2):
        x, u = impulses.newton_step(x, u, prox)
        same, w = velocities.newton_step(same, w, prox)
        for block, a, b in zip(blocks, x, same, strict=True):
            assert a == pytest.approx(b, rel=1e-9, abs=1e-9) if block.is_near else a == b
        assert impulses.total(x, u) == pytest.approx(w, rel=1e-9, abs=1e-9)
        assert impulses.error(x, u) == pytest.approx(velocities.error(same, w), rel=1e-7)


def test_sweeps_lower_the_error_and_keep_what_is_not_near():
    rng = np.random.default_rng(9)
    blocks = [*(_point(rng, k < 2) for k in range(3)), *(_end(rng, k < 1) for k in range(2))]
    space = ImpulseSpace(blocks, [range(3), range(3, 5)], NV)
    x, u = space.begun([[0.0] * len(b.y) for b in blocks])
    after, v = space.approached(x, u)
    assert space.error(after, v) < 0.5 * space.error(x, u)
    assert after[2] == [0.0] * 3 and after[4] == [0.0]
    fresh = space.begun(after)[1]
    assert np.concatenate(v) == pytest.approx(np.concatenate(fresh), abs=1e-12)


def _row(rng):
    return dict(enumerate(rng.normal(size=NV).tolist()))


def _point(rng, near):
    y = _row(rng), _row(rng), _row(rng)
    own = [sum(a * a for a in row.values()) for row in y]
    delassus = own[0], own[1] + own[2]
    free = tuple(rng.normal(size=3) - [1.0, 0, 0])
    return ContactRows(bool(near), y, free, tuple(1 / d for d in delassus), delassus, 0.0, 0.5)


def _end(rng, near):
    y = _row(rng)
    own = sum(a * a for a in y.values())
    return OneSidedRow(bool(near), (y,), (rng.normal() - 0.5,), (1 / own,), (own,), 0.0)
