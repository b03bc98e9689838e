"""What a run leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..api.actuation import actuator_forces
from ..api.energetics import energy
from ..api.kinematics import body_poses
from ..errors import suggests_attributes
from ..model import Model
from ..model.checks import known
from ..once import cached_property
from ..scene import Scene
from .audit import Audit, audit_of
from .contacts import RecordedContact, contact_forces, contact_impulses, contacts_of
from .elastic import elastic_energy
from .energy_plot import write_energy_plot
from .files import load, save
from .impulses import of_all
from .machines import machine_states, scene_energies, scene_poses, states_by_name
from .sensors import measured, sensor_values
from .table import write_table

_ZERO: Any = None  # stands for zeros as long as the records, of which there is no default


@suggests_attributes
@dataclass(frozen=True, eq=False)
class Recording:
    """Motion, forces and contacts of a run at its record times.

    Time is the first axis; the worlds of a batch come next.  A run of a scene records all of its
    models as one.

    Attributes
    ----------
    model : Model
    times : ndarray, shape (T,)
        Record times [s].
    q, qd : ndarray, shape (T, ..., nq) and (T, ..., nv)
        Positions and velocities.
    tau, tau_passive, tau_constraint : ndarray, shape (T, ..., nv)
        Forces in the joints [N m or N]: of controllers and actuators; of damping and springs;
        of limits, dry friction, loops and contacts.  Zero where None is given.
    controls, activation : ndarray, shape (T, ..., n_controls) and (T, ..., n_activations)
        Of the actuators.  Without any where None is given.
    work : ndarray, shape (T, ...)
        Work done by controller and external forces since the start [J].
    integrator, contact : str
        How time advanced, and which solver took contact: ``"none"`` where nothing could touch.
    dt, seed
        Time step [s], and what the random generator was seeded with.
    is_controlled, is_loaded : bool
        Whether there were a controller and external forces.
    stopped : str
        Why the run ended early; empty if it did not.
    notes : tuple of str
        What the run says about itself.
    scene : Scene or None
        None of a model, and where it was read from a file.
    geometry_names : tuple of str
    geometry_bodies : tuple of (str, str)
        ``(machine, link)`` of each geometry.
    contact_start : ndarray, shape (T+1,)
        Contacts of record ``k`` are rows ``contact_start[k]`` to ``contact_start[k+1]`` of
    contact_pair, contact_point, contact_normal, contact_force, contact_gap : ndarray
        indices of geometries (from b to a: a first), points, normals, forces on a, gaps.  The total
        force on a body is `contact_forces`.
    contact_torque : ndarray, shape (C, 3)
        Torques of torsional and rolling friction on a [N m].
    report : mapping
        Counts and worst values of the run.
    impulse_start : ndarray, shape (T+1,)
        Impulses of record ``k`` are rows ``impulse_start[k]`` to ``impulse_start[k+1]`` of
    impulse_geometry, impulse : ndarray, shape (K,) and (K, 3)
        indices of geometries, and what contacts gave them since the record before, rebounds
        included [N s], world axes.  Geometries that touched nothing have no row.  Those of all are
        `contact_impulse`; the total on a body is `contact_impulses`.
    impulse_is_known : ndarray of bool, shape (T,)
    """

    model: Model
    times: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray
    work: np.ndarray
    tau_passive: np.ndarray = _ZERO
    tau_constraint: np.ndarray = _ZERO
    controls: np.ndarray = _ZERO
    activation: np.ndarray = _ZERO
    integrator: str = "symplectic"
    contact: str = "none"
    dt: float = 1e-3
    seed: int | None = None
    is_controlled: bool = False
    is_loaded: bool = False
    stopped: str = ""
    notes: tuple[str, ...] = ()
    scene: Scene | None = None
    geometry_names: tuple[str, ...] = ()
    geometry_bodies: tuple[tuple[str, str], ...] = ()
    contact_start: np.ndarray = _ZERO
    contact_pair: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    contact_point: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    contact_normal: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    contact_force: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    contact_gap: np.ndarray = field(default_factory=lambda: np.zeros(0))
    contact_torque: np.ndarray = _ZERO
    report: Mapping[str, float] = field(default_factory=dict)
    impulse_start: np.ndarray = _ZERO
    impulse_geometry: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    impulse: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    impulse_is_known: np.ndarray = _ZERO

    def __post_init__(self) -> None:
        for name in ("tau_passive", "tau_constraint"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.zeros_like(self.tau))
        for name, size in (("controls", self.model.n_controls),
                           ("activation", self.model.n_activations)):  # fmt: skip
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.zeros((*self.tau.shape[:-1], size)))
        for name in ("contact_start", "impulse_start"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.zeros(len(self.times) + 1, np.int64))
        if self.contact_torque is None:
            object.__setattr__(self, "contact_torque", np.zeros_like(self.contact_force))
        if self.impulse_is_known is None:
            object.__setattr__(self, "impulse_is_known", np.ones(len(self.times), bool))

    @property
    def is_free(self) -> bool:
        """Gravity alone acted."""
        return not (self.is_controlled or self.is_loaded)

    @cached_property
    def tau_actuator(self) -> np.ndarray:
        """The part of `tau` that actuators have at the records, shape (T, ..., nv) [N m or N]."""
        if not self.model.actuators:
            return np.zeros_like(self.tau)
        return actuator_forces(self.model, self.q, self.qd, self.controls, self.activation)

    @property
    def duration(self) -> float:
        """Time from the first to the last record [s]."""
        return float(self.times[-1] - self.times[0])

    @cached_property
    def poses(self) -> np.ndarray:
        """Poses of all bodies, shape (T, ..., n_bodies, 4, 4)."""
        if self.scene is not None:
            return scene_poses(self.scene, self.q)
        return body_poses(self.model, self.q)

    @cached_property
    def _energies(self) -> tuple[np.ndarray, np.ndarray]:
        if self.scene is not None:
            return scene_energies(self.scene, self.q, self.qd)
        kinetic, potential = energy(self.model, self.q, self.qd)
        return np.asarray(kinetic), np.asarray(potential)

    @property
    def kinetic(self) -> np.ndarray:
        """Kinetic energy [J], shape (T, ...)."""
        return self._energies[0]

    @property
    def potential(self) -> np.ndarray:
        """Potential energy [J], zero at the base's height, shape (T, ...)."""
        return self._energies[1]

    @cached_property
    def elastic(self) -> np.ndarray:
        """Elastic energy of springs, in joints and tendons, too [J], shape (T, ...).

        Springs between bodies are among these if the scene is known; compliant contacts are not.
        """
        return elastic_energy(self.model if self.scene is None else self.scene, self.q)

    @cached_property
    def audit(self) -> Audit:
        """Diagnostics of the run: energy, momentum, constraints."""
        return audit_of(self)

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """A name for each entry of ``qd``, and those that ``q`` has beyond it."""
        names = [""] * self.model.nq
        for joint in self.model.joints:
            every, rates = np.arange(self.model.nq)[joint.q], len(joint.kind.dof_names)
            if rates == 1:
                names[every[0]] = joint.name
                continue
            extra = ["W"] * (len(every) - rates)
            for k, dof in zip(every, (*joint.kind.dof_names, *extra), strict=True):
                names[k] = f"{joint.name}.{dof}"
        return tuple(names)

    def of(self, machine: str) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities over time of one model of the scene, in its own coordinates.

        Parameters
        ----------
        machine : str
            Its name in the scene.

        Returns
        -------
        q, qd : ndarray, shape (T, ..., n)
            Its motion.

        Raises
        ------
        ModelError
            If there is none of that name.
        """
        where = f"recording of '{self.model.name}'"
        return self._states[known(machine, self._states, "model", where)]

    @cached_property
    def _states(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        if self.scene is None:
            return states_by_name(self.model, self.q, self.qd)
        return machine_states(self.scene, self.q, self.qd)

    # -- sensors --

    @cached_property
    def sensors(self) -> dict[str, np.ndarray]:
        """Values of the scene's sensors at each record, by name: arrays of shape (T, size).

        What each measures is in `SensorKind`.  Contacts are in them: forces and accelerations are
        means over the last part of the step before a record, and zero contact at the start.
        External forces of ``forces=`` and of force elements are not; nor are loops and springs
        in what ``force`` and ``torque`` show.
        """
        return sensor_values(self)

    def measured(self, seed: int = 0) -> dict[str, np.ndarray]:
        """What the sensors show, with their noise and delay.

        Parameters
        ----------
        seed : int
            Of the noise; the same seed gives the same bits.  Each sensor has a stream of its own.

        Returns
        -------
        values : dict of str to ndarray, shape (T, size)
            Those of `sensors`, of the last record at or before ``time - delay``, with Gaussian
            noise.

        Raises
        ------
        ArgumentError
            If the seed is no whole number, or the recording has no scene.
        """
        return measured(self, seed)

    # -- contacts --

    def contacts(self, record: int) -> list[RecordedContact]:
        """The contacts of a record.

        Parameters
        ----------
        record : int
            Number of the record; negative from the end.

        Returns
        -------
        contacts : list of RecordedContact
            All of that record.
        """
        return contacts_of(self, record)

    def contact_forces(self, body: str | tuple[str, str]) -> np.ndarray:
        """Total force of its contacts on a body, such as the ground reaction force on a foot.

        Parameters
        ----------
        body : str or (str, str)
            Name of a link, ``"machine/link"``, or ``(machine, link)``; it need not be one that
            moves.

        Returns
        -------
        force : ndarray, shape (T, 3)
            Sum of the forces that act **on** the body at each record [N], world axes: ground
            pushes a foot that rests on it upwards.  Zero at the start of a run, before its first
            step.

        Raises
        ------
        ModelError
            If there is no body of that name, or several models have one.
        ArgumentError
            If the recording is from a file of version 0.1, which does not tell the bodies.

        Warns
        -----
        ModelWarning
            If the body has no collision shapes; the forces are then zero.
        """
        return contact_forces(self, body)

    @property
    def contact_impulse(self) -> np.ndarray:
        """What contacts gave each geometry since the record before, shape (T, G, 3) [N s].

        Rebounds are included; world axes.  Not a number where that is not known.  The array is
        made anew by each call, as most of it is zero where most geometries touch nothing.
        """
        return of_all(self)

    def contact_impulses(self, body: str | tuple[str, str]) -> np.ndarray:
        """Total impulse that contacts gave a body since the record before, rebounds included.

        Parameters
        ----------
        body : str or (str, str)
            As of `contact_forces`.

        Returns
        -------
        impulse : ndarray, shape (T, 3)
            On the body [N s], world axes.  Summed over records, and with that of gravity, it is
            the change of momentum of a free body.  Zero at the start of a run.

        Raises
        ------
        ModelError
            If there is no body of that name, or several models have one.
        ArgumentError
            If the impulses are not known: in files of earlier versions, and under
            ``integrator="moreau"`` where not each step is recorded.

        Warns
        -----
        ModelWarning
            If the body has no collision shapes; the impulses are then zero.
        """
        return contact_impulses(self, body)

    # -- files --

    def save(self, path: str | Path) -> Path:
        """Write the recording, model included, to a file.

        Parameters
        ----------
        path : path_like
            The extension decides: ``.h5`` or ``.hdf5`` is HDF5, ``.npz`` a NumPy archive; both
            can be loaded again.  ``.csv`` is the table of `to_csv`.

        Returns
        -------
        path : Path
            The file.

        Raises
        ------
        ModelError
            If the model has joints defined by Python code.
        ValueError
            If the name has another extension.
        OSError
            If the file cannot be written, or a file of another kind is there.
        """
        return save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a recording that `save` or a run wrote; nothing in the file is executed.

        Parameters
        ----------
        path : path_like
            An HDF5 file or a NumPy archive; of a run that was killed, what it wrote.

        Returns
        -------
        recording : Recording
            Without its scene.

        Raises
        ------
        FileNotFoundError
            If there is none.
        ParseError
            If the file is not a recording.
        """
        return cls(**load(path))

    def to_csv(self, path: str | Path) -> Path:
        """Write a table: a row for each record (and world), a column for each coordinate.

        Parameters
        ----------
        path : path_like
            A ``.csv`` file.

        Returns
        -------
        path : Path
            The file.
        """
        return write_table(self, path)

    def plot(self, path: str | Path, world: int = 0) -> Path:
        """Write the energies over time as a picture, potential from its lowest.

        Parameters
        ----------
        path : path_like
            An ``.svg`` file; ``.png`` and ``.pdf`` need matplotlib.
        world : int
            World of a batch.

        Returns
        -------
        path : Path
            The file.

        Raises
        ------
        ArgumentError
            If there is no such world.  ``polhode plot FILE energy position`` draws other signals.
        """
        return write_energy_plot(self, path, world)

    # -- pictures --

    def to_html(self, path: str | Path, **options: Any) -> Path:
        """Write the animation as one HTML file; options as of `polhode.show`.

        Parameters
        ----------
        path : path_like
            The file.
        **options
            Those of `polhode.show`.

        Returns
        -------
        path : Path
            The file.
        """
        return self.show(path, open_browser=False, **options)

    def show(
        self, path: str | Path | None = None, open_browser: bool = True, **options: Any
    ) -> Path:
        """Show the animation in the browser; see `polhode.show`.

        Parameters
        ----------
        path : path_like, optional
            The file.
        open_browser : bool
            Whether to open one.
        **options
            Those of `polhode.show`.

        Returns
        -------
        path : Path
            The file.
        """
        # The viewer stands above this package, so it is reached through the root.
        import polhode

        return polhode.show(self, path, open_browser, **options)

    def _repr_html_(self) -> str:
        """The animation, in a notebook."""
        from importlib import import_module

        return import_module("polhode.viewer").iframe(self)

    def __repr__(self) -> str:
        many = f", worlds={self.work.shape[1:]}" if self.work.ndim > 1 else ""
        if self.contact != "none":
            count = int(self.report.get("impacts", 0))
            rebounds = f"{count} rebound{'' if count == 1 else 's'}"
            many += f", {len(self.contact_gap)} contacts at records, {rebounds}"
        stopped = f", stopped={self.stopped!r}" if self.stopped else ""
        return (
            f"Recording('{self.model.name}', {len(self.times)} records over {self.duration:g} s"
            f"{many}, integrator='{self.integrator}', contact='{self.contact}'{stopped})"
        )
