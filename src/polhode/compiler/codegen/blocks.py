"""Square blocks of numbers in registers: transposing, and rows shorter than a vector."""

from __future__ import annotations

from .emitter import IR, Emitter


def transposed(rows: list[IR]) -> list[IR]:
    """The columns of a square block of vectors, by exchanges at halving distances."""
    rows, n = list(rows), len(rows)
    e, T = rows[0].e, rows[0].type
    d = n // 2
    while d:
        low = [j if not j & d else n + j - d for j in range(n)]
        high = [j + d if not j & d else n + j for j in range(n)]
        for i in range(n):
            if not i & d:
                a, b = rows[i], rows[i + d]
                for target, mask in ((i, low), (i + d, high)):
                    lanes = ", ".join(f"i32 {m}" for m in mask)
                    rows[target] = e(T, f"shufflevector {a}, {b}, <{n} x i32> <{lanes}>")
        d //= 2
    return rows


def first_lanes(e: Emitter, lanes: int, count: IR) -> IR:
    """A mask of the lanes below ``count``."""
    type = f"<{lanes} x i64>"
    first = IR(e, type, "poison").with_lane(0, count)
    spread = e(type, f"shufflevector {first}, {type} poison, <{lanes} x i32> zeroinitializer")
    numbers = ", ".join(f"i64 {k}" for k in range(lanes))
    return IR(e, type, f"<{numbers}>") < spread


def masked_load(where: IR, type: str, mask: IR, align: int) -> IR:
    """The lanes of ``mask``; the others are zero and their memory is not touched."""
    e = where.e
    name = f"@llvm.masked.load.{_mangled(type)}.p0"
    e.declared.add(f"declare {type} {name}(ptr, i32, {mask.type}, {type})")
    operands = f"{where}, i32 {align}, {mask}, {type} zeroinitializer"
    return e(type, f"call {type} {name}({operands})")


def masked_store(x: IR, where: IR, mask: IR, align: int) -> None:
    """Write the lanes of ``mask``; the memory of the others is not touched."""
    e = where.e
    name = f"@llvm.masked.store.{_mangled(x.type)}.p0"
    e.declared.add(f"declare void {name}({x.type}, ptr, i32, {mask.type})")
    e.line(f"call void {name}({x}, {where}, i32 {align}, {mask})")


def _mangled(type: str) -> str:
    lanes, element = type[1:-1].split(" x ")
    return f"v{lanes}{'f64' if element == 'double' else 'f32'}"
