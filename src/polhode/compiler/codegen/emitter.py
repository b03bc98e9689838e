"""Writing LLVM IR by hand: values with operators, and structured loops and branches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .code_value import CodeValue
from .function_text import FunctionText
from .literals import number_text, to_single

_FLOATING = {
    "+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv",
    "<": "fcmp olt", ">": "fcmp ogt", ">=": "fcmp oge", "==": "fcmp oeq", "!=": "fcmp une",
}  # fmt: skip
_INTEGER = {
    "+": "add", "-": "sub", "*": "mul", "/": "udiv", "%": "urem",
    "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "lshr",
    "<": "icmp slt", ">": "icmp sgt", ">=": "icmp sge", "==": "icmp eq", "!=": "icmp ne",
}  # fmt: skip


class IR(CodeValue):
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
        self.e.put(f"store {x}, {self}, align {align}")


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


class Emitter(FunctionText):
    """Text of one function, and the declarations it turned out to need."""

    def __init__(self) -> None:
        super().__init__()
        self.declared: set[str] = set()

    def __call__(self, type: str, text: str) -> IR:
        return IR(self, type, self.op(text, "x"))

    def constant(self, type: str, x: Any) -> IR:
        """A constant, in every lane."""
        element = type[1:-1].split(" x ")[1] if type.startswith("<") else type
        if element in ("double", "float"):
            text = number_text(to_single(x) if element == "float" else x)
        else:
            text = str(x)
        return IR(self, type, text if type == element else f"splat ({element} {text})")

    def call(self, type: str, name: str | IR, *args: IR) -> IR:
        """A call of an LLVM intrinsic, of a function of this module, or by address."""
        name = name.text if isinstance(name, IR) else name
        if name.startswith("@llvm"):
            self.declared.add(f"declare {type} {name}({', '.join(a.type for a in args)})")
        text = f"call {type} {name}({', '.join(map(str, args))})"
        if type != "void":
            return self(type, text)
        self.put(text)
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
        memory = IR(self, "ptr", self.name("m"))
        self.places.append(f"{memory.text} = alloca {type}, align {align}")
        return memory

    @contextmanager
    def loop(self, stop: IR | int, *, start: int = 0, step: int = 1) -> Iterator[IR]:
        """A loop over an i64 index; the body may hold further loops and branches."""
        head, body, latch, done = map(self.label, ("head", "body", "latch", "done"))
        before, index = self.here, IR(self, "i64", self.name("i"))
        following = self.name("next")
        self.jump(head)
        self.enter(head)
        self.put(f"{index.text} = phi i64 [{start}, %{before}], [{following}, %{latch}]")
        self.branch((index < stop).text, body, done)
        self.enter(body)
        yield index
        self.jump(latch)
        self.enter(latch)
        self.put(f"{following} = add i64 {index.text}, {step}")
        self.jump(head)
        self.enter(done)

    @contextmanager
    def repeat(self) -> Iterator[Callable[[IR], None]]:
        """A loop that goes on as long as the conditions hold that its body gives."""
        again, done = self.label("again"), self.label("done")
        self.jump(again)
        self.enter(again)

        def stop_unless(condition: IR) -> None:
            go = self.label("go")
            self.branch(condition.text, go, done)
            self.enter(go)

        yield stop_unless
        self.jump(again)
        self.enter(done)

    @contextmanager
    def when(self, condition: IR) -> Iterator[Join]:
        """A block that runs only if the condition holds, and the values that it may replace."""
        then, done, before = self.label("then"), self.label("done"), self.here
        join = Join()
        self.branch(condition.text, then, done)
        self.enter(then)
        yield join
        end = self.here
        self.jump(done)
        self.enter(done)
        for new, old in join.values:
            choices = f"[{new.text}, %{end}], [{old.text}, %{before}]"
            join.results.append(self(new.type, f"phi {new.type} {choices}"))

    def choose(
        self, condition: IR, then: Callable[[], object], otherwise: Callable[[], object]
    ) -> None:
        """One of two blocks, written by the functions ``then`` and ``otherwise``."""
        yes, no, done = map(self.label, ("yes", "no", "done"))
        self.branch(condition.text, yes, no)
        for label, write in ((yes, then), (no, otherwise)):
            self.enter(label)
            write()
            self.jump(done)
        self.enter(done)

    def stop_unless(self, condition: IR, result: IR) -> None:
        """Return ``result`` at once unless the condition holds."""
        go, leave = self.label("go"), self.label("leave")
        self.branch(condition.text, go, leave)
        self.enter(leave)
        self.leave(str(result))
        self.enter(go)

    def function(self, signature: str, attributes: str = "nounwind") -> str:
        """The whole function; the body must end in a return."""
        return f"define {signature} {attributes} {{\n{self.body()}\n}}\n"


def module(functions: Sequence[tuple[str, Emitter]], text: str = "") -> str:
    """A module of finished functions with every declaration once."""
    declared = sorted(set().union(*(e.declared for _, e in functions)))
    return "\n".join([*declared, text, *(source for source, _ in functions)])
