"""The rows of RBDL's ConstraintSet, and the groups that they make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum, nonmember
from typing import Any

import numpy as np

from ..arguments import as_number
from ..arrays import Array, ArrayLike, Numbers, as_array
from ..constraint_sets import Constraint, Contact, Custom, Group, Loop
from ..constraint_sets import ConstraintSet as CoreSet
from ..model import Model as CoreModel
from ..spatial import Mat3, Transform, Vec3
from .errors import RBDLError, RBDLInvalidParameterError, of_class
from .model import UINT_MAX, Model
from .spatial import SpatialTransform
from .spelling import spelled
from .vectors import given
from .vocabulary import described


class GroupType(IntEnum):
    """What a group of rows consists of; also under these names in `ConstraintType`."""

    ConstraintTypeContact = 0
    ConstraintTypeLoop = 1
    ConstraintTypeCustom = 2
    ConstraintTypeLast = 3


class ConstraintType(IntEnum):
    """What a constraint of inverse kinematics is about.

    As in RBDL, whose C++ has another type of this name for groups of rows: its names,
    ``ConstraintTypeContact``, ``...Loop``, ``...Custom`` and ``...Last``, are here too.
    """

    ConstraintTypePosition = 0
    ConstraintTypeOrientation = 1
    ConstraintTypeFull = 2
    ConstraintTypePositionXY = 3
    ConstraintTypePositionZ = 4
    ConstraintTypePositionCoMXY = 5
    ConstraintTypeContact = nonmember(GroupType.ConstraintTypeContact)
    ConstraintTypeLoop = nonmember(GroupType.ConstraintTypeLoop)
    ConstraintTypeCustom = nonmember(GroupType.ConstraintTypeCustom)
    ConstraintTypeLast = nonmember(GroupType.ConstraintTypeLast)


_TYPES = {
    "contact": GroupType.ConstraintTypeContact,
    "loop": GroupType.ConstraintTypeLoop,
    "custom": GroupType.ConstraintTypeCustom,
}


class CustomConstraint:
    """Base of constraints given by the user.

    Attributes
    ----------
    size : int
        How many rows it has.
    """

    size: int = 0

    @described(qd=("(qdot_size,)", "Velocities [rad/s or m/s]."))
    def rows(self, model: CoreModel, q: Any, qd: Any) -> tuple[Any, Any, Any]:
        """``(G, gamma, error)`` with ``G qdd = gamma``, written as an algorithm of polhode.

        ``q`` and ``qd`` map the numbers of moving bodies to tuples of scalars; ``G`` has for
        each row a list of ``model.nv`` scalars.
        """
        raise RBDLError(f"{type(self).__name__} does not define rows")


@dataclass
class _Row:
    """One call of an Add...Constraint: in polhode's terms but for the numbers of bodies."""

    constraint: Constraint
    user_id: int = UINT_MAX
    time: float = 0.1
    is_stabilized: bool = False

    @property
    def bodies(self) -> dict[str, int]:
        """RBDL's numbers of the bodies, by the constraint's field."""
        names = "body", "predecessor", "successor"
        return {x: getattr(self.constraint, x) for x in names if hasattr(self.constraint, x)}


class Rows:
    """Rows added one after the other; those at the same place are a group."""

    def __init__(self):
        self._rows: list[_Row] = []
        self._built: tuple[CoreModel, CoreSet] | None = None

    def _changed(self) -> None:
        """Forget what belonged to the rows as they were."""
        self._built = None

    @spelled("n")
    def size(self) -> int:
        """How many rows there are."""
        return sum(row.constraint.n_rows for row in self._rows)

    # -- adding --

    @spelled("number")
    def AddContactConstraint(
        self, body_id: int, body_point: Numbers, world_normal: Numbers,
        constraint_name: str | bytes | None = None, user_defined_id: int = UINT_MAX, *,
        normal_acceleration: float = 0.0,
    ) -> int:  # fmt: skip
        """Keep a point of a body from accelerating along a normal; return the row's number."""
        point, normal = _finite(body_point, 3, "point"), _finite(world_normal, 3, "normal")
        acceleration = as_number("normal_acceleration", normal_acceleration)
        contact = Contact(body_id, point, normal, _name(constraint_name), acceleration)
        return self._add(contact, int(user_defined_id))

    @spelled("number")
    def AddLoopConstraint(
        self, id_predecessor: int, id_successor: int, X_predecessor: SpatialTransform,
        X_successor: SpatialTransform, axis: Numbers,
        baumgarte_enabled: bool = False, T_stab_inv: float = 0.1,
        constraint_name: str | bytes | None = None, user_defined_id: int = UINT_MAX,
    ) -> int:  # fmt: skip
        """Keep two frames together along an axis of the first; return the row's number.

        ``E`` of the frames leads from the frame to the body, against that of a joint frame.
        """
        if baumgarte_enabled and not T_stab_inv > 0.0:
            raise RBDLInvalidParameterError(
                f"expected a positive time constant of stabilization, got {T_stab_inv}"
            )
        ends = _frame(X_predecessor), _frame(X_successor)
        along, name = _finite(axis, 6, "axis"), _name(constraint_name)
        loop = Loop(id_predecessor, id_successor, *ends, along, name)
        return self._add(loop, int(user_defined_id), float(T_stab_inv), bool(baumgarte_enabled))

    @spelled("number")
    def AddCustomConstraint(
        self, constraint: CustomConstraint, constraint_name: str | bytes | None = None
    ) -> int:
        """Add the user's own rows; return the number of the first."""
        return self._add(Custom(constraint.size, constraint.rows, _name(constraint_name)))

    def _add(self, constraint: Constraint, *details: Any) -> int:
        first = self.size()
        self._rows.append(_Row(constraint, *details))
        self._changed()
        return first

    @described(number=("int, optional", "That of a set in a Lua file."))
    def number_set(self, number: int | None) -> None:
        """Keep the last row in a group with its neighbours of the same number alone."""
        row = self._rows[-1]
        row.constraint = replace(row.constraint, id=number)  # type: ignore[call-arg]
        self._built = None

    # -- groups --

    def _groups(self) -> tuple[Group, ...]:
        """Groups by RBDL's numbers of bodies: they may be asked for before there is a model."""
        return CoreSet(CoreModel("rows"), tuple(row.constraint for row in self._rows)).groups

    def _group(self, index: int) -> Group:
        groups = self._groups()
        if not 0 <= index < len(groups):
            raise RBDLInvalidParameterError(f"no constraint group {index}: there are {len(groups)}")
        return groups[index]

    @described("n")
    def getGroupIndexMax(self) -> int:
        """How many groups there are."""
        return len(self._groups())

    @spelled("groupIndex", name="constraintNameChar")
    def getGroupIndexByName(self, constraintNameChar: str | bytes) -> int:
        """The group with a row of that name.

        Raises
        ------
        RBDLInvalidParameterError
            If there is none.
        """
        return self._find("name", _name(constraintNameChar), lambda row, _: row.constraint.name)

    @spelled("groupIndex")
    def getGroupIndexById(self, userDefinedId: int) -> int:
        """The group with a row that has this number from the user."""
        return self._find("user id", userDefinedId, lambda row, _: row.user_id)

    @spelled("groupIndex")
    def getGroupIndexByAssignedId(self, assignedId: int) -> int:
        """The group of a row."""
        return self._find("assigned id", assignedId, lambda _, first: first)

    def _find(self, kind: str, wanted: Any, key: Callable[[_Row, int], Any]) -> int:
        known = [
            [key(row, first) for first, row in self._members(k)]
            for k in range(self.getGroupIndexMax())
        ]
        for rows in (slice(1), slice(None)):  # that of a group is that of its first row
            for k, keys in enumerate(known):
                if wanted in keys[rows]:
                    return k
        raise RBDLInvalidParameterError(
            f"no constraint group with {kind} {wanted!r}; there are {known}"
        )

    @spelled("name")
    def getGroupName(self, groupIndex: int) -> str:
        """The name of the group's first row."""
        return self._group(groupIndex).name

    @spelled("size")
    def getGroupSize(self, groupIndex: int) -> int:
        """How many rows a group has."""
        return len(self._group(groupIndex))

    @spelled("type")
    def getGroupType(self, groupIndex: int) -> GroupType:
        """What the rows of a group are."""
        return _TYPES[self._group(groupIndex).kind]

    @spelled("user_id")
    def getGroupId(self, groupIndex: int) -> int:
        """The id given by the user to the first row; 4294967295 if none was."""
        return self._members(groupIndex)[0][1].user_id

    @spelled("number")
    def getGroupAssignedId(self, groupIndex: int) -> int:
        """The number of the group's first row."""
        return self._group(groupIndex).rows.start

    def _members(self, groupIndex: int) -> list[tuple[int, _Row]]:
        """The rows of a group, each with its number."""
        rows = self._group(groupIndex).rows
        members, start = [], 0
        for row in self._rows:
            if rows.start <= start < rows.stop:
                members.append((start, row))
            start += row.constraint.n_rows
        return members

    # -- stabilization --

    @spelled()
    def enableBaumgarteStabilization(self, groupIndex: int) -> None:
        """Make the errors of a group vanish in time."""
        self._stabilize(groupIndex, True)

    @spelled()
    def disableBaumgarteStabilization(self, groupIndex: int) -> None:
        """Leave the errors of a group as they are."""
        self._stabilize(groupIndex, False)

    def _stabilize(self, groupIndex: int, is_stabilized: bool) -> None:
        for _, row in self._members(groupIndex):
            row.is_stabilized = is_stabilized
        self._built = None

    @spelled("claim")
    def isBaumgarteStabilizationEnabled(self, groupIndex: int) -> bool:
        """Whether the errors of a group are made to vanish."""
        return self._members(groupIndex)[0][1].is_stabilized

    @spelled()
    def setBaumgarteTimeConstant(self, groupIndex: int, time: float) -> None:
        """Set the time constant [s] of a group."""
        if not time > 0.0:
            raise RBDLInvalidParameterError(f"expected a positive time constant, got {time}")
        for _, row in self._members(groupIndex):
            row.time = float(time)
        self._built = None

    @spelled(out="baumgartePositionVelocityCoefficientsUpd")
    def getBaumgarteStabilizationCoefficients(
        self, groupIndex: int, baumgartePositionVelocityCoefficientsUpd: Array | None = None
    ) -> Array:
        """``alpha, beta`` of ``-2 alpha errd - beta^2 err``; both are one over the time."""
        both = np.full(2, 1.0 / self._members(groupIndex)[0][1].time)
        return given(baumgartePositionVelocityCoefficientsUpd, both)

    @spelled(out="baumgarteForcesUpd")
    def calcBaumgarteStabilizationForces(
        self, groupIndex: int, model: Model, posErr: ArrayLike, velErr: ArrayLike,
        baumgarteForcesUpd: Array | None = None,
    ) -> Array:  # fmt: skip
        """What stabilization would add to ``gamma`` in the rows of a group."""
        alpha, beta = self.getBaumgarteStabilizationCoefficients(groupIndex)
        errd, err = np.asarray(velErr, float), np.asarray(posErr, float)
        return given(baumgarteForcesUpd, -2.0 * alpha * errd - beta * beta * err)


def numbered(row: _Row, model: Model) -> Constraint:
    """The constraint of a row, in terms of the bodies of a model."""
    time = row.time if row.is_stabilized else None
    numbers = {name: model.number(body) for name, body in row.bodies.items()}
    return replace(row.constraint, stabilization=time, **numbers)


def _frame(X: SpatialTransform) -> Transform:
    of_class(X, SpatialTransform, "frame of a loop")
    return Transform(Mat3.of(X.E.tolist()).T, Vec3.of(X.r.tolist()))


def _finite(values: Any, length: int, what: str) -> Any:
    array = as_array(f"the {what} of a constraint", values)
    if array.shape != (length,) or not np.isfinite(array).all():
        raise RBDLInvalidParameterError(
            f"expected {length} finite numbers as the {what} of a constraint, got {values!r}"
        )
    return tuple(array.tolist())


def _name(name: str | bytes | None) -> str:
    return name.decode() if isinstance(name, bytes) else name or ""
