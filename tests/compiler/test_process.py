"""Programs across threads, forks and pickles."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

from compiler.examples import chain, pendulum, pendulum_program, program, same_bits, states
from polhode.compiler import Program, get_num_threads, set_num_threads
from polhode.compiler.codegen import machine
from polhode.compiler.codegen.machine import Format, wide_lanes
from polhode.compiler.codegen.runtime import runtime_ir
from polhode.compiler.program import pool, threads


def make(n):
    """A program that can be pickled."""
    return Program(pendulum, {"q": (n,), "qd": (n,), "length": ()}, recipe=(make, (n,)))


@contextmanager
def refused_memory(descriptor):
    """A program whose loops get no memory from the system."""
    allocate = descriptor["allocate_zeros"]
    refuse = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)(
        lambda n, size: None
    )
    descriptor["allocate_zeros"] = ctypes.cast(refuse, ctypes.c_void_p).value or 0
    yield
    descriptor["allocate_zeros"] = allocate


@pytest.fixture
def four_threads():
    """Four threads for the length of a test."""
    before = get_num_threads()
    set_num_threads(4)
    yield
    set_num_threads(before)


def test_pickling_follows_the_recipe():
    """A pickle holds how to make the program, not code."""
    p = make(3)
    data = pickle.dumps(p)
    assert len(data) < 200
    x = states(4, 3), states(4, 3, seed=1), 0.5
    assert same_bits(pickle.loads(data)(*x), p(*x))
    with pytest.raises(TypeError, match="recipe"):
        pickle.dumps(pendulum_program())


def test_thread_counts():
    """Set, unset, by environment, and refused."""
    before = get_num_threads()
    set_num_threads(3)
    assert get_num_threads() == 3
    for wrong in (0, -1, 1.5):
        with pytest.raises(ValueError, match="at least 1"):
            set_num_threads(wrong)
    set_num_threads(None)
    assert get_num_threads() >= 1
    set_num_threads(before)


@pytest.mark.parametrize(
    ("text", "expected"), [("5", 5), (None, os.cpu_count()), ("0", None), ("x", None)]
)
def test_default_number_of_threads(monkeypatch, text, expected):
    """POLHODE_NUM_THREADS, or all processors."""
    before = get_num_threads()
    set_num_threads(None)
    if text is None:
        monkeypatch.delenv("POLHODE_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("POLHODE_NUM_THREADS", text)
    try:
        if expected is None:
            with pytest.raises(ValueError, match="POLHODE_NUM_THREADS"):
                get_num_threads()
        else:
            assert get_num_threads() == expected
    finally:
        set_num_threads(before)


def test_large_batches_are_shared(four_threads, monkeypatch):
    """Broadcast inputs, two batch axes, out given or not: bits of a single call."""
    shared = []
    together = threads.run_together
    monkeypatch.setattr(threads, "run_together", lambda t: (shared.append(len(t)), together(t)))
    p = program(chain(12), q=(12,), qd=(12,))
    q, qd = states(3, 9001, 12), states(9001, 12, seed=1)
    expected = p.ufunc(q, qd)
    for got, want in zip(p(q, qd), expected, strict=True):
        assert same_bits(got, want)
    out = tuple(np.empty_like(x) for x in expected)
    assert p(q, qd, out=out)[0] is out[0]
    assert all(same_bits(a, b) for a, b in zip(out, expected, strict=True))
    single = [x.astype(np.float32) for x in (q, qd)]
    assert p(*single)[0].dtype == np.float32
    assert all(same_bits(a, b) for a, b in zip(p(*single), p.ufunc(*single), strict=True))
    assert shared == [4, 4, 4, 4]


@pytest.mark.parametrize("n_threads", [2, 3, 7])
def test_one_loop_is_shared_by_the_pool(n_threads):
    """Threads that stand by take chunks of NumPy's own loop: same bits, whoever computes."""
    before = get_num_threads()
    p = program(chain(12), q=(12,), qd=(12,))
    q, qd = states(50001, 12), states(50001, 12, seed=1)
    try:
        set_num_threads(1)
        offered, expected = pool.jobs(), p(q, qd)
        assert pool.jobs() == offered
        set_num_threads(n_threads)
        for _ in range(5):
            assert all(same_bits(a, b) for a, b in zip(p(q, qd), expected, strict=True))
        assert pool.jobs() >= offered + 5
        strided = p(np.asfortranarray(q), qd[0])
        assert all(same_bits(a, b) for a, b in zip(strided, p.ufunc(q, qd[0]), strict=True))
    finally:
        set_num_threads(before)


def test_callers_that_find_the_pool_taken_work_alone(four_threads):
    """Many threads of the user's own, each with a long batch."""
    p = program(chain(12), q=(12,), qd=(12,))
    inputs = [(states(20011, 12, seed=k), states(20011, 12, seed=k + 9)) for k in range(6)]
    expected = [p.ufunc(*x) for x in inputs]
    with ThreadPoolExecutor(6) as pool:
        for _ in range(3):
            for got, want in zip(pool.map(lambda x: p(*x), inputs), expected, strict=True):
                assert all(same_bits(a, b) for a, b in zip(got, want, strict=True))


def test_no_memory_in_a_shared_loop(four_threads):
    """Where a chunk finds no memory the whole call raises, and the next one succeeds."""
    p = program(chain(12), q=(12,), qd=(12,))
    x = states(50001, 12), states(50001, 12, seed=1)
    expected = program(chain(12), q=(12,), qd=(12,))(*x)
    descriptor = p._source.kernel(Format("f64", wide_lanes("f64"))).descriptor
    with refused_memory(descriptor):
        for _ in range(3):
            with pytest.raises(MemoryError):
                p(*x)
    assert all(same_bits(a, b) for a, b in zip(p(*x), expected, strict=True))


def test_small_batches_and_overlaps_are_not_shared(four_threads, monkeypatch):
    """A few states, and results that overlap the inputs, stay in one thread."""
    monkeypatch.setattr(threads, "run_together", None)
    p = program(lambda x: [x[0] * x[1], x[0] - x[1]], x=(2,))
    assert p(states(10, 2)).shape == (10, 2)
    x = states(2**20, 2)
    expected = p.ufunc(x)
    assert p(x, out=x) is x
    assert same_bits(x, expected)


def test_errors_in_threads_reach_the_caller(four_threads):
    """A wrong out or argument is refused, whatever the size of the batch."""
    p = program(chain(12), q=(12,), qd=(12,))
    q, qd = states(30000, 12), states(30000, 12, seed=1)
    out = p.ufunc(q, qd)
    out[0].flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        p(q, qd, out=out)
    with pytest.raises(ValueError, match="on the last axes of qd"):
        p(q, qd[:, :5])


def test_many_threads_call_one_program():
    """First and later calls from threads of the user's own."""
    p = program(chain(6), q=(6,), qd=(6,))
    q, qd = states(500, 6), states(500, 6, seed=1)
    results = []

    def call():
        for _ in range(20):
            results.append(p(q, qd))

    workers = [threading.Thread(target=call) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(results) == 120
    for got in results:
        assert all(same_bits(a, b) for a, b in zip(got, results[0], strict=True))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_computes(four_threads):
    """After a fork programs compile, run, and start threads of their own."""
    p = program(chain(12), q=(12,), qd=(12,))
    q, qd = states(30000, 12), states(30000, 12, seed=1)
    expected = p(q, qd)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            fresh = program(lambda x: x.sin() * 3.5 + x, x=())
            good = same_bits(p(q, qd)[0], expected[0]) and fresh(1.0) > 0
            status = 0 if good else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_importing_the_compiler_does_not_load_llvm():
    """LLVM comes with the first program."""
    import subprocess

    text = "import sys, polhode.compiler; sys.exit('llvmlite' in sys.modules)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", text], env=environment, check=True)


def test_programs_and_their_code_are_freed():
    """Nothing keeps a program that nobody holds: not its callbacks, not its fast call."""
    p = pendulum_program()
    p(states(20, 5), states(20, 5, seed=1), 0.5)
    p.fast(states(5), states(5, seed=1), np.array(0.5), None)
    watched = weakref.ref(p._source)
    del p
    gc.collect()
    assert watched() is None


def test_batches_that_only_broadcasting_makes_large(four_threads, monkeypatch):
    """Two short axes that make a long batch together are shared too."""
    shared = []
    together = threads.run_together
    monkeypatch.setattr(threads, "run_together", lambda t: (shared.append(len(t)), together(t)))
    p = program(chain(12), q=(12,), qd=(12,))
    q, qd = states(300, 1, 12), states(299, 12, seed=1)
    for got, want in zip(p(q, qd), p.ufunc(q, qd), strict=True):
        assert same_bits(got, want)
    assert shared == [4]


@pytest.mark.parametrize("n_states", [1, 100, 50000])
def test_errors_of_compilation_reach_the_caller(four_threads, monkeypatch, n_states):
    """A kernel that cannot be made: its error from a call, never a result; then another try."""
    p = pendulum_program()
    x = states(n_states, 5), states(n_states, 5, seed=1), 0.5
    compiled = p._source.kernel

    def refuse(form):
        raise RuntimeError("no memory that can be executed")

    monkeypatch.setattr(p._source, "kernel", refuse)
    for call in (p, p, p.ufunc):
        with pytest.raises(RuntimeError, match="executed"):
            call(*x)
    assert p.fast(x[0][0], x[1][0], np.array(0.5), None) is NotImplemented
    monkeypatch.setattr(p._source, "kernel", compiled)
    assert same_bits(p(*x), pendulum_program()(*x))
    assert p.fast(x[0][0], x[1][0], np.array(0.5), None) is not NotImplemented


def test_a_system_that_refuses_executable_memory(monkeypatch):
    """The error says what is needed."""
    import llvmlite.binding as llvm

    def refuse():
        raise OSError("cannot allocate executable memory")

    monkeypatch.setattr(llvm, "check_jit_execution", refuse)
    machine._require_executable_memory.cache_clear()
    with pytest.raises(RuntimeError, match="refuses memory that can be executed"):
        pendulum_program()(states(5), states(5), 1.0)


def test_no_memory_for_a_buffer_is_an_error():
    """Where the allocator gives nothing, a call raises and writes nothing."""
    p = pendulum_program()
    x = states(20, 5), states(20, 5, seed=1), 0.5
    expected = pendulum_program()(*x)
    descriptor = p._source.kernel(machine.Format("f64", machine.wide_lanes("f64"))).descriptor
    out = np.full((20, 5), 7.0)
    with refused_memory(descriptor), pytest.raises(MemoryError):
        p(*x, out=out)
    assert (out == 7.0).all()
    assert same_bits(p(*x), expected)


def test_machine_code_has_no_tables_for_unwinding(monkeypatch):
    """They would be registered with the process, where other libraries' compilers have theirs."""
    import llvmlite.binding as llvm

    from compiler.jit_functions import carried

    sections = []

    def read(self, *objects):
        for data in objects:
            file = llvm.ObjectFileRef.from_data(data)
            sections.append({section.name() for section in file.sections()})
        prepare(self, *objects)

    prepare = machine.Engine.__init__
    monkeypatch.setattr(machine.Engine, "__init__", read)
    for dtype in ("f64", "f32"):
        for lanes in (1, wide_lanes(dtype)):
            machine.Engine(machine.compile_ir(runtime_ir(Format(dtype, lanes)), tidy=True))
    q = np.linspace(0.1, 0.5, 11)
    Program(lambda x: [x[0] * x[0] / 1.7], {"x": (1,)})(q[:, None])
    type(carried)(carried.function)(3, 2)
    assert len(sections) >= 6
    for found in sections:
        assert not {b".eh_frame", b"__eh_frame", b".pdata"} & found
