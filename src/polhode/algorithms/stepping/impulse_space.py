"""Newton's method for impulses themselves, where few rows are near among many velocities.

What an impulse of one row does to the velocity of another, ``G = Y^T Y``, is computed once in a
step.  With the linear forms ``dx = k - K du`` of all laws and ``du = G dx``,

    (1 + K G) dx = k,

which has as many unknowns as there are rows.  Of rows that are near in no state of a register
nothing is computed (`chains`).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from ...scalar import ANYTHING, Scalar, reciprocal, repeat, when, where
from .blocks import Impulses, RowBlock
from .chains import ChainPart, Chains
from .elimination import PartElimination, with_zeros
from .greatest import greatest
from .inertia import Row
from .small_matrices import Matrix, blank, plus, transposed

SWEEPS = 8  # before rounds of Newton's method; one takes a tenth of a step's time


class ImpulseSpace:
    """Blocks of rows, and what impulses of each part do to the velocities of others.

    ``chains`` have the numbers of the blocks of both chains in order.
    """

    def __init__(self, blocks: Sequence[RowBlock], chains: Sequence[Sequence[int]], nv: int):
        self.blocks: Sequence[RowBlock] = blocks
        self.nv: int = nv
        self.chains: Chains = Chains.of(blocks, chains)
        self.rows: list[list[Row]] = [
            [y for n in part.blocks for y in blocks[n].y] for part in self.chains.parts
        ]
        self.gram: dict[tuple[int, int], Matrix] = {}
        for i, part in enumerate(self.chains.parts):
            self._add_products(i, [*self.chains.before(i), i], part.is_near)
            for j in self.chains.others(i):
                self._add_products(i, [j], self.chains.both_near(i, j))

    def _add_products(self, i: int, js: Sequence[int], near: Scalar) -> None:
        """Add blocks of ``G`` of a part with others."""
        none = [blank(len(self.rows[i]), len(self.rows[j])) for j in js]

        def products(_):
            return [_products(self.rows[i], self.rows[j]) for j in js]

        self.gram |= {(i, j): G for j, G in zip(js, when(near, products, none), strict=True)}

    def of(self, blocks: Sequence[RowBlock]) -> ImpulseSpace:
        """The same of blocks with the same rows."""
        space = copy(self)
        space.blocks = blocks
        return space

    def begun(self, x: Impulses) -> tuple[Impulses, Matrix]:
        """Impulses to begin with, none where nothing is near, and the velocities of all rows."""
        found = [
            [where(block.is_near, impulse, 0.0) for impulse in own]
            for block, own in zip(self.blocks, x, strict=True)
        ]
        free = [
            [where(part.is_near, u, 0.0) for n in part.blocks for u in self.blocks[n].free]
            for part in self.chains.parts
        ]
        return found, self._moved(free, [_of_part(part, found) for part in self.chains.parts])

    def _moved(self, u: Matrix, x: Sequence[Sequence[Scalar]]) -> Matrix:
        """Velocities ``u + G x``."""
        u = [list(own) for own in u]
        for i, part in enumerate(self.chains.parts):
            before = self.chains.before(i)

            def add(own, earlier, i=i, before=before):
                for j in before:
                    own = plus(own, self.gram[i, j], x[j])
                own = plus(own, self.gram[i, i], x[i])
                return own, self._led(i, before, earlier, x[i])

            u[i], earlier = when(part.is_near, add, u[i], [u[j] for j in before])
            for j, rates in zip(before, earlier, strict=True):
                u[j] = rates
            others = self.chains.others(i)

            def both(j, own, other, i=i):
                return plus(own, self.gram[i, j], x[j]), *self._led(i, [j], [other], x[i])

            u[i], after = self.chains.of_others(i, both, u[i], [u[j] for j in others])
            for j, rates in zip(others, after, strict=True):
                u[j] = rates
        return u

    def _led(
        self, i: int, js: Sequence[int], u: Sequence[list[Scalar]], x: Sequence[Scalar]
    ) -> Matrix:
        """Velocities of parts before part ``i`` after its impulses have changed by ``x``."""
        return [plus(v, transposed(self.gram[i, j]), x) for j, v in zip(js, u, strict=True)]

    def approached(self, x: Impulses, u: Matrix) -> tuple[Impulses, Matrix]:
        """Impulses after a few sweeps, in which each block is solved in turn (Gauss, Seidel)."""
        return repeat(lambda state: self._swept(*state), (x, u), lambda _: False, SWEEPS)

    def _swept(self, x: Impulses, u: Matrix) -> tuple[Impulses, Matrix]:
        x, u = list(x), list(u)
        change: Matrix = [[0.0] * len(rows) for rows in self.rows]
        for i, part in enumerate(self.chains.parts):
            before, others = self.chains.before(i), self.chains.others(i)

            def follow(j, own, other, i=i):
                return plus(own, self.gram[i, j], change[j]), other

            u[i], _ = self.chains.of_others(i, follow, u[i], [u[j] for j in others])

            def relax(own, _, earlier, impulses, i=i, part=part, before=before):
                for j in before:
                    own = plus(own, self.gram[i, j], change[j])
                own, dx, impulses = self._relaxed(part, own, impulses, self.gram[i, i])
                return own, dx, self._led(i, before, earlier, dx), impulses

            given = [u[j] for j in before], [x[n] for n in part.blocks]
            u[i], change[i], earlier, found = when(part.is_near, relax, u[i], change[i], *given)
            for j, rates in zip(before, earlier, strict=True):
                u[j] = rates
            for n, impulses in zip(part.blocks, found, strict=True):
                x[n] = impulses

            def lead(j, own, other, i=i):
                return own, *self._led(i, [j], [other], change[i])

            _, after = self.chains.of_others(i, lead, u[i], [u[j] for j in others])
            for j, rates in zip(others, after, strict=True):
                u[j] = rates
        return x, u

    def _relaxed(
        self, part: ChainPart, u: Sequence[Scalar], x: Sequence[list[Scalar]], G: Matrix
    ) -> tuple[list[Scalar], list[Scalar], list[list[Scalar]]]:
        """Velocities, changes and impulses of a part after each of its blocks has been solved."""
        u, changes, found = list(u), [], []
        for n, own in zip(part.blocks, x, strict=True):
            first, last = len(changes), len(changes) + len(own)
            products = [line[first:last] for line in G[first:last]]
            new = self.blocks[n].relaxed(u[first:last], own, products)
            change = [a - b for a, b in zip(new, own, strict=True)]
            u = plus(u, [line[first:last] for line in G], change)
            changes += change
            found.append(new)
        return u, changes, found

    def newton_step(self, x: Impulses, u: Matrix, prox: Scalar) -> tuple[Impulses, Matrix]:
        """Impulses after a full step, and the velocities of all rows."""
        stiffness = reciprocal(prox)
        forms = [self._form(part, x, v, stiffness)
                 for part, v in zip(self.chains.parts, u, strict=True)]  # fmt: skip
        k, K = zip(*forms, strict=True)
        change = PartElimination(self.chains, self.gram, K, k).solution()
        after = list(x)
        for part, own in zip(self.chains.parts, change, strict=True):
            for n, dx in self._by_block(part, own):
                after[n] = [a + b for a, b in zip(x[n], dx, strict=True)]
        return after, self._moved(u, change)

    def _form(
        self, part: ChainPart, x: Impulses, u: Sequence[Scalar], stiffness: Scalar
    ) -> tuple[list[Scalar], Matrix]:
        """``k`` and ``K`` of a part."""
        n = part.n_rows
        zeros: Matrix = []

        def form(*_):
            k: list[Scalar] = []
            K: Matrix = [[0.0] * n for _ in range(n)]
            for number, rates in self._by_block(part, u):
                own, slopes = self.blocks[number].linear(rates, x[number], stiffness)
                at = len(k)
                for r, line in enumerate(slopes):
                    K[at + r][at : at + len(line)] = line
                k += own
            zeros[:] = K
            return k, [a for line in K for a in line]

        k, numbers = when(part.is_near, form, [ANYTHING] * n, [ANYTHING] * (n * n))
        return k, with_zeros(zeros, numbers)

    def error(self, x: Impulses, u: Matrix) -> Scalar:
        """How far the rows are from their laws at most, as a velocity."""
        errors: list[Scalar] = [0.0]
        for part, own in zip(self.chains.parts, u, strict=True):

            def of_part(_, part=part, own=own):
                return greatest([self.blocks[n].error(rates, x[n])
                                 for n, rates in self._by_block(part, own)])  # fmt: skip

            errors.append(when(part.is_near, of_part, 0.0))
        return greatest(errors)

    def _by_block(self, part: ChainPart, own: Sequence[Scalar]) -> list[tuple[int, list[Scalar]]]:
        """Values of a part's rows by blocks."""
        found, first = [], 0
        for n in part.blocks:
            last = first + len(self.blocks[n].y)
            found.append((n, list(own[first:last])))
            first = last
        return found

    def total(self, x: Impulses, u: Matrix) -> list[Scalar]:
        """What impulses do to velocities ``w`` (`StepInertia`)."""
        w: list[Scalar] = [0.0] * self.nv
        for part, rows in zip(self.chains.parts, self.rows, strict=True):
            at = sorted({k for y in rows for k in y})

            def add(given, rows=rows, at=at, part=part):
                given = dict(zip(at, given, strict=True))
                for y, impulse in zip(rows, _of_part(part, x), strict=True):
                    for k, entry in y.items():
                        given[k] = given[k] + entry * impulse
                return [given[k] for k in at]

            for k, value in zip(at, when(part.is_near, add, [w[k] for k in at]), strict=True):
                w[k] = value
        return w


def _of_part(part: ChainPart, x: Impulses) -> list[Scalar]:
    return [impulse for n in part.blocks for impulse in x[n]]


def _products(a: Sequence[Row], b: Sequence[Row]) -> Matrix:
    """The products of rows; entry by entry, so that registers hold what is summed."""
    found: Matrix = [[0.0] * len(b) for _ in a]
    for k in sorted({k for y in a for k in y}):
        for p, y in enumerate(a):
            for q, z in enumerate(b):
                if k in y and k in z:
                    found[p][q] = found[p][q] + y[k] * z[k]
    return found
