"""What notebooks show: messages while code runs, and objects as tables."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, TextIO


def in_notebook() -> bool:
    """Whether this process runs the cells of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def is_watched(stream: TextIO | None) -> bool:
    """Whether somebody reads a stream while it is written: at a terminal, or in a notebook."""
    return stream is not None and (stream.isatty() or in_notebook())


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], rest: str = "") -> str:
    """Markup of a table under a title; ``rest`` says what it leaves out."""
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(each)}</td>' for each in row)}</tr>" for row in rows
    )
    more = f"<p>{escape(rest)}</p>" if rest else ""
    return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{body}</table>{more}"


class StatusLine:
    """A line below the cell that runs: each text replaces the one before."""

    is_watched = True

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, text: str) -> None:
        """Show a text, or nothing if it is empty."""
        from IPython.display import display  # pyright: ignore[reportMissingImports]

        data = {"text/plain": text}
        if self._handle is not None:
            self._handle.update(data, raw=True)
        elif text:
            self._handle = display(data, raw=True, display_id=True)
