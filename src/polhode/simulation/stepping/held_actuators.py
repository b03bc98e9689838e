"""Forces of actuators whose controls are held, found by compiled code without a call of Python.

Their program takes coordinates of `Scene.model`.  These are those of the loops in another order,
but for bodies that are free by themselves, on which nothing may depend then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...algorithms.tree.acting_forces import acting_forces, forces_of_surroundings
from ...binding.programs import program_of
from ...compiler.jit import jit
from ...model import JointTransmission, Model, TendonTransmission
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
    if actuation.has_states or adhesive(model):
        return False
    return not plan.has_free_bodies or _act_on_joints(model)


def _act_on_joints(model: Model) -> bool:
    """Whether all that acts acts on joints of one axis, directly or by sums of their positions."""
    ways = [actuator.transmission for actuator in model.actuators]
    on_joints = all(
        isinstance(way, TendonTransmission)
        or (isinstance(way, JointTransmission) and model.joint(way.joint).kind.nv == 1)
        for way in ways
    )
    carries = any(mass for mass, _ in model.floated) or model.fluid is not None
    return on_joints and not carries and not any(tendon.path for tendon in model.tendons)


def hold_actuators(simulator: Simulator, actuation: Actuation) -> Any:
    """Have compiled code find the forces of actuators, tendons, fluids and carried weights.

    What is returned must be kept alive.
    """
    fields, plan, model = simulator._fields, simulator._plan, actuation.model
    program = program_of(acting_forces if model.actuators else forces_of_surroundings, model)
    kernel = program.kernel(SCALAR)
    fields.act_program = np.array([kernel.descriptor["loop"], kernel.descriptor.address])
    free = [node for node in plan.nodes if node.is_free]
    places = [k for node in free for k in range(node.place, node.place + 7)]
    dofs = [k for node in free for k in range(node.dof, node.dof + 6)]
    fields.act_place = _moving(plan.positions_of_scene, plan.nq, places)
    fields.act_dof = _moving(plan.velocities_of_scene, plan.nv, dofs)
    q, qd = (x.copy() for x in simulator.state)
    fields.act_q, fields.act_qd, fields.act_controls = q, qd, actuation.controls.copy()
    fields.act_tau, fields.act_stiffness, fields.act_damping = np.zeros((3, model.nv))
    given = (fields.act_q, fields.act_qd, fields.act_controls)[: 3 if model.actuators else 2]
    found = fields.act_tau, fields.act_stiffness, fields.act_damping
    fields.act_arguments = np.array([address_of(array, 0) for array in (*given, *found)])
    fields.act_steps = np.array(loop_steps(program))
    return program, kernel


def _moving(order: SceneOrder, n: int, free: list[int]) -> np.ndarray:
    """The place of each coordinate in the loops; -1 of models that stand still or are free."""
    places = order.places
    return np.where((places < n) & ~np.isin(places, free), places, -1)


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
