"""What the derivatives of a scene's step are made of, as compiled programs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.actuation.forces import next_activation
from ...algorithms.stepping.balance import JointRow, both_ends_at, momentum, rows_at
from ...algorithms.stepping.candidates import candidates
from ...algorithms.stepping.contact_model import ContactModel, Surface
from ...algorithms.stepping.inertia import step_matrix
from ...algorithms.stepping.length_rows import measured
from ...algorithms.stepping.moreau import StepForces, servos_of, stretches_of
from ...algorithms.stepping.placed import PlacedBodies
from ...algorithms.stepping.touching import Shape, points
from ...algorithms.stepping.touching.moved import moved_points
from ...algorithms.tree.manifold import difference, integrate
from ...binding.tracing import as_argument
from ...compiler import Program
from ...contact_problem import UNILATERAL
from ...scalar import Scalar
from ...spatial import Mat3, Motion, Transform, Vec3
from .programs import StepPrograms

MOVING = "frame", "heights"
"""Parameters on which places of contact depend."""


class Carrier(NamedTuple):
    """What a surface moves with: its body, and where the surface moves against this, itself."""

    body: int
    surface: Surface | None = None


class DerivativePrograms:
    """Programs of a contact model, beside those of its steps.

    Attributes
    ----------
    surfaces : list of Surface
        Those that pairs have.
    bodies : list of int
        Those that move and have surfaces.
    carriers : list of Carrier
        What these surfaces move with, but for the world.
    n_rows : int
        Rows of joints.
    kinds : ndarray of int, shape (n_rows,)
    parts : Program
        Of the state before a step and the velocities after it: ``matrix``, and where there are
        any, ``rows``, ``axes`` and ``motions`` of `StepParts`, and poses of the surfaces.
    """

    def __init__(self, programs: StepPrograms):
        self._programs = programs
        self._model = model = programs.whole.model
        self.surfaces: list[Surface] = _surfaces(programs.whole)
        self.bodies: list[int] = sorted({x.body for x in self.surfaces if x.body})
        self.carriers: list[Carrier] = list(dict.fromkeys(map(carrier_of, self.surfaces)))
        self.carriers = [x for x in self.carriers if x != Carrier(0)]
        self.kinds: np.ndarray = programs.kinds.joints
        self.n_rows: int = len(self.kinds)
        self.parameters: tuple[str, ...] = tuple(programs.parameters)
        self.own: dict[str, tuple[int, ...]] = {
            name: shape for name, shape in programs.inputs.items() if name != "x"
        }
        self._after = {"after": (model.nv,)}
        self._here = {"q": (model.nq,), "dt": (), **programs.parameters, **self._after}
        self._slopes: dict[tuple[str, ...], Program] = {}
        self._reverse: dict[tuple[str, ...], Program] = {}
        self.parts: Program = programs.program("step_parts", self._parts, self.own | self._after)

    @cached_property
    def rates(self) -> Program:
        """Rates of rows of joints, then motions of carriers, by the velocities after the step."""
        return self._programs.program("step_rates", self._rates, self._here)

    @cached_property
    def balance(self) -> Program:
        """`momentum`, by wrenches on bodies and impulses of joints."""
        shapes = self.own | self._after | self.impulses
        return self._programs.program("step_momentum", self._momentum, shapes)

    @property
    def impulses(self) -> dict[str, tuple[int, ...]]:
        """Inputs of the balance that bear on bodies, and on joints if these have rows."""
        joints = {"joints": (self.n_rows,)} if self.n_rows else {}
        return {"f_ext": (self._model.n_bodies, 6), **joints}

    @property
    def place(self) -> list[str]:
        """Inputs of what depends on positions and velocities after the step."""
        return ["q", "dt", *self.parameters]

    @property
    def moves(self) -> bool:
        """Whether there are rows of joints, or surfaces that move."""
        return bool(self.n_rows or self.carriers)

    @property
    def by_state(self) -> list[str]:
        """What there is of positions, velocities, activation and controls."""
        return [name for name in ("q", "qd", "activation", "controls") if name in self.own]

    def slopes(self, program: Program, by: Sequence[str]) -> Program:
        """Derivatives of a program of this object, made once."""
        key = program.name, *by
        if key not in self._slopes:
            self._slopes[key] = program.jacobian(by, tangent=True)
        return self._slopes[key]

    def reverse(self, program: Program, by: Sequence[str]) -> Program:
        """The same in reverse."""
        key = program.name, *by
        if key not in self._reverse:
            self._reverse[key] = program.vjp(by, tangent=True)
        return self._reverse[key]

    @cached_property
    def activation(self) -> Program | None:
        """The activation of actuators after a step; None where there is none."""
        if "activation" not in self.own:
            return None
        return self._programs.program("step_activation", _activation, self.own)

    @cached_property
    def advance(self) -> Program | None:
        """How far from ``end`` a step ends.

        None where positions have as many coordinates as velocities: its derivatives are 1 and
        ``dt``.
        """
        model = self._model
        if model.nq == model.nv:
            return None
        shapes = {**self._here, "end": (model.nq,)}
        return self._programs.program("step_advance", _advance, shapes)

    @cached_property
    def places(self) -> Program:
        """Position, normal and gap of all points, by positions and parameters."""
        shapes = {"q": (self._model.nq,), "dt": (), **self._programs.parameters}
        return self._programs.program("step_places", _places, shapes)

    @property
    def moving(self) -> list[str]:
        """Parameters that move points of contact, and rows of joints."""
        return [name for name in MOVING if name in self.parameters]

    @cached_property
    def clearances(self) -> Program:
        """Velocities by which all points stay open, by the velocities after the step."""
        return self._programs.program("step_clearances", _clearances, self._here)

    def _parts(self, whole: ContactModel, given: Mapping[str, Any], drive: StepForces) -> tuple:
        model, q, v, dt = whole.model, given["q"], given["qd"], given["dt"]
        after, placed = given["after"], PlacedBodies(whole.model, given["q"])
        stretches = stretches_of(whole, placed, measured(whole, placed, q), q, v, dt)
        stretches += servos_of(model, q, v, drive, dt)
        rows = [[*row.J, row.rate, row.lower, row.upper, row.is_near, row.push]
                for row in self._rows_at(whole, placed, q, after, dt)]  # fmt: skip
        units = [[float(i == k) for i in range(model.nv)] for k in range(model.nv)]
        moved = [[x for i in self.bodies for x in _numbers(found[i])]
                 for found in map(placed.velocities, units)]  # fmt: skip
        axes = [list(line) for line in zip(*moved, strict=True)]
        motions = self._motions(placed, after)
        poses = [[*(x for row in X.E for x in row), *X.r] for X in map(placed.pose, self.surfaces)]
        parts = rows, axes, motions, poses
        return (step_matrix(model, q, dt, stretches), *(part for part in parts if part))

    def _rates(self, whole: ContactModel, given: Mapping[str, Any], _: StepForces) -> tuple:
        placed = PlacedBodies(whole.model, given["q"])
        rows = self._rows_at(whole, placed, given["q"], given["after"], given["dt"])
        return ([row.rate for row in rows] + self._motions(placed, given["after"]),)

    def _momentum(self, whole: ContactModel, given: Mapping[str, Any], drive: StepForces) -> tuple:
        q, after, dt = given["q"], given["after"], given["dt"]
        forces = as_argument("f_ext", given["f_ext"], whole.model)
        rows = self._rows_at(whole, PlacedBodies(whole.model, q), q, after, dt)
        impulses = rows, given.get("joints", ()), forces
        return (momentum(whole, q, given["qd"], drive, after, impulses, dt),)

    def _rows_at(
        self, whole: ContactModel, placed: PlacedBodies, q: Any, after: Sequence[Scalar], dt: Scalar
    ) -> list[JointRow]:  # fmt: skip
        """The rows of joints."""
        return rows_at(whole, placed, q, after, dt)

    def _motions(self, placed: PlacedBodies, v: Sequence[Scalar]) -> list[Scalar]:
        """How carriers move, six numbers each."""
        found, moves = placed.velocities(v), []
        for body, belt in self.carriers:
            own = found[body]
            moves += _numbers(own if belt is None else own + placed.pose(belt).to_parent(belt.belt))
        return moves


class RelaxedPrograms(DerivativePrograms):
    """Those of steps whose laws are relaxed: rows of both ends of each range, of any distance."""

    def __init__(self, programs: StepPrograms):
        super().__init__(programs)
        self.kinds: np.ndarray = _kinds_of_both_ends(programs.whole, self.kinds)
        self.n_rows: int = len(self.kinds)

    # Stored code is known by the names of functions, so these have names of their own.
    def _parts(self, whole: ContactModel, given: Mapping[str, Any], drive: StepForces) -> tuple:
        return super()._parts(whole, given, drive)

    def _rates(self, whole: ContactModel, given: Mapping[str, Any], drive: StepForces) -> tuple:
        return super()._rates(whole, given, drive)

    def _momentum(self, whole: ContactModel, given: Mapping[str, Any], drive: StepForces) -> tuple:
        return super()._momentum(whole, given, drive)

    def _rows_at(
        self, whole: ContactModel, placed: PlacedBodies, q: Any, after: Sequence[Scalar], dt: Scalar
    ) -> list[JointRow]:  # fmt: skip
        return both_ends_at(whole, placed, q, after, dt)


def relaxed_programs(programs: StepPrograms, made: DerivativePrograms) -> DerivativePrograms:
    """Programs of relaxed laws: those of exact ones where nothing has ends."""
    has_ends = (programs.kinds.joints == UNILATERAL).any()
    return RelaxedPrograms(programs) if has_ends else made


def _kinds_of_both_ends(whole: ContactModel, kinds: np.ndarray) -> np.ndarray:
    """The kinds of `both_ends_at`, by those of `rows_at`."""
    ranges = [(each.lower, each.upper) for each in whole.limits]
    ranges += [(x.range.lower, x.range.upper) for x in (*whole.tendons, *whole.hinges)
               if x.range.is_limited]  # fmt: skip
    counts = np.ones(len(kinds), np.int64)
    counts[kinds == UNILATERAL] = [sum(map(math.isfinite, ends)) for ends in ranges]
    return np.repeat(kinds, counts)


def carrier_of(surface: Surface) -> Carrier:
    """What a surface moves with."""
    moves = surface.belt != Motion.zero()
    return Carrier(surface.body, surface if moves else None)


def _surfaces(whole: ContactModel) -> list[Surface]:
    """Those that any pair has, each once."""
    found = {id(side): side for pair in whole.pairs for side in (pair.a, pair.b)}
    return list(found.values())


def _numbers(motion: Motion) -> list[Scalar]:
    return [*motion.ang, *motion.lin]


def _activation(whole: ContactModel, given: Mapping[str, Any], drive: StepForces) -> tuple:
    q, qd, controls = given["q"], given["qd"], given["controls"]
    return (next_activation(whole.model, q, qd, controls, drive.activation, given["dt"]),)


def _places(whole: ContactModel, given: Mapping[str, Any], _: StepForces) -> tuple:
    placed = PlacedBodies(whole.model, given["q"])
    found = [
        [*x.position, *x.normal, x.gap]
        for pair in whole.pairs
        for x in points(pair.a.shape, placed.pose(pair.a), pair.b.shape, placed.pose(pair.b))
    ]
    return (found,)


def _clearances(whole: ContactModel, given: Mapping[str, Any], _: StepForces) -> tuple:
    placed, dt = PlacedBodies(whole.model, given["q"]), given["dt"]
    found = candidates(placed, whole.pairs, placed.velocities(given["after"]), dt)
    return ([x.gap / dt + x.normal.dot(x.velocity) for x in found],)


def _advance(whole: ContactModel, given: Mapping[str, Any], _: StepForces) -> tuple:
    """How far from ``end`` a step ends, for derivatives where this is nothing."""
    model = whole.model
    end, after = as_argument("q", given["end"], model), model.split_v(given["after"])
    moved = integrate(model, given["q"], after, given["dt"])
    return (model.join_v(difference(model, end, model.split_q(moved))),)


def point_program(a: Shape, b: Shape, rises: bool = False) -> Program:
    """Points of two shapes, and their derivatives as the first moves against the second.

    Sizes are inputs, so one program serves all pairs of two kinds; so are heights of a height
    map that ``rises``.
    """
    n_sizes, poses = (len(a.size), len(b.size)), {"X_a": (4, 3), "X_b": (4, 3)}
    sizes: dict[str, tuple[int, ...]] = {
        name: (n,) for name, n in zip("ab", n_sizes, strict=True) if n
    }
    ground = a.heights or b.heights
    if ground and rises:
        sizes["heights"] = len(ground), len(ground[0])

    def build(*values):
        given = dict(zip((*sizes, *poses, "motion"), values, strict=True))
        heights = tuple(tuple(row) for row in given.get("heights", ()))
        shapes = [
            _sized(x, given.get(name, ()), heights if x.heights and heights else x.heights)
            for name, x in (("a", a), ("b", b))
        ]
        X_a, X_b = _pose(given["X_a"]), _pose(given["X_b"])
        motion = Vec3(*given["motion"][:3]), Vec3(*given["motion"][3:])
        found = moved_points(shapes[0], X_a, shapes[1], X_b, *motion)
        return ([[*x.position, *x.normal, x.gap] for x in found],)

    name = f"points_of_{a.kind.name}_and_{b.kind.name}".lower()
    whole = Program(build, {**sizes, **poses, "motion": (6,)}, name=name)
    return whole.jacobian(["motion"], with_value=True)


def _sized(shape: Shape, size: Sequence[Scalar], heights: tuple) -> Shape:
    return Shape(shape.kind, tuple(size), shape.corners, heights)


def _pose(rows: Sequence[Sequence[Scalar]]) -> Transform:
    return Transform(Mat3.of(rows[:3]), Vec3(*rows[3]))
