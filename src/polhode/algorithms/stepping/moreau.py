"""Moreau's time step: velocities that fulfil the laws of contact where the step ends.

With inertia ``H``, damping ``B``, that of actuators included, and all forces ``f`` at the start of
the step,

    (H + dt B) (v - v0) = dt f + J^T x,

where the impulses ``x`` fulfil the laws with the velocities ``J v`` and gaps ``gap + dt J v`` at
its end.  Positions follow with the new velocities (Moreau 1988; Jean 1999).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...model import Model, PerBody
from ...scalar import Scalar, logical_not, maximum, repeat, sqrt, when
from ..actuation.forces import actuator_forces, next_activation
from ..actuation.gains import actuator_gains, spring_gains, tendon_gains
from ..tree.dynamics import bias, mass_matrix
from ..tree.passive_forces import all_passive_forces
from .account import StepAccount, lifted, summed, work_of
from .attempts import begins_again, failures
from .blocks import RowBlock
from .candidates import Velocities
from .closure_rows import closure_rows
from .contact_model import ContactModel
from .contact_rows import contact_rows
from .few_rows import few_rows
from .greatest import greatest
from .inertia import StepInertia
from .joint_rows import friction_row, gear_row, limit_row
from .kept_impulses import kept_points
from .length_rows import MeasuredCoordinate, dampers, length_rows, measured
from .near_points import Visit, missed, point_groups, slots_of, visited
from .placed import PlacedBodies
from .rebound import rebounded
from .solver import pushed, solved
from .step_rows import ContactGroup, StepRows
from .stretches import Stretch, along_coordinates, gain_stretches, spring_stretches

TOLERANCE = 1e-8  # a hundredth of what counts as solved: a box on a slope must not creep

LEAST_SPEED = 1e-12
"""A velocity [m/s or rad/s] for steps in which nothing moves."""

ATTEMPTS = 3
"""How often a step is solved at most: impulses may drive points to where none was looked for."""

MISSED = 1e-7
"""Velocities by which points that were not looked at may overlap, relative to those of a step."""

IMPACT = 4.0
"""Speed of an impact that rebounds, in units of what a step of free fall adds."""


class StepForces(NamedTuple):
    """What drives a step: joint forces, and controls and activation of the actuators."""

    tau: PerBody
    controls: Sequence[Scalar] | None = None
    activation: Sequence[Scalar] = ()


class Finished(NamedTuple):
    """Velocities and positions where a step ends, and its account."""

    v: list[Scalar]
    q: list[Scalar]
    account: StepAccount


class Moved(NamedTuple):
    """The state after a step, the impulses of all rows, and how far from the laws they are.

    ``error`` is a velocity relative to ``g dt`` and the speeds of contacts.
    """

    q: list[Scalar]
    v: list[Scalar]
    activation: list[Scalar]
    x: list[Scalar]
    error: Scalar
    account: StepAccount


class Begun(NamedTuple):
    """A step before its impulses are known.

    ``forces`` are those of `joint_forces`, ``stretches`` springs and dampers between bodies.
    ``free`` are velocities without impulses, ``motions`` those of bodies then.  ``fall`` is what
    free fall adds to velocities.
    """

    inertia: StepInertia
    placed: PlacedBodies
    forces: list[list[Scalar]]
    stretches: list[Stretch]
    free: list[Scalar]
    motions: Velocities
    joints: list[RowBlock]
    fall: Scalar


class Touching(NamedTuple):
    """Rows of a step with those of near points, and the speed that residuals are compared with."""

    rows: StepRows
    visits: list[Visit]
    speed: Scalar
    depth: Scalar


class Attempt(NamedTuple):
    """A step that is solved for some points, and by how much others overlap after it."""

    ended: Finished
    x: list[Scalar]
    error: Scalar
    missed: Scalar


def moreau_step(
    whole: ContactModel, q: PerBody, v: PerBody, drive: StepForces, x: Sequence[Scalar], dt: Scalar
) -> Moved:
    """One step; ``x`` are the impulses of the last one, from which the solver begins."""
    model = whole.model
    begun = begin(whole, q, v, drive, dt)
    failed = x[-1] if begins_again(model) else None
    x = x if failed is None else x[:-1]

    def attempt(last: Attempt) -> Attempt:
        velocities = [begun.motions, begun.placed.velocities(last.ended.v)]
        near = touching(whole, begun, x, velocities if whole.pairs else velocities[:1], dt)
        tolerance = TOLERANCE * near.speed
        space = near.rows.space(model)
        found = solved(space, near.rows.start, tolerance, failed, whole.shares_loads)
        if whole.has_rebound:
            found = rebounded(space, found, tolerance, failed)
        ended = finish(whole, q, v, begun, near, found.w, dt)
        left = missed(begun.placed, near.visits, velocities, ended.v, dt) / near.speed
        error = near.rows.overflow(found.error / near.speed)
        return Attempt(ended, near.rows.kept(found.x), error, left)

    start = Finished(begun.free, model.join_q(q), StepAccount(0.0, 0.0, 0.0))
    step = Attempt(start, [0.0] * len(x), math.inf, math.inf)
    if whole.pairs:
        step = repeat(attempt, step, lambda s: logical_not(s.missed > MISSED), ATTEMPTS)
    else:
        step = attempt(step)
    later: list[Scalar] = []
    if drive.controls is not None and model.n_activations:
        later = next_activation(model, q, v, drive.controls, drive.activation, dt)
    error = maximum(step.error, step.missed)
    kept = step.x if failed is None else [*step.x, failures(failed, error)]
    return Moved(step.ended.q, step.ended.v, later, kept, error, step.ended.account)


def begin(whole: ContactModel, q: PerBody, v: PerBody, drive: StepForces, dt: Scalar) -> Begun:
    """Inertia, velocities without impulses, and the rows of joints."""
    model = whole.model
    placed = PlacedBodies(model, q)
    coordinates = measured(whole, placed, q)
    springs = stretches_of(whole, placed, coordinates, q, v, dt)
    servos = servos_of(model, q, v, drive, dt)
    stretches = springs + servos
    inertia = StepInertia.of(model, q, dt, stretches)
    forces = joint_forces(model, q, v, drive, springs, servos)
    free = _free_velocity(model, q, v, forces, inertia, dt)
    motions, fall = placed.velocities(free), fall_of(model, dt)
    going = Going(model.join_q(q), free, motions)
    joints = joint_rows(whole, placed, coordinates, going, inertia, dt)
    return Begun(inertia, placed, forces, stretches, free, motions, joints, fall)


class Going(NamedTuple):
    """Positions, and velocities of joints and of bodies that rows of joints would allow or not."""

    q: list[Scalar]
    v: Sequence[Scalar]
    motions: Velocities


def joint_rows(
    whole: ContactModel, placed: PlacedBodies, coordinates: Sequence[MeasuredCoordinate],
    going: Going, inertia: StepInertia, dt: Scalar,
) -> list[RowBlock]:  # fmt: skip
    """The rows of joints, in the order of their impulses."""
    q, v, motions = going
    fast = IMPACT * fall_of(whole.model, dt)
    rows: list[RowBlock] = [friction_row(each, v, inertia, dt) for each in whole.frictions]
    rows += [limit_row(each, q, v, inertia, fast, dt) for each in whole.limits]
    rows += [gear_row(each, q, v, inertia, dt) for each in whole.gears]
    for each in whole.closures:
        rows += closure_rows(placed, each, motions, inertia, dt)
    return rows + length_rows(coordinates, v, inertia, fast, dt)


def fall_of(model: Model, dt: Scalar) -> Scalar:
    """What free fall adds to velocities in a step."""
    gravity = model.gravity.lin
    return dt * sqrt(gravity.dot(gravity))


def touching(
    whole: ContactModel,
    begun: Begun,
    x: Sequence[Scalar],
    velocities: Sequence[Velocities],
    dt: Scalar,
) -> Touching:
    """Rows of all points that any of some velocities may bring together within the step."""
    visits, depth = visited(begun.placed, whole.pairs, velocities, dt)
    kept = kept_points(x[len(begun.joints) :])
    groups, few, first = [], few_rows(whole), 0
    for group in point_groups(whole.model, whole.pairs, few and few.points):
        near = slots_of(group, visits, kept[first : first + group.most])
        first += group.most
        rows = contact_rows(begun.placed, near, begun.inertia, begun.free, IMPACT * begun.fall, dt)
        groups.append(ContactGroup(near, rows))
    rows = StepRows(begun.joints, groups, x, few and few.limits)
    speeds = [when(block.is_near, lambda _, b=block: b.speed, 0.0) for block in rows.blocks]
    speed = greatest([begun.fall + LEAST_SPEED, *speeds])
    return Touching(rows, visits, speed, depth)


def finish(
    whole: ContactModel,
    q: PerBody,
    v: PerBody,
    begun: Begun,
    near: Touching,
    w: Sequence[Scalar],
    dt: Scalar,
) -> Finished:
    """Velocities and positions at the end; overlaps are pushed out without a velocity."""
    model, inertia = whole.model, begun.inertia
    after = [a + b for a, b in zip(begun.free, inertia.unscaled(w), strict=True)]
    push = inertia.unscaled(pushed(near.rows.blocks, model.nv))
    along = model.split_v([a + b for a, b in zip(after, push, strict=True)])
    moved = {i: model.joint[i].integrate(q[i], tuple(x * dt for x in along[i]))
             for i in model.bodies}  # fmt: skip
    account = StepAccount(
        work_of(model, summed(begun.forces), model.join_v(v), after, dt, begun.stretches),
        lifted(begun.placed, push, dt),
        near.depth,
    )
    return Finished(after, model.join_q(moved), account)


def stretches_of(
    whole: ContactModel, placed: PlacedBodies, coordinates: Sequence[MeasuredCoordinate],
    q: PerBody, v: PerBody, dt: Scalar,
) -> list[Stretch]:  # fmt: skip
    """Springs and dampers between bodies, and viscous friction of loops.

    Also what springs in joints and tendons resist.
    """
    flat = whole.model.join_v(v)
    found, gains = dampers(coordinates, flat), spring_gains(whole.model)
    gains += tendon_gains(whole.model, q, v)
    if not (whole.springs or gains):
        return found
    mass = own_masses(whole.model, q)
    found += gain_stretches(gains, flat, mass, dt)
    return found + spring_stretches(placed, whole.springs, flat, mass, dt)


def servos_of(model: Model, q: PerBody, v: PerBody, drive: StepForces, dt: Scalar) -> list[Stretch]:
    """Gains of actuators."""
    if drive.controls is None:
        return []
    found = actuator_gains(model, q, v, drive.controls, drive.activation)
    return gain_stretches(found, model.join_v(v), own_masses(model, q), dt) if found else []


def own_masses(model: Model, q: PerBody) -> list[Scalar]:
    """The inertia of each velocity by itself."""
    H = mass_matrix(model, q)
    return [H[k][k] for k in range(model.nv)]


def joint_forces(
    model: Model, q: PerBody, v: PerBody, drive: StepForces, springs: Sequence[Stretch] = (),
    servos: Sequence[Stretch] = (),
) -> list[list[Scalar]]:  # fmt: skip
    """Joint forces of controllers, those that act by themselves, and those of actuators."""
    parts = [drive.tau, all_passive_forces(model, q, v)]
    if drive.controls is not None:
        parts.append(actuator_forces(model, q, v, drive.controls, drive.activation))
    found = [model.join_v(part) for part in parts]
    for k, stretches in ((1, springs), (2, servos)):
        if stretches:
            found[k] = summed([found[k], along_coordinates(stretches, model.nv)])
    return found


def _free_velocity(
    model, q: PerBody, v: PerBody, forces: Sequence[Sequence[Scalar]], inertia: StepInertia,
    dt: Scalar,
) -> list[Scalar]:  # fmt: skip
    """Velocities after the step under all forces but impulses."""
    total = summed([[-c for c in model.join_v(bias(model, q, v))], *forces])
    change = inertia.velocity([dt * f for f in total])
    return summed([model.join_v(v), change])
