"""A program behaves as a NumPy gufunc does, whatever arrays it is given."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest

from compiler.examples import branches, chain, pendulum_program, program, same_bits, states
from polhode.errors import ShapeError, TraceError

Q, QD, LENGTH = states(12, 5), states(12, 5, seed=1), states(12, seed=2)


@pytest.fixture(scope="module")
def pendulum():
    """The program that most tests here call."""
    return pendulum_program()


@pytest.fixture(scope="module")
def expected(pendulum):
    """Its results for the plain arrays."""
    return pendulum(Q, QD, LENGTH)


def test_it_computes_what_the_function_does(expected):
    """Compiled code agrees with the function on floats to rounding."""
    from compiler.examples import pendulum as plain

    for k in range(12):
        want = plain(Q[k].tolist(), QD[k].tolist(), float(LENGTH[k]))
        np.testing.assert_allclose(expected[k], want, rtol=1e-13)


def test_it_is_a_ufunc(pendulum):
    """With a signature of fixed lengths, a name and loops for both types."""
    u = pendulum.ufunc
    assert isinstance(u, np.ufunc)
    assert u.signature == "(5),(5),()->(5)"
    assert (u.nin, u.nout, u.__name__) == (3, 1, "pendulum")
    assert u.types == ["ddd->d", "fff->f"]


STRIDED = {
    "reversed": lambda x: x[::-1].copy()[::-1],
    "every other": lambda x: np.repeat(x, 2, axis=0)[::2],
    "fortran order": np.asfortranarray,
    "padded rows": lambda x: np.concatenate([x[..., None], x[..., None]], -1)[..., 0],
    "big endian": lambda x: x.astype(">f8"),
    "list": lambda x: x.tolist(),
    "subclass": lambda x: x.view(type("Sub", (np.ndarray,), {})),
    "unaligned": lambda x: np.ndarray(x.shape, x.dtype, b"\0" + x.tobytes(), 1),
}


@pytest.mark.parametrize("kind", STRIDED)
def test_any_layout_gives_the_same_bits(pendulum, expected, kind):
    """Strides, byte order, alignment and sequence types do not matter."""
    changed = [STRIDED[kind](x) for x in (Q, QD, LENGTH)]
    assert same_bits(np.asarray(pendulum(*changed)), expected)


def test_states_side_by_side(pendulum, expected):
    """Arrays of shape (n, batch), transposed: each lane's neighbour is the next state."""
    q, qd = np.ascontiguousarray(Q.T).T, np.ascontiguousarray(QD.T).T
    assert same_bits(pendulum(q, qd, LENGTH), expected)
    out = np.empty((5, 12)).T
    assert pendulum(q, qd, LENGTH, out=out) is out
    assert same_bits(out, expected)


def test_broadcasting(pendulum):
    """Leading axes broadcast; an axis of zero stride is a batch like any other."""
    q = Q[:4, None]
    got = pendulum(q, QD, 0.5)
    assert got.shape == (4, 12, 5)
    for i in range(4):
        for j in range(12):
            assert same_bits(got[i, j], pendulum(Q[i], QD[j], 0.5))
    spread = pendulum(np.broadcast_to(Q[0], (12, 5)), QD, LENGTH)
    assert same_bits(spread, pendulum(Q[0], QD, LENGTH))


def test_empty_batches(pendulum):
    """No states, no results, and no error."""
    assert pendulum(Q[:0], QD[:0], LENGTH[:0]).shape == (0, 5)
    assert pendulum(np.zeros((3, 0, 5)), QD[0], 1.0).shape == (3, 0, 5)


def test_out_is_written_and_returned(pendulum, expected):
    """``out`` of any layout; what surrounds it stays."""
    out = np.full((12, 5), np.nan)
    assert pendulum(Q, QD, LENGTH, out=out) is out
    assert same_bits(out, expected)
    frame = np.full((14, 9), 7.0)
    pendulum(Q, QD, LENGTH, out=frame[1:13, 2:7])
    assert same_bits(frame[1:13, 2:7].copy(), expected)
    frame[1:13, 2:7] = 7.0
    assert (frame == 7.0).all()
    wide = np.full((24, 10), 7.0)
    pendulum(Q, QD, LENGTH, out=wide[::2, ::2])
    assert same_bits(wide[::2, ::2].copy(), expected)
    assert (wide[1::2] == 7.0).all()
    assert (wide[:, 1::2] == 7.0).all()


def test_out_may_overlap_an_input(pendulum, expected):
    """Results are those of separate arrays."""
    q = Q.copy()
    assert same_bits(pendulum(q, QD, LENGTH, out=q), expected)
    memory = np.zeros((13, 5))
    memory[:12] = Q
    pendulum(memory[:12], QD, LENGTH, out=memory[1:])
    assert same_bits(memory[1:], expected)


def test_types_follow_numpy(pendulum):
    """float32 stays float32; integers, booleans and half precision become float64."""
    single = [x.astype(np.float32) for x in (Q, QD, LENGTH)]
    assert pendulum(*single).dtype == np.float32
    assert pendulum(single[0], QD, LENGTH).dtype == np.float64
    for dtype in (np.int8, np.int64, np.uint16, np.bool_, np.float16):
        converted = [x.astype(dtype) for x in (Q, QD, LENGTH)]
        got = pendulum(*converted)
        assert got.dtype == np.float64
        assert same_bits(got, pendulum(*(x.astype(np.float64) for x in converted)))


@pytest.mark.parametrize("dtype", [complex, object, "U5", "M8[s]"])
def test_types_that_are_no_real_numbers_are_refused(pendulum, dtype):
    """Before anything is computed, with the name of the input."""
    with pytest.raises(ShapeError, match="expected real numbers as q"):
        pendulum(np.zeros(5, dtype), QD[0], 1.0)


def test_wrong_shapes_are_refused(pendulum):
    """A core of another length or too few axes, and batches that do not broadcast."""
    with pytest.raises(ShapeError, match=r"expected \(5,\) on the last axes of q, got"):
        pendulum(np.zeros(6), QD[0], 1.0)
    with pytest.raises(ShapeError, match=r"of q, got shape \(\)"):
        pendulum(1.0, QD[0], 1.0)
    with pytest.raises(ShapeError, match="broadcast"):
        pendulum(Q[:5], QD[:4], 1.0)
    with pytest.raises(TypeError):
        pendulum(Q, QD)


def test_read_only_arrays(pendulum, expected):
    """Read-only inputs are fine; a read-only ``out`` is refused and stays as it was."""
    q = Q.copy()
    q.flags.writeable = False
    assert same_bits(pendulum(q, QD, LENGTH), expected)
    out = np.zeros((12, 5))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        pendulum(Q, QD, LENGTH, out=out)
    assert not out.any()


def test_nan_flows_and_stays_in_its_state(pendulum, expected):
    """No warning, no error, and the neighbours' bits do not change."""
    q = Q.copy()
    q[3, 2], q[7, 0] = np.nan, np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = pendulum(q, QD, LENGTH)
    assert np.isnan(got[3, 2:]).all()
    assert np.isnan(got[7]).all()
    others = [k for k in range(12) if k not in (3, 7)]
    assert same_bits(got[others], expected[others])
    assert same_bits(got[3, :2], expected[3, :2])


def test_kernels_raise_no_floating_point_warnings():
    """Division by zero and invalid operations give infinities and NaN silently."""
    p = program(lambda x: [1.0 / x, x.sqrt(), x.log(), x / x.sqrt()], x=())
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        got = p(np.array([0.0, -1.0, np.inf]))
        one = p(np.float64(-1.0))
    np.testing.assert_array_equal(got[:, 0], [np.inf, -1.0, 0.0])
    assert np.isnan(one[[1, 2, 3]]).all()


def test_several_outputs():
    """A tuple of outputs: matrices with constants and repeated entries, and a scalar."""
    p = program(branches, x=(3,))
    x = states(30, 3)
    matrix, scalar = p(x)
    assert matrix.shape == (30, 3, 3)
    assert scalar.shape == (30,)
    assert p.output_shapes == ((3, 3), ())
    a, b, c = x.T
    big = np.maximum(np.abs(a), b)
    chosen = np.where(
        (a < b) & ~(c < 0), a * b, np.where((b == c) | (a <= c), np.floor(c), np.rint(a))
    )
    zero, one = np.zeros(30), np.ones(30)
    rows = [[a, zero, one], [big, chosen, big], [2.5 * one, a, chosen - c]]
    np.testing.assert_array_equal(matrix, np.moveaxis(np.array(rows), -1, 0))
    np.testing.assert_array_equal(scalar, chosen)
    out = np.zeros((30, 3, 3)), np.zeros(30)
    assert p(x, out=out)[0] is out[0]
    assert same_bits(out[0], matrix)


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 8, 9, 15, 16, 17, 33])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_every_length(rows, dtype):
    """Shorter than a vector, exactly one, several, and remainders; beside a second input."""
    p = program(lambda x, y: ([a + y[1] for a in x], y[0]), x=(rows,), y=(2,))
    x, y = states(27, rows, dtype=dtype), states(2, dtype=dtype)
    sums, first = p(x, y)
    assert same_bits(sums, x + y[1])
    assert same_bits(first, np.broadcast_to(y[0], 27).copy())


def test_matrix_inputs():
    """A core with two axes, contiguous or not."""
    p = program(
        lambda m, v: [sum(a * b for a, b in zip(r, v, strict=True)) for r in m], m=(4, 3), v=(3,)
    )
    m, v = states(19, 4, 3), states(19, 3, seed=4)
    expected = p(m, v)
    np.testing.assert_allclose(expected, np.einsum("nij,nj->ni", m, v), rtol=1e-13, atol=1e-14)
    assert same_bits(p(np.asfortranarray(m), v), expected)
    swapped = np.ascontiguousarray(m.swapaxes(1, 2)).swapaxes(1, 2)
    assert same_bits(p(swapped, v), expected)
    assert same_bits(p(swapped[0], v[0]), expected[0])


def test_empty_cores():
    """Inputs and outputs without entries."""
    p = program(lambda q, x: (list(q), x + 1.0), q=(0,), x=())
    empty, y = p(np.zeros((6, 0)), np.arange(6.0))
    assert empty.shape == (6, 0)
    np.testing.assert_array_equal(y, np.arange(1.0, 7.0))
    nothing = program(lambda x: [], x=(2,))
    assert nothing(np.zeros((5, 2))).shape == (5, 0)


def test_inputs_and_constants_as_outputs():
    """Outputs that need no instruction."""
    p = program(lambda x: ([x[1], x[0], x[1]], [1.5, -0.0], x[0].cos()), x=(2,))
    x = states(11, 2)
    swapped, constants, cosine = p(x)
    assert same_bits(swapped, x[:, [1, 0, 1]])
    assert same_bits(constants, np.tile([1.5, -0.0], (11, 1)))
    np.testing.assert_allclose(cosine, np.cos(x[:, 0]), rtol=1e-15)


def test_the_ufunc_outlives_its_program(expected):
    """Machine code is freed only when nothing can call it."""
    u = pendulum_program().ufunc
    gc.collect()
    assert same_bits(u(Q, QD, LENGTH), expected)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda x: [[x, x], [x]], "one shape"),
        (lambda x: [[x], x], "one shape"),
        (lambda x: [x, [x]], "depth"),
        (lambda x: ["text"], "str"),
        (lambda x: x if x > 0 else -x, "where"),
    ],
)
def test_functions_that_cannot_be_traced(build, message):
    """The error says what is wrong with the function, on every attempt."""
    p = program(build, x=())
    for _ in range(2):
        with pytest.raises(TraceError, match=message):
            p(1.0)


def test_facts_of_a_program(pendulum):
    """What it shows of itself."""
    assert pendulum.name == "pendulum"
    assert pendulum.inputs == {"q": (5,), "qd": (5,), "length": ()}
    assert pendulum.output_shapes == ((5,),)
    assert pendulum.ops == 59
    assert "define void @kernel" in pendulum.source("llvm")
    assert repr(pendulum) == "<Program pendulum(q(5,), qd(5,), length())>"
    assert len(pendulum.graph.nodes) > 59
    with pytest.raises(ValueError, match="llvm"):
        pendulum.source("basic")


def test_large_results_in_few_states():
    """More outputs than inputs, batches shorter than a vector."""
    p = program(chain(33), q=(33,), qd=(33,))
    q, qd = states(3, 33), states(3, 33, seed=1)
    whole = p(q, qd)
    for k in range(3):
        for got, want in zip(p(q[k], qd[k]), whole, strict=True):
            assert same_bits(got, want[k])


def test_outputs_of_which_some_are_empty():
    """Refused, unless an input is empty too: NumPy has no signature for it."""
    p = program(lambda x: ([], x[0]), x=(2,))
    with pytest.raises(TraceError, match="entries"):
        p(np.zeros(2))


def test_a_program_without_inputs():
    """It gives its constants; NumPy has no gufunc of nothing, and ends the process."""
    p = program(lambda: (1.5, [2.0, -0.0]))
    for _ in range(2):  # the second call of one state goes without the gufunc
        one, two = p()
        assert isinstance(one, np.float64) and one == 1.5
        assert same_bits(two, np.array([2.0, -0.0]))
    out = np.zeros(()), np.zeros(2)
    assert p(out=out) is out and out[0] == 1.5 and out[1].tolist() == [2.0, 0.0]
    with pytest.raises(ValueError, match="no gufunc without inputs"):
        _ = p.ufunc
    with pytest.raises(TypeError, match="expected 0 arrays"):
        p(1.0)
    assert program(lambda: [])().shape == (0,)  # noqa: PIE807
    assert program(lambda: ())() == ()
