"""``<keyframe>`` to states of a scene by name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...model import Joint
from ...scene import Keyframe, Machine, Scene
from ..reading import Notes
from ..xml import Element
from .tree import unused
from .values import describe, many, number, text

MOST_STATES = 1_000_000  # numbers of one attribute of a keyframe
_ROUNDING = 1e-15  # of the length of a unit quaternion
_SMALL = 1e-14  # a shorter quaternion is no rotation, as in MuJoCo
Rows = list[tuple[str, tuple[int, ...], tuple[int, ...]]]


def with_keyframes(scene: Scene, root: Element, notes: Notes) -> Scene:
    """The scene with the keyframes of its file."""
    rows, names, found = order_of(scene), set(), []
    for section in root.all("keyframe"):
        for element in section.all("key"):
            name = unused(text(element, "name") or f"key{len(found)}", names)
            keyframe = _keyframe(scene, element, name, rows)
            if isinstance(keyframe, str):
                told = f"{describe(element)}: {keyframe}, so it is not read"
                notes.add("ignored", told, element.line, "<key>", "<keyframe>")
            else:
                found.append(keyframe)
    return replace(scene, keyframes=tuple(found)) if found else scene


def order_of(scene: Scene) -> Rows:
    """For each joint in MuJoCo's order: its model, and where its entries are in q and qd."""
    return [
        (machine.name, *entries_of(machine, joint))
        for machine in scene.machines
        for joint in machine.model.joints
    ]


def entries_of(machine: Machine, joint: Joint) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where the position and the velocity of a joint are in those of its model."""
    q, qd = range(machine.model.nq), range(machine.model.nv)
    return _at(q, joint.q), _at(qd, joint.v)


def _at(entries: Sequence[int], place: slice | Iterable[int]) -> tuple[int, ...]:
    return tuple(entries[place]) if isinstance(place, slice) else tuple(int(k) for k in place)


def _keyframe(scene: Scene, element: Element, name: str, rows: Rows) -> Keyframe | str:
    """A keyframe; or what is wrong with it, if it is not one of the whole file."""
    expected = {
        "qpos": sum(len(q) for _, q, _ in rows), "qvel": sum(len(qd) for _, _, qd in rows),
        "act": scene.n_activations, "ctrl": scene.n_controls,
    }  # fmt: skip
    given = {key: many(element, key, MOST_STATES) for key in expected}
    for key, size in expected.items():
        if given[key] and len(given[key]) != size:
            return f"expected {size} numbers as '{key}', found {len(given[key])}"
    q = {machine.name: list(machine.q) for machine in scene.machines}
    qd = {machine.name: [0.0] * machine.model.nv for machine in scene.machines}
    qpos, qvel = iter(given["qpos"]), iter(given["qvel"])
    for machine, at_q, at_qd in rows:
        if given["qpos"]:
            q[machine] = _put(q[machine], at_q, _ours([next(qpos) for _ in at_q], len(at_qd)))
        if given["qvel"]:
            qd[machine] = _put(qd[machine], at_qd, [next(qvel) for _ in at_qd])
    moving = [machine.name for machine in scene.machines if machine.model.nv]
    return Keyframe(
        name, tuple((each, tuple(q[each])) for each in moving),
        tuple((each, tuple(qd[each])) for each in moving),
        number(element, "time", 0.0), given["act"], given["ctrl"],
    )  # fmt: skip


def _put(values: list[float], places: Sequence[int], new: Sequence[float]) -> list[float]:
    for k, value in zip(places, new, strict=True):
        values[k] = value
    return values


def _ours(values: list[float], nv: int) -> list[float]:
    """A joint's position, whose quaternion is of unit length and has w at the end."""
    if len(values) == nv:
        return values
    *r, w, x, y, z = values
    length = math.hypot(w, x, y, z)
    if not _SMALL < length < math.inf:
        return [*r, 0.0, 0.0, 0.0, 1.0]
    if abs(length - 1.0) < _ROUNDING:
        return [*r, x, y, z, w]
    return [*r, *(each / length for each in (x, y, z, w))]
