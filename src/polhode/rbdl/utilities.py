"""RBDL's utilities: centre of mass, energies, zero-moment point, and text about a model."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import polhode as ph

from ..arrays import Array, ArrayLike
from ..binding.calls import evaluate
from . import algorithms
from .errors import RBDLError
from .joint import RX, RY, RZ, TX, TY, TZ, Joint
from .kinematics import at_acceleration, at_position, at_velocity
from .model import Model
from .spelling import spelled
from .vectors import given
from .vocabulary import described

_LABELS = dict(zip(map(tuple, (RX, RY, RZ, TX, TY, TZ)), ("RX", "RY", "RZ", "TX", "TY", "TZ"),
                   strict=True))  # fmt: skip


class CenterOfMass(float):
    """The mass of a model, with what belongs to its centre, in base axes.

    Attributes
    ----------
    mass : float
    com, com_velocity : ndarray
    angular_momentum : ndarray
        About the centre of mass.
    com_acceleration, change_of_angular_momentum : ndarray or None
        Known if accelerations were given.
    """

    mass: float
    com: Array
    com_velocity: Array
    angular_momentum: Array
    com_acceleration: Array | None = None
    change_of_angular_momentum: Array | None = None


@spelled("center", "com com_velocity com_acceleration angular_momentum change_of_angular_momentum")
def CalcCenterOfMass(
    model: Model, q: ArrayLike, qdot: ArrayLike,
    com: Array | None = None, qddot: ArrayLike | None = None, com_velocity: Array | None = None,
    com_acceleration: Array | None = None, angular_momentum: Array | None = None,
    change_of_angular_momentum: Array | None = None, update_kinematics: bool = True,
) -> CenterOfMass:  # fmt: skip
    """The mass and the motion of its centre; given arrays are filled.

    Raises
    ------
    RBDLError
        If the model has no mass, or an output that needs ``qddot`` is asked for without it.
    """
    if not model.core.mass:
        raise RBDLError("the model has no mass, so there is no centre of mass")
    outputs = (com, com_velocity, angular_momentum, com_acceleration, change_of_angular_momentum)
    if qddot is None:
        if com_acceleration is not None or change_of_angular_momentum is not None:
            raise RBDLError(
                "com_acceleration and change_of_angular_momentum depend on qddot: give it too"
            )
        state = at_velocity(model, q, qdot, update_kinematics)
        values = evaluate(algorithms.mass_motion, model.core, state)
        model.state.momentum = *state, None
    else:
        state = at_acceleration(model, q, qdot, qddot, update_kinematics)[:3]
        values = evaluate(algorithms.mass_acceleration, model.core, state)
        model.state.momentum = state
    model.state.composite = state[0]
    result = CenterOfMass(model.core.mass)
    result.mass = float(result)
    result.com, result.com_velocity, result.angular_momentum = values[:3]
    if qddot is not None:
        result.com_acceleration, result.change_of_angular_momentum = values[3:]
    for output, value in zip(outputs, values, strict=False):
        given(output, value)
    return result


@spelled("energy")
def CalcPotentialEnergy(model: Model, q: ArrayLike, update_kinematics: bool = True) -> float:
    """``-m dot(g, c)``, with the centre of mass ``c`` from the base origin."""
    at = at_position(model, q, update_kinematics)
    return float(ph.energy(model.core, at, np.zeros(model.dof_count)).potential)


@spelled("energy")
def CalcKineticEnergy(
    model: Model, q: ArrayLike, qdot: ArrayLike, update_kinematics: bool = True
) -> float:
    """The kinetic energy of all bodies."""
    at, qd = at_velocity(model, q, qdot, update_kinematics)
    return float(ph.energy(model.core, at, qd).kinetic)


@spelled(out="zmp")
def CalcZeroMomentPoint(
    model: Model, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike,
    zmp: Array | None = None, normal: ArrayLike | None = None, point: ArrayLike | None = None,
    update_kinematics: bool = True,
) -> Array:  # fmt: skip
    """Where in the plane through ``point`` with ``normal`` the ground force has no moment.

    The plane is that of x and y if both are left out.  RBDL does not look at ``point``.
    """
    at, qd, qdd, _ = at_acceleration(model, q, qdot, qddot, update_kinematics)
    n = np.array((0.0, 0.0, 1.0)) if normal is None else np.asarray(normal, float)
    p = np.zeros(3) if point is None else np.asarray(point, float)
    return given(zmp, ph.zero_moment_point(model.core, at, qd, qdd, p, n))


# -- text --


@described("text")
def GetModelDOFOverview(model: Model) -> str:
    """A line for each degree of freedom: its place in qdot, and the body and axis it belongs to."""
    lines = []
    for body, joint in enumerate(model.mJoints):
        name = _name_of_chain(model, body)
        for axis in _labels(joint):
            lines.append(f"{len(lines):3d}: {name}_{axis}\n")
    return "".join(lines)


@described("text")
def GetModelHierarchy(model: Model) -> str:
    """The tree as indented text; of joints with three axes the first, as in RBDL."""
    lines, stack = ["ROOT"], [(0, 0)]
    while stack:
        level, body = stack.pop()
        if body < 0:
            lines.append(f"{'  ' * level}{model.GetBodyName(-body)} [fixed]")
            continue
        axes = []
        while body:
            axes.append(_labels(model.mJoints[body])[0])
            if not model.mBodies[body].mIsVirtual or not model.mu[body]:
                break
            body = model.mu[body][0]
        if body:
            lines.append(f"{'  ' * level}{model.GetBodyName(body)} [ {', '.join(axes)} ]")
        first = model.fixed_body_discriminator
        fixed = [first + k for k, f in enumerate(model.mFixedBodies) if f.mMovableParent == body]
        below = [(level + 1, child) for child in (*model.mu[body], *(-i for i in fixed))]
        stack += reversed(below)
    return "\n".join(lines) + "\n"


@described("text")
def GetNamedBodyOriginsOverview(model: Model) -> str:
    """The origins of named moving bodies at ``q = 0``, quaternions at the identity."""
    poses = ph.body_poses(model.core, ph.neutral(model.core)) if model.dof_count else ()
    names = {number: name for name, number in model.mBodyNameMap.items()}
    lines = []
    for body, properties in enumerate(model.mBodies):
        if body in names and not properties.mIsVirtual:
            origin = poses[body - 1][:3, 3] if body else np.zeros(3)
            lines.append(f"{names[body]}: {_row(origin)}\n")
    return "".join(lines)


def _labels(joint: Joint) -> list[str]:
    """A name for each degree of freedom; all of a custom joint's are alike."""
    if joint.custom_joint_index >= 0:
        return ["custom"] * joint.mDoFCount
    return [
        _LABELS.get(tuple(axis.tolist()), f"custom_axis ({_row(axis)})")
        for axis in joint.mJointAxes
    ]


def _name_of_chain(model: Model, body: int) -> str:
    """The name of a body, or of the one that its virtual body leads to."""
    while model.mBodies[body].mIsVirtual and model.mu[body]:
        body = model.mu[body][0]
    return model.GetBodyName(body)


def _row(values: Iterable[float]) -> str:
    """Numbers in columns of equal width."""
    texts = [f"{x + 0.0:.6g}" for x in values]  # no minus before a zero
    width = max(map(len, texts))
    return " ".join(text.rjust(width) for text in texts)
