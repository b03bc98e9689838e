"""Shapes that a plug-in gives by their signed distance: the torus of MuJoCo."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import ModelError
from ...model import Torus
from ..names import near, shorten
from ..xml import Element
from .values import describe, number, required, text

TORUS = "mujoco.sdf.torus"
_RADII = {"radius1": 0.35, "radius2": 0.15}  # of the ring and of its tube, where a file has none


def tori_of(root: Element) -> dict[str, Torus]:
    """The tori that a file's ``<extension>`` gives names.

    Raises
    ------
    ParseError
        For any other plug-in.
    """
    plugins = [plugin for extension in root.all("extension") for plugin in extension.children]
    for plugin in plugins:
        _check(plugin)
    return {required(each, "name"): _torus(each)
            for plugin in plugins for each in plugin.all("instance")}  # fmt: skip


def torus_of(user: Element, known: Mapping[str, Torus]) -> Torus | None:
    """The torus of a mesh or geom; None if no plug-in gives its shape."""
    for plugin in user.all("plugin"):
        name = text(plugin, "instance")
        if name is None:
            _check(plugin)
            return _torus(plugin)
        if name not in known:
            raise plugin.error(f"{describe(user)}: no plug-in '{shorten(name)}'{near(name, known)}")
        return known[name]
    return None


def _check(plugin: Element) -> None:
    if text(plugin, "plugin") != TORUS:
        raise plugin.error(f"{describe(plugin)}: plug-ins but {TORUS} are not read")


def _torus(element: Element) -> Torus:
    radii = dict(_RADII)
    for part in element.all("config"):
        key = required(part, "key")
        if key in radii:
            radii[key] = number(part, "value", radii[key])
    try:
        return Torus(*radii.values())
    except ModelError as error:
        raise element.error(f"{describe(element)}: {error}") from None
