"""The URDF files of the `example-robot-data` wheel, and how Pinocchio's coordinates map to ours."""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio as pin

from polhode.model import Model

FOLDER = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"


def urdf_files() -> list[Path]:
    return sorted(FOLDER.glob("**/*.urdf"))


@dataclass(frozen=True)
class Coordinates:
    """One state in both programs' coordinates.

    ``v_ours = T v_theirs`` and ``a_ours = T a_theirs + drift``; forces go the other way
    by ``T^T``.  ``bodies`` pairs Pinocchio's joint number with our body.
    """

    q: np.ndarray
    T: np.ndarray
    drift: np.ndarray
    bodies: list[tuple[int, int]]


def translate(ours: Model, theirs: pin.Model, q: np.ndarray, v: np.ndarray) -> Coordinates:
    """Pinocchio's state ``q, v`` in our coordinates, joint by joint by name."""
    mine, T, drift = np.zeros(ours.nq), np.zeros((ours.nv, theirs.nv)), np.zeros(ours.nv)
    bodies = []
    for i in range(1, theirs.njoints):
        joint, name = theirs.joints[i], theirs.names[i]
        here = ours.joint(name)
        bodies.append((i, int(here.body)))
        rows = np.arange(ours.nv)[here.v]
        columns = np.arange(joint.idx_v, joint.idx_v + joint.nv)
        if joint.nq == 7:
            R = pin.Quaternion(q[joint.idx_q + 3 : joint.idx_q + 7]).toRotationMatrix()
            mine[here.q] = q[joint.idx_q : joint.idx_q + 7]
            T[np.ix_(rows[:3], columns[:3])] = R
            T[rows[3:], columns[3:]] = 1.0
            drift[rows[:3]] = R @ np.cross(v[columns[3:]], v[columns[:3]])
        else:
            c = q[joint.idx_q : joint.idx_q + joint.nq]
            mine[here.q] = np.arctan2(c[1], c[0]) if joint.nq == 2 else c
            T[rows, columns] = 1.0
    return Coordinates(mine, T, drift, bodies)
