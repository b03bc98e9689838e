"""The state of a simulator's models, as a user reads and sets it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import as_array
from ...errors import ModelError
from ...model.checks import known
from ...scene import Scene
from ..start import unit, vector_of
from .coordinates import inward, outward, outward_force

if TYPE_CHECKING:
    from .lowering import SceneLayout
    from .system import System


class SceneState:
    """Positions and velocities of a scene's models, and wrenches held on them.

    What `Simulator` has of them; not made by itself.
    """

    scene: Scene
    _plan: SceneLayout
    _fields: System
    _pushes: np.ndarray
    _is_fresh: bool

    @property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of `Scene.model`: copies."""
        position, velocity = self._fields.position, self._fields.velocity
        if not math.isfinite(np.add.reduce(position) + np.add.reduce(velocity)):
            return self.coordinates(position, velocity)  # which says what is not finite
        return self._of_scene(position, velocity)

    def coordinates(
        self, position: np.ndarray, velocity: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of `Scene.model` from those of the compiled loops, for any leading axes.

        Parameters
        ----------
        position : array_like
            Positions.
        velocity : array_like
            Velocities.

        Returns
        -------
        q, qd : ndarray, shape (..., n)
            Positions and velocities.
        """
        position = vector_of("position", position, self._plan.nq)
        velocity = vector_of("velocity", velocity, self._plan.nv)
        return self._of_scene(position, velocity)

    def _of_scene(
        self, position: np.ndarray, velocity: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        plan = self._plan
        q, qd = outward(plan, position, velocity)
        return plan.positions_of_scene.of(q), plan.velocities_of_scene.of(qd)

    def joint_forces(self, position: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Forces in the joints of `Scene.model`, from forces along the compiled loops' velocities.

        Parameters
        ----------
        position : ndarray, shape (..., n)
            Positions of the compiled loops.
        force : ndarray, shape (..., n)

        Returns
        -------
        tau : ndarray, shape (..., nv)
            Zero in what does not move.
        """
        tau, batch = outward_force(self._plan, position, force), position.shape[:-1]
        parts = [np.zeros((*batch, machine.model.nv)) for machine in self.scene.machines]
        for node in self._plan.nodes:
            own = tau[..., node.dof : node.dof + node.model.nv]
            parts[self.scene.machines.index(node.machine)] = own
        return np.concatenate([np.zeros((*batch, 0)), *parts], -1)

    def state_of(self, machine: str) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of a model, in its own coordinates: copies.

        Parameters
        ----------
        machine : str
            Its name in the scene.

        Returns
        -------
        q, qd : ndarray, shape (nq,), (nv,)
            Positions and velocities.
        """
        node = self._node(machine)
        q, qd = outward(self._plan, self._fields.position, self._fields.velocity)
        return (
            q[node.place : node.place + node.model.nq],
            qd[node.dof : node.dof + node.model.nv],
        )

    def set_state(self, machine: str, q: Any = None, qd: Any = None) -> None:
        """Put a model somewhere else, or give it another velocity.

        Parameters
        ----------
        machine : str
            Its name in the scene.
        q : array_like, shape (nq,), optional
            Positions [rad or m].
        qd : array_like, shape (nv,), optional
            Velocities [rad/s or m/s].

        Raises
        ------
        ModelError
            For a model that does not move.
        ShapeError
            If the numbers do not fit the model or are not finite, or a quaternion is not unit.

        Warns
        -----
        StartWarning
            At the next step, if the state breaks limits, loops or contact.
        """
        node = self._node(machine)
        every_q, every_qd = outward(self._plan, self._fields.position, self._fields.velocity)
        nq, nv, where = node.model.nq, node.model.nv, f" (model '{node.machine.name}')"
        if q is not None:
            own = as_array("q", q, where, shape=(nq,), finite=True)
            every_q[node.place : node.place + nq] = unit(node.model, own, "q")
        if qd is not None:
            own = as_array("qd", qd, where, shape=(nv,), finite=True)
            every_qd[node.dof : node.dof + nv] = own
        position, velocity = inward(self._plan, every_q, every_qd)
        p = slice(node.place, node.place + node.model.nq)
        v = slice(node.dof, node.dof + node.model.nv)
        self._fields.position[p], self._fields.velocity[v] = position[p], velocity[v]
        self._is_fresh = True

    def push(self, machine: str, link: str, wrench: Any) -> None:
        """Hold a wrench on a link, beside what ``forces`` gives, until another replaces it.

        Six numbers: moment about the world's origin [N m], force [N].  A checkpoint does not
        keep it, and `restore` ends it.

        Parameters
        ----------
        machine : str
            Its name in the scene.
        link : str
            One of its links.
        wrench : array_like, shape (6,)
            Moment and force [N m, N].
        """
        owner = self.scene.machine(machine)
        place = self._plan.places[owner.name, known(link, owner.link_names, "link", machine)]
        body = place.body
        if body < 0:
            raise ModelError(f"expected a body that moves, {(machine, link)} does not")
        more = as_array("wrench", wrench, shape=(6,), finite=True) - self._pushes[body]
        self._pushes[body] += more
        self._fields.wrench[body] += more

    def _node(self, machine: str) -> Any:
        node = self._plan.node_of(self.scene.machine(machine).name)
        if node is None:
            raise ModelError(f"expected a model that moves, '{machine}' does not")
        return node
