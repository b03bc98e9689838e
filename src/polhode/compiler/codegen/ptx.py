"""Printer from straight-line code to a CUDA kernel: LLVM IR in which a thread is a state.

The kernel's first parameter is the number of states, an i64.  Three follow for each array, inputs
before outputs: its address, and two strides, i64 that count numbers, not bytes.  One stride is from
a state to the next (0: all states share one), the other from an entry of a state to the next.  A
thread reads all inputs of its state before it writes any output.

The values of a short program live in registers.  A long one is cut as it is for the CPU.  Values
that pass between its sections lie in the thread's local memory.  The hardware interleaves this
memory, so that the threads of a warp reach it together.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.code import Code
from .call_writer import CallWriter
from .calls import Call, Turns, slots_of, turns_of
from .emitter import IR, Emitter, module
from .kernel_code import KernelCode
from .layout import BufferLayout, lay_out
from .library import table
from .llvm import declarations, literal, tables
from .machine import Format
from .ptx_section import GLOBAL, LOCAL, DeviceSection, library_functions, symbol
from .section import Section
from .sections import plan_sections

SECTION_OPS = 2500  # instructions of one device function; assemblers take long over longer ones


def device_ir(kernels: Sequence[KernelCode], dtype: str) -> str:
    """One module of kernels of a number type, "f64" or "f32"."""
    form = Format(dtype, 1)
    needs: set[str] = set()
    writers = [_Writer(kernel, form, needs) for kernel in kernels]
    functions = [made for writer in writers for made in writer.write()]
    intrinsics = Emitter()
    intrinsics.declared.update(declarations(form).splitlines())
    constants = table() if "sincos" in needs else ""
    constants += tables([w.layout for w in writers], "addrspace(1) ")
    return module([*library_functions(needs, form), *functions, ("", intrinsics)], constants)


class _Writer:
    """Writes a kernel: reading the inputs of a state, the sections, writing the outputs."""

    def __init__(self, kernel: KernelCode, form: Format, needs: set[str]):
        self.kernel, self.form, self.needs = kernel, form, needs
        self.layout = lay_out(kernel.code, kernel.inputs)
        self.sections = plan_sections(kernel.code, self.layout, section_ops=SECTION_OPS).sections
        self.e = Emitter()

    @property
    def is_short(self) -> bool:
        """Whether there is one section, whose slots LLVM will turn into registers."""
        return len(self.sections) == 1 and not self.layout.results

    def write(self) -> list[tuple[str, Emitter]]:
        """The device functions of a long kernel, and the kernel."""
        e, name = self.e, self.kernel.name
        made: list[tuple[str, Emitter]] = []
        if self.is_short:
            calls = [
                Call((), tuple(self._printed(self.kernel.code, self.layout, self.sections[0])))
            ]
        else:
            calls = self._calls(self.kernel.code, self.layout, self.sections, made)
        memory = e.alloca(f"[{max(1, self.layout.n_slots)} x {self.form.scalar}]", 16)
        e.put(f"%work = addrspacecast {memory} to {LOCAL}")
        state = self._thread()
        e.stop_unless(state < IR(e, "i64", "%n"), IR(e, "void", ""))
        self._read(state)
        self._trigonometry()
        CallWriter(self.form, lambda _, slot: self._slot(slot)).write(e, calls)
        made += self._write(state)
        e.leave()
        signature = f"ptx_kernel void @{name}({', '.join(self._parameters())})"
        return [*made, (e.function(signature), e)]

    def _calls(
        self,
        code: Code,
        layout: BufferLayout,
        sections: Sequence[Section],
        made: list[tuple[str, Emitter]],
    ) -> list[Call | Turns]:
        """Calls of sections, whose functions this adds to ``made``."""

        def turn(code: Code, layout: BufferLayout) -> list[Call | Turns]:
            plan = plan_sections(code, layout, section_ops=SECTION_OPS)
            return self._calls(code, layout, plan.sections, made)

        calls: list[Call | Turns] = []
        for section in sections:
            if section.is_loop(code):
                calls.append(turns_of(code, layout, section, turn))
                continue
            lines, name = self._printed(code, layout, section), f"{self.kernel.name}${len(made)}"
            head = f"define internal void @{name}({LOCAL} %work) noinline nounwind"
            made.append(("\n".join([head, "{", *lines, "ret void", "}\n"]), Emitter()))
            call = f"call void @{name}({LOCAL} %work)"
            calls.append(Call(slots_of(section, layout), (call,)))
        return calls

    def _printed(self, code: Code, layout: BufferLayout, section: Section) -> list[str]:
        printer = DeviceSection(code, layout, self.form, self.needs)
        return printer.write(section.members, section.stores)

    def _parameters(self) -> list[str]:
        arrays = range(len(self.kernel.inputs) + len(self.kernel.outputs))
        each = [f"{GLOBAL} %array{j}, i64 %state{j}, i64 %entry{j}" for j in arrays]
        return ["i64 %n", *each]

    def _thread(self) -> IR:
        """The number of this thread among all."""
        block, size, thread = (
            self.e.call("i32", f"@llvm.nvvm.read.ptx.sreg.{name}").to("zext", "i64")
            for name in ("ctaid.x", "ntid.x", "tid.x")
        )
        return block * size + thread

    def _first(self, array: int, state: IR) -> IR:
        """The address of the first entry of one state in an array."""
        start = state * IR(self.e, "i64", f"%state{array}")
        return self._at(IR(self.e, GLOBAL, f"%array{array}"), start)

    def _entry(self, array: int, first: IR, k: IR | int) -> IR:
        """The address of entry ``k`` of the state."""
        return self._at(first, IR(self.e, "i64", f"%entry{array}") * k)

    def _at(self, base: IR, n: IR | int) -> IR:
        """The address ``n`` numbers further on."""
        n = n if isinstance(n, IR) else self.e.constant("i64", n)
        return self.e(base.type, f"getelementptr {self.form.scalar}, {base}, {n}")

    def _slot(self, slot: IR | int) -> IR:
        return self._at(IR(self.e, LOCAL, "%work"), slot)

    def _copy(self, source: IR, target: IR) -> None:
        T, align = self.form.scalar, self.form.itemsize
        target.store(source.load(T, align), align)

    def _read(self, state: IR) -> None:
        for j, size in enumerate(self.kernel.inputs):
            first, slot = self._first(j, state), self.layout.first[j]
            if self.is_short:
                for k in range(size):
                    self._copy(self._entry(j, first, k), self._slot(slot + k))
                continue
            with self.e.loop(size) as k:
                self._copy(self._entry(j, first, k), self._slot(k + slot))

    def _trigonometry(self) -> None:
        """Sines and cosines of inputs."""
        e, T, align = self.e, self.form.scalar, self.form.itemsize
        for n, angle in enumerate(self.layout.trig):
            self.needs.add("sincos")
            x = self._slot(angle).load(T, align)
            pair = e(f"{{{T}, {T}}}", f"call {{{T}, {T}}} @{symbol('sincos')}({x})")
            for i in range(2):
                part = e(T, f"extractvalue {pair}, {i}")
                self._slot(self.layout.trig_slot + 2 * n + i).store(part, align)

    def _write(self, state: IR) -> list[tuple[str, Emitter]]:
        """Write the outputs; a long kernel finds their slots in a table, which this returns."""
        e, slots, outputs = self.e, self.layout.outputs, self.kernel.outputs
        for slot, x in self.layout.constants:
            number = IR(e, self.form.scalar, literal(x, self.form))
            self._slot(slot).store(number, self.form.itemsize)
        done = 0
        for j, size in enumerate(outputs, len(self.kernel.inputs)):
            first = self._first(j, state)
            if self.is_short:
                for k in range(size):
                    self._copy(self._slot(slots[done + k]), self._entry(j, first, k))
            else:
                with e.loop(size) as k:
                    n = e("i64", f"add {k}, {done}")
                    at = e(GLOBAL, f"getelementptr i32, {GLOBAL} @{self._table}, {n}")
                    slot = at.load("i32", 4).to("zext", "i64")
                    self._copy(self._slot(slot), self._entry(j, first, k))
            done += size
        if self.is_short:
            return []
        entries = ", ".join(f"i32 {slot}" for slot in slots)
        head = f"@{self._table} = internal addrspace(1) constant [{len(slots)} x i32]"
        return [(f"{head} [{entries}]\n", Emitter())]

    @property
    def _table(self) -> str:
        return f"{self.kernel.name}$slots"
