"""A device made of Python: it reads PTX text and runs its threads one after the other.

It knows the instructions that our kernels consist of, and refuses all others, as well as
floating-point arithmetic that is not said to be rounded to nearest, and any access to memory
that it was not told of.  Multiply-adds are those of the C library.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from export.ptx_arithmetic import compared, computed, width_of

_FUNCTION = re.compile(
    r"^(?:\.visible )?\.(entry|func)\s*(?:\(.*?\))?\s*([\w$]+)\((.*?)\)\n\{\n(.*?)\n\}", re.M | re.S
)
_GLOBAL = re.compile(r"^\.global .*?([\w$]+)\[(\d+)\] = \{(.*?)\};", re.M)
_LOCAL = re.compile(r"\.local .*?([\w$]+)\[(\d+)\]")
_SPECIAL = ("%tid.x", "%ntid.x", "%ctaid.x")


@dataclass
class Instruction:
    """One statement: its guard, the parts of its name, its operands as written."""

    guard: str
    parts: list[str]
    operands: list[str]


class Function:
    """The body of a kernel or of a device function."""

    def __init__(self, parameters: str, body: str):
        self.parameters = re.findall(r"([\w$]+)(?:\[\d+\])?(?:,|$)", parameters.replace("\n", ""))
        self.locals = [(name, int(size)) for name, size in _LOCAL.findall(body)]
        self.code: list[Instruction] = []
        self.labels: dict[str, int] = {}
        for statement in re.sub(r"//.*", "", body).split(";"):
            self._add(statement)

    def _add(self, statement: str) -> None:
        text = " ".join(statement.split())
        while found := re.match(r"(?:[{}] |(\$\w+): )", text + " "):
            if found[1]:
                self.labels[found[1]] = len(self.code)
            text = text[found.end() :]
        if text and not text.startswith("."):
            guard, name, operands = re.fullmatch(r"(?:@(!?%p\d+) )?(\S+) ?(.*)", text).groups()
            self.code.append(Instruction(guard or "", name.split("."), list(_split(operands))))


def _split(operands: str) -> Iterator[str]:
    """Operands between commas that are not in brackets."""
    for found in re.finditer(r"\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|[^,\s]+", operands):
        yield found[0]


class Machine:
    """A module in memory, and the memory that its kernels may touch."""

    def __init__(self, text: str):
        self.kernels, self.functions = set(), {}
        for kind, name, parameters, body in _FUNCTION.findall(text):
            self.functions[name] = Function(parameters, body)
            if kind == "entry":
                self.kernels.add(name)
        self.regions: dict[int, int] = {}
        self.symbols: dict[str, int] = {}
        self._kept: list = []
        for name, size, data in _GLOBAL.findall(text):
            numbers = bytes(int(x) for x in data.split(","))
            self.symbols[name] = self.allocate(int(size), numbers)

    def allocate(self, size: int, data: bytes = b"") -> int:
        """The address of new memory, which begins with ``data``."""
        memory = ctypes.create_string_buffer(data, size)
        self._kept.append(memory)
        self.allow(ctypes.addressof(memory), size)
        return ctypes.addressof(memory)

    def allow(self, address: int, size: int) -> None:
        """Let kernels touch this memory."""
        self.regions[address] = max(size, self.regions.get(address, 0))

    def check(self, address: int, size: int) -> None:
        """Refuse an address outside the known memory."""
        inside = (a <= address and address + size <= a + n for a, n in self.regions.items())
        if not any(inside):
            raise MemoryError(f"{size} bytes at {address:#x} belong to nobody")

    def launch(self, kernel: str, blocks: int, threads: int, arguments: Sequence[int]) -> None:
        """Run a kernel; all its parameters are 64 bits wide."""
        assert kernel in self.kernels
        function = self.functions[kernel]
        assert len(function.parameters) == len(arguments)
        given = [x.to_bytes(8, "little", signed=x < 0) for x in arguments]
        for block in range(blocks):
            for thread in range(threads):
                special = dict(zip(_SPECIAL, (thread, threads, block), strict=True))
                _Frame(self, function, given, special).run()


class _Frame:
    """A function that one thread is in: its registers, parameters and local memory."""

    def __init__(self, machine: Machine, function: Function, given: Sequence[bytes], special: dict):
        self.machine, self.function, self.special = machine, function, special
        self.registers: dict[str, int] = dict(special)
        self.parameters = dict(zip(function.parameters, map(bytearray, given), strict=True))
        self.depots = {}
        for name, size in function.locals:
            memory = ctypes.create_string_buffer(b"\xa5" * size, size)  # never zero by luck
            self.depots[name] = memory
            machine.allow(ctypes.addressof(memory), size)

    def run(self) -> dict[str, bytearray]:
        """Run to the return; the parameters hold what was stored for the caller."""
        at, code = 0, self.function.code
        while code[at].parts[0] != "ret":
            instruction = code[at]
            at += 1
            if not self._holds(instruction.guard):
                continue
            name, operands = instruction.parts[0], instruction.operands
            if name == "bra":
                at = self.function.labels[operands[0]]
            elif name in ("ld", "st"):
                self._access(instruction.parts, operands)
            elif name == "call":
                self._call(operands)
            else:
                self._compute(instruction.parts, operands)
        for memory in self.depots.values():
            self.machine.regions.pop(ctypes.addressof(memory))
        return self.parameters

    def _holds(self, guard: str) -> bool:
        return not guard or self.registers[guard.lstrip("!")] != guard.startswith("!")

    def _value(self, text: str) -> int:
        if text in self.registers:
            return self.registers[text]
        if text in self.depots:
            return ctypes.addressof(self.depots[text])
        if text in self.machine.symbols:
            return self.machine.symbols[text]
        return immediate(text)

    def _call(self, operands: list[str]) -> None:
        results, name, arguments = operands if len(operands) == 3 else ("()", *operands)
        function = self.machine.functions[name]
        words = re.findall(r"[\w$]+", arguments)
        given = [bytes(self.parameters[word]) for word in words]
        frame = _Frame(self.machine, function, given, self.special)
        frame.parameters["func_retval0"] = bytearray(16)
        left = frame.run()
        for word in re.findall(r"\w+", results):
            self.parameters[word] = left["func_retval0"]

    def _access(self, parts: list[str], operands: list[str]) -> None:
        is_load = parts[0] == "ld"
        where, what = (operands[1], operands[0]) if is_load else operands
        names, size = re.findall(r"[^{},\s]+", what), width_of(parts[-1]) // 8
        base, offset = re.fullmatch(r"\[([^+\]]+)\+?(-?\d+)?\]", where).groups()
        for k, name in enumerate(names):
            place = int(offset or 0) + k * size
            if parts[1] == "param":
                memory = self.parameters.setdefault(base, bytearray(16))
                if is_load:
                    self.registers[name] = int.from_bytes(memory[place : place + size], "little")
                else:
                    memory[place : place + size] = self._bytes(name, size)
                continue
            address = self._value(base) + place
            self.machine.check(address, size)
            assert address % size == 0
            if is_load:
                data = ctypes.string_at(address, size)
                self.registers[name] = int.from_bytes(data, "little")
            else:
                ctypes.memmove(address, self._bytes(name, size), size)

    def _bytes(self, name: str, size: int) -> bytes:
        return (self._value(name) & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def _compute(self, parts: list[str], operands: list[str]) -> None:
        target, *sources = operands
        if parts[0] == "mov":
            self._move(parts[-1], target, sources[0])
        elif parts[0] == "setp":
            self.registers[target] = compared(parts, *map(self._value, sources))
        elif parts[0] == "selp":
            a, b, condition = map(self._value, sources)
            self.registers[target] = a if condition else b
        else:
            self.registers[target] = computed(parts, list(map(self._value, sources)))

    def _move(self, kind: str, target: str, source: str) -> None:
        """A register, or the halves of one."""
        half = width_of(kind) // 2
        if target.startswith("{"):
            low, high = re.findall(r"[^{},\s]+", target)
            x = self._value(source)
            self.registers[low], self.registers[high] = x & ((1 << half) - 1), x >> half
        elif source.startswith("{"):
            low, high = map(self._value, re.findall(r"[^{},\s]+", source))
            self.registers[target] = low | high << half
        else:
            self.registers[target] = self._value(source)


@cache
def immediate(text: str) -> int:
    """The bits of a constant."""
    if re.fullmatch(r"0[df][0-9A-F]+", text):
        return int(text[2:], 16)
    number = text.rstrip("U")
    x = int(number, 16) if number.lower().startswith("0x") else int(number)
    assert math.log2(abs(x) + 1) <= 64
    return x
