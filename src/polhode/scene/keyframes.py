"""States of a scene that have names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arrays import Numbers
from ..errors import ModelError, shown
from ..model.checks import name, number, numbers

Values = tuple[tuple[str, tuple[float, ...]], ...]
"""Pairs of a model's name and numbers."""


@dataclass(frozen=True)
class Keyframe:
    """A state of a scene that has a name; `Scene.at_keyframe` starts there.

    Attributes
    ----------
    name : str
    q, qd : mapping of str to sequence of float, or pairs
        Positions and velocities of models, by their names.  Other models start as they did.
    time : float
        [s].
    activation, controls : sequence of float
        Of the actuators, for a run that starts there; empty if nothing is said of them.
    """

    name: str
    q: Values = ()
    qd: Values = ()
    time: float = 0.0
    activation: tuple[float, ...] = ()
    controls: tuple[float, ...] = ()

    if TYPE_CHECKING:  # more is taken than is kept

        def __init__(
            self,
            name: str,
            q: Mapping[str, Numbers] | Values = (),
            qd: Mapping[str, Numbers] | Values = (),
            time: float = 0.0,
            activation: Numbers = (),
            controls: Numbers = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        where = f"keyframe '{name(self.name, 'keyframe')}'"
        for key in ("q", "qd"):
            object.__setattr__(self, key, _values(getattr(self, key), key, where))
        object.__setattr__(self, "time", number(self.time, "time", where))
        for key in ("activation", "controls"):
            values = tuple(getattr(self, key))
            object.__setattr__(self, key, numbers(values, len(values), key, where))


def _values(given: Any, what: str, where: str) -> Values:
    pairs = tuple(given.items()) if isinstance(given, Mapping) else tuple(given)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ModelError(f"expected names of models and numbers as {what}, got {shown(pair)} "
                             f"({where})")  # fmt: skip
    return tuple(
        (name(machine, f"model of {where}"), numbers(values, len(values), what, where))
        for machine, values in pairs
    )
