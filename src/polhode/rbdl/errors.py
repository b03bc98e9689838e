"""The exceptions of RBDL, as kinds of polhode's."""

from __future__ import annotations

from ..errors import ModelError, ParseError, ShapeError


class RBDLError(ModelError):
    """What RBDL throws for a wrong call; base of the others."""


class RBDLInvalidParameterError(RBDLError):
    """An argument that has no meaning here."""


class RBDLSizeMismatchError(RBDLError, ShapeError):
    """An array of the wrong shape."""


class RBDLDofMismatchError(RBDLError, ShapeError):
    """An array whose length is not the model's number of freedoms or coordinates."""


class RBDLFileParseError(RBDLError, ParseError):
    """A file that cannot be opened or read; the text begins with ``file:line:`` if known."""

    def __init__(self, message: str, file: str | None = None, line: int | None = None):
        ParseError.__init__(self, message, file, line)

    def __reduce__(self) -> tuple[type[RBDLFileParseError], tuple[str, str | None, int | None]]:
        return RBDLFileParseError, (self.message, self.file, self.line)
