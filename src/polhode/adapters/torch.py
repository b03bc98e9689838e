"""Programs as differentiable functions of PyTorch tensors.

Not supported: complex tensors, and computing on a GPU (tensors there are copied here and back).
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ..compiler import Program
from .derivatives import Differentiated, Shape

Tensor = Any  # a torch.Tensor


def to_torch(program: Program) -> Callable[..., Any]:
    """Return ``program`` as a function of tensors.

    Parameters
    ----------
    program : Program
        As `polhode.compile` makes it.

    Returns
    -------
    function : callable
        One tensor, array or number for each input, with any leading batch axes, which broadcast.
        Returns the results of the program as tensors.  They are float32 if all tensors are, else
        float64.

    Notes
    -----
    A `torch.autograd.Function` whose backward is ``program.vjp``, differentiable any number of
    times, with forward-mode derivatives by ``program.jvp`` and a rule for `torch.func.vmap`.
    Derivatives are by the entries of the inputs; the four of a quaternion are independent.
    """
    trace = Differentiated(program)

    def function(*inputs: Any) -> Any:
        if len(inputs) != len(trace.names):
            raise TypeError(f"expected {', '.join(trace.names)}, got {len(inputs)} arguments")
        tensors = [torch.as_tensor(x) for x in inputs]
        results = _Call.apply(trace, *_of_one_type(tensors))
        return program.interface.results(results if len(results) > 1 else results[0])

    function.__name__ = function.__qualname__ = program.name
    function.__doc__ = f"The program {program.name} of {', '.join(trace.names)}, on tensors."
    return function


def _of_one_type(tensors: Sequence[Tensor]) -> list[Tensor]:
    """All float32 if all floating tensors are, else all float64."""
    floating = [x.dtype for x in tensors if x.dtype.is_floating_point]
    is_single = bool(floating) and all(d == torch.float32 for d in floating)
    return [x.to(torch.float32 if is_single else torch.float64) for x in tensors]


class _Call(torch.autograd.Function):
    """One call of a program: a tuple of outputs."""

    @staticmethod
    def forward(trace: Differentiated, *tensors: Tensor) -> tuple[Tensor, ...]:
        arrays = [np.asarray(x.detach().cpu().numpy()) for x in tensors]
        results = trace(*arrays)
        device = tensors[0].device if tensors else torch.device("cpu")
        return tuple(torch.from_numpy(np.asarray(x)).to(device) for x in results)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: tuple) -> None:
        trace, *tensors = inputs
        ctx.trace = trace
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx: Any, *weights: Tensor) -> tuple:
        trace, tensors = ctx.trace, ctx.saved_tensors
        wanted = [k for k, needs in enumerate(ctx.needs_input_grad[1:]) if needs]
        gradients: list[Tensor | None] = [None] * len(tensors)
        if wanted:
            vjp = trace.vjp(tuple(trace.names[k] for k in wanted))
            found = _Call.apply(vjp, *_of_one_type([*tensors, *weights]))
            for k, gradient in zip(wanted, found, strict=True):
                gradients[k] = _summed(gradient, tensors[k].shape, len(trace.inputs[k]))
        return (None, *gradients)

    @staticmethod
    def jvp(ctx: Any, _: None, *changes: Tensor | None) -> tuple[Tensor, ...]:
        trace, tensors = ctx.trace, ctx.saved_tensors
        moving = [k for k, change in enumerate(changes) if change is not None]
        jvp = trace.jvp(tuple(trace.names[k] for k in moving))
        along = [change for change in changes if change is not None]
        return _Call.apply(jvp, *_of_one_type([*tensors, *along]))

    @staticmethod
    def vmap(info: Any, in_dims: tuple, trace: Differentiated, *tensors: Tensor) -> tuple:
        pairs = zip(tensors, in_dims[1:], trace.inputs, strict=True)
        n_axes = max(x.dim() - (d is not None) - len(core) for x, d, core in pairs)
        aligned = [
            _aligned(x, d, len(core), n_axes)
            for x, d, core in zip(tensors, in_dims[1:], trace.inputs, strict=True)
        ]
        results = _Call.apply(trace, *aligned)
        return results, (0,) * len(results)


def _aligned(x: Tensor, axis: int | None, n_core: int, n_axes: int) -> Tensor:
    """``x`` with the mapped axis first and as many batch axes behind it as the others have."""
    x = x.unsqueeze(0) if axis is None else x.movedim(axis, 0)
    for _ in range(n_axes - (x.dim() - 1 - n_core)):
        x = x.unsqueeze(1)
    return x


def _summed(gradient: Tensor, shape: Shape, n_core: int) -> Tensor:
    """The gradient of an input that was broadcast: summed over the axes that it did not have."""
    extra = gradient.dim() - len(shape)
    axes = [*range(extra)]
    axes += [
        k + extra for k in range(len(shape) - n_core) if shape[k] == 1 != gradient.shape[k + extra]
    ]
    return gradient.sum(axes).reshape(shape) if axes else gradient.reshape(shape)
