"""A traced function as a NumPy gufunc of machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, overload

import numpy as np

from ...arguments import as_choice, as_count, as_shapes, as_text, check_callable
from ...arrays import as_arrays, batch_of, check_out
from ...errors import ArgumentError, ShapeError, TraceError, shown
from ...once import kept
from ..codegen.descriptor import Descriptor
from ..codegen.machine import Format, wide_lanes
from ..graph import Code, Graph
from . import team
from .builtin import fast_door
from .compose import Interface, inlined, is_traced
from .differentiable import Differentiable
from .native import Kernel, give_interpreter, publish, runtime
from .numpy_api import gufunc
from .sharing import call_shared, states_worth_sharing
from .source import Source
from .threads import get_num_threads

_SCALAR_UP_TO = 2  # states of a batch that still run one after the other
_NEVER = 2**62
MOST_LANES = 64


class Loops:
    """The inner loops of one number type: compiled when first entered.

    The ufunc calls the dispatcher, which finds the kernels in a descriptor.  Those that are not
    there yet it has made here, by a plain call of Python, from whose errors and interrupts
    nothing is lost.
    """

    def __init__(self, source: Source, dtype: str):
        self.source: Source = source
        self.dtype: str = dtype
        self.function: int = runtime(Format("f64", 1)).address("dispatch")
        self.descriptor: Descriptor = Descriptor()
        self.descriptor["threshold"] = _SCALAR_UP_TO
        self.descriptor["team"], self.descriptor["share_from"] = team.address(), _NEVER
        give_interpreter(self.descriptor)
        self._makers = [partial(self.compile, kind) for kind in ("scalar", "wide")]
        for maker in self._makers:  # the descriptor has their addresses
            self.descriptor[f"make_{maker.args[0]}"] = id(maker)

    def compile(self, kind: str) -> None:
        """Make the scalar or the wide kernel and lead the dispatcher to it."""
        lanes = 1 if kind == "scalar" else wide_lanes(self.dtype)
        kernel = self.source.kernel(Format(self.dtype, lanes))  # which the source keeps
        if kind == "wide":
            self.descriptor["share_from"] = states_worth_sharing(self.source.seconds())
        publish(self.descriptor, kind, kernel.descriptor.address)


class Program(Differentiable):
    """A function of arrays, compiled on first use; called like a NumPy gufunc.

    Parameters
    ----------
    build : callable
        Called with one nested tuple of traced values per input (a single value for an
        input of shape ``()``); returns an output or a tuple of outputs, each a nested
        sequence of values and floats whose nesting is its shape.
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
        return kept(self._made, "ufunc", self._make_ufunc)

    @property
    def fast(self) -> Callable[..., Any]:
        """The door for one state: ``fast(*inputs, out)``, where ``out`` may be None.

        A builtin that returns ``out``, or a new array, or a tuple of them; or
        ``NotImplemented``, having touched nothing, unless each input is an aligned,
        C-contiguous ``numpy.ndarray`` of native float64 of exactly the core shape.
        """
        return kept(self._made, "fast", self._make_fast)

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
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
            For another number of arguments.
        """
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
        except _NoSignature:
            return self._empty(arrays, out)
        if get_num_threads() > 1:
            result = call_shared(ufunc, arrays, out, shapes, source.seconds())
            if result is not None:
                return result
        return ufunc(*arrays) if out is None else ufunc(*arrays, out=out)

    def _open_fast(self) -> None:
        """Let further single states in without the gufunc; NumPy judges where nothing is held."""
        shapes = self._source.shapes()
        if not any(0 in shape for shape in (*shapes.inputs, *shapes.outputs)):
            _ = self.fast

    @property
    def code(self) -> Code:
        """Straight-line code of the outputs, multiply-adds explicit: what every printer prints."""
        return self._source.code

    def kernel(self, form: Format) -> Kernel:
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
            LLVM's assembly; a C99 file that needs nothing else; the header of that file; a
            CUDA kernel in which each thread works on one state; a module of WebAssembly,
            which is bytes, in double precision.
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
        language = as_text("language", language)
        lanes, dtype = as_count("lanes", lanes), _name_of(dtype)
        if language == "llvm":
            as_count("lanes", lanes, least=1, most=MOST_LANES)
            is_double = as_choice("dtype", dtype, ("float64", "float32")) == "float64"
            return self._source.ir(Format("f64" if is_double else "f32", lanes))
        from .export import source_text  # on need: it costs every start a little

        return source_text(self, language, dtype, lanes, arch)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._recipe is None:
            raise TypeError(f"program {self.name!r} was made without a recipe to pickle")
        return self._recipe

    def __repr__(self) -> str:
        inputs = ", ".join(f"{k}{shape}" for k, shape in self._source.inputs.items())
        return f"<Program {self.name}({inputs})>"

    def _make_fast(self) -> Callable[..., Any]:
        source = self._source
        return fast_door(self.name, source.shapes(), lambda: source.kernel(Format("f64", 1)))

    def _make_ufunc(self) -> np.ufunc:
        shapes = self._source.shapes()
        is_empty = [0 in s for s in shapes.outputs]
        if any(is_empty) and not any(0 in s for s in shapes.inputs):
            if all(is_empty):
                raise _NoSignature(f"NumPy has no gufunc with outputs {shapes.outputs}")
            raise TraceError(
                f"expected outputs with entries, got core shapes {shapes.outputs} ({self.name})"
            )
        made = {dtype: Loops(self._source, dtype) for dtype in ("f64", "f32")}
        loops = [(k, v.function, v.descriptor.address) for k, v in made.items()]
        n_inputs, n_outputs = len(shapes.inputs), len(shapes.outputs)
        return gufunc(self.name, shapes.signature(), n_inputs, n_outputs, loops, made)

    def _empty(self, arrays: Sequence[np.ndarray], out: Any) -> Any:
        """The result of a program all of whose outputs NumPy cannot name: they hold nothing."""
        if out is not None:
            return out
        batch = batch_of(self._source.inputs, arrays)
        results = tuple(np.zeros(batch + shape) for shape in self._source.shapes().outputs)
        return results[0] if len(results) == 1 else results


def _name_of(dtype: Any) -> str:
    """The name of a type of numbers that NumPy knows; not yet one that programs have."""
    try:
        if isinstance(dtype, (str, type, np.dtype)):
            return np.dtype(dtype).name
    except (TypeError, ValueError):
        pass
    raise ArgumentError(f"expected dtype float64 or float32, got {shown(dtype)}")


class _NoSignature(ValueError):
    """A program whose outputs are empty while none of its inputs is."""
