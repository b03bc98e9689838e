"""Compiled programs of a contact model: its step, what impulses depend on, what they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any

import numpy as np

from ...algorithms.constrained.closures import ROWS
from ...algorithms.stepping.account import constraint_forces, resisted, softened, summed
from ...algorithms.stepping.candidates import candidates, fastest, overlooked
from ...algorithms.stepping.closure_rows import closure_errors
from ...algorithms.stepping.contact_model import ContactModel
from ...algorithms.stepping.contact_rows import restitution_of, softness_of, tangents, torques_of
from ...algorithms.stepping.joint_rows import gear_error
from ...algorithms.stepping.length_rows import beyond_ranges, measured
from ...algorithms.stepping.moreau import (
    IMPACT,
    StepForces,
    begin,
    finish,
    joint_forces,
    moreau_step,
    servos_of,
    stretches_of,
    touching,
)
from ...algorithms.stepping.placed import PlacedBodies, signs_of
from ...algorithms.stepping.touching import count, points
from ...algorithms.stepping.tree_elimination import trees_of
from ...binding import program_derivatives
from ...binding.programs import program_key
from ...binding.tracing import as_argument
from ...compiler import Program
from ...contact_problem import BILATERAL, BOX, CONTACT, UNILATERAL
from ...reprs import exact
from ...scalar import reciprocal, where
from ...scene import Scene
from ..choices import without_joint_forces
from .kept import KeptRows
from .lowering import contact_model_of
from .refining import (
    ALL_COLUMNS,
    IN_REACH,
    IN_STEP,
    POINT_COLUMNS,
    ROW_COLUMNS,
    RowKinds,
    WorldProblem,
)

LOOKOUT = 4.0
"""The exact solver looks at gaps up to this many times what the fastest point goes in the step."""


@dataclass(frozen=True)
class RowLayout:
    """The kinds of a contact model's blocks of rows, in order."""

    kinds: tuple[int, ...]


def layout_of(whole: ContactModel) -> RowLayout:
    """Dry friction, limits, gears, closures of loops; friction and limits of lengths; points."""
    kinds = [BOX] * len(whole.frictions) + [UNILATERAL] * len(whole.limits)
    n_equal = len(whole.gears) + sum(len(ROWS[each.kind]) for each in whole.closures)
    kinds += [BILATERAL] * n_equal
    ranges = [each.range for each in (*whole.tendons, *whole.hinges)]
    kinds += [BOX for each in ranges if each.friction]
    kinds += [UNILATERAL for each in ranges if each.is_limited]
    points = sum(count(pair.a.shape, pair.b.shape) for pair in whole.pairs)
    return RowLayout((*kinds, *[CONTACT] * points))


def _signs(whole: ContactModel) -> np.ndarray:
    """For each point and axis of a joint what `signs_of` says of the two bodies."""
    rows = []
    for pair in whole.pairs:
        row = signs_of(whole.model, pair.a.body, pair.b.body)
        rows += [row] * count(pair.a.shape, pair.b.shape)
    return np.array(rows).reshape(-1, whole.model.n_axes)


class StepPrograms:
    """What is compiled for a contact model.

    ``step`` takes ``(q, qd, activation, x, tau, controls, dt)`` to ``(q, qd, activation, x, error,
    account)``, without those that the model has none of; ``account`` is a `StepAccount`.  The
    ``parameters`` of `ContactModel.with_values` follow ``dt``.
    """

    def __init__(self, whole: ContactModel, *, acts: bool, parameters: Sequence[str] = ()):
        self.whole: ContactModel = whole
        self._digest: str = _digest_of(whole)
        shapes = whole.parameter_shapes()
        self.parameters: dict[str, tuple[int, ...]] = {name: shapes[name] for name in parameters}
        self.layout: RowLayout = layout_of(whole)
        joints = [kind for kind in self.layout.kinds if kind != CONTACT]
        self.kept: KeptRows = KeptRows(whole, len(joints))
        model = whole.model
        n = {"activation": model.n_activations, "controls": model.n_controls} if acts else {}
        sizes = {
            "q": model.nq, "qd": model.nv, "activation": n.get("activation", 0),
            "x": self.kept.n_kept, "tau": model.nv, "controls": n.get("controls", 0),
        }  # fmt: skip
        self.inputs: dict[str, tuple[int, ...]] = {k: (v,) for k, v in sizes.items() if v}
        self.inputs |= {"dt": (), **self.parameters}
        self.state: tuple[str, ...] = tuple(k for k in ("q", "qd", "activation", "x") if sizes[k])
        self.step: Program = self._program("moreau_step", self._step)
        self._problem_program: Program = self._program("moreau_problem", self._problem)
        self.gaps: Program = self._of_positions("gaps", _gaps)
        """Gaps of all points [m] at positions, with parameters."""
        self.openings: Program = self._of_positions("openings", _openings)
        """How far gears, then rows of closures, are off at positions, with parameters."""
        self.beyond: Program = self._of_positions("beyond", _beyond)
        """How far tendons, then loops, are beyond their limits."""
        w = {"w": (model.nv,)}
        trees = trees_of(model)
        self.kinds: RowKinds = RowKinds(
            np.array(joints, np.int64),
            _signs(whole),
            np.array([k for tree in trees for k in tree], np.int64),
            np.cumsum([0, *map(len, trees)]),
        )
        self.finish: Program = self._program("moreau_finish", self._finish, **w)
        after = {"after": (model.nv,)}
        self.record: Program = self._program("moreau_record", self._record, **after)
        """What a step is recorded with.

        Joint forces of controllers and actuators, passive ones, and those of impulses.  Points,
        with three axes each, and their gaps at the end of the step.
        """

    def problem(self, *given: Any) -> WorldProblem:
        """What the impulses of a step depend on, of worlds."""
        found = iter(self._problem_program(*given))
        batch, nv = given[0].shape[:-1], self.whole.model.nv
        n = self.layout.kinds.count(CONTACT)
        rows = len(self.layout.kinds) - n, nv + ROW_COLUMNS
        n_axes = self.whole.model.n_axes
        is_plain = all(x.law.is_plain for x in self.whole.pairs)
        columns = POINT_COLUMNS if is_plain else ALL_COLUMNS
        sizes = ((n, columns), (n_axes, 6), (n_axes, nv), rows)
        return WorldProblem(
            *(next(found) if size[0] else np.zeros((*batch, *size)) for size in sizes)
        )

    def _of_positions(
        self, name: str, function: Callable[[ContactModel, PlacedBodies, Any], list]
    ) -> Program:
        """A program of positions and parameters."""
        shapes = {"q": self.inputs["q"], **self.parameters}

        def build(q, *values):
            whole = self._with_values(dict(zip(self.parameters, values, strict=True)))
            placed = PlacedBodies(whole.model, as_argument("q", q, whole.model))
            return (function(whole, placed, q),)

        return Program(build, shapes, name=name, key=self._key(function, shapes))

    def _with_values(self, given: Mapping[str, Any]) -> ContactModel:
        values = {name: given[name] for name in self.parameters}
        return self.whole.with_values(values) if values else self.whole

    def _program(
        self, name: str, function: Callable[..., tuple], **more: tuple[int, ...]
    ) -> Program:
        return self.program(name, function, self.inputs | more)

    def program(
        self, name: str, function: Callable[..., tuple], shapes: Mapping[str, tuple[int, ...]]
    ) -> Program:
        """The program of ``function(whole, given, drive)``, of inputs by name."""
        model = self.whole.model

        def build(*values):
            given = dict(zip(shapes, values, strict=True))
            for key in ("q", "qd", "tau"):
                if key in given:
                    given[key] = as_argument(key, given[key], model)
            drive = StepForces(
                given.get("tau", {}), given.get("controls"), given.get("activation", ())
            )
            return function(self._with_values(given), given, drive)

        key = self._key(function, shapes)
        return Program(
            build, shapes, name=name, key=key, tangents=program_derivatives.tangents(("q",), model)
        )

    def _key(
        self, function: Callable[..., Any], shapes: Mapping[str, tuple[int, ...]]
    ) -> bytes | None:
        """What tells a program from any other, so that stored code needs no trace."""
        rest = {"whole": self._digest}
        return program_key(function, self.whole.model, rest, tuple(sorted(shapes.items())))

    def _step(self, whole, given, drive):
        x = given.get("x", ())
        found = moreau_step(whole, given["q"], given["qd"], drive, x, given["dt"])
        parts = {"q": found.q, "qd": found.v, "activation": found.activation, "x": found.x}
        return (*(parts[k] for k in self.state), found.error, list(found.account))

    def _problem(self, whole, given, drive):
        """All that the impulses depend on: points, axes of joints, inertia, rows of joints.

        ``points`` have position, normal, velocity, gap, nearness and friction; ``rows`` have ``y``,
        the velocity without impulses, nearness and bounds.
        """
        nv = whole.model.nv
        begun = begin(whole, given["q"], given["qd"], drive, given["dt"])
        found = candidates(begun.placed, whole.pairs, begun.motions, given["dt"])
        is_plain = all(x.law.is_plain for x in whole.pairs)
        reach = LOOKOUT * given["dt"] * fastest(found)
        points = [
            [
                *x.position,
                *x.normal,
                *x.velocity,
                x.gap,
                where(x.is_near, IN_STEP, where(x.gap < reach, IN_REACH, 0.0)),
                x.pair.law.mu,
                restitution_of(x, IMPACT * begun.fall, given["dt"]),
                *(() if is_plain else softness_of(x, given["dt"])),
                *(() if is_plain else torques_of(begun.placed, x, begun.motions)),
            ]
            for x in found
        ]
        axes = [list(axis) for _, axis in sorted(begun.placed.axes().items())]
        unit = [begun.inertia.row_of_axes({k: 1.0}) for k in range(whole.model.n_axes)]
        rows = [
            [*(block.y[0].get(k, 0.0) for k in range(nv)), block.free[0],
             where(block.is_near, 1.0, 0.0), *block.bounds[1:], block.restitution]
            for block in begun.joints
        ]  # fmt: skip
        parts = points, axes, [[y.get(k, 0.0) for k in range(nv)] for y in unit], rows
        return tuple(part for part in parts if part)

    def _finish(self, whole, given, drive):
        q, qd, dt = given["q"], given["qd"], given["dt"]
        begun = begin(whole, q, qd, drive, dt)
        x = [0.0] * self.kept.n_impulses
        near = touching(whole, begun, x, [begun.motions], dt)
        ended = finish(whole, q, qd, begun, near, given["w"], dt)
        found = candidates(begun.placed, whole.pairs, begun.motions, dt)
        missed = overlooked(begun.placed, found, begun.placed.velocities(ended.v), dt)
        return ended.q, ended.v, missed / near.speed, list(ended.account)

    def _record(self, whole, given, drive):
        model, after, dt = whole.model, given["after"], given["dt"]
        q, qd = given["q"], given["qd"]
        placed = PlacedBodies(model, q)
        springs = stretches_of(whole, placed, measured(whole, placed, q), q, qd, dt)
        servos = servos_of(model, q, qd, drive, dt)
        first, passive, *more = joint_forces(model, q, qd, drive, springs, servos)
        flat, applied = model.join_v(qd), summed([first, *more])
        passive = softened(model, passive, flat, after, springs)
        applied = resisted(applied, servos, flat, after)
        rate = reciprocal(dt)
        change = model.split_v([(x - y) * rate for x, y in zip(after, flat, strict=True)])
        held = constraint_forces(model, q, qd, change, summed([applied, passive]))
        points = [
            [*x.position, *(c for axis in (x.normal, *tangents(x.normal)) for c in axis),
             x.gap + dt * x.normal.dot(x.velocity)]
            for x in candidates(placed, whole.pairs, placed.velocities(after), dt)
        ]  # fmt: skip
        return (applied, passive, held, *([points] if points else ()))


def _digest_of(whole: ContactModel) -> str:
    """What tells a contact model from others, but for its `Model`."""
    rest = [
        (each.name, getattr(whole, each.name)) for each in fields(whole) if each.name != "model"
    ]
    return sha256(exact(rest).encode()).hexdigest()


def _gaps(whole: ContactModel, placed: PlacedBodies, q: Any) -> list:
    return [
        point.gap
        for pair in whole.pairs
        for point in points(pair.a.shape, placed.pose(pair.a), pair.b.shape, placed.pose(pair.b))
    ]


def _openings(whole: ContactModel, placed: PlacedBodies, q: Any) -> list:
    found = [gear_error(gear, q) for gear in whole.gears]
    return [*found, *(x for each in whole.closures for x in closure_errors(placed, each))]


def _beyond(whole: ContactModel, placed: PlacedBodies, q: Any) -> list:
    return beyond_ranges(measured(whole, placed, as_argument("q", q, whole.model)))


def step_programs(
    scene: Scene, joint_forces: str = "all", parameters: Sequence[str] = ()
) -> StepPrograms:
    """The programs of a scene's steps, made once."""
    key = (step_programs, joint_forces, tuple(parameters))
    if key not in scene.programs:
        acting = scene if joint_forces == "all" else without_joint_forces(scene)
        whole = contact_model_of(acting)
        scene.programs[key] = StepPrograms(
            whole, acts=bool(acting.model.actuators), parameters=parameters
        )
    return scene.programs[key]
