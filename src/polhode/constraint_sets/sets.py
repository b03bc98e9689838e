"""A set of constraints on one model, as an immutable value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from ..arguments import as_count, as_number, check_callable
from ..arrays import Numbers
from ..errors import ModelError, shown, suggestion
from ..model import Model
from ..model.declared import ContactConstraint, LoopConstraint
from ..once import cached_property
from ..spatial import Transform
from . import checks
from .records import Constraint, Contact, Custom, Group, Loop


@dataclass(frozen=True, repr=False)
class ConstraintSet:
    """Constraints on a model; every method that adds some returns a new set.

    Row ``k`` demands ``G_k qdd = gamma_k``, and ``H qdd + C = tau + G^T force``. A positive force
    of a contact pushes the body along the normal. That of a loop pushes the successor along the
    axis and the predecessor against it.

    Parameters
    ----------
    model : Model
    constraints : sequence of Contact, Loop or Custom, optional

    Raises
    ------
    ModelError
        If something else is among them.

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import FloatingBase
    >>> box = ph.Model("box").add("box", joint=FloatingBase(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    >>> feet = ph.constraints.ConstraintSet(box).contact("box", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
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
        records = checks.records(self.constraints, self.model)
        object.__setattr__(self, "constraints", records)

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

        Raises
        ------
        ModelError
            If there is no such body, a vector has another length or is not finite, or a
            normal is zero.
        ArgumentError
            If an argument is of another kind; of arrays `ShapeError`.
        """
        where = checks.where_of(self.model)
        first = Contact(
            self._body("body", body),
            checks.numbers("point", point, 3, where),
            (0.0, 0.0, 1.0),
            checks.text("name", name, where),
            as_number("normal_acceleration", normal_acceleration, where),
            None if ground is None else checks.numbers("ground", ground, 3, where),
            checks.time_constant(stabilization, name, where),
            checks.identifier(id, where),
        )
        rows = checks.directions("normal", normal, 3, where)
        return self._with(*(replace(first, normal=row) for row in rows))

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

        Raises
        ------
        ModelError
            If there is no such body, a vector has another length or is not finite, or a
            frame's matrix is no rotation.
        ArgumentError
            If an argument is of another kind; of arrays `ShapeError`.
        """
        where = checks.where_of(self.model)
        first = Loop(
            self._body("predecessor", predecessor),
            self._body("successor", successor),
            checks.frame("X_predecessor", X_predecessor, where),
            checks.frame("X_successor", X_successor, where),
            (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
            checks.text("name", name, where),
            checks.time_constant(stabilization, name, where),
            checks.identifier(id, where),
        )
        rows = checks.directions("axis", axis, 6, where, may_vanish=True)
        return self._with(*(replace(first, axis=row) for row in rows))

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
            ``function(model, q, qd)``, which returns ``(G, gamma, error)``: rows of ``nv`` scalars,
            and for each row the right-hand side of ``G qdd = gamma`` and the position error.
        name : str
            Name of it.
        stabilization : float, optional
            Time constant [s] of Baumgarte's terms; none without.

        Returns
        -------
        constraints : ConstraintSet
            The set with one more.

        Raises
        ------
        ModelError
            If there is no row.
        ArgumentError
            If an argument is of another kind.
        """
        where = checks.where_of(self.model)
        if as_count("n_rows", n_rows, where) < 1:
            raise ModelError(
                f"expected at least one row as n_rows of constraint '{name}', got {n_rows}"
            )
        check_callable("function", function, where)
        name = checks.text("name", name, where)
        time = checks.time_constant(stabilization, name, where)
        return self._with(Custom(int(n_rows), function, name, time))

    @classmethod
    def from_records(cls, model: Model, records: Iterable[Any]) -> ConstraintSet:
        """Return the set that a model file declares: a value of ``model.constraint_sets``.

        Parameters
        ----------
        model : Model
        records : iterable
            Constraints, in order.

        Raises
        ------
        ModelError
            If something else is among them.
        """
        made = cls(model)
        if not isinstance(records, Iterable) or isinstance(records, (str, bytes, Mapping)):
            raise ModelError(f"expected a sequence of constraints as records, got {shown(records)}")
        for record in records:
            if not isinstance(record, (ContactConstraint, LoopConstraint)):
                raise ModelError(
                    "expected values of model.constraint_sets in records, "
                    f"got {shown(record)}{checks.where_of(model)}"
                )
            if isinstance(record, ContactConstraint):
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
        if not isinstance(model, Model):
            raise ModelError(f"expected a Model first, got {shown(model)}")
        declared = model.constraint_sets
        name = checks.text("name", name, checks.where_of(model))
        if name not in declared:
            raise ModelError(
                f"no constraint set '{name}' in model '{model.name}'{suggestion(name, declared)}"
            )
        return cls.from_records(model, declared[name])

    def __add__(self, other: ConstraintSet) -> ConstraintSet:
        """The rows of both sets, which must be of one model."""
        if not isinstance(other, ConstraintSet):
            return NotImplemented
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
        name = checks.text("name", name, checks.where_of(self.model))
        for group in self.groups:
            if group.name == name:
                return group
        hint = suggestion(name, [group.name for group in self.groups])
        where = checks.where_of(self.model)
        raise ModelError(f"no constraint group of the name '{name}'{where}{hint}")

    @cached_property
    def programs(self) -> dict[Any, Any]:
        """What has been compiled for this set, kept as long as it lives."""
        return {}

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        kinds = ", ".join(f"{group.kind} '{group.name}' x{len(group)}" for group in self.groups)
        return f"ConstraintSet({self.model!r}: {kinds or 'no constraints'})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ConstraintSet, (self.model, self.constraints)

    def _body(self, name: str, body: int | str) -> int:
        try:
            return self.model.body(body).id
        except ModelError as error:
            raise ModelError(f"{error}, as {name}") from None

    def _with(self, first: Constraint, *others: Constraint) -> ConstraintSet:
        """The set with constraints added, of which the first one has the name."""
        unnamed = (replace(each, name="") for each in others)
        return ConstraintSet(self.model, (*self.constraints, first, *unnamed))
