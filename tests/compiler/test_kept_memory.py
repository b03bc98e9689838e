"""Memory of loops: zero at first, kept from call to call, one piece for each thread at work."""

from __future__ import annotations

import ctypes
import threading
import tracemalloc

import numpy as np
import pytest

from compiler.examples import chain, program, same_bits, skipped, states
from polhode.compiler import Program, get_num_threads, set_num_threads
from polhode.compiler.codegen.kept_memory import PLACES, KeptMemory
from polhode.compiler.codegen.late_release import LateRelease
from polhode.compiler.codegen.machine import Format, wide_lanes

WIDE = Format("f64", wide_lanes("f64"))


class Counted:
    """Counts the pieces of memory that a program asks for, and fills them with some byte."""

    def __init__(self, p: Program, fill: int = 0):
        self.sizes: list[int] = []
        kept: list[ctypes.Array] = []

        def allocate(n: int, size: int) -> int:
            self.sizes.append(n * size)
            kept.append((ctypes.c_ubyte * (n * size))(*[fill] * (n * size)))
            return ctypes.addressof(kept[-1])

        self._kept = kept
        self._allocate = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)(
            allocate
        )
        self._release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda memory: None)
        self.descriptor = p._source.kernel(WIDE).descriptor
        self.descriptor["allocate_zeros"] = ctypes.cast(self._allocate, ctypes.c_void_p).value or 0
        self.descriptor["release"] = ctypes.cast(self._release, ctypes.c_void_p).value or 0

    def places(self) -> np.ndarray:
        """Addresses of the memory that is kept."""
        return np.ctypeslib.as_array(
            (ctypes.c_int64 * PLACES).from_address(self.descriptor["kept"])
        )

    def forget(self) -> None:
        """Leave nothing to release that Python owns."""
        self.places()[:] = 0


def test_memory_is_asked_for_once():
    """However many calls there are, of whatever length."""
    p = program(chain(3), q=(3,), qd=(3,))
    counted = Counted(p)
    for n in (100, 1000, 64):
        p.ufunc(states(n, 3), states(n, 3, seed=1))
    assert len(counted.sizes) == 1
    assert np.count_nonzero(counted.places()) == 1
    counted.forget()


def test_each_thread_at_work_has_its_own():
    """Calls inside of each other's time: same bits, no more memory than threads."""
    p = program(chain(12), q=(12,), qd=(12,))
    inputs = [(states(20011, 12, seed=k), states(20011, 12, seed=k + 9)) for k in range(6)]
    expected = [program(chain(12), q=(12,), qd=(12,)).ufunc(*x) for x in inputs]
    counted = Counted(p)
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(5):
            got = p.ufunc(*inputs[k])
            if not all(same_bits(a, b) for a, b in zip(got, expected[k], strict=True)):
                wrong.append(k)

    before = get_num_threads()
    set_num_threads(1)
    try:
        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        set_num_threads(before)
    assert not wrong
    kept = counted.places()
    kept = kept[kept != 0]
    assert 1 <= len(kept) <= min(PLACES, 6) and len(set(kept)) == len(kept)
    counted.forget()


@pytest.mark.parametrize("fill", [0, 1, 0x7F, 0xFF])
def test_results_do_not_depend_on_what_memory_held(fill):
    """Subnormal numbers, huge ones and NaN in slots of a branch that some lanes skip."""

    x = states(203, 3)
    expected = program(skipped, x=(3,)).ufunc(x)
    p = program(skipped, x=(3,))
    counted = Counted(p, fill)
    assert all(same_bits(a, b) for a, b in zip(p.ufunc(x), expected, strict=True))
    assert len(counted.sizes) == 1
    counted.forget()


def test_kept_memory_is_released():
    """After the object that has its places, when code is next made."""
    size = 1 << 20
    allocate = ctypes.pythonapi.PyMem_RawCalloc
    allocate.argtypes, allocate.restype = [ctypes.c_size_t, ctypes.c_size_t], ctypes.c_void_p
    tracemalloc.start()
    try:
        kept = KeptMemory()
        ctypes.c_void_p.from_address(kept.address).value = allocate(1, size)
        held, _ = tracemalloc.get_traced_memory()
        del kept
        LateRelease.of_dropped()
        left, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held - left >= size
