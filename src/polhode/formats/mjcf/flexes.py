"""``<flexcomp>`` to bodies on slides, and to tendons that keep the lengths of its edges.

Read are grids of one or two dimensions and boxes.  Elasticity is not: what keeps these in shape are
their edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product

from ...spatial import Vec3
from ..names import near, shorten
from ..reading import Notes
from ..xml import Element
from .compiler import Compiler, Option
from .defaults import BARE, MAIN
from .frames import ORIENTATIONS, pose, unit
from .values import choice, describe, flag, integer, integers, number, numbers, required

MOST_VERTICES = 1_500  # of all flexible bodies of a file; each is a body, and read within 2 ms
TYPES = ("grid", "box")
FRAMES = ("frame", "replicate")
AXES = ("1 0 0", "0 1 0", "0 0 1")
_INERTIA_BOX = 0.005  # half of a side of the box whose inertia a vertex has [m]
_RADIUS = 0.005  # of vertices that touch [m]
_OF_CONTACT = ("contype", "conaffinity", "condim", "friction", "priority", "solref", "solimp",
               "margin", "gap")  # fmt: skip
_READ = {"name", "type", "dim", "dof", "count", "spacing", "mass", "inertiabox", "radius", "pos",
         "rgba", "material", "group", "scale", "origin", "flatskin", *ORIENTATIONS}  # fmt: skip
Place = tuple[int, int, int]  # of a vertex in the grid


def expand_flexes(root: Element, compiler: Compiler, notes: Notes) -> None:
    """Replace every ``<flexcomp>`` of a file by bodies, and by tendons after those of the file."""
    is_held = "equality" not in Option.of(root).disabled
    cords: list[Element] = []
    count = 0
    stack = [(world, False) for world in root.all("worldbody")]
    while stack:
        parent, is_framed = stack.pop()
        children: list[Element] = []
        for child in parent.children:
            if child.tag == "flexcomp":
                flex = _Flex(child, compiler, is_held)
                flex.check(notes, is_framed=is_framed)
                count += flex.n_vertices
                if count > MOST_VERTICES:
                    raise child.error(f"expected at most {MOST_VERTICES} vertices of flexible "
                                      "bodies")  # fmt: skip
                children += flex.bodies()
                cords += flex.cords()
            else:
                children.append(child)
                stack.append((child, child.tag in FRAMES or (is_framed and child.tag != "body")))
        parent.children = children
    if cords:
        root.children.append(Element("tendon", {}, root.file, root.line, cords))


@dataclass
class _Flex:
    """A flexible body whose vertices are points of a grid."""

    element: Element
    compiler: Compiler
    is_held: bool
    name: str = field(init=False)
    type: str = field(init=False)
    counts: Place = field(init=False)

    def __post_init__(self) -> None:
        e = self.element
        self.name, self.type = required(e, "name"), choice(e, "type", (*TYPES, *_OTHERS), "grid")
        if self.type not in TYPES:
            raise e.error(f"{describe(e)}: flexible bodies of type {self.type} are not read")
        counts = integers(e, "count", 3) or (10, 10, 10)
        if len(counts) != 3 or min(counts) < 1 or math.prod(counts) > MOST_VERTICES:
            raise e.error(f"{describe(e)}: expected three counts from 1, for at most "
                          f"{MOST_VERTICES} vertices")  # fmt: skip
        self.counts = counts  # type: ignore[assignment]

    # -- what is read --

    def check(self, notes: Notes, *, is_framed: bool) -> None:
        """Refuse what bodies and edges cannot do, and note what they leave out."""
        e = self.element
        dim = integer(e, "dim", 2)
        n_x, n_y, n_z = self.counts
        fits = {("grid", 1): n_x > 1 and n_y == n_z == 1, ("grid", 2): min(n_x, n_y) > 1 == n_z,
                ("box", 3): min(self.counts) > 1}  # fmt: skip
        if not fits.get((self.type, dim), False):
            raise e.error(f"{describe(e)}: flexible bodies are read as grids of one or two "
                          "dimensions, and as boxes of three")  # fmt: skip
        if flag(e, "rigid", False):
            raise e.error(f"{describe(e)}: rigid flexible bodies are not read")
        if is_framed:  # MuJoCo turns the places of vertices, but not their slides
            raise e.error(f"{describe(e)}: flexible bodies in frames and replicas are not read")
        for child in e.children:
            if child.tag not in ("edge", "contact", "pin"):
                known = near(child.tag, ("edge", "contact", "pin"))
                raise child.error(f"{describe(e)}: <{shorten(child.tag)}> of flexible bodies is "
                                  f"not read{known}")  # fmt: skip
        for key in e.attributes.keys() - _READ - {"rigid"}:
            text = f"{describe(e)}: attribute '{shorten(key)}' is not read"
            notes.add("ignored", text, e.line, f"'{key}'", "<flexcomp>")
        text = f"{describe(e)}: its vertices touch other shapes, its faces and one another do not"
        notes.add("doubtful", text, e.line)

    @property
    def n_vertices(self) -> int:
        return len(self._points)

    @cached_property
    def _is_radial(self) -> bool:
        return choice(self.element, "dof", ("full", "radial"), "full") == "radial"

    @cached_property
    def _edge(self) -> Element:
        return self._child("edge")

    def _child(self, tag: str) -> Element:
        found = self.element.all(tag)
        return found[0] if found else Element(tag, {}, self.element.file, self.element.line)

    # -- vertices --

    @cached_property
    def _places(self) -> list[Place]:
        """Of the vertices; of a box those on faces across z, then y, then x, that have none yet."""
        x, y, z = map(range, self.counts)
        every = list(product(x, y, z))
        if self.type == "grid":
            return every
        found: dict[Place, None] = {}
        for axis in (2, 1, 0):
            for side in (0, self.counts[axis] - 1):
                found.update(dict.fromkeys(p for p in every if p[axis] == side))
        return list(found)

    @cached_property
    def _points(self) -> list[Vec3]:
        """The vertices in coordinates of the parent; that of a box in its middle comes first."""
        e = self.element
        spacing = numbers(e, "spacing", 3) or (0.02, 0.02, 0.02)
        frame = pose(e, self.compiler)
        points = [Vec3(0.0, 0.0, 0.0)] if self.type == "box" else []
        for place in self._places:
            steps = [k - 0.5 * (n - 1) for k, n in zip(place, self.counts, strict=True)]
            points.append(Vec3(*(x * k for x, k in zip(spacing, steps, strict=True))))
        return [frame.E.T @ point + frame.r for point in points]

    @cached_property
    def _numbers(self) -> dict[Place, int]:
        """The number of the vertex at each place of the grid."""
        first = len(self._points) - len(self._places)
        return {place: k for k, place in enumerate(self._places, first)}

    @cached_property
    def _fixed(self) -> set[int]:
        """The vertices that are fixed to the parent."""
        e, last = self.element, len(self._points) - 1
        fixed = {0} if self.type == "box" and self._is_radial else set()
        for pin in e.all("pin"):
            named = {*integers(pin, "id", MOST_VERTICES), *integers(pin, "range", MOST_VERTICES)}
            if named and not 0 <= min(named) <= max(named) <= last:
                raise pin.error(f"{describe(e)}: expected vertices from 0 to {last} as pins")
            fixed |= set(integers(pin, "id", MOST_VERTICES))
            for a, b in self._rows(pin, "range", 2):
                fixed |= set(range(a, b + 1))
            fixed |= self._between(pin, "grid", 1) | self._between(pin, "gridrange", 2)
        return fixed

    def _between(self, pin: Element, key: str, ends: int) -> set[int]:
        """The vertices at places of the grid, or between the two of each pair of them."""
        dim = integer(self.element, "dim", 2)
        rows = self._rows(pin, key, ends * dim)
        return {k for row in rows for place, k in self._numbers.items()
                if all(a <= x <= b for x, a, b in zip(place, row[:dim], row[-dim:], strict=False))
               }  # fmt: skip

    def _rows(self, pin: Element, key: str, size: int) -> list[tuple[int, ...]]:
        values = integers(pin, key, MOST_VERTICES)
        if len(values) % size:
            raise pin.error(f"expected a multiple of {size} numbers in '{key}' of <pin>")
        return [values[k : k + size] for k in range(0, len(values), size)]

    # -- elements --

    def bodies(self) -> Iterator[Element]:
        """A body for each vertex, and shapes and sites of the parent for those that are fixed."""
        mass = number(self.element, "mass", 1.0) / len(self._points)
        half = number(self.element, "inertiabox", _INERTIA_BOX)
        inertia = _text([mass * 2.0 * half * half / 3.0] * 3)
        for k, point in enumerate(self._points):
            if k in self._fixed:
                yield from self._surface(k, point)
                continue
            axes = (_text(unit(self.element, "pos", point)),) if self._is_radial else AXES
            yield self._new("body", {"name": f"{self.name}_{k}", "pos": _text(point)}, [
                self._new("inertial", {"pos": "0 0 0", "mass": repr(mass), "diaginertia": inertia}),
                *(self._new("joint", {"class": MAIN, "type": "slide", "axis": x}) for x in axes),
                *self._surface(k, Vec3(0.0, 0.0, 0.0)),
            ])  # fmt: skip

    def _surface(self, k: int, point: Vec3) -> Iterator[Element]:
        contact = self._child("contact")
        given = {key: contact.attributes[key] for key in _OF_CONTACT if key in contact.attributes}
        if integer(contact, "contype", 1) & integer(contact, "conaffinity", 1):
            given["contype"] = "0"  # vertices do not touch one another
        shown = {key: self.element.attributes[key] for key in ("rgba", "material", "group")
                 if key in self.element.attributes}  # fmt: skip
        size = repr(number(self.element, "radius", _RADIUS))
        yield self._new("geom", {"class": BARE, "size": size, "pos": _text(point), "mass": "0",
                                 **given, **shown})  # fmt: skip
        yield self._new("site", {"class": BARE, "name": f"{self.name}_{k}", "pos": _text(point)})

    def cords(self) -> Iterator[Element]:
        """Tendons along the edges that are held or damped."""
        holds = flag(self._edge, "equality", False)
        damping, stiffness = (number(self._edge, key, 0.0) for key in ("damping", "stiffness"))
        holds = holds and self.is_held
        if not (holds or damping or stiffness):
            return
        for a, b in self._edges():
            if {a, b} <= self._fixed:
                continue
            gap = self._points[b] - self._points[a]
            length = math.sqrt(gap.dot(gap))
            given = {"damping": repr(damping), "stiffness": repr(stiffness), "class": BARE,
                     "springlength": repr(length)}  # fmt: skip
            if holds:
                given["range"] = _text((length, length))
            sites = [self._new("site", {"site": f"{self.name}_{k}"}) for k in (a, b)]
            yield self._new("spatial", {"name": f"{self.name}_{a}_{b}", **given}, sites)

    def _edges(self) -> Iterator[tuple[int, int]]:
        """Along the grid and along one diagonal of its cells, on the surface; to the middle."""
        middle = range(len(self._points) - len(self._places))
        for place, k in self._numbers.items():
            yield from ((other, k) for other in middle)
            for step in (*_steps(1), *_steps(2)):
                there = (place[0] + step[0], place[1] + step[1], place[2] + step[2])
                if there in self._numbers and self._are_on_a_face(place, step):
                    yield k, self._numbers[there]

    def _are_on_a_face(self, p: Place, step: Place) -> bool:
        return any(d == 0 and x in (0, n - 1) for x, d, n in zip(p, step, self.counts, strict=True))

    def _new(
        self, tag: str, attributes: dict[str, str], children: Sequence[Element] = ()
    ) -> Element:
        return Element(tag, attributes, self.element.file, self.element.line, list(children))


_OTHERS = ("cylinder", "ellipsoid", "square", "disc", "circle", "mesh", "gmsh", "direct")


def _steps(count: int) -> Iterator[Place]:
    """Steps along some axes at once."""
    for axes in combinations(range(3), count):
        yield tuple(int(k in axes) for k in range(3))  # type: ignore[misc]


def _text(values: Iterable[float]) -> str:
    return " ".join(map(repr, map(float, values)))
