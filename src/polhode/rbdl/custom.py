"""Joints that the user writes, in RBDL's manner."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np

import polhode as ph

from ..model import Custom, Link
from ..model import Model as CoreModel
from ..scalar import Scalar
from ..spatial import Motion, Subspace, Transform
from .addresses import Pointerless, refuse_address
from .algorithms import body_orientation
from .errors import RBDLError, RBDLWarning
from .joint import Joint, JointType
from .spatial import SpatialTransform
from .vocabulary import described

MOST_FREEDOMS = 6


def _workspace(name: str, make: Callable[[int], Any], doc: str) -> Any:
    """A property that has a value of its own, made for the degrees of freedom, until it is set.

    It needs no constructor: those of RBDL's users do not call that of their base.
    """

    def get(self: CustomJoint) -> Any:
        values = vars(self).setdefault("_workspace", {})
        if name not in values:
            values[name] = make(self.mDoFCount)
        return values[name]

    def put(self: CustomJoint, value: Any) -> None:
        vars(self).setdefault("_workspace", {})[name] = value

    return property(get, put, doc=doc)


class CustomJoint(Pointerless):
    """Base of joints given by the user.

    A subclass sets ``mDoFCount`` and overrides `jcalc`, which fills ``model.X_J[i]``,
    ``model.v_J[i]`` and, if it is not zero, ``model.c_J[i]``.  ``self.S``, 6 x mDoFCount, is set
    in the constructor, in `jcalc`, or in `jcalc_X_lambda_S`, which is only called if the others
    leave it zero.  ``q`` and ``qdot`` are read from ``q_index`` on.

    Code that uses the functions of this package and of `polhode.scalar` is run once, on scalars
    that stand for all values, and compiled.  With functions of `math` and NumPy it is run each
    time, which is slow; a warning says so.
    """

    mDoFCount: int = 0
    S: Any = _workspace("S", lambda n: np.zeros((6, n)), "Motion subspace, a column each freedom.")
    XJ: Any = _workspace("XJ", lambda n: SpatialTransform(), "A transform for the user's own use.")
    U: Any = _workspace("U", lambda n: np.zeros((6, n)), "``IA S``, for the user's own use.")
    Dinv: Any = _workspace("Dinv", lambda n: np.zeros((n, n)), "For the user's own use.")
    u: Any = _workspace("u", np.zeros, "For the user's own use.")
    d_u: Any = _workspace("d_u", np.zeros, "For the user's own use.")

    def __init__(self, address: Any = 0, *, dof_count: int | None = None):
        if dof_count is None and isinstance(address, int) and 1 <= address <= MOST_FREEDOMS:
            dof_count = address  # no object lies there
        elif dof_count is None:
            refuse_address(address, "CustomJoint")
        if dof_count is not None:
            self.mDoFCount = dof_count

    @described()
    def jcalc(self, model: Any, joint_id: int, q: Sequence[Scalar], qdot: Sequence[Scalar]) -> None:
        """Fill the joint's transform, velocity and bias acceleration."""
        raise RBDLError(f"{type(self).__name__} does not define jcalc")

    @described()
    def jcalc_X_lambda_S(self, model: Any, joint_id: int, q: Sequence[Scalar]) -> None:
        """Fill the joint's transform from the parent, and its subspace."""


class _View:
    """What a custom joint sees of the model: the joint's own entries, to be filled."""

    def __init__(self, joint: CustomJoint, n: int):
        own = Joint()
        own.mJointType, own.mDoFCount, own.custom_joint_index = JointType.JointTypeCustom, n, 0
        self.mJoints = defaultdict(lambda: own)
        self.mCustomJoints = [joint]
        self.X_T = defaultdict(SpatialTransform)
        self.X_J = defaultdict(SpatialTransform)
        self.X_lambda: dict[int, SpatialTransform] = {}
        self.v_J = defaultdict(lambda: np.zeros(6, dtype=object))
        self.c_J = defaultdict(lambda: np.zeros(6, dtype=object))


def custom_kind(joint: CustomJoint, joint_id: int) -> Custom:
    """The joint as a kind of `polhode.model`."""
    n = joint.mDoFCount

    def function(q: Sequence[Scalar], qd: Sequence[Scalar]) -> tuple:
        view = _View(joint, n)
        values: Any = np.array([*q, *qd], dtype=object)
        kept = {"S": joint.S, "XJ": joint.XJ}
        try:
            joint.S = np.array(joint.S, dtype=object)
            joint.jcalc(view, joint_id, values[:n], values[n:])
            if _is_zero(joint.S) or joint_id not in view.X_J:
                joint.jcalc_X_lambda_S(view, joint_id, values[:n])
            S = _checked(joint, joint.S)
        finally:
            vars(joint)["_workspace"] |= kept
        if joint_id not in view.X_J and joint_id in view.X_lambda:
            view.X_J[joint_id] = view.X_lambda[joint_id]  # with an X_T of identity
        X: Transform = view.X_J[joint_id].transform
        columns = tuple(Motion.of(column) for column in S.T.tolist())
        vJ, cJ = (Motion.of(list(field[joint_id])) for field in (view.v_J, view.c_J))
        return X, Subspace(columns), vJ, cJ

    kind = Custom(n, function, type(joint).__name__)
    _try(kind, joint)
    return kind


def _try(kind: Custom, joint: CustomJoint) -> None:
    """Mark a joint whose code cannot be traced, such as that with sines of NumPy or of math."""
    model = CoreModel("joint")._with(Link("body", None, kind))
    try:
        ph.compile(body_orientation, model, body=1).graph  # noqa: B018  # it is traced now
    except RBDLError:
        return  # as the first call will say
    except TypeError as error:
        kind.function.for_floats = True  # type: ignore[attr-defined]
        name = type(joint).__name__
        warnings.warn(
            f"{name}.jcalc cannot be compiled ({error}), so this model runs one state at a time "
            "in Python; with sin and cos of polhode.scalar it is fast",
            RBDLWarning, stacklevel=5,
        )  # fmt: skip


def _is_zero(values: np.ndarray) -> bool:
    """Whether all entries are known, and zero."""
    return all(isinstance(x, Real) and x == 0.0 for x in values.flat)


def _checked(joint: CustomJoint, values: Any) -> np.ndarray:
    S, n = np.asarray(values, dtype=object), joint.mDoFCount
    if S.shape != (6, n):
        raise RBDLError(f"expected S of shape (6, {n}) from {type(joint).__name__}, got {S.shape}")
    for k, column in enumerate(S.T):
        if _is_zero(column):
            raise RBDLError(
                f"column {k} of S of {type(joint).__name__} is zero, so that coordinate moves "
                "nothing: set S in the constructor, in jcalc, or in jcalc_X_lambda_S"
            )
    return S
