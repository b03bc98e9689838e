"""Dynamics of a model whose joints all follow a few variables, ``q = gamma(y)``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..algorithms.constrained.explicit import explicit_dynamics as algorithm
from ..arguments import check_callable
from ..arrays import ArrayLike, as_array, batch_of, check_out, written
from ..binding.calls import checked
from ..binding.model_argument import require_model, where_of
from ..binding.roles import shapes_of
from ..binding.tracing import as_argument, as_output
from ..errors import ShapeError, TraceError, shown
from ..model import Model
from ..once import kept

if TYPE_CHECKING:
    from ..compiler import Program


class ExplicitState(NamedTuple):
    """What a constraint function returns.

    Attributes
    ----------
    q, qd : sequence, length nq and nv
        Position and velocity brought onto the constraint.
    G : nv rows
        How all joint velocities follow the independent ones, ``qd = G yd``.
    g : sequence, length nv
        What remains of the accelerations, ``qdd = G ydd + g``: ``Gdot yd``, and terms that
        draw the given state to the constraint.
    """

    q: Any
    qd: Any
    G: Any
    g: Any


Constraint = Callable[[Any, Any], Any]


def stabilised(
    constrained: Sequence[Any], given: Sequence[Any], T: float, velocity_term: Sequence[Any]
) -> list[Any]:
    """``g`` of a constraint function: its own term, and a pull to the constraint.

    Parameters
    ----------
    constrained : pair
        ``q`` and ``qd`` on the constraint.
    given : pair
        ``q`` and ``qd`` as they came.
    T : float
        Time constant [s] in which errors fade.
    velocity_term : sequence
        ``Gdot yd``.

    Returns
    -------
    g : list
    """
    (q, qd), (q0, qd0) = constrained, given
    rows = zip(velocity_term, q, qd, q0, qd0, strict=True)
    return [h + (v - v0) * (2.0 / T) + (x - x0) * (1.0 / T**2) for h, x, v, x0, v0 in rows]


def explicit_state(model: Model, gamma: Constraint, q: ArrayLike, qd: ArrayLike) -> ExplicitState:
    """Return the state on the constraint that is nearest by ``gamma``'s own rule.

    Parameters
    ----------
    model : Model
    gamma : callable
        ``gamma(q, qd) -> (q, qd, G, g)``, see `ExplicitState`.
    q : array_like, shape (nq,)
    qd : array_like, shape (nv,)

    Returns
    -------
    state : ExplicitState
        As arrays.

    Raises
    ------
    ShapeError
        If the arguments or what ``gamma`` returns do not fit the model.
    """
    where = where_of(require_model(model))
    check_callable("gamma", gamma, where)
    q = as_array("q", q, where, shape=(model.nq,))
    qd = as_array("qd", qd, where, shape=(model.nv,))
    return _checked(model, gamma(q.tolist(), qd.tolist()))


def explicit_dynamics(
    model: Model,
    gamma: Constraint,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the joint accelerations under an explicit constraint.

    Parameters
    ----------
    model : Model
    gamma : callable
        ``gamma(q, qd) -> (q, qd, G, g)``, see `ExplicitState`.  Written with Python's arithmetic
        and `polhode.scalar` it becomes part of the program, and batches run at full speed.  Any
        other function is called with lists of floats, state by state.
    q : array_like, shape (..., nq)
        Positions; they need only be close to the constraint.
    qd, tau : array_like, shape (..., nv)
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External forces in base coordinates, moment about the base origin first.
    out : ndarray, shape (..., nv), optional

    Returns
    -------
    qdd : ndarray, shape (..., nv)

    Raises
    ------
    ShapeError
        If an argument or what ``gamma`` returns does not fit the model.

    Notes
    -----
    ``qdd = G (G^T H G)^-1 G^T (tau - C - H g) + g`` at the corrected state. RBDA eq. 3.20.
    """
    where = where_of(require_model(model))
    check_callable("gamma", gamma, where)
    loaded = f_ext is not None
    shapes = _shapes(model, loaded)
    given = (q, qd, tau, f_ext) if loaded else (q, qd, tau)
    arrays = [x.astype(float, copy=False) for x in checked(shapes, given, model)]
    if out is not None:
        check_out(out, [(*batch_of(shapes, arrays), model.nv)], where)
    key = (explicit_dynamics, gamma, loaded)
    program = kept(model.programs, key, lambda: _traced(model, gamma, loaded))
    if program is not None:
        return program._run(arrays, out, where)
    return _state_by_state(model, gamma, arrays, out)


def _shapes(model: Model, loaded: bool) -> dict[str, tuple[int, ...]]:
    return shapes_of(model, ("q", "qd", "tau", "f_ext") if loaded else ("q", "qd", "tau"))


def _traced(model: Model, gamma: Constraint, loaded: bool) -> Any:
    """The program with ``gamma`` inside, or None if it is not traceable."""
    from ..compiler import Program

    def build(q, qd, tau, f_ext=None):
        state = ExplicitState(*gamma(list(q), list(qd)))
        widths = {len(row) for row in state.G}
        _check_shapes(
            model,
            (len(state.q),), (len(state.qd),), (len(state.G), *widths), (len(state.g),),
        )  # fmt: skip
        return _solved(model, state, tau, f_ext)

    program = Program(build, _shapes(model, loaded), name="explicit_dynamics")
    try:
        _ = program.graph
    except (TraceError, TypeError, AttributeError):
        return None  # what a plain function says to traced values; NumPy raises TypeErrors
    return program


def _state_by_state(model: Model, gamma: Constraint, arrays: list, out: Any) -> np.ndarray:
    shapes = _shapes(model, len(arrays) == 4)
    batch = batch_of(shapes, arrays)
    pairs = zip(arrays, shapes.values(), strict=True)
    arrays = [np.broadcast_to(x, batch + s) for x, s in pairs]
    result = np.empty((*batch, model.nv))
    for index in np.ndindex(batch):
        q, qd, *others = (x[index] for x in arrays)
        state = _checked(model, gamma(q.tolist(), qd.tolist()))
        program = _given(model, state.G.shape[1], len(arrays) == 4)
        result[index] = program(*state, *others)
    return written(result, out, where_of(model))


def _given(model: Model, n_independent: int, loaded: bool) -> Any:
    """The program that takes ``G`` and ``g`` as inputs."""
    from ..compiler import Program

    key = (_given, n_independent, loaded)

    def make() -> Program:
        own = {"G": (model.nv, n_independent), "g": (model.nv,)}
        forces = ("tau", "f_ext") if loaded else ("tau",)
        shapes = shapes_of(model, ("q", "qd")) | own | shapes_of(model, forces)

        def build(q, qd, G, g, tau, f_ext=None):
            return _solved(model, ExplicitState(q, qd, G, g), tau, f_ext)

        return Program(build, shapes, name="explicit_dynamics")

    return kept(model.programs, key, make)


def _solved(model: Model, state: ExplicitState, tau: Any, f_ext: Any) -> Any:
    q, qd = as_argument("q", list(state.q), model), as_argument("qd", list(state.qd), model)
    forces = None if f_ext is None else as_argument("f_ext", f_ext, model)
    G = [list(row) for row in state.G]
    tau = as_argument("tau", tau, model)
    return as_output(algorithm(model, q, qd, tau, G, list(state.g), forces), model)


def _checked(model: Model, value: Any) -> ExplicitState:
    if not isinstance(value, (tuple, list)) or len(value) != len(ExplicitState._fields):
        raise ShapeError(f"expected (q, qd, G, g) from gamma, got {shown(value)}{where_of(model)}")
    pairs = zip(ExplicitState._fields, value, strict=True)
    state = ExplicitState(
        *(as_array(f"{name} from gamma", x, where_of(model)) for name, x in pairs)
    )
    _check_shapes(model, *(array.shape for array in state))
    return state


def _check_shapes(model: Model, *shapes: tuple[int, ...]) -> None:
    """Refuse what does not fit the model, of shapes of what ``gamma`` returned."""
    n = shapes[2][1] if len(shapes[2]) == 2 else 0
    expected = ((model.nq,), (model.nv,), (model.nv, n), (model.nv,))
    for name, shape, wanted in zip(ExplicitState._fields, shapes, expected, strict=True):
        if shape != wanted:
            raise ShapeError(f"expected {name} of shape {wanted} from gamma, got {shape} "
                             f"(model '{model.name}')")  # fmt: skip
    if n > model.nv:
        raise ShapeError(
            f"expected at most nv = {model.nv} columns in G from gamma, got {n} "
            f"(model '{model.name}')"
        )
