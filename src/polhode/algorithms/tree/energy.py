"""Energy, momentum and centre of mass (RBDA section 2.14, eq. 2.67)."""

from __future__ import annotations

from ...model import Model, PerBody
from ...scalar import Scalar
from ...spatial import Force, Inertia, Transform, Vec3
from ..actuation.armature import heavy_tendons, tendon_energy
from .kinematics import body_accelerations, body_velocities


def energy(model: Model, q: PerBody, qd: PerBody) -> tuple[Scalar, Scalar]:
    """Kinetic energy, and potential energy, zero with the centre of mass at the base."""
    v = body_velocities(model, q, qd)
    kinetic: Scalar = 0.0
    for i in model.bodies:
        kinetic = kinetic + v[i].dot(model.inertia[i] @ v[i])
        for rate, momentum in zip(qd[i], model.armature[i] @ qd[i], strict=True):
            kinetic = kinetic + rate * momentum
    kinetic = kinetic * 0.5
    if heavy_tendons(model):
        kinetic = kinetic + tendon_energy(model, q, qd)
    first_moment = _composite(model, q).h
    return kinetic, -(model.gravity.lin.dot(first_moment))


def momentum(model: Model, q: PerBody, qd: PerBody) -> Force:
    """Spatial momentum of the whole model about the base origin, in base coordinates."""
    v = body_velocities(model, q, qd)
    return _sum_at_base(model, q, {i: model.inertia[i] @ v[i] for i in model.bodies})


def center_of_mass(model: Model, q: PerBody) -> Vec3:
    """Centre of mass of the moving bodies, in base coordinates."""
    total = _composite(model, q)
    return total.h * (1.0 / total.m)


def center_of_mass_velocity(model: Model, q: PerBody, qd: PerBody) -> Vec3:
    """Velocity of the centre of mass, in base axes."""
    return momentum(model, q, qd).lin * (1.0 / model.mass)


def zero_moment_point(
    model: Model, q: PerBody, qd: PerBody, qdd: PerBody, point: Vec3, normal: Vec3
) -> Vec3:
    """The zero-moment point: the ground force has no tilting moment about it.

    The ground is the plane through ``point`` with unit ``normal``; the force is what
    the base must supply for the motion, so that ``n x (moment) = 0`` there.
    """
    v, a = body_accelerations(model, q, qd, qdd, base=-model.gravity)
    f = {i: model.inertia[i].net_force(v[i], a[i]) for i in model.bodies}
    total = _sum_at_base(model, q, f)
    moment = total.ang - point.cross(total.lin)
    return point + normal.cross(moment) * (1.0 / normal.dot(total.lin))


def _composite(model: Model, q: PerBody) -> Inertia:
    """The inertia of all moving bodies about the base origin, accumulated from the tips."""
    Ic: dict[int, Inertia] = dict(enumerate(model.inertia))
    Ic[0] = Inertia.zero()
    for i in reversed(model.bodies):
        X = model.joint[i].jcalc(q[i]).XJ @ model.X_tree[i]
        Ic[model.parent[i]] += X.T @ Ic[i] @ X
    return Ic[0]


def _sum_at_base(model: Model, q: PerBody, f: PerBody) -> Force:
    """The sum of forces on bodies, passed down the tree to the base."""
    total = {0: Force.zero(), **f}
    for i in reversed(model.bodies):
        X: Transform = model.joint[i].jcalc(q[i]).XJ @ model.X_tree[i]
        total[model.parent[i]] += X.T @ total[i]
    return total[0]
