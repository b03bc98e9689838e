"""The fastest joint of a recording: whether a step is long for it, and whether it ran away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..model import Model

if TYPE_CHECKING:
    from .recording import Recording

FAST = 1.0  # motion in a step beyond which contacts are missed [rad; m]
GROWTH = 10.0  # rates of a motion that ran away exceed those of its start by this factor


@dataclass(frozen=True)
class Fastest:
    """The entry of ``qd`` that is largest in a recording.

    Attributes
    ----------
    joint : str
    unit : str
        ``"rad"`` or ``"m"``.
    rate, rate_at_start : float
        Its largest rate, and the largest of any entry at the start [rad/s or m/s].
    change : float
        That rate times ``dt`` [rad or m].
    since : float
        Time of the first record whose step is beyond `FAST`, or of the largest rate [s].
    world : str
        Text for messages, of a batch.
    """

    joint: str
    unit: str
    rate: float
    rate_at_start: float
    change: float
    since: float
    world: str


def fastest(recording: Recording, unit: str = "") -> Fastest | None:
    """The fastest entry, of those in ``unit`` if given; None without any or without records."""
    entries = _entries(recording.model)
    chosen = [k for k, entry in enumerate(entries) if unit in ("", entry[1])]
    rates = np.nan_to_num(np.abs(recording.qd[..., chosen]), nan=0.0)
    if not rates.size:
        return None
    place = np.unravel_index(int(rates.argmax()), rates.shape)
    rate, own = float(rates[place]), rates[:, *place[1:]]
    is_fast = own * recording.dt > FAST
    k = int(is_fast.argmax()) if is_fast.any() else int(place[0])
    worlds = [int(w) for w in place[1:-1]]
    joint, its_unit = entries[chosen[int(place[-1])]]
    return Fastest(
        joint=joint,
        unit=its_unit,
        rate=rate,
        rate_at_start=float(rates[0].max()),
        change=rate * recording.dt,
        since=float(recording.times[k]),
        world=f" in world {worlds[0] if len(worlds) == 1 else tuple(worlds)}" if worlds else "",
    )


def _entries(model: Model) -> list[tuple[str, str]]:
    """Joint and unit of each entry of ``qd``."""
    found = [("", "")] * model.nv
    for joint in model.joints:
        for k, name in zip(np.arange(model.nv)[joint.v], joint.kind.dof_names, strict=True):
            found[k] = (joint.name, "m" if name.startswith("T") else "rad")
    return found


def runaway(recording: Recording) -> str:
    """What to say of a driven run whose rates grew beyond what its steps follow, or nothing."""
    if not (recording.is_controlled or recording.is_loaded):
        return ""
    worst = fastest(recording)
    if worst is None or worst.change <= max(FAST, GROWTH * worst.rate_at_start * recording.dt):
        return ""
    cause = (
        "the controller does not stabilise it from this start"
        if recording.is_controlled
        else "the forces drive it"
    )
    return (
        f"joint '{worst.joint}' ran away{worst.world}: from t = {worst.since:.4g} s on it moves by "
        f"more than {FAST:g} {worst.unit} in dt = {recording.dt:g} s, and it reaches "
        f"{worst.rate:.3g} {worst.unit}/s: {cause}, or dt is too long"
    )
