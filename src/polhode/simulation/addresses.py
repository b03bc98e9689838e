"""Calls by address from compiled loops: machine-code programs, and callbacks into Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import extending, types


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Numba's decorator, for checkers of types: callers do not give the typing context."""
    return extending.intrinsic(function)


@intrinsic
def call_loop(typingctx, address, arguments, dims, steps, data):  # pragma: no cover
    """Call a program's inner loop, ``loop(args, dims, steps, data)``, all given as integers."""
    signature = types.void(*[types.int64] * 5)

    def generate(context, builder, signature, args):
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer] * 4)
        function = builder.inttoptr(args[0], kind.as_pointer())
        builder.call(function, [builder.inttoptr(x, pointer) for x in args[1:]])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def call_back(typingctx, address, stage):  # pragma: no cover
    """Call ``function(stage)`` of C's calling convention, given by its address."""
    signature = types.void(types.int64, types.int64)

    def generate(context, builder, signature, args):
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), [args[1]])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def call_entry(typingctx, address, first, second):  # pragma: no cover
    """Call an `Entry` of two integers."""
    signature = types.int64(*[types.int64] * 3)

    def generate(context, builder, signature, args):
        integer = ir.IntType(64)
        kind = ir.FunctionType(integer, [integer, integer])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return signature, generate


@intrinsic
def pointer_at(typingctx, address):  # pragma: no cover
    """An address as a pointer."""

    def generate(context, builder, signature, args):
        return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.int64), generate
