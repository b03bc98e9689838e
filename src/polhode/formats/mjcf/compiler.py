"""``<compiler>`` and ``<option>``: how the rest of a file is to be understood."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ...model.tendons import UNLIMITED, Range
from ..names import shorten
from ..reading import Notes
from ..urdf.rotation import quarter_turns
from ..xml import Element
from .values import choice, describe, flag, integers, number, numbers, text, word

AUTO = ("true", "false", "auto")
STANDARD_GRAVITY = (0.0, 0.0, -9.81)
TIMESTEP = 0.002  # of files that do not say [s]


@dataclass(frozen=True)
class Compiler:
    """The settings of a file's ``<compiler>`` elements; later ones replace earlier ones."""

    element: Element
    snap: bool | str
    notes: Notes
    in_degrees: bool = field(init=False)
    eulerseq: str = field(init=False)
    autolimits: bool = field(init=False)
    meshdir: str = field(init=False)
    strippath: bool = field(init=False)
    fitaabb: bool = field(init=False)
    boundmass: float = field(init=False)
    boundinertia: float = field(init=False)
    settotalmass: float = field(init=False)
    balanceinertia: bool = field(init=False)
    inertiafromgeom: str = field(init=False)
    inertiagroups: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        e = self.element
        choice(e, "coordinate", ("local",), "local")
        groups = integers(e, "inertiagrouprange", 2) or (0, 5)
        values = {
            "in_degrees": choice(e, "angle", ("degree", "radian"), "degree") == "degree",
            "eulerseq": _euler_sequence(e),
            "autolimits": flag(e, "autolimits", True),
            "meshdir": text(e, "meshdir") or "",
            "strippath": flag(e, "strippath", False),
            "fitaabb": flag(e, "fitaabb", False),
            "boundmass": number(e, "boundmass", 0.0),
            "boundinertia": number(e, "boundinertia", 0.0),
            "settotalmass": number(e, "settotalmass", -1.0),
            "balanceinertia": flag(e, "balanceinertia", False),
            "inertiafromgeom": choice(e, "inertiafromgeom", AUTO, "auto"),
            "inertiagroups": (groups[0], groups[-1]),
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)

    @classmethod
    def of(cls, root: Element, snap: bool | str, notes: Notes) -> Compiler:
        """That of a file."""
        merged = Element("compiler", {}, root.file, root.line)
        for element in root.all("compiler"):
            if "assetdir" in element.attributes:
                merged.attributes["meshdir"] = element.attributes["assetdir"]
            merged.attributes.update(element.attributes)
            merged.line = element.line
        return cls(merged, snap, notes)

    def angle(self, element: Element, key: str, word: str, value: float) -> float:
        """An angle in radians; multiples of a quarter turn are as exact as a float can be."""
        if self.in_degrees:
            turns, rest = divmod(value, 90.0)
            return turns * (math.pi / 2) if rest == 0.0 else math.radians(value)
        turns = quarter_turns(word, self.snap)
        if turns is None:
            return value
        if value != turns * (math.pi / 2):
            text = f"{describe(element)} '{key}': {shorten(word)} read as {turns} pi/2"
            self.notes.add("snapped", text, element.line)
        return turns * (math.pi / 2)

    def angles(self, element: Element, key: str, least: int, most: int) -> tuple[float, ...]:
        """The angles of an attribute in radians; () if it is absent."""
        values = numbers(element, key, least, most)
        words = element.attributes.get(key, "").split()
        pairs = zip(words, values, strict=True)
        return tuple(self.angle(element, key, word, value) for word, value in pairs)

    def bounds(self, element: Element, key: str, bounds: str) -> Range:
        """A range; unlimited unless ``key`` says that it holds, or it rises and is inferred."""
        said = choice(element, key, AUTO, "auto")
        low, high = numbers(element, bounds, 2, finite=False) or (0.0, 0.0)
        if said == "true" and low >= high:
            raise element.error(f"{describe(element)}: expected a {bounds} that rises, found "
                                f"{low:g} to {high:g}; {key}=\"false\" is no limit")  # fmt: skip
        if said == "auto" and (low or high) and not self.autolimits:
            raise element.error(
                f"{describe(element)} has '{bounds}', but neither '{key}' nor <compiler "
                'autolimits="true"> says whether it holds'
            )
        if said == "auto" and (low or high) and low >= high:
            text = f"{describe(element)}: '{bounds}' from {low:g} to {high:g} is no limit"
            self.notes.add("doubtful", text, element.line)
        return UNLIMITED if said == "false" or low >= high else (low, high)

    def efforts(self, element: Element) -> Range:
        """The range of what actuators together do along a joint or tendon."""
        low, high = self.bounds(element, "actuatorfrclimited", "actuatorfrcrange")
        if not low <= 0.0 <= high:
            raise element.error(f"{describe(element)}: expected an actuatorfrcrange with 0 in it, "
                                f"found {low:g} to {high:g}")  # fmt: skip
        return low, high


def _euler_sequence(element: Element) -> str:
    sequence = word(element, "eulerseq") or "xyz"
    if len(sequence) != 3 or not set(sequence.lower()) <= set("xyz"):
        raise element.error(
            f"expected three of x, y, z, X, Y and Z as eulerseq, found '{shorten(sequence)}'"
        )
    return sequence


MOST_GROUPS = 31  # of actuators, that can be without force
CONSTRAINTS = {"contact", "limit", "frictionloss", "equality"}
"""Flags of what MuJoCo's constraint solver computes."""


@dataclass(frozen=True)
class Option:
    """What a file's ``<option>`` elements say of the physics."""

    gravity: tuple[float, float, float]
    timestep: float
    disabled: frozenset[str]
    density: float
    viscosity: float
    wind: tuple[float, float, float]
    is_passive: bool
    """Whether a fluid and gravity compensation act; not so without both springs and dampers."""
    idle_groups: frozenset[int]
    """Groups of actuators without force."""

    @classmethod
    def of(cls, root: Element) -> Option:
        """That of a file; flags that are off are in ``disabled``."""
        merged, flags = Element("option", {}, root.file, root.line), {}
        for element in root.all("option"):
            merged.attributes.update(element.attributes)
            merged.line = element.line
            for part in element.all("flag"):
                flags |= {k: choice(part, k, ("enable", "disable"), "enable")
                          for k in part.attributes}  # fmt: skip
        x, y, z = numbers(merged, "gravity", 3) or STANDARD_GRAVITY
        disabled = frozenset(key for key, value in flags.items() if value == "disable")
        if "constraint" in disabled:
            disabled |= CONSTRAINTS
        gravity = (0.0, 0.0, 0.0) if "gravity" in disabled else (x, y, z)
        timestep = number(merged, "timestep", TIMESTEP)
        if timestep <= 0.0:
            raise merged.error(f"expected a timestep above 0, found {timestep:g}")
        is_passive = "passive" not in disabled and not {"spring", "damper"} <= disabled
        density, viscosity = (number(merged, key, 0.0) for key in ("density", "viscosity"))
        u, v, w = numbers(merged, "wind", 3) or (0.0, 0.0, 0.0)
        return cls(gravity, timestep, disabled, is_passive * density, is_passive * viscosity,
                   (u, v, w), is_passive, _idle_groups(merged))  # fmt: skip


def _idle_groups(option: Element) -> frozenset[int]:
    groups = integers(option, "actuatorgroupdisable", 2 * MOST_GROUPS)
    for group in groups:
        if not 0 <= group < MOST_GROUPS:
            raise option.error(f"expected groups from 0 to {MOST_GROUPS - 1} in <option> "
                               f"'actuatorgroupdisable', found {group}")  # fmt: skip
    return frozenset(groups)
