"""The fields of RBDL's Model that hold the state last computed.

Each function of the facade notes the arguments it was called with; a field is worked out
from them when it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms import aba_tables, crba_tables, rnea_tables
from ..algorithms.tree.aba import AbaTables
from ..algorithms.tree.kinematics import (
    base_transforms,
    body_accelerations,
    body_velocities,
    joint_transforms,
)
from ..api.manifold import neutral
from ..arrays import Array
from ..model import PerBody
from ..spatial import ArticulatedInertia, Motion
from .errors import RBDLError
from .spatial import SpatialRigidBodyInertia, SpatialTransform

if TYPE_CHECKING:
    from ..model import Model as CoreModel


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
        "_cache", "acceleration", "articulated", "composite", "momentum", "newton",
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
        self._cache: dict[Any, tuple[Any, Any]] = {}

    def positions(self) -> Array:
        """``q`` of the last update."""
        return _last(self.position, "position")

    def velocities(self) -> tuple[Array, Array]:
        """``q, qd`` of the last update."""
        return _last(self.velocity, "velocity")

    def accelerations(self) -> tuple[Array, Array, Array, bool]:
        """``q, qd, qdd`` of the last update, and whether the base falls upward."""
        return _last(self.acceleration, "acceleration")

    def kept(self, key: Any, noted: Any, compute: Callable[[], Any]) -> Any:
        """What was computed under a key from what was noted, or is now."""
        known = self._cache.get(key)
        if known is None or known[0] is not noted:
            known = self._cache[key] = noted, compute()
        return known[1]


def _last(noted: Any, what: str) -> Any:
    if noted is None:
        raise RBDLError(
            f"update_kinematics=False uses the {what} last updated, but there was no update yet; "
            "call UpdateKinematics(model, Q, QDot, QDDot) first"
        )
    return noted


def _field(
    record: str,
    compute: Callable[..., Any],
    show: Callable[[CoreModel, Any], Any],
    doc: str,
    initial: Callable[[CoreModel], Any] = lambda core: {},
) -> Any:
    """A property that is worked out from the state's ``record`` when looked at.

    ``compute`` is an algorithm, whose result fields may share; ``show`` puts it into RBDL's form.
    """

    def get(self: Fields) -> Any:
        core, state = self.core, self.state
        noted = getattr(state, record)
        if noted is None:
            return show(core, initial(core))

        def value() -> Any:
            return compute(core, *_arguments(core, noted))

        return state.kept(get, noted, lambda: show(core, state.kept(compute, noted, value)))

    return property(get, doc=doc)


def _arguments(core: CoreModel, noted: Any) -> list[Any]:
    """What was noted, as an algorithm takes it."""
    q, *rest = noted if isinstance(noted, tuple) else (noted,)
    return [core.split_q(q.tolist()), *(_argument(core, value) for value in rest)]


def _argument(core: CoreModel, value: Any) -> Any:
    """Velocities, accelerations and forces by bodies; flags, and what is not there, as they are."""
    if not isinstance(value, np.ndarray):
        return value
    if value.ndim == 1:
        return core.split_v(value.tolist())
    return {i: value[i - 1] for i in core.bodies}


# -- what polhode's own algorithms do not return by themselves --


def _joints(core, q, qd):
    """Transform, subspace, velocity and bias of each joint."""
    return {i: core.joint[i].jcalc(q[i], qd[i]) for i in core.bodies}


def _joints_at(core, q):
    return {i: core.joint[i].jcalc(q[i]) for i in core.bodies}


def _across_joints(core, q):
    return {i: joint.XJ for i, joint in _joints_at(core, q).items()}


def _products(core, q, qd):
    v, joints = body_velocities(core, q, qd), _joints(core, q, qd)
    return {i: joints[i].cJ + v[i].cross(joints[i].vJ) for i in core.bodies}


def _accelerations(core, q, qd, qdd, is_biased):
    base = -core.gravity if is_biased else Motion.zero()
    return body_accelerations(core, q, qd, qdd, base=base)[1]


def _forces(core, q, qd, qdd, f_ext=None):
    return rnea_tables(core, q, qd, qdd, f_ext).f


def _momenta(core, q, qd, _):
    """Momenta are the forces that would give the velocities in a unit of time, from rest."""
    return _forces(core.weightless(), q, core.split_v([0.0] * core.nv), qd)


def _momentum_rates(core, q, qd, qdd):
    return {} if qdd is None else _forces(core.weightless(), q, qd, qdd)


def _composites(core, q):
    return crba_tables(core, q).Ic


# -- RBDL's forms: an entry for each body, and for the base --


def _transforms(core, values):
    return [
        SpatialTransform.of(values[i]) if i in values else SpatialTransform()
        for i in range(core.n_bodies + 1)
    ]


def _array(core: CoreModel, values: PerBody, *shape: int) -> Array:
    array = np.zeros((core.n_bodies + 1, *shape))
    for i, value in values.items():
        array[i] = value
    return array


def _sixes(core, values):
    return _array(core, {i: list(value) for i, value in values.items()}, 6)


def _columns(core, subspaces, n):
    """The subspaces of joints with ``n`` degrees of freedom; those of other joints are zero."""
    columns = {i: np.array([list(x) for x in S.columns]).T for i, S in subspaces.items()}
    return _array(core, {i: x for i, x in columns.items() if x.shape == (6, n)}, 6, n)


def _column(core, subspaces):
    return _columns(core, subspaces, 1)[..., 0]


def _three_columns(core, subspaces):
    return _columns(core, subspaces, 3)


def _scalars(core, values):
    return _array(core, {i: np.ravel(x)[0] for i, x in values.items() if len(x) == 1})


def _threes(core, values):
    return _array(core, {i: x for i, x in values.items() if len(x) == 3}, 3)


def _inverses(core, matrices):
    D = {i: np.linalg.inv(np.array(D)) for i, D in matrices.items() if len(D) == 3}
    return _array(core, D, 3, 3)


def _six_by_six(core, inertias):
    array = _array(core, {i: _blocks(I) for i, I in inertias.items()}, 6, 6)
    array[0] = np.eye(6)
    return array


def _blocks(inertia: ArticulatedInertia) -> Array:
    I, H, M = (np.array(x.rows()) for x in (inertia.I.full(), inertia.H, inertia.M.full()))
    return np.block([[I, H], [H.T, M]])


def _inertias(core, values):
    return [SpatialRigidBodyInertia.of(values[i]) for i in range(core.n_bodies + 1)]


def _position(compute: Callable[..., Any], doc: str) -> Any:
    return _field("position", compute, _transforms, doc)


def _joint_motion(name: str, doc: str) -> Any:
    return _field("velocity", _joints, _each(name, _sixes), doc)


def _subspace(show: Callable[..., Any], doc: str) -> Any:
    def initial(core: CoreModel) -> PerBody:
        return _joints_at(core, core.split_q(neutral(core).tolist()))

    return _field("position", _joints_at, _each("S", show), doc, initial)


def _each(name: str, show: Callable[..., Any]) -> Callable[..., Any]:
    """Show a field of each joint's motion."""
    return lambda core, joints: show(core, {i: getattr(x, name) for i, x in joints.items()})


def _articulated(letter: str, show: Callable[..., Any], doc: str) -> Any:
    nothing = AbaTables(*({},) * len(AbaTables._fields))
    return _field(
        "articulated", aba_tables, lambda core, of: show(core, getattr(of, letter)), doc,
        lambda core: nothing,
    )  # fmt: skip


class Fields:
    """The fields that depend on the state; arrays have an entry for each body, and the base."""

    core: CoreModel
    state: State

    X_base: list[SpatialTransform] = _position(base_transforms, "From base to body coordinates.")
    X_lambda: list[SpatialTransform] = _position(
        joint_transforms, "From parent to own coordinates."
    )
    X_J: list[SpatialTransform] = _position(_across_joints, "Across each joint.")
    S: Array = _subspace(_column, "Motion axis of each joint of one freedom, else zero.")
    multdof3_S: Array = _subspace(_three_columns, "Motion subspace of joints of three freedoms.")
    v: Array = _field("velocity", body_velocities, _sixes, "Spatial velocity, body coordinates.")
    v_J: Array = _joint_motion("vJ", "Velocity across each joint.")
    c_J: Array = _joint_motion("cJ", "Acceleration of a joint at constant qd.")
    c: Array = _field("velocity", _products, _sixes, "Velocity-dependent acceleration.")
    a: Array = _field(
        "acceleration", _accelerations, _sixes, "Spatial acceleration, body coordinates."
    )
    IA: Array = _articulated("IA", _six_by_six, "Articulated inertias.")
    pA: Array = _articulated("pA", _sixes, "Articulated bias forces.")
    U: Array = _articulated("U", _column, "``IA S`` of joints of one freedom.")
    d: Array = _articulated("D", _scalars, "``S . U`` of joints of one freedom.")
    u: Array = _articulated("u", _scalars, "``tau - S . pA`` of joints of one freedom.")
    multdof3_U: Array = _articulated("U", _three_columns, "``IA S`` of joints of three freedoms.")
    multdof3_Dinv: Array = _articulated("D", _inverses, "``(S^T U)^-1`` of three freedoms.")
    multdof3_u: Array = _articulated("u", _threes, "``tau - S^T pA`` of joints of three freedoms.")
    f: Array = _field("newton", _forces, _sixes, "Force across each joint, body coordinates.")
    Ic: list[SpatialRigidBodyInertia] = _field(
        "composite", _composites, _inertias, "Inertia of each body with all that it carries.",
        lambda core: core.inertia,
    )  # fmt: skip
    hc: Array = _field("momentum", _momenta, _sixes, "Momentum of a body with all that it carries.")
    hdotc: Array = _field("momentum", _momentum_rates, _sixes, "Rate of change of ``hc``.")

    @property
    def I(self) -> list[SpatialRigidBodyInertia]:  # noqa: E743
        """Inertia of each body about its origin; that of the base is zero."""
        own = [SpatialRigidBodyInertia.of(I) for I in self.core.inertia]
        return [SpatialRigidBodyInertia(), *own[1:]]
