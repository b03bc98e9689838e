"""What inverse kinematics is to reach: an immutable list of targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import algorithms
from ..arrays import ArrayLike, as_array
from ..binding.model_argument import require_model, where_of
from ..errors import ShapeError, suggests_attributes
from ..model import Model
from ..once import cached_property

_ROUNDING = 1e-6
"""How far a rotation may be from orthogonal: several products of float32 matrices are within."""


@suggests_attributes
@dataclass(frozen=True, repr=False, eq=False)
class Targets:
    """Targets for bodies of a model; every method that adds one returns a new list.

    Positions, rotations and points are arrays whose leading axes are batch axes, and so are
    weights, which scale the rows of a target.  Rotations take body axes to base axes, as those
    of `polhode.body_pose` do: their columns are the body's axes in base coordinates.

    Parameters
    ----------
    model : Model
    kinds : tuple of (str, int), optional
        What each target is of, and the body's number; the methods fill it.
    values : tuple of ndarray, optional
        Points, places, rotations and weights of the targets, likewise.

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> arm = ph.Model("arm").add("hand", joint=Revolute.y(), mass=1.0)
    >>> ph.kinematics.Targets(arm).point("hand", (1.0, 0.0, 0.0), (0.6, 0.0, -0.8)).n_rows
    3
    """

    model: Model
    kinds: tuple[tuple[str, int], ...] = ()
    values: tuple[np.ndarray, ...] = ()

    def __post_init__(self) -> None:
        require_model(self.model)

    def point(
        self, body: int | str, point: ArrayLike, position: ArrayLike, weight: ArrayLike = 1.0
    ) -> Targets:
        """Return the list with a point of a body that is to be at a position.

        Parameters
        ----------
        body : int, str or Body
            The body.
        point : array_like, shape (3,)
            Point in body coordinates [m].
        position : array_like, shape (..., 3)
            Where it should be, base coordinates [m].
        weight : float
            How much it counts beside the others.

        Returns
        -------
        targets : Targets
            With one more.
        """
        return self._with("point", body, weight, (point, 3, "point"), (position, 3, "position"))

    def point_xy(
        self, body: int | str, point: ArrayLike, position: ArrayLike, weight: ArrayLike = 1.0
    ) -> Targets:
        """Return the list with a point whose x and y in base coordinates are given.

        Parameters
        ----------
        body : int, str or Body
            The body.
        point : array_like, shape (3,)
            Point in body coordinates [m].
        position : array_like, shape (..., 2)
            The x and y that it should have, base coordinates [m].
        weight : float
            How much it counts beside the others.

        Returns
        -------
        targets : Targets
            With one more.
        """
        parts = (point, 3, "point"), (position, 2, "position")
        return self._with("point_xy", body, weight, *parts)

    def point_z(
        self, body: int | str, point: ArrayLike, height: ArrayLike, weight: ArrayLike = 1.0
    ) -> Targets:
        """Return the list with a point whose z is given.

        Parameters
        ----------
        body : int, str or Body
            The body.
        point : array_like, shape (3,)
            Point in body coordinates [m].
        height : array_like, shape (...)
            Height it should have, base coordinates [m].
        weight : float
            How much it counts beside the others.

        Returns
        -------
        targets : Targets
            With one more.
        """
        parts = (point, 3, "point"), (self._numbers("height", height)[..., None], 1, "height")
        return self._with("point_z", body, weight, *parts)

    def orientation(self, body: int | str, rotation: ArrayLike, weight: ArrayLike = 1.0) -> Targets:
        """Return the list with a body's orientation.

        Parameters
        ----------
        body : int, str or Body
            The body.
        rotation : array_like, shape (..., 3, 3)
            Rotation from body to base axes that it should have.
        weight : float
            How much it counts beside the others.

        Returns
        -------
        targets : Targets
            With one more.

        Raises
        ------
        ShapeError
            If a matrix is not a rotation: not orthogonal to 1e-6, or a reflection.
        """
        turn = self._rotation("rotation", self._numbers("rotation", rotation), body)
        return self._with("orientation", body, weight, (turn, 9, "rotation"))

    def full(
        self,
        body: int | str,
        point: ArrayLike,
        position: ArrayLike,
        rotation: ArrayLike,
        weight: ArrayLike = 1.0,
    ) -> Targets:
        """Return the list with a point's position and the body's orientation.

        Parameters
        ----------
        body : int, str or Body
            The body.
        point : array_like, shape (3,)
            Point in body coordinates [m].
        position : array_like, shape (..., 3)
            Where it should be, base coordinates [m].
        rotation : array_like, shape (..., 3, 3)
            Rotation from body to base axes that it should have.
        weight : float
            How much it counts beside the others.

        Returns
        -------
        targets : Targets
            With one more.

        Raises
        ------
        ShapeError
            If a matrix is not a rotation: not orthogonal to 1e-6, or a reflection.
        """
        turn = self._rotation("rotation", self._numbers("rotation", rotation), body)
        parts = (point, 3, "point"), (position, 3, "position"), (turn, 9, "rotation")
        return self._with("full", body, weight, *parts)

    def pose(self, body: int | str, pose: ArrayLike, weight: ArrayLike = 1.0) -> Targets:
        """Return the list with the pose of a body: its origin's position and its orientation.

        Parameters
        ----------
        body : int, str or Body
            The body.
        pose : array_like, shape (..., 4, 4)
            Homogeneous matrix from body to base coordinates, as `polhode.body_pose` gives it.
        weight : float
            How much it counts beside the others.

        Returns
        -------
        targets : Targets
            With one more, the same as `full` of the body's origin.

        Raises
        ------
        ShapeError
            If a matrix is not a pose: its last row is not ``0 0 0 1``, or its 3x3 part is not
            orthogonal to 1e-6, or a reflection.

        Examples
        --------
        >>> import polhode as ph
        >>> from polhode.model import Revolute
        >>> arm = ph.Model("arm").add("hand", joint=Revolute.y(), mass=1.0)
        >>> there = ph.kinematics.Targets(arm).pose("hand", ph.body_pose(arm, [0.5], "hand"))
        >>> ph.inverse_kinematics(arm, there).q.round(9).tolist()
        [0.5]
        """
        T = self._numbers("pose", pose)
        if T.shape[-2:] != (4, 4):
            raise ShapeError(f"expected 4 x 4 on the last axes of a pose, got shape {T.shape}")
        wrong = (T[..., 3, :] != [0.0, 0.0, 0.0, 1.0]).any(axis=-1)
        if wrong.any():
            at, row = _first(wrong)
            raise ShapeError(
                f"expected 0 0 0 1 as the last row of pose{at}, got {T[row][3].tolist()} "
                f"(body '{self.model.body(body).name}')"
            )
        turn = self._rotation("pose", T[..., :3, :3], body)
        origin = (0.0, 0.0, 0.0), 3, "point"
        parts = origin, (T[..., :3, 3], 3, "position"), (turn, 9, "rotation")
        return self._with("full", body, weight, *parts)

    def com_xy(self, position: ArrayLike, weight: ArrayLike = 1.0) -> Targets:
        """Return the list with x and y of the whole model's centre of mass.

        Parameters
        ----------
        position : array_like, shape (..., 2)
            The x and y that it should have, base coordinates [m].
        weight : float
            How much it counts beside the others.

        Returns
        -------
        targets : Targets
            With one more.
        """
        return self._with("com_xy", 0, weight, (position, 2, "position"))

    @property
    def n_rows(self) -> int:
        """How many numbers are to be met."""
        return sum(algorithms.IK_ROWS[kind] for kind, _ in self.kinds)

    @cached_property
    def array(self) -> np.ndarray:
        """All targets as one row of numbers for each member of the batch."""
        shapes = [x.shape[:-1] for x in self.values]
        try:
            batch = np.broadcast_shapes(*shapes)
        except ValueError:
            raise ShapeError(
                "expected targets with batch axes that broadcast, got "
                f"{', '.join(map(str, dict.fromkeys(shapes)))} (model '{self.model.name}')"
            ) from None
        parts = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in self.values]
        return np.ascontiguousarray(np.concatenate(parts, axis=-1))

    def __repr__(self) -> str:
        names = ", ".join(f"{kind} of {self.model.body(body).name}" for kind, body in self.kinds)
        return f"Targets({names})"

    def _with(self, kind: str, body: int | str, weight: ArrayLike, *parts: tuple) -> Targets:
        number = self.model.body(body).id
        arrays = [self._numbers("weight", weight)[..., None]]
        for value, size, what in parts:
            array = self._numbers(what, value)
            if array.shape[-1:] != (size,):
                raise ShapeError(
                    f"expected {size} on the last axis of the {what} of a {kind} target, got "
                    f"shape {array.shape} (body '{self.model.body(body).name}')"
                )
            arrays.append(array)
        values = (*self.values, *arrays)
        return Targets(self.model, (*self.kinds, (kind, number)), values)

    def _numbers(self, what: str, values: ArrayLike) -> np.ndarray:
        return as_array(what, values, where_of(self.model))

    def _rotation(self, what: str, matrices: np.ndarray, body: int | str) -> np.ndarray:
        """Nine numbers for each of some matrices, which are rotations; NaN stays NaN."""
        if matrices.shape[-2:] != (3, 3):
            raise ShapeError(
                f"expected 3 x 3 on the last axes of a rotation, got shape {matrices.shape}"
            )
        squares = np.swapaxes(matrices, -1, -2) @ matrices
        error = np.abs(squares - np.eye(3)).max(axis=(-2, -1))
        determinant = np.linalg.det(matrices)
        wrong = (error > _ROUNDING) | (determinant < 0.0)
        if wrong.any():
            at, row = _first(wrong)
            kind = "reflection" if error[row] <= _ROUNDING else "matrix that is not orthogonal"
            raise ShapeError(
                f"expected a rotation as {what}{at}, got a {kind}: R^T R differs from the "
                f"identity by {error[row]:.3g}, the determinant is {determinant[row]:.6g} "
                f"(body '{self.model.body(body).name}')"
            )
        return matrices.reshape(*matrices.shape[:-2], 9)


def _first(wrong: np.ndarray) -> tuple[str, tuple[int, ...]]:
    """The first place in a batch where something is wrong, as text and as an index."""
    row = tuple(np.argwhere(wrong)[0].tolist()) if wrong.ndim else ()
    return (f" at batch index {row[0] if len(row) == 1 else row}" if row else ""), row
