"""All functions that a loop calls, each for the types it is called with, as one LLVM module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .body import RETURNED, Body
from .builtins import DECLARATIONS
from .code import WIDE, Value, Variable
from .expressions import Expressions, Restart
from .memory import RUNTIME
from .module_names import ENTRY
from .source import Source
from .types import NONE, Type, flat, has_arrays


class Written:
    """A function that is written, or being written: its name and what it returns."""

    def __init__(self, name: str):
        self.name = name
        self.returns: Type | None = None
        self.leaves = False  # whether it may return memory that it took
        self.text = ""


class Module:
    """LLVM's text of a function and of all it calls."""

    def __init__(self) -> None:
        self.functions: dict[tuple[Any, tuple[Type, ...]], Written] = {}
        self.files: set[str] = set()

    def add(self, function: Callable[..., Any], kinds: tuple[Type, ...]) -> Written:
        """Write a function for arguments of these types, if it is not yet there."""
        key = (function, kinds)
        if key in self.functions:
            return self.functions[key]
        written = Written(f'"{function.__module__}.{function.__name__}.{len(self.functions)}"')
        self.functions[key] = written
        source = Source(function)
        self.files.add(source.file)
        wider: dict[str, Type] = {}
        while True:
            body = Body(source, kinds, wider, self)
            try:
                body.write()
                break
            except Restart:
                continue
        written.returns = body.wider.get(RETURNED, NONE)
        written.leaves = body.took and has_arrays(written.returns)
        head = f"define internal {returned(written.returns)} @{written.name}"
        blocks = body.finished()
        written.text = f"{head}({', '.join(body.header)}) nounwind {{\n{blocks}\n}}\n"
        return written

    def text(self, function: Callable[..., Any], kinds: tuple[Type, ...]) -> tuple[str, Type]:
        """The module with a door: arguments and results in arrays of eight bytes a register."""
        written = self.add(function, kinds)
        assert written.returns is not None
        door = Expressions(Source(function), {})
        values, at = [], 0
        for kind in kinds:
            slots = []
            for _ in flat(kind):
                slots.append(door.op(f"getelementptr i8, ptr %in, i64 {8 * at}"))
                at += 1
            values.append(door.load(Variable(kind, tuple(slots))))
        result = call(door, written, values)
        for k, (part, ir) in enumerate(zip(result.parts, flat(result.type), strict=True)):
            to = door.op(f"getelementptr i8, ptr %out, i64 {8 * k}")
            if ir == "i1":
                ir, part = "i64", door.op(f"zext i1 {part} to i64")
            door.put(f"store {ir} {part}, ptr {to}")
        lines = "\n  ".join(door.places + door.blocks["entry"])
        entry = (
            f'define void @"{ENTRY}"(ptr %arena, ptr %in, ptr %out) nounwind {{\nentry:\n'
            f"  {lines}\n  ret void\n}}\n"
        )
        texts = [w.text for w in self.functions.values()]
        parts = [DECLARATIONS, RUNTIME, *texts, entry]
        return "\n".join(parts), written.returns


def returned(kind: Type) -> str:
    """LLVM's type of what a function returns."""
    irs = flat(kind)
    if len(irs) <= 1:
        return irs[0] if irs else "void"
    return "{ " + ", ".join(irs) + " }"


def call(e: Expressions, written: Written, values: list[Value]) -> Value:
    """Call a written function."""
    arguments = ["ptr %arena"]
    for value in values:
        irs = flat(value.type)
        if len(irs) > WIDE:
            arguments.append(f"ptr {_home(e, value)}")
        else:
            arguments += [f"{ir} {p}" for ir, p in zip(irs, value.parts, strict=True)]
    kind = written.returns
    assert kind is not None
    e.takes = e.takes or written.leaves
    text = f"call {returned(kind)} @{written.name}({', '.join(arguments)})"
    irs = flat(kind)
    if not irs:
        e.put(text)
        return Value(kind, ())
    whole = e.op(text)
    if len(irs) == 1:
        return Value(kind, (whole,))
    parts = [e.op(f"extractvalue {returned(kind)} {whole}, {k}") for k in range(len(irs))]
    return Value(kind, tuple(parts))


def _home(e: Expressions, value: Value) -> str:
    """A wide value in memory."""
    if value.home is not None:
        return value.home
    variable = e.stack(value.type, "wide")
    e.store(value, variable)
    assert variable.home is not None
    return variable.home
