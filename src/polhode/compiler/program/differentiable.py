"""Differentiation as methods of a program; each returns another program."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

import numpy as np

from ...arguments import as_flag, as_texts

if TYPE_CHECKING:
    from .program import Program

Names = str | Iterable[str] | None


class Differentiable:
    """What `Program` can do besides being called."""

    def jacobian(
        self, wrt: Names = None, *, tangent: bool = False, with_value: bool = False
    ) -> Program:
        """Return the program of the derivatives of each output by inputs.

        Parameters
        ----------
        wrt : str or iterable of str, optional
            Names of inputs; all if not given.
        tangent : bool
            By the tangent of inputs on a manifold, as `polhode.integrate` moves them, instead
            of by their scalars; other inputs are their own tangent.
        with_value : bool
            Return the outputs of this program too, before the derivatives.

        Returns
        -------
        program : Program
            With the same inputs.  For each output, and for each of ``wrt`` in turn, an output
            whose shape is that of the output followed by that of the input.

        Raises
        ------
        TraceError
            If an input has no such name, or if ``tangent`` is asked of a program that was not
            made for a model.

        Notes
        -----
        Exact up to rounding; forward or in reverse, whichever takes fewer products, and
        structural zeros take none.  At a kink it is the derivative of one side.
        """
        return self._derived("jacobian", wrt, tangent, with_value)

    def jvp(self, wrt: Names = None, *, tangent: bool = False, with_value: bool = False) -> Program:
        """Return the program of the change of each output along a change of inputs.

        Parameters and errors are those of `jacobian`.

        Returns
        -------
        program : Program
            Its inputs are followed by ``d_NAME`` for each of ``wrt``; an output for each.
        """
        return self._derived("jvp", wrt, tangent, with_value)

    def vjp(self, wrt: Names = None, *, tangent: bool = False, with_value: bool = False) -> Program:
        """Return the program of the derivatives of a weighted sum of all outputs by inputs.

        Parameters and errors are those of `jacobian`.

        Returns
        -------
        program : Program
            Its inputs are followed by ``weight``, or ``weight0``, ``weight1`` ... of several
            outputs; an output of the shape of each of ``wrt``.

        Notes
        -----
        In reverse: of any number of inputs it takes a small multiple of this program's time.
        """
        return self._derived("vjp", wrt, tangent, with_value)

    def hessian(
        self,
        wrt: str,
        also: str | None = None,
        *,
        tangent: bool = False,
        with_value: bool = False,
    ) -> Program:
        """Return the program of the second derivatives of each output by one or two inputs.

        Parameters
        ----------
        wrt, also : str
            Names of inputs; ``also`` is ``wrt`` if not given.
        tangent, with_value : bool
            As of `jacobian`; along one tangent twice it is the symmetric second derivative of
            the output at the positions that `polhode.integrate` reaches.

        Returns
        -------
        program : Program
            For each output one whose shape is followed by those of the two inputs.
        """
        names = as_texts("wrt", (wrt, wrt if also is None else also))
        return self._derived("hessian", names, tangent, with_value)

    def sparsity(self, wrt: str) -> np.ndarray | tuple[np.ndarray, ...]:
        """Return where the Jacobian of each output by an input may differ from zero.

        Returns
        -------
        ndarray of bool, or one for each of several outputs
            Of the shape of the output followed by that of the input.
        """
        from .derivatives import chosen, sparsity

        program = cast("Program", self)
        (name,) = chosen(program, as_texts("wrt", (wrt,)))
        shape, shapes = program.inputs[name], program.output_shapes
        whole = np.array(sparsity(program, name), dtype=bool)
        ends = np.cumsum([math.prod(own) for own in shapes])[:-1]
        pieces = zip(np.split(whole, ends), shapes, strict=True)
        parts = tuple(piece.reshape(own + shape) for piece, own in pieces)
        return parts[0] if len(parts) == 1 else parts

    def _derived(self, kind: str, names: Names, tangent: bool, with_value: bool) -> Program:
        from .derivatives import chosen, derived  # on need: it costs every start a little

        program, of = cast("Program", self), f" (program '{cast('Program', self).name}')"
        flags = as_flag("tangent", tangent, of), as_flag("with_value", with_value, of)
        return derived(kind, program, chosen(program, names), *flags)
