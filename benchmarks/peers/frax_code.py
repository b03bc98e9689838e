"""frax: dynamics in JAX, compiled by XLA for a batch of states, in doubles on one thread."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from polhode.cli.bench_models import Subject
from polhode.cli.bench_rows import Row, States
from polhode.errors import ModelError

_GRAVITY = 9.81  # m/s^2, which its forward dynamics has always


class Frax:
    """A robot's URDF as it reads it; its free base has the velocities that ours has."""

    def __init__(self, subject: Subject):
        if not subject.path.endswith(".urdf"):
            raise ModelError("frax reads URDF files only")
        if not np.allclose([*subject.model.gravity.lin], (0.0, 0.0, -_GRAVITY)):
            raise ModelError(f"frax has gravity of {_GRAVITY} m/s^2 along -z only")
        try:
            with warnings.catch_warnings(), one_thread():
                warnings.simplefilter("ignore")  # it advises settings of JAX
                import jax

                jax.config.update("jax_enable_x64", True)
                jax.devices()  # its threads are made here
                import frax
        except ImportError:
            raise ModelError("frax is not installed: pip install frax") from None
        model = subject.model
        self.jax: Any = jax
        self.floating: bool = subject.floating
        moved = [joint.name for joint in model.joints[int(self.floating) :]]
        self.robot: Any = frax.Robot(
            subject.path,
            joint_ordering=moved,
            floating_base="quaternion" if self.floating else None,
        )
        if self.robot.nv != model.nv:
            raise ModelError(f"frax reads other joints from '{subject.path}'")

    def bound(
        self, row: Row, states: States, count: int
    ) -> tuple[Callable[[], Any], np.ndarray] | None:
        """A call that does the row's work for so many states, and its results."""
        upward = np.array([0.0, 0.0, _GRAVITY, 0.0, 0.0, 0.0])
        functions: dict[str, Callable[..., Any]] = {
            "rnea": lambda q, v, a: self.robot.rnea(q, v, a, upward, None),
            "aba": lambda q, v, t: self.robot.forward_dynamics(q, v, t, None),
            "crba": self.robot.mass_matrix,
            "bias": self.robot.nonlinear_bias,
        }
        if row.key not in functions:
            return None
        arrays = [np.ascontiguousarray(x) for x in states.of(row, count)]
        arrays[0] = self._positions(arrays[0])
        inputs = [self.jax.numpy.asarray(x) for x in arrays]
        together = self.jax.jit(self.jax.vmap(functions[row.key]))
        return (
            lambda: together(*inputs).block_until_ready(),
            np.asarray(together(*inputs)),
        )

    def _positions(self, q: np.ndarray) -> np.ndarray:
        """Of a free base: place, quaternion w x y z, then the joints."""
        if not self.floating:
            return q
        return np.hstack([q[:, :3], q[:, -1:], q[:, 3:6], q[:, 6:-1]])


@contextmanager
def one_thread() -> Iterator[None]:
    """Threads that are made meanwhile share one processor, where the system can do so."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
