"""Machines small enough to simulate often."""

import numpy as np
import pytest

from polhode.model import (
    Euler,
    FloatingBase,
    Model,
    Prismatic,
    Revolute,
    Spherical,
)
from polhode.spatial import Transform


def _pendulum() -> Model:
    return (
        Model("double pendulum")
        .add("upper", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        .append(
            "lower",
            joint=Revolute.y(),
            frame=Transform.translation(0, 0, -1.0),
            mass=0.7,
            com=(0, 0, -0.4),
            inertia=(0.05, 0.05, 0.01),
        )
    )


def _brick(gravity=(0.0, 0.0, -9.81)) -> Model:
    return Model("brick", gravity=gravity).add(
        "brick", joint=FloatingBase(), mass=1.3, com=(0.1, 0.02, -0.05), inertia=(0.1, 0.2, 0.25)
    )


def _mixed() -> Model:
    """A floating trunk with a ball joint, a slider and an Euler joint."""
    return (
        Model("mixed")
        .add("trunk", joint=FloatingBase(), mass=4.0, com=(0, 0, 0.1), inertia=(0.3, 0.4, 0.2))
        .append(
            "arm",
            joint=Spherical(),
            frame=Transform.translation(0.1, 0.2, 0.3),
            mass=1.0,
            com=(0.2, 0, 0),
            inertia=(0.02, 0.05, 0.05),
        )
        .append(
            "slider",
            joint=Prismatic.x(),
            frame=Transform.translation(0.4, 0, 0),
            mass=0.5,
            inertia=(0.01, 0.01, 0.01),
        )
        .add(
            "leg",
            parent="trunk",
            joint=Euler("YXZ"),
            frame=Transform.translation(0, -0.2, -0.2),
            mass=1.5,
            com=(0, 0, -0.3),
            inertia=(0.06, 0.06, 0.01),
        )
    )


MACHINES = {"pendulum": _pendulum, "brick": _brick, "mixed": _mixed}


@pytest.fixture(params=MACHINES)
def machine(request) -> Model:
    """Each of the machines in turn."""
    return MACHINES[request.param]()


@pytest.fixture
def pendulum() -> Model:
    return _pendulum()


@pytest.fixture
def brick() -> Model:
    return _brick()


@pytest.fixture
def weightless_brick() -> Model:
    return _brick(gravity=(0.0, 0.0, 0.0))


@pytest.fixture
def mixed() -> Model:
    return _mixed()


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)
