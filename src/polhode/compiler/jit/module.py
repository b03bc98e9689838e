"""A function and all that it calls, each for the types it is called with, as LLVM modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import arena
from .block_writer import Variable
from .builtins import DECLARATIONS, length
from .expressions import Expressions, Restart
from .function_writer import RETURNED, FunctionWriter
from .functions import RESULT, Written, call, is_returned_in_memory
from .memory import LIKELINESS, name_constant
from .module_names import ENTRY
from .parts import ModulePart, parts_of
from .source import FunctionSource
from .types import NONE, Type, flat, has_arrays


class Module:
    """LLVM's text of a function and of all it calls."""

    def __init__(self, annotate: Callable[[FunctionWriter], list[str]] | None = None) -> None:
        self.annotate = annotate  # adds comments to a function that is written; their head
        self.functions: dict[tuple[Any, tuple[Type, ...], type | None], Written] = {}
        self.finished: list[Written] = []  # each behind those that it calls
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
        written.head = "".join(f"; {note}\n" for note in notes)
        written.body = writer.finished()
        written.parameters = [*writer.header]
        if is_returned_in_memory(written.returns):
            written.parameters.append(f"ptr noalias {RESULT}")
        if writer.asks:
            name = f"{function.__module__}.{function.__qualname__}"
            written.constants = name_constant(written.label, name)
        self.finished.append(written)
        return written

    def text(self, function: Callable[..., Any], kinds: tuple[Type, ...]) -> tuple[str, Type]:
        """One module with the entry: arguments and results in arrays of eight bytes a register."""
        texts, returns = self.texts(function, kinds, may_cut=False)
        return texts[0], returns

    def texts(
        self, function: Callable[..., Any], kinds: tuple[Type, ...], *, may_cut: bool
    ) -> tuple[list[str], Type]:
        """The same in modules that call each other, where that is worth it; the entry last."""
        first = self.add(function, kinds)
        assert first.returns is not None
        entry = self._entry(FunctionSource(function), first, kinds)
        common = [DECLARATIONS, LIKELINESS, length(), arena.functions()]
        parts = parts_of(self.finished) if may_cut else [ModulePart(dict.fromkeys(self.finished))]
        called = {callee for part in parts for callee in part.outside()}
        texts = ["\n".join([*common, *part.texts(called)]) for part in parts]
        texts[-1] += "\n".join(["", arena.end(), entry])
        return texts, first.returns

    def _entry(self, source: FunctionSource, first: Written, kinds: tuple[Type, ...]) -> str:
        """The function that Python calls."""
        entry = Expressions(source, {})
        values, at = [], 0
        for kind in kinds:
            slots = []
            for _ in flat(kind):
                slots.append(entry.op(f"getelementptr i8, ptr %in, i64 {8 * at}"))
                at += 1
            values.append(entry.load(Variable(kind, tuple(slots))))
        result = call(entry, first, values)
        for k, (part, ir) in enumerate(zip(result.parts, flat(result.type), strict=True)):
            to = entry.op(f"getelementptr i8, ptr %out, i64 {8 * k}")
            if ir == "i1":
                ir, part = "i64", entry.op(f"zext i1 {part} to i64")
            entry.put(f"store {ir} {part}, ptr {to}")
        entry.leave()
        head = f'define void @"{ENTRY}"(ptr %arena, ptr %in, ptr %out) nounwind'
        return f"{head} {{\n{entry.body()}\n}}\n"
