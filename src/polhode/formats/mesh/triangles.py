"""Triangles while they are read: flat arrays with bounds on their length, and where they stand."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...errors import ParseError
from ..names import shorten

Color = tuple[float, float, float]  # red, green and blue, from 0 to 1
MAX_TRIANGLES = 400_000
MAX_VERTICES = 3 * MAX_TRIANGLES


@dataclass(frozen=True)
class Triangles:
    """Vertices, shape (n, 3), and the triangles between them, shape (m, 3), counted from zero.

    ``materials`` says by triangle, shape (m,), which of ``colors`` it has, where the file tells.
    """

    vertices: np.ndarray
    faces: np.ndarray
    materials: np.ndarray | None = None
    colors: tuple[Color | None, ...] = (None,)

    def parts(self) -> list[tuple[np.ndarray, Color | None]]:
        """The triangles (k, 3) of each colour."""
        if self.materials is None:
            return [(self.faces, None)]
        split = [(self.faces[self.materials == k], color) for k, color in enumerate(self.colors)]
        return [(faces, color) for faces, color in split if len(faces)]


@dataclass
class Points:
    """Points as they come in a text, with the lines they stand in."""

    file: str
    numbers: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("l"))

    def add(self, words: Sequence[str], line: int) -> None:
        """Take a point of three numbers.

        Raises
        ------
        ParseError
            If it is none, or one too many.
        """
        try:
            x, y, z = map(float, words)
        except ValueError:
            raise self._error(words, line) from None
        self.numbers.extend((x, y, z))
        self.lines.append(line)
        if len(self.lines) > MAX_VERTICES:
            raise ParseError(
                f"expected at most {MAX_VERTICES} vertices, found more", self.file, line
            )

    def array(self) -> np.ndarray:
        """All points, shape (n, 3); an error at the first that is not finite."""
        points = np.frombuffer(self.numbers).reshape(-1, 3)
        wrong = np.flatnonzero(~np.isfinite(points).all(axis=1))
        if len(wrong):
            words = [f"{x:g}" for x in points[wrong[0]]]
            raise self._error(words, self.lines[int(wrong[0])])
        return points

    def _error(self, words: Sequence[str], line: int) -> ParseError:
        text = shorten(" ".join(words))
        return ParseError(
            f"expected three finite numbers of a vertex, found '{text}'", self.file, line
        )


def require_few(count: int, file: str, line: int | None = None) -> None:
    """Refuse more triangles than a mesh may have."""
    if count > MAX_TRIANGLES:
        raise ParseError(f"expected at most {MAX_TRIANGLES} triangles, found more", file, line)
