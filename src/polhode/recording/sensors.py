"""Values of the sensors of a scene in its recording, and what they are measured as."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..api.actuation import tendon_jacobian, tendon_lengths
from ..api.dynamics import forward_dynamics, inverse_dynamics
from ..arguments import as_count
from ..collision import ray_cast
from ..errors import ArgumentError
from ..model import Model, Sensor, SensorKind
from ..scene import Scene
from ..sensing import values_under

if TYPE_CHECKING:
    from .recording import Recording

AT_LIMIT = 1e-6  # rad or m; a joint that a limit holds stands this near to it
AT_LENGTH = 1e-4  # m; the same of a tendon, whose length changes within a step
_OF_LIMITS = (SensorKind.JOINT_LIMIT_FORCE, SensorKind.TENDON_LIMIT_FORCE)


def sensor_values(recording: Recording) -> dict[str, np.ndarray]:
    """The values of all sensors at each record, by name."""
    scene = scene_of(recording)
    if not scene.sensors:
        return {}
    model, q, qd = scene.model, recording.q, recording.qd
    forces = recording.tau + recording.tau_passive + recording.tau_constraint
    qdd = forward_dynamics(model, q, qd, forces) if model.nv else qd
    loads = contact_loads(recording)
    arguments = (q, qd, qdd, recording.tau, loads, recording.times, recording.controls,
                 recording.activation)  # fmt: skip
    values = values_under(scene, arguments)
    has_limits = any(sensor.kind in _OF_LIMITS for sensor in scene.sensors)
    limits = _limit_forces(recording, loads) if has_limits else {}
    for sensor in scene.sensors:
        place = scene.sensor_slices[sensor.name]
        if sensor.kind is SensorKind.TOUCH:
            values[:, place] = _cut(sensor, _touch(recording, sensor))[:, None]
        elif sensor.kind in _OF_LIMITS:
            values[:, place] = _cut(sensor, limits[_part(sensor)])[:, None]
    return {name: values[:, place] for name, place in scene.sensor_slices.items()}


def measured(recording: Recording, seed: int) -> dict[str, np.ndarray]:
    """The same with the delay and the noise of each sensor."""
    scene, times = scene_of(recording), recording.times
    exact = sensor_values(recording)
    streams = np.random.default_rng(as_count("seed", seed)).spawn(len(scene.sensors))
    found = {}
    for sensor, rng in zip(scene.sensors, streams, strict=True):
        late = np.searchsorted(times, times - sensor.delay, side="right") - 1
        values = exact[sensor.name][np.maximum(late, 0)]
        found[sensor.name] = values + sensor.noise * rng.standard_normal(values.shape)
    return found


def scene_of(recording: Recording) -> Scene:
    """The scene that was recorded."""
    if recording.scene is None:
        raise ArgumentError(
            "expected a recording with its scene; that of a model, and one that was read from a "
            "file, has none"
        )
    return recording.scene


def contact_loads(recording: Recording) -> np.ndarray:
    """Forces of contacts on all links about the origin of the base, shape (T, n, 6)."""
    model = recording.model
    loads = np.zeros((len(recording.times), len(model.links), 6))
    link = {each.name: k for k, each in enumerate(model.links)}
    links = np.array([link["/".join(body)] for body in recording.geometry_bodies], int)
    record, rows = _contact_rows(recording)
    force, point = recording.contact_force[rows], recording.contact_point[rows]
    moment = np.cross(point, force) + recording.contact_torque[rows]
    wrench = np.concatenate([moment, force], axis=1)
    for side, sign in ((0, 1.0), (1, -1.0)):
        np.add.at(loads, (record, links[recording.contact_pair[rows, side]]), sign * wrench)
    return loads


def _contact_rows(recording: Recording) -> tuple[np.ndarray, slice]:
    """The record of each contact, and the rows of all of them."""
    start = recording.contact_start
    record = np.repeat(np.arange(len(recording.times)), np.diff(start))
    return record, slice(int(start[0]), int(start[-1]))


def _touch(recording: Recording, sensor: Sensor) -> np.ndarray:
    """Normal forces of contacts in the zone, or whose normal out of the body leads there."""
    record, rows = _contact_rows(recording)
    normal, total = recording.contact_normal[rows], np.zeros(len(recording.times))
    size = np.abs(np.einsum("ci,ci->c", recording.contact_force[rows], normal))
    for side, sign in ((0, -1.0), (1, 1.0)):
        is_own = np.array([body == sensor.of for body in recording.geometry_bodies], bool)
        chosen = np.flatnonzero(is_own[recording.contact_pair[rows, side]])
        outward = sign * normal[chosen]
        if sensor.zone is not None:
            R, p = _frames(recording, sensor, record[chosen])
            away = recording.contact_point[rows][chosen] - p
            local = (np.einsum("cji,cj->ci", R, x) for x in (away, outward))
            chosen = chosen[np.isfinite(ray_cast(sensor.zone, None, *local))]
        np.add.at(total, record[chosen], size[chosen])
    return total


def _frames(
    recording: Recording, sensor: Sensor, record: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rotation to world axes and origin of a sensor's frame, at some records."""
    body = recording.model.body("/".join(sensor.of or ()))
    frame = sensor.frame @ body.frame
    R, p = np.array(frame.E.T.rows(), float), np.array(tuple(frame.r), float)
    if not body.moving:
        return np.broadcast_to(R, (len(record), 3, 3)), np.broadcast_to(p, (len(record), 3))
    poses = recording.poses[record, int(body.moving) - 1]
    return poses[:, :3, :3] @ R, poses[:, :3, :3] @ p + poses[:, :3, 3]


def _part(sensor: Sensor) -> str:
    """The full name of a joint, or the name of a tendon."""
    return sensor.of if isinstance(sensor.of, str) else "/".join(sensor.of or ())


def _limit_forces(recording: Recording, loads: np.ndarray) -> dict[str, np.ndarray]:
    """Forces of the limits of joints and tendons, by name: what explains best the joint forces of
    all constraints but contacts.

    Joints at limits have theirs to themselves unless a tendon is at its limit, too.
    """
    q = recording.q
    force = recording.tau_constraint + _held_by(recording.model, q, loads)
    joints, tendons = _joint_sides(recording), _tendon_sides(recording)
    rows = [row for _, row in (*joints.values(), *tendons.values())]
    is_held = np.array([held for held, _ in (*joints.values(), *tendons.values())]).T
    found = np.array([np.einsum("ti,ti->t", row, force) for row in rows]).T
    found = np.where(is_held, found, 0.0)
    for t in np.flatnonzero(is_held[:, len(joints) :].any(axis=1)):
        held = np.flatnonzero(is_held[t])
        columns = np.array([rows[k][t] for k in held]).T
        found[t, held] = np.linalg.lstsq(columns, force[t], rcond=None)[0]
    return dict(zip((*joints, *tendons), np.maximum(found, 0.0).T, strict=True))


Sides = dict[str, tuple[np.ndarray, np.ndarray]]
"""By name whether a limit is reached at the records, and joint forces of a unit force of it."""


def _joint_sides(recording: Recording) -> Sides:
    found, model = {}, recording.model
    for machine in scene_of(recording).machines:
        for joint in machine.model.joints:
            if joint.kind.nv != 1:
                continue
            own = model.joint(f"{machine.name}/{joint.name}")
            settings = machine.settings(joint.name)
            unit = np.zeros((len(recording.times), model.nv))
            unit[:, own.v] = 1.0
            bounds = settings.lower[0], settings.upper[0]
            found[own.name] = _side(recording.q[:, own.q][:, 0], bounds, unit, AT_LIMIT)
    return found


def _tendon_sides(recording: Recording) -> Sides:
    model, q = recording.model, recording.q
    limited = [each for each in model.tendons if np.isfinite(each.limits).any()]
    if not limited:
        return {}
    lengths, J = tendon_lengths(model, q), tendon_jacobian(model, q)
    return {
        each.name: _side(lengths[:, k], each.limits, J[:, k], AT_LENGTH)
        for k, each in enumerate(model.tendons)
        if each in limited
    }


def _side(
    x: np.ndarray, bounds: tuple[float, float], row: np.ndarray, near: float
) -> tuple[np.ndarray, np.ndarray]:
    is_low, is_high = x <= bounds[0] + near, x >= bounds[1] - near
    return is_low | is_high, np.where(is_low, 1.0, -1.0)[:, None] * row


def _held_by(model: Model, q: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """Joint forces that hold a model against forces on its links alone."""
    still = np.zeros((*q.shape[:-1], model.nv))
    f_ext = np.zeros((*q.shape[:-1], model.n_bodies, 6))
    for k, link in enumerate(model.links):
        moving = int(model.body(link.name).moving)
        if moving:
            f_ext[:, moving - 1] += loads[:, k]
    weight = inverse_dynamics(model, q, still, still)
    return inverse_dynamics(model, q, still, still, f_ext) - weight


def _cut(sensor: Sensor, values: np.ndarray) -> np.ndarray:
    return np.minimum(values, sensor.cutoff) if sensor.cutoff else values
