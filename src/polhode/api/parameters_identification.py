"""Which inertial parameters motion can tell apart, and their values from measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arguments import as_number
from ..arrays import ArrayLike, as_array
from ..binding.calls import checked
from ..binding.model_argument import require_model, where_of
from ..binding.roles import shapes_of
from ..errors import ModelError, ShapeError, shown, suggests_attributes
from ..model import Model
from .manifold import random_configuration
from .parameters import parameters_of
from .parameters_regressor import (
    inertial_parameters,
    inverse_dynamics_regressor,
    joint_names,
    parameter_names,
)

_CLEAR = 1e-6  # how much of a column is left, at least, when it is new beside those before it
_NOTHING = 1e-8  # coefficients below this are rounding errors


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Combinations of inertial parameters that joint forces depend on.

    Attributes
    ----------
    names : tuple of str
        Of all parameters, 10 n_bodies or more.
    columns : ndarray of int, shape (rank,)
        Columns of the regressor that no others stand for.
    combinations : ndarray, shape (rank, 10 n_bodies)
        ``K``: the base parameters are ``K pi``, and ``Y pi = Y[:, columns] K pi``.
    singular_values : ndarray
        Of the stacked regressors, columns scaled to length 1, largest first.
    """

    names: tuple[str, ...]
    columns: np.ndarray
    combinations: np.ndarray
    singular_values: np.ndarray

    @property
    def rank(self) -> int:
        """How many numbers motion can tell."""
        return len(self.columns)

    @property
    def alone(self) -> tuple[str, ...]:
        """Parameters that can be told by themselves."""
        one = (self.combinations != 0.0).sum(axis=1) == 1
        return tuple(self.names[k] for k in self.columns[one])

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Parameters of links that joint forces do not depend on."""
        unseen = ~(self.combinations != 0.0).any(axis=0)
        named = zip(self.names, unseen, strict=True)
        return tuple(name for name, is_unseen in named if is_unseen and not name.endswith("()"))

    def describe(self, k: int) -> str:
        """Return a base parameter as text, such as ``Izz(upper) + 0.25 m(lower)``.

        Parameters
        ----------
        k : int
            Row of ``combinations``.

        Returns
        -------
        text : str
            The sum of inertial parameters that it stands for.
        """
        text, row = self.names[self.columns[k]], self.combinations[k]
        for j in np.flatnonzero(row):
            if j != self.columns[k]:
                size = f"{abs(row[j]):.6g} " if abs(abs(row[j]) - 1.0) > _NOTHING else ""
                text += f" {'-' if row[j] < 0 else '+'} {size}{self.names[j]}"
        return text

    def __str__(self) -> str:
        lines = [f"{self.rank} of {len(self.names)} inertial parameters can be told by motion:"]
        lines += [f"{k + 1:4d}  {self.describe(k)}" for k in range(self.rank)]
        unseen = self.without_effect
        return "\n".join([*lines, "without effect: " + ", ".join(unseen)] if unseen else lines)


@suggests_attributes
@dataclass(frozen=True, eq=False)
class Identification:
    """What `identify` found.

    Attributes
    ----------
    base : BaseParameters
    values, deviations : ndarray, shape (rank,)
        The base parameters, and their standard deviations.
    noise : ndarray, shape (nv,)
        Standard deviation of what is left of each joint's force.
    condition : float
        Condition number of the equations, columns scaled to length 1: how well the motion
        excites the parameters.
    parameters : ndarray, shape (10 n_bodies,)
        The inertial parameters nearest to the model's that have these base parameters.
    """

    base: BaseParameters
    values: np.ndarray
    deviations: np.ndarray
    noise: np.ndarray
    condition: float
    parameters: np.ndarray

    def __str__(self) -> str:
        rows = zip(self.values, self.deviations, strict=True)
        lines = [f"{x:12.6f} +- {d:.1e}  {self.base.describe(k)}" for k, (x, d) in enumerate(rows)]
        return "\n".join([*lines, f"condition number {self.condition:.3g}"])


def base_parameters(
    model: Model, regressor: ArrayLike | None = None, *, joints: Sequence[str] = (),
    tolerance: float = 1e-9,
) -> BaseParameters:  # fmt: skip
    """Return the combinations of inertial parameters that motion can tell apart.

    Parameters
    ----------
    model : Model
    regressor : array_like, shape (..., 10 n_bodies), optional
        Rows of `inverse_dynamics_regressor` in the motion at hand, or any selection of them, such
        as those of the joints whose forces are measured, in float64.  Random states of the whole
        model if omitted: what some motion can tell.
    joints : sequence of str
        Of ``"armature"``, ``"damping"`` and ``"friction"``: what joints do by themselves, which is
        identified as well; as of `inverse_dynamics_regressor`.
    tolerance : float
        Singular values below this, relative to the largest, count as zero.

    Returns
    -------
    base : BaseParameters
        ``print(base)`` is a report.

    Raises
    ------
    ShapeError
        If the last axis of ``regressor`` is not ``10 n_bodies``, it is less precise than float64,
        or a number is not finite.

    Notes
    -----
    The rank is that of the stacked regressors, by singular values.  Columns are chosen in
    the order of the bodies, so that parameters towards the tips are added to those of the
    bodies that carry them.  Gautier, "Numerical calculation of the base inertial
    parameters of robots", Journal of Robotic Systems 8(4), 1991.
    """
    joints = joint_names(joints)
    names = parameter_names(require_model(model), joints)
    rows = _random_rows(model, joints) if regressor is None else _precise(regressor, model)
    tolerance = as_number("tolerance", tolerance, least=0.0)
    if rows.shape[-1:] != (len(names),):
        raise ShapeError(
            f"expected {_size(joints)} = {len(names)} on the last axis of regressor, "
            f"got shape {rows.shape} (model '{model.name}')"
        )
    rows = rows.reshape(int(np.prod(rows.shape[:-1])), len(names))
    rows = _moderate(rows)[0]
    scale = np.linalg.norm(rows, axis=0)
    scale[scale <= tolerance * scale.max(initial=0.0)] = np.inf  # such columns become zero
    _, sizes, space = np.linalg.svd(np.linalg.qr(rows / scale, mode="r"), full_matrices=False)
    rank = int((sizes > tolerance * sizes.max(initial=0.0)).sum())
    columns = _independent(space[:rank])
    K = np.linalg.solve(space[:rank, columns], space[:rank])
    scale[np.isinf(scale)] = 0.0
    K = K * scale / scale[columns, None]
    K[np.abs(K) < _NOTHING] = 0.0
    K[:, columns] = np.eye(rank)
    return BaseParameters(names, columns, K, sizes)


def identify(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    tau: ArrayLike,
    *,
    joints: Sequence[str] = (),
    base: BaseParameters | None = None,
) -> Identification:
    """Return the inertial parameters that explain measured joint forces.

    Parameters
    ----------
    model : Model
        Its geometry; its mass properties only decide what motion cannot tell.
    q : array_like, shape (..., nq)
    qd, qdd, tau : array_like, shape (..., nv)
        Measured states and joint forces.
    joints : sequence of str
        As of `base_parameters`.  Without ``"armature"`` the model's own is taken as known.
    base : BaseParameters, optional
        What to identify; all that some motion can tell if omitted.

    Returns
    -------
    result : Identification
        `with_inertial_parameters` makes a model of its ``parameters``.

    Raises
    ------
    ModelError
        If the motion does not excite all base parameters.
    ShapeError
        If the last axes of an argument do not fit the model, or a number is not finite.  One such
        state would spoil the result of all.

    Notes
    -----
    Least squares, twice: the second time each joint's equations are weighted by what the
    first fit left of its force.  Errors of ``q``, ``qd`` and ``qdd`` are taken as none.
    """
    q, qd, qdd, tau = _measured(model, {"q": q, "qd": qd, "qdd": qdd, "tau": tau})
    joints = joint_names(joints)
    base = _base(model, base, joints)
    Y = inverse_dynamics_regressor(model, q, qd, qdd, joints=joints)
    if "armature" not in joints:
        tau = tau - parameters_of(model, "armature")["armature"] * qdd
    if not np.isfinite(Y).all():
        raise ModelError(
            f"expected smaller q, qd and qdd: the regressor is not finite{where_of(model)}"
        )
    batch = np.broadcast_shapes(Y.shape[:-2], tau.shape[:-1])
    forces = np.broadcast_to(tau, (*batch, model.nv)).reshape(-1, model.nv)
    forces, exponent = _moderate(forces)
    Y = np.broadcast_to(Y[..., base.columns], (*batch, model.nv, base.rank))
    Y = Y.reshape(-1, model.nv, base.rank)
    scale, condition = _excitation(Y.reshape(-1, base.rank), model)
    values, noise, _ = _fit(Y / scale, forces, np.ones(model.nv))
    least = 1e-12 * (np.abs(forces).max() or 1.0)  # forces without noise weigh alike
    values, noise, covariance = _fit(Y / scale, forces, np.maximum(noise, least))
    values, deviations, noise = (
        np.ldexp(x, exponent) for x in (values / scale, np.sqrt(np.diag(covariance)) / scale, noise)
    )
    nominal = inertial_parameters(model, joints=joints)
    missing = values - base.combinations @ nominal
    nearest = nominal + np.linalg.lstsq(base.combinations, missing, rcond=None)[0]
    return Identification(base, values, deviations, noise, condition, nearest)


def _measured(model: Model, given: dict[str, ArrayLike]) -> list[np.ndarray]:
    """States and forces as finite float64 arrays whose batch axes broadcast."""
    end = where_of(require_model(model))
    arrays = [as_array(name, value, end, finite=True) for name, value in given.items()]
    return checked(shapes_of(model, given), arrays, model)


def _moderate(array: np.ndarray) -> tuple[np.ndarray, int]:
    """An array by a power of two, so that no square overflows or vanishes; and the exponent."""
    exponent = int(np.frexp(np.abs(array).max(initial=0.0))[1])
    return np.ldexp(array, -exponent), exponent


def _size(joints: Sequence[str]) -> str:
    return "10 n_bodies" + (f" + {len(joints)} nv" if joints else "")


def _base(model: Model, base: BaseParameters | None, joints: tuple[str, ...]) -> BaseParameters:
    if base is None:
        return base_parameters(model, joints=joints)
    if not isinstance(base, BaseParameters) or base.names != parameter_names(model, joints):
        raise ModelError(
            f"expected base parameters of this model as base, got {shown(base)}; "
            f"make them with polhode.identification.base_parameters{where_of(model)}"
        )
    return base


def _precise(regressor: ArrayLike, model: Model) -> np.ndarray:
    """A regressor as float64, or a ShapeError: rounding to less would raise the rank."""
    rows, end = as_array("regressor", regressor, where_of(model), single=True), where_of(model)
    dtype = getattr(regressor, "dtype", rows.dtype)
    if dtype in (np.float16, np.float32):
        raise ShapeError(
            f"expected regressor in float64, got {dtype}, whose rounding errors would count "
            f"as parameters; make it from states in float64 with inverse_dynamics_regressor{end}"
        )
    return as_array("regressor", rows, end, finite=True)


def _random_rows(model: Model, joints: tuple[str, ...]) -> np.ndarray:
    rng = np.random.default_rng(0)
    n_states = 30 * model.n_bodies // max(model.nv, 1) + 10
    qd, qdd = rng.standard_normal((2, n_states, model.nv))
    q = random_configuration(model, rng, n_states)
    return inverse_dynamics_regressor(model, q, qd, qdd, joints=joints)


def _independent(space: np.ndarray) -> np.ndarray:
    """As many columns as ``space`` has rows: the first ones that are new beside those before."""
    left, chosen = space.copy(), []
    length = np.linalg.norm(space, axis=0)
    for _ in range(len(space)):
        size = np.linalg.norm(left, axis=0)
        new = np.flatnonzero(size > _CLEAR * np.where(length > _CLEAR, length, np.inf))
        k = int(new[0]) if len(new) else int(np.argmax(size))
        direction = left[:, k] / size[k]
        left -= np.outer(direction, direction @ left)
        left[:, k] = 0.0
        chosen.append(k)
    return np.array(sorted(chosen), dtype=int)


def _excitation(rows: np.ndarray, model: Model) -> tuple[np.ndarray, float]:
    """The lengths of the columns, and the condition number when these are made 1."""
    scale = np.linalg.norm(rows, axis=0)
    scale[scale == 0.0] = 1.0
    sizes = np.linalg.svd(np.linalg.qr(rows / scale, mode="r"), compute_uv=False)
    rank = int((sizes > 1e-9 * sizes.max(initial=0.0)).sum())
    if rank < rows.shape[1]:
        raise ModelError(
            "expected motion in q, qd and qdd that excites all "
            f"{rows.shape[1]} base parameters, got {rank}{where_of(model)}; use "
            "other motion, or base=polhode.identification.base_parameters(model, regressor)"
        )
    return scale, float(sizes[0] / sizes[-1]) if rank else 1.0


def _fit(
    Y: np.ndarray, tau: np.ndarray, noise: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weighted least squares: values, what is left of each joint's force, and covariance."""
    n_states, nv, rank = Y.shape
    W = (Y / noise[:, None]).reshape(-1, rank)
    values = np.linalg.lstsq(W, (tau / noise).ravel(), rcond=None)[0]
    left = tau - Y @ values
    freedom = max(n_states - rank / max(nv, 1), 1.0)
    inverse = np.linalg.pinv(np.linalg.qr(W, mode="r"))
    return values, np.sqrt((left**2).sum(axis=0) / freedom), inverse @ inverse.T
