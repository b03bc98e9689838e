"""RBDL's joints, trees and files: what was built, and every function of every state."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import rbdl
from polhode.api import dynamics, energetics
from polhode.api import kinematics as api_kinematics
from polhode.binding.plain import run_plain
from polhode.rbdl import kinematics, utilities
from rbdl.cases import PROGRAM, TEXTS, build, entries, entry_of, is_at_hand, structure
from rbdl.functions import INPUTS_OF_POINT, STATE_FUNCTIONS, call_point
from reference.cases import TOLERANCE, Tally, array
from reference.rbdl_models import model_file
from reference.test_rbdl import INPUTS, LOOSE, is_rigid

FILES = ("rbdl_joints", "rbdl_trees", "rbdl_files")


@pytest.mark.parametrize(("file", "k"), entries(*FILES))
def test_structure(file, k, record_property):
    """Every field of RBDL's model, and its texts letter by letter."""
    entry, tally = entry_of(file, k), Tally(PROGRAM)
    if not is_at_hand(entry):
        tally.count("structure", "model file not at hand")
        return tally.close(record_property)
    expected = dict(entry["structure"])
    parents = expected.pop("lambda_q")
    model = build(entry)
    fields = structure(model, expected)
    for field, value in expected.items():
        name = field if field in TEXTS else "structure"
        if entry["source"].get("urdf_file") in LOOSE and (field == "joints" or name != "structure"):
            tally.count(name, "of axes that RBDL does not make unit vectors")
            continue
        tally.compare(name, field, lambda field=field: fields[field], value)
    is_chain = all(len(children) <= 1 for children in entry["structure"]["mu"])
    if is_chain:
        tally.compare("lambda_q", "chain", lambda: model.lambda_q, parents)
    else:
        tally.count("lambda_q", "RBDL's ignores the branching")
    return tally.close(record_property)


COMPILED = ("joint_FloatingBase", "custom_EulerZYX", "arm7", "fixed_chain_1", "pendulum.lua")


@pytest.fixture
def plain(monkeypatch):
    """Algorithms run as they are written: compiling them all would take minutes, and that it
    changes nothing is what the tests of compiled functions say."""

    def evaluate(function, model, arguments, out=None, **static):
        with np.errstate(all="ignore"):  # where there is no ground force there is no ZMP
            return run_plain(function, model, arguments, out, **static)

    for module in (api_kinematics, dynamics, energetics, kinematics, utilities):
        monkeypatch.setattr(module, "evaluate", evaluate)


@pytest.mark.parametrize(("file", "k"), entries(*FILES))
def test_states(file, k, record_property, request):
    """Every function at every state, with an update and at the state last updated."""
    entry, tally = entry_of(file, k), Tally(PROGRAM)
    if entry["model"] not in COMPILED:
        request.getfixturevalue("plain")
    available, rigid = is_at_hand(entry), is_rigid(entry)
    model = build(entry) if available and rigid else None
    tolerance = LOOSE.get(model_file(entry) or "", TOLERANCE)
    for number, state in enumerate(entry["states"]):
        where = f"state {number}"
        for function in state.keys() - INPUTS:
            if model is None:
                tally.count(function, "model file not at hand" if rigid else "not a rigid body")
                continue
            compute = STATE_FUNCTIONS[function]
            tally.compare(
                function, where, lambda c=compute, s=state: c(model, s),
                right_value(state, function), tolerance,
            )  # fmt: skip
        if model is not None:
            check_points(tally, model, state, where, tolerance)
    for example in entry.get("quaternion_examples") or ():
        if model is not None:
            check_quaternion(tally, model, example)
    tally.close(record_property)


def right_value(state: dict, function: str):
    """RBDL's value, or where it is marked as wrong the right one."""
    if "known_defect" in state and function == "NonlinearEffects":
        return state["InverseDynamics_zero_qddot"]
    if "known_defect" in state and function == "NonlinearEffects_fext":
        effect = array(state["InverseDynamics_fext"]) - array(state["InverseDynamics"])
        return (array(state["InverseDynamics_zero_qddot"]) + effect).tolist()
    return state[function]


def check_points(tally, model, state, where, tolerance):
    for point in state["points"]:
        for function in point.keys() & INPUTS_OF_POINT.keys():
            at = f"{where}, body {point['body_id']}"
            tally.compare(
                function, at, lambda f=function, p=point: call_point(f, model, state, p),
                point[function], tolerance,
            )  # fmt: skip
        if point is not state["points"][0]:
            continue
        rbdl.UpdateKinematics(model, *(array(state[x]) for x in ("q", "qdot", "qddot")))
        for function in point.keys() & INPUTS_OF_POINT.keys():
            tally.compare(
                f"{function}, no update", where,
                lambda f=function, p=point: call_point(f, model, state, p, update=False),
                point[function], tolerance,
            )  # fmt: skip


def check_quaternion(tally, model, example):
    body, q = example["body_id"], np.zeros(model.q_size)
    quaternion = rbdl.Quaternion(example["quaternion_xyzw"])
    expected = array(example["q_after_SetQuaternion_from_zero"])
    where = f"body {body}"
    tally.compare(
        "SetQuaternion", where, lambda: model.SetQuaternion(body, quaternion, q), expected
    )
    tally.compare(
        "GetQuaternion",
        where,
        lambda: model.GetQuaternion(body, expected),
        example["GetQuaternion"],
    )
    tally.compare("Quaternion.toMatrix", where, quaternion.toMatrix, example["toMatrix"])
