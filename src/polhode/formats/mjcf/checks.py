"""What a file says and nothing uses, read for the sake of its errors: names, classes, settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..names import near, shorten
from ..xml import Element
from .actuator_laws import BIASES, DYNAMICS, GAINS
from .actuator_laws import REFUSED as REFUSED_ACTUATORS
from .compiler import AUTO
from .defaults import MAIN
from .fitting import PRIMITIVES
from .geoms import SIZES
from .joints import TYPES
from .solids import INERTIA_MODES
from .values import TRUTH, choice, describe, numbers, text, word
from .vocabulary import KINDS, READ, SHORTCUTS

BY_SECTION = ("actuator", "tendon", "equality")
BY_TAG = ("asset", "contact")

_VALUED = ("mesh", "material", "joint", "geom", "site", "pair", "equality", "tendon", *SHORTCUTS)
_PASSED = ("camera", "light", "texture", *REFUSED_ACTUATORS)
_OF_ELEMENTS = {
    "name", "class", "joint", "joint1", "joint2", "jointinparent", "body", "body1", "body2",
    "geom1", "geom2", "site", "site1", "site2", "refsite", "cranksite", "slidersite", "tendon",
    "tendon1", "tendon2", "file", "vertex", "face", "refpos", "refquat", "builtin", "params",
    "polycoef", "anchor", "relpose", "lengthrange",
}  # fmt: skip
"""Attributes that only elements themselves have."""
_OTHER_LAWS = ("user", *REFUSED_ACTUATORS, "dcmotor")
_TYPES = {"joint": TYPES, "geom": tuple(SIZES), "site": PRIMITIVES}
_WORDS = {
    **dict.fromkeys(("limited", "ctrllimited", "forcelimited", "actlimited", "actuatorfrclimited"),
                    AUTO),
    **dict.fromkeys(("shellinertia", "actearly", "active", "actuatorgravcomp"), tuple(TRUTH)),
    "fluidshape": ("none", "ellipsoid"), "dyntype": (*DYNAMICS, *_OTHER_LAWS),
    "gaintype": (*GAINS, *_OTHER_LAWS), "biastype": (*BIASES, *_OTHER_LAWS),
}  # fmt: skip
_TEXTS = {"mesh", "hfield", "material", "input"}
_COUNTS = {
    "pos": 3, "axis": 3, "size": 3, "quat": 4, "axisangle": 4, "euler": 3, "zaxis": 3, "xyaxes": 6,
    "fromto": 6, "range": 2, "ctrlrange": 2, "forcerange": 2, "actrange": 2,
    "actuatorfrcrange": 2, "springdamper": 2, "springlength": 2, "rgba": 4, "friction": 5,
    "fluidcoef": 5, "gear": 6, "damping": 3, "stiffness": 3, "scale": 3, "timeconst": 2, "bias": 3,
    "motorconst": 2, "nominal": 3, "inductance": 2, "saturation": 3, "cogging": 3, "lugre": 5,
    "controller": 6, "dynprm": 10, "gainprm": 10, "biasprm": 10,
}  # fmt: skip
"""How many numbers an attribute has; others have one."""

_MOST_USER = 1_000_000  # numbers of a user's own
_SETTINGS = {
    "option": {"integrator": ("Euler", "RK4", "implicit", "implicitfast"),
               "cone": ("pyramidal", "elliptic"), "jacobian": ("dense", "sparse", "auto"),
               "solver": ("PGS", "CG", "Newton")},
    "compiler": {**dict.fromkeys(("usethread", "fusestatic", "saveinertial", "savecompiled",
                                  "savecanonical", "discardvisual"), tuple(TRUTH)),
                 "conflict": ("warning", "merge", "error")},
}  # fmt: skip
_UNUSED_WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "body": {"sleep": ("auto", "never", "allowed", "init"),
             **dict.fromkeys(("simple", "fuse"), ("auto", "false"))},
    "geom": {"fluidshape": ("none", "ellipsoid"),
             **dict.fromkeys(("shellinertia", "castshadow"), tuple(TRUTH))},
    "site": {"type": (*PRIMITIVES, "mesh", "sdf")},
    "material": {"texuniform": tuple(TRUTH)},
}  # fmt: skip
"""Words of attributes that bodies and what they have may have without effect."""
_UNUSED_NUMBERS = {
    "body": {"user": _MOST_USER},
    "joint": {"group": 1, "user": _MOST_USER},
    "geom": {"user": _MOST_USER},
    "site": {"group": 1, "rgba": 4, "size": 3, "fromto": 6, "user": _MOST_USER},
}
"""How many numbers such attributes have at most."""
_NUMBERS = (
    "ccd_iterations", "ccd_tolerance", "impratio", "iterations", "ls_iterations", "ls_tolerance",
    "noslip_iterations", "noslip_tolerance", "sdf_initpoints", "sdf_iterations",
    "sleep_tolerance", "tolerance",
)  # fmt: skip


def check_names(root: Element) -> None:
    """Refuse names that two elements of a section, or two of its tag in it, have in common."""
    seen: set[tuple[str, str]] = set()
    for section in (*BY_SECTION, *BY_TAG):
        for element in (child for whole in root.all(section) for child in whole.children):
            name = text(element, "name")
            kind = section if section in BY_SECTION else element.tag
            if name and (kind, name) in seen:
                raise element.error(f"duplicate {shorten(kind)} name '{shorten(name)}'")
            seen.add((kind, name or ""))


def check_settings(root: Element) -> None:
    """Refuse wrong values of settings and attributes without effect here."""
    stack = [child for tag in ("worldbody", "asset", "default") for child in root.all(tag)]
    while stack:
        element = stack.pop()
        stack += element.children
        for key, words in _UNUSED_WORDS.get(element.tag, {}).items():
            if key in element.attributes:
                choice(element, key, words, "")
        for key, most in _UNUSED_NUMBERS.get(element.tag, {}).items():
            numbers(element, key, 0, most, finite=False)
    for tag, words in _SETTINGS.items():
        for element in root.all(tag):
            for key in [key for key in words if key in element.attributes]:
                choice(element, key, words[key], "")
            for key in _NUMBERS if tag == "option" else ():
                numbers(element, key, 1)


def check_defaults(root: Element) -> None:
    """Refuse what cannot stand in ``<default>``, and values that no element can have."""
    for element in root.all("default"):
        name = word(element, "class") or MAIN
        if name != MAIN:
            raise element.error(f"expected no class or '{MAIN}' of the outermost <default>, found "
                                f"'{shorten(name)}'")  # fmt: skip
    for element in _all_defaults(root):
        tags = Counter(child.tag for child in element.children if child.tag != "default")
        for child in element.children:
            if child.tag in _VALUED:
                _check_values(child)
            elif child.tag not in ("default", *_PASSED):
                raise child.error(f"unknown element <{shorten(child.tag)}> in <default>"
                                  f"{near(child.tag, _VALUED)}")  # fmt: skip
            if tags[child.tag] > 1:
                raise child.error(f"expected one <{child.tag}> in <default>, found "
                                  f"{tags[child.tag]}")  # fmt: skip


def _all_defaults(root: Element) -> Iterator[Element]:
    stack = root.all("default")[::-1]
    while stack:
        yield (element := stack.pop())
        stack += element.all("default")[::-1]


def _check_values(element: Element) -> None:
    kind = KINDS.get((element.tag, "default"), element.tag)
    for key in element.attributes:
        if key in _OF_ELEMENTS:
            raise element.error(f"{describe(element)}: '{key}' cannot stand in <default>")
        if key not in READ[kind] or key in _TEXTS:
            continue
        if key == "type":
            choice(element, key, _TYPES[element.tag], "")
        elif element.tag == "mesh" and key == "inertia":
            choice(element, key, INERTIA_MODES, "")
        elif key in _WORDS:
            choice(element, key, _WORDS[key], "")
        else:
            numbers(element, key, 0, _COUNTS.get(key, 1), finite=False)
