"""What a chapter consists of beside its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import polhode as ph
from polhode import Model
from polhode.constraints import ConstraintSet

from .ground import Ground

EARTH = 9.81  # m/s^2, downwards

State = Callable[[Model], np.ndarray]


def at_rest(model: Model) -> np.ndarray:
    """No velocity."""
    return np.zeros(model.nv)


@dataclass(frozen=True)
class Exercise:
    """A question with a number for an answer, about a state that the page can be set to."""

    answer: Callable[[Model], float]
    hint: str
    q: State = ph.neutral
    qd: State = at_rest
    gravity: float = EARTH
    tolerance: float = 0.01  # relative; readers copy four digits
    settings: Mapping[str, float] = field(default_factory=dict)  # sliders that it sets


@dataclass(frozen=True)
class Shown:
    """A result of ``function(model, q, qd)`` or fewer that a page shows as rows."""

    label: str
    function: Callable[..., Any]
    rows: tuple[str, ...]
    static: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Slider:
    """A number that a reader sets, beside gravity, damping and masses."""

    name: str
    label: str
    start: float
    most: float
    step: float
    unit: str = ""
    least: float = 0.0


@dataclass(frozen=True)
class ClosedLoop:
    """Constraints of a model, whose force acts at a point of the base."""

    closed: Callable[[Model], ConstraintSet]
    pin: tuple[float, float, float]


@dataclass(frozen=True)
class Chapter:
    """A text of ``docs/book``, and the model beside it.

    Without ``shown`` its page shows the terms of the equation of motion, or the contacts.
    """

    name: str
    model: Callable[[], Model]
    q0: State = ph.neutral
    qd0: State = at_rest
    gravity: float = EARTH
    damping: float = 0.0  # 1/s, of joint velocities
    exercises: Mapping[str, Exercise] = field(default_factory=dict)
    shown: tuple[Shown, ...] = ()
    sliders: tuple[Slider, ...] = ()
    loop: ClosedLoop | None = None
    ground: Ground | None = None
