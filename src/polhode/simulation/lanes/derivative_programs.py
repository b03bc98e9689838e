"""What the derivatives of a scene's step are made of, as compiled programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...algorithms.stepping.balance import momentum, rows_at
from ...algorithms.stepping.contact_model import ContactModel, Surface
from ...algorithms.stepping.inertia import step_matrix
from ...algorithms.stepping.length_rows import measured
from ...algorithms.stepping.moreau import StepForces, servos_of, stretches_of
from ...algorithms.stepping.placed import PlacedBodies
from ...algorithms.stepping.touching import Shape
from ...algorithms.stepping.touching.moved import moved_points
from ...algorithms.tree.manifold import difference, integrate
from ...binding.tracing import as_argument
from ...compiler import Program
from ...scalar import Scalar
from ...spatial import Mat3, Transform, Vec3
from .programs import StepPrograms


class DerivativePrograms:
    """Programs of a contact model, beside those of its steps.

    Attributes
    ----------
    surfaces : list of Surface
        Those that pairs have.
    bodies : list of int
        Those that move and have surfaces.
    n_rows : int
        Rows of joints.
    parts : Program
        Of the state before a step and the velocities after it: ``matrix``, and where there are
        any, ``rows``, ``rates``, ``axes``, ``sways`` of `StepParts`, and poses of the surfaces.
    momentum, by_parameters : Program
        Derivatives of `momentum`: by what there is of positions, velocities and controls, and by
        parameters.
    advance : Program or None
        Derivatives of positions after a step, by those before it and by velocities.  None where
        positions have as many coordinates as velocities: these are 1 and ``dt``.
    """

    def __init__(self, programs: StepPrograms):
        model = programs.whole.model
        self.surfaces: list[Surface] = _surfaces(programs.whole)
        self.bodies: list[int] = sorted({x.body for x in self.surfaces if x.body})
        self.n_rows: int = len(programs.kinds.joints)
        self._parameters = tuple(programs.parameters)
        own = {name: shape for name, shape in programs.inputs.items() if name != "x"}
        after = {"after": (model.nv,)}
        here = {"q": (model.nq,), "dt": (), **programs.parameters, **after}
        rates = programs.program("step_rates", self._rates, here)
        self._rate_derivatives: Program = rates.jacobian(["q"], tangent=True)
        self.parts: Program = programs.program("step_parts", self._parts, own | after)
        impulses: dict[str, tuple[int, ...]] = {"f_ext": (model.n_bodies, 6)}
        if self.n_rows:
            impulses["joints"] = (self.n_rows,)
        balance = programs.program("step_momentum", _momentum, own | after | impulses)
        by = [name for name in ("q", "qd", "controls") if name in own]
        self.momentum: Program = balance.jacobian(by, tangent=True)
        self.by_parameters: Program = balance.jacobian(self._parameters, tangent=True)
        self.advance: Program | None = None
        if model.nq != model.nv:
            moved = programs.program("step_advance", _advance, {**here, "end": (model.nq,)})
            self.advance = moved.jacobian(["q", "after"], tangent=True)

    def _parts(self, whole: ContactModel, given: Mapping[str, Any], drive: StepForces) -> tuple:
        model, q, v, dt = whole.model, given["q"], given["qd"], given["dt"]
        after, placed = given["after"], PlacedBodies(whole.model, given["q"])
        stretches = stretches_of(whole, placed, measured(whole, placed, q), q, v, dt)
        stretches += servos_of(model, q, v, drive, dt)
        rows = [[*row.J, row.rate, row.lower, row.upper, row.is_near, row.push]
                for row in rows_at(whole, placed, q, after, dt)]  # fmt: skip
        units = [[float(i == k) for i in range(model.nv)] for k in range(model.nv)]
        moved = [_motions(placed, self.bodies, unit) for unit in units]
        axes = [list(line) for line in zip(*moved, strict=True)]
        changes: list[list[Scalar]] = []
        if rows or axes:
            own = [given[name] for name in self._parameters]
            changes = self._rate_derivatives(model.join_q(q), dt, *own, after)
        poses = [[*(x for row in X.E for x in row), *X.r] for X in map(placed.pose, self.surfaces)]
        parts = rows, changes[: len(rows)], axes, changes[len(rows) :], poses
        return (step_matrix(model, q, dt, stretches), *(part for part in parts if part))

    def _rates(self, whole: ContactModel, given: Mapping[str, Any], _: StepForces) -> tuple:
        """Rates of rows of joints, then motions of bodies, by the velocities after the step."""
        placed = PlacedBodies(whole.model, given["q"])
        rows = rows_at(whole, placed, given["q"], given["after"], given["dt"])
        return ([row.rate for row in rows] + _motions(placed, self.bodies, given["after"]),)


def _surfaces(whole: ContactModel) -> list[Surface]:
    """Those that any pair has, each once."""
    found = {id(side): side for pair in whole.pairs for side in (pair.a, pair.b)}
    return list(found.values())


def _motions(placed: PlacedBodies, bodies: Sequence[int], v: Sequence[Scalar]) -> list[Scalar]:
    """How bodies move, six numbers each."""
    found = placed.velocities(v)
    return [x for i in bodies for x in (*found[i].ang, *found[i].lin)]


def _momentum(whole: ContactModel, given: Mapping[str, Any], drive: StepForces) -> tuple:
    forces = as_argument("f_ext", given["f_ext"], whole.model)
    impulses = given.get("joints", ()), forces
    return (momentum(whole, given["q"], given["qd"], drive, given["after"], impulses, given["dt"]),)


def _advance(whole: ContactModel, given: Mapping[str, Any], _: StepForces) -> tuple:
    """How far from ``end`` a step ends, for derivatives where this is nothing."""
    model = whole.model
    end, after = as_argument("q", given["end"], model), model.split_v(given["after"])
    moved = integrate(model, given["q"], after, given["dt"])
    return (model.join_v(difference(model, end, model.split_q(moved))),)


def point_program(a: Shape, b: Shape) -> Program:
    """Points of two shapes, and their derivatives as the first moves against the second.

    Sizes are inputs, so one program serves all pairs of two kinds.
    """
    n_sizes, poses = (len(a.size), len(b.size)), {"X_a": (4, 3), "X_b": (4, 3)}
    sizes = {name: (n,) for name, n in zip("ab", n_sizes, strict=True) if n}

    def build(*values):
        given = dict(zip((*sizes, *poses, "motion"), values, strict=True))
        shapes = _sized(a, given.get("a", ())), _sized(b, given.get("b", ()))
        X_a, X_b = _pose(given["X_a"]), _pose(given["X_b"])
        motion = Vec3(*given["motion"][:3]), Vec3(*given["motion"][3:])
        found = moved_points(shapes[0], X_a, shapes[1], X_b, *motion)
        return ([[*x.position, *x.normal, x.gap] for x in found],)

    name = f"points_of_{a.kind.name}_and_{b.kind.name}".lower()
    whole = Program(build, {**sizes, **poses, "motion": (6,)}, name=name)
    return whole.jacobian(["motion"], with_value=True)


def _sized(shape: Shape, size: Sequence[Scalar]) -> Shape:
    return Shape(shape.kind, tuple(size), shape.corners, shape.heights)


def _pose(rows: Sequence[Sequence[Scalar]]) -> Transform:
    return Transform(Mat3.of(rows[:3]), Vec3(*rows[3]))
