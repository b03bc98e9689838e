"""The version of an SDF, and what depends on it."""

from __future__ import annotations

import re

from ..names import shorten
from ..reading import Notes
from ..xml import Element

Version = tuple[int, int]
OLDEST: Version = (1, 2)
NEWEST: Version = (1, 12)
AXES_OF_JOINTS: Version = (1, 5)  # from here on axes are in the joint's frame
SCOPES: Version = (1, 8)  # from here on names have no scope: before, flat models had
SCOPE = "::"
NAMED = ("model", "link", "joint", "frame")
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})", re.ASCII)


def read_version(root: Element, notes: Notes) -> Version:
    """The version of a file; the newest where it does not say.

    Raises
    ------
    ParseError
        For a version older than those that are read, for what is no version, and for names that
        the version reserves.
    """
    version = _version(root, notes)
    if version >= SCOPES:
        _refuse_scopes(root, version)
    return version


def _version(root: Element, notes: Notes) -> Version:
    newest = "{}.{}".format(*NEWEST)
    if "version" not in root.attributes:
        notes.add("doubtful", f"<sdf> has no attribute 'version': read as version {newest}",
                  root.line)  # fmt: skip
        return NEWEST
    word = root.attributes["version"].strip()
    found = _VERSION.fullmatch(word)
    version: Version = (int(found[1]), int(found[2])) if found is not None else (0, 0)
    if version < OLDEST:
        known = "{}.{} to {}".format(*OLDEST, newest)
        raise root.error(f"expected a version of SDF from {known}, found '{shorten(word)}'")
    if version > NEWEST:
        text = f"version {word} of SDF is not known: read as version {newest}"
        notes.add("doubtful", text, root.line)
    return version


def _refuse_scopes(root: Element, version: Version) -> None:
    """Refuse names that could be those of parts of inner models."""
    stack = list(root.children)
    while stack:
        element = stack.pop()
        name = element.attributes.get("name", "")
        if element.tag in NAMED and SCOPE in name:
            raise element.error(
                f"expected a name without '{SCOPE}', found '{shorten(name)}' of <{element.tag}>: "
                f"version {version[0]}.{version[1]} of SDF reserves it for parts of inner models. "
                "Put the part into a <model> of its own, or write '_'"
            )
        stack += element.children
