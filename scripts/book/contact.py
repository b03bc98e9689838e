"""The chapter on contact: a block on a slope."""

from __future__ import annotations

from itertools import product

import numpy as np

from polhode import Model

from .chapter import EARTH, Chapter, Exercise, Slider, at_rest
from .ground import Ground, Settings, contact_steps
from .models import BLOCK, block

INTERVAL = 4.0  # ms
SLOPE = 20.0  # degrees, of the first two exercises
SLIPPERY = 0.2  # coefficient of friction
_CORNERS = tuple(
    (0.5 * x * BLOCK[0], 0.5 * y * BLOCK[1], 0.5 * z * BLOCK[2])
    for x, y, z in product((-1.0, 1.0), repeat=3)
)
GROUND = Ground("block", _CORNERS)


def _standing(slope: float) -> np.ndarray:
    """On the ground, at the origin."""
    angle = np.radians(slope)
    middle = 0.5 * BLOCK[2] * np.array([np.sin(angle), 0.0, np.cos(angle)])
    return np.array([*middle, 0.0, np.sin(0.5 * angle), 0.0, np.cos(0.5 * angle)])


def _first(model: Model) -> np.ndarray:
    return _standing(15.0)


def _uphill(model: Model) -> np.ndarray:
    angle, speed = np.radians(15.0), 1.6
    return np.array([-speed * np.cos(angle), 0.0, speed * np.sin(angle), 0.0, 0.0, 0.0])


def _inclined(model: Model) -> np.ndarray:
    return _standing(SLOPE)


def _slide(model: Model) -> float:
    """Acceleration down the slope, in the first step."""
    settings = Settings(SLIPPERY, SLOPE, EARTH)
    q, rest = _inclined(model), at_rest(model)
    _, v, _ = contact_steps(GROUND, model)(q, rest, 1e-3 * INTERVAL, settings)
    return float(np.linalg.norm(v[:3])) / (1e-3 * INTERVAL)


_ON_SLOPE = {"slope": SLOPE, "friction": 0.5}

CONTACT = Chapter(
    "contact",
    block,
    _first,
    _uphill,
    ground=GROUND,
    sliders=(
        Slider("friction", "friction", 0.5, 2.0, 0.01),
        Slider("slope", "slope", 15.0, 60.0, 0.1, "°"),
        Slider("interval", "step", INTERVAL, 20.0, 1.0, "ms", least=1.0),
    ),
    exercises={
        "least-friction": Exercise(
            lambda model: float(np.tan(np.radians(SLOPE))),
            "The impulse that bears the weight is vertical. It must lie in the cone.",
            _inclined,
            settings=_ON_SLOPE,
        ),
        "slide": Exercise(
            _slide,
            "The impulse lies on the cone, against the slip: subtract friction from the weight's "
            "part along the slope.",
            _inclined,
            settings=_ON_SLOPE | {"friction": SLIPPERY},
        ),
        "topple": Exercise(
            lambda model: float(np.degrees(np.arctan(BLOCK[0] / BLOCK[2]))),
            "The block topples when a vertical line through its middle leaves its lower face.",
            _inclined,
            settings=_ON_SLOPE | {"friction": 2.0},
        ),
    },
)
