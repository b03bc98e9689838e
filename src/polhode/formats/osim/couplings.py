"""Constraints between coordinates; others are named as not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...model import PiecewisePolynomial
from ..names import near, shorten
from ..reading import Notes
from ..sdf.values import child, text
from ..urdf.values import describe
from ..xml import Element
from .functions import function_in
from .values import finite, flag, objects, words


@dataclass(frozen=True)
class OsimCoupler:
    """A coordinate that follows another one on a straight line."""

    name: str
    dependent: str
    independent: str
    function: PiecewisePolynomial


def read_couplings(model: Element, names: Mapping[str, object], notes: Notes) -> list[OsimCoupler]:
    """What couples coordinates, out of ``names``, of a file."""
    found = []
    for element in objects(model, "ConstraintSet"):
        if is_off(element):
            notes.add("hint", f"{describe(element)} is not enforced", element.line)
        elif element.tag == "CoordinateCouplerConstraint":
            coupling = _coupling(element, names, notes)
            found += [coupling] if coupling else []
        else:
            _unread(element, "this kind of constraint is not read", notes)
    return found


def is_off(element: Element) -> bool:
    """Whether a constraint does nothing."""
    enforced = child(element, "isEnforced")
    return flag(element, "isDisabled") or (enforced is not None and not flag(element, "isEnforced"))


def _coupling(
    element: Element, names: Mapping[str, object], notes: Notes
) -> OsimCoupler | None:  # fmt: skip
    independent = words(element, "independent_coordinate_names")
    dependent = text(element, "dependent_coordinate_name")
    for name in (dependent, *independent):
        if name not in names:
            raise element.error(
                f"{describe(element)}: no coordinate '{shorten(name)}'{near(name, names)}"
            )
    if len(independent) != 1 or independent[0] == dependent:
        _unread(element, "only a coordinate that follows one other is read", notes)
        return None
    function = function_in(element, "coupled_coordinates_function")
    if function is None:
        raise element.error(f"{describe(element)} has no <coupled_coordinates_function>")
    if not function.is_linear:
        _unread(element, "only a straight line is read, no other function", notes)
        return None
    scaled = function.scaled(finite(element, "scale_factor", 1.0))
    name = element.attributes.get("name") or f"{dependent} with {independent[0]}"
    return OsimCoupler(name, dependent, independent[0], scaled)


def _unread(element: Element, why: str, notes: Notes) -> None:
    text = f"{describe(element)}: {why}"
    notes.add("doubtful", text, element.line, f"<{shorten(element.tag)}>", "<ConstraintSet>")
