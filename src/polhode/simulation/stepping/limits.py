"""Limits of joints, then of loops with one degree of freedom, then of tendons."""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Floats, jit
from .contacts import L_GAP, L_IMPULSE, L_SIDE, NearLimits, empty_limits
from .couplings import hinge_row, hinge_speed
from .row_blocks import nodes_of
from .system import System

_REACH = 2.0  # steps ahead that limits are looked for
_MARGIN = 1e-3  # [rad or m]; an acceleration of 100 adds 8e-4 in two steps of 2 ms


@jit
def find_limits(s: System, h: float, previous: NearLimits):
    """Limits that may be reached in the next steps."""
    n = len(s.limit_lower)
    if n == 0:
        return empty_limits(0)
    index, side, gap = np.empty(2 * n, np.int64), np.empty(2 * n), np.empty(2 * n)
    k = 0
    for i in range(n):
        q = _place(s, i)
        margin = _MARGIN + 2.0 * _REACH * h * abs(limit_rate(s, s.velocity, i))
        if q - s.limit_lower[i] < margin:
            index[k], side[k], gap[k] = i, 1.0, q - s.limit_lower[i]
            k += 1
        if s.limit_upper[i] - q < margin:
            index[k], side[k], gap[k] = i, -1.0, s.limit_upper[i] - q
            k += 1
    found = empty_limits(k)
    for i in range(k):
        found.whole[i], found.real[i, L_SIDE], found.real[i, L_GAP] = index[i], side[i], gap[i]
        for j in range(len(previous.whole)):
            if previous.whole[j] == index[i] and previous.real[j, L_SIDE] == side[i]:
                found.real[i, L_IMPULSE] = previous.real[j, L_IMPULSE]
    return found


@jit
def _place(s: System, i: int):
    """The coordinate that limit ``i`` is on; that of a loop is remembered, to count turns."""
    t = tendon_of(s, i)
    if t >= 0:
        return s.tendon_length[t]
    k = i - len(s.limit_dof)
    if k < 0:
        return s.position[s.limit_place[i]]
    place, _ = hinge_row(s, k)
    s.hinge_place[k] = place
    return place


@jit
def limit_rate(s: System, velocity: Floats, i: int):
    """Rate of the coordinate that limit ``i`` is on."""
    t = tendon_of(s, i)
    if t >= 0:
        return tendon_rate(s, velocity, t)
    k = i - len(s.limit_dof)
    if k < 0:
        return velocity[s.limit_dof[i]]
    return hinge_speed(s, velocity, k)


@jit
def tendon_of(s: System, i: int):
    """The tendon that limit ``i`` is on; -1 if it is that of a joint or a loop."""
    k = i - len(s.limit_dof) - len(s.hinge_loop)
    return s.limit_tendon[k] if k >= 0 else -1


@jit
def tendon_rate(s: System, velocity: Floats, t: int):
    """Rate of the length of tendon ``t``."""
    rate, row = 0.0, s.tendon_row[t]
    for k in range(len(row)):
        rate += row[k] * velocity[k]
    return rate


@jit
def tendon_share(s: System, share: Floats, t: int):
    """The greatest share of the nodes of tendon ``t``."""
    most = 0.0
    for k in range(s.tendon_node_start[t], s.tendon_node_start[t + 1]):
        most = max(most, share[s.tendon_node[k]])
    return most


@jit
def limit_nodes(s: System, i: int):
    """The nodes of limit ``i`` of a joint or loop; -1 if there is no second, or the world."""
    k = i - len(s.limit_dof)
    if k < 0:
        return s.dof_node[s.limit_dof[i]], -1
    return nodes_of(s, s.loop_a[s.hinge_loop[k]], s.loop_b[s.hinge_loop[k]])


@jit
def limit_share(s: System, share: Floats, i: int):
    """The greater share of the nodes of limit ``i``."""
    t = tendon_of(s, i)
    if t >= 0:
        return tendon_share(s, share, t)
    n, m = limit_nodes(s, i)
    return max(share[n] if n >= 0 else 0.0, share[m] if m >= 0 else 0.0)
