"""How a scene wants to be simulated, and looked at."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..errors import ModelError, suggestion, suggests_fields
from ..model.checks import name, number, numbers

ROOT_OF_EPSILON = 1.4901161193847656e-08  # of float64: Moby's default for steps and tolerances
KINDS = ("simulator", "time-stepping")


@suggests_fields
@dataclass(frozen=True)
class Settings:
    """Of the simulator.

    Attributes
    ----------
    kind : str
        ``"simulator"`` (no contact) or ``"time-stepping"``.
    name : str
    time : float
        At the start [s].
    step_size : float or None
        What a driver should use [s]; None leaves it to the driver.
    min_step_size : float
        Contact is located to this [s].
    contact_dist_thresh : float
        Shapes nearer than this are in contact [m].
    unilateral_stabilization_tol, bilateral_stabilization_tol : float
        Penetration, and drift of loops, that is left alone [m].
    constraint_stabilization_max_iterations : int or None
        0 switches stabilisation off; None leaves it to the simulator.
    """

    kind: str = "time-stepping"
    name: str = "simulator"
    time: float = 0.0
    step_size: float | None = None
    min_step_size: float = ROOT_OF_EPSILON
    contact_dist_thresh: float = 1e-6
    unilateral_stabilization_tol: float = ROOT_OF_EPSILON
    bilateral_stabilization_tol: float = 1e-6
    constraint_stabilization_max_iterations: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            hint = suggestion(str(self.kind), KINDS)
            raise ModelError(f"expected a kind out of {', '.join(KINDS)}, got {self.kind!r}{hint}")
        where = f"simulator '{name(self.name, 'simulator')}'"
        object.__setattr__(self, "time", number(self.time, "time", where))
        for key in ("min_step_size", "contact_dist_thresh", "unilateral_stabilization_tol",
                    "bilateral_stabilization_tol"):  # fmt: skip
            value = number(getattr(self, key), key.replace("_", " "), where, least=0.0)
            object.__setattr__(self, key, value)
        if self.step_size is not None:
            step = number(self.step_size, "step size", where, least=0.0)
            if step == 0.0:
                raise ModelError(f"expected a step size above 0, got 0 ({where})")
            object.__setattr__(self, "step_size", step)
        if (most := self.constraint_stabilization_max_iterations) is not None:
            count = number(most, "number of iterations", where, least=0.0, finite=False)
            whole = None if math.isinf(count) else int(count)
            object.__setattr__(self, "constraint_stabilization_max_iterations", whole)


@suggests_fields
@dataclass(frozen=True)
class View:
    """Where the camera and the window are; None leaves it to the viewer."""

    camera_position: tuple[float, float, float] | None = None
    camera_target: tuple[float, float, float] | None = None
    camera_up: tuple[float, float, float] | None = None
    window_location: tuple[float, float] | None = None
    window_size: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        for key, length in (("camera_position", 3), ("camera_target", 3), ("camera_up", 3),
                            ("window_location", 2), ("window_size", 2)):  # fmt: skip
            if (value := getattr(self, key)) is not None:
                values = numbers(value, length, key.replace("_", " "), "view")
                object.__setattr__(self, key, values)
