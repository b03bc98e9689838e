"""Python functions that the compiled loop calls back: controllers, forces, contact filters."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ModelError
from ..drive import State
from ..errors import SimulationError
from .coordinates import rotations
from .counters import STOP

if TYPE_CHECKING:
    pass


class ContactView:
    """Contacts as a filter sees them: arrays in place, one row each.

    ``a``, ``b`` are indices into ``scene.geometries``; ``point``, ``normal`` (from b to a)
    and ``gap`` may be changed.
    """

    def __init__(self, whole: np.ndarray, real: np.ndarray, geometries: np.ndarray):
        self.a, self.b = geometries[whole[:, 0]], geometries[whole[:, 1]]
        self.point, self.normal, self.gap = real[:, 0:3], real[:, 3:6], real[:, 9]

    def __len__(self) -> int:
        return len(self.a)


class Callables:
    """Python functions that the compiled loop calls back."""

    def __init__(self, owner, controllers, forces, contact_filter, seed):
        self.owner, self.forces, self.filter = owner, forces, contact_filter
        self.controllers = {}
        for name, controller in controllers.items():
            self.controllers[owner._node(name).machine.name] = controller
        self.rng = np.random.default_rng(seed)
        self.error: BaseException | None = None
        if controllers or forces or contact_filter:
            self._function = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self._called)
            address = ctypes.cast(self._function, ctypes.c_void_p).value or 0
            owner._fields.hook[...] = address

    def _called(self, stage: int) -> None:
        try:
            if stage == 0:
                self._begin()
            elif self.filter is not None:
                self._filter_contacts()
        except BaseException as error:
            self.error = error
            self.owner._fields.counters[STOP] = 1

    def _begin(self) -> None:
        owner, fields = self.owner, self.owner._fields
        t = owner.current_time
        for name, controller in self.controllers.items():
            node = owner._node(name)
            q, qd = owner.state_of(name)
            tau = np.asarray(controller(t, State(t, q, qd, node.model, self.rng)), float)
            if tau.shape != (node.model.nv,) or not np.isfinite(tau).all():
                raise SimulationError(
                    f"expected {node.model.nv} finite forces of the controller of '{name}', got "
                    f"{np.array2string(tau, threshold=8)} at t = {t:g} s"
                )
            fields.tau[node.dof : node.dof + node.model.nv] = self._as_force(node, tau, q)
        if self.forces is not None:
            fields.wrench[:] = 0.0
            for key, wrench in (self.forces(t, owner) or {}).items():
                body = owner._plan.places[tuple(key)].body
                if body < 0:
                    raise ModelError(f"expected a body that moves, {tuple(key)} does not")
                fields.wrench[body] += np.asarray(wrench, float)

    @staticmethod
    def _as_force(node: Any, tau: np.ndarray, q: np.ndarray) -> np.ndarray:
        """A free body's forces on its frame, as force and moment about the centre of mass."""
        if not node.is_free:
            return tau
        R = rotations(q[3:7])
        arm = R @ np.array(node.model.links[0].body.com, float)
        return np.concatenate((tau[:3], R @ tau[3:] - np.cross(arm, tau[:3])))

    def _filter_contacts(self) -> None:
        exchange = self.owner._fields.exchange
        count = int(exchange[0])
        if count == 0:
            return
        whole = np.ctypeslib.as_array((ctypes.c_int64 * (4 * count)).from_address(int(exchange[1])))
        real = np.ctypeslib.as_array(
            (ctypes.c_double * (12 * count)).from_address(int(exchange[2]))
        )
        whole, real = whole.reshape(count, 4), real.reshape(count, 12)
        geometries = np.array(self.owner._lowered.geometries)
        keep = self.filter(self.owner.current_time, ContactView(whole, real, geometries))
        if keep is not None:
            whole[~np.asarray(keep, bool), 3] = -1
