"""Forces of actuators whose controls are held, found by compiled code without a call of Python.

Their program takes coordinates of `Scene.model`, which are those of the loops in another order
where no body is free by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...algorithms.actuation.gains import forces_and_gains
from ...binding.programs import program_of
from ...compiler.jit import jit
from ..actuation import Actuation, adhesive
from ..addresses import call_loop
from .lowering import SCALAR, SceneLayout, SceneOrder, address_of, loop_steps
from .system import System

if TYPE_CHECKING:
    from .simulator import Simulator


def no_actuators(nv: int) -> dict[str, Any]:
    """The arrays of a scene whose actuators, if any, are called in Python."""
    numbers = ("act_q", "act_qd", "act_tau", "act_stiffness", "act_damping", "act_controls")
    places = ("act_program", "act_arguments", "act_steps", "act_place", "act_dof")
    fields = {name: np.zeros(0) for name in numbers}
    fields |= {name: np.zeros(0, np.int64) for name in places}
    of_velocities = ("asked", "written", "servo_stiffness", "servo_damping", "resisted")
    return {**fields, **{name: np.zeros(nv) for name in of_velocities}, "is_driven": 0}


def are_held(plan: SceneLayout, actuation: Actuation) -> bool:
    """Whether forces of actuators are a function of the coordinates and constant controls."""
    model = actuation.model
    return bool(model.actuators) and not (
        actuation.has_states or actuation.acts_otherwise or adhesive(model)
        or len(plan.free_bodies.com)
    )  # fmt: skip


def hold_actuators(simulator: Simulator, actuation: Actuation) -> Any:
    """Have compiled code find the forces of actuators; what is returned must be kept alive."""
    fields, plan, model = simulator._fields, simulator._plan, actuation.model
    program = program_of(forces_and_gains, model)
    kernel = program.kernel(SCALAR)
    fields.act_program = np.array([kernel.descriptor["loop"], kernel.descriptor.address])
    fields.act_place = _moving(plan.positions_of_scene, plan.nq)
    fields.act_dof = _moving(plan.velocities_of_scene, plan.nv)
    q, qd = simulator.state
    arrays = q.copy(), qd.copy(), actuation.controls.copy(), *np.zeros((3, model.nv))
    fields.act_q, fields.act_qd, fields.act_controls, fields.act_tau = arrays[:4]
    fields.act_stiffness, fields.act_damping = arrays[4:]
    fields.act_arguments = np.array([address_of(array, 0) for array in arrays])
    fields.act_steps = np.array(loop_steps(program))
    return program, kernel


def _moving(order: SceneOrder, n: int) -> np.ndarray:
    """The place of each coordinate in the loops; -1 for those of models that stand still."""
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
def act(s: System):
    """Joint forces that are asked for, and those of the actuators, at the present state.

    Also how these resist a change of velocity.
    """
    for i in range(len(s.act_place)):
        if s.act_place[i] >= 0:
            s.act_q[i] = s.position[s.act_place[i]]
    for i in range(len(s.act_dof)):
        if s.act_dof[i] >= 0:
            s.act_qd[i] = s.velocity[s.act_dof[i]]
    call_loop(
        s.act_program[0], s.act_arguments.ctypes.data, s.act_steps.ctypes.data,
        s.act_steps.ctypes.data + 8, s.act_program[1],
    )  # fmt: skip
    for i in range(len(s.act_dof)):
        k = s.act_dof[i]
        if k >= 0:
            s.tau[k] = s.written[k] = s.asked[k] + s.act_tau[i]
            s.servo_stiffness[k], s.servo_damping[k] = s.act_stiffness[i], s.act_damping[i]
