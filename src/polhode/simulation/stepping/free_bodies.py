"""Coordinates of free bodies: about their origins in models, about their centres of mass in loops.

In a model a free body's velocity is that of its origin, along the world's axes.  Its rate of
rotation is along its own axes.  The compiled loops have the velocity of the centre of mass, and
both along the world's axes.  Forces go with velocities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler.jit import Floats, Floats2, jit
from ...spatial import Quaternion
from .contacts import set_vector, vector


class FreeBodies(NamedTuple):
    """Free bodies of a scene.

    Attributes
    ----------
    first : ndarray of int, shape (n, 2)
        Numbers of the first position and the first velocity of each: place, then quaternion;
        velocity, then rate of rotation.
    com : ndarray, shape (n, 3)
        Centres of mass, from the bodies' origins [m].
    """

    first: np.ndarray
    com: np.ndarray


@jit
def rotation(position: Floats, x: int):
    """From axes of the body whose positions begin at ``x`` to the world's."""
    return Quaternion(position[x + 6], position[x + 3], position[x + 4], position[x + 5]).matrix().T


@jit
def about_com(free: FreeBodies, position: Floats2, velocity: Floats2):
    """Positions and velocities of models, row by row, become those of the loops."""
    for row in range(len(position)):
        put_about_com(free, position[row], velocity[row])


@jit
def put_about_com(free: FreeBodies, q: Floats, qd: Floats):
    """The same for one row."""
    for b in range(len(free.first)):
        x, v = free.first[b, 0], free.first[b, 1]
        R = rotation(q, x)
        spin, arm = R @ vector(qd, v + 3), R @ vector(free.com[b], 0)
        set_vector(q, x, vector(q, x) + arm)
        set_vector(qd, v, vector(qd, v) + spin.cross(arm))
        set_vector(qd, v + 3, spin)


@jit
def about_origin(free: FreeBodies, position: Floats2, velocity: Floats2):
    """The inverse of `about_com`."""
    for row in range(len(position)):
        put_about_origin(free, position[row], velocity[row])


@jit
def put_about_origin(free: FreeBodies, q: Floats, qd: Floats):
    """The same for one row."""
    for b in range(len(free.first)):
        x, v = free.first[b, 0], free.first[b, 1]
        R, spin = rotation(q, x), vector(qd, v + 3)
        arm = R @ vector(free.com[b], 0)
        set_vector(q, x, vector(q, x) - arm)
        set_vector(qd, v, vector(qd, v) - spin.cross(arm))
        set_vector(qd, v + 3, R.T @ spin)


@jit
def force_about_com(free: FreeBodies, position: Floats2, force: Floats2):
    """Forces along the velocities of models become those along velocities of the loops.

    ``position`` has one place of the body, of models or loops: only its rotation is read.
    """
    for row in range(len(position)):
        put_force_about_com(free, position[row], force[row])


@jit
def put_force_about_com(free: FreeBodies, q: Floats, tau: Floats):
    """The same for one row."""
    for b in range(len(free.first)):
        v, R = free.first[b, 1], rotation(q, free.first[b, 0])
        arm = R @ vector(free.com[b], 0)
        moment = R @ vector(tau, v + 3) - arm.cross(vector(tau, v))
        set_vector(tau, v + 3, moment)


@jit
def force_about_origin(free: FreeBodies, position: Floats2, force: Floats2):
    """The inverse of `force_about_com`."""
    for row in range(len(position)):
        tau = force[row]
        for b in range(len(free.first)):
            v, R = free.first[b, 1], rotation(position[row], free.first[b, 0])
            arm = R @ vector(free.com[b], 0)
            moment = vector(tau, v + 3) + arm.cross(vector(tau, v))
            set_vector(tau, v + 3, R.T @ moment)


def rows(array: np.ndarray) -> np.ndarray:
    """A view of an array as rows along its last axis."""
    return array.reshape(-1, array.shape[-1])
