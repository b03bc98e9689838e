"""Inertias that no body has, and joints whose motion no mass determines."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError, ModelWarning, warn_caller
from .layout import Layout
from .records import Matrix, RigidBody

ROUNDING = 1e-6  # of the largest moment: files and tables round their inertias


def check_inertia(body: RigidBody, where: str) -> None:
    """Refuse an inertia that is negative, indefinite or not symmetric.

    Raises
    ------
    ModelError
        With the numbers.

    Warns
    -----
    ModelWarning
        If the principal moments break the triangle inequality.
    """
    I = body.inertia
    if not any(map(any, I)):
        return
    largest = max(abs(x) for row in I for x in row)
    skew = max(abs(I[i][j] - I[j][i]) for i, j in ((0, 1), (0, 2), (1, 2)))
    if skew > ROUNDING * largest:
        raise ModelError(
            f"expected a symmetric inertia, got one with entries across the diagonal that "
            f"differ by {skew:.3g} ({where})"
        )
    low, middle, high = principal_moments(I)
    if low < -ROUNDING * largest:
        raise ModelError(
            f"expected an inertia without negative principal moments, got {low:.4g}, "
            f"{middle:.4g}, {high:.4g} kg m^2 ({where})"
        )
    if low + middle < high * (1.0 - ROUNDING):
        warn_caller(
            f"{where}: no body has the principal moments {low:.4g}, {middle:.4g}, {high:.4g} "
            "kg m^2: the sum of two is at least the third",
            ModelWarning,
        )


def principal_moments(inertia: Matrix) -> tuple[float, float, float]:
    """The eigenvalues of an inertia's lower triangle, the smallest first."""
    if not any(inertia[i][j] for i, j in ((1, 0), (2, 0), (2, 1))):
        return tuple(sorted(inertia[k][k] for k in range(3)))  # type: ignore[return-value]
    low, middle, high = np.linalg.eigvalsh(np.array(inertia, float)).tolist()
    return low, middle, high


def undetermined_joints(model: Layout) -> list[str]:
    """Names of joints that move no mass at all, so that the mass matrix is singular.

    Neither the body that such a joint moves nor any body beyond it has mass or inertia. At a leaf
    it may also be a joint without inertia about, or mass along, its axis.  A joint with armature
    has that inertia at least.  Coupled joints move together with their leader.
    """
    low = model._lowered
    count = len(low.parent)
    is_leaf, is_heavy = [True] * count, [not body.is_massless for body in low.body]
    for i in range(count - 1, 0, -1):
        is_leaf[low.parent[i]] = False
        is_heavy[low.parent[i]] = is_heavy[low.parent[i]] or is_heavy[i]
    determined, found = set(), []
    for link in (link for link in low.link[1:] if link is not None):
        chain, leader = low.chain[link.name], low.relation(link.joint_name).leader
        light = [i for i in chain if is_leaf[i] or not is_heavy[i]]
        if any(_is_singular(model, i) for i in light):
            found.append(leader)
        else:
            determined.add(leader)
    return [name for name in dict.fromkeys(found) if name not in determined]


def _is_singular(model: Layout, i: int) -> bool:
    """Whether the inertia of a body against its own joint, with armature, is singular."""
    low = model._lowered
    joint, I = low.joint[i], low.body[i].spatial()
    assert joint is not None
    columns = joint.jcalc(joint.neutral()).S.columns
    D = np.array([[float(a.dot(I @ b)) for b in columns] for a in columns])
    D += np.diag(low.dynamics[i].armature)
    scale = max(low.body[i].mass, float(np.abs(np.array(low.body[i].inertia)).max()))
    return bool(np.linalg.eigvalsh(D)[0] <= 1e-14 * min(scale, np.abs(D).max(initial=0.0)))


def told_undetermined(model: Layout) -> str:
    """What is missing where accelerations are not determined, and what helps; "" elsewhere."""
    found = undetermined_joints(model)
    if not found:
        return ""
    body = {link.joint_name: link.name for link in model._lowered.link[1:] if link is not None}
    names = ", ".join(f"joint '{each}' of body '{body[each]}'" for each in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return (
        f"no mass or inertia resists {names}{more}: accelerations are not determined, forward "
        "dynamics gives inf or NaN; give the body an inertia and a mass, or the joint an armature"
    )


def warn_undetermined(model: Layout, name: str) -> None:
    """Warn of joints whose accelerations are not determined."""
    told = told_undetermined(model)
    if told:
        warn_caller(f"{told} (model '{name}')", ModelWarning)
