"""Joint positions from markers: weighted least squares over whole trials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..api.inverse_kinematics import IKResult, inverse_kinematics
from ..api.inverse_kinematics_targets import Targets
from ..api.kinematics import point_position
from ..api.manifold import neutral
from ..arguments import as_mapping, as_number
from ..arrays import ArrayLike, as_array
from ..binding.model_argument import require_model, where_of
from ..errors import ModelError, ShapeError, suggestion
from ..formats.osim import MarkerTable
from ..model import Model

STRIDE = 10  # frames from one start of the batch to the next
FAR, NEAR = 0.3, 1e-3  # damping, for markers of weight one: on the way to the first frame, and then
ORIGIN = (0.0, 0.0, 0.0)


class MarkerFit(NamedTuple):
    """Joint positions that bring markers near to where they were seen.

    Attributes
    ----------
    times : ndarray, shape (n,)
        [s].
    q : ndarray, shape (n, nq)
    names : tuple of str
        The markers that were used.
    distances : ndarray, shape (n, markers)
        Of each from where it was seen; NaN where it was not [m].
    iterations : ndarray of int, shape (n,)
    """

    times: np.ndarray
    q: np.ndarray
    names: tuple[str, ...]
    distances: np.ndarray
    iterations: np.ndarray


def marker_inverse_kinematics(
    model: Model,
    table: MarkerTable,
    *,
    weights: Mapping[str, float] | None = None,
    q0: ArrayLike | None = None,
    limits: bool = False,
    step_tolerance: float = 1e-9,
    max_iterations: int = 100,
) -> MarkerFit:
    """Return the joint positions nearest to a trial of markers.

    Parameters
    ----------
    model : Model
        Its markers are bodies of their names; `polhode.load` reads them so.
    table : MarkerTable
    weights : mapping of str to float, optional
        How much the squared distance of each marker counts; those without one are not used.  All
        that model and table have count alike if omitted.
    q0 : array_like, shape (nq,), optional
        Where the first frame starts; neutral if omitted.
    limits : bool
        Keep joints within the limits of the model.
    step_tolerance : float
        Length of a step at which a frame is done.
    max_iterations : int

    Returns
    -------
    fit : MarkerFit
        ``times``, ``q``, ``names``, ``distances`` and ``iterations``.

    Raises
    ------
    ModelError
        If model and table have no marker in common, or a weight is of none.
    ShapeError
        If ``q0`` has another shape, or is not finite.
    ArgumentError
        If weights are no mapping, or one is negative.

    Notes
    -----
    Minimises ``sum w |p(q) - p_seen|^2`` in each frame, by damped least squares.  One frame in ten
    is solved after the other, each from the last; from these all frames are solved in one batch.
    A coordinate that no marker sees keeps the value it starts with.
    """
    weights = None if weights is None else as_mapping("weights", weights)
    names = _used(model, table, weights)
    start = (
        np.asarray(neutral(model))
        if q0 is None
        else as_array("q0", q0, where_of(model), finite=True)
    )
    if start.shape != (model.nq,):
        raise ShapeError(f"expected q0 of shape ({model.nq},), got {start.shape}")
    every = [
        1.0 if weights is None else as_number(f"the weight of {name}", weights[name], least=0.0)
        for name in names
    ]
    seen = np.stack([table.position(name) for name in names], axis=1)

    rows, scale = np.sqrt(every), float(np.sqrt(np.max(every))) or 1.0

    def solved(frames: slice | int, near: np.ndarray, damping: float = NEAR) -> IKResult:
        return inverse_kinematics(
            model, _targets(model, names, seen[frames], rows), near, limits=limits, restarts=0,
            method="damped", damping=damping * scale, tolerance=0.0,
            step_tolerance=step_tolerance, max_iterations=max_iterations,
        )  # fmt: skip

    starts = np.empty((len(seen), model.nq))
    start = solved(0, start, FAR).q
    for k in range(0, len(seen), STRIDE):
        start = starts[k : k + STRIDE] = solved(k, start).q
    found = solved(slice(None), starts)
    at = [point_position(model, found.q, name, ORIGIN) for name in names]
    distances = np.linalg.norm(np.stack(at, axis=1) - seen, axis=-1)
    return MarkerFit(table.times, found.q, names, distances, np.asarray(found.iterations))


def _used(model: Model, table: MarkerTable, weights: Mapping[str, float] | None) -> tuple[str, ...]:
    """The markers that count."""
    known = {body.name for body in (*require_model(model).bodies, *model.fixed_bodies)}
    known |= {name.rpartition("/")[2] for name in known}  # of a scene's model
    if not isinstance(table, MarkerTable):
        raise ModelError(f"expected a MarkerTable as table, got {type(table).__name__}")
    for name in weights or ():
        if name not in known and name not in table.names:
            raise ModelError(f"no marker '{name}' in model or table{suggestion(name, table.names)}")
    names = tuple(name for name in table.names
                  if name in known and (weights is None or name in weights))  # fmt: skip
    if not names:
        raise ModelError(
            f"no marker of the table is a body of model '{model.name}'"
            f"{suggestion(table.names[0], known) if table.names else ''}"
        )
    return names


def _targets(
    model: Model, names: tuple[str, ...], seen: np.ndarray, weights: np.ndarray
) -> Targets:
    """Points at places; those of markers that were not seen count nothing."""
    is_seen = np.all(np.isfinite(seen), axis=-1, keepdims=True)
    targets = Targets(model)
    for k, (name, weight) in enumerate(zip(names, weights, strict=True)):
        here = is_seen[..., k, :]
        place = np.where(here, seen[..., k, :], 0.0)
        targets = targets.point(name, ORIGIN, place, np.where(here[..., 0], weight, 0.0))
    return targets
