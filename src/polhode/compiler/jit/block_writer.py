"""Blocks of LLVM's text: names for values, places on the stack, branches."""

from __future__ import annotations

from dataclasses import dataclass

from ..codegen.function_text import FunctionText
from ..codegen.literals import number_text
from .types import BOOL, FLOAT, INT, NONE, Array, Number, Tuple, Type, flat, has_arrays

WIDE = 8  # a tuple of more registers than these is kept, and handed over, in memory


@dataclass(frozen=True)
class TypedValue:
    """A value in registers: those of a tuple's items one after the other.

    A wide tuple that is only handed over has its place in memory instead, in ``home``.
    """

    type: Type
    parts: tuple[str, ...]
    home: str | None = None

    def item(self, k: int) -> TypedValue:
        """Item of a tuple."""
        assert isinstance(self.type, Tuple)
        first = sum(len(flat(t)) for t in self.type.items[:k])
        kind = self.type.items[k]
        return TypedValue(kind, self.parts[first : first + len(flat(kind))])


@dataclass(frozen=True)
class Variable:
    """A place on the stack for every register of a value; ``home`` is that of a wide tuple."""

    type: Type
    slots: tuple[str, ...]
    home: str | None = None


def number(value: float | int | bool) -> TypedValue:
    """A constant."""
    if isinstance(value, bool):
        return TypedValue(BOOL, ("true" if value else "false",))
    if isinstance(value, int):
        return TypedValue(INT, (str(value),))
    return TypedValue(FLOAT, (number_text(value),))


def tuple_of(values: list[TypedValue], cls: type | None = None) -> TypedValue:
    """A tuple of values."""
    kind = Tuple(tuple(v.type for v in values), cls)
    return TypedValue(kind, tuple(p for v in values for p in v.parts))


NOTHING = TypedValue(NONE, ())


class BlockWriter(FunctionText):
    """The blocks of one function, with typed values."""

    def stack(self, kind: Type, hint: str) -> Variable:
        """A new place for a value; arrays in it are empty at first."""
        irs = flat(kind)
        if len(irs) <= WIDE:
            slots = tuple(self.name(hint) for _ in irs)
            self.places.extend(f"{s} = alloca {ir}" for s, ir in zip(slots, irs, strict=True))
            variable = Variable(kind, slots)
        else:
            variable = self.in_one_piece(kind, hint)
        if has_arrays(kind):
            for slot, ir in zip(variable.slots, irs, strict=True):
                zero = {"ptr": "null", "i64": "0", "double": "0.0", "i1": "0"}[ir]
                self.places.append(f"store {ir} {zero}, ptr {slot}")
        return variable

    def in_one_piece(self, kind: Type, hint: str) -> Variable:
        """A new place for a value, its registers one after the other."""
        home, count = self.name(hint), len(flat(kind))
        self.places.append(f"{home} = alloca [{count} x i64]")
        return Variable(kind, self.slots_at(home, count), home)

    def slots_at(self, home: str, count: int) -> tuple[str, ...]:
        """The places of a wide tuple's registers."""
        slots = tuple(self.name("at") for _ in range(count))
        self.places.extend(
            f"{s} = getelementptr i8, ptr {home}, i64 {8 * k}" for k, s in enumerate(slots)
        )
        return slots

    def load(self, variable: Variable, first: int = 0, kind: Type | None = None) -> TypedValue:
        """The value of a variable, or of an item of it that begins at a register."""
        kind = variable.type if kind is None else kind
        slots = variable.slots[first : first + len(flat(kind))]
        parts = [self.op(f"load {ir}, ptr {s}") for s, ir in zip(slots, flat(kind), strict=True)]
        return TypedValue(kind, tuple(parts))

    def store(self, value: TypedValue, variable: Variable) -> None:
        """Set a variable to a value of its type."""
        for part, ir, slot in zip(value.parts, flat(value.type), variable.slots, strict=True):
            self.put(f"store {ir} {part}, ptr {slot}")

    def coerced(self, value: TypedValue, kind: Type) -> TypedValue:
        """The value as another type, one that holds it."""
        if value.type == kind:
            return value
        if isinstance(kind, Number) and isinstance(value.type, Number):
            way = {
                ("bool", "int"): "zext i1 {} to i64",
                ("bool", "float"): "uitofp i1 {} to double",
                ("int", "float"): "sitofp i64 {} to double",
            }[value.type.name, kind.name]
            return TypedValue(kind, (self.op(way.format(value.parts[0])),))
        assert isinstance(kind, Tuple)
        items = [self.coerced(value.item(k), t) for k, t in enumerate(kind.items)]
        return tuple_of(items, kind.cls)

    def merged(self, arms: list[tuple[str | None, TypedValue]], kind: Type) -> TypedValue:
        """One value out of those with which several blocks come to the present one."""
        arms = [(label, v) for label, v in arms if label is not None]
        parts = []
        for k, ir in enumerate(flat(kind)):
            pairs = ", ".join(f"[ {v.parts[k]}, %{label} ]" for label, v in arms)
            parts.append(self.op(f"phi {ir} {pairs}"))
        return TypedValue(kind, tuple(parts))

    def clear(self, place: str, size: str | int) -> None:
        """Set so many bytes to zero."""
        self.put(f"call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {size}, i1 false)")

    def move(self, to: str, source: str, size: str | int) -> None:
        """Copy so many bytes; the two places may overlap."""
        text = f"ptr {to}, ptr {source}, i64 {size}, i1 false"
        self.put(f"call void @llvm.memmove.p0.p0.i64({text})")

    def bytes_in(self, array: TypedValue) -> str:
        """How many bytes the elements of an array take."""
        assert isinstance(array.type, Array)
        return self.product([str(array.type.element.size), self.size(array)])

    def address(self, array: TypedValue, offset: str) -> str:
        """Address of the element that stands so many behind the first."""
        assert isinstance(array.type, Array)
        return self.op(
            f"getelementptr inbounds {array.type.element.ir}, ptr {array.parts[0]}, i64 {offset}"
        )

    def product(self, factors: list[str]) -> str:
        """Product of integers."""
        total = factors[0] if factors else "1"
        for f in factors[1:]:
            total = self.op(f"mul nsw i64 {total}, {f}")
        return total

    def size(self, array: TypedValue) -> str:
        """How many elements an array has."""
        return self.product(list(array.parts[1:]))
