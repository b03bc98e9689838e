"""How positions vary along the tangent of the joints: what programs are differentiated by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from ..model import Model, Spherical
from ..scalar import Scalar
from ..spatial import Mat3, Quaternion
from .roles import POSITION, role_of

Rows = list[list[Scalar]]


def tangents(names: Iterable[str], model: Model) -> Mapping[str, Callable[[Any], Rows]]:
    """For each input that is a position: `tangent_rows` of it."""
    return {name: partial(tangent_rows, model) for name in names if role_of(name) is POSITION}


def tangent_rows(model: Model, values: Any) -> Rows:
    """The derivative of `integrate` by ``v dt`` at zero, nq x nv.

    Of a quaternion it is ``q (0, w) / 2`` for a body-frame turn ``w`` (RBDA eq. 4.13); all
    other joints add the step to their coordinates.
    """
    q = model.split_q(values)
    rows: Rows = [[0.0] * model.nv for _ in range(model.nq)]
    for i in model.bodies:
        if isinstance(model.joint[i], Spherical):
            x, y, z, w = q[i]
            for k, axis in zip(model.v_index[i], Mat3.identity(), strict=True):
                rate = Quaternion(w, x, y, z).rate(axis)
                change = (rate.x, rate.y, rate.z, rate.w)
                for n, dx in zip(model.q_index[i], change, strict=True):
                    rows[n][k] = dx
        else:
            for n, k in zip(model.q_index[i], model.v_index[i], strict=True):
                rows[n][k] = 1.0
    return rows
