"""Sizes of a model, and where each joint's coordinates are in whole vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ShapeError, shown
from ..once import cached_property
from ..scalar import Scalar
from .actuated import indices
from .lowering import Lowering

if TYPE_CHECKING:
    from .actuators import Actuator
    from .views import Body

PerBody = Mapping[Any, Any]
"""A value for each body, by number: scalars of its joint, or a spatial vector."""


class Layout:
    """The part of `Model` that knows how vectors are put together."""

    if TYPE_CHECKING:
        _lowered: Lowering
        actuators: tuple[Actuator, ...]

        @property
        def bodies(self) -> tuple[Body, ...]: ...

        @property
        def parent(self) -> Sequence[int]: ...

    @property
    def n_bodies(self) -> int:
        return len(self._lowered.parent) - 1

    @cached_property
    def nv(self) -> int:
        return self.n_axes - len(self.leaders)

    @cached_property
    def nq(self) -> int:
        return sum(kind.nq for kind in self._lowered.joint if kind) - len(self.leaders)

    @cached_property
    def n_axes(self) -> int:
        """How many velocity entries the joints have; ``nv`` unless some share one."""
        return sum(kind.nv for kind in self._lowered.joint if kind)

    @cached_property
    def leaders(self) -> Mapping[int, int]:
        """For each body whose joint is coupled, the body whose joint has its coordinate."""
        return self._lowered.leaders

    @property
    def is_coupled(self) -> bool:
        """Whether joints share coordinates."""
        return bool(self.leaders)

    @cached_property
    def n_controls(self) -> int:
        """How many controls the actuators take."""
        return sum(actuator.n_controls for actuator in self.actuators)

    @cached_property
    def n_activations(self) -> int:
        """How many states the actuators have."""
        return sum(actuator.n_activations for actuator in self.actuators)

    @cached_property
    def control_index(self) -> tuple[tuple[int, ...], ...]:
        """For each actuator, where its controls are."""
        return indices([actuator.n_controls for actuator in self.actuators])

    @cached_property
    def activation_index(self) -> tuple[tuple[int, ...], ...]:
        """For each actuator, where its states are."""
        return indices([actuator.n_activations for actuator in self.actuators])

    @cached_property
    def mass(self) -> float:
        """Mass of the moving bodies [kg]."""
        return sum(body.mass for body in self._lowered.body[1:])

    @cached_property
    def total_depth(self) -> int:
        """The sum over bodies of how many joints carry them: what a mass matrix costs."""
        depth = [0] * (self.n_bodies + 1)
        for i in range(1, self.n_bodies + 1):
            depth[i] = depth[self.parent[i]] + 1
        return sum(depth)

    @cached_property
    def v_index(self) -> tuple[tuple[int, ...], ...]:
        """For each body, where its joint's velocities are in ``qd``; coupled joints share them."""
        index: list[tuple[int, ...]] = [()]
        start = 0
        for i, kind in enumerate(self._lowered.joint[1:], 1):
            nv = 0 if i in self.leaders else kind.nv  # type: ignore[union-attr]
            index.append(tuple(range(start, start + nv)))
            start += nv
        for i, leader in self.leaders.items():
            index[i] = index[leader]
        return tuple(index)

    @cached_property
    def axis_index(self) -> tuple[tuple[int, ...], ...]:
        """For each body, where its joint's velocities would be if no joints shared them."""
        return ((), *indices([kind.nv for kind in self._lowered.joint if kind]))

    @cached_property
    def coordinate_of_axis(self) -> tuple[int, ...]:
        """For each entry of `axis_index` the one of ``qd``."""
        return tuple(k for index in self.v_index for k in index)

    @cached_property
    def q_index(self) -> tuple[tuple[int, ...], ...]:
        """For each body, where its joint's coordinates are in ``q``; surplus ones at the end."""
        index: list[tuple[int, ...]] = [()]
        end = self.nv
        for kind, v in zip(self._lowered.joint[1:], self.v_index[1:], strict=True):
            surplus = kind.nq - kind.nv  # type: ignore[union-attr]
            index.append(v + tuple(range(end, end + surplus)))
            end += surplus
        return tuple(index)

    def split_q(self, q: Sequence[Scalar]) -> dict[int, tuple[Scalar, ...]]:
        """The coordinates of each body's joint out of a whole ``q``."""
        _check_length("q", q, self.nq)
        return {i: tuple(q[k] for k in self.q_index[i]) for i in self.bodies}

    def split_v(self, v: Sequence[Scalar]) -> dict[int, tuple[Scalar, ...]]:
        """The velocities (or forces) of each body's joint out of a whole vector."""
        _check_length("v", v, self.nv)
        return {i: tuple(v[k] for k in self.v_index[i]) for i in self.bodies}

    def join_v(self, per_body: PerBody) -> list[Scalar]:
        """One vector out of each joint's velocities or forces; of coupled joints the leader's."""
        try:
            return [x for i in self.bodies if i not in self.leaders for x in per_body[i]]
        except (IndexError, KeyError, TypeError):
            raise self._not_per_body(per_body) from None

    def join_q(self, per_body: PerBody) -> list[Scalar]:
        """One ``q`` out of each joint's coordinates."""
        q: list[Scalar] = [0.0] * self.nq
        try:
            for i in self.bodies:
                if i in self.leaders:
                    continue
                for k, x in zip(self.q_index[i], per_body[i], strict=True):
                    q[k] = x
        except (IndexError, KeyError, TypeError, ValueError):
            raise self._not_per_body(per_body) from None
        return q

    def sum_forces(self, per_body: PerBody) -> PerBody:
        """Forces of each joint with those of the joints that share its coordinate."""
        if not self.leaders:
            return per_body
        total = {int(i): tuple(per_body[i]) for i in self.bodies}
        for i, leader in self.leaders.items():
            total[leader] = tuple(x + y for x, y in zip(total[leader], per_body[i], strict=True))
        return total | {i: total[leader] for i, leader in self.leaders.items()}

    def _not_per_body(self, value: Any) -> ShapeError:
        return ShapeError(
            f"expected values for each of {self.n_bodies} bodies as per_body, got {shown(value)}"
        )


def _check_length(name: str, vector: Any, size: int) -> None:
    """Raise a ShapeError unless a vector can be split."""
    is_row = isinstance(vector, Sequence) or (hasattr(vector, "shape") and len(vector.shape) > 0)
    if not is_row or isinstance(vector, (str, bytes)) or len(vector) != size:
        got = len(vector) if is_row else shown(vector)
        raise ShapeError(f"expected {size} entries in {name}, got {got}")
