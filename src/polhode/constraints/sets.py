"""A set of constraints on one model, as an immutable value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

from ..arrays import Numbers
from ..errors import ModelError, suggestion
from ..model import Model
from ..spatial import Transform
from .records import Constraint, Contact, Custom, Group, Loop


@dataclass(frozen=True, repr=False)
class ConstraintSet:
    """Constraints on a model; every method that adds some returns a new set.

    Row ``k`` demands ``G_k qdd = gamma_k``; a positive force of a contact pushes the body
    along the normal, that of a loop pushes the successor along the axis and the
    predecessor against it: ``H qdd + C = tau + G^T force``.

    Parameters
    ----------
    model : Model
    constraints : sequence of Contact, Loop or Custom, optional

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import FloatingBase
    >>> box = ph.Model("box").add("box", joint=FloatingBase(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    >>> feet = ph.ConstraintSet(box).contact("box", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    >>> feet.n_rows
    1
    """

    model: Model
    constraints: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            raise ModelError(
                f"expected a Model first, got {type(self.model).__name__}; "
                "load one with polhode.load"
            )
        object.__setattr__(self, "constraints", tuple(self.constraints))

    # -- adding --

    def contact(
        self,
        body: int | str,
        point: Numbers,
        normal: Numbers | Sequence[Numbers],
        *,
        name: str = "",
        normal_acceleration: float = 0.0,
        ground: Numbers | None = None,
        stabilization: float | None = None,
        id: int | None = None,
    ) -> ConstraintSet:
        """Return the set with a contact: a point that does not accelerate along a normal.

        Parameters
        ----------
        body : int or str
        point : three numbers
            In body coordinates [m].
        normal : three numbers, or three such rows
            In base coordinates; a row for each normal.
        name : str
        normal_acceleration : float
            Wanted along the normal [m/s^2].
        ground : three numbers, optional
            A point of the plane that the point shall stay in; without one there is no
            position error.
        stabilization : float, optional
            Baumgarte's time constant [s].
        id : int, optional
            Rows of different numbers belong to different groups.

        Returns
        -------
        constraints : ConstraintSet
            The set with one more.
        """
        rows: Any = normal if _is_rows(normal) else (normal,)
        added = tuple(
            Contact(
                self._body(body),
                _numbers(point, 3, "point"),
                _numbers(row, 3, "normal", may_vanish=False),
                name if k == 0 else "",
                float(normal_acceleration),
                None if ground is None else _numbers(ground, 3, "ground"),
                _time(stabilization, name),
                id,
            )
            for k, row in enumerate(rows)
        )
        return ConstraintSet(self.model, self.constraints + added)

    def loop(
        self,
        predecessor: int | str,
        successor: int | str,
        X_predecessor: Transform,
        X_successor: Transform,
        axis: Numbers | Sequence[Numbers],
        *,
        name: str = "",
        stabilization: float | None = None,
        id: int | None = None,
    ) -> ConstraintSet:
        """Return the set with a loop closed: two frames that stay together along an axis.

        Parameters
        ----------
        predecessor, successor : int or str
            Bodies.
        X_predecessor, X_successor : Transform
            From body to constraint-frame coordinates.
        axis : six numbers, or several such rows
            Angular, then linear, in the predecessor's constraint frame.
        name : str
        stabilization : float, optional
            Baumgarte's time constant [s].
        id : int, optional
            Rows of different numbers belong to different groups.

        Returns
        -------
        constraints : ConstraintSet
            The set with one more.
        """
        rows: Any = axis if _is_rows(axis) else (axis,)
        added = tuple(
            Loop(
                self._body(predecessor),
                self._body(successor),
                X_predecessor,
                X_successor,
                _numbers(row, 6, "axis"),
                name if k == 0 else "",
                _time(stabilization, name),
                id,
            )
            for k, row in enumerate(rows)
        )
        return ConstraintSet(self.model, self.constraints + added)

    def custom(
        self,
        n_rows: int,
        function: Callable[..., tuple],
        *,
        name: str = "",
        stabilization: float | None = None,
    ) -> ConstraintSet:
        """Return the set with rows of the user's own; see `polhode.constraints.Custom`.

        Parameters
        ----------
        n_rows : int
            Number of rows.
        function : callable
            ``function(model, q, qd)``, which returns the rows, their bias and error.
        name : str
            Name of it.
        stabilization : float, optional
            Time constant [s] of Baumgarte's terms; none without.

        Returns
        -------
        constraints : ConstraintSet
            The set with one more.
        """
        if n_rows < 1:
            raise ModelError(f"expected at least one row of constraint '{name}', got {n_rows}")
        added = Custom(int(n_rows), function, name, _time(stabilization, name))
        return ConstraintSet(self.model, (*self.constraints, added))

    @classmethod
    def from_records(cls, model: Model, records: Iterable[Any]) -> ConstraintSet:
        """Return the set that a model file declares: an entry of ``model.constraint_sets``.

        Parameters
        ----------
        model : Model
        records : iterable
            Constraints, in order.
        """
        made = cls(model)
        for record in records:
            if hasattr(record, "normal"):
                made = made.contact(
                    record.body,
                    record.point,
                    record.normal,
                    name=record.name,
                    normal_acceleration=record.normal_acceleration,
                    id=record.id,
                )
            else:
                made = made.loop(
                    record.predecessor,
                    record.successor,
                    record.predecessor_frame,
                    record.successor_frame,
                    record.axis,
                    name=record.name,
                    stabilization=record.stabilization,
                    id=record.id,
                )
        return made

    @classmethod
    def declared(cls, model: Model, name: str) -> ConstraintSet:
        """Return the set that the model's file declares under a name.

        Parameters
        ----------
        model : Model
        name : str
            Name of it.

        Raises
        ------
        ModelError
            If there is none; names near to it are suggested.
        """
        declared = dict(model.constraint_sets)
        if name not in declared:
            raise ModelError(
                f"no constraint set '{name}' in model '{model.name}'{suggestion(name, declared)}"
            )
        return cls.from_records(model, declared[name])

    def __add__(self, other: ConstraintSet) -> ConstraintSet:
        """The rows of both sets, which must be of one model."""
        if other.model is not self.model and other.model != self.model:
            raise ModelError(
                f"expected constraints of model '{self.model.name}', got some of "
                f"'{other.model.name}'"
            )
        return ConstraintSet(self.model, self.constraints + other.constraints)

    # -- views --

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(constraint.n_rows for constraint in self.constraints)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each row; rows after the first of a group may have none."""
        return tuple(c.name for c in self.constraints for _ in range(c.n_rows))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Constraints that follow each other at the same place, as one."""
        groups, start = [], 0
        for place, members in groupby(self.constraints, lambda constraint: constraint.place):
            constraints = tuple(members)
            stop = start + sum(c.n_rows for c in constraints)
            groups.append(Group(constraints[0].name, place[0], slice(start, stop), constraints))
            start = stop
        return tuple(groups)

    def group(self, name: str) -> Group:
        """The group of a name.

        Parameters
        ----------
        name : str
            Name of it.

        Returns
        -------
        group : Group
            The rows of that name.

        Raises
        ------
        ModelError
            If there is none; names near to it are suggested.
        """
        for group in self.groups:
            if group.name == name:
                return group
        hint = suggestion(name, [group.name for group in self.groups])
        raise ModelError(f"no constraint group '{name}' on model '{self.model.name}'{hint}")

    @cached_property
    def programs(self) -> dict[Any, Any]:
        """What has been compiled for this set, kept as long as it lives."""
        return self.__dict__.setdefault("programs", {})  # one dictionary for all threads

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        kinds = ", ".join(f"{group.kind} '{group.name}' x{len(group)}" for group in self.groups)
        return f"ConstraintSet({self.model!r}: {kinds or 'no constraints'})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ConstraintSet, (self.model, self.constraints)

    def _body(self, body: int | str) -> int:
        return self.model.body(body).id


def _is_rows(values: Any) -> bool:
    return len(values) > 0 and hasattr(values[0], "__len__")


def _numbers(values: Any, length: int, what: str, may_vanish: bool = True) -> Any:
    numbers = tuple(float(x) for x in values)
    if not (may_vanish or any(numbers)):
        raise ModelError(f"expected a {what} of a constraint that is not zero, got {numbers}")
    if len(numbers) != length or not all(map(math.isfinite, numbers)):
        raise ModelError(
            f"expected {length} finite numbers as the {what} of a constraint, got {tuple(values)}"
        )
    return numbers


def _time(stabilization: float | None, name: str) -> float | None:
    if stabilization is None:
        return None
    if not stabilization > 0.0:
        raise ModelError(
            f"expected a positive time constant for constraint '{name}', got {stabilization}; "
            "None means no stabilization"
        )
    return float(stabilization)
