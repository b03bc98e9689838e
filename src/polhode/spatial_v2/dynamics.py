"""Joints, and the dynamics of fixed and floating trees; the core computes."""

from __future__ import annotations

from typing import Any

import numpy as np

import polhode as ph

from ..api.explicit_constraints import explicit_dynamics
from ..api.floating_base import total_inertia
from ..errors import ModelError
from ..once import kept
from ..spatial import Transform
from .arithmetic import plux
from .arrays import ArrayLike, scalar, vector
from .convert import PLANE, core_model, forces, is_planar_joint, joint_kind
from .system import Struct, SystemModel
from .vocabulary import described


def jcalc(jtyp: Any, q: float) -> tuple[np.ndarray, np.ndarray]:
    """The transform across a joint, and its motion subspace as a vector.

    Parameters
    ----------
    jtyp : str or struct
        A joint type code, or a struct with ``code`` and ``pars``, such as the ``pitch`` of
        a helical joint.
    q : float

    Returns
    -------
    Xj : ndarray, 6x6 or 3x3
    S : ndarray, 6 or 3

    Raises
    ------
    ModelError
        For a code that does not exist.
    """
    motion = joint_kind(jtyp).jcalc((scalar(q, "q"),))
    S = np.array(list(motion.S.columns[0]))
    X = _matrix(motion.XJ)
    return (X[np.ix_(PLANE, PLANE)], S[PLANE]) if is_planar_joint(jtyp) else (X, S)


@described("tau")
def ID(
    model: SystemModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, f_ext: Any = None
) -> np.ndarray:
    """Inverse dynamics: the joint forces of given accelerations (Newton-Euler)."""
    q, qd, qdd = _vectors(model, q=q, qd=qd, qdd=qdd)
    return ph.inverse_dynamics(core_model(model), q, qd, qdd, forces(model, f_ext))


@described("qdd")
def FDab(
    model: SystemModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Any = None
) -> np.ndarray:
    """Forward dynamics by articulated bodies."""
    q, qd, tau = _vectors(model, q=q, qd=qd, tau=tau)
    return ph.forward_dynamics(core_model(model), q, qd, tau, forces(model, f_ext))


@described("qdd")
def FDcrb(
    model: SystemModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Any = None
) -> np.ndarray:
    """Forward dynamics by composite bodies."""
    q, qd, tau = _vectors(model, q=q, qd=qd, tau=tau)
    core, loads = core_model(model), forces(model, f_ext)
    return ph.forward_dynamics(core, q, qd, tau, loads, method="crba")


@described("qdd")
def FDgq(
    model: SystemModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, f_ext: Any = None
) -> np.ndarray:
    """Forward dynamics under the explicit constraint ``model.gamma_q``.

    It is a function of the state alone: other fields of the model that it reads must stay
    as they were at the first call.

    Raises
    ------
    ModelError
        If the model has no ``gamma_q``.
    """
    if "gamma_q" not in model:
        raise ModelError("FDgq needs the model's field 'gamma_q', a constraint function")
    (q, qd, tau), core = _vectors(model, q=q, qd=qd, tau=tau), core_model(model)
    gamma_q = model.gamma_q
    key = (FDgq, gamma_q, id(model))
    own = kept(core.programs, key, lambda: lambda q, qd: gamma_q(model, q, qd))
    return explicit_dynamics(core, own, q, qd, tau, forces(model, f_ext))


@described("H C")
def HandC(
    model: SystemModel, q: ArrayLike, qd: ArrayLike, f_ext: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """``H`` and ``C`` of the equation of motion ``H qdd + C = tau``."""
    core, (q, qd) = core_model(model), _vectors(model, q=q, qd=qd)
    return ph.mass_matrix(core, q), ph.bias_forces(core, q, qd, forces(model, f_ext))


@described()
def HD(
    model: SystemModel, fd: ArrayLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, tau: ArrayLike,
    f_ext: Any = None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Hybrid dynamics: ``tau`` is given where ``fd`` is 1, ``qdd`` where it is 0.

    The other entries are never read, and may be NaN.  Returns all accelerations and all
    forces, the given ones as exact copies.

    Returns
    -------
    qdd : ndarray, shape (NB,)
        Accelerations, given and found.
    tau : ndarray, shape (NB,)
        Forces, given and found.
    """
    fd, *state = _vectors(model, fd=fd, q=q, qd=qd, qdd=qdd, tau=tau)
    return ph.hybrid_dynamics(
        core_model(model), *state, forward=fd != 0.0, f_ext=forces(model, f_ext)
    )


@described()
def EnerMo(model: SystemModel, q: ArrayLike, qd: ArrayLike) -> Struct:
    """Energy and momentum of the system.

    Returns
    -------
    Struct
        ``KE``, ``PE`` (zero with the centre of mass at the origin), ``htot`` and ``Itot``
        (momentum and inertia about the origin), ``mass``, ``cm``, ``vcm``.

    Raises
    ------
    ModelError
        If the system has no mass.
    """
    core, (q, qd) = core_model(model), _vectors(model, q=q, qd=qd)
    energy = ph.energy(core, q, qd)
    six = PLANE if model.is_planar else slice(None)
    three = slice(2 if model.is_planar else 3)
    return Struct(
        Itot=total_inertia(core, q)[six][:, six],
        htot=ph.momentum(core, q, qd)[six],
        KE=float(energy.kinetic),
        PE=float(energy.potential),
        mass=core.mass,
        cm=ph.center_of_mass(core, q)[three],
        vcm=ph.kinematics.center_of_mass_velocity(core, q, qd)[three],
    )


def _vectors(model: SystemModel, **values: ArrayLike) -> list[np.ndarray]:
    return [vector(value, model.NB, name, f" (NB = {model.NB})") for name, value in values.items()]


def _matrix(X: Transform) -> np.ndarray:
    return plux(np.array(X.E.rows(), float), np.array(list(X.r), float))
