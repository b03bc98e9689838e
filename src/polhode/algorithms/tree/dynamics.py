"""Dynamics as programs compute it: of equal algorithms those that take the fewest operations.

The choice is made here and nowhere else.  `rnea`, `aba` and `crba` are the tables of the book, and
tests compare with them what is chosen here.  Where that takes fewer operations and loses no digits,
the model is regrouped first: its joint forces and its joint-space inertia stay the same
(`Model.regrouped`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...model import Model, PerBody
from ...scalar import Scalar
from ..actuation.armature import (
    add_to_mass_matrix,
    heavy_tendons,
    tendon_inertia_forces,
    with_tendons,
)
from .aba_relative import aba_relative
from .crba import crba, dof_parents
from .luh_walker_paul import luh_walker_paul
from .sparsity import Matrix, ltdl, ltdl_inverse, ltdl_solve


def inverse_dynamics(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> PerBody:
    """Joint forces that give ``model`` the accelerations ``qdd``, in O(n)."""
    tau = luh_walker_paul(model.regrouped(), q, qd, qdd, f_ext)
    if not heavy_tendons(model):
        return tau
    more = tendon_inertia_forces(model, q, qd, qdd)
    return {i: tau[i] + more[i] for i in tau}


def forward_dynamics(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None
) -> PerBody:
    """Accelerations of ``model`` under the joint forces ``tau``, in O(n).

    Coupled joints have no articulated bodies: there by the factors of ``H``.
    """
    if model.is_coupled:
        return model.split_v(crba_forward(model, q, qd, tau, f_ext))
    qdd = aba_relative(model, q, qd, tau, f_ext)
    if not heavy_tendons(model):
        return qdd
    return model.split_v(with_tendons(model, q, model.join_v(qdd), _tree_solver(model, q), qd))


def mass_matrix(model: Model, q: PerBody) -> Matrix:
    """The joint-space inertia matrix ``H(q)``, dense with exact zeros between branches."""
    H = crba(model.regrouped(), q)
    add_to_mass_matrix(model, q, H)
    return H


def inertia_parents(model: Model) -> list[int]:
    """Parents of velocity entries off which ``H`` is zero: those of the tree.

    Where tendons with armature may join branches it is a chain, which has no zeros.
    """
    return list(range(-1, model.nv - 1)) if heavy_tendons(model) else dof_parents(model)


def bias(model: Model, q: PerBody, qd: PerBody, f_ext: PerBody | None = None) -> PerBody:
    """Joint forces at zero acceleration, ``C`` of RBDA eq. 3.1: gravity, velocity, contact."""
    return inverse_dynamics(model, q, qd, _zeros(model), f_ext)


def gravity(model: Model, q: PerBody) -> PerBody:
    """Joint forces that hold ``model`` at rest against gravity."""
    return inverse_dynamics(model, q, _zeros(model), _zeros(model))


def inertia_times(model: Model, q: PerBody, v: PerBody) -> PerBody:
    """``H(q) v`` in O(n), without forming ``H``: inverse dynamics at rest without gravity."""
    return inverse_dynamics(model.weightless(), q, _zeros(model), v)


def solve_inertia(model: Model, q: PerBody, tau: PerBody) -> PerBody:
    """``H^-1 tau`` in O(n), without forming ``H``: forward dynamics at rest without gravity."""
    found = _tree_solver(model, q)(tau)
    if not heavy_tendons(model):
        return found
    return model.split_v(with_tendons(model, q, model.join_v(found), _tree_solver(model, q)))


def inverse_inertia(model: Model, q: PerBody) -> Matrix:
    """``H(q)^-1`` by the sparse factorisation of ``H`` (RBDA section 6.5)."""
    inverse = ltdl_inverse(*_factors(model, q))
    if not heavy_tendons(model):
        return inverse
    solve = _tree_solver(model, q)
    return [with_tendons(model, q, column, solve) for column in inverse]


def crba_forward(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None
) -> list[Scalar]:
    """Forward dynamics ``H^-1 (tau - C)`` with ``H`` factorised (RBDA section 6.2)."""
    factors = _factors(model, q)
    C = bias(model, q, qd, f_ext)
    free = [t - c for t, c in zip(model.join_v(tau), model.join_v(C), strict=True)]
    qdd = ltdl_solve(*factors, free)
    if not heavy_tendons(model):
        return qdd
    return with_tendons(
        model, q, qdd, lambda f: model.split_v(ltdl_solve(*factors, model.join_v(f)))
    )


def _factors(model: Model, q: PerBody) -> tuple[Matrix, list[Scalar], Sequence[int]]:
    """The factors of ``H`` without tendons, which has the sparsity of the tree."""
    return ltdl(crba(model.regrouped(), q), dof_parents(model))


def _tree_solver(model: Model, q: PerBody) -> Callable[[PerBody], PerBody]:
    """``H^-1`` of the tree, without tendons."""
    if model.is_coupled:
        factors = _factors(model, q)
        return lambda tau: model.split_v(ltdl_solve(*factors, model.join_v(tau)))
    at_rest = model.weightless()
    return lambda tau: aba_relative(at_rest, q, _zeros(model), tau)


def _zeros(model: Model) -> PerBody:
    return {i: (0.0,) * model.joint[i].nv for i in model.bodies}
