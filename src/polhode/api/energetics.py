"""Energy, momentum, centre of mass, and the zero-moment point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import algorithms
from ..arrays import ArrayLike, several
from ..binding.calls import evaluate
from ..model import Model
from .dynamics import require_mass


class Energy(NamedTuple):
    """Kinetic and potential energy [J]."""

    kinetic: np.ndarray
    potential: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """The sum of both [J]."""
        return self.kinetic + self.potential


def energy(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    out: tuple[np.ndarray, np.ndarray] | None = None,
) -> Energy:
    """Return the kinetic and potential energy of the model.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    out : pair of ndarray, shape (...), optional

    Returns
    -------
    energy : Energy
        ``kinetic`` and ``potential``, each of shape (...), and their ``total`` [J]; the
        potential is zero with the centre of mass at the base origin.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``sum 1/2 v . I v`` and ``-m g . c``; O(n). RBDA eq. 2.67, p. 35.
    """
    return Energy(*evaluate(algorithms.energy, model, (q, qd), several(out)))


def momentum(
    model: Model, q: ArrayLike, qd: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the spatial momentum of the model.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    out : ndarray, shape (..., 6), optional

    Returns
    -------
    h : ndarray, shape (..., 6)
        Angular momentum about the base origin, then linear, in base axes.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``sum 0X* I v``; O(n). RBDA eq. 2.61.
    """
    return evaluate(algorithms.momentum, model, (q, qd), out)


def center_of_mass(model: Model, q: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the centre of mass of the moving bodies.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    out : ndarray, shape (..., 3), optional

    Returns
    -------
    com : ndarray, shape (..., 3)
        In base coordinates [m].

    Raises
    ------
    ModelError
        If no moving body has mass.
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    First moment by mass; O(n). RBDA section 2.13.
    """
    require_mass(model)
    return evaluate(algorithms.center_of_mass, model, (q,), out)


def center_of_mass_velocity(
    model: Model, q: ArrayLike, qd: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the velocity of the centre of mass.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    out : ndarray, shape (..., 3), optional

    Returns
    -------
    velocity : ndarray, shape (..., 3)
        In base axes [m/s].

    Raises
    ------
    ModelError
        If no moving body has mass.
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    Linear momentum by mass; O(n). RBDA section 2.13.
    """
    require_mass(model)
    return evaluate(algorithms.center_of_mass_velocity, model, (q, qd), out)


def zero_moment_point(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    point: ArrayLike = (0.0, 0.0, 0.0),
    normal: ArrayLike = (0.0, 0.0, 1.0),
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return where on a plane the ground force has no tilting moment.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd, qdd : array_like, shape (..., nv)
    point, normal : array_like, shape (..., 3)
        A point of the plane and its unit normal, in base coordinates.
    out : ndarray, shape (..., 3), optional

    Returns
    -------
    zmp : ndarray, shape (..., 3)
        In base coordinates [m].

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``p + n x m / (n . f)`` with force ``f`` and moment ``m`` about ``p`` (Vukobratovic and
    Borovac 2004); O(n).
    """
    return evaluate(algorithms.zero_moment_point, model, (q, qd, qdd, point, normal), out)
