"""The modules of a program: its sections, its repeated steps with their rows, its entry."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any

from ..graph.code import Code
from .alike import alike
from .call_writer import CallWriter
from .calls import Call, Turns, slots_of, turns_of
from .emitter import IR, Emitter
from .layout import BufferLayout, lay_out
from .llvm import SectionPrinter
from .machine import Format
from .modules import Modules
from .section import Section, SectionPlan
from .sections import plan_sections

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
    give: Callable[[str], object] | None = None,
    **limits: int,
) -> tuple[str, BufferLayout]:
    """Module with ``kernel(ptr source, ptr target, ptr library)``, and the slots it uses.

    Parameters
    ----------
    code : Code
    sizes : sequence of int
        Scalars in each input array.
    form : Format
    give : callable, optional
        Takes modules of a long program as soon as they are full, but for the last one, which is
        returned.  Without it all is in one module.
    **limits
        Replace entries of `LIMITS`.
    """
    layout = lay_out(code, sizes)
    plan = plan_sections(code, layout, in_place=True, **(LIMITS | limits))
    writer = _KernelWriter(form, LIMITS | limits, Modules(form, give))
    if len(plan.sections) == 1 and not layout.results:
        # LLVM takes a millisecond for a function that only calls another
        writer.section(SectionPrinter(code, layout, form), "kernel", plan.sections[0], "")
    else:
        writer.caller("kernel", writer.calls(code, layout, plan), "")
    return writer.modules.last(), layout


class _KernelWriter:
    """Writes the functions of sections, and those that call them."""

    def __init__(self, form: Format, limits: dict[str, int], modules: Modules):
        self.form, self.limits, self.modules = form, limits, modules
        self._names = 0

    def section(
        self, printer: SectionPrinter, name: str, section: Section, linkage: str | None = None
    ) -> None:
        """Write the function of a section."""
        linkage = self.modules.linkage if linkage is None else linkage
        text = printer.function(name, section, linkage)
        for table, data in printer.tables.items():
            self.modules.constant(table, data)
        self.modules.add(name, text, printer.types_of_parameters, printer.tables)

    def calls(self, code: Code, layout: BufferLayout, plan: SectionPlan) -> Iterator[Call | Turns]:
        """Calls of the sections of some code, each of whose functions this writes before."""
        form = self.form
        steps = [
            _Step(code, layout, form, plan.instances(k), self._name()) for k in range(plan.n_kinds)
        ]
        done = [0] * len(steps)
        shared: dict[int, tuple[_Step, int]] = {}
        if len(code) >= self.limits["roll_from"]:
            for group in alike(code, layout, plan.sections):
                step = _Step(code, layout, form, group, self._name())
                shared.update((id(section), (step, n)) for n, section in enumerate(group))
                steps.append(step)
        for step in steps:
            self.section(step.printer(), f"step{step.number}", step.first)
            self.modules.constant(f"rows{step.number}", step.rows())
            loop = step.loop(self.modules.linkage)
            self.modules.add_caller(f"steps{step.number}", loop, "ptr, ptr, ptr, ptr, i64")
        for _, run in groupby(plan.sections, key=lambda s: (s.kind, s.branches)):
            sections = list(run)
            kind, branches = sections[0].kind, slots_of(sections[0], layout)
            if kind >= 0:
                lines = steps[kind].call(done[kind], len(sections), f"%row{self._name()}")
                yield Call(branches, lines)
                done[kind] += len(sections)
                continue
            for section in sections:
                if section.is_loop(code):
                    yield turns_of(code, layout, section, self._turn)
                elif id(section) in shared:
                    step, n = shared[id(section)]
                    yield Call(branches, step.call(n, 1, f"%row{self._name()}"))
                else:
                    yield Call(branches, (self._section(code, layout, section),))

    def caller(self, name: str, calls: Iterable[Call | Turns], linkage: str | None = None) -> None:
        """Write a function that does nothing but call, or that calls several such."""
        linkage = self.modules.linkage if linkage is None else linkage
        e = Emitter()
        CallWriter(self.form, self._address).write(e, self._in_parts(calls))
        e.leave()
        text = e.function(f"{linkage}void @{name}({_PARAMETERS})")
        self.modules.add_caller(name, text, SectionPrinter.types_of_parameters)

    def _in_parts(self, calls: Iterable[Call | Turns]) -> list[Call | Turns]:
        """Calls of functions that make so many calls each, if they are more.

        Each function stands behind those that it calls, and so mostly in their module.
        """
        rest = iter(calls)
        part, following = list(islice(rest, CALLS)), next(rest, None)
        if following is None:
            return part
        found: list[Call | Turns] = []
        while part:
            name = f"part{self._name()}"
            self.caller(name, part)
            found.append(Call((), (f"call void @{name}({_PARAMETERS})",)))
            part = [] if following is None else [following, *islice(rest, CALLS - 1)]
            following = next(rest, None)
        return found

    def _section(self, code: Code, layout: BufferLayout, section: Section) -> str:
        name, printer = f"section{self._name()}", SectionPrinter(code, layout, self.form)
        self.section(printer, name, section)
        return f"call void @{name}({_PARAMETERS})"

    def _turn(self, code: Code, layout: BufferLayout) -> Sequence[Call | Turns]:
        plan = plan_sections(code, layout, in_place=True, **self.limits)
        return self._in_parts(self.calls(code, layout, plan))

    def _address(self, e: Emitter, slot: int) -> IR:
        return IR(e, "ptr", "%src").at(slot, self.form.slot)

    def _name(self) -> int:
        self._names += 1
        return self._names


class _Step:
    """A repeated step: the operands of each instance in columns, and the function of a row.

    A row holds byte offsets of slots (i32) and then the constants that differ between
    instances.  Columns that agree in every instance are one.
    """

    def __init__(
        self,
        code: Code,
        layout: BufferLayout,
        form: Format,
        instances: list[Section],
        number: int,
    ):
        self.code: Code = code
        self.layout: BufferLayout = layout
        self.form: Format = form
        self.number: int = number
        self.instances: list[Section] = instances
        self.offsets: dict[tuple[int, ...], int] = {}
        self.constants: dict[tuple[Any, ...], int] = {}
        self.column: dict[tuple[int, int], tuple[str, int]] = {}  # (member, operand) -> where
        self.first: Section = self.instances[0]
        self._find_columns()
        self.kept: list[int | None] = [
            self._offset_column(places) if len(set(places)) > 1 else None
            for places in self._stored_slots()
        ]
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
                    if len(set(places)) > 1:
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

    def printer(self) -> StepPrinter:
        """What prints the function of one row."""
        return StepPrinter(self.code, self.layout, self.form, self)

    def rows(self) -> bytes:
        """The table of rows."""
        return b"".join(map(self._row, range(len(self.instances))))

    def loop(self, linkage: str) -> str:
        """The function of a loop over rows."""
        return _LOOP.format(n=self.number, row_bytes=self.row_bytes, linkage=linkage)

    def _row(self, n: int) -> bytes:
        offsets = [places[n] * self.form.slot for places in self.offsets]
        text = struct.pack(f"<{len(offsets)}i", *offsets).ljust(self.constants_at, b"\0")
        numbers = [struct.unpack("<d", column[n])[0] for column in self.constants]
        code = "d" if self.form.dtype == "f64" else "f"
        return (text + struct.pack(f"<{len(numbers)}{code}", *numbers)).ljust(self.row_bytes, b"\0")

    def call(self, start: int, count: int, name: str) -> tuple[str, ...]:
        """The instructions that run ``count`` instances from number ``start``."""
        offset = start * self.row_bytes
        row = f"{name} = getelementptr i8, ptr @rows{self.number}, i64 {offset}"
        if count == 1:
            return row, f"call void @step{self.number}({_PARAMETERS}, ptr {name})"
        return row, f"call void @steps{self.number}({_PARAMETERS}, ptr {name}, i64 {count})"


_LOOP = """define {linkage}void @steps{n}\
(ptr %src, ptr %dst, ptr %library, ptr %rows, i64 %n) noinline nounwind {{
entry:
br label %next
next:
%i = phi i64 [0, %entry], [%j, %next]
%at = mul i64 %i, {row_bytes}
%row = getelementptr i8, ptr %rows, i64 %at
call void @step{n}(ptr %src, ptr %dst, ptr %library, ptr %row)
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
    types_of_parameters = "ptr, ptr, ptr, ptr"

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
            a = self.code.args[k][i]
            base = "%dst" if self.layout.slot.get(a) in self.replaced else "%src"
            x = self._load_slot(base, n) if what == "slot" else self._load_constant(n)
            self.loaded[column] = self.as_loaded(a, x)
        return self.loaded[column]

    def keep(self, k: int) -> None:
        """Store value ``k`` where the row says."""
        column = self.step.kept[self.step.first.stores.index(k)]
        if column is None:
            super().keep(k)
            return
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

    def _load_slot(self, base: str, column: int) -> str:
        where = self._row_address(base, column)
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
