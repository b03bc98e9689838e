"""A driver without a device: its memory is the host's, its threads are those of `ptx_machine`."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np

from export.ptx_machine import Machine
from polhode.cuda.dlpack import ArrayView, capsule

NO_MEMORY = 2
OTHER_STREAM = 77


class Driver:
    """The functions of the driver that polhode calls, with a list of those it called."""

    CUresult = SimpleNamespace(CUDA_ERROR_OUT_OF_MEMORY=NO_MEMORY)

    def __init__(self, memory: int = 1 << 24):
        self.left = memory
        self.calls: list[tuple] = []
        self.buffers: dict[int, Any] = {}
        self.depth = 0

    def __getattr__(self, name: str) -> Any:
        """A function that is only noted: contexts, streams, events."""
        if not name.startswith("cu"):
            raise AttributeError(name)

        def noted(*arguments: Any) -> tuple:
            self.calls.append((name, *arguments))
            return 0, f"{name} made this"

        return noted

    def names(self) -> list[str]:
        """Names of the functions called."""
        return [call[0] for call in self.calls]

    def cuDeviceGetCount(self) -> tuple:
        return 0, 1

    def cuCtxPushCurrent(self, context: Any) -> tuple:
        self.depth += 1
        return (0,)

    def cuCtxPopCurrent(self) -> tuple:
        self.depth -= 1
        return 0, None

    def cuGetErrorString(self, status: int) -> tuple:
        return 0, b"out of memory" if status == NO_MEMORY else b"something else"

    def cuMemAlloc(self, size: int) -> tuple:
        assert self.depth and size
        if size > self.left:
            return NO_MEMORY, None
        self.left -= size
        memory = ctypes.create_string_buffer(b"\x5a" * size, size)
        self.buffers[ctypes.addressof(memory)] = memory
        return 0, ctypes.addressof(memory)

    def cuMemFree(self, address: int) -> tuple:
        assert self.depth
        self.left += len(self.buffers.pop(address))
        return (0,)

    def cuMemcpyHtoDAsync(self, target: int, source: int, size: int, stream: int) -> tuple:
        assert self.depth and len(self.buffers[target]) == size
        ctypes.memmove(target, source, size)
        return (0,)

    def cuMemcpyDtoHAsync(self, target: int, source: int, size: int, stream: int) -> tuple:
        assert self.depth and len(self.buffers[source]) == size
        ctypes.memmove(target, source, size)
        return (0,)

    def cuModuleLoadData(self, text: int) -> tuple:
        self.calls.append(("cuModuleLoadData",))
        return 0, Machine(ctypes.string_at(text).decode())

    def cuModuleGetFunction(self, module: Machine, name: bytes) -> tuple:
        return 0, (module, name.decode())

    def cuLaunchKernel(self, function: tuple, *more: int) -> tuple:
        """Run every thread; arrays of others are reached through `Foreign`."""
        gx, gy, gz, bx, by, bz, shared, stream, table, extra = more
        assert self.depth and (gy, gz, by, bz, shared, extra) == (1, 1, 1, 1, 0, 0)
        self.calls.append(("cuLaunchKernel", stream, gx, bx))
        machine, name = function
        n = len(machine.functions[name].parameters)
        places = (ctypes.c_uint64 * n).from_address(table)
        values = [ctypes.c_int64.from_address(place).value for place in places]
        own = dict(machine.regions)
        for address, memory in (*self.buffers.items(), *Foreign.memory.items()):
            machine.allow(address, len(memory))
        machine.launch(name, gx, bx, values)
        machine.regions = own
        return (0,)


class Foreign:
    """An array of another library on the device: a view of host memory, offered by DLPack."""

    memory: dict[int, Any] = {}  # noqa: RUF012

    def __init__(self, x: np.ndarray, device: int = 0):
        self.x, self.device, self.streams = x, device, []
        base = x
        while base.base is not None:
            base = base.base
        self.memory[base.ctypes.data] = base.reshape(-1).view(np.uint8)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.device

    def __dlpack__(self, stream: int | None = None) -> Any:
        self.streams.append(stream)
        strides = tuple(s // self.x.itemsize for s in self.x.strides)
        data = self.x.ctypes.data
        return capsule(
            ArrayView(data, self.x.shape, strides, self.x.dtype, True, self.device, self)
        )


class OnlyInterface:
    """An array of another library that has the CUDA array interface only."""

    def __init__(self, x: np.ndarray):
        self.foreign = Foreign(x)
        self.__cuda_array_interface__ = {
            "shape": x.shape,
            "typestr": x.dtype.str,
            "data": (x.ctypes.data, False),
            "strides": None if x.flags.c_contiguous else x.strides,
            "version": 3,
        }
