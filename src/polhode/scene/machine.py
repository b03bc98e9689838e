"""Models in a scene: the model, its initial state, and the friction and limits of its joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

from ..arrays import Numbers
from ..errors import ModelError, shown, suggests_fields
from ..model import Joint, JointDynamics, Model
from ..model.checks import (
    Entries,
    distinct,
    entries,
    fraction,
    known,
    name,
    numbers,
    one_or_more,
    records,
)
from ..model.coupling import refuse_follower
from ..model.records import JointEntries
from ..once import cached_property
from .geometry import AT_REST, Six

UNIT_TOLERANCE = 1e-6


@suggests_fields
@dataclass(frozen=True)
class JointSettings:
    """What a joint does besides moving: stops at limits and resists.

    Attributes
    ----------
    joint : str
    lower, upper : tuple of float
        For each velocity entry of the joint [rad or m]; infinite where there is no limit.
        One number stands for all.
    restitution : float
        Poisson's coefficient at the limits, 0 to 1.
    coulomb_friction, viscous_friction : float or tuple of float, optional
        Largest dry friction [N or N m], and friction for each unit of speed; one number, or one
        for each velocity entry.  Where they are omitted, the joint's ``dynamics`` of the model.
    stiffness, rest : float or tuple of float, optional
        A spring in the joint: the force ``-stiffness (q - rest)``.  Where they are omitted, that
        of the joint's ``dynamics``.
    """

    joint: str
    lower: tuple[float, ...] = (-math.inf,)
    upper: tuple[float, ...] = (math.inf,)
    restitution: float = 0.0
    coulomb_friction: Entries | None = None
    viscous_friction: Entries | None = None
    stiffness: Entries | None = None
    rest: Entries | None = None

    if TYPE_CHECKING:  # more is taken than is kept

        def __init__(
            self,
            joint: str,
            lower: float | Numbers = (-math.inf,),
            upper: float | Numbers = (math.inf,),
            restitution: float = 0.0,
            coulomb_friction: float | Numbers | None = None,
            viscous_friction: float | Numbers | None = None,
            stiffness: float | Numbers | None = None,
            rest: float | Numbers | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        where = f"joint '{name(self.joint, 'joint')}'"
        for key in ("lower", "upper"):
            value: Any = getattr(self, key)
            is_one = isinstance(value, Real) or getattr(value, "ndim", 1) == 0
            values = (value,) if is_one else entries(value, f"numbers as {key} limits", where)
            checked = numbers(values, len(values), f"{key} limits", where, finite=False)
            object.__setattr__(self, key, checked)
        if len(self.lower) != len(self.upper):
            raise ModelError(
                f"expected as many lower as upper limits, got {len(self.lower)} and "
                f"{len(self.upper)} ({where})"
            )
        for low, high in zip(self.lower, self.upper, strict=True):
            if low > high:
                raise ModelError(f"lower limit {low:g} above upper limit {high:g} ({where})")
        object.__setattr__(self, "restitution", fraction(self.restitution, "restitution", where))
        for key in ("coulomb_friction", "viscous_friction", "stiffness", "rest"):
            if (value := getattr(self, key)) is not None:
                least = -math.inf if key == "rest" else 0.0
                checked = one_or_more(value, key.replace("_", " "), where, least=least)
                object.__setattr__(self, key, checked)

    @property
    def is_limited(self) -> bool:
        """Whether there is any finite limit."""
        return any(x > -math.inf for x in self.lower) or any(x < math.inf for x in self.upper)


@suggests_fields
@dataclass(frozen=True)
class Machine:
    """A model in a scene.

    A free rigid body is a model of one link on a `FloatingBase` joint.  An immovable one is a model
    of one `Fixed` link, whose frame is its place.

    Attributes
    ----------
    name : str
    model : Model
        Its gravity is not used: the scene's is.
    q, qd : tuple of float
        Where and how fast it starts; neutral and at rest by default.  ``q`` is the displacement
        from the pose that the model's frames describe.
    q_tare : tuple of float
        For each velocity entry, what a joint's scale shows where ``q`` is zero, negated: its
        reading is ``q - q_tare``.  A label only; limits are on ``q``.
    joint_settings : tuple of JointSettings
    surface_velocity : six numbers
        Angular, then linear velocity of the surface of immovable links, such as a conveyor or a
        turntable.  It is in world axes, at the world's origin of that link's frame.  Poses do not
        change.
    is_simulated : bool
        Whether it takes part; if not it stays where it is and touches nothing.
    """

    name: str
    model: Model
    q: tuple[float, ...] = None  # type: ignore[assignment]
    qd: tuple[float, ...] = None  # type: ignore[assignment]
    q_tare: tuple[float, ...] = None  # type: ignore[assignment]
    joint_settings: tuple[JointSettings, ...] = ()
    surface_velocity: Six = AT_REST
    is_simulated: bool = True

    def __post_init__(self) -> None:
        where = f"model '{name(self.name, 'model')}'"
        model = self.model
        if not isinstance(model, Model):
            raise ModelError(f"expected a Model, got {shown(model)} ({where})")
        if not model.links:
            raise ModelError(f"expected a model with at least one link, got none ({where})")
        q = _neutral(model) if self.q is None else numbers(self.q, model.nq, "q", where)
        _check_quaternions(model, q, where)
        object.__setattr__(self, "q", q)
        for key in ("qd", "q_tare"):
            value = getattr(self, key)
            value = (0.0,) * model.nv if value is None else numbers(value, model.nv, key, where)
            object.__setattr__(self, key, value)
        velocity = numbers(self.surface_velocity, 6, "surface velocity", where)
        object.__setattr__(self, "surface_velocity", velocity)
        object.__setattr__(self, "is_simulated", bool(self.is_simulated))
        self._check_settings(where)

    def _check_settings(self, where: str) -> None:
        joints = {joint.name: joint for joint in self.model.joints}
        settings_of = records(self.joint_settings, JointSettings, "joint_settings", where)
        place = {name: k for k, name in enumerate(joints)}
        in_order = sorted(settings_of, key=lambda s: place.get(s.joint, -1))
        object.__setattr__(self, "joint_settings", tuple(in_order))
        distinct((s.joint for s in self.joint_settings), "joint's settings", where)
        for settings in self.joint_settings:
            refuse_follower(settings.joint, self.model, where)
            known(settings.joint, joints, "joint", where)
            kind = joints[settings.joint].kind
            if len(settings.lower) not in (1, kind.nv):
                raise ModelError(
                    f"expected {kind.nv} limits for joint '{settings.joint}', "
                    f"got {len(settings.lower)} ({where})"
                )
            if kind.nq != kind.nv and settings.is_limited:
                raise ModelError(
                    f"a {kind.name} joint has no limits, but '{settings.joint}' is given some "
                    f"({where}); three Revolute axes in series can have them"
                )
            self.dynamics(settings.joint)

    @property
    def is_fixed(self) -> bool:
        """Whether nothing of it can move."""
        return self.model.nv == 0

    @cached_property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, in the model's order."""
        return tuple(link.name for link in self.model.links)

    def settings(self, joint: str | Joint) -> JointSettings:
        """What holds for a joint, one limit for each velocity entry.

        What is not set is what the model declares.
        """
        found = self.model.joint(joint) if isinstance(joint, str) else joint
        nv = found.kind.nv
        own = next((s for s in self.joint_settings if s.joint == found.name), None)
        settings = own or JointSettings(found.name)
        lower, upper = settings.lower, settings.upper
        if not settings.is_limited and found.limits is not None:
            lower, upper = (found.limits.lower,), (found.limits.upper,)
        lower, upper = (x * nv if len(x) == 1 else x for x in (lower, upper))
        d = found.dynamics or JointDynamics()
        d = d if own is None else _overridden(d, own)
        return JointSettings(
            found.name, lower, upper, settings.restitution, d.friction, d.damping, d.stiffness,
            d.rest,
        )  # fmt: skip

    def dynamics(self, joint: str | Joint) -> JointEntries:
        """What a joint does by itself, one number for each velocity entry.

        Raises
        ------
        ModelError
            If there are other numbers of them.
        """
        found = self.model.joint(joint) if isinstance(joint, str) else joint
        own = next((s for s in self.joint_settings if s.joint == found.name), None)
        declared = found.dynamics or JointDynamics()
        try:
            dynamics = declared if own is None else _overridden(declared, own)
            return dynamics.for_each(found.kind.nv)
        except ModelError as error:
            raise ModelError(f"{error} of joint '{found.name}' (model '{self.name}')") from None


def _overridden(declared: JointDynamics, own: JointSettings) -> JointDynamics:
    """What a model declares, with that of a scene in its place where this is set."""
    set_here = {
        "friction": own.coulomb_friction, "damping": own.viscous_friction,
        "stiffness": own.stiffness, "rest": own.rest,
    }  # fmt: skip
    return replace(declared, **{k: v for k, v in set_here.items() if v is not None})


def _neutral(model: Model) -> tuple[float, ...]:
    return tuple(model.join_q({i: model.joint[i].neutral() for i in model.bodies}))


def _check_quaternions(model: Model, q: Sequence[float], where: str) -> None:
    for k, v in zip(model.q_index, model.v_index, strict=True):
        if len(k) > len(v) and abs(math.hypot(*(q[i] for i in k)) - 1.0) > UNIT_TOLERANCE:
            values = ", ".join(f"{q[i]:g}" for i in k)
            raise ModelError(
                f"expected a unit quaternion (x, y, z, w) in q{list(map(int, k))}, got ({values}) "
                f"({where})"
            )
