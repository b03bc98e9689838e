"""RBDL's inverse kinematics, in both its forms."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from .. import api
from ..algorithms.inverse_kinematics import ROWS, ik_residual
from ..api.inverse_kinematics import descend
from ..arrays import Array, ArrayLike
from .errors import RBDLSizeMismatchError
from .kinematics import numbers
from .linear import check_output
from .model import Model


class IKConstraintType(IntEnum):
    """What a constraint of inverse kinematics is about."""

    ConstraintTypePosition = 0
    ConstraintTypeOrientation = 1
    ConstraintTypeFull = 2
    ConstraintTypePositionXY = 3
    ConstraintTypePositionZ = 4
    ConstraintTypePositionCoMXY = 5


K = IKConstraintType
_KINDS = {
    K.ConstraintTypePosition: "point",
    K.ConstraintTypeOrientation: "orientation",
    K.ConstraintTypeFull: "full",
    K.ConstraintTypePositionXY: "point_xy",
    K.ConstraintTypePositionZ: "point_z",
    K.ConstraintTypePositionCoMXY: "com_xy",
}


class InverseKinematicsConstraintSet:
    """What inverse kinematics is to achieve, its parameters, and what it came to.

    Attributes
    ----------
    lambda_ : float
        Damping; also as ``getattr(CS, "lambda")``.
    max_steps, step_tol, constraint_tol
        RBDL never looks at the last; here it is the residual norm at which to stop, and
        ``step_tol`` the norm of a step.
    J, G, e : ndarray
        Jacobian and residual at the result; ``G`` is the last body's part of ``J``.
    num_constraints, num_steps : int
    error_norm, delta_q_norm : float
    constraint_type, body_ids, body_points, target_positions, target_orientations
    constraint_row_index, constraint_weight
        Lists with an entry for each constraint.
    """

    ConstraintTypePosition = K.ConstraintTypePosition
    ConstraintTypeOrientation = K.ConstraintTypeOrientation
    ConstraintTypeFull = K.ConstraintTypeFull
    ConstraintTypePositionXY = K.ConstraintTypePositionXY
    ConstraintTypePositionZ = K.ConstraintTypePositionZ
    ConstraintTypePositionCoMXY = K.ConstraintTypePositionCoMXY

    def __init__(self):
        self.lambda_: float = 1e-9
        self.max_steps: int = 300
        self.step_tol: float = 1e-12
        self.constraint_tol: float = 1e-12
        self.ClearConstraints()

    def ClearConstraints(self) -> None:
        """Remove all constraints; parameters stay."""
        self.constraint_type: list[IKConstraintType] = []
        self.body_ids: list[int] = []
        self.body_points: list[Array] = []
        self.target_positions: list[Array] = []
        self.target_orientations: list[Array] = []
        self.constraint_row_index: list[int] = []
        self.constraint_weight: list[float] = []
        self.num_constraints: int = 0
        self.num_steps: int = 0
        self.error_norm: float = 0.0
        self.delta_q_norm: float = 0.0
        self.J: Array = np.zeros((0, 0))
        self.G: Array = self.J
        self.e: Array = np.zeros(0)

    def AddPointConstraint(
        self, body_id: int, body_point: ArrayLike, target_pos: ArrayLike, weight: float = 1.0
    ) -> int:
        """Bring a point of a body to a place; return the constraint's number.

        Parameters
        ----------
        body_id : int
            Number of a moving or fixed body.
        body_point : array_like, shape (3,)
            Point in body coordinates [m].
        target_pos : array_like, shape (3,)
            Place in base coordinates [m].
        weight : float
            How much it counts beside the others.

        Returns
        -------
        number : int
            Of the constraint.
        """
        return self._add(K.ConstraintTypePosition, body_id, body_point, target_pos, None, weight)

    def AddPointConstraintXY(
        self, body_id: int, body_point: ArrayLike, target_pos: ArrayLike, weight: float = 1.0
    ) -> int:
        """Bring a point of a body over or under a place.

        Parameters
        ----------
        body_id : int
            Number of a moving or fixed body.
        body_point : array_like, shape (3,)
            Point in body coordinates [m].
        target_pos : array_like, shape (3,)
            Place in base coordinates [m].
        weight : float
            How much it counts beside the others.

        Returns
        -------
        number : int
            Of the constraint.
        """
        return self._add(K.ConstraintTypePositionXY, body_id, body_point, target_pos, None, weight)

    def AddPointConstraintZ(
        self, body_id: int, body_point: ArrayLike, target_pos: ArrayLike, weight: float = 1.0
    ) -> int:
        """Bring a point of a body to the height of a place.

        Parameters
        ----------
        body_id : int
            Number of a moving or fixed body.
        body_point : array_like, shape (3,)
            Point in body coordinates [m].
        target_pos : array_like, shape (3,)
            Place in base coordinates [m].
        weight : float
            How much it counts beside the others.

        Returns
        -------
        number : int
            Of the constraint.
        """
        return self._add(K.ConstraintTypePositionZ, body_id, body_point, target_pos, None, weight)

    def AddPointConstraintCoMXY(
        self, body_id: int, target_pos: ArrayLike, weight: float = 1.0
    ) -> int:
        """Bring the centre of mass of the model over or under a place.

        Parameters
        ----------
        body_id : int
            Number of a moving or fixed body.
        target_pos : array_like, shape (3,)
            Place in base coordinates [m].
        weight : float
            How much it counts beside the others.

        Returns
        -------
        number : int
            Of the constraint.
        """
        still = np.zeros(3)
        return self._add(K.ConstraintTypePositionCoMXY, body_id, still, target_pos, None, weight)

    def AddOrientationConstraint(
        self, body_id: int, target_orientation: ArrayLike, weight: float = 1.0
    ) -> int:
        """Turn a body; the 3x3 matrix as of `CalcBodyWorldOrientation`.

        Parameters
        ----------
        body_id : int
            Number of a moving or fixed body.
        target_orientation : array_like, shape (3, 3)
            Coordinate rotation from base to body.
        weight : float
            How much it counts beside the others.

        Returns
        -------
        number : int
            Of the constraint.
        """
        still = np.zeros(3)
        return self._add(
            K.ConstraintTypeOrientation, body_id, still, still, target_orientation, weight
        )

    def AddFullConstraint(
        self,
        body_id: int,
        body_point: ArrayLike,
        target_pos: ArrayLike,
        target_orientation: ArrayLike,
        weight: float = 1.0,
    ) -> int:
        """Turn a body, and bring a point of it to a place.

        Parameters
        ----------
        body_id : int
            Number of a moving or fixed body.
        body_point : array_like, shape (3,)
            Point in body coordinates [m].
        target_pos : array_like, shape (3,)
            Place in base coordinates [m].
        target_orientation : array_like, shape (3, 3)
            Coordinate rotation from base to body.
        weight : float
            How much it counts beside the others.

        Returns
        -------
        number : int
            Of the constraint.
        """
        return self._add(
            K.ConstraintTypeFull, body_id, body_point, target_pos, target_orientation, weight
        )

    def _add(self, kind, body_id, point, position, orientation, weight) -> int:
        parts = [(point, 3, "point"), (position, 3, "target")]
        places = [_shaped(value, (size,), what) for value, size, what in parts]
        turn = np.eye(3) if orientation is None else orientation
        self.constraint_type.append(kind)
        self.body_ids.append(body_id)
        self.body_points.append(places[0])
        self.target_positions.append(places[1])
        self.target_orientations.append(_shaped(turn, (3, 3), "orientation"))
        self.constraint_row_index.append(self.num_constraints)
        self.constraint_weight.append(float(weight))
        self.num_constraints += ROWS[_KINDS[kind]]
        return len(self.body_ids) - 1

    def on(self, model: Model) -> api.Targets:
        """These constraints as `polhode.Targets` for ``model.core``.

        Parameters
        ----------
        model : Model

        Returns
        -------
        targets : polhode.Targets
            The same targets.
        """
        targets = api.Targets(model.core)
        for kind, body_id, point, position, turn, weight in zip(
            self.constraint_type, self.body_ids, self.body_points, self.target_positions,
            self.target_orientations, self.constraint_weight, strict=True,
        ):  # fmt: skip
            body = model.number(body_id)
            match kind:
                case K.ConstraintTypePosition:
                    targets = targets.point(body, point, position, weight)
                case K.ConstraintTypePositionXY:
                    targets = targets.point_xy(body, point, position[:2], weight)
                case K.ConstraintTypePositionZ:
                    targets = targets.point_z(body, point, position[2], weight)
                case K.ConstraintTypeOrientation:
                    targets = targets.orientation(body, turn.T, weight)
                case K.ConstraintTypeFull:
                    targets = targets.full(body, point, position, turn.T, weight)
                case K.ConstraintTypePositionCoMXY:
                    targets = targets.com_xy(position[:2], weight)
        return targets


setattr(
    InverseKinematicsConstraintSet,
    "lambda",
    property(lambda self: self.lambda_, lambda self, value: setattr(self, "lambda_", value)),
)


def _shaped(values: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    array = numbers(values)
    if array.shape != shape:
        raise RBDLSizeMismatchError(f"expected a {what} of shape {shape}, got {array.shape}")
    return array


def InverseKinematics(model: Model, Qinit: ArrayLike, *arguments: Any, **options: Any) -> bool:
    """Bring points, or what a constraint set says, to their targets; whether that worked.

    ``InverseKinematics(model, Qinit, body_id, body_point, target_pos, Qres, step_tol=1e-12,
    lambda_=0.01, max_iter=55)`` with lists of bodies, points and targets, or
    ``InverseKinematics(model, Qinit, CS, Qres)`` with an `InverseKinematicsConstraintSet`.

    ``Qres`` is filled.  As in RBDL, a last step shorter than ``step_tol`` counts as success,
    although the targets may then be out of reach: look at the residual.  Quaternions work.

    Parameters
    ----------
    model : Model
    Qinit : array_like, shape (q_size,)
        Positions [rad or m].
    *arguments
        Those of either form in C++.
    **options
        `step_tol`, `lambda_`, `max_iter` of the first form.

    Returns
    -------
    success : bool
        Whether the targets were reached.
    """
    first = arguments[0] if arguments else options.get("CS")
    if isinstance(first, InverseKinematicsConstraintSet):
        return InverseKinematicsCS(model, Qinit, *arguments, **options)
    return _of_points(model, Qinit, *arguments, **options)


def InverseKinematicsCS(
    model: Model, Qinit: ArrayLike, CS: InverseKinematicsConstraintSet, Qres: Array
) -> bool:
    """The form of `InverseKinematics` with a constraint set, whose outputs are filled.

    Parameters
    ----------
    model : Model
    Qinit : array_like, shape (q_size,)
        Positions [rad or m].
    CS : ConstraintSet
        The constraints.
    Qres : ndarray, optional
        Where to put the result.

    Returns
    -------
    success : bool
        Whether the targets were reached.
    """
    check_output(Qres, (model.q_size,))
    targets = CS.on(model)
    result = descend(
        model.core, targets, numbers(Qinit), method="adaptive", damping=CS.lambda_,
        tolerance=CS.constraint_tol, step_tolerance=CS.step_tol, max_iterations=CS.max_steps,
    )  # fmt: skip
    Qres[...] = result.q
    core = model.core
    J, e = ik_residual(core, core.split_q(Qres.tolist()), targets.array.tolist(), targets.kinds)
    CS.e, CS.J = np.array(e, dtype=float), np.zeros((len(e), core.nv))
    for k, row in enumerate(J):
        for column, x in row.items():
            CS.J[k, column] = x
    CS.G = CS.J[CS.constraint_row_index[-1] :]
    CS.num_steps, CS.error_norm = int(result.iterations), float(result.residual)
    CS.delta_q_norm = float(result.step)
    return bool(result.success) or CS.delta_q_norm < CS.step_tol


def _of_points(
    model: Model,
    Qinit: ArrayLike,
    body_id: Sequence[int],
    body_point: Sequence[ArrayLike],
    target_pos: Sequence[ArrayLike],
    Qres: Array,
    step_tol: float = 1e-12,
    lambda_: float = 0.01,
    max_iter: int = 55,
) -> bool:
    check_output(Qres, (model.q_size,))
    if not len(body_id) == len(body_point) == len(target_pos):
        raise RBDLSizeMismatchError(
            "expected as many bodies, points and targets, got "
            f"{len(body_id)}, {len(body_point)} and {len(target_pos)}"
        )
    targets = api.Targets(model.core)
    for body, point, position in zip(body_id, body_point, target_pos, strict=True):
        targets = targets.point(model.number(body), point, position)
    result = descend(
        model.core, targets, numbers(Qinit), method="damped", damping=lambda_,
        tolerance=step_tol, step_tolerance=step_tol, max_iterations=max_iter,
    )  # fmt: skip
    Qres[...] = result.q
    return bool(result.success) or float(result.step) < step_tol
