"""Dynamics of plane trees over vectors of three, written out: what a plane program may cost."""

from __future__ import annotations

from typing import Any, NamedTuple

from polhode import spatial_v2 as sv
from polhode.scalar import cos, sin


class Turn(NamedTuple):
    """A coordinate transform of the plane: cosine, sine, and place."""

    c: Any
    s: Any
    x: Any
    y: Any

    def motion(self, m):
        w, a, b = m
        a, b = a - w * self.y, b + w * self.x
        return w, self.c * a + self.s * b, self.c * b - self.s * a

    def force(self, f):
        n, a, b = f
        a, b = self.c * a - self.s * b, self.s * a + self.c * b
        return n + self.x * b - self.y * a, a, b

    def after(self, other: Turn) -> Turn:
        """This transform after another one: joint after tree."""
        c = self.c * other.c - self.s * other.s
        s = self.s * other.c + self.c * other.s
        x = other.x + (other.c * self.x - other.s * self.y)
        y = other.y + (other.s * self.x + other.c * self.y)
        return Turn(c, s, x, y)

    def inertia(self, A):
        """``X^T A X`` of a symmetric matrix, as its entries (J, hx, hy, xx, xy, yy)."""
        J, hx, hy, xx, xy, yy = A
        c, s = self.c, self.s
        hx, hy = c * hx - s * hy, s * hx + c * hy
        a, b, d, e = xx * c - xy * s, xx * s + xy * c, xy * c - yy * s, xy * s + yy * c
        xx, xy, yy = c * a - s * d, c * b - s * e, s * b + c * e
        ax, ay = xx * self.y - xy * self.x, xy * self.y - yy * self.x
        J = J - 2.0 * (self.y * hx - self.x * hy) + self.y * ax - self.x * ay
        return J, hx - ax, hy - ay, xx, xy, yy


def add(a, b):
    return tuple(x + y for x, y in zip(a, b, strict=True))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True) if not _is_zero(x))


def _is_zero(x: Any) -> bool:
    return isinstance(x, float) and x == 0.0


def times(A, m):
    """The force ``A m`` of an inertia (J, hx, hy, xx, xy, yy)."""
    J, hx, hy, xx, xy, yy = A
    w, a, b = m
    return J * w + hx * a + hy * b, hx * w + xx * a + xy * b, hy * w + xy * a + yy * b


def crm(v, m):
    w, a, b = v
    return 0.0, b * m[0] - w * m[2], w * m[1] - a * m[0]


def crf(v, f):
    w, a, b = v
    return a * f[2] - b * f[1], -(w * f[2]), w * f[1]


class Plane:
    """A plane system model as numbers for each body, in the book's tables."""

    def __init__(self, model: sv.SystemModel):
        self.parent = [p - 1 for p in model.parent]
        self.codes = list(model.jtype)
        self.tree = []
        for X in model.Xtree:
            _, (x, y) = sv.plnr(X)
            self.tree.append(Turn(X[1, 1].item(), X[1, 2].item(), float(x), float(y)))
        self.I = [
            (I[0, 0].item(), I[0, 1].item(), I[0, 2].item(), I[1, 1].item(), 0.0, I[2, 2].item())
            for I in model.I
        ]
        gx, gy = model.gravity[:2].tolist() if "gravity" in model else (0.0, 0.0)
        self.up = 0.0, -gx, -gy

    def joint(self, i, q):
        if self.codes[i] == "r":
            return Turn(cos(q), sin(q), 0.0, 0.0), (1.0, 0.0, 0.0)
        along = (1.0, 0.0) if self.codes[i] == "px" else (0.0, 1.0)
        return Turn(1.0, 0.0, along[0] * q, along[1] * q), (0.0, *along)

    def outward(self, q, qd, accelerate):
        X, S, v, a = [], [], [], []
        for i, p in enumerate(self.parent):
            XJ, s = self.joint(i, q[i])
            X.append(XJ.after(self.tree[i]))
            S.append(s)
            vJ = tuple(x * qd[i] for x in s)
            v.append(add(X[i].motion(v[p]), vJ) if p >= 0 else vJ)
            a.append(accelerate(i, X[i], a[p] if p >= 0 else self.up, s, crm(v[i], vJ)))
        return X, S, v, a

    def rnea(self, q, qd, qdd):
        X, S, v, a = self.outward(
            q, qd, lambda i, X, a, s, c: add(add(X.motion(a), tuple(x * qdd[i] for x in s)), c)
        )
        f = [add(times(I, a), crf(v, times(I, v))) for I, v, a in zip(self.I, v, a, strict=True)]
        tau = [0.0] * len(f)
        for i in reversed(range(len(f))):
            tau[i] = dot(S[i], f[i])
            if self.parent[i] >= 0:
                f[self.parent[i]] = add(f[self.parent[i]], X[i].force(f[i]))
        return tau

    def aba(self, q, qd, tau):
        X, S, v, c = self.outward(q, qd, lambda i, X, a, s, c: c)
        IA = list(self.I)
        pA = [crf(v, times(I, v)) for I, v in zip(self.I, v, strict=True)]
        n = len(IA)
        U, d, u, a = [()] * n, [0.0] * n, [0.0] * n, [()] * n
        for i in reversed(range(n)):
            p = self.parent[i]
            U[i] = times(IA[i], S[i])
            d[i] = 1.0 / dot(S[i], U[i])
            u[i] = tau[i] - dot(S[i], pA[i])
            if p < 0:
                continue
            (x, y, z), k = U[i], d[i]
            gone = x * x * k, x * y * k, x * z * k, y * y * k, y * z * k, z * z * k
            Ia = tuple(0.0 if self.blind(i, row) else b - g
                       for row, b, g in zip(range(6), IA[i], gone, strict=True))  # fmt: skip
            pa = add(add(pA[i], times(Ia, c[i])), tuple(t * (u[i] * k) for t in U[i]))
            IA[p] = add(IA[p], X[i].inertia(Ia))
            pA[p] = add(pA[p], X[i].force(pa))
        qdd = []
        for i, p in enumerate(self.parent):
            free = add(X[i].motion(a[p] if p >= 0 else self.up), c[i])
            qdd.append((u[i] - dot(U[i], free)) * d[i])
            a[i] = add(free, tuple(s * qdd[i] for s in S[i]))
        return qdd

    def blind(self, i: int, entry: int) -> bool:
        """Whether an entry of ``Ia`` vanishes because the joint transmits no force there."""
        blind = {"r": (0, 1, 2), "px": (1, 3, 4), "py": (2, 4, 5)}[self.codes[i]]
        return entry in blind
