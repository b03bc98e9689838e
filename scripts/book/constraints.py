"""The chapter on constraints: a linkage whose loop is closed by two rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import polhode as ph
from polhode import Model, algorithms
from polhode.constraints import Constraint, ConstraintSet
from polhode.model import PerBody
from polhode.scalar import Scalar
from polhode.spatial import Transform

from .chapter import Chapter, ClosedLoop, Exercise, Shown, Slider
from .models import LINKS, PIN, linkage

SHAPES = {"stabilization": ()}
ALONG = (0, 0, 0, 1, 0, 0), (0, 0, 0, 0, 0, 1)  # axes x and z of the base
OPENED = 0.02  # m, of the exercise on decay
DECAY = 0.05  # s, the time constant in it
LATER = 0.1  # s, when it asks

Constraints = tuple[Constraint, ...]
Vector = list[Scalar]


def closed(model: Model) -> ConstraintSet:
    """The end of the rocker stays at the pin."""
    end = Transform.translation(LINKS["rocker"], 0.0, 0.0)
    pin = Transform.translation(*PIN)
    return ConstraintSet(model).loop("ROOT", "rocker", pin, end, axis=ALONG, name="pin")


def stabilized(constraints: Constraints, time: Scalar) -> Constraints:
    """The constraints with a time constant that may be an input of a program."""
    return tuple(replace(each, stabilization=time) for each in constraints)


def closed_dynamics(
    model: Model, q: PerBody, qd: PerBody, tau: PerBody, stabilization: Scalar,
    f_ext: PerBody | None = None, *, constraints: Constraints,
) -> tuple[Vector, Vector]:  # fmt: skip
    """Accelerations and constraint forces."""
    rows = stabilized(constraints, stabilization)
    return algorithms.constrained_range_space(model, q, qd, tau, f_ext, constraints=rows)


def kkt_matrix(model: Model, q: PerBody, qd: PerBody, *, constraints: Constraints) -> list[Vector]:
    """The matrix of the accelerations and the constraint forces, these with the opposite sign."""
    system = algorithms.constrained_system(model, q, qd, constraints=constraints)
    G = [list(row) for row in system.G]
    upper = [[*H, *column] for H, column in zip(system.H, zip(*G, strict=True), strict=True)]
    return [*upper, *([*row, *([0.0] * len(G))] for row in G)]


def kkt_right_side(
    model: Model, q: PerBody, qd: PerBody, stabilization: Scalar, f_ext: PerBody | None = None, *,
    constraints: Constraints,
) -> Vector:  # fmt: skip
    """``-C`` and ``gamma``."""
    rows = stabilized(constraints, stabilization)
    system = algorithms.constrained_system(model, q, qd, f_ext, constraints=rows)
    return [*(-x for x in system.C), *system.gamma]


def kkt_solution(
    model: Model, q: PerBody, qd: PerBody, stabilization: Scalar, f_ext: PerBody | None = None, *,
    constraints: Constraints,
) -> Vector:  # fmt: skip
    """Accelerations, and constraint forces with the opposite sign."""
    tau = model.split_v([0.0] * model.nv)
    qdd, force = closed_dynamics(model, q, qd, tau, stabilization, f_ext, constraints=constraints)
    return [*qdd, *(-x for x in force)]


def loop_errors(model: Model, q: PerBody, qd: PerBody, *, constraints: Constraints) -> list[Vector]:
    """Of each row its error and the rate of that."""
    err, errd = algorithms.constraint_errors(model, q, qd, constraints=constraints)
    return [list(pair) for pair in zip(err, errd, strict=True)]


def _assembled(model: Model, rate: float) -> tuple[np.ndarray, np.ndarray]:
    guess, rates = np.array([-1.2, 0.6, 1.9]), np.array([rate, 0.0, 0.0])
    found = ph.assemble(model, closed(model), guess, rates)
    assert found.success and found.qd is not None
    return found.q, found.qd


def _closed(model: Model) -> np.ndarray:
    return _assembled(model, 0.0)[0]


def _turning(model: Model) -> np.ndarray:
    return _assembled(model, 8.0)[1]


def _held(model: Model) -> float:
    """The torque at the crank that bears the weight."""
    q, rest = _assembled(model, 0.0)
    actuated = [True, False, False]
    wanted = np.zeros(model.nv)
    return float(
        ph.constraints.constrained_inverse_dynamics(
            model, closed(model), q, rest, wanted, actuated
        ).tau[0]
    )


def _opened(model: Model) -> np.ndarray:
    """A position in which the end of the rocker is beside the pin, along x."""
    pin = Transform.translation(PIN[0] + OPENED, PIN[1], PIN[2])
    end = Transform.translation(LINKS["rocker"], 0.0, 0.0)
    beside = ConstraintSet(model).loop("ROOT", "rocker", pin, end, axis=ALONG)
    found = ph.assemble(model, beside, _closed(model))
    assert found.success
    return found.q


TERMS = ("crank", "coupler", "rocker", "pin x", "pin z")
_SET = {"constraints": closed(linkage()).constraints}

CONSTRAINTS = Chapter(
    "constraints",
    linkage,
    _closed,
    _turning,
    sliders=(
        Slider("stabilization", "stabilization", 0.0, 50.0, 0.5, "1/s"),
        Slider("interval", "step", 2.0, 40.0, 1.0, "ms", least=1.0),
    ),
    loop=ClosedLoop(closed, PIN),
    shown=(
        Shown("H, G' and G", kkt_matrix, TERMS, _SET),
        Shown("-C, gamma", kkt_right_side, TERMS, _SET),
        Shown("qdd, -force", kkt_solution, TERMS, _SET),
        Shown("err, errd", loop_errors, ("pin x", "pin z"), _SET),
    ),
    exercises={
        "rocker-rate": Exercise(
            lambda model: float(_assembled(model, 2.0)[1][2]),
            "Solve `G qd = 0`: two equations with two unknown rates.",
            _closed,
        ),
        "held-crank": Exercise(
            _held,
            "Take the rates of exercise 1, with 1 rad/s at the crank. Their power with `C` is "
            "that of the torque.",
            _closed,
        ),
        "decay": Exercise(
            lambda model: 1e3 * OPENED * (1.0 + LATER / DECAY) * float(np.exp(-LATER / DECAY)),
            "Critical damping: `err(t) = err(0) (1 + t/T) exp(-t/T)`.",
            _opened,
            settings={"stabilization": 1.0 / DECAY},
        ),
    },
)
