"""Constraints between coordinates; others are named as not read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...model import (
    FunctionAxis,
    FunctionBased,
    Helical,
    JointKind,
    Link,
    Mimic,
    PiecewisePolynomial,
    Prismatic,
    Revolute,
)
from ..names import near, shorten
from ..reading import Notes
from ..sdf.values import child, text
from ..urdf.values import describe
from ..xml import Element
from .functions import function_in
from .values import finite, flag, objects, words


@dataclass(frozen=True)
class OsimCoupler:
    """A coordinate that follows another one by a function."""

    name: str
    dependent: str
    independent: str
    function: PiecewisePolynomial

    @property
    def is_curve(self) -> bool:
        """Whether it is no straight line."""
        return not self.function.is_linear


def read_couplings(
    model: Element, names: Mapping[str, object], links: Iterable[Link], notes: Notes
) -> list[OsimCoupler]:
    """What couples coordinates, out of ``names``, of the joints of some links."""
    kinds = {link.joint_name: link.joint for link in links if link.joint.nv == 1}
    found: list[OsimCoupler] = []
    for element in objects(model, "ConstraintSet"):
        if is_off(element):
            notes.add("hint", f"{describe(element)} is not enforced", element.line)
        elif element.tag == "CoordinateCouplerConstraint":
            coupling = _coupling(element, names, notes)
            if coupling is not None and _is_held(coupling, kinds, found):
                found.append(coupling)
            elif coupling is not None:
                _unread(element, "only a joint of one axis follows a curve, of another joint of "
                        "one coordinate", notes)  # fmt: skip
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
    scaled = function.scaled(finite(element, "scale_factor", 1.0))
    name = element.attributes.get("name") or f"{dependent} with {independent[0]}"
    return OsimCoupler(name, dependent, independent[0], scaled)


def _is_held(
    coupling: OsimCoupler, kinds: Mapping[str, JointKind], others: Sequence[OsimCoupler]
) -> bool:
    """Whether it is a line, or a curve of coordinates that no other curve has to do with."""
    curves = {other.dependent for other in others if other.is_curve}
    if curves & {coupling.dependent, coupling.independent}:
        return False
    if not coupling.is_curve:
        return True
    is_axis = isinstance(kinds.get(coupling.dependent), (Revolute, Prismatic, Helical))
    ends = {name for other in others for name in (other.dependent, other.independent)}
    return is_axis and coupling.independent in kinds and coupling.dependent not in ends


def following(link: Link, coupling: OsimCoupler) -> Link:
    """The link of a coordinate on a curve, which has the coordinate that it follows."""
    assert isinstance(link.joint, (Revolute, Prismatic, Helical))
    joint = FunctionBased((FunctionAxis(link.joint.row, coupling.function),), (link.joint_name,))
    leader = Mimic(coupling.independent, coupled=True)
    return replace(link, joint=joint, mimic=leader, limits=None)


def _unread(element: Element, why: str, notes: Notes) -> None:
    text = f"{describe(element)}: {why}"
    notes.add("doubtful", text, element.line, f"<{shorten(element.tag)}>", "<ConstraintSet>")
