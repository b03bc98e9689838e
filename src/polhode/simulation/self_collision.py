"""Pairs of one model that do not touch unless a contact rule names them: neighbours.

Links that a joint connects overlap at the joint by construction, be it of one axis or of several.
Shapes that overlap in the neutral position do so because they are coarser than the real robot.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..algorithms.stepping.touching import Shape as Touching
from ..algorithms.stepping.touching import points
from ..algorithms.tree.kinematics import base_transforms
from ..api.manifold import neutral
from ..collision import bounding_box, contacts
from ..errors import ModelError
from ..model import Model, PerBody, Shape
from ..scene import Geometry, Scene
from ..spatial import Transform

_DEEP = 1e-9  # overlap that is more than rounding [m]
_SHOWN = 4


class Neighbours(NamedTuple):
    """Pairs of geometries, by index and in rising order, that do not touch by themselves.

    Attributes
    ----------
    jointed : tuple of (int, int)
        On links that a joint connects.
    overlapping : tuple of (int, int)
        On other links of a model; they overlap in its neutral position.
    """

    jointed: tuple[tuple[int, int], ...]
    overlapping: tuple[tuple[int, int], ...]

    def notes(self, scene: Scene) -> list[str]:
        """What to say of them in the summary of a run."""
        reasons = (
            (self.jointed, "a joint connects them"),
            (self.overlapping, "they overlap in the neutral position"),
        )
        return [_note(scene, pairs, why) for pairs, why in reasons if pairs]


def neighbours(scene: Scene) -> Neighbours:
    """The pairs of a scene that neither are disabled nor touch, unless a rule names both."""
    jointed, overlapping = [], []
    of_machine: dict[str, list[int]] = defaultdict(list)
    for k, geometry in enumerate(scene.geometries):
        of_machine[geometry.machine].append(k)
    for machine in scene.simulated:
        own = of_machine[machine.name]
        if machine.is_fixed or len(own) < 2:
            continue
        shapes = tuple(scene.geometries[k] for k in own)
        for found, pairs in zip((jointed, overlapping), _of_machine(machine.model, shapes),
                                strict=True):  # fmt: skip
            for i, j in pairs:
                pair = (own[i], own[j])
                a, b = (scene.geometries[k] for k in pair)
                if pair not in scene.disabled_geometries and not scene.has_rule_of_pair(a, b):
                    found.append(pair)
    return Neighbours(tuple(jointed), tuple(overlapping))


@lru_cache(maxsize=64)
def _of_machine(
    model: Model, geometries: tuple[Geometry, ...]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Pairs among the geometries of one model: jointed, and overlapping where it is neutral."""
    bodies = [int(model.body(g.body).moving) for g in geometries]
    connected = _connected(model, bodies)
    q = [float(x) for x in neutral(model)]
    X_0 = base_transforms(model, model.split_q(q))
    frames = [_pose(model, g, X_0) for g in geometries]
    boxes = [None if g.shape is None else bounding_box(g.shape, frame)
             for g, frame in zip(geometries, frames, strict=True)]  # fmt: skip
    jointed, overlapping = [], []
    for i, j in combinations(range(len(geometries)), 2):
        if bodies[i] == bodies[j]:
            continue
        if frozenset((bodies[i], bodies[j])) in connected:
            jointed.append((i, j))
            continue
        a, b = geometries[i].shape, geometries[j].shape
        if a is None or b is None or not _meet(boxes[i], boxes[j]):
            continue
        if _overlap(a, frames[i], b, frames[j]):
            overlapping.append((i, j))
    return jointed, overlapping


def _connected(model: Model, with_shapes: Sequence[int]) -> set[frozenset[int]]:
    """Pairs of moving bodies (0: the base) whose links a joint connects.

    Also a joint of several axes: with links between these that have neither mass nor shapes.
    """
    solid = {0, *with_shapes}
    solid |= {int(model.body(link.name).moving) for link in model.links
              if not link.body.is_massless}  # fmt: skip
    found = set()
    for i in map(int, model.bodies):
        p = int(model.parent[i])
        while p not in solid:
            p = int(model.parent[p])
        found.add(frozenset((i, p)))
    return found


def _pose(model: Model, geometry: Geometry, X_0: PerBody) -> Transform:
    """From base coordinates to those of a shape."""
    body = model.body(geometry.body)
    frame = geometry.frame @ body.frame
    return frame @ X_0[int(body.moving)] if body.moving else frame


def _overlap(a: Shape, X_a: Transform, b: Shape, X_b: Transform) -> bool:
    """Whether shapes overlap by more than rounding; most need no compiled code for it."""
    try:
        found = points(Touching.of(a), X_a, Touching.of(b), X_b)
    except ModelError:
        found = contacts(a, X_a, b, X_b)
    return any(float(point.gap) < -_DEEP for point in found)


def _meet(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    return a is not None and b is not None and bool((a[0] <= b[1]).all() and (b[0] <= a[1]).all())


def _note(scene: Scene, pairs: tuple[tuple[int, int], ...], why: str) -> str:
    names = [f"'{scene.geometries[i].name}' and '{scene.geometries[j].name}'"
             for i, j in pairs[:_SHOWN]]  # fmt: skip
    more = f", and {len(pairs) - _SHOWN} more pairs" if len(pairs) > _SHOWN else ""
    return (
        f"{', '.join(names)}{more} do not touch each other, because {why}; "
        "Scene.contact(a, b, ...) with the names of both lets them"
    )
