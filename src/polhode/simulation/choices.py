"""What a run is made with: integrator, contact, and which forces act in joints."""

from __future__ import annotations

from dataclasses import replace
from typing import overload

from ..arguments import as_choice
from ..errors import ModelError
from ..model import JointDynamics, Model, Tendon
from ..model.tendons import UNLIMITED
from ..once import kept
from ..scene import Scene
from .integrators import integrator_names

SUDDEN = ("event_driven", "moreau")
"""Integrators of contact, limits and dry friction, which stop things suddenly."""

STARTS = ("check", "settle", "keep")
CONTACTS = ("exact", "convex", "lcp", "none")
JOINT_FORCES = ("all", "none")


def chosen_integrator(integrator: str | None) -> str:
    """The integrator that was asked for; the event-driven one if none was."""
    if integrator is None:
        return "event_driven"
    names = integrator_names()
    return as_choice("integrator", integrator, names, _swapped(integrator, CONTACTS))


def chosen_contact(subject: Scene | Model, integrator: str, contact: str | None) -> str:
    """The contact that was asked for, or what is usual for a scene and an integrator.

    Raises
    ------
    ModelError
        If contact is asked for that the integrator does not know, or of a model.
    """
    if contact is not None:
        as_choice("contact", contact, CONTACTS, _swapped(contact, integrator_names()))
    if isinstance(subject, Model):
        if contact not in (None, "none"):
            raise ModelError(
                f"expected contact 'none' for a model, whose links have no shapes that touch, got "
                f"'{contact}': Scene().add_machine(model, geometries=...) gives them some "
                f"(model '{subject.name}')"
            )
        return "none"
    if contact is None and subject.settings.kind == "simulator":
        contact = "none"
    if contact is None:
        pair = touching_pair(subject)
        if integrator in SUDDEN:
            return "none" if pair is None else "exact"
        if pair is not None:
            raise ModelError(
                f"integrator '{integrator}' knows no contact, but '{pair[0]}' and '{pair[1]}' can "
                f"touch; expected 'event_driven', or contact='none' (scene '{subject.name}')"
            )
    elif integrator == "event_driven":
        return contact
    elif integrator == "moreau":
        return as_choice("contact", contact, ("exact", "none"), " with integrator 'moreau'")
    elif contact != "none":
        raise ModelError(
            f"integrator '{integrator}' knows no contact, got contact '{contact}'; expected "
            f"integrator 'event_driven' (scene '{subject.name}')"
        )
    return "none"


def _swapped(value: object, others: tuple[str, ...]) -> str:
    """A hint where one option got what is the other's."""
    if not isinstance(value, str) or value not in others:
        return ""
    return f"; {value!r} is for {'contact=' if others is CONTACTS else 'integrator='}"


def touching_pair(scene: Scene) -> tuple[str, str] | None:
    """The names of two geometries that can touch, if there are any."""
    active = {machine.name: machine for machine in scene.simulated}
    shown = [(k, g) for k, g in enumerate(scene.geometries) if g.machine in active]
    for n, (j, b) in enumerate(shown):
        for i, a in shown[:n]:
            is_still = active[a.machine].is_fixed and active[b.machine].is_fixed
            is_same = (a.machine, a.body) == (b.machine, b.body)
            if not is_still and not is_same and (i, j) not in scene.disabled_geometries:
                return a.name, b.name
    return None


@overload
def without_joint_forces(subject: Model) -> Model: ...
@overload
def without_joint_forces(subject: Scene) -> Scene: ...
def without_joint_forces(subject: Scene | Model) -> Scene | Model:
    """The same with joints, and loops, that have neither limits nor forces; armature stays."""
    make = _model_without if isinstance(subject, Model) else _scene_without
    return kept(subject.programs, without_joint_forces, lambda: make(subject))  # type: ignore[arg-type]


def _model_without(model: Model) -> Model:
    links = tuple(
        replace(
            link, limits=None, dynamics=_without_forces(link.dynamics), gravity_compensation=0.0
        )
        for link in model.links
    )
    tendons = tuple(map(_without_tension, model.tendons))
    return replace(model, links=links, tendons=tendons, actuators=())


def _scene_without(scene: Scene) -> Scene:
    machines = tuple(
        replace(machine, model=without_joint_forces(machine.model), joint_settings=())
        for machine in scene.machines
    )
    loops = tuple(replace(loop, settings=None) for loop in scene.loops)
    tendons = tuple(map(_without_tension, scene.tendons))
    sensors = tuple(each for each in scene.sensors if each.kind.subject != "actuator")
    return replace(
        scene, machines=machines, loops=loops, tendons=tendons, actuators=(), sensors=sensors
    )


def _without_tension(tendon: Tendon) -> Tendon:
    return replace(tendon, stiffness=0.0, damping=0.0, friction=0.0, limits=UNLIMITED)


def _without_forces(dynamics: JointDynamics | None) -> JointDynamics | None:
    return None if dynamics is None else JointDynamics(armature=dynamics.armature)
