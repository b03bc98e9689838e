"""A facade model as it grows: bodies added, merged, and changed."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import as_array
from ..errors import ModelError
from ..model import Fixed, JointKind, Link
from ..model import Model as CoreModel
from ..spatial import Transform
from .body import Body, FixedBody
from .custom import CustomJoint, custom_kind
from .errors import RBDLError, RBDLInvalidParameterError, RBDLWarning, of_class
from .joint import RX, RY, RZ, TX, TY, TZ, Joint, JointType
from .spatial import SpatialTransform
from .spelling import spelled
from .state import Fields, State

DISCRIMINATOR = 2**31 - 1
"""RBDL's number of the first fixed body."""


class Building(Fields):
    """The tables of RBDL's Model, and the same robot as an immutable `polhode.Model`."""

    def __init__(self):
        self._gravity = np.array([0.0, -9.81, 0.0])
        self._cores: dict[bytes, CoreModel] = {}
        self._links: list[Link] = []
        self._labels: dict[int, str] = {}
        self._merged: list[tuple[int, str]] = []
        self._taken: set[str] = {"ROOT"}
        self._numbers: dict[int, int] = {0: 0}
        self.state: State = State()
        self.lambda_: list[int] = [0]
        self.mu: list[list[int]] = [[]]
        self.X_T = [SpatialTransform()]
        self.mBodies: list[Body] = [Body()]
        self.mJoints: list[Joint] = [Joint()]
        self.mFixedBodies: list[FixedBody] = []
        self.mCustomJoints: list[CustomJoint] = []
        self.mFixedJointCount: list[int] = [0]
        self.mBodyNameMap: dict[str, int] = {"ROOT": 0}
        self.previously_added_body_id = 0
        self.fixed_body_discriminator = DISCRIMINATOR
        self.dof_count: int = 0
        self._grown = CoreModel("rbdl", gravity=self._gravity.tolist())

    # -- the model in polhode's terms --

    @property
    def gravity(self) -> np.ndarray:
        """Acceleration of free fall [m/s^2]; entries may be changed."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        gravity = np.array(as_array("gravity", value))
        if gravity.shape != (3,) or not np.isfinite(gravity).all():
            raise RBDLInvalidParameterError(f"expected three finite numbers, got {value!r}")
        self._gravity = gravity

    @property
    def core(self) -> CoreModel:
        """This robot as it is now, as a `polhode.Model`."""
        key = self._gravity.tobytes()
        try:
            return self._cores[key]
        except KeyError:
            core = replace(self._grown, gravity=self._gravity.tolist())
            self._cores[key] = core
            return core

    def number(self, body_id: int) -> int:
        """The number in ``core`` of the body that RBDL numbers ``body_id``."""
        try:
            return self._numbers[body_id]
        except (KeyError, TypeError, ValueError):  # what is not hashed among them
            raise self._no_body(body_id) from None

    def _no_body(self, body_id: Any) -> RBDLError:
        return RBDLInvalidParameterError(
            f"no body with id {body_id!r}: there are 0 to {len(self.mBodies) - 1}, and "
            f"{len(self.mFixedBodies)} fixed ones from {self.fixed_body_discriminator} on"
        )

    # -- building --

    @spelled("id")
    def AddBody(
        self, parent_id: int, joint_frame: SpatialTransform, joint: Joint, body: Body,
        body_name: str | bytes = b"",
    ) -> int:  # fmt: skip
        """Add a body that moves by ``joint`` against ``parent_id``; return its id.

        Raises
        ------
        RBDLError
            For an unknown parent, a name given before, or a joint that cannot be.
        """
        of_class(joint_frame, SpatialTransform, "joint_frame")
        of_class(joint, Joint, "joint")
        of_class(body, Body, "body")
        name = self._new_name(body_name)
        parent, offset = self._carrier(parent_id)
        frame = joint_frame.transform @ offset
        if joint.mJointType is JointType.JointTypeFixed:
            return self._add_fixed(parent, frame, body, name)
        parts = joint.parts()
        kinds = [part.kind for part in parts]
        for part, kind in zip(parts[:-1], kinds, strict=False):
            parent = self._add_moving(parent, frame, part, kind, Body(is_virtual=True), "")
            frame = Transform.identity()
        return self._add_moving(parent, frame, parts[-1], kinds[-1], body, name)

    @spelled("id")
    def AppendBody(
        self, joint_frame: SpatialTransform, joint: Joint, body: Body, body_name: str | bytes = b""
    ) -> int:
        """Add a body to the one added before; see `AddBody`."""
        return self.AddBody(self.previously_added_body_id, joint_frame, joint, body, body_name)

    @spelled("id")
    def AddBodyCustomJoint(
        self, parent_id: int, joint_frame: SpatialTransform, custom_joint: CustomJoint, body: Body,
        body_name: str | bytes = b"",
    ) -> int:  # fmt: skip
        """Add a body on a joint of the user's; see `AddBody`."""
        of_class(joint_frame, SpatialTransform, "joint_frame")
        of_class(custom_joint, CustomJoint, "custom_joint")
        of_class(body, Body, "body")
        name = self._new_name(body_name)
        parent, offset = self._carrier(parent_id)
        try:
            kind = custom_kind(custom_joint, len(self.mBodies))
        except ValueError as error:
            raise RBDLError(str(error)) from None
        joint = Joint()
        joint.mJointType, joint.mDoFCount = JointType.JointTypeCustom, kind.nv
        joint.mJointAxes = [np.zeros(6) for _ in range(kind.nv)]
        joint.custom_joint_index = len(self.mCustomJoints)
        frame = joint_frame.transform @ offset
        number = self._add_moving(parent, frame, joint, kind, body, name)
        self.mCustomJoints.append(custom_joint)
        return number

    @spelled("id")
    def AddBodySphericalJoint(
        self, parent_id: int, joint_frame: SpatialTransform, joint: Joint, body: Body,
        body_name: str | bytes = b"",
    ) -> int:  # fmt: skip
        """Add a body on a spherical joint; RBDL declares this and does not have it."""
        if joint.mJointType is not JointType.JointTypeSpherical:
            raise RBDLInvalidParameterError(f"expected a spherical joint, got {joint}")
        return self.AddBody(parent_id, joint_frame, joint, body, body_name)

    @spelled("id")
    def SetFloatingBaseBody(self, body: Body) -> int:
        """Add a body to the root with degrees of freedom TX TY TZ RZ RY RX; return its id."""
        free = Joint(TX, TY, TZ, RZ, RY, RX)
        return self.AddBody(0, SpatialTransform(), free, body)

    def _new_name(self, name: str | bytes) -> str:
        name = name.decode() if isinstance(name, bytes) else name
        if name in self.mBodyNameMap:
            raise RBDLError(
                f"a body named '{name}' already exists, with id {self.mBodyNameMap[name]}"
            )
        return name

    def _carrier(self, parent_id: int) -> tuple[int, Transform]:
        """The moving body that a body is added to, and where on it."""
        body = self._body(parent_id)
        if isinstance(body, FixedBody):
            return body.mMovableParent, body.mParentTransform.transform
        return parent_id, Transform.identity()

    def _grow(self, name: str, parent: int, kind: JointKind, frame: Transform, body: Body) -> str:
        """Add a link to the core; names there are free ones near to the user's."""
        label = name or f"body {len(self._links) + 1}"
        while label in self._taken:
            label += "'"
        carrier = self._labels.get(parent)
        try:
            link = Link(label, carrier, kind, frame, body.rigid_body)
            self._grown = self._grown._with(link)
        except ModelError as error:
            raise RBDLError(str(error)) from None
        except ValueError as error:
            raise RBDLInvalidParameterError(str(error)) from None
        self._links.append(link)
        self._taken.add(label)
        self._changed()
        return label

    def _changed(self) -> None:
        """Forget what belonged to the model before its change."""
        self._cores = {}
        self.state = State()
        n, first = self._grown.n_bodies, self.fixed_body_discriminator
        fixed = range(len(self._grown.fixed_frames))
        self._numbers = {i: i for i in range(n + 1)} | {first + k: n + 1 + k for k in fixed}

    def _add_fixed(self, parent: int, frame: Transform, body: Body, name: str) -> int:
        carrier = Body.of(self.mBodies[parent].rigid_body)
        X = SpatialTransform.of(frame)
        carrier.Join(X, body)
        self._merged.append((parent, self._grow(name, parent, Fixed(), frame, body)))
        carrier.mIsVirtual = self.mBodies[parent].mIsVirtual
        self.mBodies[parent].__dict__.update(carrier.__dict__)
        self.mFixedBodies.append(FixedBody(body, self, parent, X))
        return self._named(name, self.fixed_body_discriminator + len(self.mFixedBodies) - 1)

    def _add_moving(
        self, parent: int, frame: Transform, joint: Joint, kind: JointKind, body: Body, name: str
    ) -> int:
        label = self._grow(name, parent, kind, frame, body)
        number = len(self.mBodies)
        self._labels[number] = label
        own = Body.of(body.rigid_body)
        own.mIsVirtual = body.mIsVirtual
        joint.q_index = self.dof_count
        self.dof_count += kind.nv
        self.mBodies.append(own)
        self.mJoints.append(joint)
        self.X_T.append(SpatialTransform.of(frame))
        self.lambda_.append(parent)
        self.mu[parent].append(number)
        self.mu.append([])
        self.mFixedJointCount.append(len(self.mFixedBodies))
        return self._named(name, number)

    def _named(self, name: str, number: int) -> int:
        if name:
            self.mBodyNameMap[name] = number
        self.previously_added_body_id: int = number
        return number

    # -- changing what is there --

    @spelled()
    def UpdateInertiaMatrixForBody(self, index: int) -> None:
        """Make mass, centre of mass and inertia of ``mBodies[index]`` take effect."""
        if not 0 < index < len(self.mBodies):
            raise self._no_body(index)
        label, body = self._labels[index], self.mBodies[index].rigid_body
        merged = {name for carrier, name in self._merged if carrier == index}
        nothing = Body().rigid_body
        self._links = [
            replace(x, body=body) if x.name == label
            else replace(x, body=nothing) if x.name in merged else x
            for x in self._links
        ]  # fmt: skip
        self._rebuild()

    @spelled()
    def SetBodyInertialParameters(self, body_id: int, mass: float, inertia: Any, com: Any) -> None:
        """Replace mass, inertia about the centre of mass, and centre of mass of a body.

        Also of a fixed body: the moving one that carries it follows.
        """
        if np.ndim(inertia) == 1 and np.ndim(com) == 2:
            warnings.warn(
                "SetBodyInertialParameters takes (body_id, mass, inertia, com), as RBDL does; "
                "the 3x3 matrix after the vector is taken for the inertia",
                RBDLWarning, stacklevel=2,
            )  # fmt: skip
            inertia, com = com, inertia
        self._change(body_id, Body(mass, com, inertia))

    @spelled()
    def SetBodyMass(self, body_id: int, mass: float) -> None:
        """Replace the mass of a body; its inertia about the centre of mass stays."""
        body = self._body(body_id)
        self._change(body_id, Body(mass, body.mCenterOfMass, body.mInertia))

    @spelled()
    def SetBodyCenterOfMass(self, body_id: int, com: Any) -> None:
        """Replace the centre of mass of a body; the inertia about it stays."""
        body = self._body(body_id)
        self._change(body_id, Body(body.mMass, com, body.mInertia))

    @spelled()
    def SetBodyInertia(self, body_id: int, inertia: Any) -> None:
        """Replace the inertia of a body about its centre of mass."""
        body = self._body(body_id)
        self._change(body_id, Body(body.mMass, body.mCenterOfMass, inertia))

    def _body(self, body_id: int) -> Body:
        self.number(body_id)
        if body_id < len(self.mBodies):
            return self.mBodies[body_id]
        return self.mFixedBodies[body_id - self.fixed_body_discriminator]

    def _change(self, body_id: int, new: Body) -> None:
        body = self._body(body_id)
        if not body_id:
            raise self._no_body(body_id)
        if not isinstance(body, FixedBody):
            self._replace(body_id, new)
            return
        merged = self.mBodies[body.mMovableParent]
        carrier, X = Body.of(merged.rigid_body), body.mParentTransform
        carrier.Separate(X, body)
        carrier.Join(X, new)
        body.__dict__.update(vars(new))
        self._replace(body.mMovableParent, carrier)

    def _replace(self, number: int, new: Body) -> None:
        new.mIsVirtual = self.mBodies[number].mIsVirtual
        self.mBodies[number].__dict__.update(vars(new))
        if number:  # what is fixed to the root does not move
            self.UpdateInertiaMatrixForBody(number)

    def _rebuild(self) -> None:
        self._grown = replace(self._grown, links=tuple(self._links))
        self._changed()

    @spelled()
    def SetJointFrame(self, body_id: int, transform: SpatialTransform) -> None:
        """Move the joint of a body against its moving parent; nothing happens to the root.

        Raises
        ------
        RBDLError
            For a fixed body, or an unknown one.
        """
        if isinstance(self._body(body_id), FixedBody):
            raise RBDLError(
                f"setting the parent transform is not supported for fixed bodies (id {body_id})"
            )
        if body_id == 0:
            return
        first = self._first_of_chain(body_id)
        self.X_T[first] = SpatialTransform(transform.E, transform.r)
        label, carrier = self._labels[first], self._labels.get(self.lambda_[first])
        self._links = [
            replace(link, parent=carrier, frame=transform.transform)
            if link.name == label else link
            for link in self._links
        ]  # fmt: skip
        self._rebuild()

    def _first_of_chain(self, body_id: int) -> int:
        """The first of the virtual bodies that lead to a body, or the body itself."""
        while self.mBodies[self.lambda_[body_id]].mIsVirtual:
            body_id = self.lambda_[body_id]
        return body_id

    @spelled("claim")
    def IsFixedBodyId(self, index: int) -> bool:
        """Whether a body is merged into a moving one, or the root."""
        first = self.fixed_body_discriminator
        return first <= index < first + len(self.mFixedBodies)
