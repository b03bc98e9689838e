"""``<TimeSteppingSimulator>``: who takes part, what happens at contact, and the settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...errors import ModelError
from ...scene import ContactParameters, DisabledPair, Plugin, Settings, View
from ..names import near, shorten
from ..reading import Notes
from ..xml import Element
from .objects import Objects, children, walk
from .values import describe, integer, number, required, vector

NUMBERS = {
    "current-time": "time",
    "min-step-size": "min_step_size",
    "contact-dist-thresh": "contact_dist_thresh",
    "unilateral-stabilization-tol": "unilateral_stabilization_tol",
    "bilateral-stabilization-tol": "bilateral_stabilization_tol",
}
ITERATIONS = "constraint-stabilization-max-iterations"
CONTACT_NUMBERS = {
    "epsilon": "restitution",
    "mu-coulomb": "mu_coulomb",
    "mu-viscous": "mu_viscous",
    "compliance": "compliance",
    "penalty-kp": "penalty_kp",
    "penalty-kv": "penalty_kv",
}
FEWEST_EDGES = 4


def chosen(simulators: Objects, notes: Notes) -> tuple[str, Element] | None:
    """The simulator that Moby's driver would take: the first by id."""
    every = sorted(simulators.items())
    for _, element in every[1:]:
        text = f"{describe(element)} is not used: '{shorten(every[0][0])}' comes first by id"
        notes.add("ignored", text, element.line)
    return every[0] if every else None


def read_settings(name: str, element: Element, driver: Element | None) -> Settings:
    """The attributes of a simulator, and the step size of the driver."""
    default = Settings()
    values: dict[str, Any] = {
        field: number(element, key, getattr(default, field)) for key, field in NUMBERS.items()
    }
    values["constraint_stabilization_max_iterations"] = integer(element, ITERATIONS, None)
    kind = "simulator" if element.tag.lower() == "simulator" else "time-stepping"
    try:
        return Settings(kind, name, step_size=_step(driver), **values)
    except ModelError as error:
        raise element.error(str(error)) from None


def _step(driver: Element | None) -> float | None:
    if driver is None or "step-size" not in driver.attributes:
        return None
    step = number(driver, "step-size", 0.0)
    if step <= 0.0:
        raise driver.error(f"expected a step size above 0, found {step:g}")
    return step


def read_view(driver: Element | None) -> View:
    """Camera and window of the driver."""
    found: dict[str, Any] = {}
    for part in children(driver, "camera", "window") if driver is not None else ():
        camera = part.tag.lower() == "camera"
        for key in ("position", "target", "up") if camera else ("location", "size"):
            value = vector(part, key, 3 if camera else 2)
            if value is not None:
                found[f"{part.tag.lower()}_{key}"] = value
    return View(**found)


def read_contacts(
    elements: Iterable[Element], names: Mapping[str, object], notes: Notes
) -> tuple[ContactParameters, ...]:
    """Contact parameters; a later one for the same pair replaces an earlier one."""
    found: dict[frozenset, ContactParameters] = {}
    for element in elements:
        pair = _pair(element, names)
        values: dict[str, Any] = {
            field: number(element, key, 0.0, infinite=key == "mu-coulomb")
            for key, field in CONTACT_NUMBERS.items()
        }
        edges = integer(element, "friction-cone-edges", 0) or 0
        if 0 < edges < FEWEST_EDGES:
            text = f"{describe(element)}: {edges} friction-cone-edges are read as {FEWEST_EDGES}"
            notes.add("doubtful", text, element.line)
            edges = FEWEST_EDGES
        try:
            contact = ContactParameters(*pair, friction_cone_edges=edges, **values)
        except ModelError as error:
            raise element.error(str(error)) from None
        if found.pop(frozenset(pair), None) is not None:
            text = f"contact of '{pair[0]}' and '{pair[1]}' is given again; this one counts"
            notes.add("doubtful", text, element.line)
        found[frozenset(pair)] = contact
    return tuple(found.values())


def _pair(element: Element, names: Mapping[str, object]) -> tuple[str | None, str | None]:
    keys = ("object1-id", "object2-id")
    is_contact = element.tag.lower() == "contactparameters"
    if is_contact and not any(key in element.attributes for key in keys):
        return None, None
    a, b = (known(element, required(element, key), names) for key in keys)
    return a, b


def read_pairs(
    elements: Iterable[Element], names: Mapping[str, object]
) -> tuple[DisabledPair, ...]:
    """Pairs that never touch."""
    pairs = (_pair(element, names) for element in elements)
    return tuple(DisabledPair(a, b) for a, b in pairs)  # type: ignore[arg-type]


def known(element: Element, name: str, names: Mapping[str, object]) -> str:
    """A name of a geometry, body or model, which must exist."""
    if name not in names:
        raise element.error(
            f"{describe(element)}: no geometry, body or articulated body '{shorten(name)}'"
            f"{near(name, names)}"
        )
    return name


def read_plugin(
    element: Element,
    elements: Objects,
    functions: Mapping[str, Callable[..., Any]],
    notes: Notes,
) -> tuple[Plugin, ...]:
    """The plug-in that finds a simulator's contacts, as a Python function.

    Raises
    ------
    ParseError
        If there is none of that name: a file can only name a C++ library.
    """
    key = "collision-detection-plugin"
    used = required(element, key) if key in element.attributes else None
    for name, plugin in elements.items():
        if name != used:
            notes.add("ignored", f"{describe(plugin)}: no simulator uses it", plugin.line)
    if used is None:
        return ()
    plugin = elements.find(used, element)
    if used not in functions:
        library = shorten(plugin.attributes.get("plugin", "?"))
        raise plugin.error(
            f"contacts of this scene are found by the C++ plug-in '{library}', which cannot be "
            f"run here; give a Python function instead: ph.load(..., "
            f"plugins={{'{shorten(used)}': function}})"
        )
    return (Plugin(used, "collision", functions[used]),)


def find_driver(root: Element) -> Element | None:
    """The first ``<DRIVER>``."""
    return next((element for element in walk(root) if element.tag.lower() == "driver"), None)
