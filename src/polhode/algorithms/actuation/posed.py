"""Lengths of tendons over bodies at given poses, as contact simulators have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ...model import Anchor, Model, Tendon, Wrapping
from ...scalar import Scalar
from ...spatial import Mat3, Transform, Vec3
from .tendons import path_length

Matrix = list[list[Scalar]]


class LinkPlace(NamedTuple):
    """Where a link is: the number of a body, 0 for the base, and the frame on it."""

    body: int
    frame: Transform


class TendonTerms(NamedTuple):
    """A tendon over bodies by number.

    ``links`` are those of its path by name, ``terms`` places of positions with their factors.
    """

    tendon: Tendon
    links: tuple[tuple[str, LinkPlace], ...]
    terms: tuple[tuple[int, float], ...]
    constant: float

    @property
    def bodies(self) -> list[int]:
        """The bodies that move and that its path touches."""
        parts = [part for part in self.tendon.path if isinstance(part, (Anchor, Wrapping))]
        links = dict(self.links)
        found = {links[part.body].body for part in parts if part.body is not None}
        return sorted(found - {0})


class PosedBodies:
    """Bodies at poses that are given: rows of 12 numbers, rotation row by row, then origin."""

    def __init__(self, poses: Sequence[Sequence[Scalar]], links: Mapping[str, LinkPlace]):
        self.links: Mapping[str, LinkPlace] = links
        self.X_0: list[Transform] = [Transform.identity()]
        for pose in poses:
            rotation = Mat3.of([pose[0:3], pose[3:6], pose[6:9]])
            self.X_0.append(Transform(rotation.T, Vec3.of(pose[9:12])))

    def frame(self, body: str | None) -> tuple[int, Transform]:
        """The body that carries a link, and the transform from the base to that link."""
        if body is None:
            return 0, Transform.identity()
        i, frame = self.links[body]
        return i, frame @ self.X_0[i]

    def point(self, body: str | None, point: Iterable[float]) -> tuple[int, Vec3]:
        """The body that carries a point, and the point in base coordinates."""
        i, X = self.frame(body)
        return i, X.point(Vec3(*point))


def posed_lengths(
    model: Model,
    poses: Sequence[Sequence[Scalar]],
    positions: Sequence[Scalar],
    *,
    tendons: tuple[TendonTerms, ...],
) -> tuple[list[Scalar], Matrix]:
    """The lengths of tendons, and their gradients: for each of `TendonTerms.bodies` a wrench.

    Wrenches are those of unit forces along the tendons, moments about the base origin.
    """
    lengths: list[Scalar] = []
    wrenches: Matrix = []
    for each in tendons:
        if each.tendon.joints:
            lengths.append(sum((positions[k] * x for k, x in each.terms), each.constant))
            continue
        length = path_length(PosedBodies(poses, dict(each.links)), each.tendon)
        lengths.append(length.value)
        for i in each.bodies:
            wrench = length.wrenches.get(i)
            wrenches.append([0.0] * 6 if wrench is None else [*wrench.ang, *wrench.lin])
    return lengths, wrenches or [[0.0] * 6]
