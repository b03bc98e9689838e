"""Compiled functions on disk, and whether they are still what the source says."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..codegen.machine import cpu_identity
from ..program.cache import digest, read, source_fingerprint, split, write
from .types import BOOL, ELEMENTS, FLOAT, INT, Array, Number, Tuple, Type


def known(function: Callable[..., Any], kinds: tuple[Type, ...]) -> tuple[list[bytes], Type] | None:
    """Code and returned type of an earlier process, if the source has not changed since."""
    entry = read(_name(function, kinds))
    if entry is None:
        return None
    facts, code = entry
    try:
        if any(_folder_digest(folder) != seal for folder, seal in facts["folders"].items()):
            return None
        return split(code, facts["sizes"]), _restored(facts["returns"])
    except (KeyError, TypeError, AttributeError, ImportError):
        return None


def remember(
    function: Callable[..., Any],
    kinds: tuple[Type, ...],
    objects: Sequence[bytes],
    returns: Type,
    files: Iterable[str],
) -> None:
    """Keep code that was made of these files, and of what stands beside them.

    What was typed, or comes from a notebook, is not kept: it can change without a trace.
    """
    if not all(file.endswith(".py") and Path(file).is_file() for file in files):
        return
    folders = sorted({str(Path(file).parent) for file in files})
    facts = {"folders": {f: _folder_digest(f) for f in folders}, "returns": _described(returns)}
    facts["sizes"] = [len(data) for data in objects]
    write(_name(function, kinds), facts, b"".join(objects))


def _name(function: Callable[..., Any], kinds: tuple[Type, ...]) -> str:
    # By its file: two installations of one name are two programs.
    where = f"{function.__code__.co_filename}:{function.__qualname__}"
    return digest("jit", where, repr(kinds), cpu_identity(), source_fingerprint())


@cache
def _folder_digest(folder: str) -> str:
    """Digest of the source files of a folder: functions, and the constants they use."""
    total = hashlib.sha256()
    for path in sorted(Path(folder).glob("*.py")):
        content = path.read_bytes()
        total.update(f"{path.name} {len(content)}\0".encode() + content)
    return total.hexdigest()


def _described(kind: Type) -> Any:
    """A type as JSON."""
    if isinstance(kind, Number):
        return kind.name
    if isinstance(kind, Array):
        return [kind.element.dtype, kind.ndim]
    assert isinstance(kind, Tuple)
    cls = None if kind.cls is None else [kind.cls.__module__, kind.cls.__qualname__]
    return {"items": [_described(k) for k in kind.items], "class": cls}


def _restored(text: Any) -> Type:
    """A type from JSON."""
    if isinstance(text, str):
        return {"bool": BOOL, "int": INT, "float": FLOAT}[text]
    if isinstance(text, list):
        return Array(ELEMENTS[text[0]], text[1])
    cls = text["class"]
    if cls is not None:
        cls = getattr(importlib.import_module(cls[0]), cls[1])
    return Tuple(tuple(map(_restored, text["items"])), cls)
