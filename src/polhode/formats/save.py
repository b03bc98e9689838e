"""One door for writing model files: the suffix decides the format."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import ModelError, suggestion
from ..model import Model
from .load import READERS


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a URDF or an RBDL Lua file.

    Parameters
    ----------
    model : Model
    path : path
        A file whose name ends in ``.urdf`` or ``.lua``; replaced if it exists.

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
    match Path(path).suffix.lower():
        case ".urdf":
            from .urdf import writer
        case ".lua":
            from .lua import writer
        case suffix:
            raise ModelError(
                f"expected a file name that ends in {' or '.join(READERS)}, got '{path}'"
                + suggestion(suffix, READERS)
            )
    writer.write(model, path)
