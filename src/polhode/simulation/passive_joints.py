"""What joints and tendons do by themselves in smooth integrators, and limits watched."""

from __future__ import annotations

import math

import numpy as np

from ..api.passive import all_passive_forces
from ..errors import ModelError, ModelWarning, warn_caller
from ..model import Model
from .errors import SimulationError
from .joint_limits import JointLimits, TendonLimits

_PAST = 1e-6  # beyond a limit: more than rounding [rad or m]


class PassiveJoints:
    """Damping and springs of a model's joints, and their limits.

    Attributes
    ----------
    damping : ndarray, shape (nv,), or None
        Force for each unit of speed; None where there is none.
    """

    def __init__(self, model: Model, integrator: str):
        self.integrator = integrator
        rubbing = with_dry_friction(model)
        if rubbing:
            raise ModelError(
                f"dry friction of {rubbing[0]} is simulated by integrators 'event_driven' and "
                f"'moreau', got '{integrator}'; joint_forces='none' leaves it out "
                f"(model '{model.name}')"
            )
        damping = np.array(model.join_v({i: model.damping[i].entries for i in model.bodies}))
        self.damping: np.ndarray | None = damping if damping.any() else None
        self.has_springs: bool = (
            not all(spring.is_zero for spring in model.stiffness)
            or any(tendon.acts for tendon in model.tendons)
            or any(mass for mass, _ in model.floated)
            or model.fluid is not None
        )
        self._model = model
        self._limits: dict[str, JointLimits | TendonLimits] = limits_of(model)

    @property
    def are_idle(self) -> bool:
        """Whether joints have neither damping nor springs."""
        return self.damping is None and not self.has_springs

    def forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Forces of damping and springs, shape (..., nv)."""
        if self.has_springs:
            return all_passive_forces(self._model, q, qd)
        return np.zeros_like(qd) if self.damping is None else -self.damping * qd

    def check_limits(self, t: float, q: np.ndarray) -> None:
        """Refuse to go on past a limit, which no smooth integrator stops at.

        Raises
        ------
        SimulationError
            With the joint or tendon.
        """
        for what, limits in self._limits.items():
            past = limits.beyond(q) > _PAST
            if past.any():
                *world, k = np.argwhere(past)[0].tolist()
                is_below = limits.values(q)[(*world, k)] < limits.lower[k]
                limit = (limits.lower if is_below else limits.upper)[k]
                raise SimulationError(
                    f"{what} '{limits.names[k]}' passes its limit {limit:.4g} before t = {t:g} s, "
                    f"which integrator '{self.integrator}' cannot stop: expected integrator "
                    "'event_driven', or joint_forces='none'. Instead of constraints= use loops of "
                    "a Scene"
                )


def warn_of_limits(model: Model, q: np.ndarray, what: str) -> None:
    """Warn of joints and tendons that passed their limits, where nothing stopped them."""
    for kind, limits in limits_of(model).items():
        # Worlds that are not finite do not count.
        past = np.fmax.reduce(limits.beyond(q), axis=tuple(range(q.ndim - 1)), initial=0.0)
        for name, most in zip(limits.names, past, strict=True):
            if most > _PAST:
                warn_caller(
                    f"{kind} '{name}' passed its limits by {most:.3g}: this {what} does not stop "
                    "it; integrator 'event_driven' does, joint_forces='none' says that it is not "
                    f"to (model '{model.name}')", ModelWarning,
                )  # fmt: skip
                return


def limits_of(model: Model) -> dict[str, JointLimits | TendonLimits]:
    """The limits of a model by what they are of; without those kinds that have none."""
    found = {"joint": JointLimits(model), "tendon": TendonLimits(model)}
    return {what: limits for what, limits in found.items() if limits.names}


def with_dry_friction(model: Model) -> list[str]:
    """The joints and tendons that declare dry friction: what they are, with their names."""
    joints = [f"joint '{each.name}'" for each in model.joints if np.any(each.friction)]
    return joints + [f"tendon '{each.name}'" for each in model.tendons if each.friction]


def stops_suddenly(model: Model) -> bool:
    """Whether a joint or tendon of the model has limits or dry friction."""
    limited = any(
        j.limits is not None and (j.limits.lower > -math.inf or j.limits.upper < math.inf)
        for j in model.joints
    )
    return limited or bool(TendonLimits(model).names) or bool(with_dry_friction(model))
