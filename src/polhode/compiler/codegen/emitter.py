"""Writing LLVM IR by hand: values with operators, and structured loops and branches."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .operand import Operand

_FLOATING = {
    "+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv",
    "<": "fcmp olt", ">": "fcmp ogt", ">=": "fcmp oge", "==": "fcmp oeq", "!=": "fcmp une",
}  # fmt: skip
_INTEGER = {
    "+": "add", "-": "sub", "*": "mul", "/": "udiv", "%": "urem",
    "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "lshr",
    "<": "icmp slt", ">": "icmp sgt", ">=": "icmp sge", "==": "icmp eq", "!=": "icmp ne",
}  # fmt: skip


class IR(Operand):
    """One SSA value."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"{self.type} {self.text}"

    @property
    def lanes(self) -> int:
        """Number of elements of a vector; 1 of anything else."""
        return int(self.type[1:].split(" ")[0]) if self.type.startswith("<") else 1

    @property
    def element(self) -> str:
        """Type of one lane."""
        return self.type[1:-1].split(" x ")[1] if self.type.startswith("<") else self.type

    @property
    def is_floating(self) -> bool:
        """Whether the lanes are floating-point numbers."""
        return self.element in ("double", "float")

    def apply(self, sign: str, other: Any) -> IR:
        """This value and another, joined by an operator or compared."""
        other = self.like(other)
        name = (_FLOATING if self.is_floating else _INTEGER)[sign]
        result = _resized("i1", self.lanes) if "cmp" in name else self.type
        return self.e(result, f"{name} {self.type} {self.text}, {other.text}")

    def __neg__(self) -> IR:
        return self.e(self.type, f"fneg {self}")

    def bits(self, type: str | None = None) -> IR:
        """The same bits as another type (default: an integer of the same width)."""
        if type is None:
            type = _resized({"double": "i64", "float": "i32"}[self.element], self.lanes)
        return self.e(type, f"bitcast {self} to {_resized(type, self.lanes)}")

    def to(self, conversion: str, element: str) -> IR:
        """A converted value: ``x.to("fpext", "double")``."""
        type = _resized(element, self.lanes)
        return self.e(type, f"{conversion} {self} to {type}")

    def select(self, a: IR, b: Any) -> IR:
        """``a`` where this condition holds, else ``b``."""
        return self.e(a.type, f"select {self}, {a}, {a.like(b)}")

    def lane(self, index: int | IR) -> IR:
        """One element of a vector."""
        if self.lanes == 1:
            return self
        at = index if isinstance(index, IR) else f"i64 {index}"
        return self.e(self.element, f"extractelement {self}, {at}")

    def with_lane(self, index: int | IR, x: IR) -> IR:
        """This vector with one element replaced."""
        if self.lanes == 1:
            return x
        at = index if isinstance(index, IR) else f"i64 {index}"
        return self.e(self.type, f"insertelement {self}, {x}, {at}")

    def at(self, offset: int | IR, scale: int = 1) -> IR:
        """The address ``offset * scale`` bytes further on."""
        if isinstance(offset, int):
            return self.e("ptr", f"getelementptr i8, {self}, i64 {offset * scale}")
        return self.e(
            "ptr", f"getelementptr i8, {self}, {offset * scale if scale != 1 else offset}"
        )

    def load(self, type: str, align: int = 8) -> IR:
        """What this address holds."""
        return self.e(type, f"load {type}, {self}, align {align}")

    def acquire(self, type: str = "i64") -> IR:
        """What this address holds, and everything that was written before that."""
        return self.e(type, f"load atomic {type}, {self} acquire, align 8")

    def store(self, x: IR, align: int = 8) -> None:
        """Write ``x`` at this address."""
        self.e.line(f"store {x}, {self}, align {align}")


def _resized(type: str, lanes: int) -> str:
    element = type[1:-1].split(" x ")[1] if type.startswith("<") else type
    return element if lanes == 1 else f"<{lanes} x {element}>"


class Join:
    """Where a branch meets the code around it.

    Attributes
    ----------
    values : list of (IR, IR)
        Set inside the block: a value of the block, and what stands for it otherwise.
    results : list of IR
        Filled after the block: whichever of each pair applies.
    """

    def __init__(self) -> None:
        self.values: list[tuple[IR, IR]] = []
        self.results: list[IR] = []


class Emitter:
    """Text of one function, and the declarations it turned out to need."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.stack: list[str] = []
        self.declared: set[str] = set()
        self._names = 0
        self._block = "entry"

    def __call__(self, type: str, text: str) -> IR:
        value = IR(self, type, f"%{self.new_name('x')}")
        self.lines.append(f"  {value.text} = {text}")
        return value

    def line(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append("  " + text)

    def new_name(self, stem: str) -> str:
        """A name not used before in this function."""
        self._names += 1
        return f"{stem}{self._names}"

    def constant(self, type: str, x: Any) -> IR:
        """A constant, in every lane."""
        element = type[1:-1].split(" x ")[1] if type.startswith("<") else type
        if element in ("double", "float"):
            x = float(x) if element == "double" else struct.unpack("f", struct.pack("f", x))[0]
            text = f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
        else:
            text = str(x)
        return IR(self, type, text if type == element else f"splat ({element} {text})")

    def call(self, type: str, name: str, *args: IR) -> IR:
        """A call of an LLVM intrinsic or of a function of this module."""
        if name.startswith("@llvm"):
            self.declared.add(f"declare {type} {name}({', '.join(a.type for a in args)})")
        text = f"call {type} {name}({', '.join(map(str, args))})"
        if type != "void":
            return self(type, text)
        self.line(text)
        return IR(self, "void", "")

    def intrinsic(self, name: str, *args: Any) -> IR:
        """An overloaded floating-point or integer intrinsic of the first operand's type."""
        first = next(a for a in args if isinstance(a, IR))
        element = {"double": "f64", "float": "f32"}.get(first.element, first.element)
        suffix = element if first.lanes == 1 else f"v{first.lanes}{element}"
        return self.call(first.type, f"@llvm.{name}.{suffix}", *(first.like(a) for a in args))

    def fma(self, a: Any, b: Any, c: Any) -> IR:
        """``a * b + c`` rounded once."""
        return self.intrinsic("fma", a, b, c)

    def alloca(self, type: str, align: int) -> IR:
        """Memory on the stack, taken once on entry."""
        memory = IR(self, "ptr", f"%{self.new_name('m')}")
        self.stack.append(f"  {memory.text} = alloca {type}, align {align}")
        return memory

    def label(self, name: str) -> None:
        """Begin the block ``name``."""
        self.lines.append(f"{name}:")
        self._block = name

    @contextmanager
    def loop(self, stop: IR | int, *, start: int = 0, step: int = 1) -> Iterator[IR]:
        """A loop over an i64 index; the body may hold further loops and branches."""
        head, body, latch, done = (self.new_name(s) for s in ("head", "body", "latch", "done"))
        before, index = self._block, IR(self, "i64", f"%{self.new_name('i')}")
        following = f"%{self.new_name('next')}"
        self.line(f"br label %{head}")
        self.label(head)
        self.line(f"{index.text} = phi i64 [{start}, %{before}], [{following}, %{latch}]")
        condition = index < stop
        self.line(f"br {condition}, label %{body}, label %{done}")
        self.label(body)
        yield index
        self.line(f"br label %{latch}")
        self.label(latch)
        self.line(f"{following} = add i64 {index.text}, {step}")
        self.line(f"br label %{head}")
        self.label(done)

    @contextmanager
    def when(self, condition: IR) -> Iterator[Join]:
        """A block that runs only if the condition holds, and the values that it may replace."""
        then, done, before = self.new_name("then"), self.new_name("done"), self._block
        join = Join()
        self.line(f"br {condition}, label %{then}, label %{done}")
        self.label(then)
        yield join
        end = self._block
        self.line(f"br label %{done}")
        self.label(done)
        for new, old in join.values:
            choices = f"[{new.text}, %{end}], [{old.text}, %{before}]"
            join.results.append(self(new.type, f"phi {new.type} {choices}"))

    def choose(self, condition: IR, then: Any, otherwise: Any) -> None:
        """One of two blocks, written by the functions ``then`` and ``otherwise``."""
        yes, no, done = (self.new_name(s) for s in ("yes", "no", "done"))
        self.line(f"br {condition}, label %{yes}, label %{no}")
        for name, write in ((yes, then), (no, otherwise)):
            self.label(name)
            write()
            self.line(f"br label %{done}")
        self.label(done)

    def stop_unless(self, condition: IR, result: IR) -> None:
        """Return ``result`` at once unless the condition holds."""
        go, leave = self.new_name("go"), self.new_name("leave")
        self.line(f"br {condition}, label %{go}, label %{leave}")
        self.label(leave)
        self.line(f"ret {result}")
        self.label(go)

    def function(self, signature: str, attributes: str = "nounwind") -> str:
        """The whole function; the body must end in a return."""
        body = "\n".join(self.stack + self.lines)
        return f"define {signature} {attributes} {{\nentry:\n{body}\n}}\n"


def module(functions: Sequence[tuple[str, Emitter]], text: str = "") -> str:
    """A module of finished functions with every declaration once."""
    declared = sorted(set().union(*(e.declared for _, e in functions)))
    return "\n".join([*declared, text, *(source for source, _ in functions)])
