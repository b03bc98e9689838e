"""Roll-outs of models and scenes: the bits of one world alone, whatever the threads."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

import polhode as ph
from contact.stepping_scenes import pendulum, pile
from polhode.compiler.codegen.machine import Engine
from polhode.errors import ArgumentError
from polhode.model import Prismatic, Revolute

BY_EVENTS = {"integrator": "event_driven"}
SWINGING = (
    ph.Model("two bars")
    .add("upper", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.5))
    .add("lower", parent="upper", joint=Revolute.y(), mass=0.5, com=(0, 0, -0.2), damping=0.01)
)
RUBBING = (
    ph.Model("cart pole")
    .add("cart", joint=Prismatic.x(), mass=1.0, limits=(-0.3, 0.3), friction=0.5)
    .add("pole", parent="cart", joint=Revolute.y(), mass=0.2, com=(0, 0, -0.5), damping=0.01)
)


@pytest.fixture
def threads():
    """Sets the number of threads, and puts it back."""
    before = ph.get_num_threads()
    yield ph.set_num_threads
    ph.set_num_threads(before)


@pytest.fixture(scope="module")
def arm():
    return ph.load(str(files("polhode") / "examples" / "arm.urdf"))


@pytest.mark.parametrize("options", [{}, {"contact": "none"}, {"joint_forces": "none"}], ids=str)
@pytest.mark.parametrize("subject", [RUBBING, pile(2)], ids=["model", "scene"])
def test_compiled_code_is_loaded_once(subject, options, monkeypatch):
    """A learner calls for one step at a time; loading the code took longer than the step."""
    loaded = []
    load = Engine.__init__
    monkeypatch.setattr(Engine, "__init__", lambda self, *a: (loaded.append(1), load(self, *a))[1])
    qd = np.zeros((8, subject.nv if isinstance(subject, ph.Model) else subject.model.nv))
    counts = []
    for _ in range(3):
        ph.rollout(subject, qd=qd, steps=1, **options)
        counts.append(len(loaded))
    assert counts[1:] == counts[:1] * 2


@pytest.mark.parametrize("method", ["rk4", "semi_implicit"])
def test_models_move_alike_in_any_batch(arm, threads, method):
    """A world in a batch, with forces of its own in each step, has the bits of it alone."""
    rng = np.random.default_rng(0)
    q = ph.random_configuration(arm, rng, size=(600,))
    controls = rng.normal(size=(600, 20, arm.nv))
    options = {
        "steps": 20,
        "dt": 1e-3,
        "record_every": 8,
        "integrator": method,
        "joint_forces": "none",
    }
    threads(3)
    many = ph.rollout(arm, q=q, controls=controls, **options)
    threads(1)
    assert many.q.shape == (4, 600, arm.nq)
    assert many.times == pytest.approx([0.0, 0.008, 0.016, 0.02])
    assert not many.failed.any()
    for k in (0, 255, 256, 599):
        alone = ph.rollout(arm, q=q[k], controls=controls[k], **options)
        assert alone.q.tobytes() == many.q[:, k].tobytes()
        assert alone.qd.tobytes() == many.qd[:, k].tobytes()


def test_models_move_as_in_simulate(arm):
    """The same method with the same held forces, by the other door."""
    rng = np.random.default_rng(1)
    q = ph.random_configuration(arm, rng, size=(5,))
    controls = rng.normal(size=(5, 50, arm.nv))
    held = ph.simulation.zero_order_hold(
        lambda t, state: controls[:, min(round(t / 1e-3), 49)], 1e-3
    )
    options = {"integrator": "rk4", "joint_forces": "none"}
    there = ph.simulate(arm, 0.05, q0=q, controller=held, record=0.05, **options)
    here = ph.rollout(arm, q=q, controls=controls, steps=50, dt=1e-3, **options)
    assert np.abs(here.q[-1] - there.q[-1]).max() < 1e-13
    assert np.abs(here.qd[-1] - there.qd[-1]).max() < 1e-12


def test_a_free_motion_keeps_energy(arm):
    """Without forces, and from rest if not told otherwise."""
    q = np.full(arm.nq, 0.5)
    swing = ph.rollout(arm, q=q, steps=1000, dt=1e-3, record_every=100, joint_forces="none")
    assert not swing.qd[0].any()
    total = np.add(*ph.energy(arm, swing.q, swing.qd))
    assert np.ptp(swing.q, axis=0).max() > 0.1
    assert np.abs(total - total[0]).max() < 1e-7 * np.abs(total).max()


def test_scenes_move_alike_with_any_threads(threads):
    """Worlds of a pile in contact: the bits of `simulate`, with one thread or with four."""
    scene = pile(3, count=5, restitution=0.2)
    noise = 0.3 * np.random.default_rng(0).normal(size=(6, scene.model.nv))
    qd = np.array(scene.qd0) + noise
    outs = []
    for n in (1, 4):
        threads(n)
        outs.append(ph.rollout(scene, qd=qd, steps=700, dt=1e-3, record_every=300, **BY_EVENTS))
    one, four = outs
    assert one.q.tobytes() == four.q.tobytes()
    assert one.qd.tobytes() == four.qd.tobytes()
    assert one.q.shape == (4, 6, scene.model.nq)
    assert sum(report["contacts"] for report in one.reports) > 0
    for k in (0, 5):
        alone = ph.simulate(scene.at(scene.q0, qd[k]), 0.7, dt=1e-3, record=100)
        for row, record in enumerate((0, 3, 6, 7)):
            assert alone.q[record].tobytes() == one.q[row, k].tobytes()
            assert alone.qd[record].tobytes() == one.qd[row, k].tobytes()
        assert one.reports[k] == alone.report


def test_a_scene_in_which_nothing_moves_is_told_and_stays():
    scene = ph.Scene("empty room")
    with pytest.warns(ph.ModelWarning, match="'moreau' has no step where nothing moves"):
        motion = ph.rollout(scene, steps=3)
    assert motion.q.shape[-1] == 0
    with pytest.raises(ph.ModelError, match=r"no step where nothing moves .*; use 'event_driven'"):
        ph.Simulator(scene, integrator="moreau")


def test_each_world_may_have_a_scene_of_its_own(threads):
    """Other frictions and rebounds, with the bits of each scene alone."""
    threads(2)
    scenes = [pile(1, count=4, restitution=e, mu=mu) for e, mu in ((0, 0.1), (0.5, 0.9), (0.9, 0))]
    together = ph.rollout(scenes, steps=600, dt=1e-3)
    assert together.q.shape[:2] == (2, 3)
    for k, scene in enumerate(scenes):
        alone = ph.rollout(scene, steps=600, dt=1e-3, **BY_EVENTS)
        assert alone.q.tobytes() == together.q[:, k].tobytes()
    assert together.q[-1, 0].tobytes() != together.q[-1, 1].tobytes()


def test_forces_of_scenes():
    """Constant forces and forces of each step are those of a controller."""
    scene = pendulum()
    controls = 3.0 * np.random.default_rng(2).normal(size=(3, 300, 2))
    many = ph.rollout(scene, controls=controls, steps=300, dt=1e-3, record_every=100, **BY_EVENTS)
    driven = ph.simulate(
        scene, 0.3, dt=1e-3, record=100, controller=lambda t, _: controls[1, round(t / 1e-3)]
    )
    assert many.q[:, 1].tobytes() == driven.q.tobytes()
    steady = ph.rollout(scene, tau=[1.0, 2.0], steps=300, dt=1e-3, **BY_EVENTS)
    held = ph.simulate(scene, 0.3, dt=1e-3, record=100, controller=lambda t, _: [1.0, 2.0])
    assert steady.q[-1].tobytes() == held.q[-1].tobytes()
    plain = ph.rollout(scene, steps=300, dt=1e-3, **BY_EVENTS)
    assert plain.q[-1].tobytes() != steady.q[-1].tobytes()


@pytest.mark.parametrize("subject", [ph.Scene.of(SWINGING), RUBBING], ids=["scene", "model"])
def test_worlds_side_by_side_are_of_first_order(subject):
    """The default of scenes and of joints that stop; its errors halve with the step."""
    qd = np.linspace(-2.0, 2.0, 5)[:, None] * np.ones(2)
    exact = ph.rollout(subject, qd=qd, steps=1000, dt=5e-4, **BY_EVENTS)
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        ends = ph.rollout(subject, qd=qd, steps=round(0.5 / dt), dt=dt)
        assert ends.integrator == "moreau" and not ends.unsolved.any()
        errors.append(np.abs(ends.q[-1] - exact.q[-1]).max())
    assert 1.6 < errors[0] / errors[1] < 2.6 and 1.6 < errors[1] / errors[2] < 2.6, errors
    assert errors[2] < 1e-2


def test_a_motion_that_is_not_finite_is_marked(arm):
    """The other worlds go on."""
    torque = np.zeros((3, arm.nv))
    torque[1] = 1e200
    ends = ph.rollout(arm, tau=torque, steps=50, dt=1e-2)
    assert ends.failed.tolist() == [False, True, False]
    scene = pendulum()
    torque = np.zeros((3, 2))
    torque[1] = 1e200
    ends = ph.rollout(scene, tau=torque, steps=50, dt=1e-2, record_every=10)
    assert ends.failed.tolist() == [False, True, False]
    assert np.isfinite(ends.q[0]).all()


def test_what_does_not_fit_is_refused(arm):
    """Shapes with names, and what belongs to models only."""
    scene = pile(0, count=2)
    with pytest.raises(ph.ShapeError, match=r"expected controls of shape .*= \(5, 6\).*\(4, 6\)"):
        ph.rollout(arm, controls=np.zeros((4, 6)), steps=5)
    with pytest.raises(ph.ShapeError, match=r"got \(6,\); np.tile\(controls, \(5, 1\)\) are"):
        ph.rollout(arm, controls=np.zeros(6), steps=5)
    with pytest.raises(ph.ShapeError, match=r"broadcast, got q \(3,\), qd \(\), tau \(5,\) "):
        ph.rollout(scene, q=np.tile(scene.q0, (3, 1)), tau=np.zeros((5, 12)), steps=5)
    with pytest.raises(TypeError, match="expected tau or controls, got both"):
        ph.rollout(arm, tau=np.zeros(6), controls=np.zeros((5, 6)), steps=5)
    with pytest.raises(TypeError, match="unexpected u without ground"):
        ph.rollout(arm, u=np.zeros((0, 2)), steps=5, joint_forces="none")
    with pytest.raises(ph.ShapeError, match=r"expected nq = 14 on the last axis of q, got \(3,\)"):
        ph.rollout(scene, q=np.zeros(3), steps=5)
    with pytest.raises(ph.ShapeError, match="expected one axis of 2 worlds, as many as scenes"):
        ph.rollout([scene, scene], qd=np.zeros((3, 2, 12)), steps=5)
    with pytest.raises(ph.ShapeError, match=r"as the first, got \(21, 18\)"):
        ph.rollout([scene, pile(0, count=3)], steps=5)
    with pytest.raises(ph.ModelError, match="forces on the free body 'body0' turn with it"):
        ph.rollout(scene, tau=np.ones(12), steps=5, **BY_EVENTS)
    with pytest.raises(ValueError, match="expected unit quaternions"):
        ph.rollout(scene, q=np.zeros(14), steps=5)
    with pytest.raises(TypeError, match="unexpected ground or u"):
        ph.rollout(scene, u=np.zeros(2), steps=5)
    with pytest.raises(TypeError, match="expected a Model, a Scene or Scenes"):
        ph.rollout([arm], steps=5)
    with pytest.raises(ValueError, match="expected integrator"):
        ph.rollout(scene, integrator="rk4", steps=5)


@pytest.mark.parametrize("integrator", [None, "rk4", "semi_implicit", "moreau", "event_driven"])
def test_contact_of_a_model_is_refused(arm, integrator):
    """Some integrators ignored it, and took any word."""
    with pytest.raises(ArgumentError, match="'exac'; did you mean 'exact'"):
        ph.rollout(arm, steps=1, integrator=integrator, contact="exac")
    with pytest.raises(ph.ModelError, match="expected contact 'none' for a model"):
        ph.rollout(arm, steps=1, integrator=integrator, contact="exact")


@pytest.mark.parametrize("integrator", ["rk4", "moreau", "event_driven"])
@pytest.mark.parametrize("batch", [(0,), (2, 0, 3)])
def test_no_worlds_are_a_batch(integrator, batch):
    q = np.zeros((*batch, 2))
    ends = ph.rollout(SWINGING, q=q, steps=3, integrator=integrator)
    assert ends.q.shape == ends.qd.shape == (2, *batch, 2)
    assert ends.failed.shape == ends.unsolved.shape == ends.penetration.shape == batch


@pytest.mark.parametrize("integrator", ["moreau", "rk4"])
def test_a_sequence_of_scenes_has_one_integrator(integrator):
    """Any other was ignored."""
    scenes = [pile(1), pile(1)]
    with pytest.raises(ArgumentError, match="integrator of a sequence of scenes, got"):
        ph.rollout(scenes, steps=2, integrator=integrator)
    with pytest.raises(ArgumentError, match=r"'event_drive'.*event_driven"):
        ph.rollout(scenes, steps=2, integrator="event_drive")
    with pytest.raises(TypeError, match="Scenes as model"):
        ph.rollout([1], steps=2, integrator=integrator)
    assert ph.rollout(scenes, steps=2, **BY_EVENTS).q.shape[1] == 2
