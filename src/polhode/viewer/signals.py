"""What was recorded, as named lines over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..model import Model
from ..model.checks import known
from ..recording.impulses import require_impulses

_LINES = 8  # to a plot
_GROUPS = 16  # plots of one kind; a pile of bodies has more coordinates than anybody reads
_POINTS = 400
IMPULSE = "contact impulse"


@dataclass(frozen=True)
class Signal:
    """Lines of one plot: ``values`` (lines, T) with names and a common unit, at ``times`` [s]."""

    group: str
    unit: str
    names: tuple[str, ...]
    times: np.ndarray
    values: np.ndarray


def signals_of(recording: Any, thin: bool = True) -> list[Signal]:
    """Energies, positions, velocities, joint and contact forces of a recording of one world.

    Thinned to what a plot in the page can show, unless told not to.
    """
    times = np.asarray(recording.times, float)
    found = _energies(recording, times)
    names = getattr(recording, "coordinate_names", ())
    for title, unit, attribute in (
        ("position", "rad, m", "q"),
        ("velocity", "rad/s, m/s", "qd"),
        ("joint force", "N m, N", "tau"),
        ("passive force", "N m, N", "tau_passive"),
        ("constraint force", "N m, N", "tau_constraint"),
    ):
        table = getattr(recording, attribute, None)
        if table is None or not names or not np.any(table):
            continue
        found += _tables(title, unit, names, times, np.asarray(table, float))
    found += _contact_forces(recording, times)
    return [thinned(signal) for signal in found] if thin else found


def _contact_forces(recording: Any, times: np.ndarray) -> list[Signal]:
    """The size of the total contact force on each moving body; of many bodies the strongest."""
    bodies = dict.fromkeys(getattr(recording, "geometry_bodies", ()))
    if not bodies or not len(recording.contact_point):
        return []
    sizes = {
        name: np.linalg.norm(recording.contact_forces(body), axis=-1)
        for body in bodies
        if recording.model.body(name := _full_name(recording.model, body)).moving
    }
    strongest = sorted(sizes, key=lambda name: -sizes[name].max())[:_LINES]
    names = tuple(name for name in sizes if name in strongest and sizes[name].any())
    if not names:
        return []
    return [Signal("contact force", "N", names, times, np.stack([sizes[n] for n in names]))]


def impulse_signals(recording: Any) -> list[Signal]:
    """The sizes of impulses of contacts on geometries since the record before; of the strongest.

    None where nothing touched, or where they are not known.
    """
    if not len(recording.impulse):
        return []
    sizes = np.linalg.norm(recording.contact_impulse, axis=-1)
    if np.isnan(sizes).any():
        return []
    most = sizes.max(axis=0)
    strongest = [int(g) for g in np.argsort(-most, kind="stable")[:_LINES] if most[g] > 0.0]
    names = tuple(recording.geometry_names[g] for g in sorted(strongest))
    lines = sizes[:, sorted(strongest)].T
    return [Signal(IMPULSE, "N s", names, np.asarray(recording.times, float), lines)]


def impulse_signal(recording: Any, geometry: str) -> Signal:
    """The size of the impulses of contacts on one geometry, whether it touched anything or not.

    Raises
    ------
    ModelError
        If there is none of that name.
    ArgumentError
        If impulses are not known.
    """
    names, where = recording.geometry_names, f"recording of '{recording.model.name}'"
    index = names.index(known(geometry, names, "geometry", where))
    require_impulses(recording)
    values = np.linalg.norm(recording.contact_impulse[:, index], axis=-1)[None]
    times = np.asarray(recording.times, float)
    return Signal(f"{IMPULSE} {geometry}", "N s", (geometry,), times, values)


def _full_name(model: Model, body: tuple[str, str]) -> str:
    """The link's name in the model; in the model of a scene, ``machine/`` stands before it."""
    full = "/".join(body)
    return full if any(link.name == full for link in model.links) else body[1]


def _energies(recording: Any, times: np.ndarray) -> list[Signal]:
    if not hasattr(recording, "kinetic"):
        return []
    kinetic, potential = np.asarray(recording.kinetic), np.asarray(recording.potential)
    if not (np.isfinite(kinetic).all() and np.isfinite(potential).all()):
        return []
    potential = potential - potential.min()  # only its swing is worth seeing
    lines = np.stack((kinetic + potential, kinetic, potential))
    return [Signal("energy", "J", ("total", "kinetic", "potential"), times, lines)]


def _tables(
    title: str, unit: str, names: Sequence[str], times: np.ndarray, table: np.ndarray
) -> list[Signal]:
    count = table.shape[-1]
    parts = []
    for low in range(0, min(count, _LINES * _GROUPS), _LINES):
        high = min(low + _LINES, count)
        part = f"{title} {low + 1}\u2013{high}" if count > _LINES else title
        parts.append(Signal(part, unit, tuple(names[low:high]), times, table[:, low:high].T))
    return parts


def own_signals(wanted: Mapping[str, Any], times: np.ndarray) -> list[Signal]:
    """Lines that the user gives: name to values at the record times, or to (times, values)."""
    found = []
    for name, given in wanted.items():
        at, values = given if isinstance(given, tuple) else (times, given)
        at, values = np.asarray(at, float), np.asarray(values, float)
        if values.shape[:1] != at.shape or values.ndim > 2:
            raise ShapeError(
                f"expected one value for each of {at.size} times as signal '{name}', "
                f"got shape {values.shape}"
            )
        lines = values.reshape(len(at), -1).T[:_LINES]
        text, _, unit = name.rstrip("]").partition("[")
        title = text.strip()
        names = (title,) if len(lines) == 1 else tuple(f"{title} {k}" for k in range(len(lines)))
        found.append(thinned(Signal(title, unit.strip(), names, at, lines)))
    return found


def thinned(signal: Signal) -> Signal:
    """At most as many points as a plot can show; of each stretch its lowest and highest."""
    count = len(signal.times)
    if count <= _POINTS:
        return signal
    keep = {0, count - 1}
    for part in np.array_split(np.arange(count), _POINTS // 2):
        rows = signal.values[:, part]
        spread = np.where(np.isfinite(rows), rows, 0.0)
        line = int(np.argmax(np.ptp(spread, axis=1)))
        keep |= {int(part[np.argmin(spread[line])]), int(part[np.argmax(spread[line])])}
    at = np.array(sorted(keep))
    return Signal(signal.group, signal.unit, signal.names, signal.times[at], signal.values[:, at])
