"""Elements and attributes of SDF that are read, and notes on all others."""

from __future__ import annotations

from ..names import shorten
from ..reading import Notes
from ..xml import Element
from .shapes import SHAPES
from .values import boolean, describe, is_zero

PARAMETERS = {
    "gearbox_ratio": "gearbox", "gearbox_reference_body": "gearbox",
    "thread_pitch": "screw", "screw_thread_pitch": "screw",
}  # fmt: skip
"""Elements of joints that say something of joints of one type only."""
NUMBERS = {"xyz", "use_parent_model_frame", "limit", "dynamics"}
READ: dict[str, set[str]] = {
    "sdf": {"model", "world"},
    "world": {"model", "gravity", "include"},
    "include": {"uri", "name", "pose", "static", "placement_frame"},
    "model": {"pose", "static", "link", "joint", "frame", "self_collide", "model", "include"},
    "frame": {"pose"},
    "link": {"pose", "inertial", "collision", "visual", "self_collide", "gravity"},
    "inertial": {"pose", "mass", "inertia", "density"},
    "inertia": {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"},
    "collision": {"pose", "geometry", "surface", "density"},
    "visual": {"pose", "geometry", "material"},
    "geometry": set(SHAPES),
    "surface": {"bounce", "friction"},
    "bounce": {"restitution_coefficient"},
    "joint": {"pose", "parent", "child", "axis", "axis2", *PARAMETERS},
    "axis": NUMBERS | {"mimic"},
    "mimic": {"multiplier", "offset", "reference"},
    "axis2": NUMBERS,
    "limit": {"lower", "upper", "velocity", "effort"},
    "dynamics": {"damping", "friction", "spring_reference", "spring_stiffness"},
    "box": {"size"},
    "sphere": {"radius"},
    "cylinder": {"radius", "length"},
    "capsule": {"radius", "length"},
    "plane": {"normal"},
    "mesh": {"uri", "scale"},
}
ATTRIBUTES: dict[str, set[str]] = {
    "sdf": {"version"},
    "world": {"name"},
    "include": {"merge"},
    "model": {"name", "canonical_link", "placement_frame"},
    "frame": {"name", "attached_to"},
    "link": {"name"},
    "inertial": {"auto"},
    "collision": {"name"},
    "visual": {"name"},
    "joint": {"name", "type"},
    "pose": {"relative_to", "rotation_format", "degrees", "frame"},
    "xyz": {"expressed_in"},
    "mimic": {"joint", "axis"},
}
QUIET = {"material", "size", "allow_auto_disable"}
QUIET_IF_ZERO = {"velocity_decay"}
QUIET_IF_FALSE = {"enable_wind", "kinematic", "must_be_base_link"}


def note_unread(root: Element, notes: Notes) -> None:
    """Note every element and attribute that is not read and might matter."""
    stack = [root]
    while stack:
        element = stack.pop()
        _note_attributes(element, notes)
        known = READ.get(element.tag)
        if known is None:
            continue
        for child in element.children:
            kind = PARAMETERS.get(child.tag)
            if kind is not None and element.attributes.get("type") != kind:
                text = f"{describe(element)}: <{child.tag}> is read for joints of type {kind} only"
                notes.add("ignored", text, child.line)
            elif child.tag in known:
                stack.append(child)
            elif not _says_nothing(child) and element.tag != "friction":
                hint = notes.hint(child.tag, known)
                text = f"{describe(element)}: <{shorten(child.tag)}> is not read{hint}"
                notes.add("ignored", text, child.line, f"<{child.tag}>", f"<{element.tag}>")


def _says_nothing(element: Element) -> bool:
    """Whether an element has no effect, or says what is so anyway."""
    is_zero_already = element.tag in QUIET_IF_ZERO and is_zero(element)
    is_false_already = element.tag in QUIET_IF_FALSE and not boolean(element)
    return element.tag in QUIET or is_zero_already or is_false_already


def _note_attributes(element: Element, notes: Notes) -> None:
    known = ATTRIBUTES.get(element.tag, set())
    for name in element.attributes:
        if name not in known:
            hint = notes.hint(name, known - element.attributes.keys())
            text = f"{describe(element)}: attribute '{shorten(name)}' is not read{hint}"
            notes.add("ignored", text, element.line, f"'{name}'", f"<{element.tag}>")
