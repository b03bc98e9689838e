"""Programs as callables on a device."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from ..binding.programs import compile as compile_program
from ..compiler import Program
from ..compiler.codegen.c_names import identifier
from .array import LAYOUTS
from .driver import call, context, stream_handle
from .launch import Operand, common_batch, launches
from .operands import CallArrays


def compile(
    function: Callable[..., Any] | Program,
    model: Any = None,
    *,
    device: int = 0,
    block: int = 128,
    layout: str = "rows",
    **options: Any,
) -> Kernel:
    """Compile a function of a model for a device.

    Parameters
    ----------
    function : callable or Program
        As `polhode.compile` takes it, or a program that it returned.
    model : Model, optional
        Not with a program.
    device : int
        Number of the device.
    block : int
        Threads of a block.
    layout : {"rows", "columns"}
        How new arrays lie in the device's memory: each state together; or each entry of all
        states together, which the threads reach side by side.
    **options
        For `polhode.compile`: ``parameters``, ``shapes``, or fixed arguments of the function.

    Returns
    -------
    kernel : Kernel
    """
    if isinstance(function, Program):
        if model is not None or options:
            raise TypeError("expected no model and no options beside a program")
        return Kernel(function, device=device, block=block, layout=layout)
    program = compile_program(function, model, **options)
    return Kernel(program, device=device, block=block, layout=layout)


class Kernel:
    """A program on a device: called with arrays, it returns arrays of the device.

    The code is translated for the device on the first call with each number type.

    Attributes
    ----------
    program : Program
    device, block : int
    layout : {"rows", "columns"}
    """

    def __init__(
        self, program: Program, *, device: int = 0, block: int = 128, layout: str = "rows"
    ):
        if layout not in LAYOUTS:
            raise ValueError(f"expected layout 'rows' or 'columns', got {layout!r}")
        if block not in range(1, 1025):
            raise ValueError(f"expected from 1 to 1024 threads in a block, got {block!r}")
        self.program: Program = program
        self.device: int = device
        self.block: int = block
        self.layout = layout
        self._lock = threading.Lock()
        self._functions: dict[str, tuple[Any, Any]] = {}

    def __call__(self, *arrays: Any, out: Any = None, stream: Any = None) -> Any:
        """Evaluate on arrays with any leading batch axes, which broadcast.

        Parameters
        ----------
        *arrays : array
            One per input: of NumPy, which are copied to the device, or of any library that
            lends its device's arrays by DLPack.  All of the device's are float64 or all
            float32; the host's follow them, and without any are float32 if all are.
        out : array or tuple of array, optional
            Arrays of the device to write to.
        stream : optional
            A stream of PyTorch, CuPy, Numba or the driver, or its handle; the default
            stream without.  Arrays that a call reads must live until it has run.

        Returns
        -------
        DeviceArray or tuple of DeviceArray
            The outputs as the function nests them, or ``out``.

        Raises
        ------
        ShapeError
            If the last axes of an array are not those of the input.
        TypeError
            If an array is of another number type, or on another device.
        """
        names, shapes = self.program.inputs, self.program.output_shapes
        if len(arrays) != len(names):
            raise TypeError(f"expected {len(names)} arrays ({', '.join(names)}), got {len(arrays)}")
        given = CallArrays(self.device, stream_handle(stream), self.layout)
        operands = given.inputs(arrays, names)
        batch = common_batch(operands)
        outputs = given.outputs(out, batch, shapes)
        self._launch([*operands, *outputs], batch, given)
        given.close()
        if out is None:
            made = tuple(x.view.owner for x in outputs)
            out = made[0] if len(made) == 1 else made
        return self.program.interface.results(out)

    def ptx(self, dtype: Any = "float64") -> str:
        """The kernel's code."""
        return self.program.source("ptx", dtype)

    def __repr__(self) -> str:
        return f"<Kernel {self.program.name} on device {self.device}>"

    def _launch(self, operands: list[Operand], batch: tuple[int, ...], given: CallArrays) -> None:
        with context(self.device):
            function = self._function(str(given.dtype))
            for launch in launches(operands, batch):
                numbers = launch.arguments()
                values = (ctypes.c_uint64 * len(numbers))(*(x % 2**64 for x in numbers))
                start = ctypes.addressof(values)
                places = (ctypes.c_uint64 * len(numbers))(
                    *(start + 8 * k for k in range(len(numbers)))
                )
                blocks = -(-launch.n // self.block)
                grid, threads = (blocks, 1, 1), (self.block, 1, 1)
                table = ctypes.addressof(places)
                call("cuLaunchKernel", function, *grid, *threads, 0, given.stream, table, 0)

    def _function(self, dtype: str) -> Any:
        """The kernel in the device's memory, made on first need."""
        with self._lock:
            if dtype not in self._functions:
                text = ctypes.create_string_buffer(self.ptx(dtype).encode())
                module = call("cuModuleLoadData", ctypes.addressof(text))
                name = identifier(self.program.name).encode()
                self._functions[dtype] = module, call("cuModuleGetFunction", module, name)
            return self._functions[dtype][1]
