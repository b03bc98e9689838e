"""A compiled function, such as the contact solver, as a module of WebAssembly.

LLVM writes an object file for a linker.  It is nearly a module: one object has nobody to be linked
with, and its code refers to its own functions and data by their final numbers.  What it lacks is
an export of its entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from polhode.compiler.jit.module import Module
from polhode.compiler.jit.module_names import ENTRY
from polhode.compiler.jit.types import Type
from polhode.compiler.program.cache import digest, found_or_made
from polhode.once import making

MAGIC = b"\0asm\1\0\0\0"
_TRIPLE = "wasm32-unknown-unknown"
_CUSTOM, _EXPORTS, _DATA_COUNT = 0, 7, 12
_SYMBOLS = 8  # the part of the section "linking" that has the names of functions
_FUNCTION, _DATA = 0, 1
_UNDEFINED, _EXPLICIT_NAME = 0x10, 0x40


@cache
def compiled_wasm(function: Callable[..., Any], kinds: tuple[Type, ...]) -> bytes:
    """A module that exports ``run(arena, in, out)`` of a function for arguments of these types.

    It imports from ``env`` its memory, the pointer of its stack, and functions of the C library.
    """
    text, _ = Module().text(function, kinds)
    name = digest("wasm", text, ".".join(map(str, llvm.llvm_version_info)))
    return found_or_made(name, lambda: ({}, exporting(_object_file(text), ENTRY, "run")))[1]


def _object_file(text: str) -> bytes:
    with making:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        machine = llvm.Target.from_triple(_TRIPLE).create_target_machine(
            cpu="generic", features="+bulk-memory", opt=2, reloc="static", codemodel="default"
        )
        module = llvm.parse_assembly(text)
        module.triple, module.data_layout = _TRIPLE, str(machine.target_data)
        options = llvm.create_pipeline_tuning_options(speed_level=1)
        options.loop_unrolling = False
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        return machine.emit_object(module)


def exporting(text: bytes, symbol: str, name: str) -> bytes:
    """The module that an object file is, with one of its functions exported."""
    linking = next(s for k, s in _sections(text) if k == _CUSTOM and s[1:8] == b"linking")
    number = dict(_functions(linking[8:]))[symbol]
    export = b"\1" + _sized(name.encode()) + b"\0" + _unsigned(number)
    kept = [(k, section) for k, section in _sections(text) if k != _CUSTOM]
    place = next(i for i, (k, _) in enumerate(kept) if k in (_DATA_COUNT, 10))
    kept.insert(place, (_EXPORTS, export))
    return MAGIC + b"".join(bytes([k]) + _sized(section) for k, section in kept)


def _sections(text: bytes) -> Iterator[tuple[int, bytes]]:
    reader = _Reader(text, len(MAGIC))
    while reader.at < len(text):
        kind = reader.byte()
        yield kind, reader.sized()


def _functions(linking: bytes) -> Iterator[tuple[str, int]]:
    """Names and numbers of the functions that an object file defines."""
    reader = _Reader(linking, 1)  # after the version
    parts = {}
    while reader.at < len(linking):
        kind = reader.byte()
        parts[kind] = reader.sized()
    symbols = _Reader(parts[_SYMBOLS])
    for _ in range(symbols.unsigned()):
        kind, flags = symbols.byte(), symbols.unsigned()
        is_defined = not flags & _UNDEFINED
        if kind == _DATA:
            symbols.sized()
            for _ in range(3 if is_defined else 0):
                symbols.unsigned()
            continue
        number = symbols.unsigned()
        if is_defined or flags & _EXPLICIT_NAME:
            name = symbols.sized().decode()
            if kind == _FUNCTION and is_defined:
                yield name, number


class _Reader:
    """Bytes with a place in them."""

    def __init__(self, text: bytes, at: int = 0):
        self.text, self.at = text, at

    def byte(self) -> int:
        self.at += 1
        return self.text[self.at - 1]

    def unsigned(self) -> int:
        """A number in LEB128."""
        total, shift = 0, 0
        while True:
            digit = self.byte()
            total |= (digit & 0x7F) << shift
            if digit < 0x80:
                return total
            shift += 7

    def sized(self) -> bytes:
        """Bytes after their count."""
        count = self.unsigned()
        self.at += count
        return self.text[self.at - count : self.at]


def _unsigned(n: int) -> bytes:
    text = bytearray()
    while n > 0x7F:
        text.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*text, n])


def _sized(text: bytes) -> bytes:
    return _unsigned(len(text)) + text
