"""The fast call of a program: a builtin function of Python around compiled code."""

from __future__ import annotations

import contextlib
import ctypes
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ...once import making
from ..codegen.descriptor import Descriptor
from ..codegen.fastcall import FASTCALL, FORM
from .native import CompiledKernel, Shapes, address_of, describe_arrays, publish, runtime
from .numpy_api import array_new_address

_METH_FASTCALL = 0x80


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


class _Described:
    """What a fast call holds on to: a descriptor that is complete once the kernel is made."""

    def __init__(self, shapes: Shapes, make_kernel: Callable[[], CompiledKernel]):
        self.descriptor = Descriptor()
        describe_arrays(self.descriptor, shapes)
        self.make_kernel = make_kernel
        self.kernel: CompiledKernel | None = None
        self.make = self._make  # one object, whose address the record has

    def _make(self) -> None:
        """Complete the descriptor; after an error the ufunc is called instead, and raises it."""
        with contextlib.suppress(Exception), making:
            if self.kernel is None:
                kernel = self.make_kernel()
                self.descriptor.copy(kernel.descriptor)
                self.kernel = kernel
                publish(self.descriptor, "kernel", kernel.descriptor["kernel"])


def fast_call(
    name: str, shapes: Shapes, make_kernel: Callable[[], CompiledKernel]
) -> Callable[..., Any]:
    """A builtin ``fastcall(*inputs, out)`` for single states in the scalar double format.

    It returns ``NotImplemented``, and does nothing, for anything but what
    `polhode.compiler.codegen.fastcall` describes.  It keeps alive what it needs; the kernel
    is made when the first arrays pass its checks.
    """
    float64 = np.dtype(np.float64)
    described = _Described(shapes, make_kernel)
    fields = {
        "program": described.descriptor.address,
        "array_type": id(np.ndarray),
        "float64": id(float64),
        "tuple_type": id(tuple),
        "none": id(None),
        "not_implemented": id(NotImplemented),
        "array_new": array_new_address(),
        "tuple_new": address_of("PyTuple_New"),
        "incref": address_of("Py_IncRef"),
        "decref": address_of("Py_DecRef"),
        "call": address_of("PyObject_CallNoArgs"),
        "make": id(described.make),
    }
    record = struct.pack(f"<{len(FASTCALL)}q", *(fields[field] for field in FASTCALL))
    method = _MethodDef(name.encode(), runtime(FORM).address("fastcall"), _METH_FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), (record, described, method, float64), None)
