"""What a run leaves behind."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..api import body_poses, energy
from ..errors import ModelError, ParseError
from ..model import Model
from .audit import Audit, audit
from .files import write_atomically
from .model_json import model_from_json, model_to_json
from .plot import line_plot

_FORMAT = "polhode recording 1"
_ARRAYS = ("times", "q", "qd", "tau", "work")


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
        """Write the recording, model included, to an ``.npz`` file.

        Raises
        ------
        ModelError
            If the model has joints defined by Python code.
        """
        meta = {
            "format": _FORMAT,
            "model": model_to_json(self.model),
            "method": self.method,
            "dt": self.dt,
            "seed": self.seed,
            "is_controlled": self.is_controlled,
            "is_loaded": self.is_loaded,
            "stopped": self.stopped,
        }
        buffer = io.BytesIO()
        text = np.frombuffer(json.dumps(meta).encode("utf-8"), np.uint8)
        np.savez(buffer, meta=text, **{name: getattr(self, name) for name in _ARRAYS})
        return write_atomically(path, buffer.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a recording that `save` wrote; nothing in the file is executed.

        Raises
        ------
        ParseError
            If the file is not a whole recording.
        """
        try:
            with zipfile.ZipFile(path) as archive:
                packed = [m for m in archive.infolist() if m.compress_type != zipfile.ZIP_STORED]
            if packed:
                raise ValueError("expected stored arrays, got compressed ones")
            with np.load(path, allow_pickle=False) as file:
                meta = json.loads(file["meta"].tobytes().decode("utf-8"))
                arrays = [file[name] for name in _ARRAYS]
            if not isinstance(meta, dict) or meta.get("format") != _FORMAT:
                raise ValueError(f"expected the format '{_FORMAT}'")
            recording = cls(
                model_from_json(meta["model"]),
                *arrays,
                str(meta["method"]),
                float(meta["dt"]),
                meta["seed"],
                bool(meta["is_controlled"]),
                bool(meta["is_loaded"]),
                str(meta["stopped"]),
            )
            recording._check()
        except FileNotFoundError:
            raise
        except (ValueError, KeyError, TypeError, OSError, EOFError, MemoryError, RecursionError,
                ModelError, zipfile.BadZipFile, NotImplementedError) as error:  # fmt: skip
            raise ParseError(f"not a recording of polhode: {error}", str(path)) from error
        return recording

    def _check(self) -> None:
        count, worlds = len(self.times), self.work.shape[1:]
        expected = {
            "times": (count,),
            "q": (count, *worlds, self.model.nq),
            "qd": (count, *worlds, self.model.nv),
            "tau": (count, *worlds, self.model.nv),
            "work": (count, *worlds),
        }
        for name, shape in expected.items():
            array = getattr(self, name)
            if array.shape != shape or array.dtype != float:
                raise ValueError(f"expected {name} of shape {shape}, got {array.shape}")
        if count == 0 or not np.isfinite(self.times).all() or (np.diff(self.times) <= 0.0).any():
            raise ValueError("expected increasing times")

    def to_csv(self, path: str | Path) -> Path:
        """Write a table: a row for each record (and world), a column for each coordinate."""
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
        return write_atomically(path, text.getvalue().encode("utf-8"))

    def plot(self, path: str | Path, world: int = 0) -> Path:
        """Write the energies over time as an SVG picture, potential from its lowest."""
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
        svg = line_plot(self.times, lines, title=self.model.name, x="time [s]", y="energy [J]")
        return write_atomically(path, svg.encode("utf-8"))

    # -- pictures --

    def to_html(self, path: str | Path, **options: Any) -> Path:
        """Write the animation as one HTML file; options as of `polhode.show`."""
        return self.show(path, open_browser=False, **options)

    def show(self, path: str | Path | None = None, open_browser: bool = True, **options) -> Path:
        """Show the animation in the browser; see `polhode.show`."""
        # The viewer stands above this package, so it is reached by the front door.
        import polhode

        return polhode.show(self, path, open_browser, **options)

    def __repr__(self) -> str:
        worlds = "" if self.work.ndim == 1 else f", worlds={self.work.shape[1:]}"
        stopped = f", stopped={self.stopped!r}" if self.stopped else ""
        return (
            f"Recording('{self.model.name}', {len(self.times)} records over "
            f"{self.duration:g} s, method='{self.method}'{worlds}{stopped})"
        )
