"""Force elements: of the whole scene, and of single bodies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ...errors import ModelError
from ...scene import Damping, DampingGains, Dissipation, StokesDrag, UniformGravity
from ...scene.forces import ForceElement
from ..names import near, shorten
from ..reading import Notes
from ..xml import Element
from .objects import Objects, children
from .values import describe, number, required, triple
from .vocabulary import tag_of

Bodies = tuple[str, ...] | None
Forces = tuple[tuple[float, float, float], tuple[ForceElement, ...]]


def read_forces(
    forces: Objects,
    uses: Iterable[tuple[Element, str | None]],
    names: Iterable[str] | None,
    notes: Notes,
) -> Forces:
    """Gravity of the whole scene, and all other force elements.

    ``uses`` are the ``<RecurrentForce>`` elements with the body or model that contains them, None
    in a simulator. ``names`` are those that gains may have, None if they are not known yet.
    """
    everywhere: dict[str, None] = {}
    somewhere: dict[str, list[str]] = {}
    for element, owner in uses:
        name = required(element, "recurrent-force-id")
        forces.find(name, element)
        if owner is not None:
            somewhere.setdefault(name, []).append(owner)
        elif name in everywhere:
            text = f"force '{shorten(name)}' is listed again; it acts once"
            notes.add("doubtful", text, element.line)
        else:
            everywhere[name] = None
    gravity = (0.0, 0.0, 0.0)
    found = []
    known = None if names is None else list(names)
    for name, element in forces.items():
        if name not in everywhere and name not in somewhere:
            notes.add("ignored", f"{describe(element)} acts on nothing", element.line)
        if name in everywhere:
            if tag_of(element) == "GravityForce":
                g = triple(element, "accel")
                gravity = (gravity[0] + g[0], gravity[1] + g[1], gravity[2] + g[2])
            else:
                found.append(_force(name, element, None, known))
        if name in somewhere:
            label = f"{name}/bodies" if name in everywhere else name
            found.append(_force(label, element, tuple(dict.fromkeys(somewhere[name])), known))
    return gravity, tuple(found)


def _force(name: str, element: Element, bodies: Bodies, known: list[str] | None):
    try:
        match tag_of(element):
            case "GravityForce":
                return UniformGravity(name, triple(element, "accel"), bodies)
            case "StokesDragForce":
                linear, angular = (number(element, key, 0.0) for key in ("drag-b", "drag-b-ang"))
                return StokesDrag(name, linear, angular, bodies)
            case _:
                gains = tuple(_gains(part, known) for part in children(element, "Gains"))
                return Damping(name, gains, bodies)
    except ModelError as error:
        raise element.error(str(error)) from None


def _gains(element: Element, known: list[str] | None) -> DampingGains:
    keys = ("klinear", "kangular", "klinear-sq", "kangular-sq")
    values = (number(element, key, 0.0) for key in keys)
    try:
        return DampingGains(_known(element, required(element, "body-id"), known), *values)
    except ModelError as error:
        raise element.error(str(error)) from None


def read_dissipation(element: Element, machines: Mapping[str, object]) -> Dissipation:
    """Factors by model."""
    factors = []
    for part in children(element, "Body"):
        machine = _known(part, required(part, "id"), machines)
        factors.append((machine, number(part, "lambda", 0.99)))
    try:
        own = Dissipation(tuple(factors))
        return replace(own, default=number(element, "default", own.default))
    except ModelError as error:
        raise element.error(str(error)) from None


def _known(element: Element, name: str, known: Iterable[str] | None) -> str:
    every = [] if known is None else list(known)
    if known is not None and name not in every:
        raise element.error(f"{describe(element)}: no body '{shorten(name)}'{near(name, every)}")
    return name
