"""Lengths of tendons with their gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from ...model import Anchor, Model, PerBody, Pulley, Tendon, Wrapping
from ...scalar import Scalar
from ...spatial import Force, Transform, Vec3
from .lengths import Length, PlacedTree, force_at, gathered
from .wrapping import direction, wrapped


class PlacedPath(Protocol):
    """Bodies at one state."""

    def frame(self, body: str | None) -> tuple[int, Transform]:
        """The body that carries a named one, and the transform from the base to the latter."""
        ...

    def point(self, body: str | None, point: Iterable[float]) -> tuple[int, Vec3]:
        """That body, and a point in base coordinates."""
        ...


def tendon_length(placed: PlacedTree, tendon: Tendon) -> Length:
    """The length of a tendon: of its path, or the sum of joint positions."""
    return _sum_of_joints(placed, tendon) if tendon.joints else path_length(placed, tendon)


def path_length(placed: PlacedPath, tendon: Tendon) -> Length:
    """The length of a tendon's path."""
    value: Scalar = 0.0
    wrenches: list[tuple[int, Force]] = []
    for a, wrapping, b, factor in pieces(tendon):
        (i, p), (j, r) = placed.point(a.body, a.point), placed.point(b.body, b.point)
        if wrapping is None:
            length, way = direction(p, r)
            ends = [(i, force_at(p, way * -factor)), (j, force_at(r, way * factor))]
        else:
            length, ends = _around(placed, wrapping, (i, p), (j, r), factor)
        value = value + length * factor
        if wrapping is not None or i != j:
            wrenches += ends
    return Length(value, gathered(wrenches), {})


def tendon_lengths(model: Model, q: PerBody) -> list[Scalar]:
    """The lengths of all tendons."""
    placed = PlacedTree(model, q)
    return [tendon_length(placed, tendon).value for tendon in model.tendons]


def tendon_velocities(model: Model, q: PerBody, qd: PerBody) -> list[Scalar]:
    """The rates of change of all lengths."""
    placed = PlacedTree(model, q, qd)
    return [placed.rate(tendon_length(placed, tendon)) for tendon in model.tendons]


def tendon_jacobian(model: Model, q: PerBody) -> list[list[Scalar]]:
    """A row for each tendon: ``J qd`` are the rates of change of the lengths."""
    placed = PlacedTree(model, q)
    rows = [placed.row(tendon_length(placed, tendon)) for tendon in model.tendons]
    return [[row.get(k, 0.0) for k in range(model.nv)] for row in rows]


def pieces(tendon: Tendon) -> Iterator[tuple[Anchor, Wrapping | None, Anchor, float]]:
    """The way from anchor to anchor, around what is between, and the factor of its length."""
    factor, before, wrapping = 1.0, None, None
    for part in tendon.path:
        match part:
            case Pulley(divisor):
                factor, before = 1.0 / divisor, None
            case Wrapping():
                wrapping = part
            case Anchor():
                if before is not None:
                    yield before, wrapping, part, factor
                before, wrapping = part, None


def _around(
    placed: PlacedPath, wrapping: Wrapping, a: tuple[int, Vec3], b: tuple[int, Vec3], factor: float
) -> tuple[Scalar, list[tuple[int, Force]]]:
    """The length between two points on bodies around a shape, and the wrenches at all three."""
    (i, p), (j, r) = a, b
    k, X = placed.frame(wrapping.body)
    X = wrapping.frame @ X
    side = None
    if wrapping.side is not None:
        side = X.E @ (placed.point(wrapping.side.body, wrapping.side.point)[1] - X.r)
    way = wrapped(X.E @ (p - X.r), X.E @ (r - X.r), wrapping.radius, wrapping.is_cylinder, side)
    first = force_at(p, (X.E.T @ way.from_first) * factor)
    last = force_at(r, (X.E.T @ way.from_last) * factor)
    # A tendon without friction acts on the shape along the same two lines.
    return way.length, [(i, first), (j, last), (k, -(first + last))]


def _sum_of_joints(placed: PlacedTree, tendon: Tendon) -> Length:
    value: Scalar = 0.0
    entries: dict[int, Scalar] = {}
    model = placed.model
    for name, factor in tendon.joints:
        joint = model.joint(name)
        (k,), relation = model.v_index[joint.body], model.relation(joint.name)
        value = value + relation.position(placed.q[joint.body][0]) * factor
        entries[k] = entries.get(k, 0.0) + factor * relation.multiplier
    return Length(value, {}, entries)
