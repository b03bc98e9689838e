"""What inverse kinematics is to reach: an immutable list of targets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import algorithms
from ..arrays import ArrayLike
from ..errors import ShapeError
from ..model import Model
from .programs import require_model


@dataclass(frozen=True, repr=False, eq=False)
class Targets:
    """Targets for bodies of a model; every method that adds one returns a new list.

    Positions, rotations and points are arrays whose leading axes are batch axes, and so are
    weights, which scale the rows of a target.

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
    >>> ph.Targets(arm).point("hand", (1.0, 0.0, 0.0), (0.6, 0.0, -0.8)).n_rows
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
        """Return the list with a point of a body that is to be at a position (..., 3).

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
        """Return the list with a point whose x and y are given, as (..., 2).

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
        parts = (point, 3, "point"), (np.asarray(height, float)[..., None], 1, "height")
        return self._with("point_z", body, weight, *parts)

    def orientation(self, body: int | str, rotation: ArrayLike, weight: ArrayLike = 1.0) -> Targets:
        """Return the list with a body's orientation: rotations (..., 3, 3) from body to base.

        Parameters
        ----------
        body : int, str or Body
            The body.
        rotation : array_like, shape (..., 3, 3)
            Coordinate rotation from base to body that it should have.
        weight : float
            How much it counts beside the others.

        Returns
        -------
        targets : Targets
            With one more.
        """
        return self._with("orientation", body, weight, (_flat(rotation), 9, "rotation"))

    def full(
        self,
        body: int | str,
        point: ArrayLike,
        position: ArrayLike,
        rotation: ArrayLike,
        weight: ArrayLike = 1.0,
    ) -> Targets:
        """Return the list with both a point's position and the body's orientation.

        Parameters
        ----------
        body : int, str or Body
            The body.
        point : array_like, shape (3,)
            Point in body coordinates [m].
        position : array_like, shape (..., 3)
            Where it should be, base coordinates [m].
        rotation : array_like, shape (..., 3, 3)
            Coordinate rotation from base to body that it should have.
        weight : float
            How much it counts beside the others.

        Returns
        -------
        targets : Targets
            With one more.
        """
        parts = (point, 3, "point"), (position, 3, "position"), (_flat(rotation), 9, "rotation")
        return self._with("full", body, weight, *parts)

    def com_xy(self, position: ArrayLike, weight: ArrayLike = 1.0) -> Targets:
        """Return the list with x and y, as (..., 2), of the whole machine's centre of mass.

        Parameters
        ----------
        position : array_like, shape (..., 3)
            Where it should be, base coordinates [m].
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
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in self.values))
        parts = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in self.values]
        return np.ascontiguousarray(np.concatenate(parts, axis=-1))

    def __repr__(self) -> str:
        names = ", ".join(f"{kind} of {self.model.body(body).name}" for kind, body in self.kinds)
        return f"Targets({names})"

    def _with(self, kind: str, body: int | str, weight: ArrayLike, *parts: tuple) -> Targets:
        number = self.model.body(body).id
        arrays = [np.asarray(weight, dtype=float)[..., None]]
        for value, size, what in parts:
            array = np.asarray(value, dtype=float)
            if array.shape[-1:] != (size,):
                raise ShapeError(
                    f"expected {size} on the last axis of the {what} of a {kind} target, got "
                    f"shape {array.shape} (body '{self.model.body(body).name}')"
                )
            arrays.append(array)
        values = (*self.values, *arrays)
        return Targets(self.model, (*self.kinds, (kind, number)), values)


def _flat(rotation: ArrayLike) -> np.ndarray:
    array = np.asarray(rotation, dtype=float)
    if array.shape[-2:] != (3, 3):
        raise ShapeError(f"expected 3 x 3 on the last axes of a rotation, got shape {array.shape}")
    return array.reshape(*array.shape[:-2], 9)
