"""The rows of joints that close loops: `polhode.algorithms.constrained.closures` in a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...scalar import Scalar, reciprocal
from ...spatial import Motion, Vec3
from ..constrained.closures import DOT, ROWS, Closure, JointFrame
from .blocks import TINY, EqualityRow, along
from .inertia import StepInertia
from .joint_rows import closing
from .placed import PlacedBodies, signs_of, velocity_at

LEAST_COMPLIANCE = 1e-12
"""Of a row, relative to its bodies' joints: loops in a plane have rows that nothing moves."""


def closure_rows(
    placed: PlacedBodies,
    closure: Closure,
    motions: Mapping[int, Motion],
    inertia: StepInertia,
    dt: Scalar,
) -> list[EqualityRow]:
    """The rows of a closure; ``motions`` are velocities of the bodies without impulses."""
    a, b = _frames(placed, closure)
    signs = signs_of(placed.model, closure.b, closure.a)
    axes = {k: axis * signs[k] for k, axis in placed.axes().items() if signs[k]}
    motion = motions[closure.b] - motions[closure.a]
    kinds = ROWS[closure.kind]
    wrenches = [a.wrench(b, kind, i, j, closure.pitch) for kind, i, j in kinds]
    y = [inertia.row_of_axes({k: wrench.dot(s) for k, s in axes.items()}) for wrench in wrenches]
    turns = _mobility(axes, inertia, lambda s: s.ang)
    shifts = _mobility(axes, inertia, lambda s: velocity_at(s, b.origin))
    rows = []
    for row, wrench, off, (kind, _, _) in zip(
        y, wrenches, _errors(a, b, closure), kinds, strict=True
    ):
        least = LEAST_COMPLIANCE * (turns if kind == DOT else shifts)
        own = along(row, row) + least + TINY
        free = wrench.dot(motion)
        rows.append(EqualityRow((row,), (free,), (reciprocal(own),), (own,), closing(-off, dt)))
    return rows


def closure_errors(placed: PlacedBodies, closure: Closure) -> list[Scalar]:
    """How far the rows of a closure are open [m, or cosines]."""
    return _errors(*_frames(placed, closure), closure)


def _errors(a: JointFrame, b: JointFrame, closure: Closure) -> list[Scalar]:
    return [a.error(b, *row, closure.pitch) for row in ROWS[closure.kind]]


def _frames(placed: PlacedBodies, closure: Closure) -> tuple[JointFrame, JointFrame]:
    """Frames a and b in base coordinates."""
    X_a = closure.frame_a @ placed.X_0[closure.a]
    X_b = closure.frame_b @ placed.X_0[closure.b]
    return (
        JointFrame(X_a.E.x, X_a.E.y, X_a.E.z, X_a.r),
        JointFrame(X_b.E.x, X_b.E.y, X_b.E.z, X_b.r),
    )


def _mobility(
    axes: Mapping[int, Motion], inertia: StepInertia, part: Callable[[Motion], Vec3]
) -> Scalar:
    """About what impulses of the joints do to a part of a motion."""
    total: Scalar = 0.0
    for k, axis in axes.items():
        moved = part(axis) * inertia.scale[inertia.coordinate_of_axis[k]]
        total = total + moved.dot(moved)
    return total
