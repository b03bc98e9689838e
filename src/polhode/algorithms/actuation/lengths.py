"""Lengths over a model, such as that of a tendon: their rates, and joint forces along them.

The gradient of a length is a wrench on each body: the wrenches of a unit force along it.  So the
rate of the length is their power, and joint forces are theirs, as of any external forces.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import NamedTuple

from ...model import Model, PerBody
from ...scalar import Scalar
from ...spatial import Force, Motion, Transform, Vec3


class Length(NamedTuple):
    """A length with its gradient.

    ``wrenches`` are on bodies, in base coordinates about the base origin; ``entries`` are factors
    of entries of ``qd``.
    """

    value: Scalar
    wrenches: dict[int, Force]
    entries: dict[int, Scalar]

    def times(self, factor: Scalar) -> Length:
        """The length in other units."""
        return Length(
            self.value * factor,
            {i: wrench * factor for i, wrench in self.wrenches.items()},
            {k: x * factor for k, x in self.entries.items()},
        )


class PlacedTree:
    """A model at one state: where its bodies are and how, by ``qd``, they move.

    ``X_0`` leads from base coordinates to those of each body, ``v_0`` is in base coordinates.
    """

    def __init__(self, model: Model, q: PerBody, qd: PerBody | None = None):
        self.model: Model = model
        self.q: PerBody = q
        self.qd: PerBody | None = qd
        self._rates: list[Scalar] = [] if qd is None else model.join_v(qd)
        self.X: dict[int, Transform] = {}
        self.X_0: dict[int, Transform] = {0: Transform.identity()}
        self.S: PerBody = {}
        self.v_0: dict[int, Motion] = {0: Motion.zero()}
        for i in model.bodies:
            p = model.parent[i]
            XJ, self.S[i], vJ, _ = model.joint[i].jcalc(q[i], None if qd is None else qd[i])
            self.X[i] = XJ @ model.X_tree[i]
            self.X_0[i] = self.X[i] @ self.X_0[p]
            if qd is not None:
                self.v_0[i] = self.v_0[p] + self.X_0[i].to_parent(vJ)

    def frame(self, body: str | None) -> tuple[int, Transform]:
        """The moving body that carries a named one, and the transform from the base to that."""
        if body is None:
            return 0, Transform.identity()
        found = self.model.body(body)
        return found.moving, found.frame @ self.X_0[found.moving]

    def point(self, body: str | None, point: Iterable[float]) -> tuple[int, Vec3]:
        """The moving body that carries a point, and the point in base coordinates."""
        i, X = self.frame(body)
        return i, X.point(Vec3(*point))

    def rate(self, length: Length) -> Scalar:
        """The rate of change of a length."""
        total: Scalar = 0.0
        for i, wrench in length.wrenches.items():
            total = total + self.v_0[i].dot(wrench)
        for k, factor in length.entries.items():
            total = total + self._rates[k] * factor
        return total

    def row(self, length: Length, still: Container[int] = ()) -> dict[int, Scalar]:
        """The gradient by ``qd``: for entries that are not zero the rate of unit velocities.

        As if the joints of the bodies ``still`` did not move.
        """
        f = {i: self.X_0[i].to_child(wrench) for i, wrench in length.wrenches.items() if i}
        row = dict(length.entries)
        for i in reversed(self.model.bodies):
            if i not in f:
                continue
            if i not in still:
                for k, x in zip(self.model.v_index[i], self.S[i].T @ f[i], strict=True):
                    row[k] = row.get(k, 0.0) + x
            p = self.model.parent[i]
            if p:
                carried = self.X[i].T @ f[i]
                f[p] = f[p] + carried if p in f else carried
        return row

    def joint_forces(self, forces: Iterable[tuple[Length, Scalar]]) -> PerBody:
        """Joint forces of forces along lengths."""
        wrenches: dict[int, Force] = {}
        entries: dict[int, Scalar] = {}
        for length, force in forces:
            for i, wrench in length.wrenches.items():
                wrenches[i] = wrenches.get(i, Force.zero()) + wrench * force
            for k, factor in length.entries.items():
                entries[k] = entries.get(k, 0.0) + factor * force
        row = self.row(Length(0.0, wrenches, entries))
        return {i: tuple(row.get(k, 0.0) for k in self.model.v_index[i]) for i in self.model.bodies}


def force_at(point: Vec3, force: Vec3) -> Force:
    """The wrench about the base origin of a force at a point."""
    return Force(point.cross(force), force)


def gathered(parts: Iterable[tuple[int, Force]]) -> dict[int, Force]:
    """Wrenches summed for each body; the base has none."""
    found: dict[int, Force] = {}
    for i, wrench in parts:
        if i:
            found[i] = found[i] + wrench if i in found else wrench
    return found
