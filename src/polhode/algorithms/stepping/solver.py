"""Impulses that fulfil the laws of all blocks: Newton's method, and a few sweeps.

All is computed in coordinates where the inertia is the identity.  A row costs what its joints cost,
however many others there are, and a block that no world needs is skipped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from ...scalar import Scalar, absolute, maximum, repeat, when, where
from .attempts import FIRST_PROX, LATER, SMALL, first_prox, newton_steps
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
from .impulse_space import ImpulseSpace

LEAST_PROX = 1e-6
FALL, RISE = 0.3, 3.0  # of the proximal parameter from step to step
RISE_OF_ROUNDS = 10.0
ENOUGH = 100.0
"""An error in units of the tolerance that counts as solved where steps make it little less."""

POINT = 3  # rows of a point without torsional or rolling friction

LITTLE_LESS = 0.5  # of the error after a step, beside that before it

PUSHES = 3  # sweeps over overlaps; what is left is the next step's


class Space(Protocol):
    """Where impulses are sought: `VelocitySpace` or `ImpulseSpace`.

    ``state`` is what impulses do to velocities.
    """

    blocks: Sequence[RowBlock]
    nv: int

    def begun(self, x: Impulses) -> tuple[Impulses, Any]: ...
    def approached(self, x: Impulses, state: Any, /) -> tuple[Impulses, Any]: ...
    def newton_step(self, x: Impulses, state: Any, prox: Scalar, /) -> tuple[Impulses, Any]: ...
    def error(self, x: Impulses, state: Any, /) -> Scalar: ...
    def total(self, x: Impulses, state: Any, /) -> list[Scalar]: ...
    def of(self, blocks: Sequence[RowBlock]) -> Space: ...


class Patience(NamedTuple):
    """How long impulses are sought before a world is left to the exact solver.

    Attributes
    ----------
    steps : scalar
        Of Newton's method, in a round.
    most : int
        The greatest value of ``steps``.
    rounds : int
        Of sweeps and Newton's method, each with a greater proximal parameter.
    prox : scalar
        The first proximal parameter.
    """

    steps: Scalar
    most: int
    rounds: int
    prox: Scalar

    @classmethod
    def of(cls, space: Space, failed: Scalar | None) -> Patience:
        """As long as that takes less time for a register than the exact solver for one world.

        That takes ten times as long where points have torques.  ``failed`` is how many `attempts`
        have failed, of a step that begins again.
        """
        if failed is not None:
            return cls(newton_steps(failed), LATER, 1, first_prox(failed))
        if space.nv <= SMALL or any(len(block.y) > POINT for block in space.blocks):
            steps, rounds = 16, 6
        else:
            steps, rounds = (8, 4) if isinstance(space, ImpulseSpace) else (6, 1)
        return cls(steps, steps, rounds, FIRST_PROX)


class Solution(NamedTuple):
    """Impulses of all blocks, what they do, and how far from the laws they are.

    ``error`` is the greatest velocity by which a row is off its law [m/s or rad/s].
    """

    x: Impulses
    w: list[Scalar]
    error: Scalar


def solved(
    space: Space, x: Impulses, tolerance: Scalar, failed: Scalar | None = None,
    shares_loads: bool = False,
) -> Solution:  # fmt: skip
    """Impulses that fulfil all laws, sought from ``x``; ``failed`` is that of `Patience`.

    Sweeps come before Newton's method.  Where bodies may share loads in many ways they come after
    it.  They would load those points most that come first; a grasp would end at a single one.
    """
    x, state = space.begun(x)
    if not space.blocks:
        return Solution([], space.total(x, state), 0.0)
    patience = Patience.of(space, failed)
    if patience.rounds == 1:
        swept = failed > 0.0 if shares_loads and failed is not None else True
        x, state = when(swept, space.approached, x, state)
        x, state, error = _sought(space, (x, state), tolerance, patience)
        return Solution(x, space.total(x, state), error)

    def round_of(found):
        x, state, _, prox, rounds = found
        x, state = when(rounds > 0.0 if shares_loads else True, space.approached, x, state)
        own = patience._replace(prox=prox)
        return *_sought(space, (x, state), tolerance, own), prox * RISE_OF_ROUNDS, rounds + 1.0

    def polished(x, state, _):
        x, state = space.approached(x, state)
        return x, state, space.error(x, state)

    begun = x, state, math.inf, patience.prox, 0.0
    x, state, error, *_ = repeat(round_of, begun, lambda s: s[2] < tolerance, patience.rounds)
    if shares_loads:
        x, state, error = when(error < tolerance, polished, x, state, error)
    return Solution(x, space.total(x, state), error)


def _sought(
    space: Space,
    start: tuple[Impulses, Any],
    tolerance: Scalar,
    patience: Patience,
) -> tuple[Impulses, Any, Scalar]:
    """Impulses after Newton's method, what they do, and their error.

    Where rows contradict each other by rounding, the error stays above the tolerance.
    """
    x, state = start

    def turn(found):
        x, state, last, prox, _, *left = found
        x, state = space.newton_step(x, state, prox)
        error = space.error(x, state)
        is_slow = (error < ENOUGH * tolerance) & (error > LITTLE_LESS * last)
        is_done = (error < tolerance) | is_slow
        if left:
            left = [left[0] - 1.0]
            is_done = is_done | (left[0] <= 0.0)
        return x, state, error, next_prox(prox, error, last), is_done, *left

    error = space.error(x, state)
    left = [] if isinstance(patience.steps, int) else [patience.steps]
    begun = x, state, error, patience.prox, error < tolerance, *left
    return repeat(turn, begun, lambda found: found[4], patience.most)[:3]


def next_prox(prox: Scalar, error: Scalar, last: Scalar) -> Scalar:
    """The proximal parameter of the next step."""
    return where(error < last, maximum(prox * FALL, LEAST_PROX), prox * RISE)


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
