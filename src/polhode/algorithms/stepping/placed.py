"""Bodies, shapes and joint axes where they are, and how fast bodies would go on by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Model, PerBody
from ...scalar import Scalar
from ...spatial import Motion, Transform, Vec3
from ..tree.kinematics import base_transforms
from .contact_model import Surface


class PlacedBodies:
    """The bodies of a model at a position.  Motions are about the base origin, in base axes."""

    def __init__(self, model: Model, q: PerBody):
        self.model: Model = model
        self.X_0: PerBody = base_transforms(model, q)
        self._axes: dict[int, list[Motion]] = {}
        for i in model.bodies:
            columns = model.joint[i].jcalc(q[i]).S.columns
            self._axes[i] = [self.X_0[i].to_parent(column) for column in columns]

    def axes(self) -> dict[int, Motion]:
        """What each axis of a joint moves the bodies by that it carries, by `Model.axis_index`."""
        found: dict[int, Motion] = {}
        for i in self.model.bodies:
            found.update(zip(self.model.axis_index[i], self._axes[i], strict=True))
        return found

    def velocities(self, v: Sequence[Scalar]) -> dict[int, Motion]:
        """The velocity of each body."""
        found = {0: Motion.zero()}
        for i in self.model.bodies:
            total = found[self.model.parent[i]]
            for k, axis in zip(self.model.v_index[i], self._axes[i], strict=True):
                total = total + axis * v[k]
            found[i] = total
        return found

    def pose(self, surface: Surface) -> Transform:
        """From base coordinates to those of a shape."""
        return surface.frame @ self.X_0[surface.body]


def carriers_of(model: Model, body: int) -> frozenset[int]:
    """The axes of joints that carry a body, by `Model.axis_index`."""
    found: set[int] = set()
    while body:
        found |= set(model.axis_index[body])
        body = model.parent[body]
    return frozenset(found)


def movers_of(model: Model, a: int, b: int) -> frozenset[int]:
    """The velocity entries that move two bodies against each other."""
    axes = carriers_of(model, a) ^ carriers_of(model, b)
    return frozenset(model.coordinate_of_axis[k] for k in axes)


def signs_of(model: Model, a: int, b: int) -> list[float]:
    """For each axis of a joint: 1 if it moves body a alone, -1 if b alone, 0 if both or none."""
    of_a, of_b = carriers_of(model, a), carriers_of(model, b)
    return [float(k in of_a) - float(k in of_b) for k in range(model.n_axes)]


def velocity_at(motion: Motion, point: Vec3) -> Vec3:
    """The velocity of a point of a body that moves so."""
    return motion.lin + motion.ang.cross(point)
