"""The part of URDF that is read, so that nothing else in a file goes unnoticed."""

from __future__ import annotations

from ..names import near
from ..reading import Notes
from ..xml import Element
from .values import describe

ORIGIN = {"origin": ({"xyz", "rpy"}, {})}
LINK = {
    "inertial": (
        set(),
        {
            **ORIGIN,
            "mass": ({"value"}, {}),
            "inertia": ({"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}),
        },
    ),
}
JOINT = {
    **ORIGIN,
    "parent": ({"link"}, {}),
    "child": ({"link"}, {}),
    "axis": ({"xyz"}, {}),
    "limit": ({"lower", "upper", "velocity", "effort"}, {}),
    "mimic": ({"joint", "multiplier", "offset"}, {}),
    "dynamics": ({"damping", "friction"}, {}),
}
READ = {"link": ({"name"}, LINK), "joint": ({"name", "type"}, JOINT)}

# Read elsewhere, or without any effect on the motion of rigid bodies.
QUIET = {
    "robot": {"material", "transmission", "gazebo", "sensor", "ros2_control"},
    "link": {"visual", "collision", "collision_checking", "self_filter", "verbose"},
    "joint": {"calibration", "safety_controller"},
}


def note_ignored(robot: Element, notes: Notes) -> None:
    """Note every tag and attribute of links and joints that is not read."""
    _note("<robot>", robot, READ, QUIET["robot"], notes)
    for element in robot.children:
        if element.tag in READ:
            attributes, children = READ[element.tag]
            where = describe(element)
            _note_attributes(where, element, attributes, notes)
            _note(where, element, children, QUIET[element.tag], notes)


def _note(where: str, element: Element, known: dict, quiet: set[str], notes: Notes) -> None:
    for part in element.children:
        if part.tag in known:
            if part.tag not in READ:
                attributes, children = known[part.tag]
                _note_attributes(f"{where} <{part.tag}>", part, attributes, notes)
                _note(f"{where} <{part.tag}>", part, children, set(), notes)
        elif part.tag not in quiet:
            hint = _hint(part.tag, {*known, *quiet}, notes)
            notes.add("ignored", f"{where}: <{part.tag}> is not read{hint}", part.line)


def _note_attributes(where: str, element: Element, known: set[str], notes: Notes) -> None:
    for name in element.attributes:
        if name not in known:
            hint = _hint(name, known, notes)
            notes.add("ignored", f"{where}: attribute '{name}' is not read{hint}", element.line)


def _hint(name: str, known: set[str], notes: Notes) -> str:
    """A suggestion, while the notes are few enough that somebody will read it."""
    return near(name, known) if len(notes.found) < 100 else ""
