"""Contacts of a recording, and the forces on bodies that they add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import as_count
from ..errors import ArgumentError, ModelError, ModelWarning, warn_caller
from ..model.checks import known
from .impulses import records_of, require_impulses

if TYPE_CHECKING:
    from .recording import Recording

_MOST_CHOICES = 3  # names in an error


@dataclass(frozen=True)
class RecordedContact:
    """One contact of a recording.

    Attributes
    ----------
    a, b : str
        The geometries.
    point, normal : ndarray, shape (3,)
        Where they touch [m], and the direction from b to a, in world axes.
    force : ndarray, shape (3,)
        On ``a``, in world axes [N]: the mean over the last part of the step.
    torque : ndarray, shape (3,)
        Of torsional and rolling friction on ``a``, in world axes [N m]: the same mean.  What the
        force does about other points than its own is not in it.
    gap : float
        Negative where they overlap [m].
    """

    a: str
    b: str
    point: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    gap: float


def contacts_of(recording: Recording, record: int) -> list[RecordedContact]:
    """The contacts of a record."""
    count = len(recording.times)
    k = as_count("record", record, least=-count, most=count - 1) % count
    names, pair = recording.geometry_names, recording.contact_pair
    return [
        RecordedContact(
            names[pair[i, 0]],
            names[pair[i, 1]],
            recording.contact_point[i],
            recording.contact_normal[i],
            recording.contact_force[i],
            recording.contact_torque[i],
            float(recording.contact_gap[i]),
        )
        for i in range(int(recording.contact_start[k]), int(recording.contact_start[k + 1]))
    ]


def contact_forces(recording: Recording, body: str | tuple[str, str]) -> np.ndarray:
    """Total force of its contacts on a body at each record."""
    is_its_own = _geometries_of(recording, body, "forces")
    first, last = recording.contact_start[0], recording.contact_start[-1]
    a, b = recording.contact_pair[first:last].T
    record = np.repeat(np.arange(len(recording.times)), np.diff(recording.contact_start))
    force = np.zeros((len(recording.times), 3))
    for geometry, sign in ((a, 1.0), (b, -1.0)):
        rows = np.flatnonzero(is_its_own[geometry])
        np.add.at(force, record[rows], sign * recording.contact_force[first:last][rows])
    return force


def contact_impulses(recording: Recording, body: str | tuple[str, str]) -> np.ndarray:
    """Total impulse of contacts on a body since the record before."""
    is_its_own = _geometries_of(recording, body, "impulses")
    require_impulses(recording)
    first, last = recording.impulse_start[0], recording.impulse_start[-1]
    rows = np.flatnonzero(is_its_own[recording.impulse_geometry[first:last]])
    impulse = np.zeros((len(recording.times), 3))
    np.add.at(impulse, records_of(recording)[rows], recording.impulse[first:last][rows])
    return impulse


def _geometries_of(recording: Recording, body: str | tuple[str, str], what: str) -> np.ndarray:
    """Which geometries a body has: a mask."""
    if len(recording.geometry_bodies) != len(recording.geometry_names):
        raise ArgumentError(
            "expected a recording that knows the bodies of its geometries; this one is from a "
            "file of an earlier version"
        )
    one = _body(recording, body)
    is_its_own = np.array([each == one for each in recording.geometry_bodies], bool)
    if not is_its_own.any():
        warn_caller(
            f"body '{'/'.join(one)}' has no collision shapes, so no contact {what}: give them to "
            f"Scene.add_machine as geometries (recording of '{recording.model.name}')",
            ModelWarning,
        )
    return is_its_own


def _body(recording: Recording, body: Any) -> tuple[str, str]:
    """The ``(machine, link)`` that a name means."""
    bodies = _bodies(recording)
    is_pair = isinstance(body, (tuple, list)) and all(isinstance(name, str) for name in body)
    name = "/".join(body) if is_pair else body
    where = f"recording of '{recording.model.name}'"
    if isinstance(name, str) and name not in bodies:
        links = [full for full, (_, link) in bodies.items() if link == name]
        if len(links) > 1:
            choice = " or ".join(f"'{full}'" for full in links[:_MOST_CHOICES])
            raise ModelError(f"several models have a body '{name}'; say {choice} ({where})")
        if links:
            return bodies[links[0]]
    every = [*bodies, *(link for _, link in bodies.values())]
    return bodies[known(name, every, "body", where)]


def _bodies(recording: Recording) -> dict[str, tuple[str, str]]:
    """``(machine, link)`` of all bodies, by ``machine/link``; a model alone counts as one."""
    found = {"/".join(body): body for body in recording.geometry_bodies}
    for link in recording.model.links:
        machine, slash, name = link.name.partition("/")
        body = (machine, name) if slash else (recording.model.name, link.name)
        found.setdefault("/".join(body), body)
    return found
