"""What the public functions make of their array arguments."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from models import crane
from modes.modes import same_bits
from polhode.errors import ModelError, ShapeError
from polhode.model import Model, Revolute
from random_trees import random_state, tree

ROD = {"mass": 1.0, "com": (0.1, 0.0, -0.3), "inertia": (0.1, 0.1, 0.01)}


def arm_of(n: int) -> Model:
    arm = Model("arm")
    for k in range(n):
        arm = arm.append(f"link{k}", joint=Revolute((0.6, 0.0, 0.8) if k % 2 else (0, 1, 0)), **ROD)
    return arm


ARM = arm_of(7)
WALKER = tree(["floating", "spherical", "revolute y"], seed=1)
Q, QD, QDD, TAU = random_state(ARM, 1, (6,))


def test_batch_axes_broadcast():
    """Leading axes broadcast as in NumPy, and results carry all of them."""
    q, qd, qdd = Q[:, None, :], QD[None, :4, :], QDD[0]
    tau = ph.inverse_dynamics(ARM, q, qd, qdd)
    assert tau.shape == (6, 4, 7)
    for i in range(6):
        for j in range(4):
            assert same_bits(tau[i, j], ph.inverse_dynamics(ARM, Q[i], QD[j], QDD[0]))
    point = np.zeros((5, 1, 3))
    assert ph.point_position(ARM, Q, "link3", point).shape == (5, 6, 3)
    assert ph.mass_matrix(ARM, Q.reshape(2, 3, 7)).shape == (2, 3, 7, 7)
    assert ph.energy(ARM, Q, QD[0]).kinetic.shape == (6,)


def test_external_forces_broadcast():
    """One set of forces for a batch of states, and a batch of forces on one state."""
    f = np.random.default_rng(0).standard_normal((5, ARM.n_bodies, 6))
    many = ph.inverse_dynamics(ARM, Q[0], QD[0], QDD[0], f)
    assert many.shape == (5, 7)
    assert same_bits(many[3], ph.inverse_dynamics(ARM, Q[0], QD[0], QDD[0], f[3]))
    assert ph.bias_forces(ARM, Q, QD, f[0]).shape == (6, 7)


@pytest.mark.parametrize("size", [(), (6,)])
def test_out(size):
    """The result is written to ``out`` and it is ``out`` that is returned."""
    q, qd, qdd, _ = random_state(ARM, 2, size)
    expected = ph.inverse_dynamics(ARM, q, qd, qdd)
    out = np.full((*size, 7), np.nan)
    assert ph.inverse_dynamics(ARM, q, qd, qdd, out=out) is out
    assert same_bits(out, expected)
    wide = np.full((*size, 14), np.nan)
    assert ph.inverse_dynamics(ARM, q, qd, qdd, out=wide[..., ::2]).base is wide
    assert same_bits(wide[..., ::2], expected)
    assert np.isnan(wide[..., 1::2]).all()


@pytest.mark.parametrize("size", [(), (6,)])
def test_out_may_be_an_input(size):
    """An output that overlaps an input does not spoil the result."""
    q, qd, qdd, _ = random_state(ARM, 2, size)
    expected = ph.inverse_dynamics(ARM, q, qd, qdd)
    assert same_bits(ph.inverse_dynamics(ARM, q, qd, qdd, out=qdd), expected)
    q, qd, qdd, _ = random_state(ARM, 2, size)
    assert same_bits(ph.inverse_dynamics(ARM, q, qd, qdd, out=q), expected)


def test_several_outs():
    """Functions with two results take a pair."""
    out = np.empty(6), np.empty(6)
    energy = ph.energy(ARM, Q, QD, out=out)
    assert energy.kinetic is out[0]
    assert energy.potential is out[1]
    assert same_bits(out[0], ph.energy(ARM, Q, QD).kinetic)


def test_out_of_the_wrong_shape_or_kind():
    """An ``out`` that cannot hold the result is refused and nothing is written past it."""
    for out in (np.empty(6), np.empty((2, 7)), np.empty((6, 8))):
        with pytest.raises(ValueError, match=r"."):
            ph.inverse_dynamics(ARM, Q, QD, QDD, out=out)
    with pytest.raises(ShapeError, match="expected an ndarray as out, got list"):
        ph.inverse_dynamics(ARM, Q, QD, QDD, out=[0.0] * 7)
    frozen = np.empty((6, 7))
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ph.inverse_dynamics(ARM, Q, QD, QDD, out=frozen)
    one = np.empty(7)
    one.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ph.inverse_dynamics(ARM, Q[0], QD[0], QDD[0], out=one)


WRONG_SHAPES = {
    "expected nq = 7 on the last axis of q, got 6 (model 'arm')": lambda: ph.inverse_dynamics(
        ARM, Q[0, :6], QD[0], QDD[0]
    ),
    "expected nv = 7 on the last axis of qd, got 8 (model 'arm')": lambda: ph.bias_forces(
        ARM, Q, np.zeros((6, 8))
    ),
    "expected nv = 7 on the last axis of tau, got 1 (model 'arm')": lambda: ph.forward_dynamics(
        ARM, Q, QD, np.zeros(1)
    ),
    "expected nq = 7 on the last axis of q, got 0 (model 'arm')": lambda: ph.mass_matrix(ARM, []),
    "expected 3 on the last axis of point, got 2 (model 'arm')": lambda: ph.point_position(
        ARM, Q, "link1", [0.0, 0.0]
    ),
    "expected nq = 12 on the last axis of q, got 11 (model 'tree')": lambda: ph.gravity_forces(
        WALKER, np.zeros(11)
    ),
}


@pytest.mark.parametrize("text", WRONG_SHAPES)
def test_wrong_shapes(text):
    """The error says what was expected, what came, where, and of which model."""
    with pytest.raises(ShapeError) as error:
        WRONG_SHAPES[text]()
    assert str(error.value) == text


def test_wrong_numbers_of_axes():
    """A number where a vector belongs, and forces of the wrong shape."""
    with pytest.raises(ShapeError, match="of q, got"):
        ph.mass_matrix(ARM, 0.5)
    with pytest.raises(ShapeError, match=r"\(n_bodies, 6\) = \(7, 6\) on the last axes of f_ext"):
        ph.inverse_dynamics(ARM, Q, QD, QDD, np.zeros((6, 6)))
    with pytest.raises(ShapeError, match="of f_ext"):
        ph.inverse_dynamics(ARM, Q, QD, QDD, np.zeros(6))


def test_batches_that_do_not_fit():
    """Leading axes that do not broadcast are NumPy's error."""
    with pytest.raises(ValueError, match=r"broadcast|mismatch"):
        ph.inverse_dynamics(ARM, Q, QD[:4], QDD)


@pytest.mark.parametrize(
    "wrong",
    [Q[0].astype(complex), Q[0].astype(object), Q[0].astype(str), np.array([None] * 7)],
    ids=["complex", "object", "str", "None"],
)
def test_wrong_dtypes(wrong):
    """Numbers that are not real numbers are refused, one state or many."""
    for q in (wrong, np.stack([wrong] * 3)):
        with pytest.raises(ShapeError, match="expected real numbers as q"):
            ph.mass_matrix(ARM, q)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int64, np.uint16, np.bool_, np.float16, ">f8", np.float32]
)
def test_other_real_dtypes(dtype):
    """Integers, booleans, half precision and foreign byte orders are converted."""
    q = np.array([0, 1, 0, 1, 1, 0, 1]).astype(dtype)
    expected = ph.mass_matrix(ARM, q.astype(float))
    got = ph.mass_matrix(ARM, q)
    single = dtype in (np.float16, np.float32, np.int8, np.bool_, np.uint16)
    np.testing.assert_allclose(got, expected, rtol=1e-5 if single else 1e-15, atol=1e-5)
    if dtype == np.float32:
        assert got.dtype == np.float32
    many = ph.mass_matrix(ARM, np.stack([q] * 9))
    assert same_bits(many[4], got)


def test_lists_are_arrays():
    """Anything NumPy reads as an array will do."""
    assert same_bits(ph.mass_matrix(ARM, Q[0].tolist()), ph.mass_matrix(ARM, Q[0]))


def test_nan_flows():
    """A NaN spoils its own state and no other; nothing is raised."""
    q = Q.copy()
    q[2, 3] = np.nan
    H = ph.mass_matrix(ARM, q)
    assert np.isnan(H[2]).any()
    assert np.isfinite(np.delete(H, 2, axis=0)).all()
    assert same_bits(H[3], ph.mass_matrix(ARM, Q[3]))
    assert np.isnan(ph.forward_dynamics(ARM, q[2], QD[2], TAU[2])).any()
    assert np.isnan(ph.mass_matrix(ARM, np.full(7, np.inf))).any()


def test_empty_batches():
    """No states give no results, of the right shape."""
    none = np.zeros((0, 7))
    assert ph.inverse_dynamics(ARM, none, none, none).shape == (0, 7)
    assert ph.mass_matrix(ARM, np.zeros((4, 0, 7))).shape == (4, 0, 7, 7)
    assert ph.body_poses(ARM, none).shape == (0, 7, 4, 4)


def test_inputs_of_any_layout():
    """Read-only, strided, broadcast and Fortran-ordered inputs, one state and many."""
    expected = ph.inverse_dynamics(ARM, Q, QD, QDD)
    frozen = Q.copy()
    frozen.flags.writeable = False
    assert same_bits(ph.inverse_dynamics(ARM, frozen, QD, QDD), expected)
    assert same_bits(ph.inverse_dynamics(ARM, frozen[0], QD[0], QDD[0]), expected[0])
    every_second = np.repeat(Q, 2, axis=1)[:, ::2]
    assert same_bits(ph.inverse_dynamics(ARM, every_second, QD, QDD), expected)
    assert same_bits(ph.inverse_dynamics(ARM, every_second[1], QD[1], QDD[1]), expected[1])
    assert same_bits(ph.inverse_dynamics(ARM, np.asfortranarray(Q), QD, QDD), expected)
    same = np.broadcast_to(Q[0], (6, 7))
    assert same_bits(ph.mass_matrix(ARM, same)[5], ph.mass_matrix(ARM, Q[0]))
    odd = np.frombuffer(b"\0" + Q[0].tobytes(), dtype=np.uint8)[1:].view(np.float64)
    assert not odd.flags.aligned
    assert same_bits(ph.mass_matrix(ARM, odd), ph.mass_matrix(ARM, Q[0]))


def test_inputs_are_left_alone():
    """No function writes to its inputs."""
    q, qd, qdd = Q.copy(), QD.copy(), QDD.copy()
    ph.inverse_dynamics(ARM, q, qd, qdd)
    ph.forward_dynamics(ARM, q[0], qd[0], qdd[0])
    ph.integrate(ARM, q, qd)
    assert same_bits(q, Q)
    assert same_bits(qd, QD)
    assert same_bits(qdd, QDD)


def test_things_that_are_not_models():
    """The first argument must be a model; bodies must exist; methods are named."""
    with pytest.raises(ModelError, match="expected a Model first, got str"):
        ph.mass_matrix("arm.urdf", Q)
    with pytest.raises(ModelError, match=r"no body 'linkk3'.*did you mean 'link3'"):
        ph.body_jacobian(ARM, Q, "linkk3")
    with pytest.raises(ModelError, match=r"no body 'linkk3'.*did you mean 'link3'"):
        ph.body_pose(ARM, Q, "linkk3")
    with pytest.raises(ModelError, match="expected a body from 0 to 7"):
        ph.body_jacobian(ARM, Q, 8)
    with pytest.raises(ValueError, match="'aba' or 'crba'"):
        ph.forward_dynamics(ARM, Q, QD, TAU, method="lu")


def test_a_model_without_freedom():
    """A statue has no coordinates, and every function still has an answer."""
    statue = Model("statue").add("stone", mass=3.0)
    none = np.zeros(0)
    assert ph.inverse_dynamics(statue, none, none, none).shape == (0,)
    assert ph.mass_matrix(statue, np.zeros((4, 0))).shape == (4, 0, 0)
    assert ph.body_poses(statue, none).shape == (0, 4, 4)
    assert ph.neutral(statue).shape == (0,)
    np.testing.assert_array_equal(ph.body_pose(statue, np.zeros((2, 0)), 0), [np.eye(4)] * 2)
    np.testing.assert_array_equal(ph.point_position(statue, none, "stone", [1, 2, 3]), [1, 2, 3])


def test_batch_axes_that_do_not_fit_are_named():
    """The error shows the batch axes of every argument."""
    model = crane()
    text = r"batch axes that broadcast, got q \(3,\), qd \(2,\), qdd \(\) \(model 'tree'\)"
    for _ in range(2):  # the first call, and one that finds the program
        with pytest.raises(ShapeError, match=text):
            ph.inverse_dynamics(model, np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(2))
