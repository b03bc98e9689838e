"""``<surface>`` of a collision, and contact parameters of pairs of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from ...errors import ModelError
from ...scene import ContactParameters
from ..names import shorten
from ..reading import Notes
from ..xml import Element
from .values import boolean, child, describe, is_zero, number

MOST_SURFACES = 200
BLOCK = {"mu", "mu_coulomb", "mu_viscous", "num_friction_edges"}
TORSIONAL = {"coefficient", "use_patch_radius", "patch_radius", "surface_radius"}
PATCH_TORQUE = 3.0 * math.pi / 16.0  # torque of a patch of Hertz's pressure, by radius and friction


@dataclass(frozen=True)
class SurfaceParameters:
    """Restitution and friction of one shape."""

    restitution: float = 0.0
    mu_coulomb: float = 0.0
    mu_viscous: float = 0.0
    edges: int = 0
    mu_torsional: float = 0.0

    def with_other(self, other: SurfaceParameters, a: str, b: str) -> ContactParameters:
        """Parameters between two surfaces: means, and the larger number of edges."""
        return ContactParameters(
            a,
            b,
            (self.restitution + other.restitution) / 2,
            (self.mu_coulomb + other.mu_coulomb) / 2,
            (self.mu_viscous + other.mu_viscous) / 2,
            max(self.edges, other.edges),
            mu_torsional=(self.mu_torsional + other.mu_torsional) / 2,
        )


def read_surface(collision: Element, notes: Notes) -> SurfaceParameters | None:
    """The surface of a collision, or None.

    Friction is ``mu_coulomb``, ``mu_viscous`` and ``num_friction_edges`` in any block inside
    ``<friction>``, else the ``mu`` of such a block; torsional friction that of ``<torsional>``.
    """
    element = child(collision, "surface")
    if element is None:
        return None
    values = {"mu_coulomb": 0.0, "mu_viscous": 0.0, "num_friction_edges": 0.0}
    friction = child(element, "friction")
    for block in reversed(friction.children if friction is not None else []):
        values["mu_coulomb"] = _mu(block, "mu", values["mu_coulomb"])
        values["mu_coulomb"] = _mu(block, "mu_coulomb", values["mu_coulomb"])
        for key in ("mu_viscous", "num_friction_edges"):
            values[key] = number(block, key, default=values[key])
        _note_unread(block, TORSIONAL if block.tag == "torsional" else BLOCK, notes)
    edges = int(values["num_friction_edges"])
    surface = SurfaceParameters(
        number(element, "bounce", "restitution_coefficient", default=0.0),
        values["mu_coulomb"],
        values["mu_viscous"],
        max(edges, 4) if edges > 0 else 0,
        0.0 if friction is None else _torsional(friction, notes),
    )
    try:
        surface.with_other(surface, "a", "b")
    except ModelError as error:
        raise element.error(f"{describe(collision)}: {error}") from None
    return surface


def _mu(block: Element, key: str, default: float) -> float:
    """A coefficient of dry friction; nothing slides where it is infinite."""
    return number(block, key, default=default, may_be_infinite=True)


def _note_unread(block: Element, known: set[str], notes: Notes) -> None:
    """Note what of friction is not read and is not zero; a second direction may be as the first."""
    for part in block.children:
        is_same = part.tag == "mu2" and _mu(block, "mu2", 0.0) == _mu(block, "mu", 0.0)
        if part.tag not in known and not is_same and not is_zero(part):
            text = f"{describe(block)}: <{shorten(part.tag)}> is not read"
            notes.add("ignored", text, part.line, f"<{part.tag}>", f"<{block.tag}>")


def _torsional(friction: Element, notes: Notes) -> float:
    """Torque by normal force of a patch of contact [m], as Gazebo has it."""
    element = child(friction, "torsional")
    if element is None:
        return 0.0
    if child(element, "use_patch_radius") is not None and not boolean(element, "use_patch_radius"):
        text = (
            "<torsional>: a patch that grows with the depth is not read; rigid contacts have none"
        )
        notes.add("ignored", text, element.line)
        return 0.0
    coefficient = number(element, "coefficient", default=1.0)
    return PATCH_TORQUE * coefficient * number(element, "patch_radius", default=0.0)


def contacts(
    surfaces: Mapping[str, tuple[str, SurfaceParameters]],
) -> tuple[ContactParameters, ...]:
    """Contact parameters of all pairs of geometries on different models.

    ``surfaces`` are model and surface by geometry.
    """
    named = list(surfaces.items())[:MOST_SURFACES]
    return tuple(
        first.with_other(second, a, b)
        for (a, (owner, first)), (b, (other, second)) in combinations(named, 2)
        if owner != other
    )
