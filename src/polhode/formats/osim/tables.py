"""Tables of numbers against time: OpenSim's ``.mot`` and ``.sto``, and markers in ``.trc``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...arguments import as_texts
from ...arrays import ArrayLike, as_array
from ...errors import (
    ArgumentError,
    ModelError,
    ModelWarning,
    ParseError,
    ShapeError,
    shown,
    suggestion,
    warn_caller,
)
from ..literals import is_infinity, is_number
from ..names import near, shorten
from ..source import check_text, read_bytes

MAX_BYTES = 256 * 2**20  # an hour of 60 columns at 100 Hz has 250 MB
MOST_HEADER = 1000
MOST_COLUMNS = 10_000
COUNTED = {"nrows": "rows", "datarows": "rows", "numframes": "frames", "ncolumns": "columns",
           "datacolumns": "columns", "nummarkers": "markers"}  # fmt: skip
UNITS = {"m": 1.0, "meters": 1.0, "mm": 1e-3, "cm": 1e-2}
ROUNDING = 1e-6  # s, to which files write their times
Lines = Iterator[tuple[int, str]]


@dataclass(frozen=True)
class _Count:
    """How many rows, columns, frames or markers a header says there are."""

    label: str
    number: int
    line: int

    @property
    def of(self) -> str:
        return COUNTED[self.label.lower()]


@dataclass(frozen=True, eq=False)
class MotionTable:
    """Columns of numbers against time, as a file has them.

    Attributes
    ----------
    names : tuple of str
        Of the columns, without that of the time.
    times : ndarray, shape (n,)
        [s].
    values : ndarray, shape (n, columns)
    in_degrees : bool or None
        Whether angles are in degrees; None if the file does not say.

    Raises
    ------
    ArgumentError
        If names are there twice, or times do not rise; `ShapeError` if there are none, or the
        numbers do not fit.
    """

    names: tuple[str, ...]
    times: np.ndarray
    values: np.ndarray
    in_degrees: bool | None = None

    def __post_init__(self) -> None:
        _check_table(self, "values", ())

    def columns(self, *names: str) -> np.ndarray:
        """Some columns by their names.

        Parameters
        ----------
        *names : str
            As in ``names``.

        Returns
        -------
        values : ndarray, shape (n, columns)

        Raises
        ------
        ModelError
            If there is no such column.
        """
        return self.values[:, [_place(name, self.names, "column") for name in names]]

    def at(self, times: ArrayLike) -> MotionTable:
        """The table at other times, on straight lines between its rows.

        Parameters
        ----------
        times : array_like, shape (n,)
            Rising, and within those of the table [s].

        Returns
        -------
        table : MotionTable

        Raises
        ------
        ModelError
            If a time is outside.
        """
        new = as_array("times", times)
        if new.ndim != 1 or not len(new):
            raise ModelError(f"expected times in one row, got shape {new.shape}")
        first, last = self.times[0], self.times[-1]
        if not (new.min() >= first - ROUNDING and new.max() <= last + ROUNDING):
            raise ModelError(
                f"expected times from {first:g} to {last:g} s, got {new.min():g} to {new.max():g}"
            )
        values = [np.interp(new, self.times, column) for column in self.values.T]
        return MotionTable(self.names, new, np.reshape(values, (-1, len(new))).T, self.in_degrees)

    def __repr__(self) -> str:
        return f"MotionTable({_size(self.times)}, {len(self.names)} columns)"


@dataclass(frozen=True, eq=False)
class MarkerTable:
    """Places of markers against time, in metres; NaN where one was not seen.

    Attributes
    ----------
    names : tuple of str
    times : ndarray, shape (n,)
        [s].
    positions : ndarray, shape (n, markers, 3)
        [m].

    Raises
    ------
    ArgumentError
        If names are there twice, or times do not rise; `ShapeError` if there are none, or the
        numbers do not fit.
    """

    names: tuple[str, ...]
    times: np.ndarray
    positions: np.ndarray

    def __post_init__(self) -> None:
        _check_table(self, "positions", (3,))

    def position(self, name: str) -> np.ndarray:
        """Where one marker was.

        Parameters
        ----------
        name : str
            As in ``names``.

        Returns
        -------
        positions : ndarray, shape (n, 3)

        Raises
        ------
        ModelError
            If there is no such marker.
        """
        return self.positions[:, _place(name, self.names, "marker")]

    def __repr__(self) -> str:
        return f"MarkerTable({_size(self.times)}, {len(self.names)} markers)"


def read_table(path: str | os.PathLike[str]) -> MotionTable | MarkerTable:
    """Read a table of OpenSim: a motion, forces, or places of markers.

    Parameters
    ----------
    path : path
        A file whose name ends in ``.mot``, ``.sto`` or ``.trc``.

    Returns
    -------
    table : MotionTable or MarkerTable
        A `MarkerTable` for ``.trc``.

    Raises
    ------
    FileNotFoundError
        If there is no such file; says which names are near.
    ParseError
        For everything that is wrong in the file, with file and line.
    ModelError
        For another kind of file.

    Warns
    -----
    ModelWarning
        If the header says another number of rows or frames than there are; all are read.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".mot", ".sto", ".trc"):
        hint = suggestion(suffix, (".mot", ".sto", ".trc"))
        raise ModelError(
            f"expected a file name that ends in .mot, .sto or .trc, got '{path}'{hint}"
        )
    return parse_table(read_bytes(path, MAX_BYTES), str(path), is_markers=suffix == ".trc")


def parse_table(
    data: bytes, file: str = "<string>", *, is_markers: bool = False
) -> MotionTable | MarkerTable:
    """The table of a text; ``file`` is its name in errors."""
    check_text(data, file, "a table")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # of old programs; labels are ASCII in both
    lines = enumerate(text.splitlines(), 1)
    return _markers(lines, file) if is_markers else _motion(lines, file)


# -- motions and forces --


def _motion(lines: Lines, file: str) -> MotionTable:
    in_degrees, counts = _header(lines, file)
    line, labels = _next(lines, file, "labels of columns")
    names = _cells(labels)
    if not names or names[0].lower() != "time":
        found = shorten(names[0]) if names else ""
        raise ParseError(f"expected 'time' as the first label, found '{found}'", file, line)
    _check_names(names, file, line)
    rows = [
        _row(words, len(names), file, number) for number, text in lines if (words := text.split())
    ]
    numbers = np.array(rows, float).reshape(len(rows), len(names))
    _check_times(numbers[:, 0], file, line)
    _check_counts(counts, {"rows": len(rows), "columns": len(names)}, file)
    return MotionTable(tuple(names[1:]), numbers[:, 0].copy(), numbers[:, 1:].copy(), in_degrees)


def _header(lines: Lines, file: str) -> tuple[bool | None, list[_Count]]:
    """Whether the lines down to ``endheader`` say that angles are in degrees; their counts."""
    in_degrees, counts = None, []
    for number, text in lines:
        words = text.strip().lower()
        if words == "endheader":
            return in_degrees, counts
        label, *values = text.replace("=", " ").split() or [""]
        if label.lower() in COUNTED:
            counts.append(_count(label, " ".join(values), file, number))
        key, _, value = words.replace(" ", "").partition("=")
        if key == "indegrees":
            if value not in ("yes", "no"):
                raise ParseError(
                    f"expected inDegrees=yes or no, found '{shorten(value)}'", file, number
                )
            in_degrees = value == "yes"
        elif key.startswith("anglesarein"):
            in_degrees = key.startswith("anglesareindegrees")
        elif "simmmotionfileheader" in key:  # SIMM knows no radians
            in_degrees = True
        if number > MOST_HEADER:
            break
    raise ParseError("expected a line 'endheader' before the numbers, found none", file, 1)


def _row(words: Sequence[str], count: int, file: str, line: int) -> list[float]:
    if len(words) != count:
        raise ParseError(f"expected {count} numbers, found {len(words)}", file, line)
    return [_number(word, file, line) for word in words]


# -- markers --


def _markers(lines: Lines, file: str) -> MarkerTable:
    line, text = _next(lines, file, "PathFileType")
    if not text.startswith("PathFileType"):
        raise ParseError(f"expected 'PathFileType' first, found '{shorten(text)}'", file, line)
    unit, counts = _marker_header(lines, file)
    line, text = _next(lines, file, "names of markers")
    labels = [cell.strip() for cell in text.split("\t")]
    if labels[0].lower() != "frame#" or len(labels) < 3 or labels[1].lower() != "time":
        raise ParseError("expected 'Frame#', 'Time' and names of markers", file, line)
    names = [label for label in labels[2:] if label]
    _check_names(names, file, line)
    _next(lines, file, "the axes of markers")
    rows = [
        _marker_row(cells, len(names), file, number)
        for number, text in lines
        if any(cells := [cell.strip() for cell in text.split("\t")])
    ]
    numbers = np.array(rows, float).reshape(len(rows), 1 + 3 * len(names))
    _check_times(numbers[:, 0], file, line)
    _check_counts(counts, {"frames": len(rows), "markers": len(names)}, file)
    positions = numbers[:, 1:].reshape(len(rows), len(names), 3) * unit
    return MarkerTable(tuple(names), numbers[:, 0].copy(), positions)


def _marker_header(lines: Lines, file: str) -> tuple[float, list[_Count]]:
    """What a length is in metres, and counts, by two lines of labels and their values."""
    labels = _cells(_next(lines, file, "labels such as Units")[1])
    line, text = _next(lines, file, "the values of labels")
    values = _cells(text)
    if len(values) != len(labels):
        raise ParseError(
            f"expected a value for each of {len(labels)} labels, found {len(values)}", file, line
        )
    told = dict(zip(labels, values, strict=True))
    found = told.get("Units", "mm")
    if found.lower() not in UNITS:
        raise ParseError(
            f"expected Units out of {', '.join(UNITS)}, found '{shorten(found)}'"
            f"{near(found, UNITS)}", file, line,
        )  # fmt: skip
    counts = [_count(name, told[name], file, line) for name in told if name.lower() in COUNTED]
    return UNITS[found.lower()], counts


def _marker_row(cells: list[str], count: int, file: str, line: int) -> list[float]:
    """The time and three numbers for each marker; NaN for an empty cell, and at the end."""
    size = 2 + 3 * count
    if len(cells) > size and any(cells[size:]):
        raise ParseError(f"expected {size} numbers, found {len(cells)}", file, line)
    cells = (cells + [""] * size)[1:size]
    if not cells[0]:
        raise ParseError("expected a frame and a time, found no time", file, line)
    return [_number(cell, file, line) if cell else np.nan for cell in cells]


# -- of both --


def _next(lines: Lines, file: str, what: str) -> tuple[int, str]:
    """The next line that is not blank."""
    last = 1
    for last, text in lines:
        if text.strip():
            return last, text.strip("\r\n ")
    raise ParseError(f"expected {what}, found the end of the file", file, last)


def _cells(text: str) -> list[str]:
    """Labels between tabs, if there are any, or else between blanks."""
    cells = text.strip().split("\t") if "\t" in text else text.split()
    return [cell.strip() for cell in cells]


def _check_names(names: Sequence[str], file: str, line: int) -> None:
    if len(names) > MOST_COLUMNS:
        raise ParseError(f"more than {MOST_COLUMNS} columns", file, line)
    seen: set[str] = set()
    for name in names:
        if not name:
            raise ParseError("expected a label for each column, found none", file, line)
        if name in seen:
            raise ParseError(f"two columns are named '{shorten(name)}'", file, line)
        seen.add(name)


def _count(label: str, value: str, file: str, line: int) -> _Count:
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        of = COUNTED[label.lower()]
        raise ParseError(f"expected a number of {of}, found '{shorten(value)}'", file, line)
    return _Count(label, int(value), line)


def _check_counts(counts: Sequence[_Count], found: Mapping[str, int], file: str) -> None:
    """Refuse other columns than a header says; other rows are read, as OpenSim does."""
    for count in counts:
        number, of = found.get(count.of, count.number), count.of
        if number == count.number:
            continue
        if of in ("columns", "markers"):
            raise ParseError(
                f"expected {count.number} {of} as {count.label} says, found {number}",
                file, count.line,
            )  # fmt: skip
        warn_caller(
            f"{file}:{count.line}: {count.label} says {count.number} {of}, found {number}; "
            "all that were found are read",
            ModelWarning,
        )


def _check_times(times: np.ndarray, file: str, line: int) -> None:
    """Refuse tables without rows, and times that do not rise."""
    if not len(times):
        raise ParseError("expected rows of numbers, found none", file, line)
    if not np.isfinite(times).all():
        raise ParseError("expected finite times, found one that is not", file, line)
    if fall := _fall(times):
        raise ParseError(f"expected times that rise, found {fall}", file, line)


def _check_table(table: MotionTable | MarkerTable, what: str, each: tuple[int, ...]) -> None:
    """Make arrays of what a table is made of; refuse what is none."""
    names = as_texts("names", table.names)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ArgumentError(f"expected names that differ, got {shown(twice)} twice")
    times = as_array("times", table.times, finite=True)
    if times.ndim != 1 or not len(times):
        raise ShapeError(f"expected times in one row, got shape {times.shape}")
    if fall := _fall(times):
        raise ArgumentError(f"expected times that rise, got {fall}")
    numbers = as_array(what, getattr(table, what), shape=(len(times), len(names), *each))
    for name, value in (("names", names), ("times", times), (what, numbers)):
        object.__setattr__(table, name, value)


def _fall(times: np.ndarray) -> str:
    """Where times do not rise, in words; empty if they do."""
    falls = np.flatnonzero(np.diff(times) <= 0.0)
    if not len(falls):
        return ""
    first, second = times[falls[0] : falls[0] + 2]
    return f"{second:g} after {first:g}"


def _number(word: str, file: str, line: int) -> float:
    if is_number(word) or is_infinity(word) or word.lower() in ("nan", "+nan", "-nan"):
        return float(word)
    raise ParseError(f"expected a number, found '{shorten(word)}'", file, line)


def _place(name: str, names: Sequence[str], what: str) -> int:
    if name not in names:
        raise ModelError(f"no {what} '{name}' in the table{suggestion(name, names)}")
    return names.index(name)


def _size(times: np.ndarray) -> str:
    return f"{len(times)} times from {times[0]:g} to {times[-1]:g} s"
