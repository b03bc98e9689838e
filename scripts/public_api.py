"""Print the public names of polhode with their parameters, one a line.

``python scripts/public_api.py > tests/hardening/public_api.txt`` after a change that is meant.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any, get_origin

from polhode import _NAMESPACES

BESIDES = ("adapters", "cuda")
"""Namespaces that need other libraries or devices."""
PACKAGES = ("polhode", *(f"polhode.{name}" for name in _NAMESPACES if name not in BESIDES))


def lines() -> Iterator[str]:
    """Each public name of the packages with what it takes."""
    for package in PACKAGES:
        module = import_module(package)
        for name in sorted(_names(module)):
            yield from _described(f"{package}.{name}", getattr(module, name))


def _names(module: Any) -> list[str]:
    named = getattr(module, "__all__", None)
    if named is not None:
        return list(named)
    return [
        name for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]  # fmt: skip


def _described(path: str, value: Any) -> Iterator[str]:
    if inspect.ismodule(value):
        yield f"{path}: module"
    elif get_origin(value) is not None:
        yield f"{path}: type"
    elif inspect.isclass(value):
        yield f"class {path}{_parameters(value)}"
        for name in sorted(dir(value)):
            if not name.startswith("_"):
                yield from _member(f"{path}.{name}", value, name)
    elif callable(value):
        yield f"{path}{_parameters(value)}"
    else:
        yield f"{path}: {type(value).__name__}"


def _member(path: str, cls: type, name: str) -> Iterator[str]:
    owner = next(base for base in cls.__mro__ if name in vars(base))
    if not owner.__module__.startswith("polhode"):
        return  # of Python's own classes
    value = inspect.getattr_static(cls, name)
    inner = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
    yield f"{path}{_parameters(inner)}" if inspect.isfunction(inner) else path


def _parameters(value: Any) -> str:
    if inspect.isclass(value) and issubclass(value, Enum):
        return "(value)"  # the signature of `Enum` itself depends on the version of Python
    try:
        found = inspect.signature(value)
    except (ValueError, TypeError):
        return "(...)"
    plain = [p.replace(annotation=p.empty, default=_default(p)) for p in found.parameters.values()]
    return str(found.replace(parameters=plain, return_annotation=found.empty))


class _Some:
    """Stands for a default that has no short text of its own."""

    def __repr__(self) -> str:
        return "..."


def _default(parameter: inspect.Parameter) -> Any:
    value = parameter.default
    is_plain = isinstance(value, (bool, int, float, str, tuple, type(None)))
    return value if value is parameter.empty or is_plain else _Some()


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lines())
