"""A page inside a notebook: an iframe that may run its own script and nothing else."""

from __future__ import annotations

from html import escape
from typing import Any

from .page import html

_HEIGHT = 480  # pixels


def iframe(subject: Any, height: int = _HEIGHT) -> str:
    """Markup that shows a model or a recording, without a server."""
    page = escape(html(subject, fps=30.0), quote=True)
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{page}" width="100%" height="{height}" '
        'style="border:0;border-radius:12px" title="polhode"></iframe>'
    )
