"""Where a state breaks what the scene asks of it: overlaps, open loops, limits exceeded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...algorithms.constrained.closures import DOT
from ...errors import StartWarning, warn_caller
from ..errors import StartError
from ..start import LIMIT_TOLERANCE, beyond_limits
from .contacts import GAP, IS_SOFT, L_GAP, RULE, A, B, Contacts, NearLimits
from .lowering import SceneLayout
from .tendon_fields import constraining_tendons, is_limited

if TYPE_CHECKING:
    from .simulator import Simulator
    from .system import System

TOLERANCE = 1e-3  # overlaps and open loops up to this are left to the first steps [m or rad]
_SHOWN = 4


@dataclass(frozen=True)
class Fault:
    """One thing that a state gets wrong, and by how much [m or rad].

    Attributes
    ----------
    about : str
        What it is about, the same in any state.
    size : float
    text : str
        With the number.
    advice : str
    """

    about: str
    size: float
    text: str
    advice: str = ""


def faults_of(
    simulator: Simulator, near: tuple[Contacts, NearLimits], errors: np.ndarray
) -> list[Fault]:
    """The faults of a simulator's present state, the largest first.

    Parameters
    ----------
    simulator : Simulator
    near : tuple of Contacts and NearLimits
        As they are at this state.
    errors : ndarray
        Of the rows of loops, then of gears.
    """
    contacts, limits = near
    found = [*_open(simulator._plan, simulator._fields.loop_rows, errors)]
    found += _overlapping(simulator, contacts)
    found += _beyond(simulator, limits)
    return sorted(found, key=lambda fault: -fault.size)


def coupling_errors(fields: System) -> np.ndarray:
    """Errors of the rows of loops, then of gears, at the present poses."""
    from .projection import measure_errors

    errors = np.zeros(len(fields.loop_rows) + len(fields.gear_dof))
    if len(errors):
        measure_errors(fields, errors)
    return errors


def warn_of(faults: Iterable[Fault], where: str) -> None:
    """Give one `StartWarning` for faults, the largest first; nothing if there are none."""
    if found := list(faults):
        told, advice = _told(found)
        warn_caller(f"{where}: {told}. The first steps correct this: bodies jump, and energy is "
                    f"not kept{advice}", StartWarning)  # fmt: skip


def refuse(faults: Iterable[Fault], where: str, *, are_settled: bool = False) -> None:
    """Raise one `StartError` for faults, the largest first; nothing if there are none."""
    if found := list(faults):
        told, advice = _told(found)
        settle = "" if are_settled else "start='settle' moves bodies out of it first, "
        raise StartError(f"{where}: {told}{advice}; {settle}start='keep' takes it as it is")


def _told(found: list[Fault]) -> tuple[str, str]:
    """What is wrong, and what helps."""
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    told = "; ".join(fault.text for fault in found[:_SHOWN])
    advice = "; ".join(dict.fromkeys(fault.advice for fault in found[:_SHOWN] if fault.advice))
    return told + more, f"; {advice}" if advice else ""


def settled(simulator: Simulator, faults: list[Fault], where: str) -> str:
    """Move bodies until nothing is wrong.

    Returns
    -------
    note : str
        What was moved how far, and why.

    Raises
    ------
    StartError
        If something stays wrong.
    """
    from .settling import settle

    fields, plan = simulator._fields, simulator._plan
    before = fields.pose[:, 9:].copy(), fields.position.copy()
    settle(fields)
    left = simulator._integrator.faults(simulator.dt)
    if left:
        refuse(left, f"{where}: could not be settled", are_settled=True)
    ways = _ways(plan, before, (fields.pose[:, 9:], fields.position))
    moved = ", ".join(f"'{name}' by {way:.3g}" for name, way in ways[:_SHOWN])
    more = f", and {len(ways) - _SHOWN} more" if len(ways) > _SHOWN else ""
    return f"{where}: settled {moved}{more} [m or rad], because {_told(faults)[0]}"


def warn_settled(notes: Mapping[int, str]) -> None:
    """Give one `StartWarning` for what was settled, the first with the number of the others."""
    if notes:
        more = f" (and in {len(notes) - 1} more worlds)" if len(notes) > 1 else ""
        warn_caller(f"{notes[min(notes)]}{more}", StartWarning)


def _ways(
    plan: SceneLayout, before: Sequence[np.ndarray], after: Sequence[np.ndarray]
) -> list[tuple[str, float]]:
    """How far each model moved, its bodies or its joints, the farthest first."""
    ways = []
    for k, node in enumerate(plan.nodes):
        ends = [(n.body, n.place) for n in plan.nodes[k + 1 : k + 2]] or [(None, None)]
        bodies, places = slice(node.body, ends[0][0]), slice(node.place, ends[0][1])
        far = np.linalg.norm((after[0] - before[0])[bodies], axis=-1).max(initial=0.0)
        way = max(float(far), float(np.abs((after[1] - before[1])[places]).max(initial=0.0)))
        if way > 0.0:
            ways.append((node.machine.name, way))
    return sorted(ways, key=lambda each: -each[1])


def of_worlds(faults: Sequence[Sequence[Fault]]) -> list[Fault]:
    """The worst fault of each kind in many worlds, with their number."""
    worst: dict[str, Fault] = {}
    count: dict[str, int] = {}
    for fault in (each for world in faults for each in world):
        count[fault.about] = count.get(fault.about, 0) + 1
        if fault.about not in worst or fault.size > worst[fault.about].size:
            worst[fault.about] = fault
    if len(faults) == 1:
        return list(worst.values())
    return [
        Fault(about, fault.size, f"{fault.text} (worst of {count[about]} of {len(faults)} worlds)",
              fault.advice)
        for about, fault in sorted(worst.items(), key=lambda item: -item[1].size)
    ]  # fmt: skip


def _open(plan: SceneLayout, rows: np.ndarray, errors: np.ndarray) -> Iterator[Fault]:
    """Loops that are not closed, and gears that are off."""
    loops, advice = plan.scene.loops, "polhode.assemble finds positions at which loops are closed"
    gap, tilt = np.zeros(len(loops)), np.zeros(len(loops))
    for (k, kind, *_), error in zip(rows.tolist(), errors, strict=False):
        part = tilt if kind == DOT else gap
        part[k] = np.hypot(part[k], error)
    for k, loop in enumerate(loops):
        wrong = [f"{x[k]:.3g} {u}" for x, u in ((gap, "m"), (tilt, "rad")) if x[k] > TOLERANCE]
        if wrong:
            text = f"loop '{loop.name}' is open by {' and '.join(wrong)}"
            yield Fault(f"loop {loop.name}", float(max(gap[k], tilt[k])), text, advice)
    for gear, error in zip(plan.scene.gears, errors[len(rows) :], strict=True):
        if abs(error) > TOLERANCE:
            text = f"gear '{gear.name}' is off by {abs(error):.3g}"
            yield Fault(f"gear {gear.name}", abs(float(error)), text)


def _overlapping(simulator: Simulator, contacts: Contacts) -> Iterator[Fault]:
    """Pairs of rigid geometries that are in each other, each with its deepest contact."""
    rules, scene = simulator._fields.rules, simulator.scene
    deep = np.flatnonzero(contacts.real[:, GAP] < -TOLERANCE)
    depth: dict[tuple[int, int], float] = {}
    for c in deep.tolist():
        if rules[contacts.whole[c, RULE], IS_SOFT] == 0.0:
            pair = int(contacts.whole[c, A]), int(contacts.whole[c, B])
            depth[pair] = max(depth.get(pair, 0.0), -float(contacts.real[c, GAP]))
    for pair, size in depth.items():
        a, b = (scene.geometries[simulator._lowered.geometries[g]].name for g in pair)
        yield Fault(
            f"overlap {a} {b}", size, f"'{a}' and '{b}' overlap by {size:.3g} m",
            f"Scene.disable('{a}', '{b}') lets a pair overlap",
        )  # fmt: skip


def _beyond(simulator: Simulator, limits: NearLimits) -> Iterator[Fault]:
    """Joints, and degrees of freedom of loops, that are outside of their limits."""
    fields, plan = simulator._fields, simulator._plan
    for row in np.flatnonzero(limits.real[:, L_GAP] < -LIMIT_TOLERANCE).tolist():
        k = int(limits.whole[row])
        lower, upper = float(fields.limit_lower[k]), float(fields.limit_upper[k])
        hinge = k - len(fields.limit_dof)
        tendon = hinge - len(fields.hinge_loop)
        if tendon >= 0:
            which, is_angle = int(fields.limit_tendon[tendon]), False
            limited = [each for each in constraining_tendons(plan) if is_limited(each)]
            name, q = f"tendon '{limited[tendon].name}'", float(fields.tendon_length[which])
        elif hinge >= 0:
            name = f"loop '{plan.scene.loops[int(fields.hinge_loop[hinge])].name}'"
            q, is_angle = float(fields.hinge_place[hinge]), bool(fields.hinge_turns[hinge])
        else:
            name, is_angle = _joint_of(plan, int(fields.limit_dof[k]))
            q = float(fields.position[int(fields.limit_place[k])])
        text = beyond_limits(name, q, lower, upper, is_angle)
        yield Fault(name, max(lower - q, q - upper), text)


def _joint_of(plan: SceneLayout, dof: int) -> tuple[str, bool]:
    """The joint that an entry of all velocities belongs to, and whether that is an angle's."""
    node = max((node for node in plan.nodes if node.dof <= dof), key=lambda node: node.dof)
    for joint in node.model.joints:
        entries = np.arange(node.model.nv)[joint.v].tolist()
        if dof - node.dof in entries:
            dof_name = joint.kind.dof_names[entries.index(dof - node.dof)]
            return f"joint '{joint.name}' of '{node.machine.name}'", not dof_name.startswith("T")
    raise AssertionError(f"no joint has entry {dof}")
