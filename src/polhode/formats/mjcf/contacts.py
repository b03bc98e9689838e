"""Which geoms touch which, and by what law: masks, pairs and exclusions.

Geoms on bodies that a joint connects do not touch unless a pair names both.  MuJoCo makes an
exception for bodies on one that does not move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, combinations_with_replacement, islice, product
from typing import Any, TypeVar

from ...scene import ContactParameters, DisabledPair, Geometry, Machine
from ..names import near, shorten
from ..reading import Notes
from ..xml import Element
from .frictions import Law, acting, friction_of, pair_friction, parameters
from .geoms import FRICTION, Friction, Geom
from .softness import Softness
from .source import Attachment
from .tree import MjcfBody, MjcfTree, Part, unused
from .values import describe, required

MOST_RULES = 50_000  # of pairs; a scene looks at each
_COARSE = {
    "ellipsoid": "an ellipsoid touches others as a polyhedron of 62 corners",
    "sdf": "a signed distance field touches others as the convex hull of its mesh",
}
Pair = frozenset[Geom]
Rule = TypeVar("Rule")


@dataclass
class ContactRules:
    """The geometries of a scene, the pairs that never touch, and the rules of those that do."""

    tree: MjcfTree
    geoms: Mapping[MjcfBody, list[Geom]]
    machines: Sequence[Machine]
    owner: Mapping[MjcfBody, str]
    notes: Notes
    are_off: bool
    inverse_masses: Mapping[tuple[str, str], float] = field(default_factory=dict)
    explicit: dict[Pair, tuple[Friction, Element]] = field(default_factory=dict)
    excluded: set[frozenset[MjcfBody]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.welds: dict[MjcfBody, MjcfBody] = {}
        for body in self.tree.bodies:
            carrier = body.parent
            self.welds[body] = body if carrier is None or body.joints else self.welds[carrier]
        self._of_part: dict[int, Geom] = {
            id(geom.part): geom for own in self.geoms.values() for geom in own
        }
        for source in self.tree.sources:
            for contact in source.document.root.all("contact"):
                for element in contact.children:
                    self._read(source, element)
        paired = {geom for pair in self.explicit for geom in pair}
        every = [geom for body in self.tree.bodies for geom in self.geoms[body]]
        self.touching: list[Geom] = [
            geom
            for geom in every
            if not self.are_off and geom.is_known and (any(geom.masks) or geom in paired)
        ]
        self.names: dict[Geom, str] = self._names()
        owner = self.owner
        self.groups: dict[str, list[Geom]] = {}
        for geom in self.touching:
            self.groups.setdefault(owner[geom.body], []).append(geom)
        self.kinds: dict[str, list[Geom]] = {
            name: list({self._kind(geom): geom for geom in geoms}.values())
            for name, geoms in self.groups.items()
        }
        bodies = [*({geom.body for geom in pair} for pair in self.explicit), *self.excluded]
        self.named: set[frozenset[str]] = {frozenset(owner[body] for body in b) for b in bodies}

    def _read(self, source: Attachment, element: Element) -> None:
        if element.tag == "exclude":
            keys = [("body", required(element, key)) for key in ("body1", "body2")]
            for a, b in found_by_name(source, element, keys):
                self.excluded.add(frozenset((a, b)))
        elif element.tag == "pair":
            merged = source.document.classes.apply(element, None)
            keys = [("geom", required(merged, key)) for key in ("geom1", "geom2")]
            for found in found_by_name(source, merged, keys):
                a, b = (self._geom(part) for _, part in found)
                if a is not b:  # MuJoCo lets a geom be paired with itself
                    self.explicit[frozenset((a, b))] = (pair_friction(merged, a, b), merged)

    def _geom(self, part: Part) -> Geom:
        return self._of_part[id(part)]

    def _names(self) -> dict[Geom, str]:
        taken = {name for owner in self.machines for name in (owner.name, *owner.link_names)}
        names: dict[Geom, str] = {}
        number = {geom: k for own in self.geoms.values() for k, geom in enumerate(own)}
        for geom in self.touching:
            body = geom.body
            own = geom.part.name
            if own in taken or not own:
                own = f"{body.name}/{own}" if own else f"{body.name}/geom{number[geom]}"
            names[geom] = unused(own, taken)
        return names

    def geometries(self) -> tuple[Geometry, ...]:
        """The shapes that touch others."""
        found = []
        for geom in self.touching:
            element = geom.part.element
            if geom.type in _COARSE:
                text = f"{describe(element)}: {_COARSE[geom.type]}"
                self.notes.add("doubtful", text, element.line)
            owner = self.owner[geom.body]
            found.append(
                Geometry(
                    self.names[geom],
                    owner,
                    geom.body.name,
                    geom.shape(),
                    geom.frame,
                    bool(self.inverse_masses),
                )
            )
        return tuple(found)

    # -- who touches whom --

    def touches(self, a: Geom, b: Geom) -> bool:
        """Whether two geoms of different bodies may touch."""
        if frozenset((a, b)) in self.explicit:
            return True
        (type_a, affinity_a), (type_b, affinity_b) = a.masks, b.masks
        if not (type_a & affinity_b or type_b & affinity_a):
            return False
        return frozenset((a.body, b.body)) not in self.excluded

    def disabled(self) -> tuple[DisabledPair, ...]:
        """The pairs that never touch, as few as possible: of models, or of geoms."""
        return tuple(self._few(self._disabled(), "pairs that never touch"))

    def _disabled(self) -> Iterator[DisabledPair]:
        for name, other, touching in self._unlike(self._who_touches, [True]):
            if not any(touching):
                yield DisabledPair(name, other)
            else:
                yield from self._disabled_geoms(self.groups[name], self.groups[other])

    def _who_touches(self, pairs: Iterable[tuple[Geom, Geom]]) -> list[bool]:
        return sorted({self.touches(x, y) for x, y in pairs})

    def _disabled_geoms(self, a: Sequence[Geom], b: Sequence[Geom]) -> Iterator[DisabledPair]:
        for x, y in self._across(a, b):
            if not self.touches(x, y):
                yield DisabledPair(self.names[x], self.names[y])

    def _unlike(
        self, look: Callable[[Iterable[tuple[Geom, Geom]]], list[Any]], usual: list[Any]
    ) -> list[tuple[str, str, list[Any]]]:
        """The pairs of models whose pairs of geoms do not give the usual, in order."""
        found = []
        for pairs in self._like_pairs():
            for first in islice(pairs, 1):
                result = look(self._kinds_across(*first))
                if result and result != usual:
                    found += [(*pair, result) for pair in chain([first], pairs)]
        places = {name: k for k, name in enumerate(self.groups)}
        return sorted(found, key=lambda each: (places[each[0]], places[each[1]]))

    def _like_pairs(self) -> Iterator[Iterator[tuple[str, str]]]:
        """Pairs of models, those together whose geoms are of the same kinds.

        A pair that something names is by itself, and so is a model with itself.
        """
        places = {name: k for k, name in enumerate(self.groups)}
        alike: dict[frozenset[object], list[str]] = {}
        for name, geoms in self.kinds.items():
            alike.setdefault(frozenset(map(self._kind, geoms)), []).append(name)
            yield iter([(name, name)])
        for pair in self.named:
            if len(pair) == 2 and pair <= places.keys():
                a, b = sorted(pair, key=places.__getitem__)
                yield iter([(a, b)])
        for some, others in combinations_with_replacement(alike.values(), 2):
            pairs = combinations(some, 2) if some is others else product(some, others)
            yield (
                (a, b) if places[a] < places[b] else (b, a)
                for a, b in pairs
                if frozenset((a, b)) not in self.named
            )

    def _kinds_across(self, name: str, other: str) -> Iterator[tuple[Geom, Geom]]:
        """Pairs of geoms of two models; of like geoms, a few where nothing names them."""
        if frozenset((name, other)) in self.named:
            return self._across(self.groups[name], self.groups[other])
        if name == other:
            few = self._two_of_each(self.groups[name])
            return self._across(few, few)
        return product(self.kinds[name], self.kinds[other])

    def _two_of_each(self, geoms: Sequence[Geom]) -> list[Geom]:
        """Of like geoms two that can move against each other: one of them can against any geom."""
        found: dict[tuple[object, ...], list[Geom]] = {}
        for geom in geoms:
            chosen = found.setdefault(self._kind(geom), [geom])
            if len(chosen) == 1 and self.welds[chosen[0].body] is not self.welds[geom.body]:
                chosen.append(geom)
        return [geom for chosen in found.values() for geom in chosen]

    def _across(self, a: Sequence[Geom], b: Sequence[Geom]) -> Iterator[tuple[Geom, Geom]]:
        """Pairs of geoms on bodies that can move against each other."""
        every = combinations(a, 2) if a is b else product(a, b)
        return ((x, y) for x, y in every if self.welds[x.body] is not self.welds[y.body])

    # -- by what law --

    def rules(self) -> tuple[ContactParameters, ...]:
        """The law of all pairs, then of those that differ: of models, or of geoms."""
        usual = self._usual()
        rules = []
        for name, other, laws in self._unlike(self._laws, [usual]):
            if len(laws) == 1:
                rules.append(parameters(laws[0], name, other))
            else:
                rules += [
                    parameters(law, self.names[x], self.names[y])
                    for x, y in self._across(self.groups[name], self.groups[other])
                    if self.touches(x, y)
                    and not self._are_neighbours(x, y)
                    and (law := self.law(x, y)) != usual
                ]
        rules += [
            parameters(self.law(*pair), *self._named(pair))
            for pair in self.explicit
            if not self.are_off
        ]
        return (parameters(usual), *self._few(rules, "laws of pairs"))

    def _laws(self, pairs: Iterable[tuple[Geom, Geom]]) -> list[Law]:
        return sorted({self.law(x, y) for x, y in pairs if self.touches(x, y)})

    def _named(self, pair: Pair) -> tuple[str, str]:
        a, b = sorted(self.names[geom] for geom in pair)
        return a, b

    def _are_neighbours(self, a: Geom, b: Geom) -> bool:
        """Whether a joint connects them: they touch each other only by an explicit rule."""
        first, second = self.welds[a.body], self.welds[b.body]
        return any(
            inner.parent is not None and self.welds[inner.parent] is outer
            for inner, outer in ((first, second), (second, first))
        )

    def _usual(self) -> Law:
        """That of the most geoms, against something that does not move."""
        if not self.touching:
            return (*acting(FRICTION, 3), 0.0, 0.0)
        like = Counter(self._kind(geom)[1:] for geom in self.touching)
        (most, _), *_ = like.most_common(1)
        geom = next(geom for geom in self.touching if self._kind(geom)[1:] == most)
        spring = geom.softness.spring(self._inverse_mass(geom))
        return (*acting(geom.friction, geom.condim), *spring)

    def law(self, a: Geom, b: Geom) -> Law:
        """Friction and compliance of two geoms, as their ``<pair>`` or they themselves say."""
        friction, element = self.explicit.get(frozenset((a, b)), (friction_of(a, b), None))
        return (*friction, *self._spring(a, b, element))

    def _spring(self, a: Geom, b: Geom, pair: Element | None) -> tuple[float, float]:
        if not self.inverse_masses:
            return 0.0, 0.0
        softness = a.softness.mixed(b.softness)
        if a.priority != b.priority:
            softness = (a if a.priority > b.priority else b).softness
        if pair is not None:
            softness = Softness.of(pair, softness)
        return softness.spring(self._inverse_mass(a) + self._inverse_mass(b))

    def _inverse_mass(self, geom: Geom) -> float:
        return self.inverse_masses.get((self.owner[geom.body], geom.body.name), 0.0)

    def _kind(self, geom: Geom) -> tuple[object, ...]:
        """What tells geoms apart where nothing names them."""
        soft = (geom.softness, self._inverse_mass(geom)) if self.inverse_masses else ()
        return geom.masks, geom.priority, geom.friction, geom.condim, *soft

    def _few(self, pairs: Iterable[Rule], what: str) -> list[Rule]:
        found = list(islice(pairs, MOST_RULES + 1))
        if len(found) > MOST_RULES:
            raise self.tree.main.document.root.error(
                f"expected at most {MOST_RULES} {what}, found more"
            )
        return found


def found_by_name(
    source: Attachment, element: Element, keys: list[tuple[str, str]]
) -> Iterator[list[Any]]:
    """What an element names, by kind and name; in a part of a model names may be missing."""
    for kind, name in keys:
        if (kind, name) not in source.copies:
            if not source.is_whole:
                return
            known = [own for other, own in source.copies if other == kind]
            raise element.error(f"{describe(element)}: no {kind} '{shorten(name)}'"
                                f"{near(name, known)}")  # fmt: skip
    for _, found in source.references(keys):
        yield found
