"""The chapters, and the answers to their exercises."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode import Model, algorithms
from polhode.algorithms.tree.crba import dof_parents
from polhode.algorithms.tree.kinematics import body_velocities

from .chapter import Chapter, Exercise, Shown, at_rest
from .constraints import CONSTRAINTS
from .contact import CONTACT
from .models import arm, brick, chain, walker


def _reaching(model: Model) -> np.ndarray:
    return np.array([0.0, 0.6, 0.9, 0.0, 0.4, 0.0])


def _swinging(model: Model) -> np.ndarray:
    return np.array([0.8, -0.5, 1.0, 0.0, 0.0, 0.0])


def _bent(model: Model) -> np.ndarray:
    return np.array([0.6, 0.5, 0.4])


def _seated(model: Model) -> np.ndarray:
    q = ph.neutral(model)
    for side in ("left", "right"):
        for joint, angle in ((f"thigh_{side}", -1.2), (f"shank_{side}", 1.4)):
            q[np.r_[model.joint(joint).q][0]] = angle
    return q


def _doubled_rates(model: Model) -> float:
    q, qd = _reaching(model), _swinging(model)
    return float(ph.bias_forces(model, q, 2.0 * qd)[1])


def _power_of_gravity(model: Model) -> float:
    return float(-_swinging(model) @ ph.gravity_forces(model, _reaching(model)))


def _force_for_acceleration(model: Model) -> float:
    q, qdd = _reaching(model), np.array([0.0, 2.0, 0.0, 0.0, 0.0, 0.0])
    return float(ph.inverse_dynamics(model, q, at_rest(model), qdd)[1])


RECURSIVE_NEWTON_EULER = Chapter(
    "recursive-newton-euler",
    arm,
    _reaching,
    damping=0.5,
    exercises={
        "doubled-rates": Exercise(
            _doubled_rates,
            "`C` is gravity and a term quadratic in the velocities. Gravity alone is `C` at rest.",
            _reaching,
            _swinging,
        ),
        "power-of-gravity": Exercise(
            _power_of_gravity,
            "The power of the forces `-g(q)` is their product with `qd`; `g` is `C` at rest.",
            _reaching,
        ),
        "force-for-acceleration": Exercise(
            _force_for_acceleration,
            "`tau = H qdd + C`: only one column of `H` counts.",
            _reaching,
        ),
    },
)


def _pairs_of_branches(model: Model) -> float:
    """Pairs of degrees of freedom of which neither carries the other."""
    parents = dof_parents(model)
    carried_by = [0] * model.nv
    for k in range(model.nv):
        j = parents[k]
        while j >= 0:
            carried_by[k] += 1
            j = parents[j]
    return model.nv * (model.nv - 1) / 2 - sum(carried_by)


def _kinetic_energy(model: Model) -> float:
    qd = at_rest(model)
    qd[model.joint("shank_left").v] = 4.0
    return float(ph.energy(model, _seated(model), qd)[0])


def _carried_mass(model: Model) -> float:
    """The composite inertia at the pelvis holds all masses; a translation sees their sum."""
    return float(model.mass) + 3.0


COMPOSITE_RIGID_BODY = Chapter(
    "composite-rigid-body",
    walker,
    _seated,
    gravity=0.0,
    damping=0.2,
    exercises={
        "carried-mass": Exercise(
            _carried_mass,
            "The first row belongs to a translation of the pelvis, which carries all bodies.",
            _seated,
            gravity=0.0,
            tolerance=1e-3,
        ),
        "kinetic-energy": Exercise(
            _kinetic_energy,
            "Only one entry of `qd` is not zero, so only one entry of `H` counts.",
            _seated,
            gravity=0.0,
        ),
        "branches": Exercise(
            _pairs_of_branches,
            "Multiply the degrees of freedom of two branches, for each pair. The trunk carries "
            "the arms, not the legs.",
            _seated,
            gravity=0.0,
            tolerance=1e-9,
        ),
    },
)


def _response(model: Model) -> float:
    return float(5.0 * ph.inverse_mass_matrix(model, _bent(model))[0, 0])


def _articulated_second(model: Model) -> float:
    H = ph.mass_matrix(model, _bent(model))
    return float(H[1, 1] - H[1, 2] ** 2 / H[2, 2])


def _rigid_to_articulated(model: Model) -> float:
    q = ph.neutral(model)
    return float(ph.mass_matrix(model, q)[0, 0] * ph.inverse_mass_matrix(model, q)[0, 0])


ARTICULATED_BODY = Chapter(
    "articulated-body",
    chain,
    _bent,
    exercises={
        "articulated-second": Exercise(
            _articulated_second,
            "Eliminate the third joint from the lower right block of `H`.",
            _bent,
        ),
        "response": Exercise(
            _response,
            "The change is `H^-1` times the change of `tau`. Its first entry is what is asked.",
            _bent,
        ),
        "rigid-to-articulated": Exercise(
            _rigid_to_articulated,
            "`D_1` is the inverse of the first entry of `H^-1`.",
        ),
    },
)


def _tumbling(model: Model) -> np.ndarray:
    return np.array([0.0, 0.0, 0.0, 0.02, 5.0, 0.02])


def _turned(model: Model) -> np.ndarray:
    return np.array([0.4, 0.0, -0.3, 1.0, 2.0, 3.0])


def _away(model: Model) -> np.ndarray:
    q = ph.neutral(model)
    q[:3] = 0.5, -0.2, 0.0
    return q


def _flying(model: Model) -> np.ndarray:
    return np.array([0.0, 3.0, 0.0, 0.0, 0.0, 0.0])


def _corner(model: Model) -> np.ndarray:
    q, qd = ph.neutral(model), _turned(model)
    return ph.point_velocity(model, q, qd, "brick", (0.15, 0.1, 0.0))


def _sum_of_momenta(model: Model) -> float:
    return float(ph.momentum(model, _away(model), _flying(model))[2])


def velocity(model, q, qd):
    """Spatial velocity of the last body, in its coordinates."""
    v = body_velocities(model, q, qd)[model.bodies[-1]]
    return (*v.ang, *v.lin)


def body_momentum(model, q, qd):
    """Spatial momentum of the last body, in its coordinates."""
    i = model.bodies[-1]
    h = model.inertia[i] @ body_velocities(model, q, qd)[i]
    return (*h.ang, *h.lin)


SIX = ("x, angular", "y", "z", "x, linear", "y", "z")

SPATIAL_ALGEBRA = Chapter(
    "spatial-algebra",
    brick,
    qd0=_tumbling,
    gravity=0.0,
    shown=(
        Shown("v, of the body", velocity, SIX),
        Shown("h = I v, of the body", body_momentum, SIX),
        Shown("h_0 = X' I v, at the base", algorithms.momentum, SIX),
    ),
    exercises={
        "corner": Exercise(
            lambda model: float(_corner(model)[0]),
            "`v_P = v.lin + v.ang x P`: only two products add to the x component.",
            qd=_turned,
            gravity=0.0,
        ),
        "power": Exercise(
            lambda model: float(_corner(model) @ (0.0, 0.0, 10.0)),
            "The moment of the force is `P x F`. Add the products of all six components.",
            qd=_turned,
            gravity=0.0,
        ),
        "moment-of-momentum": Exercise(
            _sum_of_momenta,
            "The moment of the momentum about the base is `r x m u`.",
            _away,
            _flying,
            gravity=0.0,
        ),
    },
)


def _flange_jacobian(model: Model) -> np.ndarray:
    return ph.point_jacobian(model, _reaching(model), "flange", (0.0, 0.0, 0.0))


def _level_ratio(model: Model) -> float:
    J = _flange_jacobian(model)
    return float(-J[2, 1] / J[2, 2])


FLANGE = {"body": "flange"}

KINEMATICS = Chapter(
    "kinematics",
    arm,
    _reaching,
    damping=0.5,
    shown=(
        Shown("place of the flange", algorithms.point_position, ("x", "y", "z"), FLANGE),
        Shown("its velocity", algorithms.point_velocity, ("x", "y", "z"), FLANGE),
        Shown("J", algorithms.point_jacobian, ("x", "y", "z"), FLANGE),
    ),
    exercises={
        "forearm": Exercise(
            lambda model: float(2.0 * _flange_jacobian(model)[2, 2]),
            "Column 3 of `J` is the velocity for 1 rad/s of the third joint.",
            _reaching,
        ),
        "level": Exercise(
            _level_ratio,
            "Set the z row of `J qd` to zero.",
            _reaching,
        ),
        "load": Exercise(
            lambda model: float(20.0 * _flange_jacobian(model)[2, 1]),
            "The joint forces that balance a force `F` on the flange are `-J' F`; the weight "
            "points down.",
            _reaching,
        ),
    },
)

CHAPTERS = (
    SPATIAL_ALGEBRA,
    KINEMATICS,
    RECURSIVE_NEWTON_EULER,
    COMPOSITE_RIGID_BODY,
    ARTICULATED_BODY,
    CONSTRAINTS,
    CONTACT,
)
