"""Lines over time as a figure of matplotlib: PNG, PDF or SVG."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..files.kinds import PLOTS, kind_of
from ..files.writing import write_atomically


class Panel(NamedTuple):
    """Named lines with a common label of their axis."""

    label: str
    times: np.ndarray
    lines: Sequence[tuple[str, np.ndarray]]


def draw(panels: Sequence[Panel], title: str, path: str | Path) -> Path:
    """Draw panels, one below the other, as the extension of ``path`` says.

    Raises
    ------
    ValueError
        If the name has another extension than a picture.
    ImportError
        If matplotlib is not installed.
    """
    kind = kind_of(path, PLOTS, "a plot")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(
            "expected matplotlib to draw figures, found none: pip install 'polhode[plot]'"
        ) from None
    figure = Figure(figsize=(9.0, 2.4 * len(panels) + 0.6), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(panels), 1, sharex=True))
    for ax, panel in zip(axes, panels, strict=True):
        for name, values in panel.lines:
            ax.plot(panel.times, values, label=_literal(name), linewidth=1.4)
        ax.set_ylabel(panel.label)
        ax.grid(alpha=0.25)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(_literal(title))
    content = io.BytesIO()
    figure.savefig(content, format=kind.extensions[0][1:])
    return write_atomically(path, content.getvalue())


def _literal(name: str) -> str:
    """A name of a model is no formula, and one that begins with _ is no hidden line."""
    return " " * name.startswith("_") + name.replace("$", r"\$")
