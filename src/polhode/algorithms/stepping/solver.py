"""Impulses that fulfil the laws of all blocks: a few sweeps, then Newton's method.

All is computed in coordinates where the inertia is the identity.  A row costs what its joints cost,
however many others there are, and a block that no world needs is skipped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from ...scalar import Scalar, absolute, maximum, repeat, when, where
from .blocks import (
    ContactRows,
    EqualityRow,
    Impulses,
    OneSidedRow,
    RowBlock,
    along,
    moved,
    where_near,
)
from .newton import FIRST_PROX, greatest_error, newton_step, next_prox

SWEEPS = 3  # before Newton's method
STEPS = 16  # of Newton's method at most
ROUNDS = 6  # of sweeps and Newton's method, each with a greater proximal parameter
RISE = 10.0  # of the proximal parameter from round to round
SMALL = 16
"""Velocities of a model up to which a step has all rounds.

There they take less time for all worlds of a register than the exact solver for one; a larger model
has one round.
"""
PUSHES = 3  # sweeps over overlaps; what is left is the next step's


class Solution(NamedTuple):
    """Impulses of all blocks, what they do, and how far from the laws they are.

    ``error`` is the greatest velocity by which a row is off its law [m/s or rad/s].
    """

    x: Impulses
    w: list[Scalar]
    error: Scalar


def solved(blocks: Sequence[RowBlock], x: Impulses, nv: int, tolerance: Scalar) -> Solution:
    """Impulses that fulfil all laws, sought from ``x``."""
    parts, w = _begun(blocks, x, nv)
    if not blocks:
        return Solution([], w, 0.0)
    rounds = ROUNDS if nv <= SMALL else 1

    def round_of(state):
        parts, w, _, prox = state
        return *_sought(blocks, (parts, w), tolerance, prox), prox * RISE

    if rounds == 1:
        return Solution(*_sought(blocks, (parts, w), tolerance, FIRST_PROX))
    start = parts, w, math.inf, FIRST_PROX
    return Solution(*repeat(round_of, start, lambda state: state[2] < tolerance, rounds)[:3])


def _sought(
    blocks: Sequence[RowBlock],
    start: tuple[Impulses, list[Scalar]],
    tolerance: Scalar,
    first_prox: Scalar,
) -> tuple[Impulses, list[Scalar], Scalar]:
    """Impulses after sweeps and Newton's method, what they do, and their error."""
    parts, w = repeat(lambda state: swept(blocks, *state), start, lambda _: False, SWEEPS)

    def turn(state):
        parts, w, last, prox = state
        parts, w = newton_step(blocks, parts, w, prox)
        error = greatest_error(blocks, parts, w)
        return parts, w, error, next_prox(prox, error, last)

    begun = parts, w, greatest_error(blocks, parts, w), first_prox
    return repeat(turn, begun, lambda state: state[2] < tolerance, STEPS)[:3]


def swept(
    blocks: Sequence[RowBlock], x: Impulses, w: list[Scalar]
) -> tuple[Impulses, list[Scalar]]:
    """Impulses and what they do after each block has been solved once (Gauss and Seidel)."""
    found = []
    for block, own in zip(blocks, x, strict=True):
        w, own = where_near(block, block.relaxed, w, own)
        found.append(own)
    return found, w


def pushed(blocks: Sequence[RowBlock], nv: int) -> list[Scalar]:
    """What takes a part of all overlaps out: the least ``w`` of impulses along normals.

    Equalities come last in each sweep: what leaves an overlap must not open them.
    """
    w: list[Scalar] = [0.0] * nv
    overlaps: Scalar = False
    holds = False
    for block in blocks:
        is_equality = isinstance(block, EqualityRow)
        holds = holds or is_equality
        overlaps = overlaps | ((absolute(block.push) if is_equality else block.push) > 0.0)
    if overlaps is False:
        return w

    def turn(state):
        impulses, w = state
        impulses, w = _pushed_by(blocks, impulses, w, (OneSidedRow, ContactRows))
        if holds:
            impulses, w = _pushed_by(blocks, impulses, w, EqualityRow)
        return impulses, w

    start = [0.0] * len(blocks), w
    return when(overlaps, lambda *s: repeat(turn, s, lambda _: False, PUSHES), *start)[1]


def _pushed_by(
    blocks: Sequence[RowBlock], impulses: list[Scalar], w: list[Scalar], kinds: Any
) -> tuple[list[Scalar], list[Scalar]]:
    """Impulses and ``w`` after all blocks of some kinds have been solved once."""
    found = []
    for block, impulse in zip(blocks, impulses, strict=True):
        if isinstance(block, kinds):
            w, impulse = where_near(block, partial(_pushed_out, block), w, impulse)
        found.append(impulse)
    return found, w


def _pushed_out(block: RowBlock, w: list[Scalar], impulse: Scalar) -> tuple[list[Scalar], Scalar]:
    y = block.y[0]
    after = impulse - along(y, w, -block.push) * block.ease[0]
    if not isinstance(block, EqualityRow):
        after = maximum(after, 0.0)
    return moved(w, y, after - impulse), after


def _begun(blocks: Sequence[RowBlock], x: Impulses, nv: int) -> tuple[Impulses, list[Scalar]]:
    """Impulses to begin with, none where nothing is near, and what they do."""
    found: Impulses = []
    w: list[Scalar] = [0.0] * nv
    for block, given in zip(blocks, x, strict=True):

        def warm(w, _, block=block, given=given):
            own = [where(block.is_near, impulse, 0.0) for impulse in given]
            for y, impulse in zip(block.y, own, strict=True):
                w = moved(w, y, impulse)
            return w, own

        w, own = where_near(block, warm, w, [0.0] * len(given))
        found.append(own)
    return found, w
