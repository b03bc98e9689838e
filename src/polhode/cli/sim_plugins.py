"""Python callables named on the command line: ``contact=my_module:find`` or ``=./file.py:find``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import ModelError, suggestion


def plugins(settings: list[str]) -> dict[str, Callable[..., Any]]:
    """The functions by the names that a scene knows them by.

    Raises
    ------
    ModelError
        For a text of another form, or a module or function that is not there.
    """
    found: dict[str, Callable[..., Any]] = {}
    for setting in settings:
        name, equals, place = setting.partition("=")
        module, colon, function = place.rpartition(":")
        if not (name and equals and module and colon and function):
            raise ModelError(f"expected ID=MODULE:FUNCTION as plug-in, got '{setting}'")
        if name in found:
            raise ModelError(f"expected one function for each plug-in, got two for '{name}'")
        user = f"the plug-in '{name}'"
        found[name] = function_of(_module(module, user), function, user)
    return found


def _module(place: str, user: str) -> ModuleType:
    """A module by its name, or by its file."""
    if place.endswith(".py"):
        path = Path(place)
        if not path.is_file():
            raise ModelError(f"no file '{place}' for {user}")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    sys.path.insert(0, str(Path.cwd()))
    try:
        return module_of(place, user, "; a file is given as ./FILE.py:FUNCTION")
    finally:
        sys.path.pop(0)


def module_of(place: str, user: str, hint: str = "") -> ModuleType:
    """A module by its name.

    Raises
    ------
    ModelError
        If there is none.
    """
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is None or not place.startswith(error.name):
            raise
        raise ModelError(
            f"no module '{place}' for {user}, neither installed nor in '{Path.cwd()}'{hint}"
        ) from None


def function_of(module: ModuleType, function: str, user: str) -> Callable[..., Any]:
    """A function of a module.

    Raises
    ------
    ModelError
        If there is none of that name.
    """
    value = getattr(module, function, None)
    if not callable(value):
        names = [key for key, x in vars(module).items() if callable(x)]
        what = "no function" if value is None else "something that cannot be called as"
        raise ModelError(
            f"{what} '{function}' in '{module.__name__}' for {user}{suggestion(function, names)}"
        )
    return value
