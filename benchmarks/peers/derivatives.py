"""Pinocchio's derivatives of inverse dynamics, in our coordinates.

With ``v_pin = T(q) v``, ``a_pin = T a + T' v`` and ``tau = T^T tau_pin``, the chain rule adds
terms where ``T`` depends on ``q``: in the block of a free base, whose linear velocity is in
the body's axes for Pinocchio and in the base's for us.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .rows import Pinocchio


def inverse_derivatives(peer: Pinocchio, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """``d tau / d q`` (tangent), ``d qd``, ``d qdd``, stacked."""
    pin, m, d = peer.pin, peer.theirs, peer.data
    v_pin, a_pin = _motion(peer, q, v, a)
    position = peer.positions(q)
    d_q, d_v, M = (np.array(x) for x in pin.computeRNEADerivatives(m, d, position, v_pin, a_pin))
    return in_our_coordinates(peer, q, v, a, d_q, d_v, np.triu(M) + np.triu(M, 1).T)


def in_our_coordinates(
    peer: Pinocchio,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    d_q: np.ndarray,
    d_v: np.ndarray,
    M: np.ndarray,
) -> np.ndarray:
    """The same from derivatives of ``tau_pin`` by Pinocchio's coordinates, stacked."""
    m, T = peer.theirs, peer.turn(q)
    v_pin, a_pin = _motion(peer, q, v, a)
    tau = peer.pin.rnea(m, peer.data, peer.positions(q), v_pin, a_pin)
    # How v_pin changes with q, a_pin with q and v, and T^T with q.
    v_q, a_q, a_v, turned = (np.zeros_like(T) for _ in range(4))
    for pair in peer.pairs:
        joint = m.joints[pair.joint]
        if joint.nq != 7:
            continue
        lin, ang = slice(joint.idx_v, joint.idx_v + 3), slice(joint.idx_v + 3, joint.idx_v + 6)
        shift, spin = pair.v[:3], pair.v[3:]
        R = T[lin, shift].T
        u, w = _cross(v_pin[lin]), _cross(v_pin[ang])
        v_q[lin, spin] = u
        a_q[lin, spin] = _cross(R.T @ a[shift]) - w @ u
        a_v[lin, shift] = -w @ R.T
        a_v[lin, spin] = u
        turned[np.ix_(shift, spin)] = -R @ _cross(tau[lin])
    return np.array((
        T.T @ (d_q @ T + d_v @ v_q + M @ a_q) + turned,
        T.T @ (d_v @ T + M @ a_v),
        T.T @ M @ T,
    ))  # fmt: skip


def _motion(
    peer: Pinocchio, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and accelerations of Pinocchio's."""
    T = peer.turn(q)
    v_pin = T @ v
    return v_pin, T @ a + peer.turn_rate(v_pin)


def _cross(x: np.ndarray) -> np.ndarray:
    """The matrix of ``x cross``."""
    return np.array(((0.0, -x[2], x[1]), (x[2], 0.0, -x[0]), (-x[1], x[0], 0.0)))
