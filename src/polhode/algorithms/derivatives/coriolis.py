"""The joint-space Coriolis matrix (Echeandia and Wensing 2021).

With ``J`` the Jacobian and ``B`` the Coriolis matrix of each body, ``C = sum J^T (I Jd + B J)``.
Since ``dI/dt - 2 B`` is skew-symmetric, so is ``dH/dt - 2 C``.  Joints are split and columns are
in base coordinates as in `motion`, so that the sums are over subtrees and need no transforms.
"""

from __future__ import annotations

from ...model import Model, PerBody
from ..tree.scatter import scatter_matrix
from ..tree.sparsity import Matrix
from .motion import composites, sweep


def coriolis_matrix(model: Model, q: PerBody, qd: PerBody) -> Matrix:
    """``C(q, qd)``, nv x nv, with exact zeros between branches; O(n depth).

    ``C qd`` is the velocity part of the bias forces.
    """
    at = sweep(model, q, qd)
    C = [[0.0] * at.model.nv for _ in range(at.model.nv)]
    for j, carried in composites(at):
        I, B = carried.I, carried.B  # B is twice the paper's
        for z in at.columns[j]:
            half = z.s * 0.5
            to_ancestors = I @ at.v[j].cross(z.s) + B @ half
            momentum, from_ancestors = I @ z.s, B.transposed(half)
            for x in at.path(j):
                C[x.k][z.k] = x.s.dot(to_ancestors)
                if x.body != j:
                    xd = at.v[x.body].cross(x.s)
                    C[z.k][x.k] = xd.dot(momentum) + x.s.dot(from_ancestors)
    return scatter_matrix(C, at.origin, model.nv)
