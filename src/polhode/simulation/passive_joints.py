"""What joints do by themselves in a run with a smooth integrator, and limits watched."""

from __future__ import annotations

import math

import numpy as np

from ..api.passive import passive_forces
from ..errors import ModelError, ModelWarning, warn_caller
from ..model import Model
from .errors import SimulationError
from .joint_limits import JointLimits

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
        rubbing = rubbing_joints(model)
        if rubbing:
            raise ModelError(
                f"dry friction of joint '{rubbing[0]}' is simulated by integrator 'event_driven' "
                f"only, got '{integrator}'; joint_forces='none' leaves it out (model "
                f"'{model.name}')"
            )
        damping = np.array([d for i in model.bodies for d in model.damping[i].entries])
        self.damping: np.ndarray | None = damping if damping.any() else None
        self.has_springs: bool = (
            not all(spring.is_zero for spring in model.stiffness)
            or any(tendon.acts for tendon in model.tendons)
            or any(mass for mass, _ in model.floated)
        )
        self._model = model
        self._limits = JointLimits(model)

    @property
    def are_idle(self) -> bool:
        """Whether joints have neither damping nor springs."""
        return self.damping is None and not self.has_springs

    def forces(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Forces of damping and springs, shape (..., nv)."""
        if self.has_springs:
            return passive_forces(self._model, q, qd)
        return np.zeros_like(qd) if self.damping is None else -self.damping * qd

    def check_limits(self, t: float, q: np.ndarray) -> None:
        """Refuse to go on past a limit, which no smooth integrator stops at.

        Raises
        ------
        SimulationError
            With the joint.
        """
        limits = self._limits
        if not limits.names:
            return
        past = limits.beyond(q) > _PAST
        if past.any():
            *world, k = np.argwhere(past)[0].tolist()
            is_below = q[(*world, limits.place[k])] < limits.lower[k]
            limit = (limits.lower if is_below else limits.upper)[k]
            raise SimulationError(
                f"joint '{limits.names[k]}' passes its limit {limit:.4g} before t = {t:g} s, which "
                f"integrator '{self.integrator}' cannot stop: expected integrator 'event_driven', "
                "or joint_forces='none'. Instead of constraints= use loops of a Scene"
            )


def warn_of_limits(model: Model, q: np.ndarray, what: str) -> None:
    """Warn of joints that passed their limits, where nothing stopped them."""
    limits = JointLimits(model)
    # Worlds that are not finite do not count.
    past = np.fmax.reduce(limits.beyond(q), axis=tuple(range(q.ndim - 1)), initial=0.0)
    for name, most in zip(limits.names, past, strict=True):
        if most > _PAST:
            warn_caller(
                f"joint '{name}' passed its limits by {most:.3g}: this {what} does not stop it; "
                "integrator 'event_driven' does, joint_forces='none' says that it is not to "
                f"(model '{model.name}')", ModelWarning,
            )  # fmt: skip
            return


def rubbing_joints(model: Model) -> list[str]:
    """Names of the joints that declare dry friction."""
    return [j.name for j in model.joints if np.any(j.friction)]


def stops_suddenly(model: Model) -> bool:
    """Whether a joint of the model has limits or dry friction."""
    limited = any(
        j.limits is not None and (j.limits.lower > -math.inf or j.limits.upper < math.inf)
        for j in model.joints
    )
    return limited or bool(rubbing_joints(model))
