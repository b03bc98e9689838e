"""The module of a program: its sections, its repeated steps with their rows, its entry."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ..graph.code import Code
from .emitter import IR, Emitter
from .layout import BufferLayout, lay_out
from .literals import bytes_text
from .llvm import SectionPrinter, declarations, tables
from .machine import Format
from .sections import Section, SectionPlan, plan_sections

LIMITS = {
    "section_ops": 2500,  # instructions of a section; compile time is linear in their number
    "roll_from": 20000,  # instructions from which repeated steps are called through rows
    "step_ops": 6,  # instructions of a step below which a call costs more than it saves
}
CALLS = 100  # in one function; LLVM's time grows with the square of their number
_PARAMETERS = "ptr %src, ptr %dst, ptr %library"


def kernel_ir(
    code: Code,
    sizes: Sequence[int],
    form: Format,
    **limits: int,
) -> tuple[str, BufferLayout]:
    """Module with ``kernel(ptr source, ptr target, ptr library)``, and the slots it uses.

    ``limits`` replace entries of `LIMITS`.
    """
    layout = lay_out(code, sizes)
    plan = plan_sections(code, layout, **(LIMITS | limits))
    functions = [declarations(form)]
    if len(plan.sections) == 1:  # LLVM takes a millisecond for a function that only calls another
        only, printer = plan.sections[0], SectionPrinter(code, layout, form)
        functions.append(printer.function("kernel", only.members, only.stores, linkage=""))
        return "\n".join(functions) + tables([layout]), layout
    steps = [_Step(code, layout, form, plan, kind) for kind in range(plan.n_kinds)]
    functions += [step.text() for step in steps]
    calls: list[_Call] = []
    done = [0] * len(steps)
    for n, (same, run) in enumerate(groupby(plan.sections, key=lambda s: (s.kind, s.branches))):
        (kind, branches), sections = same, list(run)
        if kind >= 0:
            calls.append(_Call(branches, steps[kind].call(done[kind], len(sections), f"%row{n}")))
            done[kind] += len(sections)
            continue
        for m, section in enumerate(sections):
            printer = SectionPrinter(code, layout, form)
            functions.append(printer.function(f"section{n}_{m}", section.members, section.stores))
            calls.append(_Call(branches, (f"call void @section{n}_{m}({_PARAMETERS})",)))
    callers = _Callers(layout, form)
    if len(calls) > CALLS:
        parts = [calls[n : n + CALLS] for n in range(0, len(calls), CALLS)]
        functions += [callers.text(f"part{n}", p, "internal ") for n, p in enumerate(parts)]
        calls = [_Call((), (f"call void @part{n}({_PARAMETERS})",)) for n in range(len(parts))]
    functions.append(callers.text("kernel", calls))
    return "\n".join(functions) + tables([layout]), layout


class _Call(NamedTuple):
    """Instructions that call a section, and the branches under which they are needed."""

    branches: tuple[int, ...]
    lines: tuple[str, ...]


class _Callers:
    """Writes functions that do nothing but call, each section only where a lane needs it."""

    def __init__(self, layout: BufferLayout, form: Format):
        self.layout, self.form = layout, form

    def text(self, name: str, calls: Sequence[_Call], linkage: str = "") -> str:
        """The function that makes these calls in turn."""
        e = Emitter()
        self._write(e, calls, 0)
        e.leave()
        return e.function(f"{linkage}void @{name}({_PARAMETERS})")

    def _write(self, e: Emitter, calls: Sequence[_Call], depth: int) -> None:
        for branch, run in groupby(calls, key=lambda c: c.branches[depth : depth + 1]):
            if branch:
                with e.when(self._in_any_lane(e, branch[0])):
                    self._write(e, list(run), depth + 1)
            else:
                for line in (line for call in run for line in call.lines):
                    e.put(line)

    def _in_any_lane(self, e: Emitter, condition: int) -> IR:
        at = IR(e, "ptr", "%src").at(self.layout.slot[condition], self.form.slot)
        holds = at.load(self.form.vector(), self.form.slot).differs(0.0)
        return holds if holds.lanes == 1 else e(f"i{holds.lanes}", _bits_of(holds)).differs(0)


def _bits_of(lanes: IR) -> str:
    return f"bitcast {lanes} to i{lanes.lanes}"


class _Step:
    """A repeated step: the operands of each instance in columns, and the function of a row.

    A row holds byte offsets of slots (i32) and then the constants that differ between
    instances.  Columns that agree in every instance are one.
    """

    def __init__(
        self, code: Code, layout: BufferLayout, form: Format, plan: SectionPlan, kind: int
    ):
        self.code: Code = code
        self.layout: BufferLayout = layout
        self.form: Format = form
        self.kind: int = kind
        self.instances: list[Section] = plan.instances(kind)
        self.offsets: dict[tuple[int, ...], int] = {}
        self.constants: dict[tuple[Any, ...], int] = {}
        self.column: dict[tuple[int, int], tuple[str, int]] = {}  # (member, operand) -> where
        self.first: Section = self.instances[0]
        self._find_columns()
        self.kept: list[int] = [self._offset_column(places) for places in self._stored_slots()]
        self.constants_at: int = (4 * len(self.offsets) + 7) // 8 * 8
        self.row_bytes: int = self.constants_at + (form.itemsize * len(self.constants) + 7) // 8 * 8

    def _find_columns(self) -> None:
        code, slot = self.code, self.layout.slot
        local = set(self.first.members)
        for j, k in enumerate(self.first.members):
            for i, a in enumerate(code.args[k]):
                if a in local:
                    continue
                operands = [code.args[s.members[j]][i] for s in self.instances]
                if code.ops[a].name != "const":
                    places = tuple(slot[b] for b in operands)
                    self.column[j, i] = ("slot", self._offset_column(places))
                    continue
                numbers = tuple(struct.pack("<d", code.args[b][0]) for b in operands)
                if len(set(numbers)) > 1:
                    column = self.constants.setdefault(numbers, len(self.constants))
                    self.column[j, i] = ("constant", column)

    def _offset_column(self, places: tuple[int, ...]) -> int:
        return self.offsets.setdefault(places, len(self.offsets))

    def _stored_slots(self) -> list[tuple[int, ...]]:
        slot = self.layout.slot
        columns = zip(*(s.stores for s in self.instances), strict=True)
        return [tuple(slot[k] for k in column) for column in columns]

    def text(self) -> str:
        """The table of rows, the function of one row, and the loop over rows."""
        kind, rows = self.kind, b"".join(map(self._row, range(len(self.instances))))
        table = f"@rows{kind} = internal constant {bytes_text(rows)}, align 64"
        printer = StepPrinter(self.code, self.layout, self.form, self)
        function = printer.function(f"step{kind}", self.first.members, self.first.stores)
        return f"{table}\n{function}\n{_LOOP.format(kind=kind, row_bytes=self.row_bytes)}"

    def _row(self, n: int) -> bytes:
        offsets = [places[n] * self.form.slot for places in self.offsets]
        text = struct.pack(f"<{len(offsets)}i", *offsets).ljust(self.constants_at, b"\0")
        numbers = [struct.unpack("<d", column[n])[0] for column in self.constants]
        code = "d" if self.form.dtype == "f64" else "f"
        return (text + struct.pack(f"<{len(numbers)}{code}", *numbers)).ljust(self.row_bytes, b"\0")

    def call(self, start: int, count: int, name: str) -> tuple[str, ...]:
        """The instructions that run ``count`` instances from number ``start``."""
        offset = start * self.row_bytes
        return (
            f"{name} = getelementptr i8, ptr @rows{self.kind}, i64 {offset}",
            f"call void @steps{self.kind}({_PARAMETERS}, ptr {name}, i64 {count})",
        )


_LOOP = """define internal void @steps{kind}(ptr %src, ptr %dst, ptr %library, ptr %rows, i64 %n) \
noinline nounwind {{
entry:
br label %next
next:
%i = phi i64 [0, %entry], [%j, %next]
%at = mul i64 %i, {row_bytes}
%row = getelementptr i8, ptr %rows, i64 %at
call void @step{kind}(ptr %src, ptr %dst, ptr %library, ptr %row)
%j = add i64 %i, 1
%more = icmp slt i64 %j, %n
br i1 %more, label %next, label %done
done:
ret void
}}
"""


class StepPrinter(SectionPrinter):
    """Prints a repeated step: slots and differing constants come from a row."""

    more_parameters = ", ptr noalias readonly align 8 %row"

    def __init__(self, code: Code, layout: BufferLayout, form: Format, step: _Step):
        super().__init__(code, layout, form)
        self.step = step
        self.place: dict[int, int] = {k: j for j, k in enumerate(step.first.members)}
        self.loaded: dict[tuple[str, int], str] = {}
        self.addresses: dict[tuple[str, int], str] = {}

    def operand(self, k: int, i: int) -> str:
        """Operand ``i`` of instruction ``k``, from a column of the row where it has one."""
        column = self.step.column.get((self.place[k], i))
        if column is None:
            return self.value(self.code.args[k][i])
        if column not in self.loaded:
            what, n = column
            x = self._load_slot(n) if what == "slot" else self._load_constant(n)
            self.loaded[column] = self.as_loaded(self.code.args[k][i], x)
        return self.loaded[column]

    def keep(self, k: int) -> None:
        """Store value ``k`` where the row says."""
        column = self.step.kept[self.step.first.stores.index(k)]
        where = self._row_address("%dst", column)
        T, x = self.types["T"], self.as_stored(k)
        self.lines.append(f"store {T} {x}, ptr {where}, align {self.form.slot}")

    def _row_address(self, base: str, column: int) -> str:
        known = self.addresses.get((base, column))
        if known is None:
            at = self._temporary("getelementptr i8, ptr %row, i64 {n}", n=4 * column)
            offset = self._temporary("load i32, ptr {0}, align 4", at)
            wide = self._temporary("zext i32 {0} to i64", offset)
            known = self._temporary("getelementptr i8, ptr {0}, i64 {1}", base, wide)
            self.addresses[base, column] = known
        return known

    def _load_slot(self, column: int) -> str:
        where = self._row_address("%src", column)
        return self._temporary("load {T}, ptr {0}, align {n}", where, n=self.form.slot)

    def _load_constant(self, column: int) -> str:
        form = self.form
        n = self.step.constants_at + form.itemsize * column
        at = self._temporary("getelementptr i8, ptr %row, i64 {n}", n=n)
        x = self._temporary("load {s}, ptr {0}, align {n}", at, n=form.itemsize)
        if form.lanes == 1:
            return x
        first = self._temporary("insertelement {T} poison, {s} {0}, i32 0", x)
        return self._temporary(
            "shufflevector {T} {0}, {T} poison, <{n} x i32> zeroinitializer", first, n=form.lanes
        )
