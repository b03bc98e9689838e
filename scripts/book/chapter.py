"""What a chapter consists of beside its text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import polhode as ph
from polhode import Model

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


@dataclass(frozen=True)
class Shown:
    """A result of ``function(model, q, qd)`` or fewer that a page shows as rows."""

    label: str
    function: Callable[..., Any]
    rows: tuple[str, ...]
    static: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Chapter:
    """A text of ``docs/book``, and the model beside it.

    Without ``shown`` its page shows the terms of the equation of motion.
    """

    name: str
    model: Callable[[], Model]
    q0: State = ph.neutral
    qd0: State = at_rest
    gravity: float = EARTH
    damping: float = 0.0  # 1/s, of joint velocities
    exercises: Mapping[str, Exercise] = field(default_factory=dict)
    shown: tuple[Shown, ...] = ()
