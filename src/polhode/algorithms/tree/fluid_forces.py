"""Drag, lift and added mass of bodies that move in a fluid.

As MuJoCo's documentation defines them (*Computation*, fluid forces): the model of inertia boxes,
and the model of ellipsoids of Andersen, Pesavento and Wang (2005).
"""

from __future__ import annotations

import math

from ...model import Fluid, FluidBox, FluidEllipsoid, Model, PerBody
from ...scalar import Scalar, absolute, sqrt, where
from ...spatial import Force, Motion, Vec3
from .kinematics import base_transforms, body_velocities

_TINY = 1e-200  # of squares and products: where nothing moves


def fluid_forces(model: Model, q: PerBody, qd: PerBody) -> PerBody:
    """Joint forces of the fluid around a model."""
    fluid, f = model.fluid, {i: Force.zero() for i in (0, *model.bodies)}
    if fluid is not None:
        wind = Vec3.of(fluid.wind)
        X_0, v = base_transforms(model, q), body_velocities(model, q, qd)
        for i, X, shape in model.fluid_shapes:
            if i:
                flow = Motion(Vec3.zero(), X.E @ (X_0[i].E @ wind))
                f[i] = f[i] + X.T @ fluid_force(fluid, shape, X @ v[i] - flow)
    tau = {}
    for i in reversed(model.bodies):
        XJ, S, _, _ = model.joint[i].jcalc(q[i])
        tau[i] = S.T @ f[i]
        p = model.parent[i]
        f[p] = f[p] + (XJ @ model.X_tree[i]).T @ f[i]
    return model.sum_forces(tau)


def fluid_force(fluid: Fluid, shape: FluidBox | FluidEllipsoid, v: Motion) -> Force:
    """The force on a shape that moves with ``v`` against the fluid, in the shape's coordinates."""
    return (
        _on_box(fluid, shape, v) if isinstance(shape, FluidBox) else _on_ellipsoid(fluid, shape, v)
    )


# -- boxes --


def _on_box(fluid: Fluid, box: FluidBox, v: Motion) -> Force:
    """Stokes' drag of a ball as large as the box, and quadratic drag along and about each axis."""
    a, b, c = box.size
    d = (a + b + c) / 3.0
    area, moment = (b * c, a * c, a * b), _moments(a, b, c)
    linear = [_resisted(x, 3.0 * math.pi * d * fluid.viscosity, 0.5 * fluid.density * k)
              for x, k in zip(v.lin, area, strict=True)]  # fmt: skip
    angular = [_resisted(x, math.pi * d**3 * fluid.viscosity, fluid.density * k / 64.0)
               for x, k in zip(v.ang, moment, strict=True)]  # fmt: skip
    return Force(Vec3.of(angular), Vec3.of(linear))


def _moments(a: float, b: float, c: float) -> tuple[float, float, float]:
    return a * (b**4 + c**4), b * (a**4 + c**4), c * (a**4 + b**4)


def _resisted(speed: Scalar, viscous: float, quadratic: float) -> Scalar:
    return -(absolute(speed) * quadratic + viscous) * speed


# -- ellipsoids --


def _on_ellipsoid(fluid: Fluid, shape: FluidEllipsoid, v: Motion) -> Force:
    """Added mass without its share of accelerations, lift, and drag."""
    w, u, rho = v.ang, v.lin, fluid.density
    momentum = _scaled(u, shape.added_mass) * rho
    spin = _scaled(w, shape.added_inertia) * rho
    moment = momentum.cross(u) + spin.cross(w) - w * _angular_drag(fluid, shape, w)
    speed = _root(u.dot(u))
    area, normal, cosine = _projection(shape, u, speed)
    kutta = normal.cross(u) * (shape.kutta_lift * rho * area * cosine)
    magnus = w.cross(u) * (shape.magnus_lift * rho * _volume(shape))
    drag = _linear_drag(fluid, shape, area, speed)
    return Force(moment, momentum.cross(w) + kutta.cross(u) + magnus - u * drag)


def _projection(shape: FluidEllipsoid, u: Vec3, speed: Scalar) -> tuple[Scalar, Vec3, Scalar]:
    """Area across a velocity, a normal there, and its cosine with the velocity over its length."""
    a, b, c = shape.semi_axes
    squares = ((b * c) ** 2, (c * a) ** 2, (a * b) ** 2)
    normal = _scaled(u, squares)
    along, across = normal.dot(u), normal.dot(normal)
    area = _root(_ratio(across, along)) * math.pi
    return area, normal, _ratio(along, speed * across)


def _linear_drag(fluid: Fluid, shape: FluidEllipsoid, area: Scalar, speed: Scalar) -> Scalar:
    _, middle, high = sorted(shape.semi_axes)
    largest = math.pi * high * middle
    drag = area * shape.blunt_drag + (largest - area) * shape.slender_drag
    return drag * speed * fluid.density + 3.0 * math.pi * _diameter(shape) * fluid.viscosity


def _angular_drag(fluid: Fluid, shape: FluidEllipsoid, w: Vec3) -> Scalar:
    axes = shape.semi_axes
    _, middle, high = sorted(axes)
    most = 8.0 / 15.0 * math.pi * middle * high**4
    own = [8.0 / 15.0 * math.pi * axes[k] * max(axes[k - 2], axes[k - 1]) ** 4 for k in range(3)]
    felt = _scaled(w, [shape.angular_drag * x + shape.slender_drag * (most - x) for x in own])
    return _root(felt.dot(felt)) * fluid.density + math.pi * _diameter(shape) ** 3 * fluid.viscosity


def _volume(shape: FluidEllipsoid) -> float:
    return 4.0 / 3.0 * math.pi * math.prod(shape.semi_axes)


def _diameter(shape: FluidEllipsoid) -> float:
    """Of a ball that stands for the ellipsoid in Stokes' drag."""
    return 2.0 / 3.0 * sum(shape.semi_axes)


def _scaled(v: Vec3, factors) -> Vec3:
    return Vec3.of([x * k for x, k in zip(v, factors, strict=True)])


def _root(x: Scalar) -> Scalar:
    """A square root whose derivative at zero is zero."""
    is_zero = x < _TINY
    return where(is_zero, 0.0, sqrt(where(is_zero, 1.0, x)))


def _ratio(x: Scalar, y: Scalar) -> Scalar:
    """A quotient that is zero where it is undefined."""
    is_zero = y < _TINY
    return where(is_zero, 0.0, x / where(is_zero, 1.0, y))
