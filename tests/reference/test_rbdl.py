"""RBDL's own numbers: joints of every type, trees, model files, and spatial arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model import Model
from polhode.spatial import Mat3, Quaternion, Vec3
from reference import rbdl_math
from reference.cases import MODELS, TOLERANCE, Tally, array, difference, read
from reference.rbdl_functions import POINT_FUNCTIONS, STATE_FUNCTIONS
from reference.rbdl_models import body_id, build, model_file
from reference.rbdl_structure import expectation, structure

PROGRAM = "RBDL"
LOOSE = {
    "nao.urdf": 1e-6
}  # RBDL turns about axes that are not of unit length: not quite a rotation
INPUTS = {"q", "qdot", "qddot", "tau", "f_ext", "points", "known_defect"}


def entries() -> list:
    found = []
    for name in ("rbdl_joints", "rbdl_trees", "rbdl_files"):
        for k, entry in enumerate(read(name)["entries"]):
            found.append(pytest.param(name, k, id=f"{name[5:]}-{entry['model']}"))
    return found


def entry_of(file: str, k: int) -> dict:
    return read(file)["entries"][k]


def is_at_hand(entry: dict) -> bool:
    file = model_file(entry)
    return file is None or (MODELS / "rbdl" / file).exists()


def is_rigid(entry: dict) -> bool:
    """Whether every joint frame is a rotation; RBDL's numbers mean nothing otherwise."""
    frames = [array(X["E"]) for X in entry["structure"]["X_T"]]
    return all(np.allclose(E @ E.T, np.eye(3), atol=1e-6) for E in frames)


@pytest.mark.parametrize(("file", "k"), entries())
def test_structure(file, k, record_property):
    """Numbers of bodies and coordinates, the tree, names, frames and masses."""
    entry, tally = entry_of(file, k), Tally(PROGRAM)
    if not is_at_hand(entry):
        tally.count("structure", "model file not at hand")
        return tally.close(record_property)
    expected = expectation(entry["structure"])
    ours = structure(build(entry), expected)
    for field, value in expected.items():
        tally.compare("structure", field, lambda field=field: ours[field], value)
    tally.count("structure", "of RBDL's implementation", len(entry["structure"]) - len(expected))
    return tally.close(record_property)


@pytest.mark.parametrize(("file", "k"), entries())
def test_states(file, k, record_property):
    """Every function of RBDL at every state of the entry."""
    entry, tally = entry_of(file, k), Tally(PROGRAM)
    available, rigid = is_at_hand(entry), is_rigid(entry)
    model = build(entry) if available and rigid else None
    tolerance = LOOSE.get(model_file(entry) or "", TOLERANCE)
    for number, state in enumerate(entry["states"]):
        for function, expected in state.items():
            if function in INPUTS:
                continue
            if model is None:
                tally.count(function, "model file not at hand" if rigid else "not a rigid body")
            else:
                check(tally, model, state, function, expected, f"state {number}", tolerance)
        for point in state["points"] if model is not None else ():
            check_point(tally, model, state, point, f"state {number}", tolerance)
    for example in entry.get("quaternion_examples") or ():
        if model is not None:
            check_quaternion(tally, model, example)
    tally.close(record_property)


def check(
    tally: Tally,
    model: Model,
    state: dict,
    function: str,
    expected: Any,
    where: str,
    tolerance: float,
) -> None:
    """One function of a state; where RBDL's value is marked as wrong, the right one."""
    if "known_defect" in state and function == "NonlinearEffects":
        expected = state["InverseDynamics_zero_qddot"]
    if "known_defect" in state and function == "NonlinearEffects_fext":
        effect = array(state["InverseDynamics_fext"]) - array(state["InverseDynamics"])
        expected = array(state["InverseDynamics_zero_qddot"]) + effect
    compute = STATE_FUNCTIONS.get(function)
    if compute is None:
        tally.compare(function, where, lambda: _unknown(function), expected)
    else:
        tally.compare(function, where, lambda: compute(model, state), expected, tolerance)


def check_point(
    tally: Tally, model: Model, state: dict, point: dict, where: str, tolerance: float
) -> None:
    body = body_id(model, point["body_id"])
    for function, expected in point.items():
        if function in ("body_id", "point", "base_point"):
            continue
        compute = POINT_FUNCTIONS.get(function) or _unknown
        tally.compare(
            function,
            f"{where}, body {point['body_id']}",
            lambda compute=compute: compute(model, state, body, point),
            expected,
            tolerance,
        )


def check_quaternion(tally: Tally, model: Model, example: dict) -> None:
    body = example["body_id"]
    x, y, z, w = example["quaternion_xyzw"]
    expected = array(example["q_after_SetQuaternion_from_zero"])

    def set_quaternion():
        return ph.set_quaternion(model, np.zeros(model.nq), body, [w, x, y, z])

    def get_quaternion():
        w, x, y, z = ph.get_quaternion(model, expected, body)
        return [x, y, z, w]

    where = f"body {body}"
    tally.compare("SetQuaternion", where, set_quaternion, expected)
    tally.compare("GetQuaternion", where, get_quaternion, example["GetQuaternion"])
    tally.compare(
        "Quaternion.toMatrix", where, Quaternion(w, x, y, z).matrix().rows, example["toMatrix"]
    )


def _unknown(*names: Any) -> None:
    raise NotImplementedError(f"no counterpart of {names[0]}")


MATH = sorted({entry["function"] for entry in read("rbdl_math")["entries"]})


@pytest.mark.parametrize("function", MATH)
def test_math(function, record_property):
    """A function of RBDL's spatial algebra on all its examples."""
    tally = Tally(PROGRAM)
    for k, entry in enumerate(read("rbdl_math")["entries"]):
        if entry["function"] != function:
            continue
        if function in rbdl_math.SET_ASIDE:
            tally.count(function, "set aside")
            continue
        compute = rbdl_math.FUNCTIONS.get(function) or _unknown
        inputs, expected = entry["inputs"], entry["output"]
        inputs = list(inputs.values()) if isinstance(inputs, dict) else inputs
        if is_half_turn(inputs):
            tally.compare(function, f"half turn {k}", lambda i=inputs: half_turn(function, i), True)
            continue
        tally.compare(
            function, f"example {k}", lambda c=compute, i=inputs: _up_to_sign(function, c(*i)),
            _up_to_sign(function, expected),
        )  # fmt: skip
    tally.close(record_property)


def _up_to_sign(function: str, value: Any) -> Any:
    """A quaternion read off a matrix may have either sign: compare the one with w >= 0."""
    if function != "Quaternion.fromMatrix":
        return value
    return [-x for x in value] if value[3] < 0.0 else value


def is_half_turn(inputs: list) -> bool:
    """Where RBDL's fromMatrix gives NaN and its CalcAngularVelocityfromMatrix zero."""
    value = inputs[0] if inputs else None
    is_matrix = isinstance(value, list) and len(value) == 3 and isinstance(value[0], list)
    return is_matrix and len(inputs) == 1 and abs(np.trace(array(value)) + 1.0) < 1e-12


def half_turn(function: str, inputs: list) -> bool:
    """Whether our answer describes the same half turn."""
    E = array(inputs[0])
    if function == "Quaternion.fromMatrix":
        x, y, z, w = rbdl_math.from_matrix(inputs[0])
        ours = Quaternion(w, x, y, z)
    else:
        ours = Quaternion.exp(Vec3.of(rbdl_math.rotation_vector(inputs[0])))
        E = E.T
    assert isinstance(ours.matrix(), Mat3)
    problem = difference(ours.matrix().rows(), E.tolist(), TOLERANCE)
    if problem:
        raise AssertionError(problem)
    return True
