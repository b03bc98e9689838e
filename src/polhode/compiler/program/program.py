"""A traced function as a NumPy gufunc of machine code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, overload

import numpy as np

from ...arguments import as_flag, as_shapes, as_text, as_texts, check_callable
from ...arrays import as_arrays, batch_of, check_out
from ...errors import ShapeError, suggestion, suggests_attributes
from ...notebooks import table
from ...once import kept
from ..codegen.machine import Format
from ..graph import Code, Graph
from ..graph.listing import listing
from .builtin import fast_call
from .compose import Interface, inlined, is_traced
from .loops import NoSignature, plain_results, ufunc_of
from .native import CompiledKernel
from .sharing import call_shared
from .source import Source
from .threads import get_num_threads

LINES = 200  # of a program's code that are printed
Names = str | Iterable[str] | None


@suggests_attributes
class Program:
    """A function of arrays, compiled on first use; called like a NumPy gufunc.

    Parameters
    ----------
    build : callable
        Called with one nested tuple of traced values per input (a single value for an input of
        shape ``()``).  Returns an output or a tuple of outputs.  Each is a nested sequence of
        values and floats whose nesting is its shape.
    inputs : mapping of str to tuple of int
        Core shape of each input, in the order of the arguments.
    name : str
    key : bytes, optional
        Identifies what is computed: with it, a later process finds the compiled code
        without tracing.  Without, the code itself is the key.
    recipe : tuple of (callable, tuple), optional
        How to make this program again; makes it picklable.
    tangents : mapping of str to callable, optional
        Of an input on a manifold: from its nested scalars the rows of scalars by which it
        varies along each coordinate of the tangent.
    interface : Interface, optional
        How arguments and results look to callers, if not as nested scalars and arrays.

    Attributes
    ----------
    name : str
    inputs : dict
        Core shape of each input.
    """

    def __init__(
        self,
        build: Callable[..., Any],
        inputs: Mapping[str, tuple[int, ...]],
        name: str = "program",
        key: bytes | None = None,
        recipe: tuple[Callable[..., Program], tuple[Any, ...]] | None = None,
        tangents: Mapping[str, Callable[..., Any]] | None = None,
        interface: Interface | None = None,
    ):
        check_callable("build", build)
        shapes = as_shapes("inputs", inputs)
        self._source = Source(build, shapes, as_text("name", name), key)
        self._recipe = recipe
        self.tangents = tangents
        self.interface: Interface = interface or Interface()
        self._made: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """Name in messages, and of the ufunc."""
        return self._source.name

    @property
    def inputs(self) -> dict[str, tuple[int, ...]]:
        """Core shape of each input."""
        return dict(self._source.inputs)

    @property
    def output_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Core shape of each output."""
        return self._source.shapes().outputs

    @property
    def ops(self) -> int:
        """Additions, subtractions, products and quotients per state; an fma counts 2."""
        return self._source.facts()["ops"]

    @property
    def graph(self) -> Graph:
        """The expression graph; traces if that was not needed yet."""
        return self._source.graph

    @property
    def ufunc(self) -> np.ufunc:
        """The NumPy gufunc; safe to keep after the program is gone."""
        return kept(self._made, "ufunc", lambda: ufunc_of(self._source))

    @property
    def fast(self) -> Callable[..., Any]:
        """The fast call for one state: ``fast(*inputs, out)``, where ``out`` may be None.

        A builtin that returns ``out``, or a new array, or a tuple of them.  Each input must be an
        aligned, C-contiguous ``numpy.ndarray`` of native float64 of exactly the core shape.
        Otherwise it returns ``NotImplemented``, and has changed nothing.
        """
        return kept(self._made, "fast", self._make_fast)

    def __call__(self, *arrays: Any, out: Any = None, **named: Any) -> Any:
        """Evaluate on arrays with any leading batch axes, which broadcast.

        Parameters
        ----------
        *arrays : array_like
            One per input: real numbers.  float32 if all are, else float64.
        out : ndarray or tuple of ndarray, optional
            Where to write the outputs: arrays of real floating-point numbers.

        Returns
        -------
        ndarray or tuple of ndarray
            The outputs; batch axes first.  Traced values if traced values are among the
            arguments, which then have the core shapes: the program becomes part of another.

        Raises
        ------
        ShapeError
            If an argument holds anything but real numbers or does not fit its input, or
            ``out`` cannot hold the outputs; nothing is written then.
        TypeError
            For another number of arguments, and for inputs given by keyword.
        """
        if named:
            raise self._unexpected(next(iter(named)))
        fast = self._made.get("fast")
        if fast is not None:
            result = fast(*arrays, out)
            if result is not NotImplemented:
                return self.interface.results(result)
        where = f" (program '{self.name}')"
        try:
            checked = as_arrays(self._source.inputs, arrays, where)
        except (ShapeError, TypeError):
            if not is_traced(arrays):
                raise
            return self.interface.results(inlined(self, arrays))
        result = self._run(checked, out, where)
        if fast is None:
            self._open_fast()
        return self.interface.results(result)

    def _unexpected(self, keyword: str) -> TypeError:
        """The error for an argument by keyword."""
        return TypeError(
            f"expected {', '.join(self.inputs)} in this order, without keywords but out=, got "
            f"{keyword}={suggestion(keyword, ['out'])} (program '{self.name}')"
        )

    def _run(self, arrays: Sequence[np.ndarray], out: Any, where: str) -> Any:
        """Evaluate on arrays that are checked already.

        Parameters
        ----------
        arrays : sequence of ndarray
            One per input, of float32 or float64, with batch axes that broadcast.
        out : ndarray, tuple of ndarray or None
            Where to write the outputs; not checked yet.
        where : str
            Ends messages.

        Returns
        -------
        ndarray or tuple of ndarray
            The outputs.

        Raises
        ------
        ShapeError
            If ``out`` cannot hold them; nothing is written then.
        """
        source, shapes = self._source, self._source.shapes()
        if out is not None:
            batch = batch_of(source.inputs, arrays, where)
            check_out(out, [batch + shape for shape in shapes.outputs], where)
        try:
            ufunc = self._made.get("ufunc") or self.ufunc
        except NoSignature:
            return plain_results(source, arrays, out)
        if get_num_threads() > 1:
            result = call_shared(ufunc, arrays, out, shapes, source.seconds())
            if result is not None:
                return result
        return ufunc(*arrays) if out is None else ufunc(*arrays, out=out)

    def _open_fast(self) -> None:
        """Let further single states in without the gufunc; NumPy judges where nothing is held."""
        shapes = self._source.shapes()
        if shapes.inputs and not any(0 in shape for shape in (*shapes.inputs, *shapes.outputs)):
            _ = self.fast

    @property
    def code(self) -> Code:
        """Straight-line code of the outputs, multiply-adds explicit: what every printer prints."""
        return self._source.code

    def kernel(self, form: Format) -> CompiledKernel:
        """The compiled code in a format; other compiled loops call it by its addresses.

        Parameters
        ----------
        form : str
            Width and type of the code.

        Returns
        -------
        kernel : object
            The compiled code.
        """
        return self._source.kernel(form)

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

        Parameters
        ----------
        wrt : str or iterable of str, optional
            Names of inputs; all if not given.
        tangent, with_value : bool
            As of `jacobian`, which also has the errors.

        Returns
        -------
        program : Program
            Its inputs are followed by ``d_NAME`` for each of ``wrt``; an output for each.
        """
        return self._derived("jvp", wrt, tangent, with_value)

    def vjp(self, wrt: Names = None, *, tangent: bool = False, with_value: bool = False) -> Program:
        """Return the program of the derivatives of a weighted sum of all outputs by inputs.

        Parameters
        ----------
        wrt : str or iterable of str, optional
            Names of inputs; all if not given.
        tangent, with_value : bool
            As of `jacobian`, which also has the errors.

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

        Parameters
        ----------
        wrt : str
            Name of the input.

        Returns
        -------
        ndarray of bool, or one for each of several outputs
            Of the shape of the output followed by that of the input.
        """
        from .derivatives import sparsity  # on need: it costs every start a little

        return sparsity(self, wrt)

    def _derived(self, kind: str, wrt: Names, tangent: bool, with_value: bool) -> Program:
        from .derivatives import chosen, derivative  # on need: it costs every start a little

        of = f" (program '{self.name}')"
        flags = as_flag("tangent", tangent, of), as_flag("with_value", with_value, of)
        return derivative(kind, self, chosen(self, wrt), *flags)

    @overload
    def source(self, language: Literal["wasm"]) -> bytes: ...
    @overload
    def source(
        self, language: str = "llvm", dtype: str = "float64", lanes: int = 1, *, arch: str = "sm_70"
    ) -> str: ...
    def source(
        self, language: str = "llvm", dtype: str = "float64", lanes: int = 1, *, arch: str = "sm_70"
    ) -> str | bytes:
        """The kernel's source text.

        Parameters
        ----------
        language : {"llvm", "c", "h", "ptx", "wasm"}
            LLVM's assembly; a C99 file that needs nothing else; the header of that file; a CUDA
            kernel; a module of WebAssembly.  In the kernel each thread works on one state.  The
            module is bytes, in double precision.
        dtype : {"float64", "float32"}
        lanes : int
            States computed side by side; 1 of a CUDA kernel.
        arch : str
            The oldest devices that shall run a CUDA kernel.

        Returns
        -------
        source : str or bytes
            The text; bytes of a WebAssembly module.

        Raises
        ------
        ValueError
            If an argument is none of those.
        """
        from .export import source_text  # on need: it costs every start a little

        return source_text(self, language, dtype, lanes, arch)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._recipe is None:
            raise TypeError(f"program {self.name!r} was made without a recipe to pickle")
        return self._recipe

    def _repr_html_(self) -> str:
        """Inputs and outputs in a table, in a notebook."""
        rows = [("input", name, str(shape)) for name, shape in self.inputs.items()]
        rows += [("output", "", str(shape)) for shape in self.output_shapes]
        return table(f"Program {self.name}: {self.ops} operations", ("", "name", "shape"), rows)

    def __str__(self) -> str:
        """The code, one operation a line; a long program's first lines."""
        lines = list(islice(listing(self.code), LINES + 1))
        more = [f"... {len(self.code)} operations in all"] if len(lines) > LINES else []
        return "\n".join([repr(self), *lines[:LINES], *more])

    def __repr__(self) -> str:
        inputs = ", ".join(f"{k}{shape}" for k, shape in self._source.inputs.items())
        return f"<Program {self.name}({inputs})>"

    def _make_fast(self) -> Callable[..., Any]:
        source = self._source
        return fast_call(self.name, source.shapes(), lambda: source.kernel(Format("f64", 1)))
