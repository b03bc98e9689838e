"""Diagnostics of a run: energy, momentum, constraints, and what is probably wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from ..api.energetics import center_of_mass, momentum
from ..reprs import short
from .elastic import contact_energy
from .rates import FAST, Fastest, fastest, runaway

if TYPE_CHECKING:
    from .recording import Recording

DEEP = 5e-3  # beyond it contact has no rebound, see `stepping.contacts` [m]
RISE = 0.01  # share of the energy
AT_REST = 1e-9  # share of the total energy that bodies at rest gain by the contact's tolerance


@dataclass(frozen=True)
class Audit:
    """Worst deviations over a run and all its worlds; zero for what a run does not have.

    Attributes
    ----------
    energy_drift : float
        Largest change of kinetic plus potential energy since the start, in either direction [J].
        Potential energy has that of springs: in joints, in tendons, between bodies and in compliant
        contacts.
    energy_balance : float
        The largest part of that change which the work of controllers, damping and external forces
        does not explain [J].  Impacts, dry friction and errors of the steps are in it.
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
    has_contact : bool
        Whether bodies could touch.
    penetration : float
        Deepest overlap after any step [m].
    push_out_energy : float
        Potential energy that bodies were given by being moved out of overlaps and limits, without
        speed [J].
    loop_error : float or None
        Largest error of loops and gears after any step, or of a run's constraint set at any record
        [m or rad].  A contact without ``ground`` is compared with its place at the start.  None
        without loops, gears and constraint sets.
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
        Reasons why the motion is probably not that of the scene. Examples are joints that run away,
        bodies deep in each other, rotations by more than a radian in a step, and energy that rises.
    """

    energy_drift: float
    energy_balance: float
    energy_rise: float
    energy_scale: float
    momentum_drift: float | None
    has_constraints: bool
    has_contact: bool
    penetration: float
    push_out_energy: float
    loop_error: float | None
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
        share = f"{self.relative_energy_balance:.2g} of the energy scale, {self.energy_scale:.3g} J"
        losses = "; impacts and dry friction are in it" if self.solves else ""
        lines = [
            _line("energy change", self.energy_drift, "J, kinetic plus potential"),
            _line("energy not from work", self.energy_balance, f"J, {share}{losses}"),
        ]
        if self.momentum_drift is not None:
            lines.append(_line("momentum error", self.momentum_drift, "N s, N m s"))
        if self.solves:
            lines += self._solver_lines()
        if self.loop_error is not None:
            lines.append(_line("loop error", self.loop_error, "m or rad"))
        return "\n".join((*lines, *(f"warning: {text}" for text in self.warnings)))

    def _solver_lines(self) -> list[str]:
        """Lines of a run that solved for contact, limits or dry friction."""
        kind, place = ("contact", "in contact") if self.has_contact else ("limit", "at limits")
        of_all = f"of {self.solves} {kind} problems"
        slack = f", by up to {self.slack:.3g} m/s" if self.relaxed else ""
        push_out = "J, of bodies moved out of overlaps and limits"
        overlap = [_line("deepest overlap", self.penetration, "m")] if self.has_contact else []
        limit = "times a limit on the work of a step was reached"
        capped = [_line("capped steps", self.capped_steps, limit)] if self.capped_steps else []
        return [
            _line("energy gain", self.energy_rise, "J, kinetic plus potential"),
            *overlap,
            _line("energy of push-out", self.push_out_energy, push_out),
            _line(f"{kind} residual", self.residual, f"of the speeds {place}"),
            _line("not converged", self.unconverged, of_all),
            _line("relaxed", self.relaxed, f"{of_all}{slack}"),
            *capped,
        ]


def _line(name: str, value: float, words: str) -> str:
    """A number with its name before it, and its unit after it."""
    number = str(value) if isinstance(value, int) else f"{value:.3g}"
    return f"{name:<20} {number:>10} {words}"


def audit_of(recording: Recording) -> Audit:
    """Judge a recording."""
    potential, elastic, report = recording.potential, recording.elastic, recording.report
    total = recording.kinetic + potential + elastic + contact_energy(recording)
    # The work of springs is recorded as that of other forces, but here it is no gain or loss.
    done = recording.work - recording.work[0] + elastic - elastic[0]
    change = total - total[0]
    lift, strain = np.abs(potential - potential[0]), np.abs(elastic - elastic[0])
    scale = float(max(recording.kinetic.max(), lift.max(), strain.max()))
    depth, turning = float(report.get("penetration", 0.0)), fastest(recording, "rad")
    turn = 0.0 if turning is None else turning.change
    push_out = float(report.get("push_out_energy", 0.0))
    rise = _rise(total - done) - AT_REST * float(np.abs(total).max())
    warnings = _warnings(recording, depth, turning, rise, push_out, scale)
    return Audit(
        energy_drift=float(np.abs(change).max()),
        energy_balance=float(np.abs(change - done).max()),
        energy_rise=_rise(total),
        energy_scale=scale,
        momentum_drift=_momentum_drift(recording),
        has_constraints=bool(report),
        has_contact=recording.contact != "none",
        penetration=depth,
        push_out_energy=push_out,
        loop_error=_loop_error(recording),
        residual=float(report.get("residual", 0.0)),
        unconverged=int(report.get("unconverged", 0)),
        relaxed=int(report.get("relaxed", report.get("yielded", 0))),  # the names of old files
        slack=float(report.get("slack", report.get("gave_way", 0.0))),
        solves=int(report.get("solves", 0)),
        capped_steps=int(report.get("capped_steps", 0)),
        turn=turn,
        warnings=tuple(warnings),
    )


def _loop_error(recording: Recording) -> float | None:
    """The largest error of what is to stay closed, or None if nothing is."""
    error, scene = recording.report.get("loop_error"), recording.scene
    if scene is not None:
        return error if scene.loops or scene.gears else None
    # Files of scenes do not say whether there were loops: without any the error is zero.
    is_of_scene = "steps" in recording.report
    return None if is_of_scene and error == 0.0 else error


def _rise(energy: np.ndarray) -> float:
    """The most by which an energy is above that of an earlier record."""
    return float((energy - np.minimum.accumulate(energy)).max())


def _warnings(
    recording: Recording, depth: float, turning: Fastest | None, rise: float, push_out: float,
    scale: float,
) -> Iterator[str]:  # fmt: skip
    ran_away = runaway(recording)
    if ran_away:
        yield ran_away
    if not recording.report:
        return
    if depth > DEEP:
        yield (
            f"bodies were up to {depth:.3g} m in each other, and beyond {DEEP:g} m contact has "
            f"no rebound: start them apart, or take steps shorter than {recording.dt:g} s"
        )
    if turning is not None and turning.change > FAST and not ran_away:
        can_touch = recording.contact != "none"
        result = "contacts in between are missed" if can_touch else "that is inaccurate"
        yield (
            f"joint '{turning.joint}' rotates by up to {turning.change:.3g} rad in a step"
            f"{turning.world}, at {turning.rate:.3g} rad/s from t = {turning.since:.4g} s on; "
            f"{result}: take steps shorter than {0.1 * recording.dt / turning.change:.1g} s"
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
    has_loops = _loop_error(recording) is not None
    return recording.is_loaded or recording.contact != "none" or has_loops
