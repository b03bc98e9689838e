"""A page inside a notebook: an iframe that may run its own script and nothing else."""

from __future__ import annotations

from html import escape
from typing import Any

from .page import html

_HEIGHT = 480  # pixels


def iframe(subject: Any, height: int = _HEIGHT) -> str:
    """Markup that shows a model or a recording, without a server."""
    return framed(html(subject, fps=30.0), height)


def framed(page: str, height: int = _HEIGHT) -> str:
    """Markup that shows a page, which needs no other file."""
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{escape(page, quote=True)}" width="100%" height="{height}" '
        'style="border:0;border-radius:12px" title="polhode"></iframe>'
    )
