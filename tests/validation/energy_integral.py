"""Conservative motion of one degree of freedom, exact by quadrature: dt = d(angle) / speed.

The speed at an angle follows from the energy at the start, so no integrator has a part in it but
for the positions near which the loops are closed.
"""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode import constraints
from polhode.recording import Recording
from validation.mechanisms import Mechanism

CLOSING = 6  # Newton steps: from 1e-3 to rounding
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)


def applies(made: Mechanism, run: Recording, name: str) -> bool:
    """Whether a joint's speed, which keeps its sign, says all of a motion without losses."""
    model, k = made.model, made.model.joint(name).v
    if made.rows is None or made.record.get("forces") or len(run.qd[0, k]) != 1:
        return False
    rank = np.linalg.matrix_rank(constraints.constraint_jacobian(model, made.rows, run.q[0]))
    speed = np.ravel(run.qd[:, k])
    return rank == model.nv - 1 and bool((speed * speed[0] > 0.0).all())


def exact(made: Mechanism, run: Recording, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Angles and speeds of a joint at the times of a recording that is near them."""
    k = made.model.joint(name).v
    angle, speed = np.ravel(run.q[:, k]), np.ravel(run.qd[:, k])
    start = ph.energy(made.model, run.q[0], run.qd[0])
    energy = float(start.kinetic + start.potential)
    part = 0.5 * (NODES + 1.0)  # of the way from a recorded angle to the next
    q = np.repeat(run.q[:-1], len(part), axis=0)
    ahead = (np.diff(angle)[:, None] * part).reshape(-1, 1)
    pace = np.abs(speed_at(made, name, moved(made, name, q, ahead), energy))
    each = (WEIGHTS / pace.reshape(-1, len(part))).sum(axis=1) * 0.5 * np.abs(np.diff(angle))
    late = np.concatenate([[0.0], np.cumsum(each)]) - run.times
    correction = (-speed * late)[:, None]
    q = moved(made, name, run.q, correction)
    return np.ravel(q[:, k]), np.sign(speed) * speed_at(made, name, q, energy)


def moved(made: Mechanism, name: str, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Positions whose joint has moved by a step, with the loops closed."""
    direction = along(made, name, q)
    q = ph.integrate(made.model, q, direction * step)
    for _ in range(CLOSING):
        J, rest = _split(made, name, q)
        error = constraints.constraint_errors(made.model, _loops(made), q).position
        dq = np.zeros((len(q), made.model.nv))
        dq[:, rest] = -np.einsum("tij,tj->ti", np.linalg.pinv(J[:, :, rest]), error)
        q = ph.integrate(made.model, q, dq)
    return q


def along(made: Mechanism, name: str, q: np.ndarray) -> np.ndarray:
    """The joint velocities whose entry of one joint is one."""
    J, rest = _split(made, name, q)
    qd = np.ones((len(q), made.model.nv))
    own = np.setdiff1d(np.arange(made.model.nv), rest)
    drive = J[:, :, own].sum(axis=2)
    qd[:, rest] = -np.einsum("tij,tj->ti", np.linalg.pinv(J[:, :, rest]), drive)
    return qd


def speed_at(made: Mechanism, name: str, q: np.ndarray, energy: float) -> np.ndarray:
    """The size of a joint's speed that gives the mechanism an energy."""
    of_unit_speed, potential = ph.energy(made.model, q, along(made, name, q))
    return np.sqrt((energy - potential) / of_unit_speed)


def _split(made: Mechanism, name: str, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The Jacobian of the loops, and the columns of all other joints."""
    rest = np.delete(np.arange(made.model.nv), made.model.joint(name).v)
    return constraints.constraint_jacobian(made.model, _loops(made), q), rest


def _loops(made: Mechanism) -> constraints.ConstraintSet:
    if made.rows is None:
        raise ValueError(f"expected a mechanism with closed loops ('{made.model.name}')")
    return made.rows
