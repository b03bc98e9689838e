"""``<keyframe>`` to states of a scene by name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...model import Joint
from ...scene import Keyframe, Machine, Scene
from ..names import shorten
from ..reading import Notes
from ..xml import Element
from .tree import unused
from .values import describe, errors_at, many, number, text

MOST_STATES = 1_000_000  # numbers of one attribute of a keyframe
_ROUNDING = 1e-15  # of the length of a unit quaternion
_SMALL = 1e-14  # a shorter quaternion is no rotation, as in MuJoCo
Places = list[tuple[str, tuple[int, ...]]]
"""Of each joint in MuJoCo's order: its model, and where its entries are in that's q or qd."""


def with_keyframes(scene: Scene, root: Element, notes: Notes) -> Scene:
    """The scene with the keyframes of its file."""
    elements = [key for section in root.all("keyframe") for key in section.all("key")]
    if not elements:
        return scene
    joints = [(machine.name, *entries_of(machine, joint))
              for machine in scene.machines for joint in machine.model.joints]  # fmt: skip
    q = [(machine, at) for machine, at, _ in joints]
    qd = [(machine, at) for machine, _, at in joints]
    sizes = {"qpos": sum(len(at) for _, at in q), "qvel": sum(len(at) for _, at in qd),
             "act": scene.n_activations, "ctrl": scene.n_controls}  # fmt: skip
    found, names = [], set()
    for element in elements:
        given = {key: many(element, key, MOST_STATES) for key in sizes}
        wrong = [key for key, size in sizes.items() if len(given[key]) not in (0, size)]
        if wrong:
            (key, *_) = wrong
            told = (f"{describe(element)}: expected {sizes[key]} numbers as '{key}', found "
                    f"{len(given[key])}, so it is not read")  # fmt: skip
            notes.add("ignored", told, element.line, "<key>", "<keyframe>")
            continue
        own = text(element, "name")
        if own and own in names:
            raise element.error(f"duplicate keyframe name '{shorten(own)}'")
        name = unused(own or f"key{len(found)}", names)
        with errors_at(element):
            found.append(Keyframe(
                name, _by_model(given["qpos"], q), _by_model(given["qvel"], qd),
                number(element, "time", 0.0), given["act"], given["ctrl"],
            ))  # fmt: skip
    return replace(scene, keyframes=tuple(found))


def _by_model(values: Sequence[float], places: Places) -> dict[str, list[float]]:
    """Numbers in MuJoCo's order as those of each model; none if there are none."""
    found: dict[str, dict[int, float]] = {}
    rest = iter(values)
    for machine, at in places if values else ():
        own = _ours([next(rest) for _ in at])
        found.setdefault(machine, {}).update(zip(at, own, strict=True))
    return {machine: [own[k] for k in range(len(own))] for machine, own in found.items()}


def entries_of(machine: Machine, joint: Joint) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where the position and the velocity of a joint are in those of its model."""
    q, qd = range(machine.model.nq), range(machine.model.nv)
    return _at(q, joint.q), _at(qd, joint.v)


def _at(entries: Sequence[int], place: slice | Iterable[int]) -> tuple[int, ...]:
    return tuple(entries[place]) if isinstance(place, slice) else tuple(int(k) for k in place)


def _ours(values: list[float]) -> list[float]:
    """A joint's position, whose quaternion is of unit length and has w at the end.

    Only positions of spherical and free joints have 4 or 7 entries.
    """
    if len(values) not in (4, 7):
        return values
    *r, w, x, y, z = values
    length = math.hypot(w, x, y, z)
    if not _SMALL < length < math.inf:
        return [*r, 0.0, 0.0, 0.0, 1.0]
    if abs(length - 1.0) < _ROUNDING:
        return [*r, x, y, z, w]
    return [*r, *(each / length for each in (x, y, z, w))]
