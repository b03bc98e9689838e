"""Dynamics as programs compute it: of equal algorithms those that take the fewest operations.

The choice is made here and nowhere else.  `rnea`, `aba` and `crba` are the tables of the book, and
tests compare with them what is chosen here.  Where that takes fewer operations and loses no digits,
the model is regrouped first: its joint forces and its joint-space inertia stay the same
(`Model.regrouped`).
"""

from __future__ import annotations

from ...model import Model, PerBody
from ...scalar import Scalar
from .aba_relative import aba_relative
from .crba import crba, dof_parents
from .luh_walker_paul import luh_walker_paul
from .sparsity import Matrix, ltdl, ltdl_inverse, ltdl_solve


def inverse_dynamics(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> PerBody:
    """Joint forces that give ``model`` the accelerations ``qdd``, in O(n)."""
    return luh_walker_paul(model.regrouped(), q, qd, qdd, f_ext)


def forward_dynamics(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None
) -> PerBody:
    """Accelerations of ``model`` under the joint forces ``tau``, in O(n)."""
    return aba_relative(model, q, qd, tau, f_ext)


def mass_matrix(model: Model, q: PerBody) -> Matrix:
    """The joint-space inertia matrix ``H(q)``, dense with exact zeros between branches."""
    return crba(model.regrouped(), q)


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
    return forward_dynamics(model.weightless(), q, _zeros(model), tau)


def inverse_inertia(model: Model, q: PerBody) -> Matrix:
    """``H(q)^-1`` by the sparse factorisation of ``H`` (RBDA section 6.5)."""
    return ltdl_inverse(*ltdl(mass_matrix(model, q), dof_parents(model)))


def crba_forward(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody | None = None
) -> list[Scalar]:
    """Forward dynamics ``H^-1 (tau - C)`` with ``H`` factorised (RBDA section 6.2)."""
    L, inverse_d, parents = ltdl(mass_matrix(model, q), dof_parents(model))
    C = bias(model, q, qd, f_ext)
    free = [t - c for t, c in zip(model.join_v(tau), model.join_v(C), strict=True)]
    return ltdl_solve(L, inverse_d, parents, free)


def _zeros(model: Model) -> PerBody:
    return {i: (0.0,) * model.joint[i].nv for i in model.bodies}
