"""The front door of roll-outs: many independent worlds, many steps, one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..algorithms.ground_contact import Ground
from ..api.rollout import Rollout, roll_model
from ..arrays import ArrayLike, as_array
from ..model import Model
from ..model.inertias import warn_undetermined
from .scene import Scene
from .start import unit, warn_of_positions
from .unapplied import warn_of_model


def rollout(
    model: Model | Scene | Sequence[Scene],
    ground: Ground | None = None,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    *,
    steps: int,
    dt: float | None = None,
    u: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    controls: ArrayLike | None = None,
    method: str | None = None,
    record_every: int | None = None,
) -> Rollout:
    """Return the motion of many independent worlds, on all processors.

    Parameters
    ----------
    model : Model, Scene or sequence of Scene
        A model moves freely or on compliant ground; a scene with contact.  A sequence gives
        each world a scene of its own, with the same numbers of coordinates.
    ground : Ground, optional
        Of a model: what the ground is like and which points touch it; see
        `polhode.contact.compliant_ground`.
    q, qd : array_like, shape (..., nq) and (..., nv)
        Where and how fast the worlds start; leading axes are worlds.  Neutral and at rest, or
        as the scene says, if omitted; of a scene in the order of `Scene.q0`.
    steps : int
    dt : float, optional
        Time step [s]; the scene's, or 1 ms.
    u : array_like, shape (..., n_points, 2), optional
        Yielding of the ground at the start; zero if omitted.
    tau : array_like, shape (..., nv), optional
        Joint forces, the same in every step; zero if omitted.
    controls : array_like, shape (..., steps, nv), optional
        Joint forces of each step.
    method : str, optional
        Of models ``"rk4"`` (the default), or ``"semi_implicit"``: one evaluation a step,
        velocities before positions.  Of scenes the contact solver: ``"exact"`` (the default),
        ``"convex"`` or ``"lcp"``.
    record_every : int, optional
        Steps between records; only start and end if omitted.

    Returns
    -------
    motion : Rollout

    Raises
    ------
    ShapeError
        If an argument does not fit the model, the scene or the ground.
    ArgumentError
        For an unknown method, and for what is no number of steps or no ground.

    Notes
    -----
    Of a model, dynamics, contact and integrator are one program; worlds run in SIMD, and
    blocks of them in threads.  Of scenes, worlds run one by one in threads.  A world's motion
    is the same bit for bit in any batch and with any number of threads.

    Examples
    --------
    >>> import numpy as np
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> bar = ph.Model("bar").add("bar", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5))
    >>> ends = ph.rollout(bar, q=np.linspace(-1, 1, 500)[:, None], steps=200, dt=1e-3)
    >>> ends.q.shape
    (2, 500, 1)
    """
    if isinstance(model, Model):
        start = _from_rest(model, q, qd)
        return roll_model(
            model, ground, *start, steps=steps, dt=1e-3 if dt is None else dt,
            u=u, tau=tau, controls=controls, method="rk4" if method is None else method,
            record_every=record_every,
        )  # fmt: skip
    if ground is not None or u is not None:
        raise TypeError("unexpected ground or u: of models only, got a scene, which has contact")
    # What simulates contact takes a while to import.
    from .worlds import roll_scenes

    return roll_scenes(
        model, q, qd, steps=steps, dt=dt, tau=tau, controls=controls,
        method="exact" if method is None else method, record_every=record_every,
    )  # fmt: skip


def _from_rest(model: Model, q: Any, qd: Any) -> tuple[Any, Any]:
    """Where a model starts, with unit quaternions; neutral and at rest if not given."""
    from ..api.manifold import neutral

    warn_of_model(model, "rollout")
    warn_undetermined(model, model.name)
    if q is not None:
        q = as_array("q", q, f" (model '{model.name}')")
        if q.shape[-1:] == (model.nq,):  # else the roll-out says what is wrong
            q = unit(model, q, "q")
            warn_of_positions(model, q)
    return neutral(model) if q is None else q, [0.0] * model.nv if qd is None else qd
