"""Diagnostics of a run: energy, momentum, constraints, and what is probably wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from ..api.energetics import center_of_mass, momentum
from ..reprs import short

if TYPE_CHECKING:
    from .recording import Recording

DEEP = 5e-3  # beyond it contact has no rebound, see `stepping.assembly` [m]
FAST = 1.0  # rotation in a step beyond which contacts are missed [rad]
RISE = 0.01  # share of the energy
AT_REST = 1e-9  # share of the total energy that bodies at rest gain by the contact's tolerance


@dataclass(frozen=True)
class Audit:
    """Worst deviations over a run and all its worlds; zero for what a run does not have.

    Attributes
    ----------
    energy_drift : float
        Largest change of kinetic plus potential energy in either direction [J].
    energy_balance : float
        The same less the work of controller and external forces [J].
    energy_rise : float
        Largest rise of kinetic plus potential energy above any earlier record [J]; what does
        not drive the motion cannot raise it.
    energy_scale : float
        Largest kinetic energy or change of potential energy [J], to compare with.
    momentum_drift : float or None
        Largest deviation of the momentum about the base origin from that of free fall [N s, N m s].
        None unless there is one floating model and nothing holds or touches it.
    has_constraints : bool
        Whether the run solved for contact, limits or loops; the numbers that follow are of these.
    penetration : float
        Deepest overlap after any step [m].
    push_out_energy : float
        Potential energy that bodies were given by being moved out of overlaps and limits, without
        speed [J].
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
        How often a limit on the work of a step was reached. Limits are on its parts, on the impacts
        of one moment, on the rounds for gyroscopic forces, and on the steps of a fast model.
    turn : float
        The largest rotation of a joint or body in a step of ``dt`` [rad].
    warnings : tuple of str
        Reasons why the motion is probably not that of the scene. Examples are bodies deep in each
        other, rotations by more than a radian in a step, and energy that rises.
    """

    energy_drift: float
    energy_balance: float
    energy_rise: float
    energy_scale: float
    momentum_drift: float | None
    has_constraints: bool
    penetration: float
    push_out_energy: float
    loop_error: float
    residual: float
    unconverged: int
    relaxed: int
    slack: float
    solves: int
    capped_steps: int
    turn: float
    warnings: tuple[str, ...]

    @property
    def relative_energy_balance(self) -> float:
        """The energy balance as a share of the greatest energy."""
        return self.energy_balance / self.energy_scale if self.energy_scale > 0.0 else 0.0

    def __repr__(self) -> str:
        named = ((f.name, getattr(self, f.name)) for f in fields(self))
        return f"Audit({', '.join(f'{name}={short(value)}' for name, value in named if value)})"

    def __str__(self) -> str:
        lines = [
            f"energy drift      {self.energy_drift:10.3g} J",
            f"less work done    {self.energy_balance:10.3g} J"
            f"  ({self.relative_energy_balance:.1e} of {self.energy_scale:.3g} J)",
        ]
        if self.momentum_drift is not None:
            lines.append(f"momentum drift    {self.momentum_drift:10.3g} N s, N m s")
        if self.has_constraints:
            lines += [
                f"energy rise       {self.energy_rise:10.3g} J",
                f"penetration       {self.penetration:10.3g} m",
                f"pushed out with   {self.push_out_energy:10.3g} J",
                f"loop error        {self.loop_error:10.3g}",
                f"contact residual  {self.residual:10.3g}",
                f"not converged     {self.unconverged:10d} of {self.solves} contact problems",
                f"relaxed           {self.relaxed:10d} of them, slack {self.slack:.3g} m/s",
            ]
        return "\n".join((*lines, *(f"warning: {text}" for text in self.warnings)))


def audit_of(recording: Recording) -> Audit:
    """Judge a recording."""
    potential, elastic, report = recording.potential, recording.elastic, recording.report
    total = recording.kinetic + potential + elastic
    # The work of springs is recorded as that of other forces, but here it is no gain or loss.
    done = recording.work - recording.work[0] + elastic - elastic[0]
    change = total - total[0]
    lift, strain = np.abs(potential - potential[0]), np.abs(elastic - elastic[0])
    scale = float(max(recording.kinetic.max(), lift.max(), strain.max()))
    depth, turn = float(report.get("penetration", 0.0)), _turn(recording)
    push_out = float(report.get("push_out_energy", 0.0))
    rise = _rise(total - done) - AT_REST * float(np.abs(total).max())
    warnings = _warnings(depth, turn, rise, push_out, scale, recording.dt) if report else ()
    return Audit(
        energy_drift=float(np.abs(change).max()),
        energy_balance=float(np.abs(change - done).max()),
        energy_rise=_rise(total),
        energy_scale=scale,
        momentum_drift=_momentum_drift(recording),
        has_constraints=bool(report),
        penetration=depth,
        push_out_energy=push_out,
        loop_error=float(report.get("loop_error", 0.0)),
        residual=float(report.get("residual", 0.0)),
        unconverged=int(report.get("unconverged", 0)),
        relaxed=int(report.get("relaxed", report.get("yielded", 0))),  # the names of old files
        slack=float(report.get("slack", report.get("gave_way", 0.0))),
        solves=int(report.get("solves", 0)),
        capped_steps=int(report.get("capped_steps", 0)),
        turn=turn,
        warnings=tuple(warnings),
    )


def _rise(energy: np.ndarray) -> float:
    """The most by which an energy is above that of an earlier record."""
    return float((energy - np.minimum.accumulate(energy)).max())


def _turn(recording: Recording) -> float:
    """The largest rate of a joint's angle, times a step."""
    names = [name for joint in recording.model.joints for name in joint.kind.dof_names]
    angles = [k for k, name in enumerate(names) if not name.startswith("T")]
    return float(np.abs(recording.qd[..., angles]).max(initial=0.0)) * recording.dt


def _warnings(
    depth: float, turn: float, rise: float, push_out: float, scale: float, dt: float
) -> Iterator[str]:
    if depth > DEEP:
        yield (
            f"bodies were up to {depth:.3g} m in each other, and beyond {DEEP:g} m contact has "
            f"no rebound: start them apart, or take steps shorter than {dt:g} s"
        )
    if turn > FAST:
        yield (
            f"something turns by up to {turn:.3g} rad in a step, so contacts are missed: take "
            f"steps shorter than {0.1 * dt / turn:.1g} s"
        )
    if rise > RISE * scale:
        yield (
            f"energy rose by {rise:.3g} J of {scale:.3g} J: moving bodies out of overlaps gave "
            f"{push_out:.3g} J, the rest only controllers, forces and moving surfaces can cause"
        )


def _momentum_drift(recording: Recording) -> float | None:
    """Deviation from free flight: ``p' = m g``, ``L' = c x m g`` with a parabola for ``c``."""
    model = recording.model
    roots = [link for link in model.links if link.parent is None]
    is_tied = any(tendon.armature for tendon in model.tendons)
    if len(roots) != 1 or roots[0].joint.nv < 6 or is_tied or _is_touched(recording):
        return None
    base = model.joint(roots[0].joint_name).v
    forces = (recording.tau, recording.tau_passive, recording.tau_constraint)
    if any(force[..., base].any() for force in forces):
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


def _is_touched(recording: Recording) -> bool:
    """Whether forces, contacts or loops may have acted on bodies."""
    has_loops = recording.report.get("loop_error", 0.0) != 0.0
    return recording.is_loaded or recording.contact != "none" or has_loops
