"""Checks of hand-made problems: compiled loops check no index, and end on wrong ones in a crash."""

from __future__ import annotations

import numpy as np

from ..errors import ArgumentError, ShapeError, shown
from .rows import (
    BILATERAL,
    BOX,
    CONTACT,
    DISK,
    MIN_EDGES,
    MOST_EDGES,
    UNILATERAL,
    ConstraintRows,
    height_of,
)
from .settings import Report, SolverSettings

KINDS = (BILATERAL, UNILATERAL, BOX, CONTACT, DISK)
ROUNDING = 1e-9  # of a matrix that should be symmetric, as a share of its greatest entry
_TABLES = ("trials", "choices")  # of two axes; all else has one


def check_problem(
    rows: ConstraintRows, x: np.ndarray, v: np.ndarray, settings: SolverSettings, report: Report
) -> None:
    """Check what the solver is called with.

    Raises
    ------
    ShapeError
        If an array has the wrong type or length, or offsets do not fit.
    ArgumentError
        If a value is none that the solver takes.
    """
    for name, value, kind in (
        ("rows", rows, ConstraintRows), ("settings", settings, SolverSettings),
        ("report", report, Report),
    ):  # fmt: skip
        if not isinstance(value, kind):
            raise ArgumentError(f"expected {kind.__name__} as {name}, got {shown(value)}")
    check_rows(rows)
    _check_unknowns("x", x, rows.bias.size, "rows of constraints")
    _check_unknowns("v", v, rows.free.size, "velocities")
    if np.may_share_memory(x, v):
        raise ArgumentError("expected two arrays as x and v, got one that both share")


def check_restitution(rows: ConstraintRows, restitution: np.ndarray) -> None:
    """Check that each block has a coefficient of restitution from 0 to 1."""
    _check_array("restitution", restitution, np.float64, 1)
    _check_length("restitution", restitution, rows.kind.size, "blocks")
    _refuse_where(
        "restitution",
        restitution,
        ~((restitution >= 0) & (restitution <= 1)),
        "a number from 0 to 1",
    )


def check_rows(rows: ConstraintRows) -> None:
    """Check types, lengths, offsets and values of all arrays of a problem."""
    whole = {
        "node_dof", "node_mass", "kind", "row", "segment", "node", "value", "edges", "last",
        "trials", "choices", "presser",
    }  # fmt: skip
    for name, array in zip(rows._fields, rows, strict=True):
        dtype = np.int64 if name in whole else np.float64
        _check_array(name, array, dtype, 2 if name in _TABLES else 1)
    _check_nodes(rows)
    _check_blocks(rows)
    _check_values(rows)
    _check_optional(rows)
    _check_pressers(rows)


def _check_nodes(rows: ConstraintRows) -> None:
    """Sizes of nodes, and their masses."""
    _check_offsets("node_dof", rows.node_dof, rows.free.size, "free")
    sizes, count = np.diff(rows.node_dof), rows.node_dof.size - 1
    if rows.node_mass.size < count:
        raise ShapeError(
            f"expected {count} entries or more in node_mass, got {rows.node_mass.size}"
        )
    at = rows.node_mass[:count]
    _refuse_where(
        "node_mass", at, (at < 0) | (at + sizes**2 > rows.mass.size),
        f"room for the square of the node's size among the {rows.mass.size} numbers of mass",
    )  # fmt: skip
    _refuse_where("mass", rows.mass, ~np.isfinite(rows.mass), "a finite number")
    for n in np.unique(sizes[sizes > 0]):
        nodes = np.flatnonzero(sizes == n)
        matrices = rows.mass[at[nodes, None] + np.arange(n * n)].reshape(-1, n, n)
        for node, matrix in zip(nodes, matrices, strict=True):
            if np.abs(matrix - matrix.T).max() > ROUNDING * np.abs(matrix).max():
                raise ArgumentError(f"expected a symmetric mass matrix of node {node}")
            if not _is_positive_definite(matrix):
                raise ArgumentError(f"expected a positive definite mass matrix of node {node}")


def _is_positive_definite(matrix: np.ndarray) -> bool:
    """Whether Cholesky's factors exist."""
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return True


def _check_blocks(rows: ConstraintRows) -> None:
    """Kinds of blocks, and where their rows, segments and Jacobians are."""
    count = rows.kind.size
    _refuse_where("kind", rows.kind, ~np.isin(rows.kind, KINDS), f"one of {KINDS}")
    heights = np.array([height_of(int(k)) for k in rows.kind], np.int64)
    _check_sums("row", rows.row, heights, "the heights of the blocks")
    _check_length("segment", rows.segment, count + 1, "blocks, and one")
    _check_offsets("segment", rows.segment, rows.node.size, "node")
    n_nodes = rows.node_dof.size - 1
    _refuse_where(
        "node", rows.node, (rows.node < 0) | (rows.node >= n_nodes),
        f"one of {n_nodes} nodes, counted from 0",
    )  # fmt: skip
    block = np.repeat(np.arange(count), np.diff(rows.segment))
    for k in range(count):
        nodes = rows.node[rows.segment[k] : rows.segment[k + 1]]
        if np.unique(nodes).size < nodes.size:
            raise ArgumentError(
                f"expected each node once in block {k}, got {nodes.tolist()}; add its Jacobians"
            )
    widths = np.diff(rows.node_dof)[rows.node]
    _check_sums("value", rows.value, heights[block] * widths, "rows times velocities of a segment")
    _check_length("jacobian", rows.jacobian, int(rows.value[-1]), "entries, as value says")


def _check_values(rows: ConstraintRows) -> None:
    """Numbers of rows and blocks."""
    m, count = int(rows.row[-1]), rows.kind.size
    for name in ("bias", "compliance"):
        _check_length(name, getattr(rows, name), m, "rows")
    for name in ("mu", "widening", "edges", "lower", "upper"):
        _check_length(name, getattr(rows, name), count, "blocks")
    for name in ("free", "jacobian", "bias", "compliance"):
        array = getattr(rows, name)
        _refuse_where(name, array, ~np.isfinite(array), "a finite number")
    _refuse_where("mu", rows.mu, ~(rows.mu >= 0.0), "0 or more")
    is_wide = (rows.widening >= 0.0) & np.isfinite(rows.widening)
    _refuse_where("widening", rows.widening, ~is_wide, "0 or more")
    is_polygon = (rows.edges >= MIN_EDGES) & (rows.edges <= MOST_EDGES)
    _refuse_where(
        "edges", rows.edges, (rows.edges != 0) & ~is_polygon,
        f"0 for a circle, or from {MIN_EDGES} to {MOST_EDGES}",
    )  # fmt: skip
    is_box, is_disk = rows.kind == BOX, rows.kind == DISK
    is_pressed = (rows.kind == CONTACT) | (rows.kind == UNILATERAL)
    _refuse_where("lower", rows.lower, is_pressed & ~np.isfinite(rows.lower), "a finite number")
    _refuse_where("upper", rows.upper, is_disk & ~(rows.upper >= 0.0), "a radius of 0 or more")
    is_empty = is_box & ~(rows.lower <= rows.upper)
    _refuse_where("upper", rows.upper, is_empty, "lower or more")


def _check_optional(rows: ConstraintRows) -> None:
    """What may be empty."""
    n_nodes = rows.node_dof.size - 1
    if rows.factor.size or rows.last.size:
        _check_length("factor", rows.factor, rows.mass.size, "entries, as mass has")
        _check_length("last", rows.last, rows.free.size, "velocities")
        last = np.repeat(np.diff(rows.node_dof), np.diff(rows.node_dof))
        is_outside = (rows.last < 0) | (rows.last >= last)
        _refuse_where("last", rows.last, is_outside, "a row of the node's mass")
    if rows.speed.size:
        _check_length("speed", rows.speed, n_nodes, "nodes")
        is_speed = (rows.speed >= 0.0) & np.isfinite(rows.speed)
        _refuse_where("speed", rows.speed, ~is_speed, "0 or more")
    for name in _TABLES:
        table = getattr(rows, name)
        if table.shape not in ((0, 4), (n_nodes, 4)):
            raise ShapeError(
                f"expected shape ({n_nodes}, 4) or (0, 4) of {name}, got {table.shape}"
            )
        _refuse_where(name, table.ravel(), table.ravel() < 0, "0 or more")


def _check_pressers(rows: ConstraintRows) -> None:
    """Contacts that bound torques: their bodies have to be those of the torque."""
    count = rows.kind.size
    if rows.presser.size == rows.arm.size == 0:
        return
    for name in ("presser", "arm"):
        _check_length(name, getattr(rows, name), count, "blocks")
    for k in np.flatnonzero(rows.presser != -1).tolist():
        contact, kind = int(rows.presser[k]), int(rows.kind[k])
        if kind not in (BOX, DISK):
            raise ArgumentError(
                f"expected -1 as presser of block {k} of kind {kind}, got {contact}: normal "
                f"impulses bound kinds {BOX} (BOX) and {DISK} (DISK)"
            )
        if not (0 <= contact < count and rows.kind[contact] == CONTACT):
            raise ArgumentError(
                f"expected -1 or a block of kind {CONTACT} (CONTACT) as presser of block {k}, "
                f"got {contact}"
            )
        mine, others = (_nodes_of(rows, each) for each in (k, contact))
        if mine != others:
            raise ArgumentError(
                f"expected nodes {others} in block {k}, those of its presser, block {contact}, "
                f"got {mine}; a segment may be of zeros"
            )
        if not (np.isfinite(rows.arm[k]) and rows.arm[k] >= 0.0):
            raise ArgumentError(f"expected 0 or more as arm of block {k}, got {rows.arm[k]}")


def _nodes_of(rows: ConstraintRows, k: int) -> list[int]:
    """The nodes of a block, in order."""
    return sorted(rows.node[rows.segment[k] : rows.segment[k + 1]].tolist())


def _check_unknowns(name: str, array: np.ndarray, count: int, of: str) -> None:
    """An array that the solver writes to."""
    _check_array(name, array, np.float64, 1)
    _check_length(name, array, count, of)
    if not array.flags.writeable:
        raise ArgumentError(f"expected an array that can be written to as {name}; take a copy")


def _check_array(name: str, array: np.ndarray, dtype: type, ndim: int) -> None:
    """Type and axes of an array."""
    told = f"expected a C-contiguous array of {np.dtype(dtype)} with {ndim} axes as {name}"
    told = told.replace("1 axes", "one axis")
    if not isinstance(array, np.ndarray):
        raise ShapeError(f"{told}, got {shown(array)}; numpy.array(..., float) makes one of a list")
    if array.dtype != dtype or array.ndim != ndim or not array.flags.c_contiguous:
        more = "" if array.flags.c_contiguous else ", not contiguous"
        raise ShapeError(f"{told}, got {array.dtype} of shape {array.shape}{more}")


def _check_length(name: str, array: np.ndarray, count: int, of: str) -> None:
    if array.size != count:
        raise ShapeError(f"expected {count} entries in {name}, for all {of}, got {array.size}")


def _check_offsets(name: str, offsets: np.ndarray, total: int, of: str) -> None:
    """Offsets begin at 0, do not fall, and end with the length of another array."""
    if offsets.size == 0 or offsets[0] != 0 or offsets[-1] != total or np.any(np.diff(offsets) < 0):
        raise ShapeError(
            f"expected offsets in {name} that rise from 0 to {total}, the length of {of}, "
            f"got {_told(offsets)}"
        )


def _check_sums(name: str, offsets: np.ndarray, sizes: np.ndarray, of: str) -> None:
    """Offsets are sums of sizes."""
    if not np.array_equal(offsets, np.concatenate(([0], np.cumsum(sizes)))):
        raise ShapeError(
            f"expected sums from 0 on in {name}, of {of} {_told(sizes)}, got {_told(offsets)}"
        )


def _refuse_where(name: str, array: np.ndarray, is_wrong: np.ndarray, expected: str) -> None:
    """Raise for the first entry that is wrong."""
    if is_wrong.any():
        i = int(np.flatnonzero(is_wrong)[0])
        raise ArgumentError(f"expected {expected} in {name}[{i}], got {shown(array[i])}")


def _told(array: np.ndarray) -> str:
    """The first entries of an array."""
    more = ", ..." if array.size > 6 else ""
    return f"[{', '.join(map(str, array[:6].tolist()))}{more}]"
