"""The decorator of compiled loops: numba's ``njit``, cached in polhode's own folder.

Importing this module imports numba, so only what simulates contact may import it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config

from ..compiler.program.cache import folder

_Function = TypeVar("_Function", bound=Callable[..., Any])
_ROOT = Path(__file__).parent
_CALLS = {"collision": ("collision",), "contact": ("contact",)}  # packages a loop calls
_ALL = ("collision", "contact", "stepping")


def jit(function: _Function) -> _Function:
    """Compile ``function`` when it is first called; later processes load it.

    Arithmetic is IEEE's: divisions by zero give infinities, nothing is reassociated.
    """
    return _cached(function, lambda cache: numba.njit(error_model="numpy", cache=cache)(function))


class Entry:
    """A function of integers that returns an integer, compiled to be called by its address.

    Numba optimises all that a function calls anew with it; what is called by address is
    compiled once, by itself.
    """

    def __init__(self, function: Callable[..., int]):
        self.function = function

    @cached_property
    def address(self) -> int:
        """Where it lies; compiled, or read from the cache, when first asked for."""
        count = self.function.__code__.co_argcount
        signature = numba.types.int64(*[numba.types.int64] * count)

        def make(cache: bool) -> Any:
            options: Any = {"error_model": "numpy"}
            return numba.cfunc(signature, cache=cache, **options)(self.function)

        self.compiled = _cached(self.function, make)
        return self.compiled.address


def _cached(function: Callable[..., Any], make: Callable[[bool], Any]) -> Any:
    """What ``make(cache)`` makes of a function, with numba's cache in polhode's folder."""
    root = _folder(Path(function.__code__.co_filename))
    if root is None:
        return make(False)
    before = config.CACHE_DIR  # type: ignore[attr-defined]
    config.CACHE_DIR = str(root)  # type: ignore[attr-defined]
    try:
        return make(True)
    finally:
        config.CACHE_DIR = before  # type: ignore[attr-defined]


def _folder(source: Path) -> Path | None:
    """Where the loops of a source file are kept.

    Numba looks at the file of a function only, not at those of the functions it calls;
    so the folder's name tells all the sources that may have been compiled into it.
    """
    root = folder()
    package = source.parent.name
    return None if root is None else root / "loops" / _digest(_CALLS.get(package, _ALL))[:16]


@cache
def _digest(packages: tuple[str, ...]) -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for package in packages:
        for path in sorted((_ROOT / package).rglob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
