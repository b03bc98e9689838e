"""Contact of points with compliant ground: where they are, and what the ground does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms import ground_contact
from ..algorithms.ground_contact import Ground, PointContact
from ..algorithms.tree.floating_base import floating_state
from ..arguments import as_items, as_number
from ..arrays import ArrayLike, as_array, batch_of
from ..binding.calls import evaluate
from ..binding.model_argument import require_model, where_of
from ..errors import ArgumentError, ModelError, ShapeError, shown
from ..model import Model, PerBody
from ..scalar import Scalar
from ..spatial import Vec3

Points = Any


def ground_contact_force(
    stiffness: ArrayLike,
    damping: ArrayLike,
    friction: ArrayLike,
    position: ArrayLike,
    velocity: ArrayLike,
    yielded: ArrayLike,
) -> PointContact:
    """Return the force of compliant ground on points, with friction.

    Parameters
    ----------
    stiffness, damping, friction : array_like, shape (...)
        Of the ground; positive.
    position, velocity : array_like, shape (..., d)
        Of the points, ``d`` being 2 or 3; the ground is where the last coordinate is zero.
    yielded : array_like, shape (..., d - 1)
        How far the ground has yielded along itself under each point: a state.

    Returns
    -------
    contact : PointContact
        ``force`` (..., d), ``u_rate`` (..., d - 1), and ``cone`` (...). ``u_rate`` is the
        derivative of ``yielded``. ``cone`` is the friction needed to stick, divided by that
        available: at most 1 while sticking, and more while sliding. It is 2 without contact, and
        never more.

    Raises
    ------
    ShapeError
        If the last axes do not agree.

    Notes
    -----
    Normal force ``sqrt(depth) (K depth + D rate)``, never a pull. A point is in contact if
    this is positive, not if it is below ground.
    """
    given = {"stiffness": stiffness, "damping": damping, "friction": friction}
    given |= {"position": position, "velocity": velocity, "yielded": yielded}
    K, D, mu, p, pd, u = (as_array(name, value) for name, value in given.items())
    d = p.shape[-1] if p.ndim else 0
    if d not in (2, 3) or pd.shape[-1:] != (d,) or u.shape[-1:] != (d - 1,):
        raise ShapeError(
            "expected 2 or 3 coordinates of position, as many of velocity and one less of "
            f"yielded on the last axes, got shapes {p.shape}, {pd.shape} and {u.shape}"
        )
    scalars = [np.moveaxis(x, -1, 0) for x in (p, pd, u)]
    cores = {"stiffness": (), "damping": (), "friction": ()}
    cores |= {"position": (d,), "velocity": (d,), "yielded": (d - 1,)}
    batch = batch_of(cores, [K, D, mu, p, pd, u])
    with np.errstate(all="ignore"):  # NaN stays in its own point
        contact = ground_contact.contact_law(K, D, mu, *map(tuple, scalars))
    force, rate = (_stacked(x, batch) for x in (contact.force, contact.u_rate))
    return PointContact(force, rate, np.broadcast_to(contact.cone, batch))  # type: ignore[arg-type]


def ground_contact_push(
    stiffness: ArrayLike, damping: ArrayLike, height: ArrayLike, rise: ArrayLike
) -> np.ndarray:
    """Return the normal force of compliant ground without friction.

    Parameters
    ----------
    stiffness, damping : array_like
    height, rise : array_like
        Of the points over the ground, and its derivative.

    Returns
    -------
    force : ndarray
    """
    given = {"stiffness": stiffness, "damping": damping, "height": height, "rise": rise}
    arrays = [as_array(name, value) for name, value in given.items()]
    batch_of(dict.fromkeys(given, ()), arrays)
    return np.asarray(ground_contact.normal_force(*arrays))


def point_motions(
    model: Model, q: ArrayLike, qd: ArrayLike, points: Points
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and velocities of points of several bodies.

    Parameters
    ----------
    q : array_like, shape (..., nq)
    qd : array_like, shape (..., nv)
    points : sequence of pairs
        A body, by number or name, and three coordinates in it.

    Returns
    -------
    positions, velocities : ndarray, shape (..., n_points, 3)
        In base coordinates.

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    """
    points = fixed_points(model, points)
    return evaluate(ground_contact.contact_points, model, (q, qd), points=points)


def floating_point_motions(
    model: Model, x: ArrayLike, q: ArrayLike, qd: ArrayLike, points: Points
) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and velocities of points, the floating base given as ``x``.

    Parameters
    ----------
    x, q, qd
        As in `polhode.floating_base.floating_base_dynamics`.
    points : sequence of pairs
        A body, by number or name, and three coordinates in it.

    Returns
    -------
    positions, velocities : ndarray, shape (..., n_points, 3)

    Raises
    ------
    ShapeError
        If the last axes of an argument do not fit the model.
    """
    points = fixed_points(model, points)
    return evaluate(floating_points, model, (x, q, qd), points=points)


def floating_points(
    model: Model,
    x: Sequence[Scalar],
    q_joints: PerBody,
    qd_joints: PerBody,
    *,
    points: tuple[tuple[int, tuple[float, ...]], ...],
) -> tuple[list[Vec3], list[Vec3]]:
    """`contact_points` of a floating-base model."""
    q, qd = floating_state(model, x, q_joints, qd_joints)
    return ground_contact.contact_points(model, q, qd, points=points)


def fixed_points(model: Model, points: Points) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """Points as a value: body numbers and floats.

    Raises
    ------
    ModelError
        For a body that is not in the model or does not move.
    """
    end = where_of(require_model(model))
    fixed = []
    for body, where in _pairs(points, end):
        body = model.body(body)
        place = as_array("a point of points", where, end, shape=(3,), finite=True).tolist()
        if not body.moving:
            raise ModelError(
                f"expected points of a moving body, got {place} of body '{body.name}'{end}"
            )
        in_carrier = body.frame.point(Vec3.of(place))
        fixed.append((int(body.moving), tuple(map(float, in_carrier))))
    return tuple(fixed)


def _pairs(points: Any, end: str) -> list[tuple[Any, Any]]:
    """Points as a list of bodies and places."""
    what = "pairs of a body and three numbers"
    pairs = as_items("points", points, what, end)
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ArgumentError(f"expected {what} in points, got {shown(pair)}{end}")
    return pairs


def _stacked(rows: tuple, batch: tuple[int, ...]) -> np.ndarray:
    return np.stack([np.broadcast_to(row, batch) for row in rows], axis=-1)


def compliant_ground(
    stiffness: float, damping: float, friction: float, model: Model, points: Points
) -> Ground:
    """Return compliant ground and the points of ``model`` that can touch it.

    Parameters
    ----------
    stiffness, damping, friction : float
        Positive; friction may be 0.
    model : Model
    points : sequence of pairs
        A body, by number or name, and three coordinates in it.

    Returns
    -------
    ground : callable
        A force element for `polhode.rollout`.

    Raises
    ------
    ArgumentError
        For a parameter out of range.
    ModelError
        For points that are none of a moving body.
    """
    K = as_number("stiffness", stiffness, above=0.0)
    D = as_number("damping", damping, above=0.0)
    mu = as_number("friction", friction, least=0.0)
    return Ground(K, D, mu, fixed_points(model, points))  # type: ignore[arg-type]
