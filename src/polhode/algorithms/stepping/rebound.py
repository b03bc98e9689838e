"""Rebound after Poisson: a part of each normal impulse of the step comes back.

The second phase begins at the velocities after the first, under the same laws, friction included.
A normal impulse is at least ``e`` times that of the first.  Where both phases together would do
positive work, the second is shortened.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, maximum, minimum, sqrt, when, where
from .blocks import ContactRows, OneSidedRow, RowChunk, velocities
from .solver import Solution, solved


def rebounded(chunks: Sequence[RowChunk], found: Solution, nv: int, tolerance: Scalar) -> Solution:
    """Impulses of both phases, where anything rebounds."""
    gives: Scalar = False
    for chunk, parts in zip(chunks, found.x, strict=True):
        for block, x in zip(chunk.blocks, parts, strict=True):
            gives = gives | (block.restitution * x[0] > 0.0)

    def second(x, w, error):
        after = [
            RowChunk(chunk.is_near, [b.rebounding(velocities(b, w), own)
                                  for b, own in zip(chunk.blocks, parts, strict=True)])
            for chunk, parts in zip(chunks, x, strict=True)
        ]  # fmt: skip
        start = [
            [[block.bounds[1] if k == 0 and isinstance(block, (OneSidedRow, ContactRows)) else 0.0
              for k in range(len(block.y))] for block in chunk.blocks]
            for chunk in after
        ]  # fmt: skip
        more = solved(after, start, nv, tolerance)
        share = _share(chunks, after, found, more)
        both = [
            [
                [a + share * b for a, b in zip(p, q, strict=True)]
                for p, q in zip(mine, yours, strict=True)
            ]
            for mine, yours in zip(x, more.x, strict=True)
        ]
        total = [a + share * b for a, b in zip(w, more.w, strict=True)]
        return both, total, maximum(error, more.error)

    return Solution(*when(gives, second, found.x, found.w, found.error))


def _share(
    chunks: Sequence[RowChunk], after: Sequence[RowChunk], first: Solution, second: Solution
) -> Scalar:
    """The part of the second phase with which both do no positive work, at most one.

    The work of a part ``s`` is ``c + b s + a s^2``.
    """
    a: Scalar = 0.0
    b: Scalar = 0.0
    c: Scalar = 0.0
    for n, chunk in enumerate(chunks):

        def add(a, b, c, n=n, chunk=chunk):
            for k, block in enumerate(chunk.blocks):
                x1, x2 = first.x[n][k], second.x[n][k]
                u2 = velocities(after[n].blocks[k], second.w)
                for u0, u1, u, p, q in zip(
                    block.free, after[n].blocks[k].free, u2, x1, x2, strict=True
                ):
                    c = c + 0.5 * p * (u0 + u1)
                    b = b + q * u1
                    a = a + 0.5 * q * (u - u1)
            return a, b, c

        a, b, c = when(chunk.is_near, add, a, b, c)
    c = minimum(c, 0.0)
    gains = (a + b + c > 0.0) & (a > 0.0)
    root = sqrt(maximum(b * b - 4.0 * a * c, 0.0))
    share = (root - b) / (2.0 * where(gains, a, 1.0))
    return where(gains, maximum(minimum(share, 1.0), 0.0), 1.0)
