"""Dynamics: forces to accelerations and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import algorithms
from ..arguments import as_choice, as_mask
from ..arrays import ArrayLike, written
from ..binding.calls import checked, evaluate
from ..binding.model_argument import require_model, where_of
from ..binding.programs import program_of
from ..binding.roles import shapes_of
from ..errors import ModelError
from ..model import Model

DENSE_LIMIT = 2000
"""Above this sum of the bodies' depths, a matrix is filled column by column by an O(n) program. A
program for the whole matrix would be too large to compile."""


def inverse_dynamics(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the joint forces that give the accelerations ``qdd``.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
        Joint positions [rad or m].
    qd, qdd : array_like, shape (..., nv)
        Joint velocities and accelerations.
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External force on each moving body, in base coordinates, moment about the base
        origin first [N m, N].
    out : ndarray, shape (..., nv), optional
        Where to put the result.

    Returns
    -------
    tau : ndarray, shape (..., nv)
        Joint forces [N m or N].

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``tau = H(q) qdd + C(q, qd, f_ext)``; O(n). The recursion of Luh, Walker and Paul (1980) on
    regrouped masses, to the forces of RBDA Table 5.1, p. 96.

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> arm = ph.Model("arm").add("link", joint=Revolute.y(), mass=2.0, com=(0.5, 0, 0))
    >>> ph.inverse_dynamics(arm, [0.0], [0.0], [0.0])
    array([-9.81])
    """
    arguments = (q, qd, qdd) if f_ext is None else (q, qd, qdd, f_ext)
    return evaluate(algorithms.inverse_dynamics, model, arguments, out)


def forward_dynamics(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    method: str = "aba",
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the joint accelerations under the joint forces ``tau``.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
        Joint positions [rad or m].
    qd, tau : array_like, shape (..., nv)
        Joint velocities, and joint forces [N m or N].
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External force on each moving body, in base coordinates, moment about the base
        origin first [N m, N].
    method : {"aba", "crba"}
        The articulated-body algorithm, O(n), or factorising the inertia matrix.
    out : ndarray, shape (..., nv), optional
        Where to put the result.

    Returns
    -------
    qdd : ndarray, shape (..., nv)
        Joint accelerations.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    ArgumentError
        For an unknown method.

    Notes
    -----
    ``qdd = H^-1 (tau - C)``. RBDA Table 7.1, p. 132, relative to the motion at ``qdd = 0``;
    section 6.2.
    """
    arguments = (q, qd, tau) if f_ext is None else (q, qd, tau, f_ext)
    if isinstance(method, str) and method == "aba":
        return evaluate(algorithms.forward_dynamics, model, arguments, out)
    as_choice("method", method, ("aba", "crba"))
    return evaluate(algorithms.crba_forward, model, arguments, out)


def hybrid_dynamics(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    tau: ArrayLike,
    *,
    forward: Sequence[bool],
    f_ext: ArrayLike | None = None,
    out: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return all accelerations and forces, given one or the other for each joint.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd, qdd, tau : array_like, shape (..., nv)
        ``tau`` is read where ``forward`` is true, ``qdd`` elsewhere; the other entries are
        never read and may be NaN.
    forward : sequence of bool, length nv
        Which entries are force-driven.
    f_ext : array_like, shape (..., n_bodies, 6), optional
    out : pair of ndarray, optional

    Returns
    -------
    qdd, tau : ndarray, shape (..., nv)

    Raises
    ------
    ShapeError
        If an argument does not fit the model.
    ArgumentError
        If ``forward`` is no row of nv booleans.

    Notes
    -----
    RBDA section 9.2, eq. 9.10.
    """
    mask = as_mask("forward", forward, require_model(model).nv, where_of(model))
    arguments = (q, qd, qdd, tau) if f_ext is None else (q, qd, qdd, tau, f_ext)
    return evaluate(algorithms.hybrid, model, arguments, out, forward=mask)


def mass_matrix(model: Model, q: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the joint-space inertia matrix ``H(q)``.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
        Joint positions [rad or m].
    out : ndarray, shape (..., nv, nv), optional

    Returns
    -------
    H : ndarray, shape (..., nv, nv)
        Symmetric; both triangles are filled.

    Raises
    ------
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    Composite-rigid-body algorithm, O(n depth). RBDA Table 6.2, p. 109.
    """
    if require_model(model).total_depth > DENSE_LIMIT:
        return _columns(algorithms.inertia_times, model, q, out)
    return evaluate(algorithms.mass_matrix, model, (q,), out)


def inverse_mass_matrix(model: Model, q: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the inverse of the joint-space inertia matrix.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
        Joint positions [rad or m].
    out : ndarray, shape (..., nv, nv), optional

    Returns
    -------
    H_inverse : ndarray, shape (..., nv, nv)
        Symmetric; both triangles are filled.

    Raises
    ------
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    ``H = L^T D L`` with the branch-induced sparsity of ``H``. RBDA section 6.5.
    """
    if require_model(model).total_depth > DENSE_LIMIT:
        return _columns(algorithms.solve_inertia, model, q, out)
    return evaluate(algorithms.inverse_inertia, model, (q,), out)


def solve_mass_matrix(
    model: Model, q: ArrayLike, tau: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return ``H(q)^-1 tau`` without forming the inertia matrix.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    tau : array_like, shape (..., nv)
    out : ndarray, shape (..., nv), optional

    Returns
    -------
    qdd : ndarray, shape (..., nv)

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    Articulated-body algorithm at rest without gravity, O(n). RBDA Table 7.1, p. 132.
    """
    return evaluate(algorithms.solve_inertia, model, (q, tau), out)


def bias_forces(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the joint forces at zero acceleration: gravity, velocity and external forces.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External forces in base coordinates, moment about the base origin first.
    out : ndarray, shape (..., nv), optional

    Returns
    -------
    C : ndarray, shape (..., nv)

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``C`` of ``tau = H qdd + C``, as `inverse_dynamics` at ``qdd = 0``; O(n). RBDA section 6.1.
    """
    arguments = (q, qd) if f_ext is None else (q, qd, f_ext)
    return evaluate(algorithms.bias, model, arguments, out)


def coriolis_matrix(
    model: Model, q: ArrayLike, qd: ArrayLike, *, out: np.ndarray | None = None
) -> np.ndarray:
    """Return the Coriolis matrix, for which ``dH/dt - 2 C`` is skew-symmetric.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    out : ndarray, shape (..., nv, nv), optional

    Returns
    -------
    C : ndarray, shape (..., nv, nv)
        ``C qd`` are the `bias_forces` less the `gravity_forces`.

    Raises
    ------
    ModelError
        If the model has a custom joint.
    ShapeError
        If the last axes of an argument do not fit the model.

    Notes
    -----
    ``C = sum J^T (I Jd + B J)`` over the bodies, O(n depth). For joints of one axis the entries
    are the Christoffel symbols of ``H`` times ``qd``. Echeandia and Wensing, "Numerical methods
    to compute the Coriolis matrix and Christoffel symbols for rigid-body systems", Journal of
    Computational and Nonlinear Dynamics 16(9), 2021.

    Examples
    --------
    >>> import numpy as np
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> from polhode.spatial import Transform
    >>> elbow = {"joint": Revolute.y(), "frame": Transform.translation(1, 0, 0)}
    >>> arm = ph.Model().add("upper", joint=Revolute.y(), mass=2.0, com=(0.5, 0, 0))
    >>> arm = arm.add("lower", parent="upper", **elbow, mass=1.0, com=(0.5, 0, 0))
    >>> ph.coriolis_matrix(arm, [0.0, np.pi / 2], [0.0, 2.0])
    array([[-1., -1.],
           [ 0.,  0.]])
    """
    return evaluate(algorithms.coriolis_matrix, model, (q, qd), out)


def gravity_forces(model: Model, q: ArrayLike, *, out: np.ndarray | None = None) -> np.ndarray:
    """Return the joint forces that hold the model at rest.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    out : ndarray, shape (..., nv), optional

    Returns
    -------
    tau : ndarray, shape (..., nv)

    Raises
    ------
    ShapeError
        If the last axis of `q` is not ``model.nq``.

    Notes
    -----
    ``C(q, 0)``, the gradient of the potential energy, as `inverse_dynamics` at rest; O(n).
    """
    return evaluate(algorithms.gravity, model, (q,), out)


def _columns(function: Any, model: Model, q: ArrayLike, out: np.ndarray | None) -> np.ndarray:
    """A symmetric matrix from its product with each unit vector, one batch for them all."""
    where = where_of(model)
    (q,) = checked(shapes_of(model, ["q"]), [q], model)
    directions = np.eye(model.nv, dtype=q.dtype)
    matrix = program_of(function, model)._run([q[..., None, :], directions], None, where)
    return written(matrix * 0.5 + matrix.mT * 0.5, out, where)


def require_mass(model: Model) -> None:
    """Raise a ModelError unless some moving body has mass."""
    if not require_model(model).mass:
        raise ModelError(f"no moving body of model '{model.name}' has mass")
