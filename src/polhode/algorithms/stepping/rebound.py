"""Rebound after Poisson: a part of each normal impulse of the step comes back.

The second phase begins at the velocities after the first, under the same laws, friction included.
A normal impulse is at least ``e`` times that of the first.  Where both phases together would do
positive work, the second is shortened.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, maximum, minimum, sqrt, when, where
from .blocks import ContactRows, OneSidedRow, RowBlock, velocities
from .solver import Solution, Space, solved


def rebounded(
    space: Space, found: Solution, tolerance: Scalar, failed: Scalar | None = None
) -> Solution:
    """Impulses of both phases, where anything rebounds."""
    blocks = space.blocks
    gives: Scalar = False
    for block, own in zip(blocks, found.x, strict=True):
        gives = gives | (block.restitution * own[0] > 0.0)

    def second(x, w, error):
        after = [b.rebounding(velocities(b, w), own) for b, own in zip(blocks, x, strict=True)]
        start = [
            [block.bounds[1] if k == 0 and isinstance(block, (OneSidedRow, ContactRows)) else 0.0
             for k in range(len(block.y))] for block in after
        ]  # fmt: skip
        more = solved(space.of(after), start, tolerance, failed)
        share = _share(blocks, after, found, more)
        both = [
            [a + share * b for a, b in zip(p, q, strict=True)]
            for p, q in zip(x, more.x, strict=True)
        ]
        total = [a + share * b for a, b in zip(w, more.w, strict=True)]
        return both, total, maximum(error, more.error)

    return Solution(*when(gives, second, found.x, found.w, found.error))


def _share(
    blocks: Sequence[RowBlock], after: Sequence[RowBlock], first: Solution, second: Solution
) -> Scalar:
    """The part of the second phase with which both do no positive work, at most one.

    The work of a part ``s`` is ``c + b s + a s^2``.
    """
    a: Scalar = 0.0
    b: Scalar = 0.0
    c: Scalar = 0.0
    for block, later, x1, x2 in zip(blocks, after, first.x, second.x, strict=True):

        def add(a, b, c, block=block, later=later, x1=x1, x2=x2):
            u2 = velocities(later, second.w)
            for u0, u1, u, p, q in zip(block.free, later.free, u2, x1, x2, strict=True):
                c = c + 0.5 * p * (u0 + u1)
                b = b + q * u1
                a = a + 0.5 * q * (u - u1)
            return a, b, c

        a, b, c = when(block.is_near, add, a, b, c)
    c = minimum(c, 0.0)
    gains = (a + b + c > 0.0) & (a > 0.0)
    root = sqrt(maximum(b * b - 4.0 * a * c, 0.0))
    share = (root - b) / (2.0 * where(gains, a, 1.0))
    return where(gains, maximum(minimum(share, 1.0), 0.0), 1.0)
