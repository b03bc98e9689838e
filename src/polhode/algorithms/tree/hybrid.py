"""Hybrid dynamics: some joints with known force, the others with known acceleration."""

from __future__ import annotations

from ...model import Model, PerBody
from ...scalar import Scalar
from .dynamics import inertia_parents, inverse_dynamics, mass_matrix
from .sparsity import ltdl, ltdl_solve


def hybrid(
    model: Model,
    q: PerBody,
    qd: PerBody,
    qdd: PerBody,
    tau: PerBody,
    f_ext: PerBody | None = None,
    *,
    forward: tuple[bool, ...],
) -> tuple[list[Scalar], list[Scalar]]:
    """Accelerations and forces of all joints (RBDA section 9.2, eq. 9.10).

    ``forward[k]`` says that ``tau`` of entry ``k`` is given and ``qdd`` sought; where it
    is false it is the other way round.  Values that are not given are never read.
    """
    known, force = model.join_v(qdd), model.join_v(tau)
    at = [0.0 if f else x for f, x in zip(forward, known, strict=True)]
    C = model.join_v(inverse_dynamics(model, q, qd, model.split_v(at), f_ext))
    free = [k for k, f in enumerate(forward) if f]
    H, parents = mass_matrix(model, q), inertia_parents(model)
    factors = ltdl([[H[i][j] for j in free] for i in free], _within(free, parents))
    sought = ltdl_solve(*factors, [force[k] - C[k] for k in free])
    accelerations = list(at)
    for k, x in zip(free, sought, strict=True):
        accelerations[k] = x
    needed = model.join_v(inverse_dynamics(model, q, qd, model.split_v(accelerations), f_ext))
    forces = [t if f else x for f, t, x in zip(forward, force, needed, strict=True)]
    given = [x if not f else y for f, x, y in zip(forward, known, accelerations, strict=True)]
    return given, forces


def _within(kept: list[int], parents: list[int]) -> list[int]:
    """``parents`` of the kept indices alone, renumbered."""
    number = {k: n for n, k in enumerate(kept)}
    result = []
    for k in kept:
        p = parents[k]
        while p >= 0 and p not in number:
            p = parents[p]
        result.append(number.get(p, -1))
    return result
