"""A function and all that it calls, each for the types it is called with, as one LLVM module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import arena
from .block_writer import Variable
from .builtins import DECLARATIONS, length
from .expressions import Expressions, Restart
from .function_writer import RETURNED, FunctionWriter
from .functions import RESULT, Written, call, is_returned_in_memory, returned
from .memory import LIKELINESS, name_constant
from .module_names import ENTRY
from .source import FunctionSource
from .types import NONE, Type, flat, has_arrays


class Module:
    """LLVM's text of a function and of all it calls."""

    def __init__(self, annotate: Callable[[FunctionWriter], list[str]] | None = None) -> None:
        self.annotate = annotate  # adds comments to a function that is written; their head
        self.functions: dict[tuple[Any, tuple[Type, ...], type | None], Written] = {}
        self.files: set[str] = set()

    def add(
        self, function: Callable[..., Any], kinds: tuple[Type, ...], owner: type | None = None
    ) -> Written:
        """Write a function for arguments of these types, if it is not yet there.

        ``owner`` is the class that a class method is called of.
        """
        key = (function, kinds, owner)
        if key in self.functions:
            return self.functions[key]
        written = Written(f'"{function.__module__}.{function.__name__}.{len(self.functions)}"')
        self.functions[key] = written
        source = FunctionSource(function, owner)
        self.files.add(source.file)
        wider: dict[str, Type] = {}
        while True:
            writer = FunctionWriter(source, kinds, wider, self, written)
            try:
                writer.write()
                break
            except Restart:
                continue
        written.may_fail = writer.failed is not None
        written.returns = writer.wider.get(RETURNED, NONE)
        written.leaves = writer.took and has_arrays(written.returns)
        notes = [] if self.annotate is None else self.annotate(writer)
        head = "".join(f"; {note}\n" for note in notes)
        head += f"define internal {returned(written.returns)} @{written.name}"
        blocks = writer.finished()
        header = [*writer.header]
        if is_returned_in_memory(written.returns):
            header.append(f"ptr noalias {RESULT}")
        written.text = f"{head}({', '.join(header)}) nounwind {{\n{blocks}\n}}\n"
        if writer.asks:
            name = f"{function.__module__}.{function.__qualname__}"
            written.text = name_constant(written.label, name) + written.text
        return written

    def text(self, function: Callable[..., Any], kinds: tuple[Type, ...]) -> tuple[str, Type]:
        """The module with its entry: arguments and results in arrays of eight bytes a register."""
        written = self.add(function, kinds)
        assert written.returns is not None
        entry = Expressions(FunctionSource(function), {})
        values, at = [], 0
        for kind in kinds:
            slots = []
            for _ in flat(kind):
                slots.append(entry.op(f"getelementptr i8, ptr %in, i64 {8 * at}"))
                at += 1
            values.append(entry.load(Variable(kind, tuple(slots))))
        result = call(entry, written, values)
        for k, (part, ir) in enumerate(zip(result.parts, flat(result.type), strict=True)):
            to = entry.op(f"getelementptr i8, ptr %out, i64 {8 * k}")
            if ir == "i1":
                ir, part = "i64", entry.op(f"zext i1 {part} to i64")
            entry.put(f"store {ir} {part}, ptr {to}")
        entry.leave()
        head = f'define void @"{ENTRY}"(ptr %arena, ptr %in, ptr %out) nounwind'
        text = f"{head} {{\n{entry.body()}\n}}\n"
        texts = [w.text for w in self.functions.values()]
        parts = [DECLARATIONS, LIKELINESS, length(), arena.functions(), *texts, text]
        return "\n".join(parts), written.returns
