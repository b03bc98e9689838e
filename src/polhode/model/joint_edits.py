"""What joints do by themselves, changed; the edit returns a new model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from ..arrays import Numbers
from ..errors import ModelError, suggests_options
from .checks import known, number
from .records import JointDynamics

if TYPE_CHECKING:
    from .model import Model


class JointEdits:
    """The methods of `Model` that change joints."""

    @suggests_options
    def with_joint_dynamics(
        self,
        joint: str,
        *,
        damping: float | Numbers | None = None,
        friction: float | Numbers | None = None,
        armature: float | Numbers | None = None,
        rotor_inertia: float | None = None,
        gear_ratio: float = 1.0,
        stiffness: float | Numbers | None = None,
        rest: float | Numbers | None = None,
    ) -> Model:
        """Return the model with other friction, armature or spring of a joint; the rest stays.

        Parameters
        ----------
        joint : str
            Its name.
        damping, friction, armature, stiffness, rest : float, or one for each velocity entry
            See `polhode.model.JointDynamics`.
        rotor_inertia : float, optional
            Instead of the armature: inertia of what turns with the motor [kg m^2].
        gear_ratio : float
            Turns of the motor for each turn of the joint; the armature is ``rotor_inertia *
            gear_ratio**2``.

        Raises
        ------
        ModelError
            If there is no such joint that moves, or for both an armature and a rotor.
        """
        model = cast("Model", self)
        where = f"joint '{joint}', model '{model.name}'"
        if rotor_inertia is not None and armature is not None:
            raise ModelError(f"expected armature or rotor_inertia, got both ({where})")
        if rotor_inertia is not None:
            inertia = number(rotor_inertia, "rotor_inertia", where, least=0.0)
            ratio = number(gear_ratio, "gear_ratio", where)
            armature = number(inertia * ratio * ratio, "rotor_inertia * gear_ratio**2", where)
        given: dict[str, Any] = {
            "damping": damping, "friction": friction, "armature": armature,
            "stiffness": stiffness, "rest": rest,
        }  # fmt: skip
        changed = {key: value for key, value in given.items() if value is not None}
        names = {link.joint_name: k for k, link in enumerate(model.links) if link.joint.nv}
        k = names[known(joint, names, "joint", f"model '{model.name}'")]
        link = model.links[k]
        try:
            dynamics = replace(link.dynamics or JointDynamics(), **changed)
        except ModelError as error:
            raise ModelError(f"{error} ({where})") from None
        links = (*model.links[:k], replace(link, dynamics=dynamics), *model.links[k + 1 :])
        return replace(model, links=links)
