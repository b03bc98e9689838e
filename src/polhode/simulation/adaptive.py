"""SciPy's adaptive methods, one world after the other, with dense output.

The unknowns are ``q`` with its quaternions as they are, ``qd``, and the work done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import as_array
from ..errors import ArgumentError, ShapeError
from .drive import Drive
from .errors import SimulationError

NAMES = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
_EVALUATIONS_PER_STEP, _EVALUATIONS_AT_LEAST = 200, 300_000


def tolerances(rtol: Any, atol: Any, size: int) -> tuple[Any, Any]:
    """SciPy's tolerances: numbers, or for each of ``size`` unknowns one.

    Raises
    ------
    ArgumentError
        For anything but real, finite numbers above 0 (``atol``: not below 0).
    """
    checked = []
    for name, value in (("rtol", rtol), ("atol", atol)):
        array = as_array(name, value, finite=True)
        if array.shape not in ((), (size,)):
            raise ShapeError(f"expected a number or {size} numbers as {name}, got {array.shape}")
        least = float(array.min())
        if least < 0.0 or (name == "rtol" and least == 0.0):
            bound = "above 0" if name == "rtol" else "of at least 0"
            raise ArgumentError(f"expected {name} {bound}, got {least:g}")
        checked.append(array if array.ndim else float(array))
    return checked[0], checked[1]


class Adaptive:
    """Carries one world from instant to instant with a SciPy solver."""

    def __init__(self, drive: Drive, method: str, rtol: float, atol: float, steps: float):
        import scipy.integrate

        self.solver_class: Any = getattr(scipy.integrate, method)
        self.drive: Drive = drive
        self.rtol: float = rtol
        self.atol: float = atol
        model = drive.model
        self.nq: int = model.nq
        self.nv: int = model.nv
        self.balls: list[tuple[list[int], list[int]]] = [
            (list(v), list(q))
            for v, q in zip(model.v_index, model.q_index, strict=True)
            if len(q) > len(v)
        ]
        self.evaluations: int = 0
        self.patience: int = int(max(_EVALUATIONS_PER_STEP * steps, _EVALUATIONS_AT_LEAST))
        self._foreign: Exception | None = None  # raised by the drive, not by the solver
        self._qdd = np.empty(self.nv)

    def run(
        self,
        t: float,
        end: float,
        q: np.ndarray,
        qd: np.ndarray,
        work: np.ndarray,
        stops: np.ndarray,
        record: Callable[[float, np.ndarray, np.ndarray, np.ndarray], None],
    ) -> None:
        """Advance in place from ``t`` to ``end``; ``record`` is called at each of ``stops``."""
        y = np.concatenate((q, qd, work.reshape(1)))
        try:
            solver = self.solver_class(self._rates, t, y, end, rtol=self.rtol, atol=self.atol)
            at = 0
            while solver.status == "running":
                # SciPy's BDF computes with rows of its table that it has not filled yet.
                with np.errstate(over="ignore", invalid="ignore"):
                    message = solver.step()
                if solver.status == "failed":
                    raise SimulationError(f"{message or 'the solver failed'} (t = {solver.t:g} s)")
                self.drive.watch(solver.t, self._split(solver.y)[0])
                upto = np.searchsorted(stops, solver.t, side="right")
                if upto > at:
                    dense = solver.dense_output()
                    for stop in stops[at:upto]:
                        record(stop, *self._held(dense(stop)))
                    at = upto
                if not np.isfinite(solver.y).all():
                    raise SimulationError(f"the state is not finite any more (t = {solver.t:g} s)")
        except (ValueError, FloatingPointError, np.linalg.LinAlgError) as error:
            if error is self._foreign:
                raise
            raise SimulationError(f"the solver failed: {error}") from error
        q[...], qd[...], work[...] = self._held(solver.y)

    def _held(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A state whose constraints are held, to be recorded or to go on from."""
        q, qd, work = self._split(y)
        if self.drive.constraints is not None:
            self.drive.constraints.project(q, qd)
        return q, qd, work

    def _split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q, qd = y[: self.nq].copy(), y[self.nq : -1].copy()
        for _, k in self.balls:
            q[k] /= np.linalg.norm(q[k])
        return q, qd, y[-1]

    def _rates(self, t: float, y: np.ndarray) -> np.ndarray:
        self.evaluations += 1
        if self.evaluations > self.patience:
            raise SimulationError(
                f"gave up after {self.patience} evaluations (t = {t:g} s); "
                "a stiff machine may need integrator='Radau'"
            )
        q, qd, _ = self._split(y)
        rates = np.empty_like(y)
        rates[: self.nv] = qd
        for v, k in self.balls:
            rates[k] = _quaternion_rate(y[k], qd[v])
        try:
            tau = self.drive.tau(t, q, qd)
            rates[self.nq : -1] = self.drive.acceleration(t, q, qd, tau, self._qdd)
            if self.drive.constraints is not None:
                rates[self.nq : -1] += self.drive.constraints.correction(q, qd)
            rates[-1] = 0.0 if self.drive.is_free else self.drive.power(t, q, qd, tau)
        except Exception as error:
            self._foreign = error
            raise
        return rates


def _quaternion_rate(xyzw: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Rate of a quaternion turning with the body-frame velocity ``w``: ``Q' = Q w / 2``."""
    e, s = xyzw[:3], xyzw[3]
    return 0.5 * np.append(s * w + np.cross(e, w), -e @ w)
