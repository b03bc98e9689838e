"""Parts of CUDA kernels in LLVM IR: sections over local memory, and elementary functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..graph.code import Code
from ..graph.ops import Op
from . import library
from .emitter import IR, Emitter
from .layout import BufferLayout
from .llvm import SectionPrinter
from .machine import Format

LOCAL, GLOBAL = "ptr addrspace(5)", "ptr addrspace(1)"


def symbol(name: str) -> str:
    """What an elementary function is called in a module."""
    return f"polhode_{name}"


def library_functions(needs: Iterable[str], form: Format) -> list[tuple[str, Emitter]]:
    """The elementary functions ``needs``, which take and give numbers in registers."""
    made = [library.far_angle()] if "sincos" in needs else []
    for name in sorted(needs):
        e = Emitter()
        x = [IR(e, form.scalar, f"%a{i}") for i in range(2 if name == "atan2" else 1)]
        result = _sincos(x[0]) if name == "sincos" else library.in_double(name, *x)
        e.leave(str(result))
        signature = f"internal {result.type} @{symbol(name)}({', '.join(map(str, x))})"
        made.append((e.function(signature, "noinline nounwind"), e))
    return made


def _sincos(x: IR) -> IR:
    pair = IR(x.e, f"{{{x.type}, {x.type}}}", "poison")
    for i, part in enumerate(library.sincos(x)):
        pair = x.e(pair.type, f"insertvalue {pair}, {part}, {i}")
    return pair


class DeviceSection(SectionPrinter):
    """Prints a section over slots in local memory; elementary functions are called by name."""

    pointer: str = LOCAL
    constant_pointer: str = GLOBAL

    def __init__(self, code: Code, layout: BufferLayout, form: Format, needs: set[str]):
        super().__init__(code, layout, form)
        self.needs = needs
        self.results: dict[int, str] = {}  # argument -> its sine and cosine

    def write(self, members: Iterable[int], stores: Iterable[int]) -> list[str]:
        """The instructions of a section that keeps the values ``stores`` in their slots."""
        kept = set(stores)
        for k in members:
            self.instruction(k)
            if k in kept:
                self.keep(k)
        return self.lines

    def _library(self, k: int, op: Op) -> str:
        operands = [self.operand(k, i) for i in range(op.arity)]
        if op.name not in ("sin", "cos"):
            return self._call(op.name, "{T}", operands)
        pair, argument = "{{{T}, {T}}}", self.code.args[k][0]
        if argument not in self.results:
            self.results[argument] = self._call("sincos", pair, operands)
        part = int(op.name == "cos")
        return self._temporary(f"extractvalue {pair} {{0}}, {part}", self.results[argument])

    def _call(self, name: str, result: str, operands: Sequence[str]) -> str:
        self.needs.add(name)
        arguments = ", ".join(f"{{T}} {{{i}}}" for i in range(len(operands)))
        return self._temporary(f"call {result} @{symbol(name)}({arguments})", *operands)

    def _address(self, base: str, slot: int) -> str:
        return self._temporary(
            "getelementptr i8, {local} %work, i64 {n}", local=LOCAL, n=slot * self.form.slot
        )

    def _load(self, base: str, slot: int, name: str) -> str:
        where, T = self._address(base, slot), self.types["T"]
        self.lines.append(f"{name} = load {T}, {LOCAL} {where}, align {self.form.slot}")
        return name

    def _store(self, value: str, slot: int) -> None:
        where, T = self._address("", slot), self.types["T"]
        self.lines.append(f"store {T} {value}, {LOCAL} {where}, align {self.form.slot}")
