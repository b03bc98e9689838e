"""Programs as CasADi functions, with sparse Jacobians of any order."""
# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi
import numpy as np

from ..compiler import Program
from .derivatives import Differentiated, Shape, leaves, size_of


def to_casadi(program: Program, name: str | None = None) -> casadi.Callback:
    """Return ``program`` as a `casadi.Callback`.

    Parameters
    ----------
    program : Program
        As `polhode.compile` makes it; its arrays have at most two axes.
    name : str, optional
        Name of the CasADi function; the program's if not given.

    Returns
    -------
    function : casadi.Callback
        Of one state: vectors are columns.  Keep it as long as expressions made with it live.

    Raises
    ------
    ValueError
        If an input or output has more than two axes.

    Notes
    -----
    Its Jacobian is ``program.jacobian`` with the sparsity of ``program.sparsity``, and again
    such a function, so that Hessians are exact too.  A structural zero is never computed.
    """
    for shape in (*program.inputs.values(), *program.output_shapes):
        if len(shape) > 2:
            raise ValueError(f"CasADi has matrices; expected at most 2 axes, got shape {shape}")
    trace = Differentiated(program)
    outputs = [_Output(trace, k, _entries(shape)) for k, shape in enumerate(trace.outputs)]
    return _Function(name or program.name, trace, outputs)


class _Output:
    """A matrix made of entries of one of a program's arrays, some of them structural zeros."""

    def __init__(
        self,
        trace: Differentiated,
        array: int,
        entries: np.ndarray,
        is_filled: np.ndarray | None = None,
    ):
        self.trace, self.array, self.entries = trace, array, entries
        self.is_filled = np.ones(entries.shape, bool) if is_filled is None else is_filled
        columns, rows = np.nonzero(self.is_filled.T)  # CasADi goes column by column
        self.filled = entries[rows, columns]
        n_rows, n_columns = entries.shape
        self.sparsity = casadi.Sparsity.triplet(n_rows, n_columns, rows.tolist(), columns.tolist())

    def derivative(self, k: int, n_columns: int) -> _Output:
        """The derivatives of the entries by those of an input, column by column each.

        Inputs behind those of the program have no effect.
        """
        rows, shapes = self.entries.ravel("F"), self.trace.inputs
        if k >= len(shapes):
            nothing = np.zeros((len(rows), n_columns), int)
            return _Output(self.trace, self.array, nothing, nothing.astype(bool))
        name, columns, size = (
            self.trace.names[k],
            _entries(shapes[k]).ravel("F"),
            size_of(shapes[k]),
        )
        may_vary = leaves(self.trace.program.sparsity(name))[self.array].reshape(-1, size)
        is_filled = may_vary[rows[:, None], columns] & self.is_filled.ravel("F")[:, None]
        jacobian = self.trace.jacobian((name,))
        return _Output(jacobian, self.array, rows[:, None] * size + columns, is_filled)


class _Function(casadi.Callback):
    """A program whose outputs are matrices; inputs behind its own are ignored."""

    def __init__(
        self,
        name: str,
        trace: Differentiated,
        outputs: Sequence[_Output],
        ignored: Sequence[casadi.Sparsity] = (),
        names: tuple[Sequence[str], Sequence[str]] | None = None,
    ):
        casadi.Callback.__init__(self)
        own = (trace.names, [f"o{k}" for k in range(len(outputs))])
        self._trace, self._outputs, self._ignored = trace, outputs, ignored
        self._names = names or own
        self._jacobians: list[_Function] = []  # CasADi keeps no reference of its own
        self.construct(name, {})

    def get_n_in(self) -> int:
        return len(self._trace.inputs) + len(self._ignored)

    def get_n_out(self) -> int:
        return len(self._outputs)

    def get_name_in(self, i: int) -> str:
        return self._names[0][i]

    def get_name_out(self, i: int) -> str:
        return self._names[1][i]

    def get_sparsity_in(self, i: int) -> casadi.Sparsity:
        n_own = len(self._trace.inputs)
        if i >= n_own:
            return self._ignored[i - n_own]
        return casadi.Sparsity.dense(*_entries(self._trace.inputs[i]).shape)

    def get_sparsity_out(self, i: int) -> casadi.Sparsity:
        return self._outputs[i].sparsity

    def eval(self, arguments: Sequence[casadi.DM]) -> list[casadi.DM]:
        given = zip(arguments, self._trace.inputs, strict=False)
        inputs = [np.array(x.full()).reshape(shape) for x, shape in given]
        known: dict[int, tuple] = {}
        for output in self._outputs:
            if len(output.filled) and id(output.trace) not in known:
                known[id(output.trace)] = output.trace(*inputs)
        return [
            casadi.DM(x.sparsity, known[id(x.trace)][x.array].ravel()[x.filled])
            if len(x.filled)
            else casadi.DM(x.sparsity)
            for x in self._outputs
        ]

    def has_jacobian(self) -> bool:
        return True

    def has_jac_sparsity(self, oind: int, iind: int) -> bool:
        return True

    def get_jac_sparsity(self, oind: int, iind: int, symmetric: bool) -> casadi.Sparsity:
        rows, columns = self.size_in(iind)
        return self._outputs[oind].derivative(iind, rows * columns).sparsity

    def get_jacobian(
        self, name: str, names_in: Sequence[str], names_out: Sequence[str], options: Any
    ) -> casadi.Function:
        sizes = [self.size_in(k) for k in range(self.n_in())]
        blocks = [
            output.derivative(k, rows * columns)
            for output in self._outputs
            for k, (rows, columns) in enumerate(sizes)
        ]
        ignored = [*self._ignored, *(output.sparsity for output in self._outputs)]
        jacobian = _Function(name, self._trace, blocks, ignored, (names_in, names_out))
        self._jacobians.append(jacobian)
        return jacobian


def _entries(shape: Shape) -> np.ndarray:
    """Where the entries of the matrix that stands for an array are in it."""
    rows, columns = (*shape, 1, 1)[:2]
    return np.arange(rows * columns).reshape(rows, columns)
