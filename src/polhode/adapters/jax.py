"""Programs as differentiable functions of JAX arrays.

Not supported: computing on a GPU (arrays there are copied here and back).
"""
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..compiler import Program
from .derivatives import Differentiated, Shape

_AT_ONCE = 8  # outputs of one program of derivatives: NumPy bounds their number


def to_jax(program: Program) -> Callable[..., Any]:
    """Return ``program`` as a function of JAX arrays.

    Parameters
    ----------
    program : Program
        As `polhode.compile` makes it.

    Returns
    -------
    function : callable
        One array for each input, with any leading batch axes, which broadcast.  Returns the results
        of the program as JAX arrays.  They are float32 unless an array is float64, which JAX must
        be told to allow (``jax_enable_x64``).

    Notes
    -----
    A `jax.pure_callback` whose derivatives are those of ``program.jacobian``, as a
    `jax.custom_jvp`: forward and reverse mode, any number of times, within ``jit`` and
    ``vmap``.  Derivatives are by the entries of the inputs; the four of a quaternion are
    independent.
    """
    trace = Differentiated(program)
    call = _call(trace)

    def function(*inputs: Any) -> Any:
        if len(inputs) != len(trace.names):
            raise TypeError(f"expected {', '.join(trace.names)}, got {len(inputs)} arguments")
        arrays = [jnp.asarray(x) for x in inputs]
        dtype = np.float64 if any(x.dtype == np.float64 for x in arrays) else np.float32
        results: Any = call(*(x.astype(dtype) for x in arrays))
        return program.interface.results(results if len(results) > 1 else results[0])

    function.__name__ = function.__qualname__ = program.name
    function.__doc__ = f"The program {program.name} of {', '.join(trace.names)}, on JAX arrays."
    return function


def _call(trace: Differentiated) -> Callable[..., tuple]:
    """A program on arrays of one type, as a tuple of outputs."""

    @jax.custom_jvp
    def call(*arrays: Any) -> Any:
        aligned, batch = _aligned(trace, arrays)
        dtype = aligned[0].dtype
        shapes = tuple(jax.ShapeDtypeStruct((*batch, *own), dtype) for own in trace.outputs)
        return jax.pure_callback(
            lambda *x: tuple(_evaluated(trace, x)), shapes, *aligned, vmap_method="expand_dims"
        )

    def changed(arrays: tuple, changes: tuple) -> tuple:
        moving = [k for k, x in enumerate(changes) if not _is_zero(x)]
        results = call(*arrays)
        blocks = _blocks(trace, moving, arrays)
        along = []
        for j, own in enumerate(trace.outputs):
            parts = [
                _product(blocks[j, k], changes[k], len(own), len(trace.inputs[k])) for k in moving
            ]
            along.append(sum(parts[1:], parts[0]))
        return results, tuple(along)

    call.defjvp(changed, symbolic_zeros=True)
    return call


def _blocks(trace: Differentiated, moving: Sequence[int], arrays: tuple) -> dict:
    """The Jacobian of each output by each input that moves."""
    groups = [moving] if len(moving) * len(trace.outputs) <= _AT_ONCE else [[k] for k in moving]
    blocks = {}
    for group in groups:
        found = iter(_call(trace.jacobian(tuple(trace.names[k] for k in group)))(*arrays))
        blocks |= {(j, k): next(found) for j in range(len(trace.outputs)) for k in group}
    return blocks


def _is_zero(change: Any) -> bool:
    return isinstance(change, jax.custom_derivatives.SymbolicZero)


def _evaluated(trace: Differentiated, arrays: Sequence[Any]) -> list[np.ndarray]:
    given = [np.asarray(x) for x in arrays]
    return [np.asarray(x, given[0].dtype) for x in trace(*given)]


def _aligned(trace: Differentiated, arrays: Sequence[Any]) -> tuple[list[Any], Shape]:
    """Arrays with equally many batch axes, and the axes of the result."""
    pairs = list(zip(arrays, trace.inputs, strict=True))
    for name, (x, core) in zip(trace.names, pairs, strict=True):
        if x.shape[x.ndim - len(core) :] != core:
            raise TypeError(f"expected {core} as the last axes of {name}, got shape {x.shape}")
    batches = [x.shape[: x.ndim - len(core)] for x, core in pairs]
    batch = np.broadcast_shapes(*batches)
    aligned = [
        x.reshape((1,) * (len(batch) - len(own)) + x.shape)
        for x, own in zip(arrays, batches, strict=True)
    ]
    return aligned, batch


def _product(block: Any, change: Any, n_out: int, n_in: int) -> Any:
    """A block of a Jacobian times the change of an input, batch axes broadcast."""
    n_batch = block.ndim - n_out - n_in
    change = change.reshape(
        (1,) * (n_batch + n_in - change.ndim) + change.shape[: change.ndim - n_in]
        + (1,) * n_out + change.shape[change.ndim - n_in :]
    )  # fmt: skip
    axes = tuple(range(block.ndim - n_in, block.ndim))
    return (block * change).sum(axes) if axes else block * change
