"""Forces that act on bodies all the time, and what slows joints down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import ModelError
from ..model.checks import entries, fraction, name, number, numbers, records

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class UniformGravity:
    """Acceleration of free fall [m/s^2] of some bodies, beside the scene's own.

    ``bodies`` are names of bodies or models; None is all.  Acts at the centre of mass.
    """

    name: str
    acceleration: Triple
    bodies: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        where = f"force '{name(self.name, 'force')}'"
        values = numbers(self.acceleration, 3, "acceleration", where)
        object.__setattr__(self, "acceleration", values)
        _freeze_bodies(self)


@dataclass(frozen=True)
class StokesDrag:
    """``f = -linear v`` and ``tau = -angular omega`` at the origin of each body's frame."""

    name: str
    linear: float = 0.0
    angular: float = 0.0
    bodies: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        where = f"force '{name(self.name, 'force')}'"
        for key in ("linear", "angular"):
            value = number(getattr(self, key), f"{key} drag", where, least=0.0)
            object.__setattr__(self, key, value)
        _freeze_bodies(self)


@dataclass(frozen=True)
class DampingGains:
    """Gains of `Damping` for a body, or for all bodies of a model."""

    body: str
    linear: float = 0.0
    angular: float = 0.0
    linear_squared: float = 0.0
    angular_squared: float = 0.0

    def __post_init__(self) -> None:
        where = f"damping of '{name(self.body, 'damped body')}'"
        for key in ("linear", "angular", "linear_squared", "angular_squared"):
            value = number(getattr(self, key), key.replace("_", " ") + " gain", where, least=0.0)
            object.__setattr__(self, key, value)


@dataclass(frozen=True)
class Damping:
    """``f = -(linear + linear_squared |v|) v`` at each body's frame, and so for its rotation.

    Gains of a body go before those of its model; bodies without gains are not damped.  ``bodies``
    are those that the force is applied to; None is all.
    """

    name: str
    gains: tuple[DampingGains, ...]
    bodies: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        name(self.name, "force")
        gains = records(self.gains, DampingGains, "gains", f"force '{self.name}'")
        object.__setattr__(self, "gains", gains)
        _freeze_bodies(self)


@dataclass(frozen=True)
class Dissipation:
    """Joint rates of models with joints are multiplied by a factor after each step.

    ``factors`` are pairs of a model's name and its factor; others have ``default``.  Single free
    bodies are not slowed.
    """

    factors: tuple[tuple[str, float], ...] = ()
    default: float = 0.99

    def __post_init__(self) -> None:
        found = entries(self.factors, "pairs (model, factor)", "dissipation")
        if not all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in found):
            raise ModelError("expected pairs (model, factor) as factors (dissipation)")
        pairs = tuple((name(m, "model"), fraction(x, "factor", m)) for m, x in found)
        object.__setattr__(self, "factors", pairs)
        object.__setattr__(self, "default", fraction(self.default, "factor", "dissipation"))

    def factor(self, machine: str) -> float:
        """The factor of a model."""
        return dict(self.factors).get(machine, self.default)


ForceElement = UniformGravity | StokesDrag | Damping


def bodies_named(force: ForceElement) -> Iterator[str]:
    """All names of bodies or models in a force."""
    yield from force.bodies or ()
    if isinstance(force, Damping):
        yield from (gains.body for gains in force.gains)


def _freeze_bodies(force: ForceElement) -> None:
    if force.bodies is not None:
        bodies = entries(force.bodies, "a list of bodies", f"force '{force.name}'")
        object.__setattr__(force, "bodies", tuple(name(b, "body") for b in bodies))
