"""Accelerations of a scene without contact, in the coordinates of one model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...api.dynamics import bias_forces, forward_dynamics, mass_matrix
from ...api.kinematics import frame_jacobian, point_position, point_velocity
from ...api.manifold import integrate
from ...errors import ModelError
from ...model import Model
from ...scene import UniformGravity
from ..cross_product import cross
from ..motion_state import MotionState
from ..stepping.constants import gains_of, joint_place
from ..stepping.coordinates import from_model, inward_force, outward_force, to_model
from ..stepping.counter_indices import WORK
from ..stepping.tendon_armature import armature_of_all
from .couplings import Couplings

if TYPE_CHECKING:
    from ..stepping.simulator import Simulator

_RATE = 20.0  # at which errors of couplings die out between projections [1/s]
_DEPENDENT = 1e-10  # relative size below which a row depends on others


class SceneDrive:
    """A scene as integrators of smooth motion ask it."""

    shape: tuple[int, ...] = ()

    def __init__(self, owner: Simulator):
        self.owner: Simulator = owner
        scene, plan = owner.scene, owner._plan
        moving = tuple(node.machine for node in plan.nodes)
        bare = replace(
            scene, machines=moving, geometries=(), loops=(), gears=(), forces=(), contacts=(),
            disabled_pairs=(), plugins=(), dissipation=None, springs=(), sensors=(), actuators=(),
            tendons=armature_of_all(plan),
        )  # fmt: skip
        self.model: Model = bare.model
        self._refuse_steps(owner)
        viscous = owner._fields.viscous
        self._viscous: np.ndarray | None = viscous.copy() if viscous.any() else None
        gears = []
        for gear in scene.gears:
            ends = [joint_place(plan, *end) for end in (gear.a, gear.b)]
            (a, _, qa), (b, _, qb) = ends  # type: ignore[misc]
            gears.append((a, b, gear.ratio, qa - gear.ratio * qb))
        self.couplings: Couplings = Couplings(plan, self.model, gears)
        self._none = np.zeros(self.model.nv)
        fields = owner._fields
        springs = fields.spring_rows, fields.spring_dof, fields.turn_spring
        self._has_springs = any(len(each) for each in springs)
        self._places = {
            pair: (place.body, self.model.body("/".join(pair)))
            for pair, place in plan.places.items()
            if place.body >= 0
        }
        self._drags = [
            (pair, gains)
            for force in scene.forces
            if not isinstance(force, UniformGravity)
            for pair in scene.bodies_of(force)
            if pair in self._places and any(gains := gains_of(scene, force, *pair))
        ]
        self._pulls = [
            (pair, np.array(force.acceleration))
            for force in scene.forces
            if isinstance(force, UniformGravity)
            for pair in scene.bodies_of(force)
            if pair in self._places
        ]

    @staticmethod
    def _refuse_steps(owner: Simulator) -> None:
        """What stops or holds suddenly is no differential equation."""
        fields, where = owner._fields, f"(scene '{owner.scene.name}')"
        both, one = "integrators 'event_driven' and 'moreau'", "integrator 'event_driven' only"
        for count, what, by in (
            (len(fields.limit_tendon), "limits of tendons", one),
            (fields.tendon_friction.any(), "dry friction of tendons", one),
            (len(fields.limit_lower), "limits of joints", both),
            (len(fields.friction_dof), "dry friction of joints", both),
            (len(fields.hinge_loop), "limits and friction of loops", one),
        ):
            if count:
                raise ModelError(f"{what} are simulated by {by}, got '{owner.integrator}' {where}")

    @property
    def kept(self) -> np.ndarray:
        """Factors of a dissipation, for each velocity."""
        fields = self.owner._fields
        return fields.dissipation[fields.dof_node]

    # -- between the loops' coordinates and the model's --

    def state(self) -> MotionState:
        """The state of the simulator."""
        owner, fields = self.owner, self.owner._fields
        q, qd = to_model(owner._plan, fields.position, fields.velocity)
        return MotionState(owner.current_time, q, qd, float(fields.totals[WORK]))

    def put_state(self, state: MotionState) -> None:
        """Let the simulator be in this state."""
        self.put(state.time, state.q, state.qd)
        self.owner._fields.totals[WORK] = state.work

    def put(self, t: float, q: np.ndarray, qd: np.ndarray) -> None:
        """Let the simulator be at this moment, with these positions and velocities."""
        fields = self.owner._fields
        fields.position[:], fields.velocity[:] = from_model(self.owner._plan, q, qd)
        self.owner._clock.show(t)

    # -- forces --

    def damping(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray | None:
        """Force of joints and actuators for each unit of speed, if there is any."""
        owner = self.owner
        actuation = owner._callables.actuation
        if actuation is None or not actuation.has_gains:
            return self._viscous
        self.put(owner.current_time, q, qd)
        found = actuation.gains(*owner.state)[1].take(owner._plan.velocities_that_move)
        return found if self._viscous is None else found + self._viscous

    def tau(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """None: `acceleration` asks for all forces itself."""
        return self._none

    def acceleration(
        self, t: float, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, out: np.ndarray
    ) -> np.ndarray:
        """Accelerations under all forces, couplings held."""
        self.free_acceleration(t, q, qd, out)
        if len(self.couplings):
            rows = self.couplings.rows(q, qd)
            wanted = -rows.bias - 2.0 * _RATE * rows.errd - _RATE**2 * rows.err
            out += self._moved(q, rows.J, wanted - rows.J @ out)
        return out

    attracted_acceleration = acceleration

    def check_limits(self, t: float, q: np.ndarray) -> None:
        """None: a scene with limits is refused."""

    def free_acceleration(
        self, t: float, q: np.ndarray, qd: np.ndarray, out: np.ndarray
    ) -> np.ndarray:
        """Accelerations as they would be without couplings."""
        tau, wrenches = self._loads(t, q, qd)
        if not wrenches.any():
            return forward_dynamics(self.model, q, qd, tau, out=out)
        return forward_dynamics(self.model, q, qd, tau, f_ext=wrenches, out=out)

    def _loads(self, t: float, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All joint forces but those of couplings, and all wrenches."""
        tau, wrenches = self._asked(t, q, qd)
        self._add_pulls(q, wrenches)
        self._add_drags(q, qd, wrenches)
        return tau + self._passive(t, q, qd), wrenches

    def _passive(self, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Joint forces of damping and springs."""
        owner = self.owner
        force = -owner._fields.viscous * qd
        if not self._has_springs:
            return force
        # What compiles takes a while to import.
        from .springs import spring_forces

        self.put(t, q, qd)
        of_springs = np.empty_like(force)
        spring_forces(owner._fields, of_springs)
        return force + outward_force(owner._plan, owner._fields.position, of_springs)

    @property
    def is_free(self) -> bool:
        """Nothing but gravity does work."""
        owner = self.owner
        callables, fields = owner._callables, owner._fields
        acts = callables.acts or self._drags or self._pulls
        return not (acts or self._has_springs or fields.viscous.any() or owner._pushes.any())

    def power(self, t: float, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> Any:
        """What all of it puts in, but for couplings, which only pass energy on."""
        joints, wrenches = self._loads(t, q, qd)
        if wrenches.any():
            still = np.zeros_like(qd)
            bare = bias_forces(self.model, q, still)
            joints = joints + bare - bias_forces(self.model, q, still, f_ext=wrenches)
        return float(joints @ qd)

    def row(self, state: MotionState) -> tuple[Any, ...]:
        """A record of a state: the columns of `polhode.simulation.stepping.loop.RecordedRows`."""
        t, q, qd, work, _ = state
        plan = self.owner._plan
        applied, _ = self._asked(t, q, qd)
        held = np.zeros_like(qd)
        if len(self.couplings):
            free = self.free_acceleration(t, q, qd, np.empty_like(qd)).copy()
            change = self.acceleration(t, q, qd, applied, np.empty_like(qd)) - free
            held = mass_matrix(self.model, q) @ change
        position, velocity = from_model(plan, q, qd)
        forces = (applied, self._passive(t, q, qd), held)
        return (t, position, velocity, *(inward_force(plan, position, x) for x in forces), work)

    def _asked(self, t: float, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Joint forces of controllers, and wrenches on the model's bodies."""
        owner, tau = self.owner, np.zeros(self.model.nv)
        wrenches = np.zeros((self.model.n_bodies, 6))
        on_bodies = owner._pushes.copy()
        callables = owner._callables
        if callables.acts:
            self.put(t, q, qd)
            tau = callables.joint_forces(t)
            callables.add_wrenches(t, on_bodies)
        for own, body in self._places.values():
            if on_bodies[own].any():
                wrenches[body.moving - 1] += on_bodies[own]
                on_bodies[own] = 0.0
        return tau, wrenches

    def _add_pulls(self, q: np.ndarray, wrenches: np.ndarray) -> None:
        for pair, acceleration in self._pulls:
            body = self._places[pair][1]
            own = self.owner.scene.machine(pair[0]).model.body(pair[1]).body
            at = point_position(self.model, q, body, np.array(own.com, float))
            _add(wrenches, body, at, own.mass * acceleration)

    def _add_drags(self, q: np.ndarray, qd: np.ndarray, wrenches: np.ndarray) -> None:
        origin = np.zeros(3)
        for pair, (linear, angular, linear_2, angular_2) in self._drags:
            body = self._places[pair][1]
            v = point_velocity(self.model, q, qd, body, origin)
            w = frame_jacobian(self.model, q, body, origin)[:3] @ qd
            at = point_position(self.model, q, body, origin)
            _add(wrenches, body, at, -(linear + linear_2 * np.linalg.norm(v)) * v)
            wrenches[body.moving - 1, :3] -= (angular + angular_2 * np.linalg.norm(w)) * w

    # -- couplings --

    def _moved(self, q: np.ndarray, J: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """The least change, weighed by inertia, that changes the rows as wanted."""
        share = np.linalg.solve(mass_matrix(self.model, q), J.T)
        force = np.linalg.lstsq(J @ share, wanted, rcond=_DEPENDENT)[0]
        return share @ force

    def project(self, q: np.ndarray, qd: np.ndarray, sweeps: int = 5) -> float:
        """Bring loops and gears together, in place; return the error that is left."""
        if not len(self.couplings):
            return 0.0
        for _ in range(sweeps):
            rows = self.couplings.rows(q, qd)
            if np.abs(rows.err).max() < 1e-12:
                break
            q[:] = integrate(self.model, q, self._moved(q, rows.J, -rows.err), 1.0)
        self.project_velocity(q, qd)
        return float(np.abs(self.couplings.rows(q, qd).err).max())

    def project_velocity(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Velocities that keep loops and gears, in place."""
        if len(self.couplings):
            J = self.couplings.rows(q, qd).J
            qd += self._moved(q, J, -(J @ qd))


def _add(wrenches: np.ndarray, body: Any, at: np.ndarray, force: np.ndarray) -> None:
    """Add a force at a point to the wrench on a body."""
    wrenches[body.moving - 1, :3] += cross(at, force)
    wrenches[body.moving - 1, 3:] += force
