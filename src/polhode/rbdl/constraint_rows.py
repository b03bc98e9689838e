"""The rows of RBDL's ConstraintSet, and the groups that they make."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np

from ..arrays import Array, ArrayLike, Numbers
from ..constraints import Constraint, Contact, Custom, Group, Loop
from ..constraints import ConstraintSet as CoreSet
from ..model import Model as CoreModel
from ..spatial import Mat3, Transform, Vec3
from .errors import RBDLError, RBDLInvalidParameterError
from .model import UINT_MAX, Model
from .spatial import SpatialTransform


class ConstraintType(IntEnum):
    """What a group consists of."""

    ConstraintTypeContact = 0
    ConstraintTypeLoop = 1
    ConstraintTypeCustom = 2
    ConstraintTypeLast = 3


_TYPES = {
    "contact": ConstraintType.ConstraintTypeContact,
    "loop": ConstraintType.ConstraintTypeLoop,
    "custom": ConstraintType.ConstraintTypeCustom,
}


class CustomConstraint:
    """Base of constraints given by the user.

    Attributes
    ----------
    size : int
        How many rows it has.
    """

    size: int = 0

    def rows(self, model: CoreModel, q: Any, qd: Any) -> tuple[Any, Any, Any]:
        """``(G, gamma, error)`` with ``G qdd = gamma``, written as an algorithm of polhode.

        ``q`` and ``qd`` map the numbers of moving bodies to tuples of scalars; ``G`` has for
        each row a list of ``model.nv`` scalars.

        Parameters
        ----------
        model : Model
        q : array_like, shape (q_size,)
            Positions [rad or m].
        qd : array_like, shape (NB,)
            Joint velocities [rad/s or m/s].
        """
        raise RBDLError(f"{type(self).__name__} does not define rows")


@dataclass
class _Row:
    """One call of an Add...Constraint: in polhode's terms but for body ids."""

    constraint: Constraint
    bodies: tuple[int, ...]
    time: float = 0.1
    is_stabilized: bool = False


class Rows:
    """Rows added one after the other; those at the same place are a group."""

    def __init__(self):
        self._rows: list[_Row] = []
        self._built: tuple[CoreModel, CoreSet] | None = None
        self._forget()

    def _forget(self) -> None:
        """Drop what belongs to the rows as they were."""
        self._built = None

    def size(self) -> int:
        """How many rows there are."""
        return sum(row.constraint.n_rows for row in self._rows)

    # -- adding --

    def AddContactConstraint(
        self,
        body_id: int,
        body_point: Numbers,
        world_normal: Numbers,
        constraint_name: str | bytes = "",
        user_defined_id: int = UINT_MAX,
        *,
        normal_acceleration: float = 0.0,
    ) -> int:
        """Keep a point of a body from accelerating along a normal; return the row's number."""
        point, normal = _finite(body_point, 3, "point"), _finite(world_normal, 3, "normal")
        return self._add(
            Contact(
                0, point, normal, _name(constraint_name), float(normal_acceleration),
                id=_user_id(user_defined_id),
            ),
            (body_id,),
        )  # fmt: skip

    def AddLoopConstraint(
        self,
        id_predecessor: int,
        id_successor: int,
        X_predecessor: SpatialTransform,
        X_successor: SpatialTransform,
        constraint_axis: Numbers,
        enable_stabilization: bool = False,
        stabilization_param: float = 0.1,
        constraint_name: str | bytes = "",
        user_defined_id: int = UINT_MAX,
    ) -> int:
        """Keep two frames together along an axis of the first; return the row's number.

        ``E`` of the frames leads from the frame to the body, against that of a joint frame.
        """
        if enable_stabilization and not stabilization_param > 0.0:
            raise RBDLInvalidParameterError(
                f"expected a positive stabilization parameter, got {stabilization_param}"
            )
        axis = _finite(constraint_axis, 6, "axis")
        frames = [_frame(X) for X in (X_predecessor, X_successor)]
        loop = Loop(
            0, 0, frames[0], frames[1], axis, _name(constraint_name), id=_user_id(user_defined_id)
        )
        bodies = id_predecessor, id_successor
        return self._add(loop, bodies, float(stabilization_param), bool(enable_stabilization))

    def AddCustomConstraint(self, constraint: CustomConstraint, constraint_name: str = "") -> int:
        """Add the user's own rows; return the number of the first."""
        return self._add(Custom(constraint.size, constraint.rows, _name(constraint_name)), ())

    def _add(
        self, constraint: Constraint, bodies: tuple, time: float = 0.1, is_stabilized: bool = False
    ) -> int:
        first = self.size()
        self._rows.append(_Row(constraint, bodies, time, is_stabilized))
        self._forget()
        return first

    # -- groups --

    def _groups(self) -> tuple[Group, ...]:
        """Groups by body ids, which may be asked for before there is a model."""
        ids = tuple(_with_bodies(row, row.bodies) for row in self._rows)
        return CoreSet(CoreModel("rows"), ids).groups

    def _group(self, index: int) -> Group:
        groups = self._groups()
        if not 0 <= index < len(groups):
            raise RBDLInvalidParameterError(f"no constraint group {index}: there are {len(groups)}")
        return groups[index]

    def getGroupIndexMax(self) -> int:
        """How many groups there are."""
        return len(self._groups())

    def getGroupIndexByName(self, name: str | bytes) -> int:
        """The group of a name.

        Raises
        ------
        RBDLInvalidParameterError
            If there is none.
        """
        return self._find("name", _name(name), [group.name for group in self._groups()])

    def getGroupIndexById(self, user_defined_id: int) -> int:
        """The group of the id given by the user."""
        ids = [self.getGroupId(k) for k in range(self.getGroupIndexMax())]
        return self._find("user id", user_defined_id, ids)

    def getGroupIndexByAssignedId(self, assigned_id: int) -> int:
        """The group that begins with a row."""
        ids = [group.rows.start for group in self._groups()]
        return self._find("assigned id", assigned_id, ids)

    @staticmethod
    def _find(kind: str, wanted: Any, known: list) -> int:
        if wanted not in known:
            raise RBDLInvalidParameterError(
                f"no constraint group with {kind} {wanted!r}; there are {known}"
            )
        return known.index(wanted)

    def getGroupName(self, group_index: int) -> str:
        return self._group(group_index).name

    def getGroupSize(self, group_index: int) -> int:
        return len(self._group(group_index))

    def getGroupType(self, group_index: int) -> ConstraintType:
        return _TYPES[self._group(group_index).kind]

    def getGroupId(self, group_index: int) -> int:
        """The id given by the user; 4294967295 if none was."""
        number = getattr(self._group(group_index).constraints[0], "id", None)
        return UINT_MAX if number is None else number

    def getGroupAssignedId(self, group_index: int) -> int:
        """The number of the group's first row."""
        return self._group(group_index).rows.start

    def _members(self, group_index: int) -> list[_Row]:
        rows = self._group(group_index).rows
        members, start = [], 0
        for row in self._rows:
            if rows.start <= start < rows.stop:
                members.append(row)
            start += row.constraint.n_rows
        return members

    # -- stabilization --

    def enableBaumgarteStabilization(self, group_index: int) -> None:
        self._stabilize(group_index, True)

    def disableBaumgarteStabilization(self, group_index: int) -> None:
        self._stabilize(group_index, False)

    def _stabilize(self, group_index: int, is_stabilized: bool) -> None:
        for row in self._members(group_index):
            row.is_stabilized = is_stabilized
        self._built = None

    def isBaumgarteStabilizationEnabled(self, group_index: int) -> bool:
        return self._members(group_index)[0].is_stabilized

    def setBaumgarteTimeConstant(self, group_index: int, time: float) -> None:
        """Set the time constant [s] of a group."""
        if not time > 0.0:
            raise RBDLInvalidParameterError(f"expected a positive time constant, got {time}")
        for row in self._members(group_index):
            row.time = float(time)
        self._built = None

    def getBaumgarteStabilizationCoefficients(self, group_index: int) -> Array:
        """``alpha, beta`` of ``-2 alpha errd - beta^2 err``; both are one over the time."""
        return np.full(2, 1.0 / self._members(group_index)[0].time)

    def calcBaumgarteStabilizationForces(
        self, group_index: int, model: Model, position_error: ArrayLike, velocity_error: ArrayLike
    ) -> Array:
        """What stabilization would add to ``gamma`` in the rows of a group."""
        alpha, beta = self.getBaumgarteStabilizationCoefficients(group_index)
        errd, err = np.asarray(velocity_error, float), np.asarray(position_error, float)
        return -2.0 * alpha * errd - beta * beta * err


def numbered(row: _Row, model: Model) -> Constraint:
    """The constraint of a row, in terms of the bodies of a model."""
    time = row.time if row.is_stabilized else None
    numbers = tuple(model.number(body) for body in row.bodies)
    return replace(_with_bodies(row, numbers), stabilization=time)


def _with_bodies(row: _Row, bodies: tuple[int, ...]) -> Constraint:
    constraint = row.constraint
    if isinstance(constraint, Contact):
        return replace(constraint, body=bodies[0])
    if isinstance(constraint, Loop):
        return replace(constraint, predecessor=bodies[0], successor=bodies[1])
    return constraint


def _frame(X: SpatialTransform) -> Transform:
    return Transform(Mat3.of(X.E.tolist()).T, Vec3.of(X.r.tolist()))


def _finite(values: Any, length: int, what: str) -> Any:
    array = np.asarray(values, dtype=float)
    if array.shape != (length,) or not np.isfinite(array).all():
        raise RBDLInvalidParameterError(
            f"expected {length} finite numbers as the {what} of a constraint, got {values!r}"
        )
    return tuple(array.tolist())


def _name(name: str | bytes | None) -> str:
    return name.decode() if isinstance(name, bytes) else name or ""


def _user_id(number: int) -> int | None:
    return None if number == UINT_MAX else int(number)
