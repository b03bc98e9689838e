"""Bodies and joints of a model as users name them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import suggests_attributes
from ..spatial import Transform
from .checks import Entries
from .joints import JointKind
from .records import JointDynamics, Limits, Matrix, Mimic, RigidBody, Triple, Visual


@suggests_attributes
class Body(int):
    """A body of a model: its number, with what belongs to it.

    Attributes
    ----------
    id : int
        0 for the base, 1..n_bodies for moving bodies; larger for links that are fixed
        to another body.
    name : str
        Empty for the virtual bodies inside a joint with several axes.
    parent : int
        The body that carries it.
    frame : Transform
        From the moving body's coordinates to this body's; identity unless it is fixed.
    moving : int
        The body it moves with: itself, unless it is fixed to another.
    """

    name: str
    parent: int
    moving: int
    frame: Transform
    body: RigidBody
    visuals: tuple[Visual, ...]

    def __new__(
        cls,
        number: int,
        name: str,
        parent: int,
        body: RigidBody,
        *,
        moving: int | None = None,
        frame: Transform | None = None,
        visuals: tuple[Visual, ...] = (),
    ) -> Body:
        self = super().__new__(cls, number)
        self.name, self.parent, self.body, self.visuals = name, parent, body, visuals
        self.moving = number if moving is None else moving
        self.frame = frame or Transform.identity()
        return self

    @property
    def id(self) -> int:
        """Number of the body."""
        return int(self)

    @property
    def is_fixed(self) -> bool:
        """Whether the body is merged into another."""
        return self.moving != int(self)

    @property
    def mass(self) -> float:
        """Mass [kg], including links fixed to a moving body."""
        return self.body.mass

    @property
    def com(self) -> Triple:
        """Centre of mass [m] in body coordinates."""
        return self.body.com

    @property
    def inertia(self) -> Matrix:
        """Rotational inertia [kg m^2] about the centre of mass, in body axes."""
        return self.body.inertia

    def __repr__(self) -> str:
        return f"Body({int(self)}, '{self.name}')"

    def __reduce__(self) -> tuple[Any, ...]:
        return _body, (self.id, self.name, self.parent, self.body, self.moving, self.frame,
                       self.visuals)  # fmt: skip


def _body(number, name, parent, body, moving, frame, visuals):
    return Body(number, name, parent, body, moving=moving, frame=frame, visuals=visuals)


@suggests_attributes
@dataclass(frozen=True, eq=False, repr=False)
class Joint:
    """A joint of a model.

    Attributes
    ----------
    name : str
    kind : JointKind
    q, v : slice or ndarray of int
        Where its coordinates are in ``q`` and its velocities in ``qd``. It is an index array when
        they are not contiguous (a quaternion's w sits at the end of ``q``).
    body : int
        The body it moves.
    """

    name: str
    kind: JointKind
    q: slice | np.ndarray
    v: slice | np.ndarray
    body: int
    limits: Limits | None = None
    mimic: Mimic | None = None
    dynamics: JointDynamics | None = None

    @property
    def armature(self) -> Entries:
        """Inertia of rotors [kg m^2 or kg]; like those below one number for one axis."""
        return self._entries("armature")

    @property
    def damping(self) -> Entries:
        """Force for each unit of speed [N m s/rad or N s/m]."""
        return self._entries("damping")

    @property
    def friction(self) -> Entries:
        """Largest dry friction [N m or N]."""
        return self._entries("friction")

    @property
    def stiffness(self) -> Entries:
        """Of the joint's spring [N m/rad or N/m]."""
        return self._entries("stiffness")

    @property
    def rest(self) -> Entries:
        """Where the spring has no force [rad or m]."""
        return self._entries("rest")

    def _entries(self, key: str) -> Entries:
        entries = getattr((self.dynamics or JointDynamics()).for_each(self.kind.nv), key)
        return entries[0] if len(entries) == 1 else entries

    def __repr__(self) -> str:
        q, v = (x.tolist() if isinstance(x, np.ndarray) else x for x in (self.q, self.v))
        return f"Joint('{self.name}', {self.kind.name}, q={q}, v={v}, body={int(self.body)})"


class ModelLimits(NamedTuple):
    """Limits for each velocity entry, shape (nv,); infinite where there is none.

    Attributes
    ----------
    lower, upper : ndarray
        Of the position of the same entry in ``q`` [rad or m].
    velocity, effort, lower_effort : ndarray
        Of speed; the highest and the lowest joint force [N m or N].
    """

    lower: np.ndarray
    upper: np.ndarray
    velocity: np.ndarray
    effort: np.ndarray
    lower_effort: np.ndarray

    @classmethod
    def of(cls, joints: Sequence[Joint], nv: int) -> ModelLimits:
        """What joints declare; the arrays are read-only."""
        rows = np.tile(_bounds(Limits()), nv)
        for joint in joints:
            if joint.limits is not None and joint.kind.nq == joint.kind.nv:
                rows[:, joint.v] = _bounds(joint.limits)
        rows.flags.writeable = False
        return cls(*rows)


def _bounds(limits: Limits) -> np.ndarray:
    lowest, highest = limits.efforts
    return np.array([limits.lower, limits.upper, limits.velocity, highest, lowest])[:, None]


def as_index(indices: list[int]) -> slice | np.ndarray:
    """A slice when the indices are consecutive, else an array."""
    if indices == list(range(indices[0], indices[0] + len(indices))):
        return slice(indices[0], indices[-1] + 1)
    return np.array(indices)
