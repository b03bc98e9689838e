"""One function for writing model files: the suffix decides the format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelError, suggestion
from ..model import Model

if TYPE_CHECKING:
    from ..scene import Scene

WRITERS = (".urdf", ".lua", ".xml")


def save(model: Model | Scene, path: str | os.PathLike[str]) -> None:
    """Write a model to a URDF or an RBDL Lua file, or a scene to Moby XML.

    Parameters
    ----------
    model : Model or Scene
    path : path
        A file whose name ends in ``.urdf`` or ``.lua``, for a scene in ``.xml``; replaced if it
        exists.  Meshes and height fields of a scene become files beside it.

    Raises
    ------
    ModelError
        For another kind of file, and for what the format cannot express.

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
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise ModelError(
            f"expected a file name that ends in {', '.join(WRITERS[:-1])} or {WRITERS[-1]}, "
            f"got '{path}'{suggestion(suffix, WRITERS)}"
        )
    if (suffix == ".xml") == isinstance(model, Model):
        what = "a Scene" if suffix == ".xml" else "a Model"
        raise ModelError(f"a {suffix} file holds {what}, got a {type(model).__name__}: '{path}'")
    match suffix:
        case ".urdf":
            from .urdf import writer
        case ".lua":
            from .lua import writer
        case _:
            from .moby import writer
    writer.write(model, path)  # type: ignore[arg-type]
