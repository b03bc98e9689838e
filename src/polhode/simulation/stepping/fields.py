"""The arrays of a scene as seen from compiled loops: ``s.velocity`` and the like.

A compiled loop gets one pointer, to a table of addresses and lengths; an attribute is the
array (or number) there.  That keeps functions of a hundred arrays as quick to compile and to
call as functions of one.  Nothing is counted or owned here: `Fields` holds the arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)
from numba.core.typing.templates import AttributeTemplate
from numba.np.arrayobj import make_array, populate_array

from ..addresses import intrinsic

_KINDS = {"f": (types.float64, float), "i": (types.int64, np.int64), "b": (types.uint8, np.uint8)}
_SLOT = 4  # integers of a field in the table: address and up to three lengths

FIELDS: dict[str, str] = {
    # nodes: n of them
    "dof": "i1", "place": "i1", "mass_at": "i1", "first_body": "i1", "machine": "i1",
    "body_mass": "f1", "inertia": "f3", "inverse": "f3", "is_round": "b1", "pull": "f2",
    "body_node": "i1", "keep": "f1",
    # programs of machines
    "loop": "i2", "loop_data": "i2", "arguments": "i3", "steps": "i3", "supports": "b2",
    "balls": "i2", "ball_start": "i1", "is_line": "b1",
    # forces and joints
    "drag_body": "i1", "drag": "f2", "push_body": "i1", "push": "f2", "viscous": "f1",
    "limit_dof": "i1", "limit_place": "i1", "limit_lower": "f1", "limit_upper": "f1",
    "limit_restitution": "f1", "friction_dof": "i1", "friction": "f1", "dof_node": "i1",
    # loops and gears
    "loop_a": "i1", "loop_b": "i1", "frame_a": "f2", "frame_b": "f2", "pitch": "f1",
    "loop_rows": "i2", "gear_dof": "i2", "gear_place": "i2", "gear_ratio": "f1",
    "gear_constant": "f1",
    # geometries
    "surface_body": "i1", "surface_pose": "f2", "surface_reach": "f1", "belt": "f2",
    "family": "i1", "rule_of": "i2", "rules": "f2", "may_touch": "b2", "shape_data": "f1",
    "shape_offset": "i1",
    # options
    "nominal": "f0", "min_step": "f0", "thresh": "f0", "margin": "f0", "slop": "f0",
    "loop_slop": "f0", "push_out": "f0", "max_minis": "i0", "projections": "i0", "method": "i0",
    "hook": "i0", "solver": "f1", "collider": "i0",
    # state, and work arrays
    "position": "f1", "velocity": "f1", "trial": "f1", "free": "f1", "nought": "f1",
    "force": "f1", "tau": "f1", "wrench": "f2", "pose": "f2", "mass": "f1", "factor": "f1",
    "bias": "f1", "axes": "f2", "share": "f1", "rotation": "f3", "origin": "f2", "order": "i1",
    "work": "f2", "coupling": "f1", "exchange": "i1", "counters": "i1", "totals": "f1",
}  # fmt: skip
_INDEX = {name: k for k, name in enumerate(FIELDS)}


class Fields:
    """The arrays of a scene, by the names of `FIELDS`, for Python and for compiled loops."""

    def __init__(self, **arrays: Any):
        self._arrays: dict[str, np.ndarray] = {}
        self.table = np.zeros(_SLOT * len(FIELDS), np.int64)
        self.address = self.table.ctypes.data
        for name in FIELDS:
            self._put(name, arrays.pop(name))
        if arrays:
            raise TypeError(f"unknown fields {sorted(arrays)}")

    def _put(self, name: str, value: Any) -> None:
        kind, ndim = FIELDS[name][0], int(FIELDS[name][1])
        array = np.require(np.asarray(value, _KINDS[kind][1]), None, ["C", "A", "W"])
        if array.ndim != ndim:
            raise TypeError(f"expected {ndim} axes of {name}, got {array.ndim}")
        self._arrays[name] = array
        at = _SLOT * _INDEX[name]
        self.table[at] = array.ctypes.data
        self.table[at + 1 : at + 1 + ndim] = array.shape

    def __getattr__(self, name: str) -> np.ndarray:
        try:
            return self.__dict__["_arrays"][name]
        except KeyError:
            raise AttributeError(name) from None


class _FieldsType(types.Type):
    def __init__(self) -> None:
        super().__init__("polhode.Fields")


_FIELDS_TYPE = _FieldsType()


@typeof_impl.register(Fields)
def _typeof(value, context):
    return _FIELDS_TYPE


@register_model(_FieldsType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, ir.IntType(64))


@unbox(_FieldsType)
def _unbox(typ, obj, c):
    address = c.pyapi.object_getattr_string(obj, "address")
    value = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(value, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class _Attributes(AttributeTemplate):
    key = _FieldsType

    def generic_resolve(self, typ, attr):
        if attr not in FIELDS:
            return None
        element, ndim = _KINDS[FIELDS[attr][0]][0], int(FIELDS[attr][1])
        return types.Array(element, ndim, "C") if ndim else element


@lower_getattr_generic(_FieldsType)
def _getattr(context, builder, typ, value, attr):
    integer = ir.IntType(64)
    table = builder.inttoptr(value, integer.as_pointer())
    element, ndim = _KINDS[FIELDS[attr][0]][0], int(FIELDS[attr][1])
    loads = [
        builder.load(builder.gep(table, [integer(_SLOT * _INDEX[attr] + k)]))
        for k in range(1 + ndim)
    ]
    data = builder.inttoptr(loads[0], context.get_data_type(element).as_pointer())
    if not ndim:
        return builder.load(data)
    kind = types.Array(element, ndim, "C")
    array = make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(element))
    strides, stride = [], integer(size)
    for length in reversed(loads[1:]):
        strides.insert(0, stride)
        stride = builder.mul(stride, length)
    populate_array(
        array, data=data, shape=loads[1:], strides=strides, itemsize=integer(size), meminfo=None
    )
    return array._getvalue()


@intrinsic
def address_of(typingctx, fields):  # pragma: no cover
    """The address behind `Fields`."""
    return types.int64(_FIELDS_TYPE), lambda context, builder, signature, args: args[0]


@intrinsic
def fields_at(typingctx, address):  # pragma: no cover
    """`Fields` from their address."""
    return _FIELDS_TYPE(types.int64), lambda context, builder, signature, args: args[0]
