"""What the ways into a kernel share: one state's trigonometry, the status flags, the choice."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from . import descriptor
from .emitter import IR, Emitter
from .library import sincos
from .machine import Format, cpu_features, wide_lanes
from .pool import POOL, TAKEN


def one_state_trigonometry(form: Format, program: IR, buffer: IR) -> None:
    """Sines and cosines of the angles of one state, as many at a time as a vector has lanes."""
    e, W = buffer.e, wide_lanes(form.dtype)
    table = descriptor.field(program, "trig", "ptr")
    results = descriptor.field(program, "trig_slot")
    n = descriptor.field(program, "n_trig")
    with e.loop(n, step=W) as first:
        x = IR(e, Format(form.dtype, W).vector(), "poison")
        places = []
        for lane in range(W):
            k = first + lane
            k = (k < n).select(k, n - 1)
            angle = buffer.at(table.at(k, 8).load("i64"), form.itemsize)
            x = x.with_lane(lane, angle.load(form.scalar, form.itemsize))
            places.append(buffer.at(results + k * 2, form.itemsize))
        s, c = sincos(x)
        for lane, place in enumerate(places):
            place.store(s.lane(lane), form.itemsize)
            place.at(form.itemsize).store(c.lane(lane), form.itemsize)


def save_flags(e: Emitter) -> Callable[[], object]:
    """Remember the floating-point status; gives the function that writes its restoration.

    Kernels neither check nor raise: what a lane that is not used computes must not show.
    """
    if platform.machine().lower() in ("x86_64", "amd64") and "sse2" in cpu_features():
        memory = e.alloca("i32", 4)
        e.call("void", "@llvm.x86.sse.stmxcsr", memory)
        return lambda: e.call("void", "@llvm.x86.sse.ldmxcsr", memory)
    if platform.machine().lower() in ("arm64", "aarch64"):
        saved = e.call("i64", "@llvm.aarch64.get.fpsr")
        return lambda: e.call("void", "@llvm.aarch64.set.fpsr", saved)
    return lambda: None


@contextmanager
def holding_gil(data: IR) -> Iterator[None]:
    """Instructions that may call Python, from a loop that runs without its lock."""
    e = data.e
    take, give = (descriptor.field(data, f, "ptr") for f in ("take_gil", "give_gil"))
    state = e.call("i32", take)
    yield
    e.call("void", give, state)


def dispatcher() -> tuple[str, Emitter]:
    """``dispatch(args, dims, steps, data)``: the scalar kernel for short batches, else the wide.

    Long batches are shared among a thread pool, see `pool`.  A kernel that is not there yet
    is made by a call of Python, whose error, an interrupt included, is that of the ufunc.
    Leaves the floating-point status as it was, even where a first call had to compile.
    """
    e = Emitter()
    dims, data = IR(e, "ptr", "%dims"), IR(e, "ptr", "%data")
    restore = save_flags(e)

    result = e.alloca("i64", 8)
    given = [IR(e, "ptr", f"%{name}") for name in ("args", "dims", "steps")]

    def alone(kernel: IR) -> None:
        loop = descriptor.field(kernel, "loop", "ptr")
        result.store(e.call("i64", loop, *given, kernel))

    def wide() -> None:
        """Alone, unless the batch is long and there are threads to share it."""
        kernel = _kernel(data, "wide", restore)
        pool = descriptor.field(data, "pool", "ptr")
        n_others = pool.at(8 * POOL.index("members")).load("i64")
        is_worth_it = dims.load("i64") >= descriptor.field(data, "share_from")
        result.store(e.constant("i64", TAKEN))
        with e.when(is_worth_it & (n_others > 0)):
            loop = descriptor.field(kernel, "loop", "ptr")
            result.store(e.call("i64", "@pool_share", pool, loop, *given, kernel))
        with e.when(result.load("i64").equals(TAKEN)):
            alone(kernel)

    is_long = dims.load("i64") > descriptor.field(data, "threshold")
    e.choose(is_long, wide, lambda: alone(_kernel(data, "scalar", restore)))
    restore()
    with e.when(result.load("i64").differs(0)), holding_gil(data):
        e.call("ptr", descriptor.field(data, "no_memory", "ptr"))
    e.leave()
    signature = "void @dispatch(ptr %args, ptr %dims, ptr %steps, ptr %data)"
    return e.function(signature), e


def _kernel(data: IR, kind: str, restore: Callable[[], object]) -> IR:
    """The descriptor of a kernel, which is made on first need; returns if that fails."""
    e, place = data.e, data.at(descriptor.offset(kind))
    has_error, call, make, decref = (
        data.at(descriptor.offset(f)) for f in ("has_error", "call", f"make_{kind}", "decref")
    )
    found = e.alloca("ptr", 8)
    found.store(place.acquire("ptr"))
    with e.when(found.load("ptr").equals("null")):
        with holding_gil(data):
            error = e.call("ptr", has_error.load("ptr"))  # of an earlier loop
            with e.when(error.equals("null")):
                done = e.call("ptr", call.load("ptr"), make.load("ptr"))
                with e.when(done.differs("null")):
                    e.call("void", decref.load("ptr"), done)
        found.store(place.acquire("ptr"))
        with e.when(found.load("ptr").equals("null")):
            restore()
            e.leave()
    return found.load("ptr")


def publish() -> tuple[str, Emitter]:
    """``publish(place, x)``: whoever sees ``x`` at this place sees all that was written before."""
    e = Emitter()
    e.put("store atomic i64 %x, ptr %place release, align 8")
    e.leave()
    return e.function("void @publish(ptr %place, i64 %x)"), e
