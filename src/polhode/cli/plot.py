"""``polhode plot RECORDING [SIGNAL ...]``: lines over time as a picture."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from ..errors import suggestion
from ..files.kinds import PLOTS, check_target
from ..recording import Recording
from ..recording.figure import Panel, draw
from ..viewer.signals import Signal, signals_of
from .terminal import Output

_OF_WORLDS = ("q", "qd", "tau", "tau_passive", "tau_constraint")


def run(options: Namespace, output: Output) -> int:
    """Draw each signal as a panel of one figure; without names the energies and all others."""
    path = Path(options.output or Path(options.file).with_suffix(".svg").name)
    if not options.list:
        check_target(path, PLOTS, "a plot")
    recording = Recording.load(options.file)
    if recording.q.ndim > 2:
        recording = _world(recording, options.world)
    known = signals_of(recording, thin=False)
    if options.list:
        for signal in known:
            output.say(f"{signal.group} [{signal.unit}]: {', '.join(signal.names)}")
        output.result([{"signal": s.group, "unit": s.unit, "names": s.names} for s in known])
        return 0
    chosen = [_find(name, known) for name in options.signals] or known
    panels = [
        Panel(
            f"{signal.group}\n[{signal.unit}]",
            signal.times,
            [*zip(signal.names, signal.values, strict=True)],
        )
        for signal in chosen
    ]
    draw(panels, recording.model.name, path)
    output.say(f"wrote {path}")
    output.result({"file": str(path), "signals": [signal.group for signal in chosen]})
    return 0


def _world(recording: Recording, world: int) -> Recording:
    from dataclasses import replace

    count = len(recording.times)
    worlds = {name: getattr(recording, name) for name in _OF_WORLDS}
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
