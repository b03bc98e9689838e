"""What a run of a scene leaves behind: a recording, with contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np

from ..api.energetics import energy
from ..api.kinematics import body_poses
from ..arguments import as_count
from ..errors import ArgumentError
from ..model import Model
from ..model.checks import known
from ..once import cached_property
from .recording import Recording
from .scene import Scene
from .scene_audit import SceneAudit, audit_of


@dataclass(frozen=True)
class Contact:
    """One contact of a recording.

    Attributes
    ----------
    a, b : str
        The geometries.
    point : ndarray, shape (3,)
        World coordinates [m].
    normal : ndarray, shape (3,)
        From b to a, in world axes.
    force : ndarray, shape (3,)
        On ``a``, in world axes [N], the mean over the last part of the step.
    gap : float
        Negative where they overlap [m].
    """

    a: str
    b: str
    point: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    gap: float


@dataclass(frozen=True, eq=False, repr=False)
class SceneRecording(Recording):
    """A `Recording` of all machines of a scene as one model, with the contacts.

    Attributes
    ----------
    model, times, q, qd, tau, work : Model, ndarray
        As of `Recording`, for the model of the whole scene.
    method, dt, seed, is_controlled, is_loaded, stopped
        As of `Recording`.
    scene : Scene or None
        None if it was read from a file.
    geometry_names : tuple of str
    contact_start : ndarray, shape (T+1,)
        Contacts of record ``k`` are rows ``contact_start[k]`` to ``contact_start[k+1]`` of
    contact_pair, contact_point, contact_normal, contact_force, contact_gap : ndarray
        indices of geometries (from b to a: a first), points, normals, forces on a, gaps.
    report : mapping
        Counts and worst values of the run.
    """

    scene: Scene | None = None
    geometry_names: tuple[str, ...] = ()
    contact_start: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))
    contact_pair: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    contact_point: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    contact_normal: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    contact_force: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    contact_gap: np.ndarray = field(default_factory=lambda: np.zeros(0))
    report: Mapping[str, float] = field(default_factory=dict)

    def contacts(self, record: int) -> list[Contact]:
        """The contacts of a record.

        Parameters
        ----------
        record : int
            Number of the record; negative from the end.

        Returns
        -------
        contacts : list of Contact
            All of that record.
        """
        count = len(self.times)
        k = as_count("record", record, least=-count, most=count - 1) % count
        rows = range(int(self.contact_start[k]), int(self.contact_start[k + 1]))
        names = self.geometry_names
        return [
            Contact(
                names[self.contact_pair[i, 0]],
                names[self.contact_pair[i, 1]],
                self.contact_point[i],
                self.contact_normal[i],
                self.contact_force[i],
                float(self.contact_gap[i]),
            )
            for i in rows
        ]

    def of(self, machine: str) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of a machine over time, in its model's coordinates.

        Parameters
        ----------
        machine : str
            Name of the machine.

        Returns
        -------
        q, qd : ndarray, shape (T, n)
            Motion of the machine.

        Raises
        ------
        ModelError
            If there is none of that name.
        ArgumentError
            If the recording was read from a file, which holds no scene.
        """
        where = f"recording of scene '{self.model.name}'"
        return self._parts[known(machine, self._parts, "machine", where)]

    @cached_property
    def _parts(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        if self.scene is None:
            raise ArgumentError(
                "expected a recording with its scene; this one was read from a file"
            )
        parts, at, tail = {}, 0, self.model.nv
        for machine in self.scene.machines:
            nv, more = machine.model.nv, machine.model.nq - machine.model.nv
            ends = (self.q[:, at : at + nv], self.q[:, tail : tail + more])
            parts[machine.name] = (np.concatenate(ends, -1), self.qd[:, at : at + nv])
            at, tail = at + nv, tail + more
        return parts

    @cached_property
    def poses(self) -> np.ndarray:  # type: ignore[override]
        """Poses of all bodies, shape (T, n_bodies, 4, 4)."""
        if self.scene is None:
            return body_poses(self.model, self.q)
        blocks = [np.zeros((len(self.times), 0, 4, 4))]
        for machine in self.scene.machines:
            if machine.model.n_bodies:
                blocks.append(body_poses(_shared(machine.model), self._parts[machine.name][0]))
        return np.concatenate(blocks, axis=1)

    @cached_property
    def _energies(self) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[override]
        if self.scene is None:
            kinetic, potential = energy(self.model, self.q, self.qd)
            return np.asarray(kinetic), np.asarray(potential)
        kinetic, potential = np.zeros(len(self.times)), np.zeros(len(self.times))
        moving = [machine for machine in self.scene.machines if machine.model.nv]
        models = [
            _shared(replace(machine.model, gravity=self.scene.gravity))  # type: ignore[arg-type]
            for machine in moving
        ]
        for machine, model in zip(moving, models, strict=True):
            k, p = energy(model, *self._parts[machine.name])
            kinetic, potential = kinetic + k, potential + p
        return kinetic, potential

    @cached_property
    def audit(self) -> SceneAudit:  # type: ignore[override]
        """How well the run kept the laws."""
        return audit_of(self)

    @classmethod
    def load(cls, path: str | Path) -> SceneRecording:
        """Read a recording that `save` or a run wrote, whole or cut short.

        Parameters
        ----------
        path : path_like
            The file.

        Raises
        ------
        ParseError
            If the file is not a recording of a scene.
        ArgumentError
            If ``path`` is no path.
        """
        from .scene_files import load

        return load(path)

    def __repr__(self) -> str:
        stopped = f", stopped={self.stopped!r}" if self.stopped else ""
        return (
            f"SceneRecording('{self.model.name}', {len(self.times)} records over "
            f"{self.duration:g} s, {len(self.contact_gap)} contacts, method='{self.method}'"
            f"{stopped})"
        )


_CONTACT_FIELDS = ("contact_start", "contact_pair", "contact_point", "contact_normal",
                   "contact_force", "contact_gap")  # fmt: skip
ARRAYS = ("times", "q", "qd", *_CONTACT_FIELDS)
_models: WeakValueDictionary[str, Model] = WeakValueDictionary()


def _shared(model: Model) -> Model:
    """One model for all that are alike, so that they share their programs."""
    return _models.setdefault(model.fingerprint, model)
