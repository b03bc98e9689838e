"""``polhode plot RECORDING [SIGNAL ...]``: lines over time as a picture."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import numpy as np

from ..errors import suggestion
from ..simulation import Recording
from ..viewer.signals import Signal, signals_of
from .motions import read_recording
from .terminal import Output


def run(options: Namespace, output: Output) -> int:
    """Draw each signal as a panel of one figure; without names the energies and all others."""
    recording = read_recording(options.file)
    if recording.q.ndim > 2:
        recording = _world(recording, options.world)
    known = signals_of(recording, thin=False)
    if options.list:
        for signal in known:
            output.say(f"{signal.group} [{signal.unit}]: {', '.join(signal.names)}")
        output.result([{"signal": s.group, "unit": s.unit, "names": s.names} for s in known])
        return 0
    chosen = [_find(name, known) for name in options.signals] or known
    path = Path(options.output or Path(options.file).with_suffix(".svg").name)
    _draw(chosen, recording.model.name, path)
    output.say(f"wrote {path}")
    output.result({"file": str(path), "signals": [signal.group for signal in chosen]})
    return 0


def _world(recording: Recording, world: int) -> Recording:
    from dataclasses import replace

    count = len(recording.times)
    worlds = {name: getattr(recording, name) for name in ("q", "qd", "tau")}
    picked = {name: x.reshape(count, -1, x.shape[-1])[:, world] for name, x in worlds.items()}
    return replace(recording, work=recording.work.reshape(count, -1)[:, world], **picked)


def _find(name: str, known: list[Signal]) -> Signal:
    """A whole group of lines, or the one line of that name."""
    for signal in known:
        if name in (signal.group, f"{signal.group} [{signal.unit}]"):
            return signal
        for row, line in enumerate(signal.names):
            if name in (line, f"{signal.group}:{line}"):
                values = signal.values[row : row + 1]
                return Signal(f"{signal.group} {line}", signal.unit, (line,), signal.times, values)
    names = [signal.group for signal in known] + [n for signal in known for n in signal.names]
    raise ValueError(f"unknown signal '{name}'{suggestion(name, names)}; --list shows them all")


def _draw(signals: list[Signal], title: str, path: Path) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ValueError(
            "expected matplotlib to draw figures, found none: pip install 'polhode[plot]'"
        ) from None
    figure = Figure(figsize=(9.0, 2.4 * len(signals) + 0.6), layout="constrained")
    panels = np.atleast_1d(figure.subplots(len(signals), 1, sharex=True))
    for panel, signal in zip(panels, signals, strict=True):
        for name, values in zip(signal.names, signal.values, strict=True):
            panel.plot(signal.times, values, label=_literal(name), linewidth=1.4)
        panel.set_ylabel(f"{signal.group}\n[{signal.unit}]")
        panel.grid(alpha=0.25)
        panel.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    panels[-1].set_xlabel("time [s]")
    figure.suptitle(_literal(title))
    figure.savefig(path)


def _literal(name: str) -> str:
    """A name of a model is no formula, and one that begins with _ is no hidden line."""
    return " " * name.startswith("_") + name.replace("$", r"\$")
