"""The arrays of one call: lent by others or copied to the device, and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ShapeError
from .array import DeviceArray
from .dlpack import ArrayView, view
from .driver import call, context
from .launch import Operand, leading_axes


class CallArrays:
    """The arrays of one call, and where they lie.

    Attributes
    ----------
    device, stream : int
    layout : str
        Of new arrays.
    dtype : numpy.dtype
        Of all arrays, known from the inputs.
    """

    def __init__(self, device: int, stream: int, layout: str):
        self.device: int = device
        self.stream: int = stream
        self.layout: str = layout
        self.dtype: np.dtype = np.dtype(np.float64)
        self._copies: list[DeviceArray] = []

    def inputs(self, arrays: Sequence[Any], names: Mapping[str, tuple[int, ...]]) -> list[Operand]:
        """The inputs in the device's memory."""
        given = [self._lent(x) for x in arrays]
        types = {x.dtype for x in given if isinstance(x, ArrayView)} or {x.dtype for x in given}
        self.dtype = np.dtype(np.float32 if types == {np.dtype(np.float32)} else np.float64)
        made = []
        for x, (name, core) in zip(given, names.items(), strict=True):
            lent = x if isinstance(x, ArrayView) else self._copied(x, name, core)
            made.append(self._operand(name, core, lent))
        return made

    def outputs(
        self, out: Any, batch: tuple[int, ...], shapes: Sequence[tuple[int, ...]]
    ) -> list[Operand]:
        """The outputs: new ones, or those that the caller has."""
        if out is None:
            new = [DeviceArray.new(batch, core, self) for core in shapes]
            return [Operand("out", c, x.view()) for c, x in zip(shapes, new, strict=True)]
        given = out if isinstance(out, tuple) else (out,)
        if len(given) != len(shapes):
            raise TypeError(f"expected {len(shapes)} arrays in out, got {len(given)}")
        made = []
        for k, (x, core) in enumerate(zip(given, shapes, strict=True)):
            name, lent = f"out[{k}]" if isinstance(out, tuple) else "out", self._lent(x)
            if not isinstance(lent, ArrayView):
                raise TypeError(f"expected {name} in the device's memory, got an array of the host")
            if lent.shape != batch + core:
                raise ShapeError(f"expected {name} of shape {batch + core}, got {lent.shape}")
            made.append(self._operand(name, core, lent))
        return made

    def close(self) -> None:
        """Wait for the stream if it reads copies that nobody else keeps."""
        if self._copies:
            with context(self.device):
                call("cuStreamSynchronize", self.stream)

    def _lent(self, x: Any) -> ArrayView | np.ndarray:
        """The memory of an array of the device, or an array of the host."""
        if isinstance(x, (np.ndarray, np.generic, int, float, list, tuple)):
            return np.asarray(x)
        lent = view(x, self.stream)
        return lent if lent.on_device else np.from_dlpack(x)

    def _copied(self, x: np.ndarray, name: str, core: tuple[int, ...]) -> ArrayView:
        """An array of the host, copied."""
        copy = DeviceArray.new(leading_axes(name, core, x.shape), core, self)
        copy.fill(x.astype(self.dtype, copy=False))
        self._copies.append(copy)
        return copy.view()

    def _operand(self, name: str, core: tuple[int, ...], lent: ArrayView) -> Operand:
        leading_axes(name, core, lent.shape)
        if lent.device != self.device:
            raise TypeError(f"expected {name} on device {self.device}, got device {lent.device}")
        if lent.dtype != self.dtype:
            raise TypeError(f"expected {name} of {self.dtype} like the others, got {lent.dtype}")
        return Operand(name, core, lent)
