"""The fast door of a program: a builtin function of Python around compiled code."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ..codegen.door import DOOR
from .native import Kernel, address_of, runtime
from .numpy_api import array_new_address

_METH_FASTCALL = 0x80


class _MethodDef(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    ]


def fast_door(name: str, kernel: Kernel) -> Callable[..., Any]:
    """A builtin ``door(*inputs, out)`` for single states in the scalar double format.

    It returns ``NotImplemented``, and does nothing, for anything but what
    `polhode.compiler.codegen.door` describes.  It keeps the kernel alive.
    """
    float64 = np.dtype(np.float64)
    fields = {
        "program": kernel.descriptor.address,
        "array_type": id(np.ndarray),
        "float64": id(float64),
        "tuple_type": id(tuple),
        "none": id(None),
        "not_implemented": id(NotImplemented),
        "array_new": array_new_address(),
        "tuple_new": address_of("PyTuple_New"),
        "incref": address_of("Py_IncRef"),
        "decref": address_of("Py_DecRef"),
    }
    record = struct.pack(f"<{len(DOOR)}q", *(fields[field] for field in DOOR))
    method = _MethodDef(name.encode(), runtime(kernel.form).address("door"), _METH_FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), (record, kernel, method, float64), None)
