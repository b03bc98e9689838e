"""Calls by address out of compiled functions: machine-code programs, and callbacks into Python."""

from __future__ import annotations

import ast
import ctypes
from typing import TYPE_CHECKING

from .block_writer import NOTHING, TypedValue
from .types import INT

if TYPE_CHECKING:
    from .expressions import Expressions


class Foreign:
    """A C function of so many integers or addresses: ``call(address, a, b, ...)``."""

    def __init__(self, count: int):
        self.count = count
        self._type = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * count)

    def __call__(self, address: int, *values: int) -> None:
        self._type(int(address))(*map(int, values))

    def write_call(self, e: Expressions, node: ast.Call, values: list[TypedValue]) -> TypedValue:
        """A call of this from a compiled function."""
        if [v.type for v in values] != [INT] * (1 + self.count):
            raise e.error(node, f"expected an address and {self.count} integers")
        function = e.op(f"inttoptr i64 {values[0].parts[0]} to ptr")
        arguments = ", ".join(f"i64 {v.parts[0]}" for v in values[1:])
        e.put(f"call void {function}({arguments})")
        return NOTHING
