"""Constraint forces by group, and which rows of a set are redundant."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arguments import as_flag
from ..arrays import ArrayLike
from ..binding.constraints_arguments import common_batch, numbers, require_set, vector
from ..constraint_sets import ConstraintSet, Contact, Group, Loop
from ..errors import ShapeError
from ..model import Model
from ..spatial import Transform
from .constraints_equations import constraint_jacobian
from .kinematics import body_poses

_REDUNDANT = 1e-9  # of the longest row: what a redundant one has beside those before it


class GroupForces(NamedTuple):
    """What a group of constraints does to the two bodies it acts on.

    Attributes
    ----------
    name : str
    bodies : pair of int
        Contact: the body and the base.  Loop: predecessor and successor.  The base for both
        if forces were asked for in base axes.
    frames : ndarray, shape (..., 2, 4, 4)
        Poses, in those bodies, of the frames that the forces are given in.
    forces : ndarray, shape (..., 2, 6)
        Moment and force on each body, about the frame's origin and in its axes.
    """

    name: str
    bodies: tuple[int, int]
    frames: np.ndarray
    forces: np.ndarray


class ConstraintReport(NamedTuple):
    """What a set amounts to at a position.

    Attributes
    ----------
    rank : int
        How many rows are independent of each other.
    mobility : int
        How many degrees of freedom are left: ``nv - rank``.
    redundant : tuple of int
        Rows that those before them imply.
    names : tuple of str
        Their names; ``"name[k]"``, with the row's number in its group, for those without.
    """

    rank: int
    mobility: int
    redundant: tuple[int, ...]
    names: tuple[str, ...]


def constraint_forces(
    model: Model,
    constraints: ConstraintSet,
    q: ArrayLike,
    force: ArrayLike,
    *,
    in_base_axes: bool = False,
) -> tuple[GroupForces, ...]:
    """Return the spatial forces that the rows' forces, or impulses, amount to in each group.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (..., nq)
    force : array_like, shape (..., n_rows)
        From `constrained_dynamics`, or impulses from `constraint_impulses`.
    in_base_axes : bool
        Give forces in base axes, at the same points.

    Returns
    -------
    groups : tuple of GroupForces
        One for each contact and loop group of the set, in its order; custom constraints act
        on coordinates and have no entry.

    Raises
    ------
    ModelError
        If the set is empty or of another model.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    Each group's two forces are opposite at the constraint's point.  Where a loop is not closed
    its two points differ, and so does what the two forces do.
    """
    require_set(model, constraints)
    q = vector("q", q, model.nq, model)
    force = vector("force", force, constraints.n_rows, model)
    common_batch({"q": (q, 1), "force": (force, 1)}, model)
    in_base_axes = as_flag("in_base_axes", in_base_axes, f" (model '{model.name}')")
    poses, groups = body_poses(model, q), []
    with np.errstate(all="ignore"):  # NaN stays in its own state
        for group in constraints.groups:
            if group.kind != "custom":
                part = _of_group(model, poses, group, force[..., group.rows], in_base_axes)
                groups.append(GroupForces(group.name, *part))
    return tuple(groups)


def constraint_report(model: Model, constraints: ConstraintSet, q: ArrayLike) -> ConstraintReport:
    """Return which rows are redundant at a position, and the mobility they leave.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet
    q : array_like, shape (nq,)
        At a singular position fewer rows are independent than elsewhere.

    Returns
    -------
    report : ConstraintReport
        ``rank``, ``mobility``, ``redundant`` and ``names``.

    Raises
    ------
    ModelError
        If the set is empty or of another model.
    ShapeError
        If ``q`` has not shape (nq,), or a number is not finite.

    Notes
    -----
    A row is redundant if ``G`` without the rows after it has the rank of those before.  Singular
    values below ``1e-9`` of the longest row of ``G`` are rounding, so a row may be a millionth of
    another one and still counts.
    """
    require_set(model, constraints)
    q = numbers("q", q, model, finite=True)
    if q.shape != (model.nq,):
        raise ShapeError(
            f"expected one position q of shape ({model.nq},), got shape {q.shape} "
            f"(model '{model.name}')"
        )
    G = constraint_jacobian(model, constraints, q)
    least = _REDUNDANT * np.linalg.norm(G, axis=1).max()
    ranks = [int(np.linalg.matrix_rank(G[:k], tol=least)) for k in range(len(G) + 1)]
    redundant = tuple(k for k in range(len(G)) if ranks[k + 1] == ranks[k])
    names = tuple(_row_name(constraints, k) for k in redundant)
    return ConstraintReport(ranks[-1], model.nv - ranks[-1], redundant, names)


def _row_name(constraints: ConstraintSet, row: int) -> str:
    own = constraints.names[row]
    group = next(g for g in constraints.groups if g.rows.start <= row < g.rows.stop)
    is_first_of_name = constraints.names.index(own) == row
    return own if own and is_first_of_name else f"{group.name}[{row - group.rows.start}]"


def _of_group(model: Model, poses: np.ndarray, group: Group, rows: np.ndarray, in_base: bool):
    """Bodies, frames and forces of a group of contacts or of rows of one loop."""
    first = group.constraints[0]
    if isinstance(first, Contact):
        normals = np.array([c.normal for c in group.constraints])  # type: ignore[union-attr]
        return _contact(model, poses, first, rows @ normals, in_base)
    assert isinstance(first, Loop)
    axes = np.array([c.axis for c in group.constraints])  # type: ignore[union-attr]
    return _loop(model, poses, first, rows @ axes, in_base)


def _contact(model: Model, poses: np.ndarray, contact: Contact, push: np.ndarray, in_base: bool):
    """The force on the body at its point, and its opposite on the base at the same place."""
    pose = frame_pose(model, poses, contact.body)
    point = np.array(contact.point)
    at_base = _frame(np.eye(3), pose[..., :3, :3] @ point + pose[..., :3, 3])
    on_body = _wrench(push if in_base else _turned_back(pose, push))
    if in_base:
        return (0, 0), _pair(at_base, at_base), _pair(on_body, _wrench(-push), 1)
    at_body = _frame(np.eye(3), point)
    bodies = contact.body, 0
    return bodies, _pair(at_body, at_base), _pair(on_body, _wrench(-push), 1)


def _loop(model: Model, poses: np.ndarray, loop: Loop, wrench: np.ndarray, in_base: bool):
    """The force on the predecessor's frame, and the opposite one on the successor's."""
    frames = [_pose(loop.X_predecessor), _pose(loop.X_successor)]
    at_base = [
        frame_pose(model, poses, body) @ frame
        for body, frame in zip((loop.predecessor, loop.successor), frames, strict=True)
    ]
    in_axes = _both(at_base[0][..., :3, :3], wrench)
    if in_base:
        p, s = (_frame(np.eye(3), pose[..., :3, 3]) for pose in at_base)
        return (0, 0), _pair(p, s), _pair(-in_axes, in_axes, 1)
    successor = _both(np.swapaxes(at_base[1][..., :3, :3], -1, -2), in_axes)
    bodies = loop.predecessor, loop.successor
    return bodies, _pair(frames[0], frames[1]), _pair(-wrench, successor, 1)


def frame_pose(model: Model, poses: np.ndarray, body: int) -> np.ndarray:
    """The pose of a body, which may be the base or a fixed one, from those of moving bodies."""
    frame = model.body(body)
    if frame.moving == 0:
        return np.broadcast_to(_pose(frame.frame), (*poses.shape[:-3], 4, 4))
    return poses[..., frame.moving - 1, :, :] @ _pose(frame.frame)


def _pose(X: Transform) -> np.ndarray:
    """From a frame's coordinates to those of the body that carries it."""
    return _frame(np.array(X.E.rows(), dtype=float).T, np.array(tuple(X.r), dtype=float))


def _frame(R: np.ndarray, r: np.ndarray) -> np.ndarray:
    pose = np.zeros((*r.shape[:-1], 4, 4))
    pose[..., :3, :3], pose[..., :3, 3], pose[..., 3, 3] = R, r, 1.0
    return pose


def _turned_back(pose: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.einsum("...ji,...j->...i", pose[..., :3, :3], v)


def _both(R: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Moment and force, each turned by ``R``."""
    parts = wrench[..., :3], wrench[..., 3:]
    return np.concatenate([np.einsum("...ij,...j->...i", R, part) for part in parts], axis=-1)


def _wrench(force: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros_like(force), force], axis=-1)


def _pair(a: np.ndarray, b: np.ndarray, depth: int = 2) -> np.ndarray:
    """Both stacked on a new axis before the last ``depth``."""
    return np.stack(np.broadcast_arrays(a, b), axis=-1 - depth)
