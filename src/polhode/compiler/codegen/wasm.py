"""Printer from straight-line code to a WebAssembly module, in its binary form.

A function takes the address in the module's memory of each array of one state, inputs before
outputs.  All numbers are 64-bit floats, entries in row-major order.  WebAssembly has no
multiply-add: a product and a sum are rounded apart, so that results differ from those of compiled
code in the last places.  Sines, exponentials and the like are the host's ``Math``.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ..graph.code import Code
from ..graph.ops import GATHER
from .calls import Call, Turns, slots_of, turns_of
from .kernel_code import KernelCode
from .layout import BufferLayout, lay_out
from .literals import numbers_as_bytes
from .section import Section
from .sections import plan_sections

SECTION_OPS = 2500  # instructions of one function; browsers take long over longer ones
FORMS = {  # operands are numbers of arguments; the rest are names of OPCODES
    "add": "0 1 add",
    "sub": "0 1 sub",
    "mul": "0 1 mul",
    "div": "0 1 div",
    "neg": "0 neg",
    "sqrt": "0 sqrt",
    "abs": "0 abs",
    "floor": "0 floor",
    "rint": "0 nearest",
    "fma": "0 1 mul 2 add",
    "fms": "0 1 mul 2 sub",
    "fnma": "2 0 1 mul sub",
    "fnms": "0 1 mul neg 2 sub",
    "min": "0 1 0 0 ne 0 1 lt or select",
    "max": "0 1 0 0 ne 0 1 gt or select",
    "lt": "0 1 lt",
    "le": "0 1 le",
    "eq": "0 1 eq",
    "and": "0 1 and",
    "or": "0 1 or",
    "not": "0 eqz",
    "where": "1 2 0 select",
}
OPCODES = {
    "add": 0xA0, "sub": 0xA1, "mul": 0xA2, "div": 0xA3, "neg": 0x9A, "abs": 0x99, "floor": 0x9C,
    "nearest": 0x9E, "sqrt": 0x9F, "eq": 0x61, "ne": 0x62, "lt": 0x63, "gt": 0x64, "le": 0x65,
    "ge": 0x66, "lowest": 0xA4, "highest": 0xA5, "plus": 0x6A, "times": 0x6C,
    "and": 0x71, "or": 0x72, "eqz": 0x45, "select": 0x1B, "widen": 0xB8,
}  # fmt: skip
_F64, _I32 = 0x7C, 0x7F
_GET, _SET, _CALL, _LOAD, _STORE, _F64_CONST, _I32_CONST, _END = (
    0x20, 0x21, 0x10, 0x2B, 0x39, 0x44, 0x41, 0x0B,
)  # fmt: skip
_BLOCK, _LOOP, _IF, _BR, _BR_IF, _NO_RESULT = 0x02, 0x03, 0x04, 0x0C, 0x0D, 0x40
_GLOBAL_GET, _ACTIVE = 0x23, 0
_AS_INTEGER = b"\xfc\x02"  # of a 64-bit float, 0 of NaN
_IMPORTS = {"sin": 1, "cos": 1, "exp": 1, "log": 1, "atan2": 2}
_WORKSPACE_AT = 16  # no array lies at address zero
_PAGE = 65536
_TABLES = 1  # number of the global that is the address of all constant tables


def wasm_module(kernels: Sequence[KernelCode]) -> bytes:
    """The module that exports these functions, its ``memory``, and ``free``.

    ``free`` is the first address that no function uses for itself.  From there on the memory
    has room for the arrays of any one function.
    """
    made = _Module()
    writers = [_Writer(kernel, made) for kernel in kernels]
    for writer in writers:
        made.exports.append((writer.kernel.name, 0, writer.write()))
    tables = _WORKSPACE_AT + 8 * max(w.n_work for w in writers)
    free = tables + len(made.tables)
    arrays = max(sum(w.kernel.inputs) + sum(w.kernel.outputs) for w in writers)
    return made.encoded(tables, free, free + 8 * arrays)


class _Module:
    """What a module consists of."""

    def __init__(self) -> None:
        self.types: dict[bytes, int] = {}
        self.functions: list[tuple[int, bytes]] = []
        self.exports: list[tuple[str, int, int]] = []
        self.imports = {name: k for k, name in enumerate(_IMPORTS)}
        self.tables = bytearray()
        self.import_types = [self._type([_F64] * n, [_F64]) for n in _IMPORTS.values()]

    def _type(self, parameters: Sequence[int], results: Sequence[int]) -> int:
        text = b"\x60" + _vector([bytes([t]) for t in parameters])
        text += _vector([bytes([t]) for t in results])
        return self.types.setdefault(text, len(self.types))

    def add(self, n_parameters: int, n_locals: tuple[int, int], body: bytes) -> int:
        """Number of a new function of addresses, with locals that are numbers and conditions."""
        kinds = zip(n_locals, (_F64, _I32), strict=True)
        text = _vector([_unsigned(n) + bytes([kind]) for n, kind in kinds]) + body + bytes([_END])
        self.functions.append((self._type([_I32] * n_parameters, []), _sized(text)))
        return len(self.imports) + len(self.functions) - 1

    def table(self, numbers: Sequence[float]) -> int:
        """Where a constant table begins among all."""
        data = numbers_as_bytes(numbers, "f64")
        at = self.tables.find(data)
        if at % 8:
            at = len(self.tables)
            self.tables += data
        return at

    def encoded(self, tables: int, free: int, used: int) -> bytes:
        """The whole module, with its tables at an address, then free memory."""
        pages = _unsigned(used // _PAGE + 1)
        imports = zip(self.imports, self.import_types, strict=True)
        exports = [("memory", 2, 0), ("free", 3, 0), *self.exports]
        has_tables = bool(self.tables)
        globals = [_i32_global(free)] + [_i32_global(tables)] * has_tables
        segment = bytes([_ACTIVE]) + _integer(tables) + bytes([_END]) + _sized(bytes(self.tables))
        sections = (
            (1, _vector(list(self.types))),
            (2, _vector([_name("Math") + _name(k) + b"\0" + _unsigned(t) for k, t in imports])),
            (3, _vector([_unsigned(t) for t, _ in self.functions])),
            (5, _vector([b"\0" + pages])),
            (6, _vector(globals)),
            (7, _vector([_name(k) + bytes([kind]) + _unsigned(n) for k, kind, n in exports])),
            (10, _vector([text for _, text in self.functions])),
            *([(11, _vector([segment]))] if has_tables else []),
        )
        return b"\0asm\1\0\0\0" + b"".join(bytes([k]) + _sized(text) for k, text in sections)


class _Writer:
    """Writes one program: a function for each section, and one that calls them in turn."""

    def __init__(self, kernel: KernelCode, module: _Module):
        self.kernel, self.module = kernel, module
        self.layout = lay_out(kernel.code, kernel.inputs)
        self.sections = plan_sections(kernel.code, self.layout, section_ops=SECTION_OPS).sections
        self.n_arrays = len(kernel.inputs) + len(kernel.outputs)
        self.place: dict[int, tuple[int, int]] = {}
        self.n_work = self.n_moved = 0
        self.counters: dict[int, int] = {}  # slots of counters, by those of their loops
        for j, (first, size) in enumerate(zip(self.layout.first, kernel.inputs, strict=True)):
            self.place |= {first + k: (j, k) for k in range(size)}

    def write(self) -> int:
        """Number of the function of the whole program."""
        body = bytearray()
        for n, angle in enumerate(self.layout.trig):
            for i, name in enumerate(("sin", "cos")):
                at = self.layout.trig_slot + 2 * n + i
                value = self.load(angle) + bytes([_CALL, self.module.imports[name]])
                body += self.store(at, value)
        body += self._called(self._calls(self.kernel.code, self.layout, self.sections))
        for slot, x in self.layout.constants:
            body += self.store(slot, constant(x))
        slots = iter(self.layout.outputs)
        for j, size in enumerate(self.kernel.outputs, len(self.kernel.inputs)):
            for k in range(size):
                body += self._stored(j, k, self.load(next(slots)))
        return self.module.add(self.n_arrays, (self.n_moved, 0), bytes(body))

    def _calls(
        self, code: Code, layout: BufferLayout, sections: Sequence[Section]
    ) -> list[Call | Turns]:
        """Calls of sections, whose functions this writes."""
        arrays = b"".join(bytes([_GET]) + _unsigned(j) for j in range(self.n_arrays))
        calls: list[Call | Turns] = []
        for section in sections:
            if section.is_loop(code):
                calls.append(turns_of(code, layout, section, self._turn))
                continue
            written = _SectionWriter(self, code, layout).write(section)
            number = self.module.add(self.n_arrays, *written)
            line = arrays + bytes([_CALL]) + _unsigned(number)
            calls.append(Call(slots_of(section, layout), (line,)))
        return calls

    def _turn(self, code: Code, layout: BufferLayout) -> list[Call | Turns]:
        plan = plan_sections(code, layout, section_ops=SECTION_OPS)
        return self._calls(code, layout, plan.sections)

    def _called(self, calls: Sequence[Call | Turns]) -> bytes:
        """Instructions that make calls in turn, each if its conditions hold."""
        body = bytearray()
        for call in calls:
            text = self._loop(call) if isinstance(call, Turns) else b"".join(call.lines)
            for condition in reversed(call.branches):
                test = self._compared(condition, "ne", 0.0)
                text = test + bytes([_IF, _NO_RESULT]) + text + bytes([_END])
            body += text
        return bytes(body)

    def _loop(self, turns: Turns) -> bytes:
        """Instructions of a loop, whose next numbers are in variables before any is stored."""
        count = self.counters.setdefault(turns.goes, -1 - len(self.counters))
        start = [(count, 0.0), *turns.start]
        body = b"".join(
            self.store(k, constant(x) if isinstance(x, float) else self.load(x)) for k, x in start
        )
        body += bytes([_BLOCK, _NO_RESULT, _LOOP, _NO_RESULT])
        leave = bytes([_BR_IF, 1])
        body += self._compared(count, "ge", float(turns.most)) + leave
        body += self._compared(turns.goes, "eq", 0.0) + leave
        body += self.store(count, self.load(count) + constant(1.0) + bytes([OPCODES["add"]]))
        body += self._called(turns.calls)
        moves = [*turns.carried, (turns.goes, turns.again)]
        variables = [_unsigned(self.n_arrays + n) for n in range(len(moves))]
        self.n_moved = max(self.n_moved, len(moves))
        for (_, new), variable in zip(moves, variables, strict=True):
            body += self.load(new) + bytes([_SET]) + variable
        for (slot, _), variable in zip(moves, variables, strict=True):
            body += self.store(slot, bytes([_GET]) + variable)
        return body + bytes([_BR, 0, _END, _END])

    def _compared(self, slot: int, order: str, x: float) -> bytes:
        return self.load(slot) + constant(x) + bytes([OPCODES[order]])

    def _address(self, slot: int) -> tuple[int, int]:
        """The array of a slot, -1 for the workspace, and its place there."""
        if slot not in self.place:
            self.place[slot] = (-1, self.n_work)
            self.n_work += 1
        return self.place[slot]

    def load(self, slot: int) -> bytes:
        """Instructions that put what a slot holds on the stack."""
        array, k = self._address(slot)
        return _base(array) + bytes([_LOAD, 3]) + _unsigned(_offset(array, k))

    def store(self, slot: int, value: bytes) -> bytes:
        """Instructions that keep what the instructions ``value`` leave on the stack."""
        return self._stored(*self._address(slot), value)

    def _stored(self, array: int, k: int, value: bytes) -> bytes:
        return _base(array) + value + bytes([_STORE, 3]) + _unsigned(_offset(array, k))


class _SectionWriter:
    """The instructions of one section; each value has a local variable."""

    def __init__(self, writer: _Writer, code: Code, layout: BufferLayout):
        self.writer, self.code, self.layout = writer, code, layout
        self.known: dict[int, bytes] = {}

    def write(self, section: Section) -> tuple[tuple[int, int], bytes]:
        """Numbers of local numbers and conditions, and the instructions."""
        ops, n = self.code.ops, self.writer.n_arrays
        members = sorted(section.members, key=lambda k: ops[k].is_condition)
        local = {k: bytes([_SET]) + _unsigned(n + j) for j, k in enumerate(members)}
        body, kept = bytearray(), set(section.stores)
        for k in section.members:
            body += self._computed(k) + local[k]
            self.known[k] = bytes([_GET]) + local[k][1:]
            if k in kept:
                widen = bytes([OPCODES["widen"]]) if ops[k].is_condition else b""
                body += self.writer.store(self.layout.slot[k], self.known[k] + widen)
        n_conditions = sum(ops[k].is_condition for k in members)
        return (len(members) - n_conditions, n_conditions), bytes(body)

    def _computed(self, k: int) -> bytes:
        op = self.code.ops[k]
        if op is GATHER:
            return self._looked_up(k)
        operands = [self._value(a) for a in self.code.args[k]]
        if op.is_library:
            return b"".join(operands) + bytes([_CALL, self.writer.module.imports[op.name]])
        words = FORMS[op.name].split()
        return b"".join(
            operands[int(word)] if word.isdigit() else bytes([OPCODES[word]]) for word in words
        )

    def _looked_up(self, k: int) -> bytes:
        """Instructions that put an entry of a table on the stack."""
        place, entries = self._value(self.code.args[k][0]), self.code.args[k][1:]
        filled, base, offset = self._table(entries)
        inside = place + constant(0.0) + bytes([OPCODES["highest"]])
        inside += constant(len(entries) - 1.0) + bytes([OPCODES["lowest"]]) + _AS_INTEGER
        address = inside + _integer(8) + bytes([OPCODES["times"]]) + base + bytes([OPCODES["plus"]])
        found = address + bytes([_LOAD, 3]) + _unsigned(offset)
        is_number = place + place + bytes([OPCODES["eq"], OPCODES["select"]])
        return filled + found + place + is_number

    def _table(self, entries: tuple[int, ...]) -> tuple[bytes, bytes, int]:
        """Instructions that fill a table, its address on the stack, and bytes beyond that."""
        ops, writer = self.code.ops, self.writer
        names = {ops[a].name for a in entries}
        if names == {"const"}:
            at = writer.module.table([self.code.args[a][0] for a in entries])
            return b"", bytes([_GLOBAL_GET, _TABLES]), at
        if names == {"input"}:
            places = [writer.place[self.layout.slot[a]] for a in entries]
            array, first = places[0]
            if places == [(array, first + n) for n in range(len(places))]:
                return b"", _base(array), _offset(array, first)
        values = list(map(self._value, entries))
        slots = [self.layout.new() for _ in entries]
        filled = b"".join(map(writer.store, slots, values))
        array, first = writer.place[slots[0]]
        return filled, _base(array), _offset(array, first)

    def _value(self, k: int) -> bytes:
        """Instructions that put value ``k`` on the stack."""
        if k in self.known:
            return self.known[k]
        op = self.code.ops[k]
        if op.name == "const":
            return constant(self.code.args[k][0])
        loaded = self.writer.load(self.layout.slot[k])
        return loaded + constant(0.0) + bytes([OPCODES["ne"]]) if op.is_condition else loaded


def _integer(n: int) -> bytes:
    return bytes([_I32_CONST]) + _signed(n)


def _i32_global(n: int) -> bytes:
    """A global that is constant."""
    return bytes([_I32, 0]) + _integer(n) + bytes([_END])


def constant(x: float) -> bytes:
    """The instruction that puts a number on the stack."""
    return bytes([_F64_CONST]) + struct.pack("<d", x)


def _base(array: int) -> bytes:
    return bytes([_I32_CONST, 0]) if array < 0 else bytes([_GET]) + _unsigned(array)


def _offset(array: int, k: int) -> int:
    return 8 * k + (_WORKSPACE_AT if array < 0 else 0)


def _unsigned(n: int) -> bytes:
    """LEB128: seven bits in each byte."""
    text = bytearray()
    while n > 0x7F:
        text.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*text, n])


def _signed(n: int) -> bytes:
    """Signed LEB128 of a number that is not negative."""
    text = _unsigned(n)
    return text if not text[-1] & 0x40 else text[:-1] + bytes([text[-1] | 0x80, 0])


def _vector(parts: Sequence[bytes]) -> bytes:
    return _unsigned(len(parts)) + b"".join(parts)


def _sized(text: bytes) -> bytes:
    return _unsigned(len(text)) + text


def _name(text: str) -> bytes:
    return _sized(text.encode())
