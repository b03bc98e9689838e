"""Lie derivatives of inertia and Coriolis matrix along a joint's motion.

A particle at ``r`` with velocity ``rd`` moves by ``s(r) = l + w x r``, and its velocity changes by
``w x rd + psid(r)``. Inertias and Coriolis matrices are sums over particles, and their changes are
sums of the same form.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...spatial import Coriolis, Force, Inertia, Mat3, Motion, Sym3, Vec3


def lie_inertia(I: Inertia, s: Motion) -> Inertia:
    """``crf(s) I - I crm(s)``: the rate of a composite inertia along a step ``s``."""
    spun = s.ang.skew() @ I.moments().M.full() + s.lin.outer(I.h)
    both = spun + spun.T  # the second moments' rate
    rotational = Mat3.identity() * (s.lin.dot(I.h) * 2.0) - both
    return Inertia(0.0, s.ang.cross(I.h) + s.lin * I.m, Sym3.lower(rotational))


def lie_coriolis(I: Inertia, B: Coriolis, s: Motion, psid: Motion) -> Coriolis:
    """The rate of a composite Coriolis matrix along a step ``s`` that adds velocity ``psid``."""
    w, faster = s.ang.skew(), Coriolis.of(I, psid)
    carried = w @ B.K - B.K @ w + B.p.outer(s.lin)
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
