"""The state of a world in the coordinates of the compiled loops of a simulator."""

from __future__ import annotations

import numpy as np

from ...compiler.jit import Floats, Floats2, Ints, Ints2, Struct, jit
from ..stepping.free_bodies import FreeBodies, put_about_com


class Shown(Struct):
    """Where to put a state, and what lies where in it.

    Attributes
    ----------
    position, velocity : ndarray
        What is written.
    order : ndarray of int
        Of each number of the position which one it is in the state.
    free : ndarray of int, shape (n, 2)
        First numbers of the positions and velocities of free bodies.
    com : ndarray, shape (n, 3)
        Their centres of mass, from their origins [m].
    """

    position: Floats
    velocity: Floats
    order: Ints
    free: Ints2
    com: Floats2


def shown_nowhere() -> Shown:
    """For a world that no simulator shows."""
    whole, real = np.zeros(0, np.int64), np.zeros(0)
    return Shown(position=real, velocity=real, order=whole, free=whole.reshape(0, 2),
                 com=real.reshape(0, 3))  # fmt: skip


@jit
def show(to: Shown, state: Floats):
    """Put a state there: positions, then velocities; free bodies by their centres of mass."""
    for k in range(to.order.size):
        to.position[k] = state[to.order[k]]
    for k in range(to.velocity.size):
        to.velocity[k] = state[to.order.size + k]
    put_about_com(FreeBodies(to.free, to.com), to.position, to.velocity)
