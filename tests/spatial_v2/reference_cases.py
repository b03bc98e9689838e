"""Running spatial_v2's cases through the facade: decoding, calling, and comparing."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np

from polhode import spatial_v2 as sv
from polhode.errors import ModelWarning
from polhode.spatial_v2.trees import geared_elbow
from reference.cases import Tally, array, read

PROGRAM = "spatial_v2 facade"
WITH_NARGOUT = ("fbkin", "gcontact", "FDfb", "IDfb")
STRUCTURED = ("autoTree", "floatbase", "planar", "vee", "rollingdisc", "singlebody", "scissor",
              "doubleElbow", "gfxExample")  # fmt: skip


def system(data: dict) -> sv.SystemModel:
    """A system model of the fields in a reference file."""
    fields = dict(data)
    if "gamma_q" in fields:
        fields["gamma_q"] = geared_elbow
    return sv.SystemModel(**fields)


@cache
def models(file: str) -> dict[str, sv.SystemModel]:
    """The models of one reference file, by name."""
    return {name: system(m["data"]) for name, m in read(file).get("models", {}).items()}


def decoded(value: Any, shape: Any) -> Any:
    """An input as the facade takes it."""
    if isinstance(value, str) and value.startswith("@"):
        return getattr(sv, value[1:])
    if isinstance(value, dict) and "column_major" in value:
        return array(value["column_major"]).reshape(value["shape"], order="F")
    if isinstance(value, dict):
        return system(value) if "NB" in value else value
    if shape is None:
        return value
    if isinstance(value, str):
        return value
    numbers = array(value)
    return numbers.reshape(shape) if 0 in shape else numbers


def call(file: str, case: dict) -> Any:
    """What the facade returns for a case."""
    name = case["function"]
    shapes = case["input_shapes"]
    inputs = [decoded(v, s) for v, s in zip(case["inputs"], shapes, strict=True)]
    if case.get("model") is not None:
        inputs.insert(0, models(file)[case["model"]])
    function = geared_elbow if name == "gamma_q" else getattr(sv, name)
    options = {"nargout": case["nargout"]} if name in WITH_NARGOUT else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return function(*inputs, **options)


def compare(tally: Tally, file: str, case: dict) -> None:
    """One case against what spatial_v2 computed."""
    if is_lost_half_turn(case):
        E = array(case["inputs"][0])
        tally.compare("rv", case["id"], lambda: sv.rv(sv.rv(E)), E.tolist())
        tally.count("rv", "of them: half-turns that spatial_v2 loses")
        return
    expected = {str(k): _expected(v) for k, v in enumerate(case["outputs"])}

    def computed() -> dict[str, Any]:
        result = call(file, case)
        several = isinstance(result, tuple)
        results = result if several else (result,)
        assert len(results) == case["nargout"], f"{len(results)} outputs, not {case['nargout']}"
        return {str(k): _like(case, value, expected[str(k)]) for k, value in enumerate(results)}

    tally.compare(case["function"], case["id"], computed, expected)


def is_lost_half_turn(case: dict) -> bool:
    """Whether spatial_v2 answered zero to a turn by exactly pi, against its manual."""
    is_vector = case["function"] == "rv" and case["input_shapes"][0] == [3, 3]
    if not is_vector or np.any(array(case["outputs"][0])):
        return False
    return abs(np.trace(array(case["inputs"][0])) + 1.0) < 1e-12


def _expected(value: Any) -> Any:
    if isinstance(value, dict) and "NB" in value:
        return {k: v for k, v in value.items() if k != "gamma_q"}
    return value


def _like(case: dict, value: Any, expected: Any) -> Any:
    """A result in the form in which reference numbers are written."""
    if isinstance(value, sv.SystemModel):
        return _plain({k: v for k, v in value.fields().items() if k != "gamma_q"}, expected)
    if isinstance(value, dict):
        return dict(value)
    got = np.reshape(np.asarray(value, float), np.shape(array(expected)))
    return _same_turn(case, got, array(expected))


def _plain(value: Any, expected: Any) -> Any:
    """Fields of a model, numbers in the shapes of the reference."""
    if isinstance(value, dict):
        assert set(value) == set(expected), f"fields {set(value)}, not {set(expected)}"
        return {k: _plain(v, expected[k]) for k, v in value.items()}
    if isinstance(value, str) or expected == []:
        assert value == expected or len(value) == 0
        return expected if not isinstance(value, str) else value
    if isinstance(expected, list) and not _numeric(expected):
        assert len(value) == len(expected), f"{len(value)} entries, not {len(expected)}"
        return [_plain(a, b) for a, b in zip(value, expected, strict=True)]
    return np.reshape(np.asarray(value, float), np.shape(expected))


def _numeric(value: Any) -> bool:
    try:
        array(value)
    except (TypeError, ValueError):
        return False
    return True


def _same_turn(case: dict, got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Of two equal descriptions of a rotation, the one that the reference chose.

    A rotation vector of length pi, and a quaternion with w = 0, may have either sign; at
    the singularity of the six joints only a sum of two angles is defined.
    """
    function = case["function"]
    half_turn = (function == "rv" and expected.shape == (3,)
                 and abs(np.linalg.norm(expected) - np.pi) < 1e-6)  # fmt: skip
    no_scalar = function == "rq" and expected.shape == (4,) and abs(expected[0]) < 1e-12
    if (half_turn or no_scalar) and np.abs(got + expected).max() < np.abs(got - expected).max():
        return -got
    if (
        function == "fbkin"
        and got.size == 6
        and len(case["inputs"]) == 1
        and (abs(abs(expected[4]) - np.pi / 2) < 1e-6)
    ):
        same = np.allclose(sv.fbkin(got), sv.fbkin(expected), rtol=0, atol=1e-9)
        return expected if same else got
    return got


def run(file: str, record_property: Any, chosen: Any = lambda case: True) -> None:
    """All chosen cases of a file, counted by function."""
    tally = Tally(PROGRAM)
    for case in read(file)["cases"]:
        if chosen(case) and "error" not in case:
            compare(tally, file, case)
    tally.close(record_property)
