"""RBDL's bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import as_number
from ..arrays import as_array
from ..model import RigidBody
from .addresses import Pointerless, refuse_address
from .errors import RBDLError, RBDLInvalidParameterError, ignored
from .spatial import SpatialTransform
from .spelling import spelled
from .vocabulary import described

if TYPE_CHECKING:
    from .state import Fields

_TO_OTHER = "SpatialTransform", "From this body's coordinates to the other's."


class Body(Pointerless):
    """Mass, centre of mass, and inertia about it, in body coordinates.

    ``Body()`` has none of them. ``Body(mass, com, inertia)`` takes a 3x3 inertia, or three radii of
    gyration. RBDL puts these on the diagonal of the inertia as they are.

    Attributes
    ----------
    mMass : float
    mCenterOfMass, mInertia : ndarray
    mIsVirtual : bool
        Whether it is between the axes of one joint.
    """

    def __init__(
        self,
        mass: float = 0.0,
        com: Any = (0.0, 0.0, 0.0),
        inertia: Any = ((0.0,) * 3,) * 3,
        is_virtual: bool = False,
        *,
        address: Any = 0,
        **kwargs: Any,
    ):
        refuse_address(address, type(self).__name__)
        ignored(type(self).__name__, kwargs)
        inertia = np.array(as_array("inertia", inertia))
        self.mMass = as_number("mass", mass)
        self.mCenterOfMass = np.array(as_array("com", com, finite=True))
        self.mInertia = np.diag(inertia) if inertia.shape == (3,) else inertia
        self.mIsVirtual = is_virtual
        if self.mCenterOfMass.shape != (3,) or self.mInertia.shape != (3, 3):
            raise RBDLInvalidParameterError(
                "expected a centre of mass of 3 numbers and a 3x3 inertia, got shapes "
                f"{self.mCenterOfMass.shape} and {self.mInertia.shape}"
            )
        if not np.isfinite(self.mInertia).all():
            raise RBDLInvalidParameterError("expected a finite inertia")

    @classmethod
    @described("body")
    def fromMassComInertia(cls, mass: float, com: Any, inertia: Any) -> Body:
        """From mass, centre of mass and inertia about it."""
        return cls(mass, com, inertia)

    @classmethod
    @described("body", body=("polhode.model.RigidBody", "Mass, centre of mass and inertia."))
    def of(cls, body: RigidBody) -> Body:
        """From the mass properties of `polhode.model`."""
        return cls(body.mass, body.com, body.inertia)

    @property
    def rigid_body(self) -> RigidBody:
        """The same as a `polhode.model.RigidBody`."""
        com, inertia = np.asarray(self.mCenterOfMass), np.asarray(self.mInertia)
        return RigidBody(self.mMass, com.tolist(), inertia.tolist())

    @described(transform=_TO_OTHER)
    def Join(self, transform: SpatialTransform, other: Body) -> None:
        """Fix ``other`` to this body; ``transform`` leads to the other's coordinates."""
        part = other.rigid_body
        if self.mMass + part.mass == 0.0 and not part.is_massless:
            raise RBDLError("cannot join bodies as both have zero mass")
        self._add(transform, part)

    @described(transform=_TO_OTHER)
    def Separate(self, transform: SpatialTransform, other: Body) -> None:
        """Take away what `Join` added."""
        part = other.rigid_body
        without: Any = tuple(tuple(-x for x in row) for row in part.inertia)
        self._add(transform, RigidBody(-part.mass, part.com, without))

    def _add(self, transform: SpatialTransform, part: RigidBody) -> None:
        joined = Body.of(self.rigid_body.joined(part, transform.transform))
        self.mMass: float = joined.mMass
        self.mCenterOfMass: np.ndarray = joined.mCenterOfMass
        self.mInertia = joined.mInertia

    def __repr__(self) -> str:
        com, inertia = self.mCenterOfMass.tolist(), self.mInertia.tolist()
        return f"{type(self).__name__}({self.mMass}, {com}, {inertia})"


class FixedBody(Body):
    """A body merged into the moving one that carries it.

    Attributes
    ----------
    mMovableParent : int
    mParentTransform : SpatialTransform
        From the moving parent's coordinates to this body's.
    """

    @spelled(body="address")
    @described(
        address=("int or Body", "0 for a body of no mass, or the mass properties."),
        model=("Model, optional", "The model it belongs to."),
        movable_parent=("int", "Number of the moving body that carries it."),
        transform=("SpatialTransform, optional", "From the moving parent's coordinates."),
    )
    def __init__(
        self,
        address: Any = 0, model: Fields | None = None, movable_parent: int = 0,
        transform: SpatialTransform | None = None,
    ):  # fmt: skip
        """A body of no mass, or one of a model."""
        if isinstance(address, Body):
            super().__init__(address.mMass, address.mCenterOfMass, address.mInertia)
        else:
            super().__init__(address=address)
        self._model = model
        self.mMovableParent: int = movable_parent
        self.mParentTransform: SpatialTransform = transform or SpatialTransform()

    @property
    def mBaseTransform(self) -> SpatialTransform:
        """From base coordinates to this body's, at the last updated state."""
        if self._model is None:
            raise RBDLError("this fixed body is in no model, so it has no place in the base frame")
        return self.mParentTransform * self._model.X_base[self.mMovableParent]
