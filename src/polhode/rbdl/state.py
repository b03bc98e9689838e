"""The fields of RBDL's Model that hold the state last computed.

Each function of the facade notes the arguments it was called with; a field is worked out
from them when it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms import aba_tables, crba_tables, rnea_tables
from ..algorithms.tree.kinematics import (
    base_transforms,
    body_accelerations,
    body_velocities,
    joint_transforms,
)
from ..api.manifold import neutral
from ..model import PerBody
from ..spatial import ArticulatedInertia, Force, Motion
from .errors import RBDLError
from .spatial import SpatialRigidBodyInertia, SpatialTransform

if TYPE_CHECKING:
    from ..model import Model as CoreModel

from ..arrays import Array


class State:
    """What was computed last, as the arguments it was computed from; None if nothing was.

    Attributes
    ----------
    position : ndarray
        ``q`` of all transforms.
    velocity : tuple of ndarray
        ``q, qd`` of all velocities.
    acceleration : tuple
        ``q, qd, qdd``, and whether the base accelerates against gravity, as in dynamics.
    articulated : tuple
        ``q, qd, tau, f_ext`` of the articulated inertias.
    newton : tuple
        ``q, qd, qdd, f_ext`` of the forces across joints.
    composite, momentum : ndarray, tuple
        ``q``, and ``q, qd, qdd or None``, of composite inertias and momenta.
    """

    __slots__ = (
        "acceleration", "articulated", "cache", "composite", "momentum", "newton",
        "position", "velocity",
    )  # fmt: skip

    def __init__(self):
        self.position: Array | None = None
        self.velocity: tuple[Array, Array] | None = None
        self.acceleration: tuple[Array, Array, Array, bool] | None = None
        self.articulated: tuple[Array, Array, Array, Array | None] | None = None
        self.newton: tuple[Array, Array, Array, Array | None] | None = None
        self.composite: Array | None = None
        self.momentum: tuple[Array, Array, Array | None] | None = None
        self.cache: dict[str, tuple[Any, Any]] = {}

    def positions(self) -> Array:
        """``q`` of the last update."""
        return _last(self.position, "position")

    def velocities(self) -> tuple[Array, Array]:
        """``q, qd`` of the last update."""
        return _last(self.velocity, "velocity")

    def accelerations(self) -> tuple[Array, Array, Array, bool]:
        """``q, qd, qdd`` of the last update, and whether the base falls upward."""
        return _last(self.acceleration, "acceleration")


def _last(noted: Any, what: str) -> Any:
    if noted is None:
        raise RBDLError(
            f"update_kinematics=False uses the {what} last updated, but there was no update yet; "
            "call UpdateKinematics(model, Q, QDot, QDDot) first"
        )
    return noted


def _field(record: str, compute: Callable[..., Any], initial: Callable[..., Any], doc: str) -> Any:
    """A property worked out from the state's ``record`` when looked at."""

    def get(self: Fields) -> Any:
        noted = getattr(self.state, record)
        if noted is None:
            return initial(self.core)
        known = self.state.cache.get(compute.__name__)
        if known is None or known[0] is not noted:
            known = self.state.cache[compute.__name__] = noted, compute(self.core, noted)
        return known[1]

    return property(get, doc=doc)


def _q(core: CoreModel, q: Array) -> PerBody:
    return core.split_q(q.tolist())


def _v(core: CoreModel, v: Array) -> PerBody:
    return core.split_v(v.tolist())


def per_body(core: CoreModel, values: PerBody, shape: tuple[int, ...]) -> np.ndarray:
    """Values of bodies as one array, with an entry for the base."""
    array = np.zeros((core.n_bodies + 1, *shape))
    for i, value in values.items():
        array[i] = _numbers(value)
    return array


def _numbers(value: Any) -> Any:
    if isinstance(value, (Motion, Force)):
        return list(value)
    if isinstance(value, ArticulatedInertia):
        I, H, M = (np.array(block.rows()) for block in (value.I.full(), value.H, value.M.full()))
        return np.block([[I, H], [H.T, M]])
    return value


def _joints(core: CoreModel, velocity: tuple) -> PerBody:
    """Transform, subspace, velocity and bias of each joint."""
    q, qd = _q(core, velocity[0]), _v(core, velocity[1])
    return {i: core.joint[i].jcalc(q[i], qd[i]) for i in core.bodies}


def _transforms(values: PerBody, n: int) -> list[SpatialTransform]:
    return [SpatialTransform.of(values[i]) if i in values else SpatialTransform() for i in range(n)]


def _X_base(core, q):
    return _transforms(base_transforms(core, _q(core, q)), core.n_bodies + 1)


def _X_lambda(core, q):
    return _transforms(joint_transforms(core, _q(core, q)), core.n_bodies + 1)


def _X_J(core, q):
    joints = _joints(core, (q, np.zeros(core.nv)))
    return _transforms({i: joint.XJ for i, joint in joints.items()}, core.n_bodies + 1)


def _subspaces(core, q):
    """S of one-freedom joints, then multdof3_S; other joints have neither."""
    joints = _joints(core, (q, np.zeros(core.nv)))
    single, triple = np.zeros((core.n_bodies + 1, 6)), np.zeros((core.n_bodies + 1, 6, 3))
    for i, joint in joints.items():
        columns = np.array([list(column) for column in joint.S.columns]).T
        if columns.shape[1] == 1:
            single[i] = columns[:, 0]
        elif columns.shape[1] == 3:
            triple[i] = columns
    return single, triple


def _v_J(core, velocity):
    return per_body(core, {i: j.vJ for i, j in _joints(core, velocity).items()}, (6,))


def _c_J(core, velocity):
    return per_body(core, {i: j.cJ for i, j in _joints(core, velocity).items()}, (6,))


def _velocities(core, velocity):
    q, qd = velocity
    return per_body(core, body_velocities(core, _q(core, q), _v(core, qd)), (6,))


def _products(core, velocity):
    q, qd = velocity
    v, joints = body_velocities(core, _q(core, q), _v(core, qd)), _joints(core, velocity)
    c = {i: joints[i].cJ + v[i].cross(joints[i].vJ) for i in core.bodies}
    return per_body(core, c, (6,))


def _accelerations(core, acceleration):
    q, qd, qdd, biased = acceleration
    base = -core.gravity if biased else Motion.zero()
    _, a = body_accelerations(core, _q(core, q), _v(core, qd), _v(core, qdd), base=base)
    return per_body(core, a, (6,))


def _articulated(core, record):
    q, qd, tau, f_ext = record
    of = aba_tables(core, _q(core, q), _v(core, qd), _v(core, tau), _forces_of(core, f_ext))
    n = core.n_bodies + 1
    fields = {"IA": per_body(core, of.IA, (6, 6)), "pA": per_body(core, of.pA, (6,))}
    fields["IA"][0] = np.eye(6)
    fields |= {"U": np.zeros((n, 6)), "d": np.zeros(n), "u": np.zeros(n)}
    fields |= {"U3": np.zeros((n, 6, 3)), "Dinv": np.zeros((n, 3, 3)), "u3": np.zeros((n, 3))}
    for i in core.bodies:
        columns = np.array([list(column) for column in of.U[i].columns]).T
        if columns.shape[1] == 1:
            fields["U"][i], fields["d"][i] = columns[:, 0], of.D[i][0][0]
            fields["u"][i] = of.u[i][0]
        elif columns.shape[1] == 3:
            fields["U3"][i], fields["u3"][i] = columns, of.u[i]
            fields["Dinv"][i] = np.linalg.inv(np.array(of.D[i]))
    return fields


def _forces(core, record):
    q, qd, qdd, f_ext = record
    forces = _forces_of(core, f_ext)
    return _newton_euler(core, q, qd, qdd, forces)


def _composites(core, q):
    total = crba_tables(core, _q(core, q)).Ic
    return [SpatialRigidBodyInertia.of(total[i]) for i in range(core.n_bodies + 1)]


def _momenta(core, record):
    """Momenta are the forces that would give the velocities in a unit of time, from rest."""
    q, qd, _ = record
    return _newton_euler(core.weightless(), q, np.zeros(core.nv), qd)


def _momentum_rates(core, record):
    q, qd, qdd = record
    if qdd is None:
        return _sixes(core)
    return _newton_euler(core.weightless(), q, qd, qdd)


def _newton_euler(core, q, qd, qdd, f_ext=None):
    """The force across each joint, and on the base, of Newton-Euler."""
    tables = rnea_tables(core, _q(core, q), _v(core, qd), _v(core, qdd), f_ext)
    return per_body(core, tables.f, (6,))


def _forces_of(core, f_ext):
    return None if f_ext is None else {i: f_ext[i - 1] for i in core.bodies}


def _sixes(core):
    return np.zeros((core.n_bodies + 1, 6))


def _identities(core):
    return _transforms({}, core.n_bodies + 1)


def _of(fields: property, key: Any, doc: str) -> Any:
    """One of several fields that are worked out together."""
    get: Callable[[Any], Any] = fields.fget  # type: ignore[assignment]  # `_field` has given it
    return property(lambda self: get(self)[key], doc=doc)


def _empty_articulated(core):
    n = core.n_bodies + 1
    fields = {"IA": np.zeros((n, 6, 6)), "pA": np.zeros((n, 6)), "U": np.zeros((n, 6))}
    fields |= {"d": np.zeros(n), "u": np.zeros(n), "U3": np.zeros((n, 6, 3))}
    fields["IA"][0] = np.eye(6)
    return fields | {"Dinv": np.zeros((n, 3, 3)), "u3": np.zeros((n, 3))}


_both_subspaces = _field(
    "position",
    _subspaces,
    lambda core: _subspaces(core, neutral(core)),
    "Both kinds of motion subspace.",
)
_tables = _field("articulated", _articulated, _empty_articulated, "All of the ABA's fields.")


class Fields:
    """The fields that depend on the state; arrays have an entry for each body, and the base."""

    core: CoreModel
    state: State

    X_base: list[SpatialTransform] = _field(
        "position", _X_base, _identities, "From base to body coordinates."
    )
    X_lambda: list[SpatialTransform] = _field(
        "position", _X_lambda, _identities, "From parent to body coordinates."
    )
    X_J: list[SpatialTransform] = _field("position", _X_J, _identities, "Across each joint.")
    S: Array = _of(_both_subspaces, 0, "Motion axis of each joint of one freedom, else zero.")
    multdof3_S: Array = _of(_both_subspaces, 1, "Motion subspace of joints of three freedoms.")
    v: Array = _field("velocity", _velocities, _sixes, "Spatial velocity, body coordinates.")
    v_J: Array = _field("velocity", _v_J, _sixes, "Velocity across each joint.")
    c_J: Array = _field("velocity", _c_J, _sixes, "Acceleration of a joint at constant qd.")
    c: Array = _field("velocity", _products, _sixes, "Velocity-dependent acceleration.")
    a: Array = _field(
        "acceleration", _accelerations, _sixes, "Spatial acceleration, body coordinates."
    )
    IA: Array = _of(_tables, "IA", "Articulated inertias.")
    pA: Array = _of(_tables, "pA", "Articulated bias forces.")
    U: Array = _of(_tables, "U", "``IA S`` of joints of one freedom.")
    d: Array = _of(_tables, "d", "``S . U`` of joints of one freedom.")
    u: Array = _of(_tables, "u", "``tau - S . pA`` of joints of one freedom.")
    multdof3_U: Array = _of(_tables, "U3", "``IA S`` of joints of three freedoms.")
    multdof3_Dinv: Array = _of(_tables, "Dinv", "``(S^T U)^-1`` of joints of three freedoms.")
    multdof3_u: Array = _of(_tables, "u3", "``tau - S^T pA`` of joints of three freedoms.")
    f: Array = _field("newton", _forces, _sixes, "Force across each joint, body coordinates.")
    Ic: list[SpatialRigidBodyInertia] = _field("composite", _composites, lambda core: [
        SpatialRigidBodyInertia.of(I) for I in core.inertia
    ], "Inertia of each body with all that it carries.")  # fmt: skip
    hc: Array = _field(
        "momentum", _momenta, _sixes, "Momentum of each body with all that it carries."
    )
    hdotc: Array = _field("momentum", _momentum_rates, _sixes, "Rate of change of ``hc``.")

    @property
    def I(self) -> list[SpatialRigidBodyInertia]:  # noqa: E743
        """Inertia of each body about its origin; that of the base is zero."""
        own = [SpatialRigidBodyInertia.of(I) for I in self.core.inertia]
        return [SpatialRigidBodyInertia(), *own[1:]]
