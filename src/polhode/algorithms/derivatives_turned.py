"""What a step along a coordinate does to the moments of mass that it carries.

A particle at ``r`` with velocity ``rd`` moves by ``s(r) = l + w x r``, and its velocity changes
by ``w x rd + s1(r)``: inertias and Coriolis matrices, being sums over particles, change into
sums of the same form.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..spatial import Coriolis, Force, Inertia, Mat3, Motion, Sym3, Vec3


def turned_inertia(I: Inertia, s: Motion) -> Inertia:
    """The rate ``s x* I - I s x`` of a composite inertia along a step ``s``."""
    spun = s.ang.skew() @ I.moments().M.full() + s.lin.outer(I.h)
    both = spun + spun.T  # the second moments' rate
    rotational = Mat3.identity() * (s.lin.dot(I.h) * 2.0) - both
    return Inertia(0.0, s.ang.cross(I.h) + s.lin * I.m, Sym3.lower(rotational))


def turned_coriolis(I: Inertia, B: Coriolis, s: Motion, s1: Motion) -> Coriolis:
    """The rate of a composite Coriolis matrix along a step ``s`` that adds the velocity ``s1``."""
    turn, faster = s.ang.skew(), Coriolis.of(I, s1)
    carried = turn @ B.K - B.K @ turn + B.p.outer(s.lin)
    return Coriolis(carried + faster.K, s.ang.cross(B.p) + faster.p)


@dataclass(frozen=True, slots=True)
class Response:
    """``v -> B(I, v)^T s``, linear in the velocity ``v``; a moment without a force."""

    by_spin: Mat3
    arm: Vec3

    @classmethod
    def of(cls, I: Inertia, s: Motion) -> Response:
        w, u = s.ang * 2.0, s.lin * 2.0
        by_spin = u.skew() @ I.h.skew() - I.moments().M.full() @ w.skew()
        return cls(by_spin, w.cross(I.h) + u * I.m)

    def __matmul__(self, v: Motion) -> Force:
        return Force(self.by_spin @ v.ang + v.lin.cross(self.arm), Vec3.zero())
