"""Calling the solver by address.

A compiled loop that calls another has that one's machine code made again inside itself, and
the solver is much code.  So its doors only pack the addresses of their arrays into a table;
what is behind them is compiled once, on its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from ..jit import jit
from .inlined import inlined
from .rows import Rows

RESTITUTION, X, V, SETTINGS, REPORT = range(17, 22)
TABLE_SIZE = 44


def _call_entry(typingctx, address, table):  # pragma: no cover
    """Call ``int64 entry(int64 table)`` at ``address``."""
    signature = types.int64(types.int64, types.int64)

    def generate(context, builder, signature, args):
        whole = ir.IntType(64)
        function = builder.inttoptr(args[0], ir.FunctionType(whole, [whole]).as_pointer())
        return builder.call(function, [args[1]])

    return signature, generate


def _whole_at(typingctx, address):  # pragma: no cover
    """Pointer to int64 at an address."""

    def generate(context, builder, signature, args):
        return builder.inttoptr(args[0], ir.IntType(64).as_pointer())

    return types.CPointer(types.int64)(types.int64), generate


def _real_at(typingctx, address):  # pragma: no cover
    """Pointer to float64 at an address."""

    def generate(context, builder, signature, args):
        return builder.inttoptr(args[0], ir.DoubleType().as_pointer())

    return types.CPointer(types.float64)(types.int64), generate


# Numba adds the first argument; type checkers cannot know.
call_entry: Any = intrinsic(_call_entry)
whole_at: Any = intrinsic(_whole_at)
real_at: Any = intrinsic(_real_at)


@jit
def knock(address, rows, restitution, x, v, settings, report):
    """Call the solver at ``address``; without one the report is infinity."""
    report[0] = np.inf
    if address == 0.0:
        return np.inf
    table = np.empty(TABLE_SIZE, np.int64)
    whole = (rows.node_dof, rows.node_mass, rows.kind, rows.row, rows.segment, rows.node,
             rows.value, rows.edges)  # fmt: skip
    real = (rows.mass, rows.free, rows.jacobian, rows.bias, rows.compliance, rows.mu,
            rows.widening, rows.lower, rows.upper, restitution, x, v, settings, report)  # fmt: skip
    i = 0
    for array in whole:
        table[i], table[i + 1] = array.ctypes.data, array.size
        i += 2
    for array in real:
        table[i], table[i + 1] = array.ctypes.data, array.size
        i += 2
    call_entry(np.int64(address), table.ctypes.data)
    return report[0]


@jit
def whole_array(table, i):
    """The array of integers that entry ``i`` of the table tells of."""
    return carray(whole_at(table[2 * i]), table[2 * i + 1])


@jit
def real_array(table, i):
    """The array of numbers that entry ``i`` of the table tells of."""
    return carray(real_at(table[2 * i]), table[2 * i + 1])


@inlined
def unpack(address):
    """Rows, restitution, impulses, velocities, settings and report behind a table."""
    table = carray(whole_at(address), TABLE_SIZE)
    rows = Rows(
        node_dof=whole_array(table, 0),
        node_mass=whole_array(table, 1),
        mass=real_array(table, 8),
        free=real_array(table, 9),
        kind=whole_array(table, 2),
        row=whole_array(table, 3),
        segment=whole_array(table, 4),
        node=whole_array(table, 5),
        value=whole_array(table, 6),
        jacobian=real_array(table, 10),
        bias=real_array(table, 11),
        compliance=real_array(table, 12),
        mu=real_array(table, 13),
        widening=real_array(table, 14),
        edges=whole_array(table, 7),
        lower=real_array(table, 15),
        upper=real_array(table, 16),
    )
    return (
        rows, real_array(table, RESTITUTION), real_array(table, X), real_array(table, V),
        real_array(table, SETTINGS), real_array(table, REPORT),
    )  # fmt: skip
