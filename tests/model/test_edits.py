"""Edits of a model give new models whose dynamics is what the edit says."""

import pickle
import re

import numpy as np
import pytest

import polhode as ph
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.errors import ModelError
from polhode.model import (
    Axes,
    Custom,
    Euler,
    FloatingBase,
    Limits,
    Model,
    Prismatic,
    Revolute,
    Spherical,
)
from polhode.spatial import Transform, Vec3, rotation_about, rotation_x

I = INERTIA = ((0.3, 0.01, -0.02), (0.01, 0.2, 0.03), (-0.02, 0.03, 0.25))
TILTED = Transform(rotation_about(Vec3(0.6, 0.0, 0.8), 0.7), Vec3(0.1, -0.2, 0.3))


def arm() -> Model:
    return (
        Model("arm")
        .add("root", mass=2.0, com=(0.1, 0.0, 0.2), inertia=INERTIA)
        .append(
            "upper", joint=Revolute.y(), frame=TILTED, mass=1.5, com=(0.2, 0, 0), inertia=INERTIA
        )
        .append("plate", frame=TILTED, mass=0.4, com=(0.0, 0.1, 0.1), inertia=INERTIA)
        .append("fore", joint=Prismatic((0.6, 0.0, -0.8)), frame=TILTED, mass=0.7, inertia=INERTIA)
        .append("wrist", joint=Euler("ZYX"), mass=0.3, com=(0.05, 0, 0), inertia=INERTIA)
        .append("ball", joint=Spherical(), frame=TILTED, mass=0.2, com=(0, 0, 0.1), inertia=INERTIA)
    )


def state(model: Model, seed: int = 0):
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, model.nq)
    for joint in model.joints:
        if joint.kind.nq != joint.kind.nv:
            quaternion = np.arange(model.nq)[joint.q][-4:]
            q[quaternion] /= np.linalg.norm(q[quaternion])
    return q, rng.standard_normal(model.nv), rng.standard_normal(model.nv)


def torque(model: Model, q, qd, qdd) -> np.ndarray:
    return run_plain(algorithms.rnea, model, [q, qd, qdd])


def test_a_model_is_a_value():
    """Equal declarations compare and hash equal, pickle to the same, and differ when changed."""
    one, two = arm(), arm()
    assert one == two and hash(one) == hash(two) and one.fingerprint == two.fingerprint
    copy = pickle.loads(pickle.dumps(one))
    assert copy == one and copy.fingerprint == one.fingerprint
    changed = one.append("tip", mass=0.1)
    assert changed != one and changed.fingerprint != one.fingerprint
    assert "tip" not in one.hierarchy() and "arm" in repr(one)


def test_adding_one_by_one_is_declaring_at_once():
    """A model grown link by link equals the one made of the same links, body for body."""
    grown = arm()
    whole = Model("arm", grown.links)
    assert whole == grown and whole.fingerprint == grown.fingerprint
    assert [int(b) for b in whole.bodies] == list(range(1, grown.n_bodies + 1))


def test_fuse_keeps_the_dynamics():
    """Merging fixed links changes no joint force."""
    model = arm()
    fused = model.fuse()
    assert "plate" not in fused.hierarchy() and fused.nv == model.nv
    np.testing.assert_allclose(
        torque(fused, *state(model)), torque(model, *state(model)), rtol=1e-13
    )


def test_lock_is_a_joint_that_stands_still():
    """Locking a joint removes its entries and leaves the other forces as they were."""
    model = arm()
    q, qd, qdd = state(model)
    held = model.joint("upper")
    qd[held.v] = qdd[held.v] = 0.0
    locked = model.lock({"upper": q[held.q][0]})
    kept = np.setdiff1d(np.arange(model.nv), np.arange(model.nv)[held.v])
    kept_q = np.setdiff1d(np.arange(model.nq), np.arange(model.nq)[held.q])
    np.testing.assert_allclose(
        torque(locked, q[kept_q], qd[kept], qdd[kept]), torque(model, q, qd, qdd)[kept], rtol=1e-12
    )
    ball = model.joint("ball")
    assert model.lock({"ball": q[ball.q]}).nq == model.nq - 4


def test_float_frees_the_root():
    """A floating root at rest in a frame that does not move carries the whole weight."""
    model = arm().float()
    assert model.nv == arm().nv + 6 and isinstance(model.joint("root_joint").kind, FloatingBase)
    q = np.zeros(model.nq)
    for joint in model.joints:
        q[joint.q] = joint.kind.neutral()
    weight = sum(b.mass for b in model.bodies) * 9.81
    force = run_plain(algorithms.gravity, model, [q])
    np.testing.assert_allclose(force[:3], [0, 0, weight], rtol=1e-12, atol=1e-12)
    with pytest.raises(ModelError, match="one link fixed to the base"):
        Model().add("a", joint=Revolute.x()).float()


def test_attach_moves_a_whole_machine():
    """A machine attached through a frame has the dynamics of one built there."""
    hand = Model("hand").add("finger", joint=Revolute.x(), frame=TILTED, mass=0.1, inertia=INERTIA)
    mount = Transform(rotation_x(0.3), Vec3(0.0, 0.0, 0.5))
    joined = arm().attach(hand, to="wrist", frame=mount, prefix="left_")
    built = arm().add(
        "left_finger", joint=Revolute.x(), parent="wrist", frame=TILTED @ mount, mass=0.1,
        inertia=INERTIA,
    )  # fmt: skip
    assert joined.body("left_finger").parent == joined.body("wrist")
    np.testing.assert_array_equal(torque(joined, *state(joined)), torque(built, *state(built)))


def test_rename_changes_only_names():
    """Renaming keeps every number, and every reference to the renamed."""
    model = arm().rename({"upper": "arm_1"})
    assert model.body("plate").moving == model.body("arm_1") and model.joint("arm_1").kind
    assert model.fingerprint == arm().fingerprint


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (lambda m: m.add("upper"), "'upper' again"),
        (lambda m: m.add("x", parent="uper"), "did you mean 'upper'"),
        (lambda m: m.add("x", mass=-1.0), "mass of at least 0 for link 'x'"),
        (lambda m: m.add("x", joint=Revolute.x(), joint_name="upper"), "joint, got 'upper' again"),
        (lambda m: m.rename({"uper": "y"}), "did you mean 'upper'"),
        (lambda m: m.lock({"uper": 0.0}), "did you mean 'upper'"),
        (lambda m: m.lock({"upper": (0.0, 1.0)}), "expected 1 positions"),
        (lambda m: m.body("forearm"), "no body 'forearm'"),
        (lambda m: m.body(99), "expected a body from 0 to"),
        (lambda m: m.joint("bal"), "did you mean 'ball'"),
        (lambda m: Model("m", m.links[::-1]), "a parent is added before its children"),
        (lambda m: Model("m", gravity=(0, 0)), "three finite numbers as gravity"),
    ],
)
def test_wrong_edits_say_what_was_expected(action, text):
    """Each wrong edit is a ModelError that names the culprit and what is near it."""
    with pytest.raises(ModelError, match=text):
        action(arm())


@pytest.mark.parametrize(
    "make",
    [
        lambda: Revolute((0, 0, 0)),
        lambda: Revolute((0, 0)),
        lambda: Prismatic((0, float("nan"), 1)),
        lambda: Euler("XXX"),
        lambda: Axes(()),
        lambda: Axes(((1, 0, 0, 0, 0, 0),) * 7),
        lambda: Custom(7, lambda q, qd: None),
    ],
)
def test_joints_that_cannot_be_are_refused(make):
    """A joint without a proper axis, order or freedom is a ValueError at once."""
    with pytest.raises(ValueError, match="expected"):
        make()


def test_views_tell_where_things_are():
    """Joint views index into q and qd; a quaternion's w sits at the end of q."""
    model = arm().add("door", joint=Revolute.z(), mass=1.0, limits=Limits(-1.0, 1.0))
    ball, door = model.joint("ball"), model.joint("door")
    assert list(ball.q) == [5, 6, 7, 9] and ball.v == slice(5, 8)
    assert door.q == slice(8, 9) and door.limits == Limits(-1.0, 1.0)
    plate = model.body("plate")
    assert plate.is_fixed and plate.moving == model.body("upper") and plate.mass == 0.4
    assert model.body("upper").mass == pytest.approx(1.9)
    assert model.dof_overview().splitlines()[0].strip() == "0: upper_RY"


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda m: m.body("rod"), "no body 'rod' in model 'pole', which has no links"),
        (lambda m: m.joint("rod"), "no joint 'rod' in model 'pole', which has no joints"),
        (lambda m: ph.mass_matrix(m, [0.5]), "got 1 (model 'pole', which has no links"),
    ],
)
def test_a_model_whose_additions_went_nowhere(use, text):
    """``add`` returns a new model; who drops that is told."""
    pole = Model("pole")
    pole.add("rod", joint=Revolute.x(), mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(ValueError, match=re.escape(f"{text}: Model.add returns a new model")):
        use(pole)
