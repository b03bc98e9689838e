"""Crocoddyl's derivatives of forward dynamics, on Pinocchio's model of one of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.cli.bench_models import Subject
from polhode.cli.bench_rows import Row, States
from polhode.errors import ModelError

from .derivatives import in_our_coordinates
from .rows import Pinocchio


class Crocoddyl:
    """Its free forward dynamics with every joint driven, state after state, on one thread."""

    def __init__(self, subject: Subject):
        self.peer: Pinocchio = Pinocchio(subject.model, subject.path, subject.floating)
        try:
            import crocoddyl
        except ImportError:
            raise ModelError(
                "Crocoddyl is not installed beside this Pinocchio: pip install crocoddyl"
            ) from None
        state = crocoddyl.StateMultibody(self.peer.theirs)
        drives = crocoddyl.ActuationModelFull(state)
        self.dynamics: Any = crocoddyl.DifferentialActionModelFreeFwdDynamics(
            state, drives, crocoddyl.CostModelSum(state)
        )
        self.data: Any = self.dynamics.createData()

    def bound(
        self, row: Row, states: States, count: int
    ) -> tuple[Callable[[], Any], np.ndarray] | None:
        """A call that finds the derivatives at so many states, and these in our coordinates."""
        if row.key != "d_aba":
            return None
        peer, model, data = self.peer, self.dynamics, self.data
        found, inputs = [], []
        for k in range(count):
            q, T = peer.positions(states.q[k]), peer.turn(states.q[k])
            v, u = T @ states.v[k], np.linalg.inv(T).T @ states.t[k]
            x = np.concatenate((q, v))
            inputs.append((x, u))
            model.calc(data, x, u)
            model.calcDiff(data, x, u)
            a = peer.pin.aba(peer.theirs, peer.data, q, v, u).copy()  # its `xout` has no gravity
            found.append(self._ours(states, k, a))

        def work() -> None:
            for x, u in inputs:
                model.calc(data, x, u)
                model.calcDiff(data, x, u)

        return work, np.array(found).swapaxes(0, 1)

    def _ours(self, states: States, k: int, a_pin: np.ndarray) -> np.ndarray:
        """``d qdd / d q`` (tangent), ``d qd``, ``d tau`` from the last state's, stacked."""
        nv = self.peer.theirs.nv
        d_x, inverse = np.array(self.data.Fx), np.array(self.data.Fu)
        q, v, T = states.q[k], states.v[k], self.peer.turn(states.q[k])
        back, M = np.linalg.inv(T), self.peer.mass_matrix(states, k)
        a = back @ (a_pin - self.peer.turn_rate(T @ v))
        inverse_dynamics = -M @ d_x[:, :nv], -M @ d_x[:, nv:], M
        d_q, d_v, _ = in_our_coordinates(self.peer, q, v, a, *inverse_dynamics)
        inverse = back @ inverse @ back.T
        return np.array((-inverse @ d_q, -inverse @ d_v, inverse))
