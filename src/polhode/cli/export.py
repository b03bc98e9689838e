"""``polhode export FILE --c OUT.c``: a model's functions as C99 source and header."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from .. import algorithms
from ..api import compile
from ..compiler.codegen.c_names import identifier
from ..compiler.program.export import export_c
from ..errors import ModelError
from ..formats import read
from ..model import Model
from .export_functions import FUNCTIONS
from .terminal import Output


def run(options: Namespace, output: Output) -> int:
    """Write the C file and its header; say what is in them."""
    path = Path(options.c)
    if path.suffix != ".c":
        raise ValueError(f"expected a name that ends in .c after --c, got '{options.c}'")
    model = read(
        options.file, floating_base=options.floating_base, gravity=options.gravity
    ).warn()  # fmt: skip
    if not model.nv:
        raise ModelError(f"model '{model.name}' has no degrees of freedom: nothing to export")
    prefix = identifier(path.stem)
    programs, names = {}, {}
    for name in dict.fromkeys(options.function):
        function, symbol = FUNCTIONS[name], f"{prefix}_{name}"
        static = _static(name, model, options.body)
        algorithm = getattr(algorithms, function.algorithm)
        programs[symbol] = compile(algorithm, model, **static)
        names[symbol] = function.outputs
    text = export_c(
        programs, dtype=options.dtype, lanes=options.lanes, outputs=names, stem=path.stem
    )
    header = path.with_suffix(".h")
    path.write_text(text.source, encoding="ascii")
    header.write_text(text.header, encoding="ascii")
    output.say(f"{path} and {header}: {options.dtype}, {_states(options.lanes)} a call")
    for symbol, program in programs.items():
        output.say(f"  {symbol}: {program.ops} operations")
    output.result({
        "source": str(path), "header": str(header), "dtype": options.dtype, "lanes": options.lanes,
        "functions": {symbol: program.ops for symbol, program in programs.items()},
    })  # fmt: skip
    return 0


def _static(name: str, model: Model, body: str | None) -> dict[str, Any]:
    """The keyword arguments that a function's program is fixed to."""
    if not FUNCTIONS[name].has_body:
        return {}
    if body is None:
        raise ValueError(f"expected --body NAME for the function {name}")
    return {"body": model.body(body).id}


def _states(lanes: int) -> str:
    return "one state" if lanes == 1 else f"{lanes} states"
