"""Errors of tracing, told with the user's own line and what to write instead."""

from __future__ import annotations

import linecache
import re
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from ..compiler.graph import Value
from ..errors import TraceError
from .trace_advice import TraceFault, advice

_OURS = str(Path(__file__).parent.parent)
_VALUE = re.compile(r"(object of type |type )?'?\bValue\b'?( object)?(\.__format__)?")


@contextmanager
def located(function: Callable[..., Any]) -> Iterator[None]:
    """Turn what goes wrong while ``function`` is traced into a TraceError that shows the line.

    Errors that no traced value had a part in are left as they are.
    """
    try:
        yield
    except Exception as error:
        if not _is_of_tracing(error):
            raise
        fault = _fault(error.__traceback__) or _definition(function)
        raise _told(fault, error) from error


def _is_of_tracing(error: BaseException | None) -> bool:
    if getattr(error, "names_a_line", False):
        return False
    if isinstance(error, (TraceError, TypeError)):
        return True
    if isinstance(error, AttributeError):
        return isinstance(error.obj, Value)
    chain = (error.__cause__, error.__context__) if error is not None else ()
    return any(isinstance(e, TraceError) for e in chain)


def _told(fault: TraceFault, error: BaseException) -> TraceError:
    message = _VALUE.sub("a traced value", str(error))
    lines = [f"{fault.file}:{fault.line}: {message} (in {fault.function})"]
    if fault.text.strip():
        lines.append(f"    {fault.text.strip()}")
        shift = len(fault.text) - len(fault.text.lstrip())
        if fault.span is not None and fault.span[1] > fault.span[0] >= shift:
            start, end = fault.span
            lines.append("    " + " " * (start - shift) + "^" * (end - start))
    hint = advice(fault, message)
    told = TraceError("\n".join([*lines, *([hint] if hint else [])]))
    told.names_a_line = True  # type: ignore[attr-defined]
    return told


def _fault(traceback: TracebackType | None) -> TraceFault | None:
    """The deepest line of the user's own code; of installed code if there is none."""
    found: tuple[TracebackType, bool] | None = None
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if not file.startswith(_OURS) and not file.startswith("<frozen"):
            is_own = not file.startswith(_installed())
            if found is None or is_own or not found[1]:
                found = traceback, is_own
        traceback = traceback.tb_next
    return None if found is None else _fault_at(found[0])


def _fault_at(traceback: TracebackType) -> TraceFault:
    frame, code = traceback.tb_frame, traceback.tb_frame.f_code
    position = next(islice(code.co_positions(), traceback.tb_lasti // 2, None), (None,) * 4)
    line, end_line, start, end = position
    line = line or traceback.tb_lineno
    text = linecache.getline(code.co_filename, line, frame.f_globals).rstrip("\n")
    span = None
    if start is not None and end is not None:
        start = _characters(text, start)
        span = (start, _characters(text, end) if end_line == line else len(text))
    return TraceFault(code.co_filename, line, code.co_name, text, span, position, _names(frame))


def _characters(text: str, n_bytes: int) -> int:
    return len(text.encode()[:n_bytes].decode(errors="replace"))


def _names(frame: FrameType) -> dict[str, object]:
    return {**frame.f_builtins, **frame.f_globals, **frame.f_locals}


def _definition(function: Callable[..., Any]) -> TraceFault:
    """Where a function begins: for what is wrong with its result or its arguments."""
    inner = getattr(function, "func", function)
    code = getattr(inner, "__code__", None) or getattr(type(inner).__call__, "__code__", None)
    if code is None:
        return TraceFault("<unknown>", 0, repr(function), "", None, (None,) * 4, {})
    text = linecache.getline(code.co_filename, code.co_firstlineno).rstrip("\n")
    return TraceFault(
        code.co_filename, code.co_firstlineno, code.co_name, text, None, (None,) * 4, {}
    )


@cache
def _installed() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple({paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})
