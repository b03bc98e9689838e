"""Printer from straight-line code to LLVM IR: one function per section, no loops, no choices.

A kernel works on a buffer of slots; a slot holds one number of every lane.  Constants and
intermediate values stay in registers; what another section needs goes through a slot.  Nothing here
permits LLVM to contract, reorder or approximate.  The order of the code is that of the algorithm,
which keeps few values alive.  LLVM's scheduler would undo that for a gain that processors make
themselves, so it gets short basic blocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from ..graph.code import Code
from ..graph.ops import GATHER, Op
from .layout import BufferLayout
from .literals import bytes_text, number_text, to_single
from .machine import Format
from .section import Section

FORMS = {
    "add": "fadd {T} {0}, {1}",
    "sub": "fsub {T} {0}, {1}",
    "mul": "fmul {T} {0}, {1}",
    "div": "fdiv {T} {0}, {1}",
    "neg": "fneg {T} {0}",
    "sqrt": "call {T} @llvm.sqrt.{S}({T} {0})",
    "abs": "call {T} @llvm.fabs.{S}({T} {0})",
    "floor": "call {T} @llvm.floor.{S}({T} {0})",
    "rint": "call {T} @llvm.rint.{S}({T} {0})",
    "fma": "call {T} @llvm.fma.{S}({T} {0}, {T} {1}, {T} {2})",
    "lt": "fcmp olt {T} {0}, {1}",
    "le": "fcmp ole {T} {0}, {1}",
    "eq": "fcmp oeq {T} {0}, {1}",
    "and": "and {B} {0}, {1}",
    "or": "or {B} {0}, {1}",
    "not": "xor {B} {0}, {true}",
    "where": "select {B} {0}, {T} {1}, {T} {2}",
}
INTRINSICS = {"sqrt": 1, "fabs": 1, "floor": 1, "rint": 1, "fma": 3}
BLOCK = 64  # instructions of a basic block, within which alone LLVM may reorder them
LIBRARY = ("sincos", "exp", "log", "atan2")  # order of the runtime's function table


def literal(x: float, form: Format) -> str:
    """A number as LLVM reads it, in every lane."""
    text = number_text(to_single(x) if form.dtype == "f32" else x)
    return text if form.lanes == 1 else f"splat ({form.scalar} {text})"


def _types(form: Format) -> dict[str, str]:
    """What `FORMS` call the types of a format."""
    true = "true" if form.lanes == 1 else "splat (i1 true)"
    return {"T": form.vector(), "S": form.suffix, "B": form.vector("i1"), "s": form.scalar,
            "true": true}  # fmt: skip


@cache
def _lines(form: Format) -> dict[str, str]:
    """`FORMS` with the types of a format, whose operands alone are left open."""
    return {name: line.format("{0}", "{1}", "{2}", **_types(form)) for name, line in FORMS.items()}


def declarations(form: Format) -> str:
    """Declarations of the intrinsics that `FORMS` name."""
    T, S = form.vector(), form.suffix
    return "\n".join(
        f"declare {T} @llvm.{name}.{S}({', '.join([T] * n)})" for name, n in INTRINSICS.items()
    )


def tables(layouts: Iterable[BufferLayout], space: str = "") -> str:
    """The constant tables of programs, once all of their sections are printed."""
    found = {name: data for layout in layouts for name, data in layout.tables.items()}
    lines = [
        f"@{name} = internal {space}constant {bytes_text(data)}, align 64"
        for name, data in found.items()
    ]
    return "".join(f"\n{line}\n" for line in lines)


class _Table(NamedTuple):
    """Where a table begins, and how far it is from entry to entry and from lane to lane."""

    base: str
    pointer: str
    entry_bytes: int
    lane_bytes: int


_ALIGNED_SPILLS = '"frame-pointer"="all"'
"""Without a frame pointer LLVM leaves vectors on the stack across two cache lines each."""


class SectionPrinter:
    """Prints the instructions of one section as the body of a function.

    The function reads slots from ``%src`` and writes them to ``%dst``.  Both are the same buffer,
    but `BufferLayout` guarantees that a section writes no slot that it reads.  So LLVM may be told
    that they do not overlap.  Slots of joins are read and written through ``%dst`` alone.
    """

    more_parameters = ""
    types_of_parameters = "ptr, ptr, ptr"
    pointer = constant_pointer = "ptr"  # types of addresses of slots and of constants

    def __init__(self, code: Code, layout: BufferLayout, form: Format):
        self.code: Code = code
        self.layout: BufferLayout = layout
        self.form: Format = form
        self.lines: list[str] = []
        self.name: dict[int, str] = {}
        self.types: dict[str, str] = _types(form)
        self.forms: dict[str, str] = _lines(form)
        self.pairs: dict[int, int] = {}  # argument -> scratch slot that holds its sine and cosine
        self.stored: dict[tuple[int, ...], int] = {}  # entries of a table -> its first slot
        self.tables: dict[str, bytes] = {}  # constant tables, by name
        self.replaced: set[int] = set()  # slots that are read and written
        self.alone: set[int] = set()  # joins that replace nothing
        self.carried: set[int] = set()  # joins that replace what a loop carries
        self._goes = ""
        self._slot_bytes = form.slot
        self._temporaries = 0

    def function(self, symbol: str, section: Section, linkage: str = "internal ") -> str:
        """The function of a section."""
        kept = set(section.stores)
        self.replaced = {self.layout.slot[k] for k in section.joins}
        self.alone, self.carried = section.alone, section.carried
        for n, k in enumerate(section.members):
            if n and n % BLOCK == 0:
                self.lines.append(f"br label %b{n}\nb{n}:")
            self.instruction(k)
            if k in kept:
                self.keep(k)
        for old, k in section.copies:
            self._store(self.as_stored(old), self.layout.slot[k])
        body = "\n".join(self.lines)
        return (
            f"define {linkage}void @{symbol}(ptr noalias readonly align 64 %src, "
            f"ptr noalias align 64 %dst, ptr %library{self.more_parameters}) "
            f"noinline nounwind {_ALIGNED_SPILLS} {{\n{body}\nret void\n}}\n"
        )

    def keep(self, k: int) -> None:
        """Store value ``k`` in its slot."""
        self._store(self.as_stored(k), self.layout.slot[k])

    def as_stored(self, k: int) -> str:
        """Value ``k`` as a slot holds it: a condition as 1 or 0."""
        x = self.value(k)
        if not self.code.ops[k].is_condition:
            return x
        one, zero = literal(1.0, self.form), literal(0.0, self.form)
        return self._temporary("select {B} {0}, {T} {1}, {T} {2}", x, one, zero)

    def as_loaded(self, k: int, x: str) -> str:
        """What a slot held as value ``k``."""
        if not self.code.ops[k].is_condition:
            return x
        return self._temporary("fcmp une {T} {0}, {1}", x, literal(0.0, self.form))

    def value(self, k: int) -> str:
        """The operand text of value ``k``, loading it on first use in this section."""
        known = self.name.get(k)
        if known is not None:
            return known
        if self.code.ops[k].name == "const":
            text = literal(self.code.args[k][0], self.form)
        else:
            slot = self.layout.slot[k]
            base = "%dst" if slot in self.replaced else "%src"
            text = self.as_loaded(k, self._load(base, slot, f"%s{k}"))
        self.name[k] = text
        return text

    def instruction(self, k: int) -> None:
        op, args = self.code.ops[k], self.code.args[k]
        if op.arity == 0 or k in self.layout.given:
            return
        if op.is_library or op is GATHER:
            self.name[k] = self._library(k, op) if op.is_library else self._looked_up(k)
            return
        if k in self.alone:
            self.name[k] = self.operand(k, 1)
            return
        operands = [self.operand(k, i) for i in range(len(args))]
        if k in self.carried:
            operands[0] = self._temporary("and {B} {0}, {1}", operands[0], self._going())
        line = self.forms.get(op.name)
        if line is not None:
            self._line(k, line.format(*operands))
        else:
            self._composed(k, op, operands)

    def _going(self) -> str:
        """Whether lanes go on in the loop that this is a part of."""
        if not self._goes:
            goes = self._load("%src", self.layout.goes, "%goes")
            self._goes = self._temporary("fcmp une {T} {0}, {1}", goes, literal(0.0, self.form))
        return self._goes

    def operand(self, k: int, i: int) -> str:
        """The text of operand ``i`` of instruction ``k``."""
        return self.value(self.code.args[k][i])

    def _composed(self, k: int, op: Op, operands: list[str]) -> None:
        """The ops that are more than one instruction."""
        if op.name in ("min", "max"):
            a, b = operands
            order = self._temporary(
                "fcmp {c} {T} {0}, {1}", a, b, c="olt" if op.name == "min" else "ogt"
            )
            best = self._temporary("select {B} {0}, {T} {1}, {T} {2}", order, a, b)
            nan = self._temporary("fcmp uno {T} {0}, {0}", a)
            self._line(k, self.forms["where"].format(nan, a, best))
            return
        a, b, c = operands
        if op.name in ("fnma", "fnms"):
            a = self._temporary("fneg {T} {0}", a)
        if op.name in ("fms", "fnms"):
            c = self._temporary("fneg {T} {0}", c)
        self._line(k, self.forms["fma"].format(a, b, c))

    def _library(self, k: int, op: Op) -> str:
        """A call through the runtime's table: operands and results pass through scratch slots."""
        args = self.code.args[k]
        is_pair = op.name in ("sin", "cos")
        base = self.pairs.get(args[0]) if is_pair else None
        if base is None:
            base = self.layout.scratch()
            for i in range(len(args)):
                self._store(self.operand(k, i), base + i)
            entry = LIBRARY.index("sincos" if is_pair else op.name)
            slot = self._temporary("getelementptr ptr, ptr %library, i64 {n}", n=entry)
            function = self._temporary("load ptr, ptr {0}", slot)
            where = self._address("%dst", base)
            self.lines.append(f"call void {function}(ptr {where}, ptr {where})")
            if is_pair:
                self.pairs[args[0]] = base
        return self._load("%dst", base + (op.name == "cos"), f"%r{self._fresh()}")

    def _looked_up(self, k: int) -> str:
        """An entry of a table, lane by lane."""
        form, place = self.form, self.operand(k, 0)
        table = self._table(k)
        places = self._inside(place, len(self.code.args[k]) - 2)
        found = "poison"
        for lane in range(form.lanes):
            entry = self._lane(places, "i32", lane)
            found = self._with_lane(found, self._entry(table, entry, lane), lane)
        is_nan = self._temporary("fcmp uno {T} {0}, {0}", place)
        return self._temporary("select {B} {0}, {T} {1}, {T} {2}", is_nan, place, found)

    def _entry(self, table: _Table, entry: str, lane: int) -> str:
        """One number of a table."""
        at = {"p": table.pointer, "n": table.entry_bytes, "o": table.lane_bytes * lane}
        row = self._temporary("getelementptr [{n} x i8], {p} {0}, i32 {1}", table.base, entry, **at)
        where = self._temporary("getelementptr i8, {p} {0}, i64 {o}", row, **at)
        return self._temporary("load {s}, {p} {0}, align {a}", where, a=self.form.itemsize, **at)

    def _inside(self, place: str, last: int) -> str:
        """A number between 0 and ``last`` as integers; 0 of NaN."""
        choice = "select {B} {0}, {T} {1}, {T} {2}"
        lowest, highest = literal(0.0, self.form), literal(float(last), self.form)
        above = self._temporary("fcmp ogt {T} {0}, {1}", place, lowest)
        place = self._temporary(choice, above, place, lowest)
        below = self._temporary("fcmp olt {T} {0}, {1}", place, highest)
        place = self._temporary(choice, below, place, highest)
        return self._temporary("fptosi {T} {0} to {I}", place, I=self.form.vector("i32"))

    def _with_lane(self, vector: str, x: str, lane: int) -> str:
        if self.form.lanes == 1:
            return x
        return self._temporary("insertelement {T} {0}, {s} {1}, i32 {n}", vector, x, n=lane)

    def _lane(self, x: str, type: str, lane: int) -> str:
        if self.form.lanes == 1:
            return x
        whole = self.form.vector(type)
        return self._temporary("extractelement {V} {0}, i32 {n}", x, V=whole, n=lane)

    def _table(self, k: int) -> _Table:
        """The table that instruction ``k`` looks into."""
        entries = self.code.args[k][1:]
        names = {self.code.ops[a].name for a in entries}
        if names == {"const"}:
            numbers = [self.code.args[a][0] for a in entries]
            name = self.layout.table(numbers, self.form.dtype)
            self.tables[name] = self.layout.tables[name]
            return _Table(f"@{name}", self.constant_pointer, self.form.itemsize, 0)
        slots = [self.layout.slot[a] for a in entries] if names == {"input"} else []
        if slots and slots == list(range(slots[0], slots[0] + len(slots))):
            base = self._address("%src", slots[0])
        else:
            base = self._address("%dst", self._stored_table(entries))
        return _Table(base, self.pointer, self.form.slot, self.form.itemsize)

    def _stored_table(self, entries: tuple[int, ...]) -> int:
        """The first of neighbouring slots that hold these values."""
        first = self.stored.get(entries)
        if first is None:
            first = self.stored[entries] = self.layout.scratch(len(entries))
            for n, a in enumerate(entries):
                self._store(self.value(a), first + n)
        return first

    def _address(self, base: str, slot: int) -> str:
        name = f"%t{self._fresh()}"
        self.lines.append(f"{name} = getelementptr i8, ptr {base}, i64 {slot * self._slot_bytes}")
        return name

    def _load(self, base: str, slot: int, name: str) -> str:
        where = self._address(base, slot)
        T, align = self.types["T"], self._slot_bytes
        self.lines.append(f"{name} = load {T}, ptr {where}, align {align}")
        return name

    def _store(self, value: str, slot: int) -> None:
        where = self._address("%dst", slot)
        T, align = self.types["T"], self._slot_bytes
        self.lines.append(f"store {T} {value}, ptr {where}, align {align}")

    def _line(self, k: int, text: str) -> None:
        self.name[k] = f"%v{k}"
        self.lines.append(f"%v{k} = {text}")

    def _temporary(self, form: str, *operands: str, **more: object) -> str:
        name = f"%t{self._fresh()}"
        self.lines.append(f"{name} = " + form.format(*operands, **self.types, **more))
        return name

    def _fresh(self) -> int:
        self._temporaries += 1
        return self._temporaries
