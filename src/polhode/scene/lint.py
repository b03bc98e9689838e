"""Warnings about a scene that can be built but is probably not what was meant."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.inertias import undetermined_joints
from .machine import Machine
from .scene import Scene

MOST_PAIRS = 20_000
_NOT_CONVEX = ("mu_viscous", "friction_cone_edges")


def lint(scene: Scene) -> tuple[str, ...]:
    """Warnings: bodies without mass, starts beyond limits, contacts without parameters."""
    found = []
    for machine in scene.simulated:
        found += _massless(machine)
        found += _beyond_limits(machine)
    if scene.settings.kind == "simulator" and (scene.contacts or scene.disabled_pairs):
        found.append(
            f"simulator '{scene.settings.name}' knows no contact, but contacts are described; "
            "the kind 'time-stepping' has contact"
        )
    if scene.settings.kind == "time-stepping":
        found += [*without_rule(scene), *without_effect(scene, "exact")]
    return tuple(found)


def _massless(machine: Machine) -> Iterator[str]:
    for joint in undetermined_joints(machine.model):
        yield (
            f"model '{machine.name}': what joint '{joint}' moves has no mass, so its "
            "motion is not determined"
        )


def _beyond_limits(machine: Machine) -> Iterator[str]:
    for joint in machine.model.joints:
        settings = machine.settings(joint)
        if not settings.is_limited:
            continue
        place = joint.q if isinstance(joint.q, slice) else [int(k) for k in joint.q]
        values = machine.q[place] if isinstance(place, slice) else [machine.q[k] for k in place]
        for q, low, high in zip(values, settings.lower, settings.upper, strict=True):
            if not low <= q <= high:
                yield (
                    f"model '{machine.name}': joint '{joint.name}' starts at {q:g}, outside its "
                    f"limits {low:g} to {high:g}"
                )


def without_effect(scene: Scene, contact: str) -> Iterator[str]:
    """Contact parameters that do nothing: beside others, or with a method of contact."""
    for rule in scene.contacts:
        of = "all" if rule.a is None else f"'{rule.a}' and '{rule.b}'"
        if rule.compliance and rule.restitution:
            yield (
                f"contact of {of}: restitution {rule.restitution:g} has no effect with compliance "
                f"{rule.compliance:g}"
            )
        unknown = [key for key in _NOT_CONVEX if getattr(rule, key)]
        if contact == "convex" and unknown:
            yield f"contact of {of}: {' and '.join(unknown)} not known to contact='convex'"


def without_rule(scene: Scene) -> Iterator[str]:
    """Pairs of models that may touch and have no contact parameters."""
    if any(rule.a is None for rule in scene.contacts):
        return
    machines = {machine.name: machine for machine in scene.simulated}
    shapes = [(k, g) for k, g in enumerate(scene.geometries) if g.machine in machines]
    if len(shapes) ** 2 > 2 * MOST_PAIRS:
        return
    seen: set[tuple[str, str]] = set()
    for n, (i, a) in enumerate(shapes):
        for j, b in shapes[:n]:
            pair = b.machine, a.machine
            is_fixed = machines[pair[0]].is_fixed and machines[pair[1]].is_fixed
            if pair[0] == pair[1] or is_fixed or pair in seen:
                continue
            if (j, i) in scene.disabled_geometries:
                continue
            if not scene.says_of_contact(a, b):
                seen.add(pair)
    if seen:
        names = ", ".join(f"'{a}' and '{b}'" for a, b in sorted(seen)[:3])
        more = f" and {len(seen) - 3} more pairs" if len(seen) > 3 else ""
        yield f"no contact parameters for {names}{more}: no friction, no rebound"
