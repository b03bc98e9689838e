"""RBDL's inverse kinematics: both forms, with their parameters and return values."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.api.inverse_kinematics import descend
from reference.cases import Tally, array, read
from reference.rbdl_models import body_id, from_calls

PROGRAM = "RBDL inverse kinematics"
CASES = read("rbdl_inverse_kinematics")["entries"][0]["cases"]
SAME_PATH = 1e-6  # damping of 1e-9 loses this much of a step along directions no target is about


def targets_of(model, case: dict) -> ph.kinematics.Targets:
    targets = ph.kinematics.Targets(model)
    if "body_ids" in case:
        for body, point, position in zip(
            case["body_ids"], case["body_points"], case["targets"], strict=True
        ):
            targets = targets.point(body_id(model, body), point, position)
        return targets
    for call in case["constraints"]:
        targets = with_constraint(targets, body_id(model, call["body_id"]), call)
    return targets


def with_constraint(targets: ph.kinematics.Targets, body: int, call: dict) -> ph.kinematics.Targets:
    """One Add...Constraint call; RBDL's orientation takes base to body coordinates."""
    kind, weight = call["call"], call["weight"]
    position = call.get("target_position")
    point, turn = call.get("point"), np.transpose(call.get("target_orientation", np.eye(3)))
    if kind == "AddPointConstraint":
        return targets.point(body, point, position, weight)
    if kind == "AddPointConstraintXY":
        return targets.point_xy(body, point, position[:2], weight)
    if kind == "AddPointConstraintZ":
        return targets.point_z(body, point, position[2], weight)
    if kind == "AddOrientationConstraint":
        return targets.orientation(body, turn, weight)
    if kind == "AddFullConstraint":
        return targets.full(body, point, position, turn, weight)
    assert kind == "AddPointConstraintCoMXY", kind
    return targets.com_xy(position[:2], weight)


@pytest.mark.parametrize("number", range(0, len(CASES), 2))
def test_case(number, record_property):
    """Success, and the joint angles that RBDL's iteration ends at when it is well conditioned."""
    tally = Tally(PROGRAM)
    model = from_calls("ik", CASES[number]["source"]["calls"])
    for k in (number, number + 1):
        case = CASES[k]
        function, where = case["function"], f"case {k}"
        is_points = "body_ids" in case
        targets, q0 = targets_of(model, case), np.array(case["q_init"])
        options = {
            "method": "damped" if is_points else "adaptive",
            "damping": case["lambda"],
            "tolerance": case["step_tol"],
            "step_tolerance": case["step_tol"],
            "max_iterations": case["max_iter" if is_points else "max_steps"],
        }
        r = descend(model, targets, q0, **options)
        if r.success and case.get("num_steps", 0) <= 10:
            near = ph.inverse_kinematics(model, targets, q0, **options).q
            turns = (near - r.q) / (2.0 * np.pi)
            np.testing.assert_allclose(turns, np.rint(turns), atol=1e-6)
            assert (np.abs(near - q0)[turns.round() != 0] <= np.pi).all()
        returned = bool(r.success) or bool(r.step < case["step_tol"])
        tally.compare(f"{function} returned", where, lambda x=returned: x, case["returned"])
        if not case["returned"] and case.get("max_iter", 0) >= 55:
            tally.count(f"{function} q", "out of reach: no definite end")
        elif any("CoM" in c["call"] for c in case.get("constraints", ())):
            fewer = bool(r.iterations < case["num_steps"] / 4)
            tally.compare(
                f"{function}: true CoM Jacobian, fewer steps", where, lambda x=fewer: x, True
            )
        elif case.get("num_steps", 0) > 10:
            tally.count(f"{function} q", "wandered: no definite path")
        else:
            tally.compare(f"{function} q", where, lambda r=r: r.q, case["q_result"], SAME_PATH)
        if case["returned"]:
            residual = float(r.residual)
            tally.compare(
                f"{function} residual", where, lambda x=residual: x, 0.0, case["step_tol"]
            )
    tally.close(record_property)


def test_every_kind_is_in_the_reference():
    """No kind of constraint goes unchecked."""
    calls = {call["call"] for case in CASES for call in case.get("constraints", ())}
    assert len(calls) == 6
    assert all(np.isfinite(array(case["q_init"])).all() for case in CASES)
