"""The result of a reader: the model, and notes on elements that are not in the model."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from ..errors import ModelWarning, is_news, one_line
from .names import near

Read = TypeVar("Read")

WARNED = ("doubtful", "ignored")  # kinds of note that a user must see when a file is loaded
REPORTED = (*WARNED, "mesh", "dynamics")  # and those that a report of a file shows
SHOWN = 2  # of each kind in a warning; `polhode check` shows all
MOST = 1000  # notes that are kept of one file, and counted from there on
MOST_HINTS = 20  # nobody reads more, and a search for a near name takes time
_LONGEST = 300
_NAMES = re.compile(r"""\"[^"]*\"|'[^']*'|[-+]?\d[\d.e+-]*""")  # what is not the same in like notes


@dataclass(frozen=True)
class Note:
    """One note on a file.

    Attributes
    ----------
    kind : str
        ``"ignored"``: not read, may be relevant. ``"doubtful"``: read as written, suspicious.
        ``"snapped"``: an angle read as a multiple of pi/2. ``"dynamics"``: joint damping or
        friction, which belong to no rigid-body algorithm. ``"mesh"``: a mesh not found.
        ``"hint"``: understood, but without effect here.
    text : str
    line : int or None
    part, whole : str
        For elements that are not read: the attribute or element, and the kind of its parent
        element. Notes that agree in both are grouped.
    """

    kind: str
    text: str
    line: int | None = None
    part: str = ""
    whole: str = ""

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass
class Notes:
    """The notes made while one file is read."""

    found: list[Note] = field(default_factory=list)
    more: int = 0

    def add(
        self, kind: str, text: str, line: int | None = None, part: str = "", whole: str = ""
    ) -> None:
        if len(self.found) < MOST:
            told = one_line(text, keep="\t")
            self.found.append(Note(kind, told, line, one_line(part, 60), whole))
        else:
            self.more += 1

    def pass_on(self, inner: Iterable[Note], path: str, line: int | None) -> None:
        """Tell of an inner file where the outer one names it."""
        for note in inner:
            self.add(note.kind, f"{path}: {note}", line, note.part, note.whole)

    def hint(self, name: str, known: Iterable[str]) -> str:
        """A near name, while the notes are few enough that somebody will read it."""
        return near(name, known) if len(self.found) < MOST_HINTS else ""

    def ordered(self) -> tuple[Note, ...]:
        """All notes by line, the last of them the number of those that were not kept."""
        rest = [Note("doubtful", f"{self.more} more warnings are not kept")] if self.more else []
        return (*sorted(self.found, key=lambda note: note.line or 0), *rest)


def together(notes: Sequence[Note]) -> list[Note]:
    """Notes that say the same of many places as one each, at the first of the places."""
    groups: dict[tuple[str, ...], list[Note]] = {}
    for note in notes:
        key = (note.part, note.whole) if note.part else (_NAMES.sub("", note.text),)
        groups.setdefault((note.kind, *key), []).append(note)
    told: list[Note] = []
    parts: dict[tuple[object, ...], int] = {}  # of the same places: where they are told
    for group in groups.values():
        first, lines = group[0], tuple(note.line for note in group)
        if len(group) == 1:
            told.append(first)
        elif not first.part:
            told.append(replace(first, text=f"{first.text} (and {len(group) - 1} more like this)"))
        elif (key := (first.kind, first.whole, lines)) in parts:
            other = told[parts[key]]
            told[parts[key]] = _unread(other, f"{other.part}, {first.part}", lines)
        else:
            parts[key] = len(told)
            told.append(_unread(first, first.part, lines))
    return told


def _unread(note: Note, part: str, lines: Sequence[int | None]) -> Note:
    verb, count = "are" if ", " in part else "is", len(set(lines))
    return replace(note, part=part, text=f"{part} of {count} {note.whole} {verb} not read")


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

    def warn(self, stacklevel: int = 2, *, repeats: bool = True) -> Read:
        """Raise at most one ModelWarning, in one line, and return the model.

        What is read as written, but is suspicious, changes the motion and comes first.  Unless it
        ``repeats``, a warning is not given that this process has given before.
        """
        parts, hidden = [], 0
        for kind in WARNED:
            notes = [note for note in self.notes if note.kind == kind]
            told = together(notes)
            shown = [one_line(str(note), _LONGEST) for note in told[:SHOWN]]
            if len(told) > SHOWN:
                shown.append(f"{len(told) - SHOWN} more")
                hidden += len(told) - SHOWN
            if notes:
                parts.append(f"{len(notes)} {kind}: {' | '.join(shown)}")
        if parts:
            file = one_line(self.file, _LONGEST)
            hint = f" (polhode check {file} lists all)" if hidden else ""
            text = f"{file}: {' | '.join(parts)}{hint}"
            if is_news(text) or repeats:
                warnings.warn(text, ModelWarning, stacklevel=stacklevel + 1)
        return self.model
