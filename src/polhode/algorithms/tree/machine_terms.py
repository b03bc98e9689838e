"""Terms of a model at one state for the contact simulator, in one function."""

from __future__ import annotations

from ...model import Model, PerBody
from ...scalar import Scalar
from .dynamics import bias, mass_matrix
from .kinematics import base_transforms
from .sparsity import Matrix


def machine_terms(
    model: Model, q: PerBody, qd: PerBody
) -> tuple[Matrix, list[Scalar], Matrix, Matrix]:
    """Inertia matrix, bias forces, poses of the bodies, and axes of the joints.

    A pose is a row of 12 numbers: the rotation from body to base coordinates row by row,
    then the body's origin.  An axis is the motion, about the base origin and in base coordinates
    ``(ang, lin)``, of all that a unit velocity carries.  Coupled joints have one each.
    """
    X_0 = base_transforms(model, q)
    axes: Matrix = []
    for i in model.bodies:
        columns = model.joint[i].jcalc(q[i]).S.columns
        axes += [list(X_0[i].to_parent(column)) for column in columns]
    poses: Matrix = []
    for i in model.bodies:
        rotation = [x for row in X_0[i].E.T.rows() for x in row]
        poses.append([*rotation, *X_0[i].r])
    return mass_matrix(model, q), model.join_v(bias(model, q, qd)), poses, axes


def machine_bias(model: Model, q: PerBody, qd: PerBody) -> list[Scalar]:
    """Joint forces at zero acceleration, as one vector."""
    return model.join_v(bias(model, q, qd))
