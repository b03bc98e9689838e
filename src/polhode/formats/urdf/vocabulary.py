"""The part of URDF that is read, so that nothing else in a file goes unnoticed."""

from __future__ import annotations

from typing import TypeAlias

from ..reading import Notes
from ..xml import Element
from .values import describe

Vocabulary: TypeAlias = "dict[str, tuple[set[str], Vocabulary]]"
"""Tags, each with its attributes and with the tags inside it."""
ORIGIN: Vocabulary = {"origin": ({"xyz", "rpy"}, {})}
LINK: Vocabulary = {
    "inertial": (
        set(),
        {
            **ORIGIN,
            "mass": ({"value"}, {}),
            "inertia": ({"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}),
        },
    ),
}
JOINT: Vocabulary = {
    **ORIGIN,
    "parent": ({"link"}, {}),
    "child": ({"link"}, {}),
    "axis": ({"xyz"}, {}),
    "limit": ({"lower", "upper", "velocity", "effort"}, {}),
    "mimic": ({"joint", "multiplier", "offset"}, {}),
    "dynamics": ({"damping", "friction"}, {}),
}
READ: Vocabulary = {"link": ({"name"}, LINK), "joint": ({"name", "type"}, JOINT)}

ELSEWHERE = {"material", "visual", "collision"}  # read by other modules
# Read elsewhere, or without any effect on the motion of rigid bodies.
QUIET = {
    "robot": {"material", "transmission", "gazebo", "sensor", "ros2_control"},
    "link": {"visual", "collision", "collision_checking", "self_filter", "verbose"},
    "joint": {"calibration", "safety_controller"},
}


def note_ignored(robot: Element, notes: Notes) -> None:
    """Note every tag and attribute of links and joints that is not read; some are mere hints."""
    _note("<robot>", robot, READ, QUIET["robot"], notes)
    for element in robot.children:
        if element.tag in READ:
            attributes, children = READ[element.tag]
            where = describe(element)
            _note_attributes(where, element, attributes, notes)
            _note(where, element, children, QUIET[element.tag], notes)


def _note(where: str, element: Element, known: Vocabulary, quiet: set[str], notes: Notes) -> None:
    for part in element.children:
        if part.tag in known:
            if part.tag not in READ:
                attributes, children = known[part.tag]
                _note_attributes(f"{where} <{part.tag}>", part, attributes, notes)
                _note(f"{where} <{part.tag}>", part, children, set(), notes)
        elif part.tag in quiet - ELSEWHERE:
            text = f"{where}: <{part.tag}> has no effect on the motion"
            notes.add("hint", text, part.line, f"<{part.tag}>", f"<{element.tag}>")
        elif part.tag not in quiet:
            hint = notes.hint(part.tag, {*known, *quiet})
            text = f"{where}: <{part.tag}> is not read{hint}"
            notes.add("ignored", text, part.line, f"<{part.tag}>", f"<{element.tag}>")


def _note_attributes(where: str, element: Element, known: set[str], notes: Notes) -> None:
    for name in element.attributes:
        if name not in known:
            hint = notes.hint(name, known - element.attributes.keys())
            text = f"{where}: attribute '{name}' is not read{hint}"
            notes.add("ignored", text, element.line, f"'{name}'", f"<{element.tag}>")
