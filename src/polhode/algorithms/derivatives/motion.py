"""The motion of a model in base coordinates, and its changes along each joint coordinate.

A unit step along coordinate ``k`` of body ``i`` moves all that body ``i`` carries with the motion
``s``.  It also changes the velocity of each of these bodies by ``psid``, and the acceleration of
one with velocity ``v`` by ``psidd + psid x v``.  Derivatives by position need nothing else, since
joints are first split into ones whose subspace moves with the body: equations (1) to (5) of
``docs/derivations/second-derivatives.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...model import Model, PerBody
from ...spatial import Coriolis, Force, Inertia, Motion, Subspace, Transform


class Column(NamedTuple):
    """Coordinate ``k``: its motion subspace column and what derivatives make of it."""

    k: int
    body: int
    s: Motion
    psid: Motion
    psidd: Motion
    psid_sd: Motion


@dataclass(frozen=True)
class Sweep:
    """A state of a model whose joints have been split, by its bodies.

    ``origin`` gives for each of its velocities the coordinate of the original model, and
    ``body_of`` the split body for each body of the original model.  ``a`` has gravity in it, as a
    fictitious acceleration of the base.
    """

    model: Model
    origin: Sequence[int]
    body_of: dict[int, int]
    X_0: PerBody
    v: PerBody
    a: PerBody
    columns: dict[int, list[Column]]

    def path(self, body: int) -> Iterator[Column]:
        """The columns of the joints that carry a body, its own first."""
        while body:
            yield from self.columns[body]
            body = self.model.parent[body]

    def inertia(self, body: int) -> Inertia:
        """Of one body, in base coordinates."""
        X = self.X_0[body]
        return X.T @ self.model.inertia[body] @ X


def sweep(model: Model, q: PerBody, qd: PerBody | None = None, qdd: PerBody | None = None) -> Sweep:
    """The state of a model; omitted arguments are zero."""
    split, axes_of = model.with_constant_subspaces()
    origin = [model.coordinate_of_axis[k] for k in axes_of]
    q = gather_positions(split, model, origin, q)
    qd, qdd = (gather(split, model, origin, rates) for rates in (qd, qdd))
    X_0, v, a = {0: Transform.identity()}, {0: Motion.zero()}, {0: -model.gravity}
    columns: dict[int, list[Column]] = {}
    for i in split.bodies:
        p = split.parent[i]
        XJ, S, _, _ = split.joint[i].jcalc(q[i])
        X_0[i] = XJ @ split.X_tree[i] @ X_0[p]
        axes = Subspace(tuple(X_0[i].to_parent(column) for column in S.columns))
        vJ, aJ = axes @ qd[i], axes @ qdd[i]
        v[i] = v[p] + vJ
        a[i] = a[p] + aJ + v[p].cross(vJ)
        columns[i] = [
            _column(k, i, s, v[p], a[p], v[i])
            for k, s in zip(split.v_index[i], axes.columns, strict=True)
        ]
    return Sweep(split, origin, _bodies(model, split, axes_of), X_0, v, a, columns)


@dataclass(frozen=True, slots=True)
class Composite:
    """Sums over a body and all that it carries: inertia, Coriolis matrix, and net force."""

    I: Inertia
    B: Coriolis
    f: Force

    def __add__(self, other: Composite) -> Composite:
        return Composite(self.I + other.I, self.B + other.B, self.f + other.f)


def composites(at: Sweep) -> Iterator[tuple[int, Composite]]:
    """Sums for each body in base coordinates, from tips to base, each computed on demand."""
    total: dict[int, Composite] = {}
    for i in reversed(at.model.bodies):
        composite = total.pop(i) if i in total else _own(at, i)
        yield i, composite
        p = at.model.parent[i]
        if p:
            total[p] = (total[p] if p in total else _own(at, p)) + composite


def _own(at: Sweep, body: int) -> Composite:
    I, v, a = at.inertia(body), at.v[body], at.a[body]
    return Composite(I, Coriolis.of(I, v), I.net_force(v, a))


def subtree_sums(model: Model, own: PerBody, zero: Any) -> dict[int, Any]:
    """Each body's value with those of all that it carries, the base's included."""
    total = {0: zero, **own}
    for i in reversed(model.bodies):
        total[model.parent[i]] += total[i]
    return total


def _column(k: int, body: int, s: Motion, v_p: Motion, a_p: Motion, v: Motion) -> Column:
    psid = v_p.cross(s)
    return Column(k, body, s, psid, a_p.cross(s) + v_p.cross(psid), psid + v.cross(s))


def gather_positions(split: Model, model: Model, origin: Sequence[int], q: PerBody) -> PerBody:
    """Positions of the split model: repeated where a joint was split, quaternions unchanged."""
    whole = model.join_q(q)
    return split.split_q([whole[k] for k in origin] + whole[model.nv :])


def gather(split: Model, model: Model, origin: Sequence[int], rates: PerBody | None) -> PerBody:
    """Rates of the split model: repeated where a joint was split."""
    if rates is None:
        return split.split_v([0.0] * split.nv)
    whole = model.join_v(rates)
    return split.split_v([whole[k] for k in origin])


def _bodies(model: Model, split: Model, axes_of: list[int]) -> dict[int, int]:
    """For each body the one that its joint, split, moves last: the two coincide."""
    last = {axes_of[k]: i for i in split.bodies for k in split.v_index[i]}
    return {0: 0} | {i: last[model.axis_index[i][-1]] for i in model.bodies}
