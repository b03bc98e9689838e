"""The matrix by which velocities couple into forces (Singh, Russo, Wensing 2022, eq. 25)."""

from __future__ import annotations

from dataclasses import dataclass

from .inertia import Inertia
from .vec3 import Mat3, Vec3
from .vectors import Force, Motion


@dataclass(frozen=True, slots=True)
class Coriolis:
    """``2 B(I, v) = crf(v) I - I crm(v) + (m -> crf(m) I v)`` of a body or of several.

    Let ``r`` and ``rd`` be the positions and velocities of its particles. It maps a motion with
    angular part ``w`` to the forces ``2 w x rd`` on them. It depends only on the linear momentum
    ``p = sum m rd`` and the moment ``K = sum m rd r^T``.
    """

    K: Mat3
    p: Vec3

    __array_ufunc__ = None

    @classmethod
    def zero(cls) -> Coriolis:
        """Of a body without inertia."""
        return cls(Mat3.zero(), Vec3.zero())

    @classmethod
    def of(cls, inertia: Inertia, v: Motion) -> Coriolis:
        """Of a rigid body that moves."""
        second = inertia.moments().M.full()
        columns = (v.ang.cross(column) for column in second)  # second is symmetric
        K = v.lin.outer(inertia.h) + Mat3(*columns).T
        return cls(K, (inertia @ v).lin)

    def __add__(self, other: Coriolis) -> Coriolis:
        return Coriolis(self.K + other.K, self.p + other.p)

    def __matmul__(self, m: Motion) -> Force:
        w = m.ang * 2.0
        return Force(w * self._trace() - self.K @ w, w.cross(self.p))

    def transposed(self, m: Motion) -> Force:
        """The product of this matrix, transposed, with a motion."""
        w, u = m.ang * 2.0, m.lin * 2.0
        return Force(w * self._trace() - self.K.T @ w + self.p.cross(u), Vec3.zero())

    def _trace(self):
        return self.K.x.x + self.K.y.y + self.K.z.z
