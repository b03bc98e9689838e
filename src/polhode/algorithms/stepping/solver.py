"""Impulses that fulfil the laws of all blocks: a few sweeps, then Newton's method.

All is computed in coordinates where the inertia is the identity.  A row costs what its joints cost,
however many others there are, and a block that no world needs is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...scalar import Scalar, maximum, reciprocal, repeat, when
from .blocks import Block, along, moved, where_near
from .newton import FIRST_PROX, Parts, greatest_error, newton_step, next_prox

SWEEPS = 8  # before Newton's method
STEPS = 20  # of Newton's method at most
PUSHES = 4  # sweeps over overlaps; what is left is the next step's


class Solution(NamedTuple):
    """Impulses of all rows in order, what they do, and how far from the laws they are.

    ``error`` is the greatest velocity by which a row is off its law [m/s or rad/s].
    """

    x: list[Scalar]
    w: list[Scalar]
    error: Scalar


def solved(blocks: Sequence[Block], x: Sequence[Scalar], nv: int, tolerance: Scalar) -> Solution:
    """Impulses that fulfil all laws, sought from ``x``."""
    parts, w = _begun(blocks, x, nv)
    if not blocks:
        return Solution([], w, 0.0)
    for _ in range(SWEEPS):
        parts, w = swept(blocks, parts, w)

    def turn(state):
        parts, w, last, prox = state
        parts, w = newton_step(blocks, parts, w, prox)
        error = greatest_error(blocks, parts, w)
        return parts, w, error, next_prox(prox, error, last)

    start = parts, w, greatest_error(blocks, parts, w), FIRST_PROX
    parts, w, error, _ = repeat(turn, start, lambda state: state[2] < tolerance, STEPS)
    return Solution([a for own in parts for a in own], w, error)


def swept(blocks: Sequence[Block], x: Parts, w: list[Scalar]) -> tuple[Parts, list[Scalar]]:
    """Impulses and what they do after each block has been solved once (Gauss and Seidel)."""
    found = []
    for block, own in zip(blocks, x, strict=True):
        w, own = where_near(block, block.relaxed, w, own)
        found.append(own)
    return found, w


def pushed(blocks: Sequence[Block], nv: int) -> list[Scalar]:
    """What takes a part of all overlaps out: the least ``w`` of impulses along normals."""
    pushing = [block for block in blocks if not isinstance(block.push, float)]
    w: list[Scalar] = [0.0] * nv
    if not pushing:
        return w

    def turn(state):
        impulses, w = state
        found = []
        for block, impulse in zip(pushing, impulses, strict=True):

            def push(w, impulse, block=block):
                y = block.y[0]
                u = along(y, w, -block.push)
                new = maximum(impulse - u * reciprocal(along(y, y)), 0.0)
                return moved(w, y, new - impulse), new

            w, impulse = where_near(block, push, w, impulse)
            found.append(impulse)
        return found, w

    overlaps: Scalar = False
    for block in pushing:
        overlaps = overlaps | (block.push > 0.0)
    start = [0.0] * len(pushing), w
    return when(overlaps, lambda *s: repeat(turn, s, lambda _: False, PUSHES), *start)[1]


def _begun(blocks: Sequence[Block], x: Sequence[Scalar], nv: int) -> tuple[Parts, list[Scalar]]:
    """Impulses to begin with, none where nothing is near, and what they do."""
    parts: Parts = []
    w: list[Scalar] = [0.0] * nv
    at = 0
    for block in blocks:
        given = list(x[at : at + len(block.y)])
        at += len(given)

        def warm(w, _, block=block, given=given):
            for y, impulse in zip(block.y, given, strict=True):
                w = moved(w, y, impulse)
            return w, given

        w, own = where_near(block, warm, w, [0.0] * len(given))
        parts.append(own)
    return parts, w
