"""RBDL's bodies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model import RigidBody
from .errors import RBDLError, RBDLInvalidParameterError
from .spatial import SpatialTransform

if TYPE_CHECKING:
    from .state import Fields


class Body:
    """Mass, centre of mass, and inertia about it, in body coordinates.

    ``Body()`` has none of them; ``Body(mass, com, inertia)`` takes a 3x3 inertia, or three
    radii of gyration, which RBDL puts on the diagonal of the inertia as they are.

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
    ):
        inertia = np.array(inertia, dtype=float)
        self.mMass = float(mass)
        self.mCenterOfMass = np.array(com, dtype=float)
        self.mInertia = np.diag(inertia) if inertia.shape == (3,) else inertia
        self.mIsVirtual = is_virtual
        if self.mCenterOfMass.shape != (3,) or self.mInertia.shape != (3, 3):
            raise RBDLInvalidParameterError(
                "expected a centre of mass of 3 numbers and a 3x3 inertia, got shapes "
                f"{self.mCenterOfMass.shape} and {self.mInertia.shape}"
            )
        if not math.isfinite(self.mMass) or not np.isfinite(self.mInertia).all():
            raise RBDLInvalidParameterError("expected a finite mass and inertia")

    @classmethod
    def fromMassComInertia(cls, mass: float, com: Any, inertia: Any) -> Body:
        """From mass, centre of mass and inertia about it.

        Parameters
        ----------
        mass : float
            Mass [kg].
        com : array_like, shape (3,)
            Centre of mass [m].
        inertia : array_like, shape (3, 3)
            About the centre of mass [kg m^2].

        Returns
        -------
        body : Body
            The body.
        """
        return cls(mass, com, inertia)

    @classmethod
    def of(cls, body: RigidBody) -> Body:
        """From the mass properties of `polhode.model`.

        Parameters
        ----------
        body : polhode.model.RigidBody
            Mass, centre of mass and inertia.

        Returns
        -------
        body : Body
            The body.
        """
        return cls(body.mass, body.com, body.inertia)

    @property
    def rigid_body(self) -> RigidBody:
        """The same as a `polhode.model.RigidBody`."""
        return RigidBody(self.mMass, self.mCenterOfMass.tolist(), self.mInertia.tolist())

    def Join(self, transform: SpatialTransform, other: Body) -> None:
        """Fix ``other`` to this body; ``transform`` leads to the other's coordinates.

        Parameters
        ----------
        transform : SpatialTransform
            From this body's coordinates to the other's.
        other : Body
            The other body.
        """
        self._add(transform, other.rigid_body)

    def Separate(self, transform: SpatialTransform, other: Body) -> None:
        """Take away what `Join` added.

        Parameters
        ----------
        transform : SpatialTransform
            From this body's coordinates to the other's.
        other : Body
            The other body.
        """
        part = other.rigid_body
        without: Any = tuple(tuple(-x for x in row) for row in part.inertia)
        self._add(transform, RigidBody(-part.mass, part.com, without))

    def _add(self, transform: SpatialTransform, part: RigidBody) -> None:
        if part.is_massless:
            return
        if self.mMass + part.mass == 0.0:
            raise RBDLError("cannot join bodies as both have zero mass")
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

    def __init__(self, body: Body, model: Fields, movable_parent: int, transform: SpatialTransform):
        super().__init__(body.mMass, body.mCenterOfMass, body.mInertia)
        self._model = model
        self.mMovableParent: int = movable_parent
        self.mParentTransform: SpatialTransform = transform

    @property
    def mBaseTransform(self) -> SpatialTransform:
        """From base coordinates to this body's, at the last updated state."""
        return self.mParentTransform * self._model.X_base[self.mMovableParent]
