"""RBDL's inverse kinematics, in both its forms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import polhode as ph

from ..algorithms.constrained.inverse_kinematics import ROWS, ik_residual
from ..api.inverse_kinematics import descend
from ..arrays import Array, ArrayLike
from .constraint_rows import ConstraintType
from .errors import RBDLInvalidParameterError, RBDLSizeMismatchError
from .kinematics import as_floats, numbers
from .model import Model
from .spelling import spelled
from .vectors import check_output
from .vocabulary import described

K = ConstraintType
_NO_TURN = np.eye(3)
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
        Damping; also ``dlambda``, and ``getattr(CS, "lambda")``.
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

    @property
    def dlambda(self) -> float:
        """Damping; the same as ``lambda_``."""
        return self.lambda_

    @dlambda.setter
    def dlambda(self, value: float) -> None:
        self.lambda_ = float(value)

    def ClearConstraints(self) -> None:
        """Remove all constraints; parameters stay."""
        self.constraint_type: list[ConstraintType] = []
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

    @spelled("number")
    def AddPointConstraint(
        self, body_id: int, body_point: ArrayLike, target_pos: ArrayLike, weight: float = 1.0
    ) -> int:
        """Bring a point of a body to a place; return the constraint's number."""
        return self._add(K.ConstraintTypePosition, body_id, weight, body_point, target_pos)

    @spelled("number")
    def AddPointConstraintXY(
        self, body_id: int, body_point: ArrayLike, target_pos: ArrayLike, weight: float = 1.0
    ) -> int:
        """Bring a point of a body over or under a place."""
        return self._add(K.ConstraintTypePositionXY, body_id, weight, body_point, target_pos)

    @spelled("number")
    def AddPointConstraintZ(
        self, body_id: int, body_point: ArrayLike, target_pos: ArrayLike, weight: float = 1.0
    ) -> int:
        """Bring a point of a body to the height of a place."""
        return self._add(K.ConstraintTypePositionZ, body_id, weight, body_point, target_pos)

    @spelled("number")
    def AddPointConstraintCoMXY(
        self, body_id: int, target_pos: ArrayLike, weight: float = 1.0
    ) -> int:
        """Bring the centre of mass of the model over or under a place."""
        return self._add(K.ConstraintTypePositionCoMXY, body_id, weight, position=target_pos)

    @spelled("number")
    def AddOrientationConstraint(
        self, body_id: int, target_orientation: ArrayLike, weight: float = 1.0
    ) -> int:
        """Turn a body; the 3x3 matrix as of `CalcBodyWorldOrientation`."""
        turn = target_orientation
        return self._add(K.ConstraintTypeOrientation, body_id, weight, orientation=turn)

    @spelled("number")
    def AddFullConstraint(
        self, body_id: int, body_point: ArrayLike, target_pos: ArrayLike,
        target_orientation: ArrayLike, weight: float = 1.0,
    ) -> int:  # fmt: skip
        """Turn a body, and bring a point of it to a place."""
        place = body_point, target_pos, target_orientation
        return self._add(K.ConstraintTypeFull, body_id, weight, *place)

    def _add(
        self, kind: ConstraintType, body_id: int, weight: float, point: ArrayLike = (0.0,) * 3,
        position: ArrayLike = (0.0,) * 3, orientation: ArrayLike = _NO_TURN,
    ) -> int:  # fmt: skip
        point, position = _shaped(point, (3,), "point"), _shaped(position, (3,), "target")
        self.target_orientations.append(_shaped(orientation, (3, 3), "orientation"))
        self.body_points.append(point)
        self.target_positions.append(position)
        self.constraint_type.append(kind)
        self.body_ids.append(body_id)
        self.constraint_row_index.append(self.num_constraints)
        self.constraint_weight.append(float(weight))
        self.num_constraints += ROWS[_KINDS[kind]]
        return len(self.body_ids) - 1

    @described("targets")
    def on(self, model: Model) -> ph.kinematics.Targets:
        """These constraints as `polhode.kinematics.Targets` for ``model.core``."""
        targets = ph.kinematics.Targets(model.core)
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


setattr(InverseKinematicsConstraintSet, "lambda", InverseKinematicsConstraintSet.dlambda)


def _shaped(values: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    array = numbers(values, what)
    if array.shape != shape:
        raise RBDLSizeMismatchError(f"expected a {what} of shape {shape}, got {array.shape}")
    return array


def _rows_of_three(values: ArrayLike | None, name: str) -> Array:
    array = np.zeros((0, 3)) if values is None else as_floats(values, name)
    if array.size % 3 or array.shape[-1:] not in ((3,), (0,)):
        raise RBDLSizeMismatchError(f"expected {name} of rows of three, got shape {array.shape}")
    return array.reshape(-1, 3)


@spelled(
    out="qres", returns="success", CS="body_ids", body_id="body_ids",
    body_point="body_point_position", target_pos="target_pos_position",
)  # fmt: skip
def InverseKinematics(
    model: Model, qinit: ArrayLike, body_ids: Sequence[int] | InverseKinematicsConstraintSet,
    body_point_position: ArrayLike | None = None, target_pos_position: ArrayLike | None = None,
    qres: Array | None = None, step_tol: float = 1e-12, lambda_: float = 0.01, max_iter: int = 50,
) -> bool:  # fmt: skip
    """Bring points of bodies to their targets; whether that worked.

    ``(model, qinit, CS, qres)``, as in C++, is `InverseKinematicsCS`.

    ``qres`` is filled.  As in RBDL, a last step shorter than ``step_tol`` counts as success,
    although the targets may then be out of reach: look at the residual.  Quaternions work.
    """
    if isinstance(body_ids, InverseKinematicsConstraintSet):
        if target_pos_position is not None or (step_tol, lambda_, max_iter) != (1e-12, 0.01, 50):
            raise RBDLInvalidParameterError(
                "expected InverseKinematics(model, qinit, CS, qres): targets, damping and ends are "
                "those of the constraint set"
            )
        result = body_point_position if qres is None else qres
        return InverseKinematicsCS(model, qinit, body_ids, result)  # type: ignore[arg-type]
    check_output(qres, (model.q_size,))
    points, places = (
        _rows_of_three(x, name)
        for x, name in ((body_point_position, "body_point_position"),
                        (target_pos_position, "target_pos_position"))
    )  # fmt: skip
    if not len(body_ids) == len(points) == len(places):
        raise RBDLSizeMismatchError(
            "expected as many bodies, points and targets, got "
            f"{len(body_ids)}, {len(points)} and {len(places)}"
        )
    targets = ph.kinematics.Targets(model.core)
    for body, point, position in zip(body_ids, points, places, strict=True):
        targets = targets.point(model.number(body), point, position)
    found = descend(
        model.core, targets, numbers(qinit, "qinit"), method="damped", damping=lambda_,
        tolerance=step_tol, step_tolerance=step_tol, max_iterations=max_iter,
    )  # fmt: skip
    qres[...] = found.q  # type: ignore[index]  # `check_output` has seen it
    return bool(found.success) or float(found.step) < step_tol


@spelled("success", out="qres")
def InverseKinematicsCS(
    model: Model, qinit: ArrayLike, CS: InverseKinematicsConstraintSet, qres: Array
) -> bool:
    """Bring to their targets what a constraint set says; its outputs are filled."""
    check_output(qres, (model.q_size,))
    targets = CS.on(model)
    result = descend(
        model.core, targets, numbers(qinit, "qinit"), method="adaptive", damping=CS.lambda_,
        tolerance=CS.constraint_tol, step_tolerance=CS.step_tol, max_iterations=CS.max_steps,
    )  # fmt: skip
    qres[...] = result.q
    core = model.core
    J, e = ik_residual(core, core.split_q(qres.tolist()), targets.array.tolist(), targets.kinds)
    CS.e, CS.J = np.array(e, dtype=float), np.zeros((len(e), core.nv))
    for k, row in enumerate(J):
        for column, x in row.items():
            CS.J[k, column] = x
    CS.G = CS.J[CS.constraint_row_index[-1] :]
    CS.num_steps, CS.error_norm = int(result.iterations), float(result.residual)
    CS.delta_q_norm = float(result.step)
    return bool(result.success) or CS.delta_q_norm < CS.step_tol
