"""Values of sensors at a state (RBDA sections 2.11, 2.14, Table 5.1).

Conventions are MuJoCo's.  An acceleration is felt against free fall: gravity enters as an upward
acceleration of the base.  Contacts and limits are no functions of a state; sensors of their forces
give zero here, and range finders, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

from ..model import Model, PerBody, SensorKind, TendonTransmission
from ..scalar import Scalar, maximum, minimum, where
from ..spatial import Force, Inertia, Mat3, Motion, Quaternion, Transform, Vec3
from ..spatial.frame_motion import FrameMotion
from .actuation.armature import heavy_tendons, length_accelerations
from .actuation.forces import ActuatorState, actuator_state, actuators_on, passive_force
from .actuation.forces import stretch as tendon_stretch
from .actuation.lengths import Length, PlacedTree
from .actuation.tendons import path_length, tendon_length
from .tree.energy import energy
from .tree.kinematics import base_transforms, body_accelerations

Summed = TypeVar("Summed", Force, Inertia)


class LinkTerms(NamedTuple):
    """A link: the body that it moves with, its frame there, and its own inertia.

    ``parent`` is the number of the link that carries it; -1, the last, is the base.
    """

    body: int
    frame: Transform
    inertia: Inertia
    parent: int


class SensorFrame(NamedTuple):
    """A frame on a body; ``link`` is the number of the link it stands on, -1 for the base."""

    body: int
    frame: Transform
    link: int = -1


class SensorTerms(NamedTuple):
    """A sensor as its numbers.

    ``part`` is the number of what it measures: the body that a joint moves, an actuator, or a
    tendon.  ``limits`` are those of that joint or tendon.
    """

    kind: SensorKind
    at: SensorFrame
    reference: SensorFrame
    part: int
    limits: tuple[float, float]
    cutoff: float
    magnetic_field: tuple[float, float, float]


def sensor_values(
    model: Model,
    q: PerBody,
    qd: PerBody,
    qdd: PerBody,
    tau: PerBody,
    loads: tuple[tuple[Scalar, ...], ...],
    time: Scalar,
    controls: Sequence[Scalar] = (),
    activation: Sequence[Scalar] = (),
    *,
    sensors: tuple[SensorTerms, ...],
    links: tuple[LinkTerms, ...],
) -> list[Scalar]:
    """The values of all sensors, one after the other.

    ``tau`` are the joint forces of actuators and controllers; ``loads`` are external forces on the
    links in base coordinates.
    """
    state = _State(model, q, qd, qdd, tau, loads, time, controls, activation, links)
    values: list[Scalar] = []
    for sensor in sensors:
        value = _VALUES[sensor.kind](state, sensor)
        values += value if sensor.kind.is_direction else [_cut(sensor, x) for x in value]
    return values


def sensor_rays(
    model: Model, q: PerBody, *, frames: tuple[SensorFrame, ...]
) -> list[list[list[Scalar]]]:
    """Origin and direction of the z axis of frames, in base coordinates."""
    X_0 = base_transforms(model, q)
    placed = [at.frame @ X_0[at.body] for at in frames]
    return [[list(X.r), list(X.E.z)] for X in placed]


def _cut(sensor: SensorTerms, x: Scalar) -> Scalar:
    """A value within the sensor's range."""
    if not sensor.cutoff:
        return x
    upper = minimum(x, sensor.cutoff)
    return upper if sensor.kind.is_positive else maximum(upper, -sensor.cutoff)


@dataclass
class _State:
    """What sensors are computed from, each part on first need."""

    model: Model
    q: PerBody
    qd: PerBody
    qdd: PerBody
    tau: PerBody
    loads: tuple[tuple[Scalar, ...], ...]
    time: Scalar
    controls: Sequence[Scalar]
    activation: Sequence[Scalar]
    links: tuple[LinkTerms, ...]

    @cached_property
    def X_0(self) -> PerBody:
        return base_transforms(self.model, self.q)

    @cached_property
    def motions(self) -> tuple[PerBody, PerBody]:
        """Velocity of each body, and its acceleration against free fall."""
        return body_accelerations(self.model, self.q, self.qd, self.qdd, base=-self.model.gravity)

    def pose(self, at: SensorFrame | LinkTerms) -> Transform:
        """From base coordinates to a frame."""
        return at.frame @ self.X_0[at.body]

    def velocity(self, at: SensorFrame | LinkTerms) -> Motion:
        """Spatial velocity of a frame, in its coordinates."""
        return at.frame @ self.motions[0][at.body]

    def acceleration(self, at: SensorFrame | LinkTerms) -> Motion:
        """Spatial acceleration of a frame against free fall, in its coordinates."""
        return at.frame @ self.motions[1][at.body]

    @cached_property
    def subtrees(self) -> list[Inertia]:
        """Inertia of each link with all that it carries, about the base origin."""
        placed = [(self.pose(link), link.inertia) for link in self.links]
        return self._with_carried([X.T @ inertia @ X for X, inertia in placed], Inertia.zero())

    @cached_property
    def momenta(self) -> list[Force]:
        """Momentum of each link with all that it carries, about the base origin."""
        own = [self.pose(x).T @ (x.inertia @ self.velocity(x)) for x in self.links]
        return self._with_carried(own, Force.zero())

    @cached_property
    def forces(self) -> list[Force]:
        """What each link gets from the one that carries it, about the base origin."""
        own = []
        for k, (link, load) in enumerate(zip(self.links, self.loads, strict=True)):
            force = link.inertia.net_force(self.velocity(link), self.acceleration(link))
            own.append(self.pose(link).T @ force - Force.of(load) - self.pulls[k + 1])
        return self._with_carried(own, Force.zero())

    @cached_property
    def pulls(self) -> list[Force]:
        """What tendons on paths do to the base and to each link, about the base origin."""
        path = _PathOnLinks(self)
        total = [Force.zero()] * (1 + len(self.links))
        for tendon in self.model.tendons:
            force = self.tensions.get(tendon.name)
            if force is None or tendon.joints:
                continue
            for k, wrench in path_length(path, tendon).wrenches.items():
                total[k] += wrench * force
        return total

    @cached_property
    def tensions(self) -> dict[str, Scalar]:
        """Forces along tendons: of actuators, of springs and dampers, of armature."""
        model, placed = self.model, self.placed
        total: dict[str, Scalar] = {}
        for actuator, force in zip(model.actuators, self.actuators.forces, strict=True):
            if isinstance(at := actuator.transmission, TendonTransmission):
                total[at.tendon] = total.get(at.tendon, 0.0) + force * actuator.gear[0]
        for tendon in model.tendons:
            if tendon.acts:
                force = passive_force(placed, tendon, tendon_length(placed, tendon))
                total[tendon.name] = total.get(tendon.name, 0.0) + force
        if heavy_tendons(model):
            for tendon, _, acceleration in length_accelerations(placed, self.qdd):
                force = acceleration * -tendon.armature
                total[tendon.name] = total.get(tendon.name, 0.0) + force
        return total

    def _with_carried(self, own: list[Summed], nothing: Summed) -> list[Summed]:
        """For each link, and at last the base, the sum over itself and all that it carries."""
        total = [*own, nothing]
        for k in reversed(range(len(self.links))):
            total[self.links[k].parent] += total[k]
        return total

    @cached_property
    def placed(self) -> PlacedTree:
        """The state that lengths are taken from."""
        return PlacedTree(self.model, self.q, self.qd)

    def length(self, sensor: SensorTerms) -> Length:
        """The length of a tendon."""
        return tendon_length(self.placed, self.model.tendons[sensor.part])

    @cached_property
    def actuators(self) -> ActuatorState:
        """All that the actuators do."""
        return actuator_state(self.model, self.q, self.qd, self.controls, self.activation)

    @cached_property
    def spring_energy(self) -> Scalar:
        """Energy of the springs in joints and tendons."""
        model, total = self.model, 0.0
        for i in model.bodies:
            if not model.stiffness[i].is_zero:
                kind = model.joint[i]
                rest = kind.integrate(kind.neutral(), model.rest[i])
                stretch = kind.difference(rest, self.q[i])
                forces = model.stiffness[i] @ stretch
                total = total + sum((x * f for x, f in zip(stretch, forces, strict=True)), 0.0)
        for tendon in model.tendons:
            if tendon.stiffness:
                x = tendon_stretch(tendon, tendon_length(self.placed, tendon).value)
                total = total + x * x * tendon.stiffness
        return total * 0.5


@dataclass
class _PathOnLinks:
    """The links of a model at one state, numbered from 1; 0 is the base."""

    state: _State

    def __post_init__(self) -> None:
        links = self.state.model.links
        self.numbers: dict[str, int] = {link.name: k for k, link in enumerate(links, 1)}

    def frame(self, body: str | None) -> tuple[int, Transform]:
        """The number of a link, and the transform from the base to it."""
        if body is None:
            return 0, Transform.identity()
        k = self.numbers[body]
        return k, self.state.pose(self.state.links[k - 1])

    def point(self, body: str | None, point: Iterable[float]) -> tuple[int, Vec3]:
        """That number, and a point in base coordinates."""
        k, X = self.frame(body)
        return k, X.point(Vec3(*point))


Values = list[Scalar]


# -- at a frame, in its axes --


def _accelerometer(state: _State, sensor: SensorTerms) -> Values:
    return list(FrameMotion.of(state.velocity(sensor.at), state.acceleration(sensor.at)).acc)


def _gyro(state: _State, sensor: SensorTerms) -> Values:
    return list(state.velocity(sensor.at).ang)


def _velocimeter(state: _State, sensor: SensorTerms) -> Values:
    return list(state.velocity(sensor.at).lin)


def _magnetometer(state: _State, sensor: SensorTerms) -> Values:
    return list(state.pose(sensor.at).E @ Vec3.of(sensor.magnetic_field))


def _force(state: _State, sensor: SensorTerms) -> Values:
    return list(state.pose(sensor.at).to_child(state.forces[sensor.at.link]).lin)


def _torque(state: _State, sensor: SensorTerms) -> Values:
    return list(state.pose(sensor.at).to_child(state.forces[sensor.at.link]).ang)


# -- of a frame --


def _frame_position(state: _State, sensor: SensorTerms) -> Values:
    reference = state.pose(sensor.reference)
    return list(reference.E @ (state.pose(sensor.at).r - reference.r))


def _rotation(state: _State, sensor: SensorTerms) -> Mat3:
    """From coordinates of the reference frame to those of the sensor's."""
    return state.pose(sensor.at).E @ state.pose(sensor.reference).E.T


def _frame_quaternion(state: _State, sensor: SensorTerms) -> Values:
    turn = Quaternion.from_matrix(_rotation(state, sensor))
    return [turn.w, turn.x, turn.y, turn.z]


def _frame_x_axis(state: _State, sensor: SensorTerms) -> Values:
    return list(_rotation(state, sensor).x)


def _frame_y_axis(state: _State, sensor: SensorTerms) -> Values:
    return list(_rotation(state, sensor).y)


def _frame_z_axis(state: _State, sensor: SensorTerms) -> Values:
    return list(_rotation(state, sensor).z)


def _relative_velocity(state: _State, sensor: SensorTerms) -> Motion:
    """Of the frame as an observer in the reference frame sees it, in that one's axes."""
    X = state.pose(sensor.at) @ state.pose(sensor.reference).inverse()
    moved = state.velocity(sensor.at) - X @ state.velocity(sensor.reference)
    return Motion(X.E.T @ moved.ang, X.E.T @ moved.lin)


def _frame_linear_velocity(state: _State, sensor: SensorTerms) -> Values:
    return list(_relative_velocity(state, sensor).lin)


def _frame_angular_velocity(state: _State, sensor: SensorTerms) -> Values:
    return list(_relative_velocity(state, sensor).ang)


def _frame_linear_acceleration(state: _State, sensor: SensorTerms) -> Values:
    motion = FrameMotion.of(state.velocity(sensor.at), state.acceleration(sensor.at))
    return list(state.pose(sensor.at).E.T @ motion.acc)


def _frame_angular_acceleration(state: _State, sensor: SensorTerms) -> Values:
    return list(state.pose(sensor.at).E.T @ state.acceleration(sensor.at).ang)


# -- of a body with all that it carries --


def _com(state: _State, sensor: SensorTerms) -> Vec3:
    """The centre of mass; the origin of the body where nothing has mass."""
    total = state.subtrees[sensor.at.link]
    return total.h * (1.0 / total.m) if total.m else state.pose(sensor.at).r


def _subtree_com(state: _State, sensor: SensorTerms) -> Values:
    return list(_com(state, sensor))


def _subtree_linear_velocity(state: _State, sensor: SensorTerms) -> Values:
    mass = state.subtrees[sensor.at.link].m
    return list(state.momenta[sensor.at.link].lin * (1.0 / mass if mass else 0.0))


def _subtree_angular_momentum(state: _State, sensor: SensorTerms) -> Values:
    momentum = state.momenta[sensor.at.link]
    return list(momentum.ang - _com(state, sensor).cross(momentum.lin))


# -- of a joint --


def _joint_position(state: _State, sensor: SensorTerms) -> Values:
    return list(state.q[sensor.part])


def _joint_velocity(state: _State, sensor: SensorTerms) -> Values:
    return list(state.qd[sensor.part])


def _joint_quaternion(state: _State, sensor: SensorTerms) -> Values:
    x, y, z, w = state.q[sensor.part]
    return [w, x, y, z]


def _joint_actuator_force(state: _State, sensor: SensorTerms) -> Values:
    return list(state.tau[sensor.part])


def _joint_limit_position(state: _State, sensor: SensorTerms) -> Values:
    return [_beyond(sensor, state.q[sensor.part][0])]


def _joint_limit_velocity(state: _State, sensor: SensorTerms) -> Values:
    return [_inward(sensor, state.q[sensor.part][0], state.qd[sensor.part][0])]


def _beyond(sensor: SensorTerms, x: Scalar) -> Scalar:
    """By how much a coordinate is beyond its limits, negative."""
    lower, upper = sensor.limits
    return minimum(minimum(x - lower, upper - x), 0.0)


def _inward(sensor: SensorTerms, x: Scalar, rate: Scalar) -> Scalar:
    """The rate at which a coordinate beyond its limits comes back."""
    lower, upper = sensor.limits
    return where(x < lower, rate, where(x > upper, -rate, 0.0))


# -- of an actuator --


def _actuator_position(state: _State, sensor: SensorTerms) -> Values:
    return [state.actuators.lengths[sensor.part]]


def _actuator_velocity(state: _State, sensor: SensorTerms) -> Values:
    return [state.actuators.velocities[sensor.part]]


def _actuator_force(state: _State, sensor: SensorTerms) -> Values:
    return [state.actuators.forces[sensor.part]]


# -- of a tendon --


def _tendon_position(state: _State, sensor: SensorTerms) -> Values:
    return [state.length(sensor).value]


def _tendon_velocity(state: _State, sensor: SensorTerms) -> Values:
    return [state.placed.rate(state.length(sensor))]


def _tendon_actuator_force(state: _State, sensor: SensorTerms) -> Values:
    on = actuators_on(state.model, state.model.tendons[sensor.part].name)
    return [sum((state.actuators.forces[k] for k in on), 0.0)]


def _tendon_limit_position(state: _State, sensor: SensorTerms) -> Values:
    return [_beyond(sensor, state.length(sensor).value)]


def _tendon_limit_velocity(state: _State, sensor: SensorTerms) -> Values:
    length = state.length(sensor)
    return [_inward(sensor, length.value, state.placed.rate(length))]


# -- of the whole --


def _potential_energy(state: _State, sensor: SensorTerms) -> Values:
    return [state.spring_energy - state.model.gravity.lin.dot(state.subtrees[-1].h)]


def _kinetic_energy(state: _State, sensor: SensorTerms) -> Values:
    return [energy(state.model, state.q, state.qd)[0]]


def _clock(state: _State, sensor: SensorTerms) -> Values:
    return [state.time]


def _zero(state: _State, sensor: SensorTerms) -> Values:
    return [0.0]


_VALUES: dict[SensorKind, Callable[[_State, SensorTerms], Values]] = {
    SensorKind.ACCELEROMETER: _accelerometer,
    SensorKind.GYRO: _gyro,
    SensorKind.VELOCIMETER: _velocimeter,
    SensorKind.MAGNETOMETER: _magnetometer,
    SensorKind.FORCE: _force,
    SensorKind.TORQUE: _torque,
    SensorKind.TOUCH: _zero,
    SensorKind.RANGEFINDER: _zero,
    SensorKind.FRAME_POSITION: _frame_position,
    SensorKind.FRAME_QUATERNION: _frame_quaternion,
    SensorKind.FRAME_X_AXIS: _frame_x_axis,
    SensorKind.FRAME_Y_AXIS: _frame_y_axis,
    SensorKind.FRAME_Z_AXIS: _frame_z_axis,
    SensorKind.FRAME_LINEAR_VELOCITY: _frame_linear_velocity,
    SensorKind.FRAME_ANGULAR_VELOCITY: _frame_angular_velocity,
    SensorKind.FRAME_LINEAR_ACCELERATION: _frame_linear_acceleration,
    SensorKind.FRAME_ANGULAR_ACCELERATION: _frame_angular_acceleration,
    SensorKind.SUBTREE_COM: _subtree_com,
    SensorKind.SUBTREE_LINEAR_VELOCITY: _subtree_linear_velocity,
    SensorKind.SUBTREE_ANGULAR_MOMENTUM: _subtree_angular_momentum,
    SensorKind.JOINT_POSITION: _joint_position,
    SensorKind.JOINT_VELOCITY: _joint_velocity,
    SensorKind.JOINT_QUATERNION: _joint_quaternion,
    SensorKind.JOINT_ANGULAR_VELOCITY: _joint_velocity,
    SensorKind.JOINT_ACTUATOR_FORCE: _joint_actuator_force,
    SensorKind.JOINT_LIMIT_POSITION: _joint_limit_position,
    SensorKind.JOINT_LIMIT_VELOCITY: _joint_limit_velocity,
    SensorKind.JOINT_LIMIT_FORCE: _zero,
    SensorKind.POTENTIAL_ENERGY: _potential_energy,
    SensorKind.KINETIC_ENERGY: _kinetic_energy,
    SensorKind.CLOCK: _clock,
    SensorKind.ACTUATOR_POSITION: _actuator_position,
    SensorKind.ACTUATOR_VELOCITY: _actuator_velocity,
    SensorKind.ACTUATOR_FORCE: _actuator_force,
    SensorKind.TENDON_POSITION: _tendon_position,
    SensorKind.TENDON_VELOCITY: _tendon_velocity,
    SensorKind.TENDON_ACTUATOR_FORCE: _tendon_actuator_force,
    SensorKind.TENDON_LIMIT_POSITION: _tendon_limit_position,
    SensorKind.TENDON_LIMIT_VELOCITY: _tendon_limit_velocity,
    SensorKind.TENDON_LIMIT_FORCE: _zero,
}
