"""RBDL's constrained systems through the facade: groups, solvers, impacts, forces, assembly."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from constraints.rbdl_sets import right_equations, rows_with_lever
from polhode import rbdl
from rbdl.cases import PROGRAM, build, is_at_hand, model_path, record_of, transform
from rbdl.functions import forces
from reference.cases import Tally, array, read

ENTRIES = {entry["model"]: entry for entry in read("rbdl_constraints")["entries"]}
NEAR_SINGULAR = 1e4
SOLVERS = (
    "ForwardDynamicsConstraintsDirect",
    "ForwardDynamicsConstraintsRangeSpaceSparse",
    "ForwardDynamicsConstraintsNullSpace",
    "ForwardDynamicsContactsKokkevis",
)
IMPACTS = (
    "ComputeConstraintImpulsesDirect",
    "ComputeConstraintImpulsesRangeSpaceSparse",
    "ComputeConstraintImpulsesNullSpace",
)


@cache
def subject(name: str) -> tuple[rbdl.Model, rbdl.ConstraintSet]:
    """Model and set of an entry, the latter from a Lua file or by Add...Constraint calls."""
    entry, constraints = ENTRIES[name], rbdl.ConstraintSet()
    if entry["constraints"] is None:
        model = rbdl.Model()
        file, wanted = entry["model"].split(":")
        path = str(model_path(file))
        assert rbdl.LuaModelReadFromFileWithConstraints(path, model, [constraints], [wanted])
        return model, constraints
    model = build(entry)
    for call in entry["constraints"]:
        assert add(constraints, call) == call["returns"]
    assert constraints.Bind(model)
    return model, constraints


def add(constraints: rbdl.ConstraintSet, call: dict) -> int:
    if call["call"] == "AddContactConstraint":
        own = (call["user_id"],) if "user_id" in call else ()
        return constraints.AddContactConstraint(
            call["body_id"], call["body_point"], call["world_normal"], call["name"], *own
        )
    return constraints.AddLoopConstraint(
        call["predecessor"], call["successor"], transform(call["X_predecessor"]),
        transform(call["X_successor"]), call["axis"], call["enable_stabilization"],
        call["stabilization_time_constant"], call["name"],
    )  # fmt: skip


@pytest.mark.parametrize("name", ENTRIES)
def test_groups(name, record_property):
    """Every query of the groups that rows are merged into."""
    tally, entry = Tally(PROGRAM), ENTRIES[name]
    if not is_at_hand(entry):
        tally.count("constraint groups", "model file not at hand")
        return tally.close(record_property)
    _, constraints = subject(name)
    ours = []
    for k in range(constraints.getGroupIndexMax()):
        assert constraints.getGroupIndexByAssignedId(constraints.getGroupAssignedId(k)) == k
        assert constraints.getGroupIndexByName(constraints.getGroupName(k)) == k
        ours.append(
            {
                "name": constraints.getGroupName(k),
                "size": constraints.getGroupSize(k),
                "type": constraints.getGroupType(k).name[len("ConstraintType") :].lower(),
                "assigned_id": constraints.getGroupAssignedId(k),
                "baumgarte_enabled": constraints.isBaumgarteStabilizationEnabled(k),
                "baumgarte_coefficients": constraints.getBaumgarteStabilizationCoefficients(k),
            }
        )
    expected = [{key: group[key] for key in ours[0]} for group in entry["groups"]]
    tally.compare("constraint groups", name, lambda: ours, expected)
    tally.compare("size", name, constraints.size, entry["rows"])
    return tally.close(record_property)


@pytest.mark.parametrize("name", ENTRIES)
def test_states(name, record_property):
    """Every function at every state; where RBDL's value is wrong, the right one."""
    tally, entry = Tally(PROGRAM), ENTRIES[name]
    if not is_at_hand(entry):
        tally.count("constraints", "model file not at hand", len(entry["states"]))
        return tally.close(record_property)
    model, constraints = subject(name)
    for number, state in enumerate(entry["states"]):
        where = f"{name} state {number}"
        right = right_equations(model.core, constraints.on(model), state)
        check_equations(tally, where, model, constraints, state, right)
        check_solvers(tally, where, model, constraints, state, right)
        check_forces(tally, where, model, constraints, state)
        if "actuated" in state:
            check_inverse_dynamics(tally, where, model, constraints, state)
        if "assembly" in state:
            check_assembly(tally, where, model, constraints, state)
    return tally.close(record_property)


def check_equations(tally, where, model, constraints, state, right):
    q, qd, tau = (array(state[key]) for key in ("q", "qdot", "tau"))
    err, errd = np.full((2, constraints.size()), np.nan)
    G = np.full((constraints.size(), model.dof_count), np.nan)
    rbdl.CalcConstraintsPositionError(model, q, constraints, err)
    rbdl.CalcConstraintsVelocityError(model, q, qd, constraints, errd)
    rbdl.CalcConstraintsJacobian(model, q, constraints, G)
    for function, ours, expected in (
        ("CalcConstraintsPositionError", err, array(state["CalcConstraintsPositionError"])),
        ("CalcConstraintsVelocityError", errd, right.errd),
        ("CalcConstraintsJacobian", G, right.G),
    ):
        tally.compare(function, where, lambda x=ours: x, expected.tolist())
    f_ext = forces(state) if "f_ext" in state else None
    rbdl.CalcConstrainedSystemVariables(model, q, qd, tau, constraints, f_ext=f_ext)
    for key in ("H", "C", "G", "gamma", "err", "errd"):
        tally.compare(
            f"CalcConstrainedSystemVariables {key}", where,
            lambda key=key: getattr(constraints, key), getattr(right, key).tolist(),
        )  # fmt: skip


def check_solvers(tally, where, model, constraints, state, right):
    q, qd, tau = (array(state[key]) for key in ("q", "qdot", "tau"))
    more = {"f_ext": forces(state)} if "f_ext" in state else {}
    is_right = not rows_with_lever(constraints.on(model))
    qdd, force = (x.tolist() for x in right.solve(tau - right.C, right.gamma))
    for function in SOLVERS:
        if function not in state:
            continue
        out = np.full(model.dof_count, np.nan)
        getattr(rbdl, function)(model, q, qd, tau, constraints, out, **more)
        if is_right:  # RBDL's multipliers of the null-space method are wrong
            qdd = state[function]["qddot"]
            force = state["ForwardDynamicsConstraintsDirect"]["force"]
        now = constraints.force.copy()
        tally.compare(function, where, lambda x=out, f=now: [*x, *f], [*qdd, *force])
    constraints.v_plus[:] = array(state["v_plus"])
    after, impulse = (x.tolist() for x in right.solve(right.H @ qd, constraints.v_plus))
    for function in IMPACTS:
        out = np.full(model.dof_count, np.nan)
        getattr(rbdl, function)(model, q, qd, constraints, out)
        if is_right:  # the sign of RBDL's impulses of the direct method is wrong
            after = state[function]["qdot_plus"]
            impulse = state["ComputeConstraintImpulsesRangeSpaceSparse"]["impulse"]
        now = constraints.impulse.copy()
        tally.compare(
            function, where, lambda x=out, f=now: [*x, *f],
            [*after, *impulse],
        )  # fmt: skip


def check_forces(tally, where, model, constraints, state):
    """Spatial forces of each group, from RBDL's multipliers; the sign of its impulses is wrong.

    RBDL puts the base's frame of a contact at the base origin, where the force does not act.
    """
    q, qd = array(state["q"]), array(state["qdot"])
    constraints.force[:] = array(state["ForwardDynamicsConstraintsDirect"]["force"])
    constraints.impulse[:] = array(state["ComputeConstraintImpulsesRangeSpaceSparse"]["impulse"])
    turning = set(rows_with_lever(constraints.on(model)))
    for method, function, sign in (
        ("calcForces", "calcForces_after_Direct", 1.0),
        ("calcImpulses", "calcImpulses_after_RangeSpaceSparse", -1.0),
    ):
        for expected in state[function]:
            k, in_root = expected["group"], expected["resolve_all_in_root_frame"]
            first = constraints.getGroupAssignedId(k)
            if turning & set(range(first, first + constraints.getGroupSize(k))):
                tally.count(method, "of a row with RBDL's lever")
                continue
            ids, frames, spatial = getattr(constraints, method)(k, model, q, qd, in_root)
            kept = 1 if constraints.getGroupType(k).value == 0 else 2
            theirs = {
                "ids": expected["body_ids"],
                "frames": expected["frames"][:kept],
                "forces": (sign * array(expected["forces"])).tolist(),
            }
            got = {"ids": ids, "frames": [record_of(X) for X in frames[:kept]], "forces": spatial}
            tally.compare(method, where, lambda got=got: got, theirs)


def check_inverse_dynamics(tally, where, model, constraints, state):
    q, qd, wanted = (array(state[key]) for key in ("q", "qdot", "qddot_desired"))
    constraints.SetActuationMap(model, state["actuated"])
    expected = state["isConstrainedSystemFullyActuated"]
    function = "isConstrainedSystemFullyActuated"
    tally.compare(
        function, where, lambda: getattr(rbdl, function)(model, q, qd, constraints), expected
    )
    several = sum(state["actuated"]) > 1
    for function, reason in (
        ("InverseDynamicsConstraints", None if expected else "not meaningful, says RBDL"),
        ("InverseDynamicsConstraintsRelaxed", "RBDL's has not the least cost" if several else None),
    ):
        qdd, tau = np.full((2, model.dof_count), np.nan)
        getattr(rbdl, function)(model, q, qd, wanted, constraints, qdd, tau)
        flat = [x for key in ("qddot", "tau", "force") for x in state[function][key]]
        if reason:
            force = constraints.force
            left = constraints.H @ qdd + constraints.C - tau - constraints.G.T @ force
            consistent = bool(np.abs(left).max() < 1e-6 * max(1.0, np.abs(tau).max()))
            if function.endswith("Relaxed") and "f_ext" not in state:
                tally.compare(
                    f"{function}: obeys the equations", where, lambda c=consistent: c, True
                )
            else:
                tally.count(function, reason)
            continue
        ours = [*qdd, *tau, *constraints.force]
        tally.compare(function, where, lambda ours=ours: ours, flat)


def check_assembly(tally, where, model, constraints, state):
    given, Q = state["assembly"], np.full(model.q_size, np.nan)
    turning = bool(rows_with_lever(constraints.on(model)))  # RBDL's iteration may then fail
    weights = array(given["weights"])
    tally.compare(
        "CalcAssemblyQ returned", where,
        lambda: rbdl.CalcAssemblyQ(model, array(given["q_init"]), constraints, Q, weights,
                                   given["tolerance"], given["max_iter"]),
        given["CalcAssemblyQ_returned"] or turning,
    )  # fmt: skip
    QDot = np.full(model.dof_count, np.nan)
    rbdl.CalcAssemblyQDot(model, Q, array(given["qdot_init"]), constraints, QDot, weights)
    if turning:
        errors = [
            *rbdl.CalcConstraintsPositionError(model, Q, constraints),
            *rbdl.CalcConstraintsVelocityError(model, Q, QDot, constraints),
        ]
        tally.compare("CalcAssemblyQ errors", where, lambda: errors, [0.0] * len(errors))
        return
    # next to a singular position an error of 1e-12 leaves its square root in q, and an iteration
    # that went round and round multiplies roundings
    near_singular = np.linalg.cond(array(state["CalcConstraintsJacobian"])) > NEAR_SINGULAR
    far = np.abs(array(given["q"]) - array(given["q_init"])).max() > 2.0 * np.pi
    tolerance = 1e-5 if near_singular or far else 1e-9
    tally.compare("CalcAssemblyQ", where, lambda: Q, given["q"], tolerance)
    tally.compare("CalcAssemblyQDot", where, lambda: QDot, given["CalcAssemblyQDot"], tolerance)
