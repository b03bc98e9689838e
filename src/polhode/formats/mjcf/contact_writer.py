"""Contact of a scene as friction of all geoms, and as pairs of an MJCF file.

Geoms have the friction of the rule for all pairs.  A pair with another one is named, and so is one
that touches although other geoms of the two bodies never do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from ...scene import ContactParameters, Geometry, Scene
from ...simulation.self_collision import neighbours
from ..lost import Lost
from ..markup import MarkupElement, numbers
from .body_writer import Key, WrittenNames
from .geoms import FRICTION

STICKS = 100.0  # from this friction on nothing slips
_LOST = {
    "restitution": "restitution",
    "mu_viscous": "viscous friction of contacts",
    "mu_static": "static friction of contacts",
    "compliance": "compliance of contacts",
    "penalty_kp": "springs of contacts",
    "penalty_kv": "dampers of contacts",
}
Pair = tuple[int, int]
STATIC: Key = ("", "")


def usual(scene: Scene) -> ContactParameters:
    """What holds for pairs of which nothing else is said."""
    found = [each for each in scene.contacts if each.a is None]
    return found[-1] if found else ContactParameters()


def friction(rule: ContactParameters, count: int = 1) -> dict[str, str]:
    """Friction, sliding and rolling in ``count`` directions, with as few dimensions as it needs."""
    has_torques = rule.mu_torsional > 0.0 or rule.mu_rolling > 0.0
    if rule.mu_coulomb == 0.0 and not has_torques:
        return {"condim": "1"}
    sliding = min(rule.mu_coulomb, STICKS)
    torsional, rolling = FRICTION[1:]
    if has_torques:
        torsional, rolling = rule.mu_torsional, rule.mu_rolling
    condim = "6" if rule.mu_rolling > 0.0 else "4" if has_torques else "3"
    values = (*(sliding,) * count, torsional, *(rolling,) * count)
    return {"condim": condim, "friction": numbers(values)}


@dataclass
class ContactWriter:
    """Writes which geometries touch, and how; ``written`` are the names of those in the file."""

    scene: Scene
    written: set[str]
    names: WrittenNames
    lost: Lost
    pairs: dict[Pair, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        geometries = enumerate(self.scene.geometries)
        self.by_body: dict[Key, list[int]] = {}
        for k, each in geometries:
            if each.name in self.written:
                self.by_body.setdefault((each.machine, each.body), []).append(k)
        self.moving: dict[Key, Key] = {body: self._moving(body) for body in self.by_body}

    def elements(self) -> list[MarkupElement]:
        """The exclusions, then the pairs."""
        for rule in self.scene.contacts:
            for key, what in _LOST.items():
                if getattr(rule, key):
                    self.lost.add(what, rule.a or "all")
        excluded = list(self._excluded())
        return [*excluded, *self._pairs()]

    def _moving(self, body: Key) -> Key:
        """The moving body of a link, the same for all links that never move."""
        machine, link = body
        number = int(self.scene.machine(machine).model.body(link).moving)
        return (machine, str(number)) if number else STATIC

    def _excluded(self) -> Iterator[MarkupElement]:
        """Pairs of bodies that never touch; those that partly do name their other pairs."""
        self.apart: set[Pair] = self._apart()
        of_bodies: dict[tuple[Key, Key], set[Pair]] = {}
        for i, j in sorted(self.apart):
            a, b = (self._body(k) for k in (i, j))
            if a in self.moving and b in self.moving and self.moving[a] != self.moving[b]:
                of_bodies.setdefault((min(a, b), max(a, b)), set()).add((i, j))
        for (a, b), apart in of_bodies.items():
            if apart <= self.jointed and STATIC not in (self.moving[a], self.moving[b]):
                continue  # MuJoCo leaves these out itself
            bodies = {"body1": self.names.links[a], "body2": self.names.links[b]}
            yield MarkupElement("exclude", bodies)
            every = (_rising(i, j) for i, j in product(self.by_body[a], self.by_body[b]))
            self.pairs |= dict.fromkeys(pair for pair in every if pair not in apart)

    def _apart(self) -> set[Pair]:
        near = neighbours(self.scene)
        self.jointed: set[Pair] = set(near.jointed)
        return {*self.scene.disabled_geometries, *near.jointed, *near.overlapping}

    def _pairs(self) -> Iterable[MarkupElement]:
        plain = usual(self.scene).mu_coulomb
        for i, j in self._ruled():
            a, b = (self.scene.geometries[k] for k in (i, j))
            rule = self.scene.contact_parameters(a, b)
            if rule.mu_coulomb != plain or self.scene.has_rule_of_pair(a, b):
                self.pairs[i, j] = None
        return [self._pair(*(self.scene.geometries[k] for k in pair)) for pair in self.pairs]

    def _ruled(self) -> Iterator[Pair]:
        """The pairs of which rules speak, but those that never touch."""
        find = self.scene.names.geometries
        for rule in self.scene.contacts:
            if rule.a is None or rule.b is None:
                continue
            for i, j in product(find(rule.a, "contact"), find(rule.b, "contact")):
                a, b = self._body(i), self._body(j)
                are_written = a in self.moving and b in self.moving
                pair = _rising(i, j)
                if are_written and self.moving[a] != self.moving[b] and pair not in self.apart:
                    yield pair

    def _pair(self, a: Geometry, b: Geometry) -> MarkupElement:
        rule = self.scene.contact_parameters(a, b)
        return MarkupElement("pair", {"geom1": a.name, "geom2": b.name, **friction(rule, 2)})

    def _body(self, k: int) -> Key:
        geometry = self.scene.geometries[k]
        return geometry.machine, geometry.body


def _rising(i: int, j: int) -> Pair:
    return min(i, j), max(i, j)
