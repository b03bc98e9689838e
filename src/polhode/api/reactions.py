"""Reactions: the whole force and moment that each joint carries."""

from __future__ import annotations

import numpy as np

from .. import algorithms
from ..arrays import ArrayLike
from ..binding.calls import evaluate
from ..binding.constraints_arguments import require_set
from ..constraint_sets import ConstraintSet
from ..errors import ArgumentError, ModelError
from ..model import Model


def joint_reactions(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    f_ext: ArrayLike | None = None,
    *,
    constraints: ConstraintSet | None = None,
    force: ArrayLike | None = None,
    out: np.ndarray | None = None,
) -> np.ndarray:
    """Return the force and the moment that each joint exerts on its body.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
        Joint positions [rad or m].
    qd, qdd : array_like, shape (..., nv)
        Joint velocities and accelerations.
    f_ext : array_like, shape (..., n_bodies, 6), optional
        External force on each moving body, in base coordinates, moment about the base
        origin first [N m, N].
    constraints : ConstraintSet, optional
        Contacts and loops that act on the bodies, too.
    force : array_like, shape (..., n_rows), optional
        The forces of their rows, from `constrained_dynamics`.
    out : ndarray, shape (..., n_bodies, 6), optional

    Returns
    -------
    reactions : ndarray, shape (..., n_bodies, 6)
        Entry ``i - 1`` is that of body ``i``'s joint, in the axes of the body's frame: moment about
        its origin [N m], then force [N].  The body exerts the opposite on the body before it.

    Raises
    ------
    ModelError
        If the constraints are of another model, or have custom rows.
    ArgumentError
        If ``constraints`` or ``force`` is given without the other.
    ShapeError
        If the last axes of an argument do not fit.

    Notes
    -----
    ``f[i] = I a + v x* I v - f_ext + sum f[child]``, with the actuation: along a joint's own axes
    it is the joint force less that of its armature, ``S^T f = tau - armature qdd``.  Forces of
    tendons are not told apart from those of the joints that they move.  O(n).
    RBDA Table 5.1, p. 96.

    Examples
    --------
    >>> import polhode as ph
    >>> from polhode.model import Revolute
    >>> arm = ph.Model("arm").add("link", joint=Revolute.y(), mass=2.0, com=(0.5, 0, 0))
    >>> ph.constraints.joint_reactions(arm, [0.0], [0.0], [0.0])[0].tolist()
    [0.0, -9.81, 0.0, 0.0, 0.0, 19.62]
    """
    if constraints is None and force is None:
        arguments = (q, qd, qdd) if f_ext is None else (q, qd, qdd, f_ext)
        return evaluate(algorithms.joint_reactions, model, arguments, out)
    if constraints is None or force is None:
        raise ArgumentError(
            "expected both constraints and the force of their rows, got one without the other "
            "(polhode.constrained_dynamics returns the force)"
        )
    custom = [
        group.name for group in require_set(model, constraints).groups if group.kind == "custom"
    ]
    if custom:
        raise ModelError(
            f"expected contacts and loops as constraints, got custom rows '{custom[0]}': which "
            f"bodies they push is not known (model '{model.name}')"
        )
    arguments = (q, qd, qdd, force) if f_ext is None else (q, qd, qdd, force, f_ext)
    return evaluate(algorithms.constrained_joint_reactions, constraints, arguments, out)
