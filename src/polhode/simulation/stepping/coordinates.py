"""Between the coordinates of models and those of the compiled loops."""

from __future__ import annotations

import numpy as np

from .free_bodies import about_com, about_origin, force_about_com, force_about_origin, rows
from .lowering import SceneLayout


def inward(plan: SceneLayout, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From coordinates of the models that move, one after the other, to those of compiled loops.

    Both have leading axes in common; a free body's become those of its centre of mass.
    """
    position, velocity = np.array(q, float, order="C"), np.array(qd, float, order="C")
    if plan.has_free_bodies:
        about_com(plan.free_bodies, rows(position), rows(velocity))
    return position, velocity


def outward(
    plan: SceneLayout, position: np.ndarray, velocity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of `inward`."""
    q, qd = np.array(position, float, order="C"), np.array(velocity, float, order="C")
    if plan.has_free_bodies:
        about_origin(plan.free_bodies, rows(q), rows(qd))
    return q, qd


def from_model(plan: SceneLayout, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of compiled loops from those of one model of all that moves."""
    return inward(plan, q.take(plan.order_of_model), qd)


def to_model(
    plan: SceneLayout, position: np.ndarray, velocity: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of `from_model`."""
    own, qd = outward(plan, position, velocity)
    q = np.empty_like(own)
    q[plan.order_of_model] = own
    return q, qd


def outward_force(plan: SceneLayout, position: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Joint forces of the models, from forces along the loops' velocities at ``position``."""
    tau = np.array(force, float, order="C")
    if plan.has_free_bodies:
        force_about_origin(plan.free_bodies, rows(np.ascontiguousarray(position)), rows(tau))
    return tau


def inward_force(plan: SceneLayout, position: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """The inverse of `outward_force`."""
    force = np.array(tau, float, order="C")
    if plan.has_free_bodies:
        force_about_com(plan.free_bodies, rows(np.ascontiguousarray(position)), rows(force))
    return force
