"""The inertia that a step moves, in coordinates where it is the identity.

With ``H = L^T D L`` and ``w = D^(1/2) L v`` kinetic energy is ``w.w / 2``.  An impulse ``x`` of a
row ``J`` changes ``w`` by ``y x``, with ``y = D^(-1/2) L^-T J^T``.  That has the sparsity of the
tree: rows that share no joints do not see each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...model import Model, PerBody
from ...scalar import Scalar, sqrt
from ..tree.dynamics import inertia_parents, mass_matrix
from ..tree.scatter import scatter_row
from ..tree.sparsity import (
    Matrix,
    ancestors,
    elimination_parents,
    ltdl,
    ltdl_solve,
    solve_unit_lower,
)

if TYPE_CHECKING:
    from .stretches import Stretch

Row = dict[int, Scalar]


@dataclass(frozen=True)
class StepInertia:
    """``H + dt B`` factorised; ``B`` is damping, which so acts implicitly.

    That of joints is on the diagonal; that of lengths between bodies joins branches of the tree.
    """

    L: Matrix
    inverse_d: list[Scalar]
    parents: Sequence[int]
    scale: list[Scalar]
    coordinate_of_axis: Sequence[int]

    @classmethod
    def of(
        cls, model: Model, q: PerBody, dt: Scalar, stretches: Sequence[Stretch] = ()
    ) -> StepInertia:
        """The inertia at a position for a step of ``dt``."""
        H = step_matrix(model, q, dt, stretches)
        parents = _joined(inertia_parents(model), [each.row for each in stretches])
        L, inverse_d, parents = ltdl(H, parents)
        scale = [sqrt(x) for x in inverse_d]
        return cls(L, inverse_d, parents, scale, model.coordinate_of_axis)

    @classmethod
    def identity(cls, model: Model) -> StepInertia:
        """An inertia of which ``y`` of a row of a Jacobian is the row itself."""
        ones, none = [1.0] * model.nv, [-1] * model.nv
        return cls([[] for _ in ones], ones, none, ones, model.coordinate_of_axis)

    def velocity(self, impulse: Sequence[Scalar]) -> list[Scalar]:
        """The velocities that impulses of the joints make."""
        return ltdl_solve(self.L, self.inverse_d, self.parents, impulse)

    def rows(self, J: Sequence[Mapping[int, Scalar]]) -> list[Row]:
        """``y`` of rows of a Jacobian; of all together, so that registers hold entries of ``L``."""
        found = [dict(row) for row in J]
        for i in range(len(self.L) - 1, -1, -1):
            for j in ancestors(self.parents, i):
                for y in found:
                    if i in y:
                        y[j] = y.get(j, 0.0) - self.L[i][j] * y[i]
        return [{k: y[k] * self.scale[k] for k in sorted(y)} for y in found]

    def row(self, J: Mapping[int, Scalar]) -> Row:
        """``y`` of a row of a Jacobian."""
        return self.rows([J])[0]

    def rows_of_axes(self, J: Sequence[Mapping[int, Scalar]]) -> list[Row]:
        """``y`` of rows that have an entry for each axis of a joint."""
        return self.rows([scatter_row(row, self.coordinate_of_axis) for row in J])

    def row_of_axes(self, J: Mapping[int, Scalar]) -> Row:
        """``y`` of a row that has an entry for each axis of a joint."""
        return self.rows_of_axes([J])[0]

    def unscaled(self, w: Sequence[Scalar]) -> list[Scalar]:
        """The velocities ``v`` of ``w``."""
        scaled = [x * s for x, s in zip(w, self.scale, strict=True)]
        return solve_unit_lower(self.L, self.parents, scaled)


def step_matrix(model: Model, q: PerBody, dt: Scalar, stretches: Sequence[Stretch] = ()) -> Matrix:
    """``H + dt B``."""
    H = mass_matrix(model, q)
    for k, b in enumerate(dampings(model)):
        H[k][k] = H[k][k] + dt * b
    for each in stretches:
        for i, x in each.row.items():
            for j, y in each.row.items():
                H[i][j] = H[i][j] + (dt * each.resistance) * (x * y)
    return H


def dampings(model: Model) -> list[Scalar]:
    """Viscous friction of the joints, by velocities."""
    found: list[Scalar] = [0.0] * model.nv
    for i in model.bodies:
        for k, b in zip(model.v_index[i], model.damping[i].entries, strict=True):
            found[k] = found[k] + b
    return found


def _joined(parents: Sequence[int], rows: Sequence[Row]) -> Sequence[int]:
    """Parents where each row joins its entries."""
    if not rows:
        return parents
    before = [set(ancestors(parents, i)) for i in range(len(parents))]
    for row in rows:
        for i in row:
            before[i] |= {j for j in row if j < i}
    return elimination_parents(before)
