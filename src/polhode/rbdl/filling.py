"""Fill an empty model from a file: what constructors and readers of files share."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..errors import ModelError, ParseError
from ..formats import read
from ..formats.load import READERS
from ..model import FloatingBase, Link
from ..model import Model as CoreModel
from .body import Body
from .errors import RBDLError, RBDLFileParseError, RBDLInvalidFileError, ignored
from .joint import Joint, JointType
from .spatial import SpatialTransform

if TYPE_CHECKING:
    from .model import Model

Path_ = str | bytes | os.PathLike[str]


def fill(model: Model, filename: Path_, *, verbose: bool = False, **options: Any) -> None:
    """Read a file into an empty model; options that do not apply are ignored with a warning."""
    if len(model.mBodies) > 1 or model.mFixedBodies:
        raise RBDLError("expected an empty model to read a file into, got one with bodies")
    known = inspect.signature(read).parameters
    ignored("loadModel", options.keys() - known.keys(), "it has no such option", depth=4)
    if options.get("floating_base") and path_text(filename).lower().endswith(".lua"):
        why = "a Lua file says itself how its first body moves"
        ignored("loadModel", ["floating_base"], why, depth=4)
        options["floating_base"] = False
    core = read_core(filename, **{key: options[key] for key in options if key in known})
    add_links(model, core.links, core)
    if verbose:
        print(core.hierarchy())


def path_text(filename: Path_) -> str:
    """A path as text."""
    return os.fsdecode(filename)


def read_core(filename: Path_, **options: Any) -> CoreModel:
    """The model in a file; what goes wrong is told as RBDL's errors."""
    text = path_text(filename)
    if not text.lower().endswith(READERS):
        raise RBDLInvalidFileError(f"expected a file that ends in {' or '.join(READERS)}", text)
    with rbdl_errors(text):
        return read(text, **options).warn(stacklevel=4)


@contextmanager
def rbdl_errors(path: str) -> Iterator[None]:
    """Tell what goes wrong with a file as RBDL's errors."""
    try:
        yield
    except ParseError as error:
        raise RBDLFileParseError(error.message, error.file, error.line) from None
    except FileNotFoundError as error:
        raise RBDLInvalidFileError(f"cannot open '{path}': {error}") from None
    except ModelError as error:
        raise RBDLError(str(error)) from None


def add_links(model: Model, links: Sequence[Link], core: CoreModel) -> None:
    """Add links, with RBDL's joints; a free joint inside a URDF becomes its two bodies."""
    model.gravity = [float(x) for x in core.gravity.lin]
    for link in links:
        parent = 0 if link.parent is None else model.GetBodyId(link.parent)
        joint, body = Joint.of(link.joint), Body.of(link.body)
        frame = SpatialTransform.of(link.frame)
        if isinstance(link.joint, FloatingBase) and link.parent is not None:
            slide = Joint(JointType.JointTypeTranslationXYZ)
            parent = model.AddBody(parent, frame, slide, Body(), f"{link.name}_Translate")
            joint, frame = Joint(JointType.JointTypeEulerXYZ), SpatialTransform()
        model.AddBody(parent, frame, joint, body, link.name)
