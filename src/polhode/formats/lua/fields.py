"""Checked access to a Lua table: every error names the path, the frame, and its line if known."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, cast

from ...errors import ParseError
from ...model.records import Matrix, Triple
from ..names import near, shorten
from ..reading import Notes
from .answer import Opaque, Table
from .text import Lines


@dataclass(frozen=True)
class TableFields:
    """A table of the file and the way to it.

    ``path`` is such as ``frames[3].body``; ``owner`` the frame or constraint it belongs to, as
    text; ``line`` where that has its name.  Where the name is not in the text, as when it is put
    together, an error points at the list that the table is in.
    """

    table: Table
    file: str
    notes: Notes
    lines: Lines
    path: str = ""
    owner: str = ""
    line: int | None = None

    def named(self, kind: str) -> TableFields:
        """These fields, known by their ``name`` in messages."""
        name = self.table.keys.get("name")
        if not isinstance(name, str):
            return self
        return replace(self, owner=f" ({kind} '{shorten(name)}')", line=self.lines.of(name))

    def error(self, key: str, message: str) -> ParseError:
        """An error about one field."""
        line = self.line or self.lines.of_key(re.split(r"[.\[]", self._at(key))[0])
        return ParseError(f"{self._at(key)}{self.owner}: {message}", self.file, line)

    def note(self, kind: str, key: str, message: str, part: str = "", whole: str = "") -> None:
        """A note on one field; ``part`` and ``whole`` as in `Note`."""
        self.notes.add(kind, f"{self._at(key)}{self.owner}: {message}", self.line, part, whole)

    def _at(self, key: str) -> str:
        if self.path and key:
            return self.path + key if key.startswith("[") else f"{self.path}.{key}"
        return self.path or key or "the model"

    def has(self, key: str) -> bool:
        return self.table.keys.get(key) is not None

    def number(self, key: str, default: float) -> float:
        """A finite number, or the default if there is none."""
        return self._number(key, self.table.keys[key]) if self.has(key) else default

    def flag(self, key: str, default: bool = False) -> bool:
        value = self.table.keys.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"expected true or false, found {_kind(value)}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """A string; required if there is no default."""
        value = self.table.keys.get(key, default)
        if value is None:
            found = near(key, self.table.keys)
            raise self.error(key, f"missing (a text is required){found}")
        if not isinstance(value, str):
            raise self.error(key, f"expected a text, found {_kind(value)}")
        return value

    def vector(
        self, key: str, length: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """So many finite numbers; required if there is no default."""
        value = self.table.keys.get(key)
        if value is None and default is not None:
            return default
        return self._vector(key, value, length)

    def triple(self, key: str, default: Triple | None = None) -> Triple:
        """Three finite numbers; required if there is no default."""
        x, y, z = self.vector(key, 3, default)
        return x, y, z

    def square(self, key: str, default: Matrix) -> Matrix:
        """A matrix of three rows and columns, or the default if there is none."""
        a, b, c = self.matrix(key, 3, 3, default)
        return cast(Matrix, (a, b, c))

    def matrix(
        self,
        key: str,
        rows: int | None,
        columns: int,
        default: tuple[tuple[float, ...], ...] | None = None,
    ) -> tuple[tuple[float, ...], ...]:
        """A list of rows; required if there is no default, of any length if ``rows`` is None."""
        value = self.table.keys.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, Table):
            raise self.error(key, f"expected a list of rows, found {_kind(value)}")
        self._check_list(key, value)
        if rows is not None and len(value.array) != rows:
            raise self.error(key, f"expected {rows} rows, found {len(value.array)}")
        return tuple(
            self._vector(f"{key}[{k}]", row, columns) for k, row in enumerate(value.array, 1)
        )

    def fields(self, key: str) -> TableFields | None:
        """A table inside this one, or None."""
        if not self.has(key):
            return None
        return self._inside(key, self.table.keys[key])

    def entries(self, key: str) -> list[TableFields]:
        """The tables of a list inside this one; none if it is absent."""
        inner = self.fields(key)
        return [] if inner is None else inner.listed()

    def listed(self) -> list[TableFields]:
        """The tables that this list consists of."""
        self._check_list("", self.table)
        items = enumerate(self.table.array, 1)
        return [self._inside(f"[{k}]", item) for k, item in items]

    def note_unknown(self, known: Iterable[str]) -> None:
        """Note all keys that are not among those known."""
        known = set(known)
        if self.table.array:
            self.note("ignored", "", f"{len(self.table.array)} entries without a key are not read")
        for key in self.table.other[:20]:
            self.note("ignored", f"[{key}]", "not read")
        for key in sorted(self.table.keys.keys() - known):
            hint = self.notes.hint(key, known)
            whole = re.sub(r"\[\d+\]", "[]", self.path) or "the model"
            self.note("ignored", shorten(key), f"not read{hint}", f"'{shorten(key)}'", whole)

    def _inside(self, key: str, value: Any) -> TableFields:
        if not isinstance(value, Table):
            raise self.error(key, f"expected a table, found {_kind(value)}")
        return replace(self, table=value, path=self._at(key))

    def _check_list(self, key: str, table: Table) -> None:
        odd = [*table.keys, *table.other]
        if odd:
            raise self.error(
                key,
                f"expected a list, found an entry with the key '{shorten(str(odd[0]))}' "
                "(Lua does not keep the order of keyed entries)",
            )

    def _vector(self, key: str, value: Any, length: int) -> tuple[float, ...]:
        if not isinstance(value, Table):
            raise self.error(key, f"expected {length} numbers, found {_kind(value)}")
        self._check_list(key, value)
        if len(value.array) != length:
            raise self.error(key, f"expected {length} numbers, found {len(value.array)}")
        return tuple(self._number(f"{key}[{k}]", x) for k, x in enumerate(value.array, 1))

    def _number(self, key: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error(key, f"expected a number, found {_kind(value)}")
        if not math.isfinite(value):
            raise self.error(key, f"expected a finite number, found {value}")
        return float(value)


def _kind(value: Any) -> str:
    """Description of a value, for messages."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value:g}"
        case str():
            return f"the text '{shorten(value, 40)}'"
        case Opaque(kind):
            return f"a {kind}"
        case _:
            return "a table"
