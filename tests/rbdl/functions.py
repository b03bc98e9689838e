"""How each RBDL function of the reference states is called on the facade."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from polhode import rbdl
from rbdl.cases import record_of
from reference.cases import array

Answer = Any


def arguments(state: dict, *names: str) -> list[np.ndarray]:
    return [array(state[name]) for name in names]


def forces(state: dict) -> list[np.ndarray]:
    return [np.array(f) for f in array(state["f_ext"]).reshape(-1, 6)]


def filled(function: Callable, model: rbdl.Model, given: list, shape: tuple, **more: Any) -> Answer:
    """Call with an output array as RBDL's wrapper has it, full of rubbish before."""
    out = np.full(shape, np.nan)
    result = function(model, *given, out, **more)
    assert result is out
    return out


def dynamics(name: str, *inputs: str, with_forces: bool = False) -> Callable:
    def compute(model: rbdl.Model, state: dict) -> Answer:
        more = {"f_ext": forces(state)} if with_forces else {}
        given = arguments(state, *inputs)
        return filled(getattr(rbdl, name), model, given, (model.dof_count,), **more)

    return compute


def inverse_dynamics_zero(model: rbdl.Model, state: dict) -> Answer:
    q, qd = arguments(state, "q", "qdot")
    return rbdl.InverseDynamics(model, q, qd, 0.0 * qd)


def mass_matrix(model: rbdl.Model, state: dict) -> Answer:
    n = model.dof_count
    return filled(rbdl.CompositeRigidBodyAlgorithm, model, arguments(state, "q"), (n, n))


def update_kinematics(model: rbdl.Model, state: dict) -> Answer:
    rbdl.UpdateKinematics(model, *arguments(state, "q", "qdot", "qddot"))
    return {
        "v": model.v,
        "a": model.a,
        "X_base": [record_of(X) for X in model.X_base],
        "X_lambda": [record_of(X) for X in model.X_lambda],
    }


def center_of_mass(model: rbdl.Model, state: dict) -> Answer:
    q, qd, qdd = arguments(state, "q", "qdot", "qddot")
    names = ("com", "com_velocity", "com_acceleration", "angular_momentum",
             "change_of_angular_momentum")  # fmt: skip
    out = {name: np.full(3, np.nan) for name in names}
    mass = rbdl.CalcCenterOfMass(model, q, qd, qddot=qdd, **out)
    for name, value in out.items():
        assert np.array_equal(getattr(mass, name), value)
    return {"mass": mass, **out}


def zero_moment_point(model: rbdl.Model, state: dict) -> Answer:
    normal, zmp = state["CalcZeroMomentPoint"]["normal"], np.full(3, np.nan)
    rbdl.CalcZeroMomentPoint(
        model, *arguments(state, "q", "qdot", "qddot"), zmp, normal=array(normal)
    )
    return {"normal": normal, "zmp": zmp}


STATE_FUNCTIONS: dict[str, Callable[[rbdl.Model, dict], Answer]] = {
    "UpdateKinematics": update_kinematics,
    "InverseDynamics": dynamics("InverseDynamics", "q", "qdot", "qddot"),
    "InverseDynamics_fext": dynamics("InverseDynamics", "q", "qdot", "qddot", with_forces=True),
    "InverseDynamics_zero_qddot": inverse_dynamics_zero,
    "NonlinearEffects": dynamics("NonlinearEffects", "q", "qdot"),
    "NonlinearEffects_fext": dynamics("NonlinearEffects", "q", "qdot", with_forces=True),
    "CompositeRigidBodyAlgorithm": mass_matrix,
    "ForwardDynamics": dynamics("ForwardDynamics", "q", "qdot", "tau"),
    "ForwardDynamics_fext": dynamics("ForwardDynamics", "q", "qdot", "tau", with_forces=True),
    "ForwardDynamicsLagrangian": dynamics("ForwardDynamicsLagrangian", "q", "qdot", "tau"),
    "ForwardDynamicsLagrangian_fext": dynamics(
        "ForwardDynamicsLagrangian", "q", "qdot", "tau", with_forces=True
    ),
    "CalcMInvTimesTau": dynamics("CalcMInvTimesTau", "q", "tau"),
    "CalcCenterOfMass": center_of_mass,
    "CalcKineticEnergy": lambda model, state: rbdl.CalcKineticEnergy(
        model, *arguments(state, "q", "qdot")
    ),
    "CalcPotentialEnergy": lambda model, state: rbdl.CalcPotentialEnergy(
        model, *arguments(state, "q")
    ),
    "CalcZeroMomentPoint": zero_moment_point,
}

INPUTS_OF_POINT = {
    "CalcBodyToBaseCoordinates": ("q",),
    "CalcBaseToBodyCoordinates": ("q",),
    "CalcBodyWorldOrientation": ("q",),
    "CalcPointJacobian": ("q",),
    "CalcPointJacobian6D": ("q",),
    "CalcBodySpatialJacobian": ("q",),
    "CalcPointVelocity": ("q", "qdot"),
    "CalcPointVelocity6D": ("q", "qdot"),
    "CalcPointAcceleration": ("q", "qdot", "qddot"),
    "CalcPointAcceleration6D": ("q", "qdot", "qddot"),
}
WITHOUT_POINT = ("CalcBodyWorldOrientation",)
ROWS = {"CalcPointJacobian": 3, "CalcPointJacobian6D": 6, "CalcBodySpatialJacobian": 6}


def call_point(
    function: str, model: rbdl.Model, state: dict, point: dict, update: bool = True
) -> Answer:
    """A function of a point; without update the state's arrays are full of NaN."""
    given: list[Any] = arguments(state, *INPUTS_OF_POINT[function])
    if not update:
        given = [np.full_like(x, np.nan) for x in given]
    given.append(point["body_id"])
    if function == "CalcBaseToBodyCoordinates":
        given.append(array(point["base_point"]))
    elif function not in WITHOUT_POINT:
        given.append(array(point["point"]))
    if function in ROWS:
        shape = (ROWS[function], model.dof_count)
        return filled(getattr(rbdl, function), model, given, shape, update_kinematics=update)
    return getattr(rbdl, function)(model, *given, update_kinematics=update)
