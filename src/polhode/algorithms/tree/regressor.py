"""Inverse dynamics as a linear function of inertial parameters (Atkeson, An, Hollerbach 1986).

Each body has ten parameters, in its coordinates.  They are mass, first moment of mass (x, y, z),
and rotational inertia about the origin (xx, xy, xz, yy, yz, zz).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Model, PerBody
from ...scalar import Scalar, where
from ...spatial import Inertia, Motion, Sym3, Vec3
from .scatter import add_columns

PARAMETERS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""The parameters of one body, in order."""


JOINT_PARAMETERS = ("armature", "damping", "friction")
"""What joint forces are linear in besides, with a column for each velocity entry."""


def rnea_regressor(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, *, joints: Sequence[str] = ()
) -> list[list[Scalar]]:
    """``Y``, nv x 10 n_bodies, with ``tau = Y pi``; O(n depth).

    A body's columns are its net forces with one parameter 1 and the others 0, as its own
    Jacobian sees them.  Massless bodies inside a joint have columns of zeros.  For each name of
    ``joints`` there are nv more, of the force against ``qdd``, ``qd`` or the sign of ``qd``.
    """
    v, a, J = {0: Motion.zero()}, {0: -model.gravity}, {0: {}}
    Y = [[0.0] * (len(PARAMETERS) * model.n_bodies) for _ in range(model.nv)]

    for i in model.bodies:
        p = model.parent[i]
        XJ, S, vJ, cJ = model.joint[i].jcalc(q[i], qd[i])
        X = XJ @ model.X_tree[i]
        v[i] = X @ v[p] + vJ
        a[i] = X @ a[p] + S @ qdd[i] + cJ + v[i].cross(vJ)
        J[i] = {k: X @ column for k, column in J[p].items()}
        add_columns(J[i], model.v_index[i], S.columns)
        if not i.name:
            continue
        forces = [unit.net_force(v[i], a[i]) for unit in UNITS]
        for k, column in J[i].items():
            first = len(PARAMETERS) * (i - 1)
            Y[k][first : first + len(PARAMETERS)] = [column.dot(f) for f in forces]

    rates, accelerations = model.join_v(qd), model.join_v(qdd)
    factors = {
        "armature": accelerations, "damping": rates, "friction": [_sign(x) for x in rates],
    }  # fmt: skip
    for name in joints:
        for k, row in enumerate(Y):
            row += [x if j == k else 0.0 for j, x in enumerate(factors[name])]
    return Y


def _sign(x: Scalar) -> Scalar:
    return where(x > 0.0, 1.0, where(x < 0.0, -1.0, 0.0))


def inertial_parameters(model: Model) -> list[Scalar]:
    """``pi`` of ``tau = Y pi``: ten numbers a body."""
    parameters = []
    for i in model.bodies:
        I = model.inertia[i]
        parameters += [I.m, *I.h, I.I.xx, I.I.xy, I.I.xz, I.I.yy, I.I.yz, I.I.zz]
    return parameters


def _unit(k: int) -> Inertia:
    entries = [0.0] * len(PARAMETERS)
    entries[k] = 1.0
    return Inertia(entries[0], Vec3.of(entries[1:4]), Sym3(*entries[4:]))


UNITS = tuple(_unit(k) for k in range(len(PARAMETERS)))
"""Inertias with one parameter 1 and the others 0."""
