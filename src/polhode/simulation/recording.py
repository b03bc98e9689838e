"""What a run leaves behind."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..api.energetics import energy
from ..api.kinematics import body_poses
from ..errors import suggestion
from ..model import Model
from ..once import cached_property
from .audit import Audit, audit
from .file_kinds import PLOTS, SVG, TABLES, kind_of
from .files import write_atomically
from .plot import line_plot

_ELSEWHERE = {"t": "times", "time": "times", "v": "qd", "dq": "qd", "qvel": "qd", "qpos": "q"}
"""What other libraries call the arrays."""


@dataclass(frozen=True, eq=False)
class Recording:
    """Positions, velocities and forces of a run at its record times.

    Time is the first axis; the worlds of a batch come next.

    Attributes
    ----------
    model : Model
    times : ndarray, shape (T,)
        Record times [s].
    q, qd, tau : ndarray, shape (T, ..., nq) and (T, ..., nv)
        Positions, velocities, and joint forces of the controller.
    work : ndarray, shape (T, ...)
        Work done by controller and external forces since the start [J].
    method, dt, seed
        How the run was made.
    is_controlled, is_loaded : bool
        Whether there were a controller and external forces.
    stopped : str
        Why the run ended early; empty if it did not.
    """

    model: Model
    times: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    tau: np.ndarray
    work: np.ndarray
    method: str = "symplectic"
    dt: float = 1e-3
    seed: int | None = None
    is_controlled: bool = False
    is_loaded: bool = False
    stopped: str = ""

    if not TYPE_CHECKING:  # a type checker knows which names there are

        def __getattr__(self, name: str) -> Any:
            """Say which attribute was perhaps meant."""
            public = [] if name.startswith("_") else [x for x in dir(type(self)) if x[0] != "_"]
            names = [*public, *(f.name for f in fields(self))]
            hint = suggestion(_ELSEWHERE.get(name, name), names)
            raise AttributeError(
                f"{type(self).__name__} has no attribute '{name}'{hint}", name=name, obj=self
            )

    @property
    def is_free(self) -> bool:
        """Gravity alone acted."""
        return not (self.is_controlled or self.is_loaded)

    @property
    def duration(self) -> float:
        """Time from the first to the last record [s]."""
        return float(self.times[-1] - self.times[0])

    @cached_property
    def poses(self) -> np.ndarray:
        """Poses of all bodies, shape (T, ..., n_bodies, 4, 4)."""
        return body_poses(self.model, self.q)

    @cached_property
    def _energies(self) -> tuple[np.ndarray, np.ndarray]:
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
    def audit(self) -> Audit:
        """How well energy and momentum were kept."""
        return audit(self)

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
        from .recording_files import save

        return save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a recording that `save` or a run wrote; nothing in the file is executed.

        Parameters
        ----------
        path : path_like
            An HDF5 file or a NumPy archive.

        Returns
        -------
        recording : Recording
            A `SceneRecording` if it is one of a scene.

        Raises
        ------
        ParseError
            If the file is not a whole recording.
        """
        from .recording_files import load

        return load(path)

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
        kind_of(path, TABLES, "a table")
        names = self.coordinate_names
        nv, batch = self.model.nv, self.work.ndim > 1
        header = ["world"] * batch + ["t"] + [f"q:{n}" for n in names]
        header += [f"{kind}:{n}" for kind in ("qd", "tau") for n in names[:nv]]
        header += ["kinetic", "potential", "work"]
        count = len(self.times)
        columns = (self.q, self.qd, self.tau)
        rows = [x.reshape(count, -1, x.shape[-1]) for x in columns]
        rows += [x.reshape(count, -1, 1) for x in (self.kinetic, self.potential, self.work)]
        table = np.concatenate(rows, axis=-1)
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(header)
        for t, worlds in zip(self.times.tolist(), table.tolist(), strict=True):
            for w, row in enumerate(worlds):
                writer.writerow([w, t, *row] if batch else [t, *row])
        return write_atomically(path, text.getvalue().encode("utf-8", "replace"))

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
        """
        kind = kind_of(path, PLOTS, "a plot")
        count = len(self.times)
        picked = [x.reshape(count, -1)[:, world] for x in (self.kinetic, self.potential, self.work)]
        kinetic, potential, work = picked
        potential = potential - potential.min()
        lines: Sequence[tuple[str, np.ndarray]] = [
            ("kinetic", kinetic),
            ("potential", potential),
            ("total", kinetic + potential),
        ]
        if not self.is_free:
            lines = [*lines, ("total less work", kinetic + potential - work)]
        if kind is SVG:
            svg = line_plot(self.times, lines, title=self.model.name, x="time [s]", y="energy [J]")
            return write_atomically(path, svg.encode("utf-8"))
        from .figure import Panel, draw

        return draw([Panel("energy [J]", self.times, lines)], self.model.name, path)

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
        # The viewer stands above this package, so it is reached by the front door.
        import polhode

        return polhode.show(self, path, open_browser, **options)

    def _repr_html_(self) -> str:
        """The animation, in a notebook."""
        from importlib import import_module

        return import_module("polhode.viewer").iframe(self)

    def __repr__(self) -> str:
        worlds = "" if self.work.ndim == 1 else f", worlds={self.work.shape[1:]}"
        stopped = f", stopped={self.stopped!r}" if self.stopped else ""
        return (
            f"Recording('{self.model.name}', {len(self.times)} records over "
            f"{self.duration:g} s, method='{self.method}'{worlds}{stopped})"
        )
