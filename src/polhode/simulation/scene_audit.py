"""How well a run of a scene kept the laws, and what is probably wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .scene_recording import SceneRecording

DEEP = 5e-3  # beyond it contact has neither friction nor rebound, see `stepping.assembly` [m]
FAST = 1.0  # rotation in a step beyond which contacts are missed [rad]
RISE = 0.01  # share of the energy


@dataclass(frozen=True)
class SceneAudit:
    """How well a run kept the laws.

    Attributes
    ----------
    energy_rise : float
        Largest rise of kinetic plus potential energy above any earlier record [J]; what does
        not drive the scene cannot raise it.
    energy_drift : float
        Largest change of it in either direction [J].
    energy_scale : float
        Largest kinetic energy or change of potential energy [J].
    penetration : float
        Deepest overlap after any step [m].
    loop_error : float
        Largest error of loops and gears after any step [m or 1].
    residual : float
        Worst residual of the contact laws, relative to the speeds there.
    unconverged, relaxed, solves : int
        Contact problems that were not solved to tolerance; that were solved only with compliant
        constraints; and how many there were.
    slack : float
        The greatest velocity of a compliant constraint among these [m/s or rad/s].
    capped_steps : int
        Parts of steps that were not cut further where things rebound.
    turn : float
        The largest rotation of a joint or body in one step [rad].
    warnings : tuple of str
        Why the motion is probably not that of the scene: bodies deep in each other, rotations
        by more than a radian in a step, energy that rises.
    """

    energy_rise: float
    energy_drift: float
    energy_scale: float
    penetration: float
    loop_error: float
    residual: float
    unconverged: int
    relaxed: int
    slack: float
    solves: int
    capped_steps: int
    turn: float = 0.0
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(
            (
                f"energy drift      {self.energy_drift:10.3g} J (of {self.energy_scale:.3g} J)",
                f"energy rise       {self.energy_rise:10.3g} J",
                f"penetration       {self.penetration:10.3g} m",
                f"loop error        {self.loop_error:10.3g}",
                f"contact residual  {self.residual:10.3g}",
                f"not converged     {self.unconverged:10d} of {self.solves} contact problems",
                f"relaxed           {self.relaxed:10d} of them, slack {self.slack:.3g} m/s",
                *(f"warning: {text}" for text in self.warnings),
            )
        )


def audit_of(recording: SceneRecording) -> SceneAudit:
    """Judge a recording."""
    potential = recording.potential
    total = recording.kinetic + potential
    lift = np.abs(potential - potential[0])
    rise = float((total - np.minimum.accumulate(total)).max(initial=0.0))
    scale = float(max(recording.kinetic.max(initial=0.0), lift.max(initial=0.0)))
    report = recording.report
    depth, turn = float(report.get("penetration", 0.0)), _turn(recording)
    return SceneAudit(
        energy_rise=rise,
        energy_drift=float(np.abs(total - total[0]).max(initial=0.0)),
        energy_scale=scale,
        penetration=depth,
        loop_error=float(report.get("loop_error", 0.0)),
        residual=float(report.get("residual", 0.0)),
        unconverged=int(report.get("unconverged", 0)),
        relaxed=int(report.get("relaxed", report.get("yielded", 0))),  # the names of old files
        slack=float(report.get("slack", report.get("gave_way", 0.0))),
        solves=int(report.get("solves", 0)),
        capped_steps=int(report.get("capped_steps", 0)),
        turn=turn,
        warnings=tuple(_warnings(depth, turn, rise, scale, recording.dt)),
    )


def _turn(recording: SceneRecording) -> float:
    """The largest rate of a joint's angle, times a step."""
    names = [name for joint in recording.model.joints for name in joint.kind.dof_names]
    angles = [k for k, name in enumerate(names) if not name.startswith("T")]
    if not angles or not len(recording.qd):
        return 0.0
    return float(np.abs(recording.qd[:, angles]).max()) * recording.dt


def _warnings(depth: float, turn: float, rise: float, scale: float, dt: float) -> Iterator[str]:
    if depth > DEEP:
        yield (
            f"bodies were up to {depth:.3g} m in each other, and beyond {DEEP:g} m contact has "
            f"neither friction nor rebound: start them apart, or take steps shorter than {dt:g} s"
        )
    if turn > FAST:
        yield (
            f"something turns by up to {turn:.3g} rad in a step, so contacts are missed: take "
            f"steps shorter than {0.1 * dt / turn:.1g} s"
        )
    if rise > RISE * scale:
        yield (
            f"energy rose by {rise:.3g} J of {scale:.3g} J, which only controllers, forces and "
            "moving surfaces can cause"
        )
