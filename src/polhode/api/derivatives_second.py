"""Second derivatives of inverse and forward dynamics, along the tangent of the joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .. import algorithms
from ..algorithms.derivatives import second as derivatives_second
from ..arrays import ArrayLike, several, written
from ..binding.calls import checked, evaluate
from ..binding.composing import is_traced
from ..binding.derivatives_programs import (
    called_derived,
    derived_program,
    has_formulas,
)
from ..binding.model_argument import where_of
from ..binding.roles import shapes_of
from ..binding.tracing import optional_inputs
from ..model import Model
from .derivatives import forward_dynamics_derivatives
from .dynamics import forward_dynamics

if TYPE_CHECKING:
    from ..compiler import Program

Outputs = tuple[np.ndarray, ...]

PATHS_LIMIT = 1000
"""Above this number of triples of coordinates on a path to the base, second derivatives are filled
direction by direction.  One program for them all would take long to compile."""


class InverseDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives of joint forces: the last axis is that of the second variable."""

    d_q_q: np.ndarray
    d_qd_qd: np.ndarray
    d_qd_q: np.ndarray
    d_qdd_q: np.ndarray


class ForwardDynamicsSecondDerivatives(NamedTuple):
    """Second derivatives of joint accelerations: the last axis is the second variable's."""

    d_q_q: np.ndarray
    d_qd_qd: np.ndarray
    d_qd_q: np.ndarray
    d_tau_q: np.ndarray


def inverse_dynamics_second_derivatives(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Outputs | None = None,
) -> InverseDynamicsSecondDerivatives:
    """Return the second derivatives of `inverse_dynamics`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd, qdd : array_like, shape (..., nv)
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External forces in base coordinates, moment about the base origin first; they stay
        as they are when the joints move.
    out : four ndarrays, shape (..., nv, nv, nv), optional

    Returns
    -------
    d_q_q, d_qd_qd, d_qd_q, d_qdd_q : ndarray, shape (..., nv, nv, nv)
        Entry ``[i, j, k]``: of force ``i`` by the first variable's ``j``, and that by the
        second's ``k``.  Positions vary as `integrate` moves them; ``d_qdd_q`` is the
        derivative of the mass matrix.  All others are zero.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    TraceError
        If the function of a custom joint cannot be traced.

    Notes
    -----
    ``d_q_q`` is the derivative of ``d_q`` along the tangent: symmetric in ``j`` and ``k`` but for
    two rotations of one spherical joint.  O(n depth^2), by the paths of Singh, Russo and Wensing,
    "On second-order derivatives of rigid-body dynamics: theory & implementation" (2023).  Of large
    models, and with custom joints, by differentiating the program of the first derivatives, one
    direction after the other.
    """
    arguments = (q, qd, qdd) if f_ext is None else (q, qd, qdd, f_ext)
    out = several(out)
    is_formula, traced = has_formulas(model), is_traced(arguments)
    if traced and not is_formula:
        function = algorithms.inverse_dynamics
        optional = optional_inputs(function, len(arguments))
        program = derived_program(function, model, _twice, _twice, optional=optional)
        blocks = called_derived(program, model, arguments, out, (0, 3, 2, 4))
    elif not is_formula or (_n_paths(model) > PATHS_LIMIT and not traced):
        blocks = written(_by_directions(model, arguments), out, where_of(model))
    else:
        blocks = evaluate(algorithms.rnea_second_derivatives, model, arguments, out)
    return InverseDynamicsSecondDerivatives(*blocks)


def forward_dynamics_second_derivatives(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: Outputs | None = None,
) -> ForwardDynamicsSecondDerivatives:
    """Return the second derivatives of `forward_dynamics`.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    qd, tau : array_like, shape (..., nv)
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External forces in base coordinates, moment about the base origin first; they stay
        as they are when the joints move.
    out : four ndarrays, shape (..., nv, nv, nv), optional

    Returns
    -------
    d_q_q, d_qd_qd, d_qd_q, d_tau_q : ndarray, shape (..., nv, nv, nv)
        Entry ``[i, j, k]``: of acceleration ``i`` by the first variable's ``j``, and that by
        the second's ``k``.  Positions vary as `integrate` moves them; ``d_tau_q`` is the
        derivative of the inverse mass matrix.  All others are zero.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    TraceError
        If the function of a custom joint cannot be traced.

    Notes
    -----
    ``tau = ID(q, qd, FD(q, qd, tau))``, differentiated twice: ``-H^-1`` times a sum.  One term is
    the second derivatives of inverse dynamics.  The other is those of the mass matrix times the
    first ones of the accelerations.  O(n^4) of dense products.
    """
    forces = () if f_ext is None else (f_ext,)
    qdd = forward_dynamics(model, q, qd, tau, *forces)
    first = forward_dynamics_derivatives(model, q, qd, tau, *forces)
    of = inverse_dynamics_second_derivatives(model, q, qd, qdd, *forces)
    by_q, by_qd, inverse = (np.asanyarray(part)[..., None, :, :] for part in first)
    q_q, qd_qd, qd_q, H_q = map(np.asanyarray, of)
    bent = np.matmul(H_q.swapaxes(-1, -2), by_q)
    lost = (
        q_q + bent + bent.swapaxes(-1, -2),
        qd_qd,
        qd_q + np.matmul(by_qd.swapaxes(-1, -2), H_q),
        np.matmul(inverse, H_q),
    )
    results = tuple(_solved(inverse[..., 0, :, :], part) for part in lost)
    return ForwardDynamicsSecondDerivatives(*written(results, several(out), where_of(model)))


def _solved(inverse: np.ndarray, part: np.ndarray) -> np.ndarray:
    """``-H^-1`` times a tensor, over its first axis."""
    n = inverse.shape[-1]
    flat = part.reshape(*part.shape[:-3], n, n * n)
    return np.matmul(-inverse, flat).reshape(part.shape)


def _n_paths(model: Model) -> int:
    """How many triples of coordinates, one above the other, are on paths to the base."""
    depth = [0] * (model.n_bodies + 1)
    total = 0
    for i in range(1, model.n_bodies + 1):
        n = model.joint[i].nv
        depth[i] = depth[model.parent[i]] + n
        total += n * depth[i] * (depth[i] + 1) // 2
    return total


def _by_directions(model: Model, arguments: tuple) -> tuple[np.ndarray, ...]:
    """Each direction a state of a batch of a program that differentiates the first derivatives."""
    names = ("q", "qd", "qdd", "f_ext")[: len(arguments)]
    q, qd, qdd, *forces = checked(shapes_of(model, names), arguments, model)
    rates = [x[..., None, :] for x in (q, qd, qdd)]
    along = [f[..., None, :, :] for f in forces]
    by_q, by_qd = _directional(model, optional_inputs(algorithms.inverse_dynamics, len(arguments)))
    directions = np.eye(model.nv)
    d_q, d_qd, H = called_derived(by_q, model, (*rates, *along, directions), None, None)
    again = called_derived(by_qd, model, (*rates, directions), None, None)
    return tuple(np.moveaxis(part, -3, -1) for part in (d_q, again, d_qd, H))


def _directional(model: Model, optional: tuple[str, ...]) -> tuple[Program, Program]:
    """The change of all first derivatives along positions; of those by velocity along velocities.

    Analytic first derivatives for joints of a known kind, those of the graph for others.
    """
    if not has_formulas(model):
        inverse = algorithms.inverse_dynamics
        return (
            derived_program(inverse, model, _along_q_of_all, _along_q_of_all, optional=optional),
            derived_program(inverse, model, _along_qd_of_one, _along_qd_of_one),
        )
    first, rates = algorithms.rnea_derivatives, derivatives_second.rnea_derivatives_by_qd
    return (
        derived_program(first, model, _along_q, _along_q, optional=optional),
        derived_program(rates, model, _along_qd, _along_qd),
    )


def _along_q(program: Program) -> Program:
    return program.jvp("q", tangent=True)


def _along_qd(program: Program) -> Program:
    return program.jvp("qd")


def _along_q_of_all(program: Program) -> Program:
    return _along_q(program.jacobian(("q", "qd", "qdd"), tangent=True))


def _twice(program: Program) -> Program:
    first = program.jacobian(("q", "qd", "qdd"), tangent=True)
    return first.jacobian(("q", "qd"), tangent=True)


def _along_qd_of_one(program: Program) -> Program:
    return _along_qd(program.jacobian("qd"))
