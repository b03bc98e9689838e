"""The fast call: takes exactly what it can use in place, declines everything else untouched."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest

from compiler.examples import branches, chain, pendulum_program, program, same_bits, states

Q, QD, LENGTH = states(5), states(5, seed=1), np.array(0.5)


@pytest.fixture(scope="module")
def pendulum():
    """The program behind the fast call."""
    return pendulum_program()


@pytest.fixture(scope="module")
def expected(pendulum):
    """What the ufunc computes."""
    return pendulum.ufunc(Q, QD, LENGTH)


def test_it_returns_out_or_a_new_array(pendulum, expected):
    """The bits of the ufunc, in the array given or in one of its own."""
    out = np.zeros(5)
    assert pendulum.fast(Q, QD, LENGTH, out) is out
    assert same_bits(out, expected)
    new = pendulum.fast(Q, QD, LENGTH, None)
    assert new.flags.owndata
    assert new.flags.writeable
    assert same_bits(new, expected)


def _read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def _unaligned(x):
    return np.ndarray(x.shape, x.dtype, b"\0" + x.tobytes(), 1)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda x: x.astype(np.float32), id="float32"),
        pytest.param(lambda x: x.astype(">f8"), id="byte order"),
        pytest.param(lambda x: x.astype(int), id="integers"),
        pytest.param(lambda x: x[None], id="batch"),
        pytest.param(lambda x: x[:-1], id="short"),
        pytest.param(lambda x: np.repeat(x, 2)[::2], id="strided"),
        pytest.param(lambda x: x.view(type("Sub", (np.ndarray,), {})), id="subclass"),
        pytest.param(_unaligned, id="unaligned"),
        pytest.param(lambda x: x.tolist(), id="list"),
        pytest.param(lambda x: None, id="None"),
        pytest.param(lambda x: 1.0, id="number"),
    ],
)
def test_it_declines_other_inputs(pendulum, change):
    """Whatever is not a plain contiguous double array of the core shape."""
    out = np.full(5, 7.0)
    assert pendulum.fast(change(Q), QD, LENGTH, out) is NotImplemented
    assert pendulum.fast(Q, change(QD), LENGTH, None) is NotImplemented
    assert (out == 7.0).all()


@pytest.mark.parametrize(
    "out",
    [
        np.zeros(5, np.float32),
        np.zeros((1, 5)),
        np.zeros(6),
        np.zeros(10)[::2],
        np.zeros(5, ">f8"),
        _read_only(np.zeros(5)),
        _unaligned(np.zeros(5)),
        (np.zeros(5),),
        [0.0] * 5,
        0,
    ],
)
def test_it_declines_other_outs(pendulum, out):
    """And leaves them as they were."""
    before = repr(out)
    assert pendulum.fast(Q, QD, LENGTH, out) is NotImplemented
    assert repr(out) == before


def test_it_declines_other_numbers_of_arguments(pendulum):
    """Too few and too many; the last one is always ``out``."""
    assert pendulum.fast() is NotImplemented
    assert pendulum.fast(Q, QD, LENGTH) is NotImplemented
    assert pendulum.fast(Q, QD, LENGTH, None, None) is NotImplemented
    with pytest.raises(TypeError):
        pendulum.fast(Q, QD, LENGTH, out=None)


def test_read_only_inputs_are_taken(pendulum, expected):
    """Inputs need not be writeable."""
    assert same_bits(pendulum.fast(_read_only(Q), QD, LENGTH, None), expected)


def test_out_may_be_an_input(pendulum, expected):
    """Also partly."""
    q = Q.copy()
    assert same_bits(pendulum.fast(q, QD, LENGTH, q), expected)
    memory = np.zeros(7)
    memory[1:6] = Q
    assert same_bits(pendulum.fast(memory[1:6], QD, LENGTH, memory[2:]), expected)


def test_several_outputs():
    """A tuple of new arrays, or the tuple given."""
    p = program(branches, x=(3,))
    x = states(3)
    matrix, scalar = p.ufunc(x)
    got = p.fast(x, None)
    assert type(got) is tuple
    assert same_bits(got[0], matrix)
    assert got[1].shape == ()
    assert float(got[1]) == float(scalar)
    out = np.zeros((3, 3)), np.zeros(())
    assert p.fast(x, out) is out
    assert same_bits(out[0], matrix)
    for wrong in (out[0], (out[0],), (out[1], out[0]), list(out), (out[0], None), (*out, None)):
        assert p.fast(x, wrong) is NotImplemented


def test_large_programs_take_memory_for_the_call():
    """A buffer too large for the stack."""
    n = 1500
    p = program(chain(n), q=(n,), qd=(n,))
    q, qd = states(n), states(n, seed=1)
    for got, want in zip(p.fast(q, qd, None), p.ufunc(q, qd), strict=True):
        assert same_bits(got, want)


def test_it_counts_references(pendulum):
    """No reference is lost or kept by any way through the fast call."""
    out, bad = np.zeros(5), np.zeros(4)
    watched = [Q, QD, LENGTH, out, bad, NotImplemented, None]
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(1000):
        pendulum.fast(Q, QD, LENGTH, out)
        pendulum.fast(Q, QD, LENGTH, None)
        pendulum.fast(Q, QD, LENGTH, bad)
        pendulum.fast(bad, QD, LENGTH, out)
    after = [sys.getrefcount(x) for x in watched]
    assert all(abs(b - a) < 50 for a, b in zip(before, after, strict=True))
    assert sys.getrefcount(pendulum.fast(Q, QD, LENGTH, None)) <= 2


def test_it_keeps_what_it_needs(expected):
    """A fast call outlives its program."""
    fast = pendulum_program().fast
    gc.collect()
    assert same_bits(fast(Q, QD, LENGTH, None), expected)


def test_it_raises_no_floating_point_warnings():
    """The processor's status is as before: later NumPy code must not find our flags."""
    p = program(lambda x: [1.0 / x, x.sqrt()], x=())
    zero = np.array(-0.0)
    with np.errstate(all="raise"):
        assert p.fast(zero, None)[0] == -np.inf
        assert (np.ones(3) + np.ones(3) == 2.0).all()


def test_first_calls_from_many_threads(expected):
    """Threads that meet an uncompiled program all get the same bits."""
    p = pendulum_program()
    results = [None] * 8
    barrier = threading.Barrier(8)

    def call(k):
        barrier.wait()
        results[k] = p.fast(Q, QD, LENGTH, None) if k % 2 else p(Q[None], QD, LENGTH)[0]

    workers = [threading.Thread(target=call, args=(k,)) for k in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(same_bits(r, expected) for r in results)
