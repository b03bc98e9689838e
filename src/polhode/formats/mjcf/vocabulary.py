"""Elements and attributes of MJCF that are read, and notes on all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..names import shorten
from ..reading import Notes
from ..xml import Element
from .values import describe

ORIENTATION = {"quat", "axisangle", "euler", "xyaxes", "zaxis"}
POSE = {"pos", *ORIENTATION}
SOLVER = {"solref", "solimp", "solreflimit", "solimplimit", "solreffriction", "solimpfriction",
          "solmix", "margin", "gap"}  # fmt: skip
APART = ("sensor",)  # where they are read, what is not read of them is noted

TENDON = {"limited", "range", "stiffness", "damping", "springlength", "frictionloss", "armature",
          "actuatorfrclimited", "actuatorfrcrange"}  # fmt: skip
SHORTCUTS = ("motor", "general", "position", "velocity", "intvelocity", "damper", "cylinder",
             "muscle", "dcmotor", "adhesion")  # fmt: skip
ACTUATOR = {
    "name", "class", "group", "ctrllimited", "forcelimited", "actlimited", "ctrlrange",
    "forcerange", "actrange", "lengthrange", "delay", "gear", "damping", "armature",
    "cranklength", "joint", "jointinparent", "site", "refsite", "body", "tendon", "cranksite",
    "slidersite",
}  # fmt: skip

READ: dict[str, set[str]] = {
    "mujoco": {"model"},
    "mujocoinclude": {"model"},
    "compiler": {
        "angle", "assetdir", "autolimits", "balanceinertia", "boundinertia",
        "boundmass", "coordinate", "eulerseq", "fitaabb", "inertiafromgeom",
        "inertiagrouprange", "meshdir", "settotalmass", "strippath",
    },
    "option": {"gravity", "timestep", "density", "viscosity", "wind", "actuatorgroupdisable"},
    "flag": {"gravity", "constraint", "contact", "limit", "frictionloss", "spring", "damper",
             "passive", "equality"},
    "asset": set(),
    "mesh": {"name", "class", "file", "vertex", "face", "scale", "refpos", "refquat", "inertia",
             "builtin", "params"},
    "hfield": {"name", "file", "nrow", "ncol", "elevation", "size"},
    "material": {"name", "class", "rgba"},
    "model": {"name", "file"},
    "default": {"class"},
    "worldbody": set(),
    "body": {"name", "childclass", "gravcomp", *POSE},
    "frame": {"name", "childclass", *POSE},
    "replicate": {"count", "sep", "offset", "euler"},
    "attach": {"model", "body", "frame", "prefix"},
    "inertial": {"mass", "diaginertia", "fullinertia", *POSE},
    "joint": {
        "name", "class", "type", "pos", "axis", "ref", "range", "limited", "springref",
        "stiffness", "damping", "springdamper", "frictionloss", "armature", "actuatorfrcrange",
        "actuatorfrclimited", "actuatorgravcomp",
    },
    "freejoint": {"name"},
    "geom": {
        "name", "class", "type", "size", "fromto", "mesh", "hfield", "mass", "density",
        "shellinertia", "contype", "conaffinity", "condim", "group", "priority",
        "friction", "fitscale", "fluidshape", "fluidcoef",
        "rgba", "material", *POSE,
    },
    "site": {"name", "class", *POSE},
    "contact": set(),
    "pair": {"name", "class", "geom1", "geom2", "condim", "friction"},
    "exclude": {"name", "body1", "body2"},
    "equality": {"active", "class", "name"},
    "connect": {"active", "class", "name", "body1", "body2", "anchor", "site1", "site2"},
    "weld": {"active", "class", "name", "body1", "body2", "anchor", "relpose", "site1", "site2"},
    "tendon": set(),
    "fixed": {"name", "class", *TENDON},
    "spatial": {"name", "class", *TENDON},
    "pulley": {"divisor"},
    "actuator": set(),
    "equality joint": {"active", "class", "name", "joint1", "joint2", "polycoef"},
    "default tendon": TENDON,
    "fixed joint": {"joint", "coef"},
    "spatial site": {"site"},
    "spatial geom": {"geom", "sidesite"},
    "extension": set(),
    "distance field": {"plugin", "instance"},
    "instance": {"name"},
    "config": {"key", "value"},
    "keyframe": set(),
    "key": {"name", "time", "qpos", "qvel", "act", "ctrl"},
    "motor": ACTUATOR,
    "general": {
        "dyntype", "gaintype", "biastype", "dynprm", "gainprm", "biasprm", "actearly", "actdim",
        "inheritrange", "input", *ACTUATOR,
    },
    "position": {"kp", "kv", "dampratio", "timeconst", "inheritrange", *ACTUATOR},
    "velocity": {"kv", *ACTUATOR},
    "intvelocity": {"kp", "kv", "dampratio", "inheritrange", *ACTUATOR},
    "damper": {"kv", *ACTUATOR},
    "cylinder": {"timeconst", "area", "diameter", "bias", *ACTUATOR},
    "muscle": {
        "timeconst", "tausmooth", "range", "force", "scale", "lmin", "lmax", "vmax", "fpmax",
        "fvmax", *ACTUATOR,
    },
    "dcmotor": {
        "motorconst", "resistance", "nominal", "inductance", "saturation", "cogging", "lugre",
        "input", "controller", *ACTUATOR,
    },
    "adhesion": {"name", "class", "group", "body", "gain", "ctrllimited", "ctrlrange",
                 "forcelimited", "forcerange"},
}  # fmt: skip
KINDS = {
    ("joint", "equality"): "equality joint", ("joint", "fixed"): "fixed joint",
    ("site", "spatial"): "spatial site", ("geom", "spatial"): "spatial geom",
    ("tendon", "default"): "default tendon",
    **{("plugin", parent): "distance field" for parent in ("extension", "mesh", "geom")},
}  # fmt: skip
"""What an element is inside another, where its tag has more than one meaning."""

QUIET: dict[str, set[str]] = {
    "compiler": {
        "texturedir", "usethread", "fusestatic", "saveinertial", "savecompiled", "savecanonical",
        "passthrough", "conflict", "discardvisual",
    },
    "option": {
        "ccd_iterations", "ccd_tolerance", "cone", "impratio", "integrator",
        "iterations", "jacobian", "ls_iterations", "ls_tolerance", "magnetic", "noslip_iterations",
        "noslip_tolerance", "sdf_initpoints", "sdf_iterations", "sleep_tolerance", "solver",
        "tolerance", "apirate",
    },
    "flag": {
        "actuation", "autoreset", "clampctrl", "diagexact", "energy", "eulerdamp", "fwdinv",
        "invdiscrete", "ipc", "island", "midphase", "multiccd", "nativeccd", "refsafe", "sensor",
        "sleep", "speculative", "warmstart",
    },
    "mesh": {"content_type", "maxhullvert", "smoothnormal", "normal", "texcoord", "material"},
    "hfield": {"content_type"},
    "model": {"content_type"},
    "body": {"user", "sleep", "simple", "fuse"},
    "joint": {"group", "user"},
    "freejoint": {"group"},
    "geom": {"user", "castshadow"},
    "material": {
        "texture", "texrepeat", "texuniform", "emission", "metallic", "reflectance", "roughness",
        "shininess", "specular",
    },
    "site": {"group", "material", "rgba", "size", "type", "user", "fromto", "mesh"},
    "weld": {"torquescale"},
    "key": {"mpos", "mquat"},
    **{key: {"group", "width", "rgba", "material", "user"}
       for key in ("fixed", "spatial", "default tendon")},
    **{key: {"user", "nsample", "interp"} for key in SHORTCUTS},
}  # fmt: skip
"""Without effect on the motion of rigid bodies, or only on how MuJoCo computes it."""

PASSED = {
    "size", "statistic", "visual", "custom", "lengthrange", "texture", "camera", "light", "skin",
    "layer",
}  # fmt: skip
"""Elements without effect here, with all that is in them."""

REFUSED = {"flex": "flexible bodies", "plugin": "plug-ins"}

MEANINGLESS = "for MuJoCo's soft constraints: contact, limits and equalities are rigid here"
SOFT = "read of contacts, as springs and dampers: limits and equalities are rigid here"
SOFTNESS = {"solref", "solimp", "solmix"}
_DEFAULT_VALUES = {
    "mocap": "false", "align": "false", "alignfree": "false",
    "springyield": "0", "adhesion": "0",
    "surfacevel": "0 0 0 0 0 0",
    "filterparent": "enable", "override": "disable",
}  # fmt: skip


def note_unread(root: Element, notes: Notes, *, is_soft: bool = False) -> None:
    """Refuse what cannot be left out, and note every element and attribute that is not read."""
    softness: Counter[str] = Counter()
    first: dict[str, int] = {}
    for element, kind in _elements(root, notes):
        _note_attributes(element, kind, notes, softness)
        if softness and "softness" not in first:
            first["softness"] = element.line
    if softness:
        read = {key for key in softness if is_soft and key in SOFTNESS}
        for keys, meaning in ((softness.keys() - read, MEANINGLESS), (read, SOFT)):
            count = sum(softness[key] for key in keys)
            if count:
                times = "once" if count == 1 else f"{count} times"
                text = f"{', '.join(sorted(keys))}: {times}, {meaning}"
                notes.add("ignored", text, first["softness"])


def _elements(root: Element, notes: Notes) -> Iterator[tuple[Element, str]]:
    """The elements that are read, and the kind of each."""
    stack = [(root, "")]
    while stack:
        element, parent = stack.pop()
        tag = element.tag
        kind = KINDS.get((tag, parent), tag)
        if kind in REFUSED:
            raise element.error(f"{describe(element)}: {REFUSED[kind]} are not read")
        if tag in APART and parent in ("mujoco", "mujocoinclude"):
            continue
        if parent == "default" and tag not in ("default", *READ):
            continue  # defaults of what is not read
        if tag in PASSED:
            notes.add("hint", f"{describe(element)} has no effect here", element.line)
            continue
        if kind in READ:
            yield element, kind
            stack.extend((child, tag) for child in reversed(element.children))
        elif tag != "deformable" or element.children:
            stack.extend((child, tag) for child in element.children if child.tag in REFUSED)
            if parent != "equality":  # told where equalities are read
                hint = notes.hint(tag, READ)
                text = f"<{shorten(tag)}> is not read{hint}"
                notes.add("ignored", text, element.line, f"<{tag}>", f"<{parent}>")


def _note_attributes(element: Element, kind: str, notes: Notes, softness: Counter[str]) -> None:
    known, quiet = READ[kind], QUIET.get(kind, set())
    for key, value in element.attributes.items():
        is_default = key in _DEFAULT_VALUES and value.split() == _DEFAULT_VALUES[key].split()
        if key in known or key in quiet or is_default:
            continue
        if key in SOLVER or key.startswith("o_"):
            softness[key] += 1
            continue
        hint = notes.hint(key, (known | quiet) - element.attributes.keys())
        text = f"{describe(element)}: attribute '{shorten(key)}' is not read{hint}"
        notes.add("ignored", text, element.line, f"'{key}'", f"<{shorten(element.tag)}>")
