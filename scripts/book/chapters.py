"""The chapters, their models, and the answers to their exercises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file, files

import numpy as np

import polhode as ph
from polhode import Model
from polhode.algorithms.tree.crba import dof_parents
from polhode.model import Box, Revolute, Visual
from polhode.spatial import Transform

EARTH = 9.81  # m/s^2, downwards

State = Callable[[Model], np.ndarray]


def _rest(model: Model) -> np.ndarray:
    return np.zeros(model.nv)


@dataclass(frozen=True)
class Exercise:
    """A question with a number for an answer, about a state that the page can be set to."""

    answer: Callable[[Model], float]
    hint: str
    q: State = ph.neutral
    qd: State = _rest
    gravity: float = EARTH
    tolerance: float = 0.01  # relative; readers copy four digits


@dataclass(frozen=True)
class Chapter:
    """A text of ``docs/book``, and the model beside it."""

    name: str
    model: Callable[[], Model]
    q0: State = ph.neutral
    gravity: float = EARTH
    damping: float = 0.0  # 1/s, of joint velocities
    exercises: Mapping[str, Exercise] = field(default_factory=dict)


def _shipped(name: str) -> Model:
    with as_file(files("polhode") / "examples" / name) as path:
        return ph.load(path)


def arm() -> Model:
    """The shipped arm of six joints."""
    return _shipped("arm.urdf")


def walker() -> Model:
    """The shipped walker: 15 bodies, 29 degrees of freedom."""
    return _shipped("walker.lua")


def chain() -> Model:
    """Three equal rods of 1 kg and 0.5 m, hanging one from the other."""
    length, width, mass = 0.5, 0.06, 1.0
    across = mass * (length**2 + width**2) / 12.0
    model = Model("chain")
    for k in range(3):
        model = model.add(
            f"rod_{k + 1}", parent=f"rod_{k}" if k else None, joint=Revolute.y(),
            frame=Transform.translation(0.0, 0.0, -length if k else 1.2),
            mass=mass, com=(0.0, 0.0, -0.5 * length), inertia=(across, across, mass * width**2 / 6),
            visuals=[Visual(
                Box((width, width, length)), Transform.translation(0.0, 0.0, -0.5 * length)
            )],
        )  # fmt: skip
    return model


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
    return float(ph.inverse_dynamics(model, q, _rest(model), qdd)[1])


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
    qd = _rest(model)
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

CHAPTERS = (RECURSIVE_NEWTON_EULER, COMPOSITE_RIGID_BODY, ARTICULATED_BODY)
