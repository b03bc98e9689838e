"""RBDL's inverse kinematics through the facade: both forms and the outputs of the set."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import rbdl
from rbdl.cases import PROGRAM, from_calls
from reference.cases import Tally, array, read

CASES = read("rbdl_inverse_kinematics")["entries"][0]["cases"]
SAME_PATH = 1e-6  # damping of 1e-9 loses this much of a step along directions no target is about


@pytest.mark.parametrize("number", range(len(CASES)))
def test_case(number, record_property):
    """Return value, residual, and the joint angles where the iteration has a definite path."""
    case, tally = CASES[number], Tally(PROGRAM)
    function, model = case["function"], from_calls(case["source"]["calls"])
    Q, CS = np.full(model.q_size, np.nan), None
    if function == "InverseKinematics(points)":
        returned = rbdl.InverseKinematics(
            model, array(case["q_init"]), case["body_ids"], array(case["body_points"]),
            array(case["targets"]), Q, case["step_tol"], case["lambda"], case["max_iter"],
        )  # fmt: skip
    else:
        CS = constraint_set(case)
        returned = rbdl.InverseKinematics(model, array(case["q_init"]), CS, Q)
    tally.compare(f"{function} returned", number, lambda: returned, case["returned"])
    about_com = any("CoM" in call["call"] for call in case.get("constraints", ()))
    if about_com:
        fewer = CS is not None and CS.num_steps < case["num_steps"] / 4
        tally.compare(
            f"{function}: the true Jacobian needs fewer steps", number, lambda: fewer, True
        )
    elif not case["returned"] and case.get("max_iter", 0) >= 55:
        tally.count(f"{function} q", "out of reach: no definite end")
    elif case.get("num_steps", 0) > 10:
        tally.count(f"{function} q", "wandered: no definite path")
    else:
        tally.compare(f"{function} q", number, lambda: Q, case["q_result"], SAME_PATH)
    if CS is not None:
        norm = float(np.linalg.norm(CS.e))
        tally.compare("e", number, lambda: norm, CS.error_norm)
        tally.compare("J", number, lambda: CS.J.shape, (len(case["e"]), model.dof_count))
        if case["returned"]:
            tally.compare("error_norm", number, lambda: CS.error_norm, 0.0, case["step_tol"])
    tally.close(record_property)


def constraint_set(case: dict) -> rbdl.InverseKinematicsConstraintSet:
    CS = rbdl.InverseKinematicsConstraintSet()
    CS.max_steps, CS.step_tol = case["max_steps"], case["step_tol"]
    setattr(CS, "lambda", case["lambda"])
    for k, call in enumerate(case["constraints"]):
        kind = call["call"]
        place = () if kind in ("AddOrientationConstraint", "AddPointConstraintCoMXY") else (
            array(call["point"]),
        )  # fmt: skip
        target = () if kind == "AddOrientationConstraint" else (array(call["target_position"]),)
        turned = kind in ("AddOrientationConstraint", "AddFullConstraint")
        turn = (array(call["target_orientation"]),) if turned else ()
        add = getattr(CS, kind)
        assert add(call["body_id"], *place, *target, *turn, call["weight"]) == k
    return CS
