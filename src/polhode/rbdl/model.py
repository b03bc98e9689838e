"""RBDL's Model: built body by body, with RBDL's numbers, fields and queries."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ..algorithms.tree.crba import dof_parents
from ..arrays import Numbers, as_array
from ..model import Spherical
from .body import Body, FixedBody
from .building import Building
from .errors import RBDLInvalidParameterError
from .filling import fill
from .joint import JointType
from .quaternion import Quaternion
from .spatial import SpatialTransform
from .spelling import spelled
from .vectors import check_output

UINT_MAX = 2**32 - 1


class Model(Building):
    """A model that grows; body 0 is the root.

    Numbers of bodies, order of coordinates and default gravity (0, -9.81, 0) are RBDL's. ``core``
    is the same robot as an immutable `polhode.Model`, which all functions of polhode take.

    Attributes
    ----------
    gravity : ndarray
    lambda_ : list of int
        Of each body its parent; also as ``getattr(model, "lambda")``.
    mu : list of list of int
        Of each body its children.
    X_T : list of SpatialTransform
        From parent to joint coordinates; changed by `SetJointFrame`.
    mBodies, mJoints, mFixedBodies, mCustomJoints : list
    mBodyNameMap : dict
        Numbers of bodies by name.
    mFixedJointCount : list of int
        How many fixed bodies were added before each joint.
    previously_added_body_id, fixed_body_discriminator : int
    """

    def __init__(self, filename: Any = None, **options: Any):
        super().__init__()
        if filename is not None:
            fill(self, filename, **options)

    # -- queries --

    @spelled()
    def GetBody(self, index: int) -> Body:
        """The moving or fixed body of an id.

        Returns
        -------
        body : Body or FixedBody
            The body.
        """
        return self._body(index)

    @spelled("id")
    def GetBodyId(self, name: str | bytes) -> int:
        """The id of a name; 4294967295 if there is none."""
        text = name.decode() if isinstance(name, bytes) else name
        return self.mBodyNameMap.get(text, UINT_MAX)

    @spelled("name")
    def GetBodyName(self, index: int) -> str:
        """The name of a body, empty if it has none or does not exist."""
        return next((name for name, i in self.mBodyNameMap.items() if i == index), "")

    @spelled("claim")
    def IsBodyId(self, index: int) -> bool:
        """Whether there is a moving or fixed body of this id; the root is none."""
        return 0 < index < len(self.mBodies) or self.IsFixedBodyId(index)

    @spelled("id")
    def GetParentBodyId(self, index: int) -> int:
        """The parent, virtual bodies left out; of a fixed body the moving one it belongs to."""
        body = self._body(index)
        if isinstance(body, FixedBody):
            return body.mMovableParent
        return self.lambda_[self._first_of_chain(index)]

    @spelled("frame")
    def GetJointFrame(self, body_id: int) -> SpatialTransform:
        """From the moving parent to the joint, or to a fixed body."""
        body = self._body(body_id)
        is_fixed = isinstance(body, FixedBody)
        X = body.mParentTransform if is_fixed else self.X_T[self._first_of_chain(body_id)]
        return SpatialTransform(X.E, X.r)

    @spelled("quat")
    def GetQuaternion(self, body_id: int, q: Numbers) -> Quaternion:
        """The orientation ``x, y, z, w`` of a spherical joint in ``q``."""
        at = self._quaternion_index(body_id)
        return Quaternion(as_array("q", q, shape=(self.q_size,))[list(at)])

    @spelled(out="q")
    def SetQuaternion(self, body_id: int, quat: Any, q: np.ndarray) -> np.ndarray:
        """Put the orientation ``x, y, z, w`` of a spherical joint into ``q``, and return that."""
        at = self._quaternion_index(body_id)
        check_output(q, (self.q_size,))
        q[list(at)] = Quaternion(quat)
        return q

    def _quaternion_index(self, body_id: int) -> tuple[int, ...]:
        if not isinstance(body_id, Integral) or not 0 < body_id < len(self.mBodies):
            raise self._no_body(body_id)
        if not isinstance(self._grown.joint[body_id], Spherical):
            kind = self.mJoints[body_id].mJointType.name
            raise RBDLInvalidParameterError(
                f"the joint of body {body_id} is of type {kind}, which has no quaternion"
            )
        return self._grown.q_index[body_id]

    # -- sizes and tables --

    @property
    def qdot_size(self) -> int:
        """Number of velocities."""
        return self.dof_count

    @property
    def q_size(self) -> int:
        """``dof_count``, and one more for each spherical joint."""
        return self._grown.nq

    @property
    def lambda_q(self) -> list[int]:
        """One more than the degree of freedom before each towards the root, after a leading 0.

        RBDL has 0, 0, 1, 2, ... whatever the branching, against its documentation.
        """
        return [0, *(parent + 1 for parent in dof_parents(self._grown))]

    @property
    def multdof3_w_index(self) -> list[int]:
        """Where the w of each spherical joint is in ``Q``; 0 for the others."""
        core = self._grown
        spherical = [isinstance(core.joint[i], Spherical) for i in core.bodies]
        return [0, *(core.q_index[i][-1] if s else 0 for i, s in enumerate(spherical, 1))]

    @property
    def mJointUpdateOrder(self) -> list[int]:
        """All bodies, those with joints of the same type together."""
        first: dict[JointType, int] = {}
        for i, joint in enumerate(self.mJoints):
            first.setdefault(joint.mJointType, i)
        kinds = [joint.mJointType for joint in self.mJoints]
        return sorted(range(len(kinds)), key=lambda i: (first[kinds[i]], i))

    def __repr__(self) -> str:
        return f"<rbdl.Model: {len(self.mBodies) - 1} moving bodies, {self.dof_count} freedoms>"


setattr(Model, "lambda", property(lambda self: self.lambda_, doc="See `lambda_`."))
