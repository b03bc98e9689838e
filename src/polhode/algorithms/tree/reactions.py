"""Reactions of joints: the spatial force across each (RBDA section 5.3, the ``f`` of Table 5.1)."""

from __future__ import annotations

from ...model import Model, PerBody
from ...scalar import Scalar
from .rnea import rnea_tables


def joint_reactions(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, f_ext: PerBody | None = None
) -> list[list[Scalar]]:
    """What each joint exerts on its body, in body coordinates, in O(n).

    The masses are those of the model as declared: regrouping keeps joint forces, not reactions.
    """
    f = rnea_tables(model, q, qd, qdd, f_ext).f
    return [[*f[i].ang, *f[i].lin] for i in model.bodies]
