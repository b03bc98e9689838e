"""Python functions that the compiled loop calls back: controllers, forces, contact filters."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arguments import as_generator, as_mapping, check_called_with
from ...arrays import as_array
from ...errors import ModelError, ShapeError, shown, suggestion
from ...interrupts import CallbackInterrupts
from ..actuation import Actuation
from ..drive import State, checked_forces
from ..errors import SimulationError
from ..hold import ZeroOrderHold
from .contact_detection import CONTACT_FILTER, CONTACT_SOURCE
from .contacts import N_REAL
from .coordinates import inward_force
from .counter_indices import ELAPSED, RAISED, STOP
from .held_actuators import are_held, begin_held, end_held, hold_actuators
from .plugin_contacts import Finder
from .step import MID_STEP

if TYPE_CHECKING:
    from .simulator import Simulator


class ContactView:
    """Contacts as a filter sees them: arrays in place, one row each.

    ``a``, ``b`` are indices into ``scene.geometries``; ``point``, ``normal`` (from b to a)
    and ``gap`` may be changed.
    """

    def __init__(self, whole: np.ndarray, real: np.ndarray, geometries: np.ndarray):
        self.a: np.ndarray = geometries[whole[:, 0]]
        self.b: np.ndarray = geometries[whole[:, 1]]
        self.point: np.ndarray = real[:, 0:3]
        self.normal: np.ndarray = real[:, 3:6]
        self.gap: np.ndarray = real[:, 9]

    def __len__(self) -> int:
        return len(self.a)


def is_at_mid_step(function: Callable[..., Any]) -> bool:
    """Whether a controller or force depends on positions: its attribute ``at_mid_step`` says so.

    It is then called at the positions of each velocity update, which makes springs of second
    order; others are called once a step, and held.
    """
    return bool(getattr(function, "at_mid_step", False))


class Callables:
    """Python functions that the compiled loop calls back."""

    def __init__(
        self, owner: Simulator, controllers: Any, forces: Any, contact_filter: Any,
        seed: int | None, actuation: Actuation | None = None,
    ):  # fmt: skip
        plugins = owner.scene.plugins
        self.owner = owner
        self.forces: list[Callable[..., Any]] = [p.function for p in plugins if p.kind == "forces"]
        self.filters: list[Callable[..., Any]] = [
            p.function for p in plugins if p.kind == "contact-filter"
        ]
        if forces is not None:
            check_called_with("forces", forces, ("t", "simulator"))
            self.forces.append(forces)
        if contact_filter is not None:
            check_called_with("contact_filter", contact_filter, ("t", "contacts"))
            self.filters.append(contact_filter)
        for name, controller in as_mapping("controllers", controllers).items():
            check_called_with(f"controllers[{name!r}]", controller, ("t", "state"))
        of_scene = {m: p.function for p in plugins if p.kind == "controller" for m in p.of}
        self.controllers: dict[str, Callable[..., Any]] = {}
        self.step_begin: float = owner.scene.settings.time
        self.is_sampled: bool = False
        for name, controller in {**of_scene, **controllers}.items():
            self.is_sampled |= isinstance(controller, ZeroOrderHold)
            self.controllers[owner._node(name).machine.name] = self._sampled(controller)
        self.finder: Finder = Finder(owner._lowered)
        self._held_wrenches: np.ndarray = np.zeros_like(owner._fields.wrench)
        self.rng: np.random.Generator = as_generator("seed", seed)
        self.error: BaseException | None = None
        self.interrupts: CallbackInterrupts = CallbackInterrupts()
        self.is_called: bool = False
        self.actuation: Actuation | None = actuation
        self.is_driven: bool = False  # joint forces of each step are given
        self._n_records: int = 0  # of the present call, until they are taken
        self.samples_actuation: bool = actuation is not None and actuation.has_states
        calls = bool(self.controllers or self.forces or self.filters or len(owner._lowered.asked))
        self._held: Any = None
        if (
            actuation is not None
            and not calls
            and owner.integrator == "event_driven"
            and are_held(actuation)
        ):
            self._held = hold_actuators(owner, actuation)
        if calls or (actuation is not None and not self._held):
            self.is_called = True
            self._function = ctypes.CFUNCTYPE(None, ctypes.c_int64)(self._called)
            address = ctypes.cast(self._function, ctypes.c_void_p).value or 0
            owner._fields.hook = address
        acting = (*self.controllers.values(), *self.forces)
        owner._fields.asks_at_mid_step = int(
            (actuation is not None and not self._held) or any(map(is_at_mid_step, acting))
        )

    @property
    def acts(self) -> bool:
        """Whether controllers, forces or actuators act."""
        return bool(self.controllers or self.forces or self.actuation)

    def _called(self, stage: int) -> None:
        try:
            try:
                self.interrupts.enter()
                if stage == CONTACT_SOURCE:
                    self.finder.find(self.owner.current_time, *self._contacts())
                elif stage == CONTACT_FILTER:
                    self._filter_contacts()
                elif stage == MID_STEP:
                    self._act_at_mid_step()
                else:
                    self._begin()
            finally:
                self.interrupts.leave()
        except BaseException as error:
            self.error = error
            self.owner._fields.counters[STOP] = RAISED
            self.finder.give_nothing()

    def _begin(self) -> None:
        t = self.step_begin = self.owner.current_time
        fields = self.owner._fields
        if self.is_driven or (fields.tau != fields.written).any():
            fields.asked[:] = fields.tau  # set from outside
        self.sample_actuation(t)
        self._control(t, self._of_stage(at_mid_step=False))
        if self.forces:
            self._held_wrenches[:] = self.owner._pushes
            held = [forces for forces in self.forces if not is_at_mid_step(forces)]
            self._add_wrenches(held, t, self._held_wrenches)
            self.owner._fields.wrench[:] = self._held_wrenches

    def _act_at_mid_step(self) -> None:
        fields, owner_plan = self.owner._fields, self.owner._plan
        t = self.owner.current_time + float(fields.totals[ELAPSED])
        self._control(t, self._of_stage(at_mid_step=True))
        if self.actuation is not None:
            tau = inward_force(owner_plan, fields.position, self._actuator_forces())
            fields.tau[:] = fields.written[:] = fields.asked + tau
            if self.actuation.has_gains:
                gains = self.actuation.gains(*self.owner.state)
                of_moving = [x.take(owner_plan.velocities_that_move) for x in gains]
                fields.servo_stiffness[:], fields.servo_damping[:] = of_moving
            if len(fields.adhesion):
                fields.adhesion[:] = self.actuation.adhesion(*self.owner.state)
        forces = [forces for forces in self.forces if is_at_mid_step(forces)]
        if forces:
            fields.wrench[:] = self._held_wrenches
            self._add_wrenches(forces, t, fields.wrench)

    def _of_stage(self, *, at_mid_step: bool) -> list[str]:
        """The models whose controllers are called at the middle of a step, or at its start."""
        return [m for m, f in self.controllers.items() if is_at_mid_step(f) == at_mid_step]

    def _control(self, t: float, machines: list[str]) -> None:
        """Ask the controllers of some models for joint forces."""
        if not machines:
            return
        owner, fields = self.owner, self.owner._fields
        given = inward_force(owner._plan, fields.position, self._joint_forces(t, machines))
        for name in machines:
            node = owner._node(name)
            own = slice(node.dof, node.dof + node.model.nv)
            fields.asked[own] = fields.tau[own] = given[own]

    def _sampled(self, controller: Callable[..., Any]) -> Callable[..., Any]:
        """A held controller is called in the first step at or after multiples of its period."""
        if not isinstance(controller, ZeroOrderHold):
            return controller
        period, sample, tau = controller.period, -1, None

        def held(t: float, state: State) -> Any:
            nonlocal sample, tau
            if (now := int(self.step_begin / period + 1e-9)) != sample:
                sample, tau = now, controller(t, state)
            return tau

        return held

    def joint_forces(self, t: float) -> np.ndarray:
        """The joint forces of controllers and actuators, shape (nv,)."""
        return self.controlled_forces(t) + self._actuator_forces()

    def controlled_forces(self, t: float) -> np.ndarray:
        """The joint forces of controllers, shape (nv,)."""
        return self._joint_forces(t, list(self.controllers))

    def recorded(self, times: np.ndarray) -> dict[str, np.ndarray]:
        """Controls and activation at some times of the last steps, a row for each."""
        model = self.owner.model
        controls = np.zeros((len(times), model.n_controls))
        activation = np.zeros((len(times), model.n_activations))
        if self.actuation is not None and self.actuation.model.actuators:
            for k, t in enumerate(times.tolist()):
                controls[k], activation[k] = self.actuation.recalled(t)
            self.actuation.forget()
            if self._held and self._n_records and self.owner.model.n_activations:
                activation[:] = self.owner._fields.recorded_activation[: len(times)]
                self._n_records = 0
        return {"controls": controls, "activation": activation}

    def begin_steps(self, *, are_driven: bool, n_records: int) -> None:
        """Say whether joint forces of the next steps are given, and how many are recorded."""
        self.is_driven, self._n_records = are_driven, n_records
        if self.actuation is not None:
            self.actuation.forget()
            if self._held:
                self.owner._fields.is_driven = int(are_driven)
                begin_held(self.owner._fields, self.actuation, n_records)

    def end_steps(self) -> None:
        """Take over what compiled code did in Python's place."""
        if self._held and self.actuation is not None:
            end_held(self.owner._fields, self.actuation)

    def sample_actuation(self, t: float) -> None:
        """Hold the controls of now, and the activation that was reached."""
        if self.actuation is not None:
            if self._n_records:
                self.actuation.remember()
            q, qd = self.owner.state
            state = State(t, q, qd, self.owner.scene.model, self.rng)
            self.actuation.sample(t, q, qd, state)

    def _actuator_forces(self) -> np.ndarray:
        """Joint forces of actuators and tendons in what moves, shape (nv,)."""
        owner, actuation = self.owner, self.actuation
        if actuation is None:
            return np.zeros(owner._plan.nv)
        return actuation.all_forces(*owner.state).take(owner._plan.velocities_that_move)

    def _joint_forces(self, t: float, machines: list[str]) -> np.ndarray:
        owner = self.owner
        forces = np.zeros(owner._plan.nv)
        for name in machines:
            controller = self.controllers[name]
            node = owner._node(name)
            q, qd = owner.state_of(name)
            tau = checked_forces(
                controller(t, State(t, q, qd, node.model, self.rng)),
                f"forces of the controller of '{name}'", t, node.model, (node.model.nv,),
            )  # fmt: skip
            forces[node.dof : node.dof + node.model.nv] = tau
        return forces

    def add_wrenches(self, t: float, out: np.ndarray) -> None:
        """Add the wrenches of all forces to those of the bodies."""
        self._add_wrenches(self.forces, t, out)

    def _add_wrenches(self, functions: list[Callable[..., Any]], t: float, out: np.ndarray) -> None:
        for forces in functions:
            answer = forces(t, self.owner)
            if answer is not None and not isinstance(answer, Mapping):
                raise ShapeError(f"expected forces to return a dict {{(model, link): wrench}} "
                                 f"or None, got {shown(answer)} at t = {t:g} s")  # fmt: skip
            for key, wrench in (answer or {}).items():
                out[self._body(key)] += self._wrench(key, wrench, t)

    def _body(self, key: Any) -> int:
        places = self.owner._plan.places
        if not isinstance(key, tuple) or key not in places:
            names = sorted("/".join(pair) for pair in places)
            got = "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
            raise ModelError(
                f"expected (model, link) as key of forces, got {key!r}{suggestion(got, names)}"
            )
        if places[key].body < 0:
            raise ModelError(f"expected a body that moves, {key} does not")
        return places[key].body

    @staticmethod
    def _wrench(key: Any, wrench: Any, t: float) -> np.ndarray:
        where = f" at t = {t:g} s"
        if wrench is None:
            where += "; does the function return them?"
        values = as_array(f"wrench on {key}", wrench, where)
        if values.shape != (6,):
            raise SimulationError(
                f"expected a wrench of 6 numbers on {key}, got shape {values.shape} at t = {t:g} s"
            )
        return values

    def _contacts(self) -> tuple[np.ndarray, np.ndarray]:
        """The contacts that the compiled loop offers, in place."""
        exchange = self.owner._fields.exchange
        count = int(exchange[0])
        if count == 0:
            return np.zeros((0, 4), np.int64), np.zeros((0, N_REAL))
        whole = np.ctypeslib.as_array((ctypes.c_int64 * (4 * count)).from_address(int(exchange[1])))
        real = np.ctypeslib.as_array(
            (ctypes.c_double * (N_REAL * count)).from_address(int(exchange[2]))
        )
        return whole.reshape(count, 4), real.reshape(count, N_REAL)

    def _filter_contacts(self) -> None:
        whole, real = self._contacts()
        t, geometries = self.owner.current_time, np.array(self.owner._lowered.geometries)
        for keep_of in self.filters if len(whole) else ():
            keep = keep_of(t, ContactView(whole, real, geometries))
            if keep is None:
                continue
            mask = np.asarray(keep)
            if mask.shape != (len(whole),) or mask.dtype != bool:
                raise SimulationError(
                    f"expected a mask of {len(whole)} booleans of the contact filter, got "
                    f"{mask.dtype} of shape {mask.shape} at t = {t:g} s"
                )
            whole[~mask, 3] = -1
