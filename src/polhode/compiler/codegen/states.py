"""What the ways into a kernel share: one state's trigonometry, the status flags, the choice."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from . import descriptor
from .emitter import IR, Emitter
from .library import sincos
from .machine import Format, cpu_features, wide_lanes
from .team import TAKEN, TEAM


def one_state_trigonometry(form: Format, program: IR, buffer: IR) -> None:
    """Sines and cosines of the angles of one state, as many at a time as a vector has lanes."""
    e, W = buffer.e, wide_lanes(form.dtype)
    table = program.at(descriptor.offset("trig")).load("ptr")
    results = program.at(descriptor.offset("trig_slot")).load("i64")
    n = program.at(descriptor.offset("n_trig")).load("i64")
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
    take, give = (data.at(descriptor.offset(f)).load("ptr") for f in ("take_gil", "give_gil"))
    state = e("i32", f"call i32 {take.text}()")
    yield
    e.line(f"call void {give.text}({state})")


def dispatcher() -> tuple[str, Emitter]:
    """``dispatch(args, dims, steps, data)``: the scalar loop for short batches, else the wide.

    Long batches are shared among a team of threads, see `team`.
    Leaves the floating-point status as it was, even where a first call had to compile.  If
    that failed it sets Python's error, which the ufunc then raises.
    """
    e = Emitter()
    dims, data = IR(e, "ptr", "%dims"), IR(e, "ptr", "%data")
    restore = save_flags(e)

    result = e.alloca("i64", 8)
    given = [IR(e, "ptr", f"%{name}") for name in ("args", "dims", "steps")]

    def called(kind: str) -> tuple[IR, IR]:
        loop, more = (data.at(descriptor.offset(f"{kind}_{f}")) for f in ("loop", "data"))
        return loop.load("ptr"), more.load("ptr")

    def alone(kind: str) -> None:
        loop, more = called(kind)
        operands = ", ".join(map(str, (*given, more)))
        result.store(e("i64", f"call i64 {loop.text}({operands})"))

    def wide() -> None:
        """Alone, unless the batch is long and there are threads to share it."""
        team = data.at(descriptor.offset("team")).load("ptr")
        n_others = team.at(8 * TEAM.index("members")).load("i64")
        is_worth_it = dims.load("i64") >= data.at(descriptor.offset("share_from")).load("i64")
        result.store(e.constant("i64", TAKEN))
        with e.when(is_worth_it & (n_others > 0)):
            loop, more = called("wide")
            result.store(e.call("i64", "@team_share", team, loop, *given, more))
        with e.when(result.load("i64").equals(TAKEN)):
            alone("wide")

    is_long = dims.load("i64") > data.at(descriptor.offset("threshold")).load("i64")
    e.choose(is_long, wide, lambda: alone("scalar"))
    restore()
    with e.when(result.load("i64").differs(0)), holding_gil(data):
        e("ptr", f"call ptr {data.at(descriptor.offset('no_memory')).load('ptr').text}()")
    place = data.at(descriptor.offset("error"))
    error = place.load("ptr")
    with e.when(error.differs("null")), holding_gil(data):
        set_error, type = (
            data.at(descriptor.offset(f)).load("ptr") for f in ("set_error", "error_type")
        )
        e.line(f"call void {set_error.text}({type}, {error})")
        place.store(e.constant("ptr", "null"))
    e.line("ret void")
    signature = "void @dispatch(ptr %args, ptr %dims, ptr %steps, ptr %data)"
    return e.function(signature), e
