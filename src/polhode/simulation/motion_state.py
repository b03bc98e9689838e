"""Where a motion is: what a step starts from, and what it leads to."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np


class MotionState(NamedTuple):
    """Time, positions, velocities, and what else the motion from here on depends on: a value.

    Steps make new states and leave those that they are given as they are.

    Attributes
    ----------
    time : float
        [s].
    q, qd : ndarray, shape (..., nq) and (..., nv)
        Positions and velocities, in the coordinates of the integrator's system.
    work : float or ndarray, shape (...)
        What forces other than gravity and constraints have done since the start [J].
    carried : mapping of str to ndarray
        What the integrator needs besides to go on to the same bits, such as near contacts with
        the impulses for a warm start.
    """

    time: float
    q: np.ndarray
    qd: np.ndarray
    work: Any
    carried: Mapping[str, np.ndarray] = MappingProxyType({})
