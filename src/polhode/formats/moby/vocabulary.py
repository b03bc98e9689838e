"""Elements of Moby files that are read, and notes on all others."""

from __future__ import annotations

from ..names import near, shorten
from ..reading import Notes
from ..xml import Element
from .values import describe

POSE = {"position", "rpy", "quat", "aangle"}
PRIMITIVE = {"id", "mass", "density", *POSE}
SAMPLING = {"num-points", "num-circle-points", "num-rings", "edge-sample-length"}
SHOWN = {"visualization-id", "visualization-filename", "color"}
OFFSETS = {"visualization-rel-origin", "visualization-rel-rpy", "visualization-rel-quat"}
JOINT = {
    "id", "inboard-link-id", "outboard-link-id", "location", "lower-limits", "upper-limits",
    "q", "qd", "q-tare", "restitution-coeff", "coulomb-friction-coeff", "viscous-friction-coeff",
    "inboard-origin", "inboard-quat", "outboard-origin", "outboard-quat",
}  # fmt: skip
SIMULATOR = {
    "id", "current-time", "dissipator-id", "min-step-size", "contact-dist-thresh",
    "unilateral-stabilization-tol", "bilateral-stabilization-tol",
    "constraint-stabilization-max-iterations", "collision-detection-plugin",
}  # fmt: skip

JOINT_HINTS = {"articulated-body-id", "visualization-id", "visualization-filename"}

PRIMITIVES: dict[str, set[str]] = {
    "Box": {"xlen", "ylen", "zlen"},
    "Torus": {"major-radius", "minor-radius"},
    "Sphere": {"radius"},
    "Cylinder": {"radius", "height"},
    "Cone": {"radius", "height"},
    "Capsule": {"radius", "height"},
    "Heightmap": {"filename", "width", "depth"},
    "Plane": set(),
    "Polyhedron": {"filename"},
    "TriangleMesh": {"filename", "center", "convexify-inertia"},
}
JOINTS: dict[str, set[str]] = {
    "RevoluteJoint": {"axis"},
    "PrismaticJoint": {"axis"},
    "SphericalJoint": {"axis", "axis1", "axis2", "orientation", "spin"},
    "UniversalJoint": {"axis1", "axis2"},
    "FixedJoint": set(),
    "PlanarJoint": {"normal"},
    "ScrewJoint": {"axis", "pitch"},
    "Gears": {"gear-ratio"},
}
KNOWN: dict[str, set[str]] = {
    **{tag: PRIMITIVE | own for tag, own in PRIMITIVES.items()},
    **{tag: JOINT | own for tag, own in JOINTS.items()},
    "XML": set(),
    "MOBY": {"name"},
    "DRIVER": {"step-size"},
    "camera": {"position", "target", "up"},
    "window": {"location", "size"},
    "GravityForce": {"id", "accel"},
    "StokesDragForce": {"id", "drag-b", "drag-b-ang"},
    "DampingForce": {"id"},
    "Gains": {"body-id", "klinear", "kangular", "klinear-sq", "kangular-sq"},
    "Dissipation": {"id", "default"},
    "RigidBody": {
        "id", "enabled", "compliant", "mass", "inertia", "linear-velocity",
        "angular-velocity", "inertial-relative-com", "inertial-relative-rpy",
        "inertial-relative-quat", "inertial-relative-aangle", *POSE, *SHOWN, *OFFSETS,
    },
    "InertiaFromPrimitive": {
        "primitive-id", "relative-origin", "relative-rpy", "relative-aangle", "relative-quat",
    },
    "CollisionGeometry": {
        "id", "primitive-id", "relative-origin", "relative-rpy", "relative-quat", "relative-aangle",
    },
    "Visualization": {"id", "visualization-scale", *SHOWN, *OFFSETS},
    "RecurrentForce": {"recurrent-force-id"},
    "RCArticulatedBody": {
        "id", "urdf-filename", "floating-base", "rpy", "translate", "base-joint-id",
    },
    "Simulator": SIMULATOR,
    "TimeSteppingSimulator": SIMULATOR,
    "DynamicBody": {"dynamic-body-id"},
    "ImplicitConstraint": {"joint-id"},
    "ContactParameters": {
        "object1-id", "object2-id", "epsilon", "mu-coulomb", "mu-viscous", "friction-cone-edges",
        "compliance", "penalty-kp", "penalty-kv",
    },
    "DisabledPair": {"object1-id", "object2-id"},
    "CollisionDetectionPlugin": {"id", "plugin"},
    "SDF": {"id", "filename"},
}  # fmt: skip
CANONICAL = {tag.lower(): tag for tag in KNOWN}
BODY_OF_DISSIPATION = {"id", "lambda"}

# Read and understood, but without any effect here.
HINTS = {
    **dict.fromkeys(PRIMITIVES, SAMPLING),
    **dict.fromkeys(JOINTS, JOINT_HINTS),
    "RigidBody": {"articulated-body-id"},
    "RCArticulatedBody": {"fdyn-algorithm", "fdyn-algorithm-frame"},
}
HINT_VALUES: dict[str, tuple[str, ...]] = {
    "fdyn-algorithm": ("crb", "fsab"),
    "fdyn-algorithm-frame": (
        "global", "link", "linkinertia", "link-inertia", "linkcom", "link-com", "joint",
    ),
}  # fmt: skip

RETIRED = {
    "integrators": "simulators here choose their own method; ph.simulate has others",
    "MCArticulatedBody": "read as RCArticulatedBody: the same machine in other coordinates",
    "ContactParamaters": "read as ContactParameters",
    "PseudoRigidBody": "it moves as its rigid core",
    "RCArticulatedBodySymbolicPlugin": "a C++ plug-in; give ph.simulate a controller instead",
    "JointPlugin": "a C++ plug-in; a Python model can have a Custom joint",
    "PrimitivePlugin": "a C++ plug-in",
    "EventDrivenSimulator": "read as TimeSteppingSimulator",
    "CSG": "no longer exists; join several CollisionGeometry instead",
    "TetraMesh": "no longer exists; use a TriangleMesh",
    "OSGGroup": "drawing only",
}
_RETIRED = {tag.lower(): (tag, why) for tag, why in RETIRED.items()}


def tag_of(element: Element) -> str:
    """An element's tag as Moby spells it; case does not matter."""
    return CANONICAL.get(element.tag.lower(), element.tag)


def note_unread(root: Element, notes: Notes) -> None:
    """Note every tag and attribute that is not read, or is read without effect."""
    stack = [(root, "")]
    while stack:
        element, parent = stack.pop()
        tag = tag_of(element)
        if parent == "Dissipation" and tag == "Body":
            _note_attributes(element, BODY_OF_DISSIPATION, notes)
        elif tag == "Visualization" and parent in JOINTS:
            notes.add("hint", "<Visualization> of a joint has no effect", element.line)
        elif tag in KNOWN:
            _note_attributes(element, KNOWN[tag], notes)
        else:
            _note_tag(element, notes)
        stack.extend((child, tag) for child in reversed(element.children))


def _note_attributes(element: Element, known: set[str], notes: Notes) -> None:
    hints = HINTS.get(tag_of(element), set())
    for key, value in element.attributes.items():
        if key in known:
            continue
        if key in hints:
            allowed = HINT_VALUES.get(key)
            if allowed and value.strip().lower() not in allowed:
                raise element.error(
                    f"expected {key} = {' or '.join(allowed)} in {describe(element)}, found "
                    f"'{shorten(value)}'{near(value, allowed)}"
                )
            notes.add("hint", f"{describe(element)}: '{key}' has no effect", element.line)
        else:
            text = f"{describe(element)}: attribute '{shorten(key)}' is not read"
            hint = notes.hint(key, known - element.attributes.keys())
            whole = f"<{shorten(element.tag)}>"
            notes.add("ignored", text + hint, element.line, f"'{key}'", whole)


def _note_tag(element: Element, notes: Notes) -> None:
    if element.tag.endswith("Integrator"):
        why = RETIRED["integrators"]
    elif element.tag.lower() in _RETIRED:
        why = _RETIRED[element.tag.lower()][1]
    else:
        hint = notes.hint(element.tag, KNOWN)
        notes.add("ignored", f"<{shorten(element.tag)}> is not read{hint}", element.line)
        return
    notes.add("ignored", f"{describe(element)}: {why}", element.line)
