"""Links without visuals: tapered bars from joint to joint, housings of joints, masses."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..model import (
    Fixed,
    FloatingBase,
    Helical,
    Link,
    Model,
    Planar,
    Prismatic,
    Revolute,
    TranslationXYZ,
)
from ..spatial import Mat3, Transform, Vec3
from .bodies import coordinates, ellipsoid
from .rotations import quaternions

ShapeRow = dict[str, Any]

_SLENDER = 0.085  # radius of a bar over its length
_THINNEST, _THICKEST = 0.01, 0.045  # of the model's size
_OUTWARD = 0.85  # thickness of a link without length over that of the link that carries it
_SHORTEST = 0.02  # of the model's size; shorter bars are hidden in their joints
_LARGEST = 0.17  # semi-axis of an ellipsoid, of the model's size
_BALL = 1.7  # radius of a concentrated mass in thicknesses
_POINT = 0.15  # radius of gyration over the distance of the mass; below, it is a point mass
_ASIDE = (
    0.25  # distance of a mass from the bars over the length of the longest; beyond, it is shown
)


def pose_of(X: Transform) -> list[float]:
    """Place and quaternion of a frame that ``X`` leads to."""
    rotation = np.array(X.E.T.rows(), float)
    return [*map(float, X.r), *quaternions(rotation).tolist()]


class Skeleton:
    """Shapes of the links of a model, in sizes that follow from its frames and inertias."""

    def __init__(self, model: Model):
        self.children: dict[str | None, list[Link]] = defaultdict(list)
        for link in model.links:
            self.children[link.parent].append(link)
        self.size: float = _size(model)
        self.thickness: dict[str | None, float] = {None: _THICKEST * self.size}
        for link in model.links:
            spans = [math.hypot(*end) for end in self._ends(link)]
            longest = max(spans, default=0.0)
            carried = _OUTWARD * self.thickness[link.parent]
            wish = _SLENDER * longest if self._is_seen(longest) else carried
            self.thickness[link.name] = float(
                np.clip(wish, _THINNEST * self.size, _THICKEST * self.size)
            )

    def rows(self, link: Link, body: int, X: Transform) -> list[ShapeRow]:
        """Shapes of a link on a body (0 is the base), whose frame ``X`` leads to the link's."""
        rows = [*self._bars(link), *self._joint(link), *(self._mass(link) if body else ())]
        color = {"role": "joint"} if body == 0 else {}
        return [
            {"body": body, "color": None, "name": link.name, "role": "body"}
            | row
            | color
            | {"pose": pose_of(row["pose"] @ X)}
            for row in rows
        ]

    def _is_seen(self, length: float) -> bool:
        return length > _SHORTEST * self.size

    def _ends(self, link: Link) -> list[Vec3]:
        """Where the bars of a link end: at the joints it carries, or where its mass does."""
        ends = [child.frame.r for child in self.children[link.name]]
        return ends or [end for end in (_tip(link),) if end is not None]

    def _bars(self, link: Link) -> Iterator[ShapeRow]:
        thick = self.thickness[link.name]
        ends = [child.frame.r for child in self.children[link.name]]
        thin = [min(thick, self.thickness[child.name]) for child in self.children[link.name]]
        if not ends:
            ends, thin = self._ends(link), [0.6 * thick]
        for end, radius in zip(ends, thin, strict=False):
            if self._is_seen(math.hypot(*map(float, end))):
                yield _bar(end, thick, radius)

    def _joint(self, link: Link) -> Iterator[ShapeRow]:
        thick, joint = self.thickness[link.name], link.joint
        here = Transform.identity()
        match joint:
            case Revolute() | Helical():
                along = Transform(_along(Vec3.of(joint.axis[:3])), Vec3.zero())
                yield _row("cylinder", [1.4 * thick, 2.9 * thick], along, "joint")
            case Prismatic():
                along = Transform(_along(Vec3.of(joint.axis)), Vec3.zero())
                yield _row("box", [2.6 * thick, 2.6 * thick, 4.4 * thick], along, "joint")
            case Fixed() | FloatingBase() | TranslationXYZ() | Planar():
                return
            case _:
                yield _row("sphere", [1.6 * thick], here, "joint")

    def _mass(self, link: Link) -> Iterator[ShapeRow]:
        """The mass where no bar tells it: of a body without bars, of a point, far from the bars."""
        com, thick = np.array(link.body.com, float), self.thickness[link.name]
        ends = [np.array([*end], float) for end in self._ends(link)]
        ends = [end for end in ends if self._is_seen(float(np.linalg.norm(end)))]
        if link.body.mass <= 0.0:
            return
        if not ends:
            found = ellipsoid(float(link.body.mass), np.array(link.body.inertia, float))
            if found:
                most = _LARGEST if link.parent is None else 0.4 * _LARGEST
                axes, E = _rounded(*found, largest=most * self.size)
                yield _row("ellipsoid", axes, Transform(E, Vec3.of(link.body.com)))
            return
        longest = max(float(np.linalg.norm(end)) for end in ends)
        is_aside = min(_distance(com, end) for end in ends) > _ASIDE * longest
        if is_aside:
            yield _bar(Vec3.of(com.tolist()), 0.5 * thick, 0.5 * thick)
        if is_aside or (not self.children[link.name] and _is_point(link)):
            at = Transform(Mat3.identity(), Vec3.of(com.tolist()))
            yield _row("sphere", [max(_BALL * thick, 0.025 * self.size)], at)


def _row(kind: str, extent: list[float], frame: Transform, role: str = "body") -> ShapeRow:
    return {"kind": kind, "size": extent, "pose": frame, "role": role}


def _bar(end: Vec3, thick: float, thin: float) -> ShapeRow:
    length = math.hypot(*map(float, end))
    return _row("bar", [thick, thin, length], Transform(_along(end), end * 0.5))


def _size(model: Model) -> float:
    """A length typical of the model: the way from the base to its farthest link or mass."""
    reach = dict[str | None, float]({None: 0.0})
    largest = 0.0
    for link in model.links:
        step = 0.0 if link.parent is None else math.hypot(*map(float, link.frame.r))
        reach[link.name] = reach[link.parent] + step
        largest = max(largest, reach[link.name] + math.hypot(*link.body.com))
    if largest > 0.0:
        return largest
    shells = (ellipsoid(float(k.body.mass), np.array(k.body.inertia, float)) for k in model.links)
    return max((float(shell[0].max()) / _LARGEST for shell in shells if shell), default=1.0)


def _tip(link: Link) -> Vec3 | None:
    """The end of the uniform rod with the link's centre of mass and its inertia across the rod."""
    com = np.array(link.body.com, float)
    far = float(np.linalg.norm(com))
    if far == 0.0 or link.body.mass <= 0.0:
        return None
    half = math.sqrt(3.0) * _gyration(link, com / far)
    return Vec3.of((com * (1.0 + min(half / far, 1.0))).tolist())


def _is_point(link: Link) -> bool:
    com = np.array(link.body.com, float)
    far = float(np.linalg.norm(com))
    return _gyration(link, com / far) < _POINT * far


def _gyration(link: Link, n: np.ndarray) -> float:
    """Root mean square distance [m] of the mass from its centre along a direction."""
    inertia = np.array(link.body.inertia, float)
    moment = 0.5 * np.trace(inertia) - n @ inertia @ n
    return math.sqrt(max(float(moment) / float(link.body.mass), 0.0))


def _distance(point: np.ndarray, end: np.ndarray) -> float:
    """From a point to the segment between the origin and ``end``."""
    share = np.clip(point @ end / (end @ end), 0.0, 1.0)
    return float(np.linalg.norm(point - share * end))


def _along(direction: Vec3) -> Mat3:
    """Coordinates of a frame whose z axis has the given direction."""
    z = np.array([float(x) for x in direction])
    z /= np.linalg.norm(z)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return coordinates(np.array((x, np.cross(z, x), z)).T)


def _rounded(semi: np.ndarray, axes: np.ndarray, largest: float) -> tuple[list[float], Mat3]:
    """An ellipsoid that can be seen: not larger than the model's parts, not a needle."""
    semi = np.minimum(semi, largest)
    return np.maximum(semi, 0.25 * semi.max()).tolist(), coordinates(axes)
