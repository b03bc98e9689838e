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
        found[name] = _function(_module(module, name), function, name)
    return found


def _module(place: str, name: str) -> ModuleType:
    """A module by its name, looked for here too, or by its file."""
    if place.endswith(".py"):
        path = Path(place)
        if not path.is_file():
            raise ModelError(f"no file '{place}' for the plug-in '{name}'")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name is None or not place.startswith(error.name):
            raise
        raise ModelError(
            f"no module '{place}' for the plug-in '{name}', neither installed nor in "
            f"'{Path.cwd()}'; a file is given as ./FILE.py:FUNCTION"
        ) from None
    finally:
        sys.path.pop(0)


def _function(module: ModuleType, function: str, name: str) -> Callable[..., Any]:
    value = getattr(module, function, None)
    if not callable(value):
        names = [key for key, x in vars(module).items() if callable(x)]
        what = "no function" if value is None else "something that cannot be called as"
        raise ModelError(
            f"{what} '{function}' in '{module.__name__}' for the plug-in '{name}'"
            f"{suggestion(function, names)}"
        )
    return value
