"""A thread pool whose threads share one loop over states, in machine code alone.

Waking a thread costs more than many batches take, and so does waiting for Python's lock.  So
threads that have worked look out for more work for a while, without the lock, before they sleep;
whoever calls meanwhile finds them ready.  The caller offers its loop, all take chunks of it in
turn, and the caller leaves when no thread is at work any more.  It needs no other thread, and does
everything itself if none comes.
"""

from __future__ import annotations

import platform

from . import descriptor
from .emitter import IR, Emitter

POOL = (
    "taken",  # 1 while a caller uses the pool
    "open",  # 1 while there may be chunks left
    "active",  # threads at work, the caller not counted
    "members",  # threads that may take part, the caller not counted
    "next",  # first state of the next chunk
    "chunk",  # states of a chunk
    "count",  # states
    "loop",
    "args",
    "steps",
    "data",
    "failed",  # 1 if a chunk found no memory
    "jobs",  # loops that were offered so far
)
TAKEN = 2  # what `pool_share` returns if another caller has the pool
_MOST_ARRAYS = 64  # NumPy's own limit on the arguments of a ufunc
_PER_THREAD = 4  # chunks, so that a thread that comes late or is slow does not hold up the rest
_LANES = 16  # chunks are whole vectors of any format


class _Pool:
    """The fields of a POOL record, as a function sees them."""

    def __init__(self, e: Emitter, record: IR):
        self.e, self.record = e, record

    def at(self, field: str) -> IR:
        return self.record.at(8 * POOL.index(field))

    def load(self, field: str, type: str = "i64") -> IR:
        """The field, and everything written before it was."""
        return self.at(field).acquire(type)

    def store(self, field: str, x: int | IR) -> None:
        value = x if isinstance(x, IR) else self.e.constant("i64", x)
        self.e.put(f"store atomic {value}, {self.at(field)} seq_cst, align 8")

    def add(self, field: str, x: int | IR) -> IR:
        """Add to a field; what it was before."""
        value = x if isinstance(x, IR) else self.e.constant("i64", x)
        return self.e("i64", f"atomicrmw add {self.at(field)}, {value} seq_cst")


def _pause(e: Emitter) -> None:
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        e.call("void", "@llvm.x86.sse2.pause")
    elif machine in ("arm64", "aarch64"):
        e.call("void", "@llvm.aarch64.hint", e.constant("i32", 1))


def _chunks() -> tuple[str, Emitter]:
    """``pool_chunks(pool)``: take chunks until there are none."""
    e = Emitter()
    pool = _Pool(e, IR(e, "ptr", "%pool"))
    args, count = e.alloca(f"[{_MOST_ARRAYS} x ptr]", 8), e.alloca("i64", 8)
    with e.repeat() as go_on_if:
        first, total = pool.add("next", pool.load("chunk")), pool.load("count")
        go_on_if(first < total)
        left, chunk, data = total - first, pool.load("chunk"), pool.load("data", "ptr")
        count.store((left < chunk).select(left, chunk))
        n_inputs, n_outputs = (descriptor.field(data, f) for f in ("n_inputs", "n_outputs"))
        given, steps = pool.load("args", "ptr"), pool.load("steps", "ptr")
        with e.loop(n_inputs + n_outputs) as k:
            start = given.at(k, 8).load("ptr").at(first * steps.at(k, 8).load("i64"))
            args.at(k, 8).store(start)
        failed = e.call("i64", pool.load("loop", "ptr"), args, count, steps, data)
        with e.when(failed.differs(0)):
            pool.store("failed", failed)
    e.leave()
    return e.function("internal void @pool_chunks(ptr %pool)"), e


def _serve() -> tuple[str, Emitter]:
    """``pool_serve(pool, number, patience)``: work, and look out for work, until it takes long."""
    e = Emitter()
    pool = _Pool(e, IR(e, "ptr", "%pool"))
    number, patience = IR(e, "i64", "%number"), IR(e, "i64", "%patience")
    idle = e.alloca("i64", 8)
    idle.store(number.like(0))

    def work() -> None:
        pool.add("active", 1)
        with e.when(pool.add("open", 0).differs(0)):  # still so, now that the caller waits
            e.call("void", "@pool_chunks", pool.record)
            idle.store(number.like(0))
        pool.add("active", -1)

    with e.repeat() as go_on_if:
        passed = idle.load("i64")
        is_member = number < pool.load("members")
        go_on_if(is_member & (passed < patience))
        idle.store(passed + 1)
        e.choose(pool.load("open").differs(0), work, lambda: _pause(e))
    e.leave()
    return e.function("void @pool_serve(ptr %pool, i64 %number, i64 %patience)"), e


def _share() -> tuple[str, Emitter]:
    """``pool_share(pool, loop, args, dims, steps, data)``: what the loop returned, or `TAKEN`."""
    e = Emitter()
    pool = _Pool(e, IR(e, "ptr", "%pool"))
    loop, args, dims, steps, data = (
        IR(e, "ptr", f"%{name}") for name in ("loop", "args", "dims", "steps", "data")
    )
    pair = e("{ i64, i1 }", f"cmpxchg {pool.at('taken')}, i64 0, i64 1 seq_cst seq_cst")
    e.stop_unless(e("i1", f"extractvalue {pair}, 1"), e.constant("i64", TAKEN))
    n = dims.load("i64")
    parts = (pool.load("members") + 1) * _PER_THREAD
    chunk = ((n + parts - 1) / parts + (_LANES - 1)) & -_LANES
    for field, x in (("next", 0), ("failed", 0), ("chunk", chunk), ("count", n)):
        pool.store(field, x)
    for field, x in (("loop", loop), ("args", args), ("steps", steps), ("data", data)):
        pool.at(field).store(x)
    pool.store("open", 1)
    e.call("void", "@pool_chunks", pool.record)
    pool.add("open", -1)
    with e.repeat() as go_on_if:
        go_on_if(pool.add("active", 0).differs(0))
        _pause(e)
    pool.add("jobs", 1)
    result = pool.load("failed")
    pool.store("taken", 0)
    e.leave(str(result))
    signature = "i64 @pool_share(ptr %pool, ptr %loop, ptr %args, ptr %dims, ptr %steps, ptr %data)"
    return e.function(signature), e


def functions() -> list[tuple[str, Emitter]]:
    """What a module needs in which loops are shared."""
    return [_chunks(), _serve(), _share()]
