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
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})", re.ASCII)


def has_axes_of_models(root: Element, notes: Notes) -> bool:
    """Whether axes are in the model's frame where a joint does not say otherwise.

    Raises
    ------
    ParseError
        For a version older than those that are read, and for what is no version.
    """
    if "version" not in root.attributes:
        text = "<sdf> has no attribute 'version': read as version {}.{}".format(*NEWEST)
        notes.add("doubtful", text, root.line)
        return False
    word = root.attributes["version"].strip()
    found = _VERSION.fullmatch(word)
    version: Version = (int(found[1]), int(found[2])) if found is not None else (0, 0)
    if version < OLDEST:
        known = "{}.{} to {}.{}".format(*OLDEST, *NEWEST)
        raise root.error(f"expected a version of SDF from {known}, found '{shorten(word)}'")
    if version > NEWEST:
        newest = "{}.{}".format(*NEWEST)
        text = f"version {word} of SDF is not known: read as version {newest}"
        notes.add("doubtful", text, root.line)
    return version < AXES_OF_JOINTS
