"""Arrays in a device's memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from .dlpack import CUDA, ArrayView, capsule, row_major
from .driver import call, context

LAYOUTS = ("rows", "columns")


class ArrayPlacement(Protocol):
    """Where new arrays lie, and which stream writes them."""

    device: int
    stream: int
    layout: str
    dtype: np.dtype


class DeviceArray:
    """An array in a device's memory, which other libraries take over by DLPack.

    ``torch.from_dlpack(x)``, ``cupy.from_dlpack(x)`` and ``jax.dlpack.from_dlpack(x)`` share
    its memory; ``x.numpy()`` copies it to the host.

    Parameters
    ----------
    shape : sequence of int
    dtype : numpy.dtype
    device : int
    stream : int
        The handle of the stream that writes it.
    strides : sequence of int, optional
        In numbers; row-major by default.

    Attributes
    ----------
    shape, strides : tuple of int
    dtype : numpy.dtype
    device : int
    address : int
    """

    def __init__(
        self,
        shape: Sequence[int],
        dtype: Any,
        device: int,
        stream: int,
        strides: Sequence[int] | None = None,
    ):
        self.shape: tuple[int, ...] = tuple(shape)
        self.dtype: np.dtype = np.dtype(dtype)
        self.strides: tuple[int, ...] = row_major(self.shape) if strides is None else tuple(strides)
        self.device: int = device
        self._stream = stream
        self.address = 0
        if self.nbytes:
            with context(device):
                self.address: int = int(call("cuMemAlloc", self.nbytes))

    @classmethod
    def new(
        cls, batch: tuple[int, ...], core: tuple[int, ...], place: ArrayPlacement
    ) -> DeviceArray:
        """An array of states: each together, or each entry of all states together."""
        if place.layout == "rows":
            return cls(batch + core, place.dtype, place.device, place.stream)
        steps = row_major(core + batch)
        strides = steps[len(core) :] + steps[: len(core)]
        return cls(batch + core, place.dtype, place.device, place.stream, strides)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def view(self) -> ArrayView:
        """Its memory, as a kernel takes it."""
        return ArrayView(
            self.address, self.shape, self.strides, self.dtype, True, self.device, self
        )

    def fill(self, x: np.ndarray) -> None:
        """Copy an array of the same shape and type from the host."""
        if self.nbytes:
            source = _in_order_of(self.strides, x)
            with context(self.device):
                data = source.ctypes.data
                call("cuMemcpyHtoDAsync", self.address, data, self.nbytes, self._stream)
                call("cuStreamSynchronize", self._stream)

    def numpy(self) -> np.ndarray:
        """A copy on the host, when the stream has written it."""
        memory = np.empty(int(np.prod(self.shape, dtype=np.int64)), self.dtype)
        if self.nbytes:
            with context(self.device):
                target = memory.ctypes.data
                call("cuMemcpyDtoHAsync", target, self.address, self.nbytes, self._stream)
                call("cuStreamSynchronize", self._stream)
        strides = [n * self.dtype.itemsize for n in self.strides]
        return np.ascontiguousarray(np.lib.stride_tricks.as_strided(memory, self.shape, strides))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array on a device must be copied")
        x = self.numpy()
        return x if dtype is None else x.astype(dtype, copy=False)

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.device

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> Any:
        """A capsule for another library, whose ``stream`` then waits for ours."""
        if stream != -1 and (stream or 1) != (self._stream or 1):
            with context(self.device):
                event = call("cuEventCreate", 0)
                call("cuEventRecord", event, self._stream)
                call("cuStreamWaitEvent", stream or 1, event, 0)
                call("cuEventDestroy", event)
        return capsule(self.view())

    def __del__(self) -> None:
        if getattr(self, "address", 0):
            try:
                with context(self.device):
                    call("cuMemFree", self.address)  # which waits for the device
            except Exception:
                return  # the process ends, and the driver has gone before us

    def __repr__(self) -> str:
        return f"<DeviceArray {self.shape} {self.dtype} on device {self.device}>"


def _in_order_of(strides: Sequence[int], x: np.ndarray) -> np.ndarray:
    """``x`` without gaps, its axes by falling stride."""
    order = sorted(range(x.ndim), key=lambda k: -strides[k])
    return np.ascontiguousarray(x.transpose(order))
