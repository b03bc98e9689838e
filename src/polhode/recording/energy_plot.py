"""The energies of a recording over time, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..arguments import as_count
from ..files.kinds import PLOTS, SVG, kind_of
from ..files.writing import write_atomically
from .figure import Panel, draw
from .svg import line_plot

if TYPE_CHECKING:
    from .recording import Recording


def write_energy_plot(recording: Recording, path: str | Path, world: int) -> Path:
    """Kinetic, potential (from its lowest) and total energy of one world."""
    kind = kind_of(path, PLOTS, "a plot")
    lines, title = _lines(recording, world), recording.model.name
    if kind is SVG:
        svg = line_plot(recording.times, lines, title=title, x="time [s]", y="energy [J]")
        return write_atomically(path, svg.encode("utf-8"))
    return draw([Panel("energy [J]", recording.times, lines)], title, path)


def _lines(recording: Recording, world: int) -> Sequence[tuple[str, np.ndarray]]:
    columns = (recording.kinetic, recording.potential, recording.work)
    by_world = [x.reshape(len(recording.times), -1) for x in columns]
    world = as_count("world", world, most=by_world[0].shape[1] - 1)
    kinetic, potential, work = (x[:, world] for x in by_world)
    potential = potential - potential.min()
    total = kinetic + potential
    lines = [("kinetic", kinetic), ("potential", potential), ("total", total)]
    return lines if recording.is_free else [*lines, ("total less work", total - work)]
