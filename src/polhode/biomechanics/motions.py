"""Tables of coordinates to positions, velocities and accelerations of a model's joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline
from scipy.signal import butter, sosfilt, sosfilt_zi

from ..arguments import as_number
from ..arrays import ArrayLike, as_array
from ..binding.model_argument import require_model, where_of
from ..errors import ArgumentError, ModelError, ShapeError, suggestion
from ..formats.osim import MotionTable
from ..model import FunctionBased, Helical, Joint, Model, Revolute
from ..model.joints.several import Serial

DEGREE = 5  # of splines: their accelerations are smooth
UNEVEN = 1e-6  # of a step, by which steps of equal length may differ


class Trajectory(NamedTuple):
    """A motion at given times.

    Attributes
    ----------
    times : ndarray, shape (n,)
        [s].
    q, qd, qdd : ndarray, shape (n, nv)
        Positions, velocities and accelerations of the joints.
    """

    times: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray


def coordinate_names(model: Model) -> tuple[str, ...]:
    """Return the names by which tables know the entries of ``qd``.

    Parameters
    ----------
    model : Model

    Returns
    -------
    names : tuple of str
        That of the joint where it has one degree of freedom; else those of the coordinates of a
        function-based joint, or names such as ``"base.RX"``.
    """
    names = [""] * require_model(model).nv
    for joint in model.joints:
        for k, name in zip(np.arange(model.nv)[joint.v], _names(joint), strict=True):
            names[k] = name
    return tuple(names)


def joint_positions(model: Model, table: MotionTable, q0: ArrayLike | None = None) -> np.ndarray:
    """Return the joint positions that a table has columns for.

    Parameters
    ----------
    model : Model
        Without quaternions: its joints have one coordinate for each degree of freedom.
    table : MotionTable
        Columns are named as by `coordinate_names`, or ``/jointset/knee/knee_angle/value``.  Other
        columns are not used.  Angles are taken as radians unless the file says degrees.
    q0 : array_like, shape (nq,), optional
        Values of coordinates without a column; zero if omitted.

    Returns
    -------
    q : ndarray, shape (n, nq)
        [rad or m].

    Raises
    ------
    ModelError
        If no column is that of a coordinate, or the model has quaternions.
    ShapeError
        If ``q0`` has another shape, or is not finite.
    """
    names = coordinate_names(model)
    if not isinstance(table, MotionTable):
        raise ModelError(f"expected a MotionTable as table, got {type(table).__name__}")
    if model.nq != model.nv:
        raise ModelError(
            f"expected joints without quaternions, got some in model '{model.name}'; axes in "
            "series can take their place"
        )
    start = np.zeros(model.nq) if q0 is None else as_array("q0", q0, where_of(model), finite=True)
    if start.shape != (model.nq,):
        raise ShapeError(f"expected q0 of shape ({model.nq},), got {start.shape}")
    q = np.tile(start.astype(float), (len(table.times), 1))
    places = {name: k for k, name in enumerate(names)}
    places |= {name.rpartition("/")[2]: k for name, k in places.items()}  # of a scene's model
    angles, found = _angles(model), False
    for column, name in zip(table.values.T, table.names, strict=True):
        k = places.get(_coordinate(name))
        if k is not None:
            found = True
            q[:, k] = np.radians(column) if table.in_degrees and angles[k] else column
    if not found:
        hint = suggestion(table.names[0], names) if table.names else ""
        raise ModelError(f"no column of the table is a coordinate of model '{model.name}'{hint}")
    return q


def trajectory(
    model: Model,
    table: MotionTable,
    *,
    cutoff: float | None = None,
    q0: ArrayLike | None = None,
    times: ArrayLike | None = None,
) -> Trajectory:
    """Return positions, velocities and accelerations of a measured motion.

    Parameters
    ----------
    model : Model
    table : MotionTable
        As for `joint_positions`.
    cutoff : float, optional
        Of a low-pass filter, as in `lowpass` [Hz]; no filter if omitted.
    q0 : array_like, shape (nq,), optional
        Values of coordinates without a column; zero if omitted.
    times : array_like, shape (n,), optional
        Where to evaluate [s]; the table's if omitted.

    Returns
    -------
    trajectory : Trajectory
        ``times``, ``q``, ``qd`` and ``qdd``, for `polhode.inverse_dynamics` of all in one call.

    Raises
    ------
    ModelError
        As by `joint_positions`, and for tables of fewer than six rows, or with a number that is
        not finite.
    ArgumentError
        If the cut-off frequency is not below half of the sampling frequency, or a time is not
        within the table's.

    Notes
    -----
    Derivatives are those of quintic splines through the (filtered) positions, natural at their
    ends.  With a filter the splines go through the padding, too.
    """
    q = joint_positions(model, table, q0)
    if len(q) <= DEGREE:
        raise ModelError(f"expected at least {DEGREE + 1} rows in the table, got {len(q)}")
    _check_finite(model, q, table.times)
    at = table.times if times is None else as_array("times", times)
    _check_within(at, table.times)
    if cutoff is None:
        spline = _spline(table.times, q)
    else:
        spline = _spline(*_filtered(table.times, q, cutoff))
    return Trajectory(at, *(spline(at, order) for order in range(3)))


def lowpass(times: ArrayLike, values: ArrayLike, cutoff: float) -> np.ndarray:
    """Return columns of numbers without their fast changes.

    Parameters
    ----------
    times : array_like, shape (n,)
        Rising [s].  Where steps differ, values are first interpolated at even ones.
    values : array_like, shape (n, columns)
    cutoff : float
        Frequency at which each of two passes halves the power [Hz].

    Returns
    -------
    values : ndarray, shape (n, columns)

    Raises
    ------
    ArgumentError
        If the cut-off frequency is not below half of the sampling frequency.
    ShapeError
        If there are not as many times as rows, or fewer than six, or a number is not finite.

    Notes
    -----
    A Butterworth filter of third order, forwards and backwards, which shifts no phase.  At both
    ends half of the values are appended first, mirrored through the end.
    """
    t, x = as_array("times", times, finite=True), as_array("values", values, finite=True)
    if t.ndim != 1 or x.ndim != 2 or len(t) != len(x) or len(t) <= DEGREE:
        raise ShapeError(
            f"expected as many times as rows of values, at least {DEGREE + 1}, got shapes "
            f"{t.shape} and {x.shape}"
        )
    if not (np.diff(t) > 0.0).all():
        raise ArgumentError("expected times that rise, got others")
    grid, filtered = _filtered(t, x, cutoff)
    return _spline(grid, filtered)(t)


def _check_finite(model: Model, q: np.ndarray, times: np.ndarray) -> None:
    """Refuse positions through which no spline goes."""
    wrong = np.argwhere(~np.isfinite(q))
    if len(wrong):
        row, k = wrong[0]
        raise ModelError(
            f"expected finite positions in the table, got {q[row, k]} of "
            f"'{coordinate_names(model)[k]}' at {times[row]:g} s"
        )


def _check_within(times: np.ndarray, others: np.ndarray) -> None:
    """Refuse times that are outside of those of a table."""
    rounding = 1e-6 * (others[-1] - others[0])
    if times.ndim != 1 or not len(times):
        raise ShapeError(f"expected times in one row, got shape {times.shape}")
    if not (times.min() >= others[0] - rounding and times.max() <= others[-1] + rounding):
        raise ArgumentError(
            f"expected times from {others[0]:g} to {others[-1]:g} s, got {times.min():g} to "
            f"{times.max():g}"
        )


def _filtered(times: np.ndarray, x: np.ndarray, cutoff: float) -> tuple[np.ndarray, np.ndarray]:
    """Even times, those of the padding included, and filtered values there."""
    n, steps = len(times), np.diff(times)
    h = (times[-1] - times[0]) / (n - 1)
    frequency = as_number("cutoff", cutoff, least=0.0)
    if not 0.0 < frequency < 0.5 / h:
        raise ArgumentError(
            f"expected a cutoff between 0 and half of the {1.0 / h:.6g} samples a second, got "
            f"{frequency:g}"
        )
    if np.abs(steps - h).max() > UNEVEN * h:
        x = _spline(times, x)(np.linspace(times[0], times[-1], n))
    pad = n // 2
    before, after = 2.0 * x[0] - x[pad:0:-1], 2.0 * x[-1] - x[-2 : -pad - 2 : -1]
    padded = np.concatenate([before, x, after])
    sections = np.asarray(butter(3, frequency, fs=1.0 / h, output="sos"))
    for _ in range(2):  # once forwards, once backwards
        padded = _passed(sections, padded)[::-1]
    return times[0] + h * np.arange(-pad, n + pad), padded


def _passed(sections: np.ndarray, x: np.ndarray) -> np.ndarray:
    """One pass of a filter that has seen the first value for ever."""
    state = sosfilt_zi(sections)[:, :, None] * x[0]
    return sosfilt(sections, x, axis=0, zi=state)[0]


def _spline(times: np.ndarray, x: np.ndarray) -> BSpline:
    """Quintic, through all values, without third and fourth derivatives at its ends.

    Programs write a last row twice, at times that differ by rounding: the second is left out.
    """
    steps = np.diff(times)
    kept = np.append(True, steps > UNEVEN * steps.mean())
    times, x = times[kept], x[kept]
    if len(times) <= DEGREE:
        raise ArgumentError(
            f"expected at least {DEGREE + 1} times that differ by more than rounding, got "
            f"{len(times)}"
        )
    none = np.zeros(x.shape[1])
    ends = [(3, none), (4, none)]
    return make_interp_spline(times, x, DEGREE, bc_type=(ends, ends))


def _coordinate(label: str) -> str:
    """The coordinate's name in a label such as ``/jointset/knee/knee_angle/value``."""
    parts = label.split("/")
    return parts[-2] if len(parts) > 2 and parts[-1] == "value" else label


def _names(joint: Joint) -> tuple[str, ...]:
    kind = joint.kind
    if kind.nv == 1:
        return (joint.name,)
    if isinstance(kind, FunctionBased):
        return kind.coordinates
    return tuple(f"{joint.name}.{dof}" for dof in kind.dof_names)


def _angles(model: Model) -> np.ndarray:
    """Which entries of ``q`` are angles: those that an axis turns by, on a straight line."""
    found = np.zeros(model.nv, bool)
    for joint in model.joints:
        kind = joint.kind
        if isinstance(kind, FunctionBased):
            turning = {axis.coordinate for axis in kind.axes
                       if any(axis.row[:3]) and axis.function.is_linear}  # fmt: skip
            found[joint.v] = [k in turning for k in range(kind.nv)]
        else:
            parts = kind.parts if isinstance(kind, Serial) else (kind,) * kind.nv
            found[joint.v] = [isinstance(part, (Revolute, Helical)) for part in parts]
    return found
