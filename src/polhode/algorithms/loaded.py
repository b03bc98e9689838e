"""Dynamics under external forces as users give them: in base coordinates (RBDA section 5.3)."""

from __future__ import annotations

from ..model import Model, PerBody
from ..scalar import Scalar
from .aba import aba
from .crba import forward_dynamics_crba
from .hybrid import hybrid
from .kinematics import external_forces
from .rnea import bias, rnea


def rnea_with_forces(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody
) -> PerBody:
    """`rnea` under forces in base coordinates."""
    return rnea(model, q, qd, qdd, external_forces(model, q, f_ext))


def bias_with_forces(model: Model, q: PerBody, qd: PerBody, f_ext: PerBody) -> PerBody:
    """`bias` under forces in base coordinates."""
    return bias(model, q, qd, external_forces(model, q, f_ext))


def aba_with_forces(model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody) -> PerBody:
    """`aba` under forces in base coordinates."""
    return aba(model, q, qd, tau, external_forces(model, q, f_ext))


def hybrid_with_forces(
    model: Model,
    q: PerBody,
    qd: PerBody,
    qdd: PerBody,
    tau: PerBody,
    f_ext: PerBody,
    *,
    forward: tuple[bool, ...],
) -> tuple[list[Scalar], list[Scalar]]:
    """`hybrid` under forces in base coordinates."""
    in_body = external_forces(model, q, f_ext)
    return hybrid(model, q, qd, qdd, tau, in_body, forward=forward)


def crba_forward(model: Model, q: PerBody, qd: PerBody, tau: PerBody) -> list[Scalar]:
    """Forward dynamics by the factorised inertia matrix."""
    return forward_dynamics_crba(model, q, tau, bias(model, q, qd))


def crba_forward_with_forces(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, f_ext: PerBody
) -> list[Scalar]:
    """Forward dynamics by the factorised inertia matrix, forces in base coordinates."""
    C = bias_with_forces(model, q, qd, f_ext)
    return forward_dynamics_crba(model, q, tau, C)
