"""Constraint sets as values, their programs, and the arguments that are refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import polhode as ph
from constraints.machines import PIN_X, PIN_Y, closed, constrained_state, standing
from models import at, four_bar, walker
from polhode import algorithms
from polhode.constraints import Contact
from polhode.errors import ShapeError
from polhode.formats.lua import ContactConstraint
from random_trees import tree

MODEL = walker()
FEET = standing(MODEL)
STATE = constrained_state(MODEL)


def test_declared_sets_are_a_mapping():
    """A model keeps the sets of its file by name, given as a mapping or as pairs, and immutable."""
    rows = (ContactConstraint("trunk", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),)
    model = ph.Model("m", MODEL.links, constraint_sets={"feet": rows, "none": ()})
    assert list(model.constraint_sets) == ["feet", "none"] and model.constraint_sets["feet"] == rows
    assert model == ph.Model("m", MODEL.links, constraint_sets=[("feet", rows), ("none", [])])
    assert len(ph.constraints.ConstraintSet.declared(model, "feet")) == 1
    with pytest.raises(TypeError):
        model.constraint_sets["other"] = ()  # type: ignore[index]


@pytest.mark.parametrize("sets", [3, "ab", [("feet",)], {"feet": 1}, [("a", ()), ("a", ())]])
def test_declared_sets_that_are_none(sets):
    """What is no mapping, and two sets of one name."""
    with pytest.raises(ph.ModelError, match=r"constraint.sets"):
        ph.Model("m", MODEL.links, constraint_sets=sets)


def test_a_set_is_a_value():
    """Adding makes a new set; equal sets compare, hash and pickle equal."""
    empty = ph.constraints.ConstraintSet(MODEL)
    one = empty.contact("trunk", (0, 0, 0), (0, 0, 1), name="belly")
    assert len(empty) == 0
    assert one.names == ("belly",)
    assert one == ph.constraints.ConstraintSet(MODEL).contact(
        "trunk", (0, 0, 0), (0, 0, 1), name="belly"
    )
    assert pickle.loads(pickle.dumps(FEET)) == FEET
    assert hash(pickle.loads(pickle.dumps(FEET))) == hash(FEET)
    assert (one + FEET).n_rows == 7


def test_groups_are_places():
    """A new point, body or user's number begins a new group."""
    made = FEET.contact("left shin", (0, 0, -0.4), (1, 0, 0), name="again", id=3)
    made = made.contact("left shin", (0, 0, -0.4), (0, 1, 0), id=4)
    assert [(g.name, len(g), g.rows.start) for g in made.groups] == [
        ("left", 3, 0), ("right", 3, 3), ("again", 1, 6), ("", 1, 7)
    ]  # fmt: skip
    assert made.group("right").kind == "contact"
    assert "contact 'left' x3" in repr(made)


def test_stabilization_separates_groups():
    """Rows of one loop with different time constants are not one group, for it has one."""
    loop = closed(four_bar(), (PIN_X,), stabilization=0.1)
    loop = loop.loop(0, "rocker", at(1.1), at(0.8), PIN_Y, name="other")
    assert [group.stabilization for group in loop.groups] == [0.1, None]


def test_members_of_a_batch_are_bit_by_bit_what_they_are_alone():
    """One state alone, and as a member of a batch, gives identical numbers."""
    states = [
        np.stack(x) for x in zip(*(constrained_state(MODEL, k) for k in range(5)), strict=True)
    ]
    together = ph.constrained_dynamics(MODEL, FEET, *states)
    for k in range(5):
        alone = ph.constrained_dynamics(MODEL, FEET, *(x[k] for x in states))
        np.testing.assert_array_equal(alone.qdd, together.qdd[k])
        np.testing.assert_array_equal(alone.force, together.force[k])


@pytest.mark.parametrize("method", ["range_space", "kokkevis", "direct", "null_space"])
def test_methods_take_batches_forces_and_out(method):
    """Every method broadcasts, counts external forces, and writes where it is told to."""
    q, qd, tau = constrained_state(MODEL, 1)
    taus = np.stack([tau, 2.0 * tau])
    f_ext = np.random.default_rng(0).standard_normal((MODEL.n_bodies, 6))
    out = np.empty((2, MODEL.nv)), np.empty((2, 6))
    motion = ph.constrained_dynamics(MODEL, FEET, q, qd, taus, f_ext, method=method, out=out)
    assert motion.qdd is out[0]
    system = ph.constraints.constrained_system(MODEL, FEET, q, qd, f_ext)
    balance = motion.qdd @ system.H + system.C - motion.force @ system.G
    np.testing.assert_allclose(balance, taus, rtol=0, atol=1e-9 * np.abs(motion.force).max())
    impact = ph.constraint_impulses(MODEL, FEET, q, np.stack([qd, tau]), method=method)
    np.testing.assert_allclose(impact.qd_plus @ system.G.T, 0.0, atol=1e-11)


def test_flat_feet_on_corners_are_redundant():
    """Four corners a foot give twelve rows of rank six; nothing is left to move by any method."""
    flat = ph.constraints.ConstraintSet(MODEL)
    for side in ("left", "right"):
        for corner in ((0.1, 0.05), (0.1, -0.05), (-0.1, 0.05), (-0.1, -0.05)):
            flat = flat.contact(f"{side} shin", (*corner, -0.4), np.eye(3).tolist(), name=side)
    q, qd, tau = constrained_state(MODEL, 3)
    report = ph.constraints.constraint_report(MODEL, flat, q)
    assert (report.rank, report.mobility, len(report.redundant)) == (12, 0, 12)
    forces = []
    for method in ("range_space", "kokkevis", "direct", "null_space"):
        r = ph.constrained_dynamics(MODEL, flat, q, 0.0 * qd, tau, method=method)
        np.testing.assert_allclose(r.qdd, 0.0, atol=1e-10)
        forces.append(np.linalg.norm(r.force))
    assert forces[2] == pytest.approx(forces[3])
    assert forces[2] < forces[0] == pytest.approx(forces[1])


def test_normal_acceleration_and_ground():
    """A contact accelerates as told, and has a height where it was given a ground."""
    q, qd, tau = constrained_state(MODEL, 2)
    point = (0.1, 0.0, -0.4)
    lifted = ph.constraints.ConstraintSet(MODEL).contact(
        "left shin", point, (0, 0, 1), normal_acceleration=1.5, ground=(0, 0, -1)
    )
    qdd = ph.constrained_dynamics(MODEL, lifted, q, qd, tau).qdd
    acceleration = ph.point_acceleration(MODEL, q, qd, qdd, "left shin", point)
    assert acceleration[2] == pytest.approx(1.5, abs=1e-10)
    height = ph.point_position(MODEL, q, "left shin", point)[2] + 1.0
    assert ph.constraints.constraint_errors(MODEL, lifted, q).position[0] == pytest.approx(
        height, abs=1e-14
    )


def foot_height(model, q, qd):
    """The height of the left foot as rows of the user's own."""
    rows = (Contact(model.body("left shin").id, (0.0, 0.0, -0.4), (0.0, 0.0, 1.0)),)
    made = algorithms.constraint_rows(model, q, qd, rows)
    return [[made.G[0].get(k, 0.0) for k in range(model.nv)]], made.gamma, [0.25]


def test_custom_rows():
    """Rows of the user's own are solved like others, and have no spatial force."""
    mine = ph.constraints.ConstraintSet(MODEL).custom(
        1, foot_height, name="mine", stabilization=0.5
    )
    given = ph.constraints.ConstraintSet(MODEL).contact("left shin", (0, 0, -0.4), (0, 0, 1))
    state = constrained_state(MODEL, 3)
    a, b = (ph.constraints.constrained_system(MODEL, c, *state[:2]) for c in (mine, given))
    np.testing.assert_allclose(a.G, b.G, atol=1e-14)
    pull = 4.0 * a.errd + 4.0 * 0.25
    np.testing.assert_allclose(a.gamma, b.gamma - pull, atol=1e-12)
    motion = ph.constrained_dynamics(MODEL, mine, *state)
    np.testing.assert_allclose(a.G @ motion.qdd, a.gamma, atol=1e-10)
    assert ph.constraints.constraint_forces(MODEL, mine, state[0], motion.force) == ()


def test_forces_do_the_work_of_their_rows():
    """Spatial forces of all groups, as external forces, equal ``G^T force``; in base axes too."""
    model = four_bar()
    made = closed(model, (PIN_X, PIN_Y, (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)))
    made = made.contact("coupler", (0.3, 0.1, 0.0), ((1, 0, 0), (0, 1, 0)), name="touch")
    q, qd, _ = constrained_state(model, 4)
    force = np.random.default_rng(0).standard_normal(5)
    expected = ph.constraints.constraint_jacobian(model, made, q).T @ force
    for in_base_axes in (False, True):
        f_ext = np.zeros((model.n_bodies, 6))
        groups = ph.constraints.constraint_forces(model, made, q, force, in_base_axes=in_base_axes)
        for group, bodies in zip(groups, ((0, 3), (2, 0)), strict=True):
            for body, carrier, pose, f in zip(
                bodies, group.bodies, group.frames, group.forces, strict=True
            ):
                if body:
                    turned = np.eye(4) if not carrier else ph.body_poses(model, q)[carrier - 1]
                    pose = turned @ pose
                    moment, push = pose[:3, :3] @ f[:3], pose[:3, :3] @ f[3:]
                    f_ext[body - 1] += [*(moment + np.cross(pose[:3, 3], push)), *push]
        work = -ph.inverse_dynamics(model.weightless(), q, 0 * qd, 0 * qd, f_ext)
        np.testing.assert_allclose(work, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ph.constraints.ConstraintSet("walker"), "expected a Model first, got str"),
        (lambda: FEET.contact("left shim", (0, 0, 0), (0, 0, 1)), "did you mean 'left shin'"),
        (
            lambda: FEET.contact("trunk", (0, 0), (0, 0, 1)),
            "3 finite numbers as the point",
        ),
        (lambda: FEET.contact("trunk", (0, 0, np.nan), (0, 0, 1)), "3 finite numbers"),
        (lambda: FEET.loop(0, 1, at(0), at(0), (1, 0, 0)), "6 finite numbers as the axis"),
        (lambda: FEET.contact(1, (0, 0, 0), (0, 0, 1), stabilization=0.0), "positive time"),
        (lambda: FEET.custom(0, foot_height), "at least one row"),
        (lambda: FEET.group("lefd"), "did you mean 'left'"),
        (lambda: FEET + closed(four_bar(), PIN_X), "expected constraints of model 'walker'"),
        (lambda: ph.constraints.ConstraintSet.declared(MODEL, "feet"), "no constraint set 'feet'"),
        (
            lambda: ph.constraints.constraint_jacobian(
                MODEL, ph.constraints.ConstraintSet(MODEL), np.zeros(13)
            ),
            "got none",
        ),
        (
            lambda: ph.constraints.constraint_jacobian(MODEL, None, np.zeros(13)),
            "ConstraintSet, got NoneType",
        ),
        (
            lambda: ph.constraints.constraint_jacobian(four_bar(), FEET, np.zeros(3)),
            "of model 'four-bar'",
        ),
        (
            lambda: ph.constrained_dynamics(
                MODEL, FEET, *constrained_state(MODEL), method="kokevis"
            ),
            "did you mean 'kokkevis'",
        ),
    ],
)
def test_errors_of_models_and_sets(call, text):
    """What is no set of this model is refused, with the nearest name."""
    with pytest.raises(ph.ModelError, match=text):
        call()


def test_errors_of_shapes():
    """Wrong sizes are refused by name."""
    q, qd, tau = constrained_state(MODEL)
    with pytest.raises(ph.ShapeError, match="nv = 12 on the last axis of qd, got 11"):
        ph.constrained_dynamics(MODEL, FEET, q, qd[:-1], tau)
    for method in ("range_space", "direct"):
        with pytest.raises(ph.ShapeError, match="6 on the last axis of v_plus"):
            ph.constraint_impulses(MODEL, FEET, q, qd, np.zeros(5), method=method)
    with pytest.raises(ph.ShapeError, match="one position"):
        ph.constraints.constraint_report(MODEL, FEET, np.stack([q, q]))
    with pytest.raises(ph.ShapeError, match="weights of at least 0"):
        ph.assemble(MODEL, FEET, q, weights=-np.ones(12))
    with pytest.raises(ph.ShapeError, match="nv = 12 entries in actuated, got 3"):
        ph.constraints.is_fully_actuated(MODEL, FEET, q, [True] * 3)


def test_batch_axes_that_do_not_fit_are_named():
    """As of any other function: the error shows the batch axes of every argument."""
    model = tree(["revolute y", "revolute x"])
    constraints = ph.constraints.ConstraintSet(model).contact(
        "link1", (0.1, 0.0, 0.2), (0.0, 0.0, 1.0)
    )
    states = np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(2)
    with pytest.raises(ShapeError, match=r"broadcast, got q \(3,\), qd \(2,\), tau \(\)"):
        ph.constrained_dynamics(model, constraints, *states)
