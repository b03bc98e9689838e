"""The decorator of compiled functions."""

from __future__ import annotations

import ast
import functools
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import as_choice
from ...errors import TraceError
from ...notebooks import is_watched
from ...once import kept
from ..codegen.machine import IN_ONE_PIECE, OPT_LEVEL, Engine
from ..codegen.side_by_side import SideBySide
from ..program.threads import get_num_threads
from .annotations import require_annotations
from .entry import EntryPoint
from .store import known, remember
from .type_of import type_of
from .types import Type

if TYPE_CHECKING:
    from .block_writer import TypedValue
    from .expressions import Expressions


def jit(function: Callable[..., Any]) -> CompiledFunction:
    """Compile a function of numbers, arrays and tuples of these when it is first called.

    It is compiled for the types of its arguments, together with all such functions that it
    calls, and kept on disk for later processes.  Its language is a part of Python's:

    - numbers (int, float, bool), C-contiguous NumPy arrays, tuples and `Struct`;
    - records: named tuples and frozen dataclasses, such as those of `polhode.spatial`, with their
      methods, properties and operators;
    - variables that keep their type, but an int may become a float;
    - a type for every parameter: ``float``, ``Floats``, ``Floats2`` (two axes), ``Ints``, the
      class of a record or table;
    - assignments, ``if``, ``for`` over ranges, arrays and tuples of numbers, ``while``;
    - operators, indices, slices of the last index given, functions of ``math``, ``np.zeros``
      and the like, and other compiled functions.

    Arithmetic is IEEE's: divisions by zero give infinities, nothing is reassociated.  Integers
    have 64 bits.  Indices are not checked; only constant ones may be negative.

    With ``POLHODE_JIT=python`` in the environment functions run as plain Python.
    """
    require_annotations(function)
    return CompiledFunction(function)


class CompiledFunction:
    """A function with its compiled forms."""

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function)
        self.function = function
        self._entries: dict[tuple[Type, ...], EntryPoint] = {}
        self._last: EntryPoint | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled function; arrays it returns are the caller's own."""
        if is_plain():
            with np.errstate(all="ignore"):
                return self.function(*arguments)
        last = self._last  # most often the types are those of the last call
        given = None if last is None else last.given(arguments)
        if last is None or given is None:
            last, given = self._found(arguments)
            self._last = last
        return last(given)

    def _found(self, arguments: tuple[Any, ...]) -> tuple[EntryPoint, bytes]:
        """The form for the types of arguments, and what its registers hold."""
        kinds = tuple(map(type_of, arguments))
        entry = self._entries.get(kinds) or kept(self._entries, kinds, lambda: self._made(kinds))
        given = entry.given(arguments)
        assert given is not None
        return entry, given

    def _made(self, kinds: tuple[Type, ...]) -> EntryPoint:
        objects, returns = known(self.function, kinds) or _compiled(self.function, kinds)
        return EntryPoint(Engine(*objects), kinds, returns)

    def dump(self, form: str = "llvm") -> str:
        """What the function became, for each of the types that it was called with.

        Parameters
        ----------
        form : {"llvm", "assembly"}
            LLVM's text, as it is written and before it is optimised, or the assembly that this
            processor runs.  LLVM's has each line of Python and the types of its variables before
            its instructions, the assembly the lines of Python.

        Returns
        -------
        text : str
            All functions that are called are in it, too.

        Raises
        ------
        TraceError
            If the function was not called yet, so that its types are not known.
        """
        from .dump import dumped

        form = as_choice("form", form, ("llvm", "assembly"))
        if not self._entries:
            raise TraceError(
                f"expected a call of '{self.function.__name__}' before dump, which shows what it "
                "became for the types of its arguments"
            )
        return "\n".join(dumped(self.function, kinds, form) for kinds in [*self._entries])

    def write_call(self, e: Expressions, node: ast.Call, values: list[TypedValue]) -> TypedValue:
        """A call of this from another compiled function."""
        return e.call(node, self.function, values)


def _compiled(function: Callable[..., Any], kinds: tuple[Type, ...]) -> tuple[list[bytes], Type]:
    from .module import Module

    began = time.perf_counter()
    terminal = sys.stderr if is_watched(sys.stderr) else None
    if terminal is not None:
        text = f"compiling '{function.__name__}' for the first time ..."
        print(text, end="", file=terminal, flush=True)
    module = Module()
    n_threads = get_num_threads()
    with SideBySide(n_threads, OPT_LEVEL, speed=1) as compiler:
        texts, returns = module.texts(function, kinds, may_cut=IN_ONE_PIECE and n_threads > 1)
        objects = compiler.objects(*texts)
    remember(function, kinds, objects, returns, module.files)
    if terminal is not None:
        print(f" {time.perf_counter() - began:.1f} s", file=terminal)
    return objects, returns


def is_plain() -> bool:
    """Whether compiled functions run as plain Python."""
    return os.environ.get("POLHODE_JIT") == "python"
