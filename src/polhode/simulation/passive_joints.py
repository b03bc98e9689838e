"""What joints do by themselves in a run with a smooth integrator: damping, and limits watched."""

from __future__ import annotations

import math

import numpy as np

from ..errors import ModelError, ModelWarning, warn_caller
from ..model import Model
from .errors import SimulationError

_PAST = 1e-6  # beyond a limit: more than rounding [rad or m]


class PassiveJoints:
    """Damping of a model's joints, and their limits.

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
        damping = np.zeros(model.nv)
        names, place, lower, upper = [], [], [], []
        for joint in model.joints:
            if joint.dynamics is not None:
                damping[joint.v] = joint.dynamics.damping
            if joint.limits is not None and joint.kind.nq == joint.kind.nv:
                for k in np.arange(model.nq)[joint.q].tolist():
                    names.append(joint.name)
                    place.append(k)
                    lower.append(joint.limits.lower)
                    upper.append(joint.limits.upper)
        self.damping: np.ndarray | None = damping if damping.any() else None
        self._names, self._place = names, np.array(place, int)
        self._lower, self._upper = np.array(lower) - _PAST, np.array(upper) + _PAST

    def check_limits(self, t: float, q: np.ndarray) -> None:
        """Refuse to go on past a limit, which no smooth integrator stops at.

        Raises
        ------
        SimulationError
            With the joint.
        """
        if not self._names:
            return
        values = q[..., self._place]
        past = (values < self._lower) | (values > self._upper)
        if past.any():
            k = int(np.argwhere(past)[0][-1])
            value = values[past][0]
            limit = self._lower[k] + _PAST if value < self._lower[k] else self._upper[k] - _PAST
            raise SimulationError(
                f"joint '{self._names[k]}' passes its limit {limit:.4g} before t = {t:g} s, which "
                f"integrator '{self.integrator}' cannot stop: expected integrator 'event_driven', "
                "or joint_forces='none'"
            )


def warn_of_limits(model: Model, q: np.ndarray, what: str) -> None:
    """Warn of joints that passed their limits, where nothing stopped them."""
    for joint in model.joints:
        if joint.limits is None or joint.kind.nq != joint.kind.nv:
            continue
        values = q[..., joint.q]
        past = np.maximum(joint.limits.lower - values, values - joint.limits.upper)
        if past.size and np.nanmax(past) > _PAST:
            warn_caller(
                f"joint '{joint.name}' passed its limits by {np.nanmax(past):.3g}: this {what} "
                "does not stop it; integrator 'event_driven' does, joint_forces='none' says that "
                f"it is not to (model '{model.name}')", ModelWarning,
            )  # fmt: skip
            return


def rubbing_joints(model: Model) -> list[str]:
    """Names of the joints that declare dry friction."""
    return [j.name for j in model.joints if j.dynamics is not None and j.dynamics.friction]


def stops_suddenly(model: Model) -> bool:
    """Whether a joint of the model has limits or dry friction."""
    limited = any(
        j.limits is not None and (j.limits.lower > -math.inf or j.limits.upper < math.inf)
        for j in model.joints
    )
    return limited or bool(rubbing_joints(model))
