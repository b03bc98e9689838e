"""``polhode export FILE --c OUT.c``: a model's functions as C, CUDA kernels or WebAssembly."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import algorithms
from ..binding.programs import compile
from ..compiler import Program
from ..compiler.codegen.c_names import identifier
from ..compiler.program.export import export_c
from ..compiler.program.export_ptx import export_ptx
from ..compiler.program.export_wasm import export_wasm
from ..errors import ModelError
from ..model import Model
from ..scene import Scene
from .export_functions import FUNCTIONS
from .idle import refuse_idle
from .model_file import read_model
from .terminal import Output

_OLDEST = "sm_70"  # of the devices that run kernels
_STATES = {"c": "one state a call", "ptx": "one state a thread", "wasm": "one state a call"}


def run(options: Namespace, output: Output) -> int:
    """Write the file, and the header of a C file; say what is in them."""
    language, path = _target(options)
    found = read_model(options.file, options)
    model = found.model if isinstance(found, Scene) else found
    if not model.nv:
        raise ModelError(f"model '{model.name}' has no degrees of freedom: nothing to export")
    programs, names = _programs(options, model, identifier(path.stem))
    write = {"c": _write_c, "ptx": _write_ptx, "wasm": _write_wasm}[language]
    facts = write(options, path, programs, names)
    files = " and ".join(facts[k] for k in ("source", "header") if k in facts)
    states = _STATES[language] if options.lanes == 1 else f"{options.lanes} states a call"
    output.say(f"{files}: {options.dtype}, {states}")
    for symbol, program in programs.items():
        output.say(f"  {symbol}: {program.ops} operations")
    functions = {symbol: program.ops for symbol, program in programs.items()}
    output.result(facts | {"functions": functions})
    return 0


def _target(options: Namespace) -> tuple[str, Path]:
    """The language and the file to write."""
    language = next(name for name in _STATES if getattr(options, name))
    path = Path(getattr(options, language))
    if path.suffix != f".{language}":
        raise ValueError(
            f"expected a name that ends in .{language} after --{language}, got '{path}'"
        )
    if options.lanes != 1 and language != "c":
        raise ValueError(f"expected no --lanes with --{language}: {_STATES[language]}")
    if options.dtype != "float64" and language == "wasm":
        raise ValueError(f"expected float64 with --wasm, got {options.dtype}")
    refuse_idle(options, {"arch": "ptx"})
    if options.body is not None and not any(FUNCTIONS[name].has_body for name in options.function):
        raise ValueError("expected no --body: none of the functions is of a body")
    return language, path


def _programs(
    options: Namespace, model: Model, prefix: str
) -> tuple[dict[str, Program], dict[str, tuple[str, ...]]]:
    """The programs and the names of their outputs, by the names that they get in the file."""
    programs, names = {}, {}
    for name in dict.fromkeys(options.function):
        function, symbol = FUNCTIONS[name], f"{prefix}_{name}"
        static = _static(name, model, options.body)
        algorithm = getattr(algorithms, function.algorithm)
        programs[symbol] = compile(algorithm, model, **static)
        names[symbol] = function.outputs
    return programs, names


def _static(name: str, model: Model, body: str | None) -> dict[str, Any]:
    """The keyword arguments that a function's program is fixed to."""
    if not FUNCTIONS[name].has_body:
        return {}
    if body is None:
        raise ValueError(f"expected --body NAME for the function {name}")
    return {"body": model.body(body).id}


def _write_c(
    options: Namespace,
    path: Path,
    programs: Mapping[str, Program],
    names: Mapping[str, tuple[str, ...]],
) -> dict[str, Any]:
    dtype, lanes, header = options.dtype, options.lanes, path.with_suffix(".h")
    text = export_c(programs, dtype=dtype, lanes=lanes, outputs=names, stem=path.stem)
    path.write_text(text.source, encoding="ascii")
    header.write_text(text.header, encoding="ascii")
    return {"source": str(path), "header": str(header), "dtype": dtype, "lanes": lanes}


def _write_ptx(
    options: Namespace,
    path: Path,
    programs: Mapping[str, Program],
    names: Mapping[str, tuple[str, ...]],
) -> dict[str, Any]:
    arch = options.arch or _OLDEST
    text = export_ptx(programs, dtype=options.dtype, arch=arch, outputs=names)
    path.write_text(text, encoding="ascii")
    return {"source": str(path), "dtype": options.dtype, "arch": arch}


def _write_wasm(
    options: Namespace,
    path: Path,
    programs: Mapping[str, Program],
    names: Mapping[str, tuple[str, ...]],
) -> dict[str, Any]:
    path.write_bytes(export_wasm(programs))
    return {"source": str(path), "dtype": options.dtype}
