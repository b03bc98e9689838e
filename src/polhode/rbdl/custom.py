"""Joints that the user writes, in RBDL's manner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..model import Custom
from ..scalar import Scalar
from ..spatial import Motion, Subspace, Transform
from .errors import RBDLError
from .joint import Joint, JointType
from .spatial import SpatialTransform


class CustomJoint:
    """Base of joints given by the user.

    A subclass sets ``mDoFCount`` and overrides `jcalc`, which fills ``model.X_J[i]``,
    ``model.v_J[i]`` and, if it is not zero, ``model.c_J[i]``; and ``self.S``, 6 x mDoFCount,
    there or in `jcalc_X_lambda_S`.  ``q`` and ``qdot`` are read from ``q_index`` on.  The code
    must use the functions of this package and of `polhode.scalar`, not those of `math` or NumPy:
    it is run once, on scalars that stand for all values.
    """

    mDoFCount: int = 0
    S: Any

    def __init__(self, dof_count: int | None = None):
        if dof_count is not None:
            self.mDoFCount = dof_count

    def jcalc(self, model: Any, joint_id: int, q: Sequence[Scalar], qdot: Sequence[Scalar]) -> None:
        """Fill the joint's transform, velocity and bias acceleration.

        Parameters
        ----------
        model : Model
        joint_id : int
            Number of the joint.
        q : array_like, shape (q_size,)
            Positions [rad or m].
        qdot : array_like, shape (qdot_size,)
            Velocities [rad/s or m/s].
        """
        raise RBDLError(f"{type(self).__name__} does not define jcalc")

    def jcalc_X_lambda_S(self, model: Any, joint_id: int, q: Sequence[Scalar]) -> None:
        """Fill the joint's transform from the parent, and its subspace.

        Parameters
        ----------
        model : Model
        joint_id : int
            Number of the joint.
        q : array_like, shape (q_size,)
            Positions [rad or m].
        """


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
        joint.S = np.zeros((6, n), dtype=object)
        joint.jcalc_X_lambda_S(view, joint_id, list(q))
        joint.jcalc(view, joint_id, list(q), list(qd))
        if joint_id not in view.X_J and joint_id in view.X_lambda:
            view.X_J[joint_id] = view.X_lambda[joint_id]  # with an X_T of identity
        S = np.asarray(joint.S, dtype=object)
        if S.shape != (6, n):
            raise RBDLError(
                f"expected S of shape (6, {n}) from {type(joint).__name__}, got {S.shape}"
            )
        X: Transform = view.X_J[joint_id].transform
        columns = tuple(Motion.of(column) for column in S.T.tolist())
        vJ, cJ = (Motion.of(list(field[joint_id])) for field in (view.v_J, view.c_J))
        return X, Subspace(columns), vJ, cJ

    return Custom(n, function, type(joint).__name__)
