"""Forces of actuators whose controls are held, found by compiled code without a call of Python.

Their activation goes on where a step begins, and is held through it.  The programs take
coordinates of `Scene.model`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...algorithms.actuation.forces import next_activation
from ...algorithms.tree.acting_forces import acting_forces, forces_of_surroundings
from ...binding.programs import program_of
from ...compiler.jit import Floats, jit
from ..actuation import Actuation, adhesive
from ..addresses import call_loop
from .counter_indices import TIME
from .free_bodies import FreeBodies, put_about_origin, put_force_about_com
from .lowering import SCALAR, SceneOrder, address_of, loop_steps
from .system import System

if TYPE_CHECKING:
    from ...compiler import Program
    from ...model import Model
    from .simulator import Simulator


def no_actuators(nv: int) -> dict[str, Any]:
    """The arrays of a scene whose actuators, if any, are called in Python."""
    numbers = ("act_q", "act_qd", "act_tau", "act_stiffness", "act_damping", "act_controls",
               "activation", "next_q", "next_qd", "next_elapsed", "next_activation")  # fmt: skip
    places = ("act_program", "act_arguments", "act_steps", "act_place", "act_dof", "next_program",
              "next_arguments", "next_steps")  # fmt: skip
    fields: dict[str, Any] = {name: np.zeros(0) for name in numbers}
    fields |= {name: np.zeros(0, np.int64) for name in places}
    of_velocities = ("asked", "written", "servo_stiffness", "servo_damping", "resisted")
    fields |= {name: np.zeros(nv) for name in of_velocities}
    fields["free_first"], fields["free_com"] = np.zeros((0, 2), np.int64), np.zeros((0, 3))
    return {**fields, "is_driven": 0, "activation_since": np.inf,
            "recorded_activation": np.zeros((0, 0))}  # fmt: skip


def are_held(actuation: Actuation) -> bool:
    """Whether forces of actuators are a function of the coordinates and constant controls."""
    return not actuation.is_called and not adhesive(actuation.model)


def hold_actuators(simulator: Simulator, actuation: Actuation) -> Any:
    """Have compiled code find the forces of actuators, tendons, fluids and carried weights.

    What is returned must be kept alive.
    """
    fields, plan, model = simulator._fields, simulator._plan, actuation.model
    fields.act_place = _moving(plan.positions_of_scene, plan.nq)
    fields.act_dof = _moving(plan.velocities_of_scene, plan.nv)
    fields.free_first, fields.free_com = plan.free_bodies
    fields.act_q, fields.act_qd = (x.copy() for x in simulator.state)
    fields.act_tau, fields.act_stiffness, fields.act_damping = np.zeros((3, model.nv))
    fields.act_controls = actuation.controls.copy()
    fields.activation, fields.next_activation = np.zeros((2, model.n_activations))
    found = fields.act_tau, fields.act_stiffness, fields.act_damping
    function, optional = forces_of_surroundings, ()
    given: tuple[np.ndarray, ...] = (fields.act_q, fields.act_qd)
    if model.actuators:
        function, given = acting_forces, (*given, fields.act_controls)
    if model.n_activations:
        optional, given = ("activation",), (*given, fields.activation)
    acting = _Loop(program_of(function, model, optional=optional), given, found)
    fields.act_program, fields.act_arguments, fields.act_steps = acting.numbers
    return acting, _hold_activation(fields, model) if model.n_activations else None


def _hold_activation(fields: System, model: Model) -> _Loop:
    """Have compiled code find the activation at a time after the last sample."""
    fields.next_q, fields.next_qd = fields.act_q.copy(), fields.act_qd.copy()
    fields.next_elapsed = np.zeros(1)
    given = (fields.next_q, fields.next_qd, fields.act_controls, fields.activation,
             fields.next_elapsed)  # fmt: skip
    later = _Loop(program_of(next_activation, model), given, (fields.next_activation,))
    fields.next_program, fields.next_arguments, fields.next_steps = later.numbers
    return later


class _Loop:
    """The inner loop of a program over fixed arrays, as numbers for compiled code.

    It holds the code, which is called by address.
    """

    def __init__(
        self, program: Program, given: tuple[np.ndarray, ...], found: tuple[np.ndarray, ...]
    ):
        self._code = program, program.kernel(SCALAR)
        descriptor = self._code[1].descriptor
        self.numbers: tuple[np.ndarray, ...] = (
            np.array([descriptor["loop"], descriptor.address]),
            np.array([address_of(array, 0) for array in (*given, *found)]),
            np.array(loop_steps(program)),
        )


def begin_held(fields: System, actuation: Actuation, n_records: int) -> None:
    """Let compiled code go on where actuators are, with room for so many records."""
    fields.act_controls[:] = actuation.controls
    if actuation.model.n_activations:
        since, q, qd, activation = actuation.held
        fields.activation[:], fields.activation_since = activation, since
        fields.next_q[:], fields.next_qd[:] = q, qd
        fields.recorded_activation = np.empty((n_records, actuation.model.n_activations))


def end_held(fields: System, actuation: Actuation) -> None:
    """Take over where compiled code left actuators."""
    if actuation.model.n_activations and fields.activation_since < np.inf:
        since, now = fields.activation_since, (fields.next_q, fields.next_qd, fields.activation)
        actuation.hold(since, *(x.copy() for x in now))


def _moving(order: SceneOrder, n: int) -> np.ndarray:
    """The place of each coordinate in the loops; -1 of models that stand still."""
    return np.where(order.places < n, order.places, -1)


@jit
def note_asked(s: System):
    """Take joint forces that were set from outside since the last velocity update."""
    is_new = s.is_driven != 0
    for k in range(len(s.tau)):
        is_new = is_new or s.tau[k] != s.written[k]
    if is_new:
        for k in range(len(s.tau)):
            s.asked[k] = s.tau[k]


@jit
def hold_activation(s: System):
    """Let the activation of now act in the step that begins."""
    reach_activation(s)
    for i in range(len(s.activation)):
        s.activation[i] = s.next_activation[i]
    _gather(s, s.next_q, s.next_qd)
    s.activation_since = s.totals[TIME]


@jit
def note_activation(s: System, k: int):
    """Record the activation of now in row ``k``."""
    reach_activation(s)
    for i in range(len(s.activation)):
        s.recorded_activation[k, i] = s.next_activation[i]


@jit
def reach_activation(s: System):
    """Put the activation of now in ``s.next_activation``."""
    s.next_elapsed[0] = s.totals[TIME] - s.activation_since
    if s.next_elapsed[0] > 0.0:
        call_loop(
            s.next_program[0], s.next_arguments.ctypes.data, s.next_steps.ctypes.data,
            s.next_steps.ctypes.data + 8, s.next_program[1],
        )  # fmt: skip
    else:
        for i in range(len(s.activation)):
            s.next_activation[i] = s.activation[i]


@jit
def _gather(s: System, q: Floats, qd: Floats):
    """The state of `Scene.model`, but for what stands still."""
    position, velocity = s.position.copy(), s.velocity.copy()
    put_about_origin(FreeBodies(s.free_first, s.free_com), position, velocity)
    for i in range(len(s.act_place)):
        if s.act_place[i] >= 0:
            q[i] = position[s.act_place[i]]
    for i in range(len(s.act_dof)):
        if s.act_dof[i] >= 0:
            qd[i] = velocity[s.act_dof[i]]


@jit
def act(s: System):
    """Joint forces that are asked for, and those of the actuators, at the present state.

    Also how these resist a change of velocity.
    """
    _gather(s, s.act_q, s.act_qd)
    call_loop(
        s.act_program[0], s.act_arguments.ctypes.data, s.act_steps.ctypes.data,
        s.act_steps.ctypes.data + 8, s.act_program[1],
    )  # fmt: skip
    force = np.zeros(len(s.tau))
    for i in range(len(s.act_dof)):
        k = s.act_dof[i]
        if k >= 0:
            force[k] = s.act_tau[i]
            s.servo_stiffness[k], s.servo_damping[k] = s.act_stiffness[i], s.act_damping[i]
    put_force_about_com(FreeBodies(s.free_first, s.free_com), s.position, force)
    for k in range(len(s.tau)):
        s.tau[k] = s.written[k] = s.asked[k] + force[k]
