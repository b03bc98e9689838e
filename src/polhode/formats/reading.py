"""What a reader returns: the model, and notes on what in the file is not in the model."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ..errors import ModelWarning
from .names import near

Read = TypeVar("Read")

WARNED = ("ignored", "doubtful")  # kinds of note that a user must see; the others are for reports
SHOWN = 8


@dataclass(frozen=True)
class Note:
    """One remark on a file.

    Attributes
    ----------
    kind : str
        ``"ignored"`` (not read, might matter), ``"doubtful"`` (read as written, probably not
        meant), ``"snapped"`` (an angle read as a multiple of pi/2), ``"dynamics"`` (joint damping
        or friction, which belong to no rigid-body algorithm), ``"mesh"`` (a mesh not found),
        ``"hint"`` (understood, but without effect here).
    text : str
    line : int or None
    """

    kind: str
    text: str
    line: int | None = None

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass
class Notes:
    """The notes made while one file is read."""

    found: list[Note] = field(default_factory=list)

    def add(self, kind: str, text: str, line: int | None = None) -> None:
        self.found.append(Note(kind, text, line))

    def hint(self, name: str, known: Iterable[str]) -> str:
        """A near name, while the notes are few enough that somebody will read it."""
        return near(name, known) if len(self.found) < 100 else ""


@dataclass(frozen=True)
class Reading(Generic[Read]):
    """A model or a scene with the notes made while reading it.

    Attributes
    ----------
    model : Model or Scene
    notes : tuple of Note
        In the order of the file.
    file : str
    """

    model: Read
    notes: tuple[Note, ...]
    file: str

    def warn(self, stacklevel: int = 2) -> Read:
        """Raise at most one ModelWarning for all notes that matter, and return the model."""
        texts = [str(note) for note in self.notes if note.kind in WARNED]
        if texts:
            more = f"\n  ... and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
            message = f"{self.file}: {len(texts)} remark(s)\n  " + "\n  ".join(texts[:SHOWN]) + more
            warnings.warn(message, ModelWarning, stacklevel=stacklevel + 1)
        return self.model
