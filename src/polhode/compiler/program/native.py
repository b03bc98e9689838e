"""Machine code of programs: compiled or read from the cache, loaded, described to drivers."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...once import once
from ..codegen.descriptor import Descriptor
from ..codegen.fastcall import FORM
from ..codegen.kept_memory import KeptMemory
from ..codegen.layout import BufferLayout
from ..codegen.llvm import LIBRARY
from ..codegen.machine import Engine, Format, compile_ir, cpu_identity
from ..codegen.runtime import runtime_ir
from . import cache as disk


def entry_name(key: bytes, form: Format, what: str) -> str:
    """Name of the cache entry of ``what`` for ``key`` in a format on this processor."""
    return disk.digest(
        key, disk.source_fingerprint(), cpu_identity(), f"{form.dtype} {form.lanes} {what}"
    )


class Runtime:
    """Loops and elementary functions of one format, loaded once in a process."""

    def __init__(self, form: Format):
        name = entry_name(b"", form, "runtime")
        _, data = disk.found_or_made(name, lambda: ({}, compile_ir(runtime_ir(form), tidy=True)))
        self._engine = Engine(data)
        self.library: ctypes.Array[ctypes.c_void_p] = (ctypes.c_void_p * len(LIBRARY))(
            *map(self._engine.address, LIBRARY)
        )
        self.loop: int = self._engine.address("loop")

    def address(self, symbol: str) -> int:
        """Address of a function of the runtime."""
        return self._engine.address(symbol)


@once
def runtime(form: Format) -> Runtime:
    """The runtime of a format, which lives as long as the process."""
    return Runtime(form)


def publish(descriptor: Descriptor, field: str, value: int) -> None:
    """Enter an address in a field after all else: compiled code looks there without a lock."""
    _publish()(descriptor.place(field), value)


@once
def _publish() -> Callable[[int, int], None]:
    address = runtime(FORM).address("publish")
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(address)


@dataclass(frozen=True)
class Facts:
    """What is kept of a kernel beside its code.

    What drivers need to know of its `BufferLayout`, and the bytes of each object of code.
    """

    first: list[int]
    trig: list[int]
    trig_slot: int
    outputs: list[int]
    constants: list[tuple[int, float]]
    n_slots: int
    sizes: list[int]

    @classmethod
    def of(cls, layout: BufferLayout, objects: Sequence[bytes]) -> Facts:
        """The facts of a finished layout and its code."""
        return cls(
            layout.first,
            layout.trig,
            layout.trig_slot,
            layout.outputs,
            layout.constants,
            layout.n_slots,
            [len(data) for data in objects],
        )

    def plain(self) -> dict[str, Any]:
        """As JSON can hold it; constants as hexadecimal text, which keeps NaN and infinities."""
        return asdict(self) | {"constants": [(slot, x.hex()) for slot, x in self.constants]}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Facts:
        """The inverse of `plain`."""
        constants = [(slot, float.fromhex(x)) for slot, x in plain["constants"]]
        facts: dict[str, Any] = plain | {"constants": constants}
        return cls(**facts)


def address_of(name: str) -> int:
    """Address of a function of Python's C interface."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


class CompiledKernel:
    """One program in one format: its code in memory, and its descriptor."""

    def __init__(self, form: Format, data: bytes, facts: Facts, shapes: Shapes):
        self.form: Format = form
        self.facts: Facts = facts
        self._engine = Engine(*disk.split(data, facts.sizes))
        self._runtime = runtime(form)
        self._memory = KeptMemory()
        self.descriptor: Descriptor = self._describe(shapes)

    def _describe(self, shapes: Shapes) -> Descriptor:
        facts, form = self.facts, self.form
        d = Descriptor()
        describe_arrays(d, shapes, facts.first)
        d["kernel"], d["loop"] = self._engine.address("kernel"), self._runtime.loop
        d["library"] = ctypes.addressof(self._runtime.library)
        d["buffer_bytes"] = (facts.n_slots * form.slot + 63) // 64 * 64
        d["n_trig"], d["trig"] = len(facts.trig), d.table(facts.trig)
        d["trig_slot"] = facts.trig_slot
        pairs = [v for slot, x in facts.constants for v in (slot, _bits(x))]
        d["n_constants"], d["constants"] = len(facts.constants), d.table(pairs)
        d["output_slots"] = d.table(facts.outputs)
        d["allocate"], d["release"] = address_of("PyMem_RawMalloc"), address_of("PyMem_RawFree")
        d["allocate_zeros"], d["kept"] = address_of("PyMem_RawCalloc"), self._memory.address
        give_interpreter(d)
        return d


def _bits(x: float) -> int:
    return struct.unpack("<q", struct.pack("<d", x))[0]


@dataclass(frozen=True)
class Shapes:
    """Core shapes of a program's arrays."""

    inputs: tuple[tuple[int, ...], ...]
    outputs: tuple[tuple[int, ...], ...]

    @property
    def all(self) -> tuple[tuple[int, ...], ...]:
        """Inputs, then outputs."""
        return self.inputs + self.outputs

    def signature(self) -> str:
        """As NumPy writes it, with fixed lengths: ``(9),(9,6)->(9)``; ``z`` is a length of 0."""

        def text(shapes: Sequence[Sequence[int]]) -> str:
            return ",".join("(" + ",".join(str(n or "z") for n in s) + ")" for s in shapes)

        return f"{text(self.inputs)}->{text(self.outputs)}"


def give_interpreter(d: Descriptor) -> None:
    """Enter what drivers need of Python's C interface: its lock, its errors, and calls."""
    d["no_memory"], d["has_error"] = address_of("PyErr_NoMemory"), address_of("PyErr_Occurred")
    d["take_gil"] = address_of("PyGILState_Ensure")
    d["give_gil"] = address_of("PyGILState_Release")
    d["call"], d["decref"] = address_of("PyObject_CallNoArgs"), address_of("Py_DecRef")


def describe_arrays(d: Descriptor, shapes: Shapes, first: Sequence[int] = ()) -> None:
    """Enter the core shapes of all arrays, and the first slots of inputs where known."""
    records, stride, element, output = [], 0, 0, 0
    n_inputs = len(shapes.inputs)
    for k, shape in enumerate(shapes.all):
        is_input, size = k < n_inputs, math.prod(shape)
        slot = first[k] if is_input and first else 0
        records.append(
            {
                "size": size,
                "n_axes": len(shape),
                "shape": d.table(shape),
                "first": slot if is_input else output,
                "stride": stride,
                "element": element,
            }
        )
        stride, element = stride + len(shape), element + size
        output += 0 if is_input else size
    d["n_inputs"], d["n_outputs"] = n_inputs, len(shapes.outputs)
    d["arguments"], d["n_elements"] = d.arguments(records), element
