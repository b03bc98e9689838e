"""Arrays of other libraries, and ours for them: DLPack capsules read and made."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

CPU, CUDA = 1, 2
_HOSTS = (CPU, 3)  # 3: host memory that a device reaches
_DEVICES = (CUDA, 13)  # 13: managed memory
_KINDS = {"f": 2, "i": 0, "u": 1}


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _Device),
        ("ndim", ctypes.c_int32),
        ("dtype", _Type),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    _fields_ = [
        ("tensor", _Tensor),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_NAME = b"dltensor"  # of a capsule whose tensor nobody has taken yet


def _python(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_new = _python("PyCapsule_New", ctypes.py_object, *[ctypes.c_void_p] * 3)
# Capsules by address: one that is being destroyed must not be counted as used again.
_is_valid = _python("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_pointer = _python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)


@dataclass
class ArrayView:
    """Where an array lies; strides count numbers, not bytes.

    Attributes
    ----------
    address : int
    shape, strides : tuple of int
    dtype : numpy.dtype
    on_device : bool
    device : int
        Number of the device.
    owner : object
        Keeps the memory.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype
    on_device: bool
    device: int
    owner: Any = field(repr=False, default=None)


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of an array without gaps, in numbers."""
    strides, step = [], 1
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


def view(x: Any, stream: int | None) -> ArrayView:
    """The memory of an array that offers DLPack or the CUDA array interface.

    Parameters
    ----------
    x : object
    stream : int or None
        Where it will be used: its owner sees to it that the data are ready there.

    Raises
    ------
    TypeError
        If it offers neither, or holds numbers that no program takes.
    """
    if hasattr(x, "__dlpack__"):
        on_device = x.__dlpack_device__()[0] in _DEVICES
        return _opened(x.__dlpack__(stream=stream or 1) if on_device else x.__dlpack__())
    if hasattr(x, "__cuda_array_interface__"):
        return _of_interface(x)
    raise TypeError(f"expected an array that offers DLPack, got {type(x).__name__}")


def _opened(capsule: Any) -> ArrayView:
    tensor = _Managed.from_address(_pointer(id(capsule), _NAME)).tensor
    kind, bits, lanes = tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes
    letter = next((k for k, code in _KINDS.items() if code == kind), None)
    if letter is None or lanes != 1 or bits % 8 or tensor.device.type not in _HOSTS + _DEVICES:
        raise TypeError(
            f"expected numbers in memory of the host or a CUDA device, got DLPack type "
            f"{kind} of {bits} bits on a device of type {tensor.device.type}"
        )
    shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
    strides = tuple(tensor.strides[k] for k in range(tensor.ndim)) if tensor.strides else None
    return ArrayView(
        (tensor.data or 0) + tensor.byte_offset,
        shape,
        row_major(shape) if strides is None else strides,
        np.dtype(f"{letter}{bits // 8}"),
        tensor.device.type in _DEVICES,
        tensor.device.id,
        capsule,  # unused: its own destructor gives the memory back
    )


def _of_interface(x: Any) -> ArrayView:
    offer = x.__cuda_array_interface__
    shape, dtype = tuple(offer["shape"]), np.dtype(offer["typestr"])
    steps = offer.get("strides")
    strides = row_major(shape) if steps is None else tuple(n // dtype.itemsize for n in steps)
    return ArrayView(offer["data"][0], shape, strides, dtype, True, 0, x)


class _Lent:
    """A capsule's tensor and what it refers to."""

    def __init__(self, source: ArrayView):
        n = len(source.shape)
        self.owner = source.owner
        self.shape = (ctypes.c_int64 * n)(*source.shape)
        self.strides = (ctypes.c_int64 * n)(*source.strides)
        self.managed = _Managed()
        tensor = self.managed.tensor
        tensor.data = source.address
        tensor.device = _Device(CUDA if source.on_device else CPU, source.device)
        tensor.ndim = n
        tensor.dtype = _Type(_KINDS[source.dtype.kind], 8 * source.dtype.itemsize, 1)
        tensor.shape = ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64))
        tensor.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64))
        self.managed.deleter = ctypes.cast(_give_back, ctypes.c_void_p)


_lent: dict[int, _Lent] = {}  # by address of the tensor, until its taker gives it back


@_Deleter
def _give_back(address: int) -> None:
    _lent.pop(address, None)


@_Deleter
def _drop_capsule(capsule: int) -> None:
    """The destructor of a capsule: if nobody took the tensor, it goes with it."""
    if _is_valid(capsule, _NAME):
        _give_back(_pointer(capsule, _NAME))


def capsule(source: ArrayView) -> Any:
    """A DLPack capsule of an array; its memory is kept until the taker is done."""
    lent = _Lent(source)
    address = ctypes.addressof(lent.managed)
    _lent[address] = lent
    name = ctypes.cast(ctypes.c_char_p(_NAME), ctypes.c_void_p)
    return _new(address, name, ctypes.cast(_drop_capsule, ctypes.c_void_p))
