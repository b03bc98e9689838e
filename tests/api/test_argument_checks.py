"""Arguments of the public functions that have ways of their own: programs, bodies, results."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import algorithms
from polhode.model import Revolute
from random_trees import random_state, tree

MODEL = tree(["revolute y", "spherical", "prismatic"], seed=3)
Q, QD, QDD, TAU = random_state(MODEL, 1, (4,))
PROGRAM = ph.compile(algorithms.inverse_dynamics, MODEL)

WRONG = {
    "complex": (lambda q: q + 0j, "expected real numbers as q, got complex numbers"),
    "text": (lambda q: q.astype(str), "expected real numbers as q, got text"),
    "masked": (lambda q: np.ma.array(q, mask=True), "got masked entries"),
    "short": (lambda q: q[..., :-1], "on the last axes of q, got shape"),
    "64 axes": (lambda q: np.zeros((1,) * 64), "at most 32 axes of q, got 64"),
    "batch": (lambda q: np.stack([q] * 3), "batch axes that broadcast, got q"),
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("size", [1, 2])
def test_a_program_checks_its_arguments(kind, size):
    """By name, with the program's own; the first call and one that finds everything made."""
    make, text = WRONG[kind]
    for program in (ph.compile(algorithms.inverse_dynamics, MODEL), PROGRAM):
        q, qd, qdd = (x[:size] for x in (Q, QD, QDD))
        if kind == "batch":
            qd, qdd = (np.stack([x] * 4) for x in (qd, qdd))
        with pytest.raises(ph.ShapeError) as error:
            program(make(q), qd, qdd)
        assert text in str(error.value)
        assert "(program 'inverse_dynamics')" in str(error.value)


def test_a_program_takes_what_functions_take():
    """Lists, matrices and wide floats, with the bits of the plain arrays; one state and many."""
    expected = ph.inverse_dynamics(MODEL, Q, QD, QDD)
    for _ in range(2):  # the second call of one state goes without the gufunc
        assert PROGRAM(Q[0], QD[0], QDD[0]).tobytes() == expected[0].tobytes()
    assert PROGRAM(Q.tolist(), QD, QDD).tobytes() == expected.tobytes()
    assert PROGRAM(Q.view(np.matrix), QD, QDD).tobytes() == expected.tobytes()
    assert PROGRAM(Q.astype(np.longdouble), QD, QDD).tobytes() == expected.tobytes()
    single = [x.astype(np.float32) for x in (Q, QD, QDD)]
    assert PROGRAM(*single).dtype == np.float32
    assert PROGRAM(*[np.zeros_like(x, np.int8) for x in (Q, QD, QDD)]).dtype == np.float64


def test_a_program_with_too_few_arguments():
    """The message lists what it takes."""
    with pytest.raises(TypeError, match=r"expected 3 arrays \(q, qd, qdd\), got 1"):
        PROGRAM(Q)


@pytest.mark.parametrize(
    ("named", "words"),
    [({"q": Q}, "got q= "), ({"force": Q}, "got force= "), ({"outt": Q}, "did you mean 'out'")],
)
def test_a_program_with_keywords(named, words):
    """The message lists what it takes, and in which order."""
    for _ in range(2):
        with pytest.raises(TypeError, match=words) as caught:
            PROGRAM(Q[0], QD[0], QDD[0], **named)
        assert "expected q, qd, qdd in this order, without keywords but out=" in str(caught.value)
        PROGRAM(Q[0], QD[0], QDD[0])


@pytest.mark.parametrize("dtype", [int, bool, complex, object, "U3", "M8[s]"])
def test_a_program_writes_only_to_floats(dtype):
    """An ``out`` of another type is refused, and holds what it held."""
    for size in (slice(0, 1), slice(None), 0):
        arrays = [x[size] for x in (Q, QD, QDD)]
        out = np.ones(arrays[1].shape).astype(dtype)
        before = out.tolist()
        with pytest.raises(ph.ShapeError, match="floating-point numbers as out"):
            PROGRAM(*arrays, out=out)
        assert out.tolist() == before


def test_derived_programs_check_too():
    """Jacobians, and the products with them."""
    jacobian, vjp = PROGRAM.jacobian("q"), PROGRAM.vjp("q")
    with pytest.raises(ph.ShapeError, match="expected real numbers as qd, got None"):
        jacobian(Q, None, QDD)
    with pytest.raises(ph.ShapeError, match="expected real numbers as weight"):
        vjp(Q, QD, QDD, TAU + 0j)
    with pytest.raises(ph.ArgumentError, match="expected True or False as tangent, got 'no'"):
        PROGRAM.jacobian("q", tangent="no")
    with pytest.raises(ph.ArgumentError, match="expected names in wrt, got 1"):
        PROGRAM.jvp([1])


@pytest.mark.parametrize("body", [True, False, 1.0, np.float64(2.0), 2.5, None, [1], {}, 1j])
def test_a_body_is_a_number_or_a_name(body):
    """Also where a program of body 1 is kept, and True and 1.0 equal 1."""
    for k in (1, 2):
        ph.point_position(MODEL, Q[0], k, np.zeros(3))
    for q in (Q[0], Q):
        with pytest.raises(ph.ModelError, match="expected a body's number or name, got"):
            ph.point_position(MODEL, q, body, np.zeros(3))


def test_bodies_of_other_kinds_of_integers():
    """NumPy's integers and the model's own bodies are numbers of bodies."""
    expected = ph.body_jacobian(MODEL, Q[0], 2)
    for body in (np.int8(2), np.int64(2), MODEL.body(2)):
        np.testing.assert_array_equal(ph.body_jacobian(MODEL, Q[0], body), expected)
    for body in (-1, 10**30, 10**5000, "x" * 10**5):
        with pytest.raises(ph.ModelError) as error:
            ph.body_jacobian(MODEL, Q[0], body)
        assert len(str(error.value)) < 1000


@pytest.mark.parametrize("size", [slice(0, 1), slice(None), 0])
def test_several_results_need_several_arrays(size):
    """One array for two results is refused, on every way in; two halves of one are not."""
    q, qd = Q[size], QD[size]
    shape = q.shape[:-1]
    for _ in range(2):
        same = np.full(shape, 7.0)
        with pytest.raises(ph.ShapeError, match="share memory"):
            ph.energy(MODEL, q, qd, out=(same, same))
        assert (same == 7.0).all()
        both = np.zeros((2, *shape))
        ph.energy(MODEL, q, qd, out=(both[0, ...], both[1, ...]))
        expected = ph.energy(MODEL, q, qd)
        np.testing.assert_array_equal(both, np.stack(expected))
    with pytest.raises(ph.ShapeError, match=r"a tuple of arrays as out, got 1\.0"):
        ph.energy(MODEL, q, qd, out=1.0)


def test_quaternions_of_any_length():
    """Neither too small nor too large to be squared; zero is refused, and NaN stays."""
    body = MODEL.joints[1].body
    expected = ph.set_quaternion(MODEL, Q[0], body, (1.0, 2.0, 3.0, 4.0))
    for scale in (1e-320, 1e-200, 1e200, 4e307):
        q = ph.set_quaternion(MODEL, Q[0], body, np.array([1.0, 2.0, 3.0, 4.0]) * scale)
        np.testing.assert_allclose(q, expected, rtol=1e-2 if scale < 1e-300 else 1e-15)
    with pytest.raises(ph.ShapeError, match="quaternion of non-zero length"):
        ph.set_quaternion(MODEL, Q[0], body, np.zeros(4))
    two = ph.set_quaternion(MODEL, Q[0], body, [[np.nan] * 4, [1.0, 2.0, 3.0, 4.0]])
    assert np.isnan(two[0]).any()
    np.testing.assert_array_equal(two[1], expected)


def test_identification_of_very_large_and_small_forces():
    """Forces scale the parameters found; what is not finite is refused by name."""
    rod = ph.Model("rod").append("rod", joint=Revolute.y(), mass=2.0, com=(0.1, 0, 0.2),
                                 inertia=(1, 1, 1))  # fmt: skip
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 40, 1))
    tau = ph.inverse_dynamics(rod, q, qd, qdd)
    found = ph.identification.identify(rod, q, qd, qdd, tau)
    for exponent in (-900, 900):
        scaled = ph.identification.identify(rod, q, qd, qdd, np.ldexp(tau, exponent))
        np.testing.assert_array_equal(scaled.values, np.ldexp(found.values, exponent))
    for name in ("q", "qd", "qdd", "tau"):
        wrong = {"q": q, "qd": qd, "qdd": qdd, "tau": tau}
        wrong[name] = np.where(np.arange(40)[:, None] == 7, np.nan, wrong[name])
        with pytest.raises(ph.ShapeError, match=f"expected finite numbers as {name}, got nan"):
            ph.identification.identify(rod, **wrong)


@pytest.mark.parametrize("steps", [10**30, 2**63, -1, 2.5, True, None, "10"])
def test_steps_of_a_rollout(steps):
    """What is no number of steps is refused at once."""
    with pytest.raises(ph.ArgumentError, match="steps"):
        ph.rollout(MODEL, q=Q, steps=steps)
    with pytest.raises(ph.ArgumentError, match="expected at most 16777216 records, got 1000000000"):
        ph.rollout(MODEL, q=Q, steps=10**9, record_every=1)


def test_shapes_of_traced_inputs():
    """More scalars than can be traced are refused at once."""
    for shape in (10**30, 10**9, -1, 0, 1.5, True, (2, "3")):
        with pytest.raises(ph.ArgumentError, match=r"shapes\['gain'\]"):
            ph.compile(lambda model, q, gain: gain, MODEL, shapes={"gain": shape})
