"""``polhode plot RECORDING [SIGNAL ...]``: lines over time as a picture."""

from __future__ import annotations

import math
from argparse import Namespace
from pathlib import Path

from ..errors import suggestion
from ..files.kinds import PLOTS, check_target
from ..recording import Recording
from ..recording.figure import Panel, draw
from ..recording.impulses import require_impulses
from ..viewer.signals import IMPULSE, Signal, impulse_signal, impulse_signals, signals_of
from .terminal import Output

_QUANTITIES = {
    "q": "position",
    "qd": "velocity",
    "tau": "joint force",
    "tau_passive": "passive force",
    "tau_constraint": "constraint force",
}
"""Arrays of a recording, and how plots call them."""
_OF_CONTACTS = {"impulse": IMPULSE, "contact_impulse": IMPULSE, "force": "contact force"}


def run(options: Namespace, output: Output) -> int:
    """Draw each signal as a panel of one figure; without names the energies and all others."""
    path = Path(options.output or Path(options.file).with_suffix(".svg").name)
    if not options.list:
        check_target(path, PLOTS, "a plot")
    recording = Recording.load(options.file)
    if recording.q.ndim > 2:
        recording = _world(recording, options.world or 0)
    elif options.world is not None:
        raise ValueError("expected no --world: the recording is of one world")
    known = [*signals_of(recording, thin=False), *impulse_signals(recording)]
    if options.list:
        for signal in known:
            output.say(f"{signal.group} [{signal.unit}]: {', '.join(signal.names)}")
        output.result([{"signal": s.group, "unit": s.unit, "names": s.names} for s in known])
        return 0
    chosen = [s for name in options.signals for s in _find(name, known, recording)] or known
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

    count, n_worlds = len(recording.times), math.prod(recording.q.shape[1:-1])
    if not 0 <= world < n_worlds:
        raise ValueError(f"expected --world from 0 to {n_worlds - 1}, got {world}")
    worlds = {name: getattr(recording, name) for name in _QUANTITIES}
    picked = {name: x.reshape(count, -1, x.shape[-1])[:, world] for name, x in worlds.items()}
    return replace(recording, work=recording.work.reshape(count, -1)[:, world], **picked)


def _find(name: str, known: list[Signal], recording: Recording) -> list[Signal]:
    """All panels of a quantity, one of them, or the one line of that name."""
    head, _, geometry = name.partition(":")
    if geometry and _title(head) == IMPULSE:
        return [impulse_signal(recording, geometry)]
    typed = name.replace("-", "\u2013")  # as panels of many lines have it in their names
    quantity = _title(name)
    panels = [signal for signal in known if quantity in _titles(signal)]
    if panels:
        return panels
    for signal in known:
        if typed in (signal.group, f"{signal.group} [{signal.unit}]"):
            return [signal]
        for row, line in enumerate(signal.names):
            if name in (line, f"{signal.group}:{line}", f"{_titles(signal)[-1]}:{line}"):
                title, values = f"{signal.group} {line}", signal.values[row : row + 1]
                return [Signal(title, signal.unit, (line,), signal.times, values)]
    if quantity == IMPULSE:
        require_impulses(recording)
    if quantity in (*_QUANTITIES.values(), *_OF_CONTACTS.values()):
        raise ValueError(f"signal '{name}' is zero throughout; --list shows all others")
    names = [title for signal in known for title in (*_titles(signal), *signal.names)]
    names += ["impulse"]
    raise ValueError(f"unknown signal '{name}'; --list shows them all{suggestion(name, names)}")


def _title(name: str) -> str:
    """What plots call a quantity of this name, in Python or on a panel."""
    return {**_QUANTITIES, **_OF_CONTACTS}.get(name, name.lower())


def _titles(signal: Signal) -> tuple[str, str]:
    """A panel's name, and that of the quantity that it shows some lines of."""
    return signal.group, signal.group.rstrip("0123456789\u2013").rstrip()
