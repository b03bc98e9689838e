"""``<tendon>`` to tendons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...model import Anchor, Pulley, Spherical, Tendon, Wrapping
from ...model.tendons import UNLIMITED, PathPart
from ..names import shorten
from ..xml import Element
from .copies import Copy, Keys, copies_of, first_place
from .defaults import BARE
from .geoms import Geom
from .joints import MjcfJoint
from .tree import MjcfBody, MjcfTree, Part, unused
from .values import describe, errors_at, number, numbers, required, text


@dataclass(frozen=True)
class MjcfTendon:
    """A tendon, whose spring may be at rest where the file's pose has it."""

    copy: Copy
    tendon: Tendon
    place: int
    rests_in_pose: bool


@dataclass
class MjcfNames:
    """What bodies, joints and geoms of a file are called in the model of the whole scene."""

    tree: MjcfTree
    owner: Mapping[MjcfBody, str]
    joints: Mapping[MjcfBody, list[MjcfJoint]]
    geoms: Mapping[MjcfBody, list[Geom]]
    numbers: dict[MjcfBody, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.numbers = {body: k for k, body in enumerate(self.tree.bodies)}
        self._joints = {id(each.part): each for own in self.joints.values() for each in own}

    def body(self, body: MjcfBody) -> str | None:
        """The name of a body; None for the world."""
        return None if body.parent is None else f"{self.owner[body]}/{body.name}"

    def joint(self, part: Part) -> MjcfJoint:
        """The joint of an element."""
        return self._joints[id(part)]

    def joint_name(self, body: MjcfBody, part: Part) -> str:
        """The name of a joint."""
        return f"{self.owner[body]}/{self.joint(part).name}"

    def is_ball(self, found: tuple[MjcfBody, Part]) -> bool:
        """Whether a joint is spherical."""
        return isinstance(self.joint(found[1]).kind, Spherical)

    def anchor(self, found: tuple[MjcfBody, Part]) -> Anchor:
        """The place of a site."""
        body, site = found
        return Anchor(self.body(body), tuple(site.pose.r))  # type: ignore[arg-type]

    def geom(self, found: tuple[MjcfBody, Part]) -> Geom:
        """The geom of an element."""
        body, part = found
        return next(geom for geom in self.geoms[body] if geom.part is part)

    def place(self, found: Any) -> int:
        """The number of the body that something belongs to."""
        if isinstance(found, MjcfTendon):
            return found.place
        return self.numbers[found if isinstance(found, MjcfBody) else found[0]]


def read_tendons(names: MjcfNames, disabled: frozenset[str]) -> list[MjcfTendon]:
    """The tendons of a file, in order; they can be referred to by name from now on."""
    used: set[str] = set()
    tendons = []
    for copy in copies_of(names.tree, "tendon", _named, names.place):
        name = unused(copy.name or f"tendon{len(tendons)}", used)
        with errors_at(copy.element):
            tendon = _tendon(names, copy, name, disabled)
        tendons.append(tendon)
        copy.source.put("tendon", copy.element, copy.suffix, tendon, copy.replicate)
        full = copy.name
        if full and full != copy.element.attributes.get("name"):
            names.tree.main.copies.setdefault(("tendon", full), {})[""] = tendon
    return tendons


def _named(element: Element) -> Keys:
    if element.tag not in ("fixed", "spatial"):
        raise element.error(f"expected <fixed> or <spatial> in <tendon>, found <{element.tag}>")
    keys: Keys = []
    for part in element.children:
        if part.tag == "joint" and element.tag == "fixed":
            required(part, "coef")
            key = "joint", required(part, "joint")
            if key in keys:
                raise part.error(f"{describe(element)} has joint '{shorten(key[1])}' twice")
            keys.append(key)
        elif part.tag == "site" and element.tag == "spatial":
            keys.append(("site", required(part, "site")))
        elif part.tag == "geom" and element.tag == "spatial":
            keys.append(("geom", required(part, "geom")))
            if text(part, "sidesite"):
                keys.append(("site", required(part, "sidesite")))
        elif part.tag != "pulley" or element.tag == "fixed":
            raise part.error(f"<{part.tag}> cannot stand in {describe(element)}")
    if not keys:
        raise element.error(f"{describe(element)} has no path")
    return keys


def _tendon(names: MjcfNames, copy: Copy, name: str, disabled: frozenset[str]) -> MjcfTendon:
    element = copy.source.document.classes.apply(copy.element, None)
    compiler = copy.source.document.compiler
    if text(element, "class") == BARE:  # an edge of a flexible body, which keeps its length
        low, high = numbers(element, "range", 2) or UNLIMITED
    else:
        low, high = compiler.bounds(element, "limited", "range")
    limits = UNLIMITED if "limit" in disabled else (low, high)
    stiffness = 0.0 if disabled & {"spring", "passive"} else linear(element, "stiffness")
    damping = 0.0 if disabled & {"damper", "passive"} else linear(element, "damping")
    rest = numbers(element, "springlength", 1, 2) or (-1.0,)
    friction = 0.0 if "frictionloss" in disabled else number(element, "frictionloss", 0.0)
    path: tuple[PathPart, ...] = ()
    joints: tuple[tuple[str, float], ...] = ()
    if element.tag == "fixed":
        joints = tuple(
            (names.joint_name(*found), number(part, "coef", 0.0))
            for found, part in zip(copy.found, copy.element.children, strict=True)
        )
    else:
        path = _path(names, copy)
    in_pose = rest[0] == -1.0
    tendon = Tendon(
        name, path, joints, stiffness, damping, (0.0, 0.0) if in_pose else (rest[0], rest[-1]),
        number(element, "armature", 0.0), friction, limits, compiler.efforts(element),
    )  # fmt: skip
    place = first_place(copy.found, names.place)
    return MjcfTendon(copy, tendon, place, in_pose and stiffness > 0.0)


def _path(names: MjcfNames, copy: Copy) -> tuple[PathPart, ...]:
    path: list[PathPart] = []
    found = iter(copy.found)
    for part in copy.element.children:
        match part.tag:
            case "site":
                path.append(names.anchor(next(found)))
            case "geom":
                at = next(found)
                geom = names.geom(at)
                if geom.type not in ("sphere", "cylinder"):
                    raise part.error(f"expected a sphere or cylinder to wrap around, found a "
                                     f"{geom.type}")  # fmt: skip
                side = names.anchor(next(found)) if text(part, "sidesite") else None
                path.append(
                    Wrapping(names.body(at[0]), geom.size[0], geom.frame, geom.type == "cylinder",
                             side)
                )  # fmt: skip
            case _:
                path.append(Pulley(number(part, "divisor", 1.0)))
    return tuple(path)


def linear(element: Element, key: str) -> float:
    """A coefficient that may have two of higher order, which must be zero."""
    values = numbers(element, key, 1, 3) or (0.0,)
    if any(values[1:]):
        raise element.error(f"{describe(element)}: '{key}' that is not linear is not read: "
                            f"'{element.attributes[key]}'")  # fmt: skip
    return values[0]
