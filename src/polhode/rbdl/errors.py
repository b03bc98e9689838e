"""The exceptions of RBDL, as kinds of polhode's."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from ..errors import ModelError, ParseError, ShapeError, shown


class RBDLError(ModelError):
    """What RBDL throws for a wrong call; base of the others."""


class RBDLInvalidParameterError(RBDLError):
    """An argument that has no meaning here."""


class RBDLMissingImplementationError(RBDLError, NotImplementedError):
    """What polhode does not have, such as objects made from addresses in memory."""


class RBDLSizeMismatchError(RBDLError, ShapeError):
    """An array of the wrong shape."""


class RBDLDofMismatchError(RBDLError, ShapeError):
    """An array whose length is not the model's number of freedoms or coordinates."""


class RBDLFileParseError(RBDLError, ParseError):
    """A file that cannot be opened or read; the text begins with ``file:line:`` if known."""

    def __init__(self, message: str, file: str | None = None, line: int | None = None):
        ParseError.__init__(self, message, file, line)

    def __reduce__(self) -> tuple[type[RBDLFileParseError], tuple[str, str | None, int | None]]:
        return type(self), (self.message, self.file, self.line)


class RBDLInvalidFileError(RBDLFileParseError):
    """A file that is not there, or that is neither Lua nor URDF."""


class RBDLWarning(UserWarning):
    """A call of which a part is ignored, or is taken in an earlier meaning."""


def of_class(value: object, kind: type, name: str) -> None:
    """Refuse what is not of a class."""
    if not isinstance(value, kind):
        raise RBDLInvalidParameterError(f"expected a {kind.__name__} as {name}, got {shown(value)}")


def ignored(
    function: str, names: Iterable[str], why: str = "it has no such parameter", depth: int = 3
) -> None:
    """Warn of keywords that RBDL's wrapper takes and does not look at."""
    for name in sorted(names):
        warnings.warn(f"{function} ignores '{name}': {why}", RBDLWarning, stacklevel=depth)
