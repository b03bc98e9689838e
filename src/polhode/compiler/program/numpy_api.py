"""NumPy's C interface by ctypes: making a gufunc from addresses, without an extension module."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Sequence
from importlib import import_module

import numpy as np

from ...once import once

_UFUNC_FROM_SIGNATURE = 31  # PyUFunc_FromFuncAndDataAndSignature
_ARRAY_NEW = 93  # PyArray_New
_TYPE_NUMBERS = {"f32": 11, "f64": 12}
_OBJECT_HEADER = object.__basicsize__
# PyUFuncObject after its header: int nin, nout, nargs, identity; void **functions, **data;
# int ntypes, reserved; char *name, *types, *doc; void *ptr; PyObject *obj.
_UFUNC_KEEPS = _OBJECT_HEADER + 4 * 4 + 2 * 8 + 2 * 4 + 4 * 8


def _table(capsule: object) -> ctypes.Array:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(get(capsule, None), ctypes.POINTER(ctypes.c_void_p))  # type: ignore


@once
def _umath():
    return import_module("numpy._core._multiarray_umath")


@once
def _make_ufunc():
    address = _table(_umath()._UFUNC_API)[_UFUNC_FROM_SIGNATURE]
    pointer, integer, text = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    kinds = [pointer] * 3 + [integer] * 4 + [text, text, integer, text]
    return ctypes.PYFUNCTYPE(ctypes.py_object, *kinds)(address)


def array_new_address() -> int:
    """Address of ``PyArray_New``."""
    return _table(_umath()._ARRAY_API)[_ARRAY_NEW]


def gufunc(
    name: str,
    signature: str,
    n_inputs: int,
    n_outputs: int,
    loops: Sequence[tuple[str, int, int]],
    keep: object,
) -> np.ufunc:
    """A ufunc over loops that lie at given addresses.

    Parameters
    ----------
    name, signature : str
        Its name, and its core shapes as NumPy writes them.
    n_inputs, n_outputs : int
    loops : sequence of (dtype, function, data)
        Number type, address of the loop and of what it gets as ``data``.
    keep : object
        Kept alive by the ufunc: the owner of the addresses.
    """
    n_arrays = n_inputs + n_outputs
    functions = (ctypes.c_void_p * len(loops))(*(function for _, function, _ in loops))
    data = (ctypes.c_void_p * len(loops))(*(data for _, _, data in loops))
    numbers = bytes(_TYPE_NUMBERS[dtype] for dtype, _, _ in loops for _ in range(n_arrays))
    types = ctypes.create_string_buffer(numbers, len(numbers))
    name_bytes, doc = name.encode(), f"Compiled code of {name}.".encode()
    ufunc = _make_ufunc()(
        ctypes.addressof(functions),
        ctypes.addressof(data),
        ctypes.addressof(types),
        len(loops),
        n_inputs,
        n_outputs,
        -1,
        name_bytes,
        doc,
        0,
        signature.encode(),
    )
    kept = (keep, functions, data, types, name_bytes, doc)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    ctypes.c_void_p.from_address(id(ufunc) + _UFUNC_KEEPS).value = id(kept)
    if not gc.is_tracked(ufunc):  # NumPy does it where a ufunc keeps something
        ctypes.pythonapi.PyObject_GC_Track(ctypes.py_object(ufunc))
    return ufunc
