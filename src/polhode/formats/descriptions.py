"""Robots by name, from the package ``robot_descriptions`` where it is installed."""

from __future__ import annotations

import os
import re
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from ..errors import ModelError, suggestion

_NAME = re.compile(r"[a-z0-9_]+_description", re.ASCII)


class Description(NamedTuple):
    """The file of a robot, and the folders of its meshes."""

    path: str
    package_roots: tuple[str, ...]


def is_description(name: str) -> bool:
    """Whether a path is the name of a robot, and no file or folder."""
    return _NAME.fullmatch(name) is not None and not os.path.exists(name)


def described(name: str) -> Description:
    """The file of a robot; importing its description downloads it once.

    Raises
    ------
    FileNotFoundError
        If the package is not installed.
    ModelError
        If it has no such robot, or no file of a kind that is read.
    """
    try:
        import_module("robot_descriptions")
        module = import_module(f"robot_descriptions.{name}")
    except ModuleNotFoundError as error:
        raise _absent(name, error.name or "") from None
    path = getattr(module, "URDF_PATH", None) or getattr(module, "MJCF_PATH", None)
    path = path or getattr(module, "XACRO_PATH", None)
    if path is None:
        raise ModelError(f"'{name}' of robot_descriptions has neither a URDF nor an MJCF file")
    return Description(os.fspath(path), tuple(_roots(module)))


def _roots(module: ModuleType) -> list[str]:
    """Folders that are packages, or have some in them."""
    inner: dict[str, Any] = getattr(module, "XACRO_PACKAGE_PATHS", {})
    found = [getattr(module, key, None) for key in ("PACKAGE_PATH", "REPOSITORY_PATH")]
    return [os.fspath(path) for path in (*found, *inner.values()) if path is not None]


def _absent(name: str, missing: str) -> Exception:
    """The error for a module that is not there."""
    if missing == "robot_descriptions":
        return FileNotFoundError(
            f"no file '{name}'; robots of that kind of name are loaded by the package "
            "robot_descriptions: pip install robot_descriptions"
        )
    if missing != f"robot_descriptions.{name}":
        return ModelError(f"robot_descriptions needs the package {missing} for '{name}'")
    known = getattr(import_module("robot_descriptions"), "DESCRIPTIONS", ())
    return ModelError(f"robot_descriptions has no robot '{name}'{suggestion(name, known)}")
