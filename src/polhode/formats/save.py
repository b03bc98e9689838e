"""One function for writing model files: the suffix decides the format, or its name does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelError, suggestion, suggests_options
from ..model import Model
from .load import check_choice

if TYPE_CHECKING:
    from ..scene import Scene

WRITERS = {".urdf": "urdf", ".lua": "lua", ".sdf": "sdf", ".xml": "moby", ".mjcf": "mjcf"}
FORMATS = tuple(WRITERS.values())


@suggests_options
def save(model: Model | Scene, path: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write a model to URDF, RBDL Lua, SDF or MJCF, or a scene to SDF, MJCF or Moby XML.

    Parameters
    ----------
    model : Model or Scene
    path : path
        A file that is replaced if it exists.  Meshes and height fields become files beside it.
    format : "urdf", "lua", "sdf", "moby" or "mjcf", optional
        Without it the file extension decides: ``.urdf``, ``.lua``, ``.sdf``, ``.mjcf``, or ``.xml``
        for Moby.

    Raises
    ------
    ModelError
        For another kind of file, and for what the format cannot express.

    Warns
    -----
    ModelWarning
        Of what is not written because the format has no place for it.

    Examples
    --------
    >>> import polhode as ph, tempfile
    >>> from polhode.model import Revolute
    >>> arm = ph.Model("arm").add("link", joint=Revolute.y(), mass=2.0, inertia=(0.1, 0.1, 0.1))
    >>> path = tempfile.mkdtemp() + "/arm.lua"
    >>> ph.save(arm, path)
    >>> ph.load(path).fingerprint == arm.fingerprint
    True
    """
    kind = format_of(path, format)
    if kind == "mjcf":
        from .mjcf import writer as mjcf

        mjcf.write(model, path)
    elif kind == "sdf":
        from .sdf import writer as sdf

        sdf.write(model, path)
    elif isinstance(model, Model):
        if kind == "moby":
            raise ModelError(f"a Moby file holds a Scene, got a Model: '{path}'; "
                             'Scene.of(model) makes one, format="mjcf" writes MJCF')  # fmt: skip
        if kind == "urdf":
            from .urdf import writer
        else:
            from .lua import writer
        writer.write(model, path)
    elif kind == "moby":
        from .moby import writer as moby

        moby.write(model, path)
    else:
        suffix = Path(path).suffix.lower()
        raise ModelError(f"a {suffix} file holds a Model, got a {type(model).__name__}: '{path}'")


def format_of(path: str | os.PathLike[str], format: str | None) -> str:
    """The format of a file to be written.

    Raises
    ------
    ModelError
        If no format has that name or file extension.
    """
    if format is not None:
        check_choice("format", format, FORMATS)
        return format
    suffix, known = Path(path).suffix.lower(), tuple(WRITERS)
    if suffix not in WRITERS:
        raise ModelError(
            f"expected a file name that ends in {', '.join(known[:-1])} or {known[-1]}, "
            f"got '{path}'{suggestion(suffix, known)}"
        )
    return WRITERS[suffix]
