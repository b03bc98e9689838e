"""Simulators that are stepped by hand: their state, their clock, their callables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...errors import ModelError, suggestion
from ..checkpoint import Checkpoint
from ..errors import SimulationError
from ..scene import Scene
from .callables import Callables
from .coordinates import inward, outward
from .counters import BASE_STEPS, BASE_TIME, N_STEPS, STEP, STOP, TIME

METHODS = ("exact", "convex", "lcp")
_NO_CONTACTS = ((0, 4), (0, 12), (0, 5))
_LONG = 20  # steps after which the time they took is looked at
_CALL = 0.1  # seconds in one compiled call, so that the keyboard is heard


class TimeSteppingSimulator:
    """A scene in time, with contact, friction, limits, loops and gears.

    Parameters
    ----------
    scene : Scene
    dt : float, optional
        Step that limits of mini-steps refer to; the scene's, or 1 ms.
    method : {"exact", "convex", "lcp"}
        Contact solver; see `polhode.simulation.contact`.
    controllers : mapping of str to callable, optional
        Joint forces of machines by name: ``controller(t, state) -> tau``, called at the
        start of each step and held; ``state`` has ``q qd t model rng``.
    forces : callable, optional
        ``forces(t, simulator)`` at the start of each step gives a mapping from
        (machine, link) to six numbers: moment about the world's origin, then force.
    contact_filter : callable, optional
        ``contact_filter(t, contacts)`` gives a mask of the contacts to keep; see
        `ContactView`.
    seed : int, optional
        Seeds ``state.rng``.
    max_mini_steps : int
        Most parts of a step between which something rebounds.

    Notes
    -----
    Velocities change at the middle of a step, positions before and after it; see
    `polhode.simulation.stepping.step`.  Bodies that touch without rebound stop where they
    touch.  The same scene gives the same bits, however its steps are divided into calls.
    """

    has_contact = True

    def __init__(
        self,
        scene: Scene,
        *,
        dt: float | None = None,
        method: str = "exact",
        controllers: Mapping[str, Callable[..., Any]] | None = None,
        forces: Callable[..., Any] | None = None,
        contact_filter: Callable[..., Any] | None = None,
        seed: int | None = None,
        max_mini_steps: int = 50,
    ):
        if not isinstance(scene, Scene):
            raise TypeError(f"expected a Scene, got {type(scene).__name__}")
        if method not in METHODS:
            hint = suggestion(str(method), METHODS)
            raise ValueError(f"expected a method of {', '.join(METHODS)}, got {method!r}{hint}")
        if self.has_contact and scene.plugins:
            raise ModelError(
                f"contact found by plug-ins is not simulated, got '{scene.plugins[0].name}'; "
                f"give its geometries shapes (scene '{scene.name}')"
            )
        if any(loop.settings is not None for loop in scene.loops):
            raise ModelError(
                "limits and friction of loops are not simulated: make the joint one of the tree "
                f"(scene '{scene.name}')"
            )
        self.scene, self.method = scene, method
        self.dt = _step_of(scene, dt)
        from .building import build

        self._lowered = build(scene, self.dt, method, max_mini_steps, self.has_contact)
        self._plan, self._fields = self._lowered.plan, self._lowered.fields
        self._callables = Callables(self, controllers or {}, forces, contact_filter, seed)
        self._fields.totals[TIME] = self._fields.totals[BASE_TIME] = scene.settings.time
        self._near, self._is_fresh = _nothing(), True
        self._every = 0

    # -- time --

    @property
    def current_time(self) -> float:
        """Time [s]."""
        return float(self._fields.totals[TIME])

    def step(self, h: float) -> float:
        """Advance by ``h`` [s]; return ``h``."""
        self.advance(h, 1)
        return h

    def advance_to(self, t: float) -> None:
        """Advance to the time ``t`` in steps of ``dt``, the last of them shorter."""
        left = t - self.current_time
        if left < 0.0:
            raise ValueError(f"expected a time after {self.current_time:g} s, got {t:g} s")
        count = int(left / self.dt + 1e-9)
        self.advance(self.dt, count)
        rest = t - self.current_time
        if rest > 1e-9 * self.dt:
            self.step(rest)
        self._fields.totals[TIME] = self._fields.totals[BASE_TIME] = t
        self._fields.totals[BASE_STEPS] = self._fields.counters[N_STEPS]

    def advance(self, h: float, count: int, every: int = 0, phase: int = 0) -> Any:
        """Make ``count`` equal steps in one compiled call; return what was recorded.

        Raises
        ------
        SimulationError
            If the motion stops being finite.
        """
        from .loop import advance

        if not 0.0 < h < np.inf:
            raise ValueError(f"expected a step above 0 and finite, got {h}")
        totals, counters = self._fields.totals, self._fields.counters
        if h != totals[STEP]:
            totals[STEP] = h
            totals[BASE_TIME], totals[BASE_STEPS] = totals[TIME], counters[N_STEPS]
        contacts, limits = self._near
        contacts, limits, log = advance(
            self._fields, contacts, limits, self._is_fresh, float(h), count, every, phase
        )
        self._near, self._is_fresh = (contacts, limits), False
        if counters[STOP] != 0:
            self._stopped(int(counters[STOP]))
        return log

    def _stopped(self, reason: int) -> None:
        self._fields.counters[STOP] = 0
        error = self._callables.error
        if error is not None:
            self._callables.error = None
            raise error
        raise SimulationError(
            f"the motion is not finite any more after t = {self.current_time:g} s; try a shorter "
            f"step (scene '{self.scene.name}')"
        )

    # -- state --

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of `Scene.model`: copies."""
        return self.coordinates(self._fields.position, self._fields.velocity)

    def coordinates(
        self, position: np.ndarray, velocity: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of `Scene.model` from those of the compiled loops, for any leading axes."""
        q, qd = outward(self._plan, position, velocity)
        scene, batch = self.scene, position.shape[:-1]
        rates = [np.broadcast_to(m.qd, (*batch, len(m.qd))) for m in scene.machines]
        starts = [np.broadcast_to(m.q, (*batch, len(m.q))) for m in scene.machines]
        for node in self._plan.nodes:
            k = scene.machines.index(node.machine)
            starts[k] = q[..., node.place : node.place + node.model.nq]
            rates[k] = qd[..., node.dof : node.dof + node.model.nv]
        sizes = [m.model.nv for m in scene.machines]
        heads = [x[..., :n] for x, n in zip(starts, sizes, strict=True)]
        tails = [x[..., n:] for x, n in zip(starts, sizes, strict=True)]
        none = [np.zeros((*batch, 0))]
        return np.concatenate(none + heads + tails, -1), np.concatenate(none + rates, -1)

    def state_of(self, machine: str) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of a machine, in its model's coordinates: copies."""
        node = self._node(machine)
        q, qd = outward(self._plan, self._fields.position, self._fields.velocity)
        return (
            q[node.place : node.place + node.model.nq],
            qd[node.dof : node.dof + node.model.nv],
        )

    def set_state(self, machine: str, q: Any = None, qd: Any = None) -> None:
        """Put a machine somewhere else, or give it another velocity."""
        node = self._node(machine)
        every_q, every_qd = outward(self._plan, self._fields.position, self._fields.velocity)
        if q is not None:
            every_q[node.place : node.place + node.model.nq] = q
        if qd is not None:
            every_qd[node.dof : node.dof + node.model.nv] = qd
        position, velocity = inward(self._plan, every_q, every_qd)
        p = slice(node.place, node.place + node.model.nq)
        v = slice(node.dof, node.dof + node.model.nv)
        self._fields.position[p], self._fields.velocity[v] = position[p], velocity[v]
        self._is_fresh = True

    def _node(self, machine: str) -> Any:
        node = self._plan.node_of(self.scene.machine(machine).name)
        if node is None:
            raise ModelError(f"expected a machine that moves, '{machine}' does not")
        return node

    # -- keeping --

    def checkpoint(self) -> Checkpoint:
        """All that the motion from here on depends on; see `restore`."""
        fields = self._fields
        arrays = {name: getattr(fields, name).copy() for name in _KEPT}
        names = ("contacts", "contact_reals", "limits", "limit_reals")
        flat = [x for part in self._near for x in part]
        arrays |= {name: x.copy() for name, x in zip(names, flat, strict=True)}
        return Checkpoint(arrays, self._is_fresh, self._callables.rng.bit_generator.state)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go on from a checkpoint of the same scene, to the same bits."""
        for name in _KEPT:
            array = getattr(self._fields, name)
            if array.shape != checkpoint.arrays[name].shape:
                raise ModelError(
                    f"expected a checkpoint of scene '{self.scene.name}', got one of another"
                )
            array[...] = checkpoint.arrays[name]
        from .records import Contacts, Limits

        a = checkpoint.arrays
        self._near = (
            Contacts(a["contacts"].copy(), a["contact_reals"].copy()),
            Limits(a["limits"].copy(), a["limit_reals"].copy()),
        )
        self._is_fresh = checkpoint.is_fresh
        self._callables.rng.bit_generator.state = checkpoint.rng

    @property
    def report(self) -> dict[str, float]:
        """Counts and worst values since the start."""
        c, t = self._fields.counters, self._fields.totals
        return {
            "steps": int(c[1]),
            "mini_steps": int(c[2]),
            "solves": int(c[3]),
            "unconverged": int(c[4]),
            "impacts": int(c[5]),
            "capped_steps": int(c[6]),
            "contacts": int(c[7]),
            "residual": float(t[1]),
            "penetration": float(t[2]),
            "loop_error": float(t[3]),
            "energy_clipped": float(t[4]),
        }


class Simulator(TimeSteppingSimulator):
    """A scene in time without contact: joints, limits, loops, gears and forces."""

    has_contact = False


_KEPT = ("position", "velocity", "coupling", "order", "counters", "totals", "tau", "wrench")


def _nothing() -> tuple[Any, Any]:
    from .records import Contacts, Limits

    whole, real, limit = _NO_CONTACTS
    return (
        Contacts(np.zeros(whole, np.int64), np.zeros(real)),
        Limits(np.zeros(0, np.int64), np.zeros(limit)),
    )


def _step_of(scene: Scene, dt: float | None) -> float:
    chosen = dt if dt is not None else scene.settings.step_size
    value = 1e-3 if chosen is None else float(chosen)
    if not 0.0 < value < np.inf:
        raise ValueError(f"expected dt above 0 and finite, got {value}")
    return value
