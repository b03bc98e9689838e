"""How well a run kept what nature keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..api.energetics import center_of_mass, momentum

if TYPE_CHECKING:
    from .recording import Recording


@dataclass(frozen=True)
class Audit:
    """Worst deviations over a run and all its worlds.

    Attributes
    ----------
    energy_drift : float
        Largest change of kinetic plus potential energy [J]; meant for free machines.
    energy_balance : float
        The same less the work of controller and external forces [J].
    energy_scale : float
        Largest kinetic energy or change of potential energy [J], to compare with.
    momentum_drift : float or None
        Largest deviation of the momentum about the base origin from that of free fall
        [N s, N m s]; None unless the machine floats and nothing holds its base.
    """

    energy_drift: float
    energy_balance: float
    energy_scale: float
    momentum_drift: float | None

    @property
    def relative_energy_balance(self) -> float:
        """The energy balance as a share of the greatest energy."""
        return self.energy_balance / self.energy_scale if self.energy_scale > 0.0 else 0.0

    def __str__(self) -> str:
        lines = [
            f"energy drift      {self.energy_drift:10.3g} J",
            f"less work done    {self.energy_balance:10.3g} J"
            f"  ({self.relative_energy_balance:.1e} of {self.energy_scale:.3g} J)",
        ]
        if self.momentum_drift is not None:
            lines.append(f"momentum drift    {self.momentum_drift:10.3g} N s, N m s")
        return "\n".join(lines)


def audit(recording: Recording) -> Audit:
    """Judge a recording."""
    total = recording.kinetic + recording.potential
    change = total - total[0]
    lift = np.abs(recording.potential - recording.potential[0])
    return Audit(
        energy_drift=float(np.abs(change).max()),
        energy_balance=float(np.abs(change - (recording.work - recording.work[0])).max()),
        energy_scale=float(max(recording.kinetic.max(), lift.max())),
        momentum_drift=_momentum_drift(recording),
    )


def _momentum_drift(recording: Recording) -> float | None:
    """Deviation from free flight: ``p' = m g``, ``L' = c x m g`` with a parabola for ``c``."""
    model = recording.model
    roots = [link for link in model.links if link.parent is None]
    if len(roots) != 1 or roots[0].joint.nv < 6 or recording.is_loaded:
        return None
    base = model.joint(roots[0].joint_name).v
    if recording.tau[..., base].any():
        return None
    h = momentum(model, recording.q, recording.qd)
    mass = sum(body.mass for body in model.bodies)
    force = mass * np.array([float(x) for x in model.gravity.lin])
    t = (recording.times - recording.times[0]).reshape(-1, *(1,) * (h.ndim - 1))
    com = center_of_mass(model, recording.q[0])
    expected = np.empty_like(h)
    expected[..., 3:] = h[0, ..., 3:] + force * t
    way = com * t + 0.5 * h[0, ..., 3:] / mass * t**2
    expected[..., :3] = h[0, ..., :3] + np.cross(way, force)
    return float(np.abs(h - expected).max())
