"""The ground that a body of a chapter touches: constraint rows, and the solver in WebAssembly."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import polhode as ph
from polhode import Model, algorithms
from polhode.compiler import Program
from polhode.compiler.jit.type_of import type_of
from polhode.contact_problem import CONTACT, ConstraintRows, Report, solver_settings
from polhode.contact_problem.solve import solve
from polhode.model import PerBody
from polhode.scalar import Scalar, cos, sin, where
from polhode.spatial import Vec3

from .wasm_object import compiled_wasm

PUSHED_OUT = 0.1  # share of an overlap that one step removes
STACK = 1 << 17  # address; the stack grows down from here, to the constants of the solver
MEMORY = 1 << 21  # bytes
TOLERANCE = 1e-12  # residual below which a step is solved: it is what Python and the page differ by
_ARENA_FIELDS = 7  # of eight bytes
_VARIABLE = ("mass", "free", "jacobian", "bias", "mu")

Points = tuple[tuple[float, float, float], ...]


@dataclass(frozen=True)
class Ground:
    """Points of a body that touch a plane through the origin, which slopes down along x."""

    body: str
    points: Points


def contact_rows(
    model: Model, q: PerBody, dt: Scalar, slope: Scalar, *, body: int, points: Points
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """``J`` and the bias of all contacts: of each its normal and two tangents.

    A gap over the step is the bias of an open contact, so that it may just close.
    """
    c, s = cos(slope), sin(slope)
    axes = Vec3(s, 0.0, c), Vec3(c, 0.0, -s), Vec3(0.0, 1.0, 0.0)
    J, bias = [], []
    for point in points:
        place = Vec3(*point)
        at = algorithms.point_position(model, q, body=body, point=place)
        rows = algorithms.point_jacobian(model, q, body=body, point=place)
        columns = [Vec3(*column) for column in zip(*rows, strict=True)]
        J += [[axis.dot(column) for column in columns] for axis in axes]
        gap = axes[0].dot(Vec3(*at))
        bias += [where(gap > 0.0, gap, PUSHED_OUT * gap) / dt, 0.0, 0.0]
    return J, bias


def rows_program(ground: Ground, model: Model) -> Program:
    """`contact_rows`, compiled."""
    shapes = {"slope": ()}
    return ph.compile(contact_rows, model, shapes=shapes, body=ground.body, points=ground.points)


def empty_rows(ground: Ground, model: Model) -> ConstraintRows:
    """Rows of as many contacts as the ground has, all their numbers zero."""
    n, k, nv = 3 * len(ground.points), len(ground.points), model.nv
    row = np.arange(0, n + 1, 3)
    return ConstraintRows(
        node_dof=np.array([0, nv]), node_mass=np.array([0, nv * nv]), mass=np.zeros(nv * nv),
        free=np.zeros(nv), kind=np.full(k, CONTACT), row=row, segment=np.arange(k + 1),
        node=np.zeros(k, np.int64), value=row * nv, jacobian=np.zeros(n * nv), bias=np.zeros(n),
        compliance=np.zeros(n), mu=np.zeros(k), widening=np.zeros(k),
        edges=np.zeros(k, np.int64), lower=np.zeros(k), upper=np.full(k, np.inf),
    )  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What a reader can set."""

    friction: float
    slope: float  # degrees
    gravity: float


Step = Callable[[np.ndarray, np.ndarray, float, Settings], tuple[np.ndarray, ...]]


def contact_steps(ground: Ground, model: Model) -> Step:
    """The page's step in Python: position, velocity and impulses after so many seconds."""
    dynamics = ph.compile(algorithms.aba, model, parameters=["gravity"])
    program, empty = rows_program(ground, model), empty_rows(ground, model)

    def step(q: np.ndarray, qd: np.ndarray, h: float, settings: Settings) -> tuple[np.ndarray, ...]:
        weight = np.array([0.0, 0.0, -settings.gravity])
        J, bias = program(q, h, np.radians(settings.slope))
        rows = empty._replace(
            mass=ph.mass_matrix(model, q).ravel(),
            free=qd + h * dynamics(q, qd, np.zeros(model.nv), weight),
            jacobian=J.ravel(), bias=bias, mu=np.full_like(empty.mu, settings.friction),
        )  # fmt: skip
        x, v = np.zeros(len(bias)), np.zeros(model.nv)
        solve(rows, x, v, solver_settings(tolerance=TOLERANCE), Report())
        return ph.integrate(model, q, v, h), v, x

    return step


def solver(ground: Ground, model: Model) -> dict[str, Any]:
    """The exact solver as a page loads it: module, memory at the start, and where numbers are."""
    rows = empty_rows(ground, model)
    x, v = np.zeros(len(rows.bias)), np.zeros(model.nv)
    given = (rows, x, v, solver_settings(tolerance=TOLERANCE), Report())
    memory = _Memory()
    registers = np.array(memory.registers(given), np.int64)
    places = {"in": memory.place(registers), "out": memory.place(np.zeros(1))}
    names = [*ConstraintRows._fields, "x", "v"]
    arrays = dict(zip(names, memory.arrays, strict=False))
    arena = memory.place(np.zeros(_ARENA_FIELDS))
    return {
        "wasm": _text(compiled_wasm(solve.function, tuple(map(type_of, given)))),
        "stack": STACK,
        "memory": MEMORY,
        "image": _text(bytes(memory.content)),
        "places": places | {name: arrays[name] for name in (*_VARIABLE, "x", "v")},
        "arena": arena,
        "points": ground.points,
        "body": model.body(ground.body).id,
    }


class _Memory:
    """What lies above the stack: the arguments of the solver, laid out for 32-bit addresses."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.arrays: list[list[int]] = []  # address and count, in the order of the arguments

    def place(self, array: np.ndarray) -> list[int]:
        """Address of a copy of an array, and its count of numbers."""
        address = STACK + len(self.content)
        self.content += array.tobytes()
        self.content += bytes(-len(self.content) % 16)
        return [address, array.size]

    def registers(self, values: Sequence[Any]) -> list[int]:
        """What a compiled function is given for values."""
        made: list[int] = []
        for value in values:
            if isinstance(value, tuple):
                made += self.registers(value)
            elif isinstance(value, np.ndarray):
                self.arrays.append(self.place(value))
                made += [self.arrays[-1][0], *value.shape]
            else:  # a table of numbers
                made.append(self.place(value.table)[0])
        return made


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
