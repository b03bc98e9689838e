"""What a run of a scene leaves behind: a recording, with contacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np

from ..api import body_poses, energy
from ..model import Model
from ..once import cached_property
from .recording import Recording
from .scene import Scene


@dataclass(frozen=True)
class Contact:
    """One contact of a recording.

    ``force`` is that on ``a``, in world axes [N], the mean over the last part of the step; the
    ``normal`` points from b to a; ``gap`` is negative where they overlap.
    """

    a: str
    b: str
    point: np.ndarray
    normal: np.ndarray
    force: np.ndarray
    gap: float


@dataclass(frozen=True)
class SceneAudit:
    """How well a run kept the laws.

    Attributes
    ----------
    energy_rise : float
        Largest rise of kinetic plus potential energy above any earlier record [J]; what does
        not drive the scene cannot raise it.
    energy_drift : float
        Largest change of it in either direction [J].
    energy_scale : float
        Largest kinetic energy or change of potential energy [J].
    penetration : float
        Deepest overlap after any step [m].
    loop_error : float
        Largest error of loops and gears after any step [m or 1].
    residual : float
        Worst residual of the contact laws, relative to the speeds there.
    unconverged, yielded, solves : int
        Contact problems that were not solved to tolerance; that had a solution to it only with
        constraints that yield by 1e-9 of their own motion; and how many there were.
    gave_way : float
        The greatest velocity by which constraints of these yielded [m/s or rad/s].
    capped_steps : int
        Parts of steps that were not cut further where things rebound.
    """

    energy_rise: float
    energy_drift: float
    energy_scale: float
    penetration: float
    loop_error: float
    residual: float
    unconverged: int
    yielded: int
    gave_way: float
    solves: int
    capped_steps: int

    def __str__(self) -> str:
        return "\n".join(
            (
                f"energy drift      {self.energy_drift:10.3g} J (of {self.energy_scale:.3g} J)",
                f"energy rise       {self.energy_rise:10.3g} J",
                f"penetration       {self.penetration:10.3g} m",
                f"loop error        {self.loop_error:10.3g}",
                f"contact residual  {self.residual:10.3g}",
                f"not converged     {self.unconverged:10d} of {self.solves} contact problems",
                f"gave way          {self.yielded:10d} of them, by {self.gave_way:.3g} m/s",
            )
        )


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
            Number of the record.

        Returns
        -------
        contacts : list of Contact
            All of that record.
        """
        k = range(len(self.times))[record]
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
        """
        return self._parts[machine]

    @cached_property
    def _parts(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        if self.scene is None:
            raise ValueError("expected a recording with its scene; this one was read from a file")
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
        total = self.kinetic + self.potential
        lift = np.abs(self.potential - self.potential[0])
        least = np.minimum.accumulate(total)
        report = self.report
        return SceneAudit(
            energy_rise=float((total - least).max(initial=0.0)),
            energy_drift=float(np.abs(total - total[0]).max(initial=0.0)),
            energy_scale=float(max(self.kinetic.max(initial=0.0), lift.max(initial=0.0))),
            penetration=float(report.get("penetration", 0.0)),
            loop_error=float(report.get("loop_error", 0.0)),
            residual=float(report.get("residual", 0.0)),
            unconverged=int(report.get("unconverged", 0)),
            yielded=int(report.get("yielded", 0)),
            gave_way=float(report.get("gave_way", 0.0)),
            solves=int(report.get("solves", 0)),
            capped_steps=int(report.get("capped_steps", 0)),
        )

    @classmethod
    def load(cls, path: str | Path) -> SceneRecording:
        """Read a recording that `save` or a run wrote, whole or cut short.

        Parameters
        ----------
        path : path_like
            The file.
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
