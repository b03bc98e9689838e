"""Every number that spatial_v2 itself computed, through the facade's functions."""

from __future__ import annotations

import pytest

from polhode import spatial_v2 as sv
from reference.cases import Tally, read

from .reference_cases import PROGRAM, call, run

MODELS = sorted({case["model"] for case in read("spatial_v2_dynamics")["cases"]})


@pytest.mark.parametrize("file", ["arithmetic", "models", "floating", "contact", "sparsity"])
def test_functions(file, record_property):
    """Arithmetic, constructors, floating bases, ground contact and sparse factors."""
    run(f"spatial_v2_{file}", record_property)


@pytest.mark.parametrize("name", MODELS)
def test_dynamics(name, record_property):
    """Dynamics of spatial and planar trees, and of one with a geared elbow."""
    run("spatial_v2_dynamics", record_property, lambda case: case["model"] == name)


def test_errors(record_property):
    """What spatial_v2 refuses raises an exception that says why; what it accepts works."""
    tally, file = Tally(PROGRAM), "spatial_v2_errors"
    for case in read(file)["cases"]:
        if "error" not in case:
            continue
        with pytest.raises((ValueError, TypeError)) as raised:
            call(file, case)
        words = {"jcalc": "unrecognised joint code", "FDgq": "gamma_q", "IDfb": "tau",
                 "floatbase": case["error"]}  # fmt: skip
        assert words[case["function"]] in str(raised.value)
        tally.count(case["function"], "checked")
    run(file, record_property)
    tally.close(record_property)


def test_all_functions_of_the_manual_are_there():
    """Each name of the manual is a function here."""
    manual = """rx ry rz rv rq rqd skew crf crm mcI rotx roty rotz xlt plnr plux pluho XtoV Xpt
        Vpt Fpt FDab FDcrb FDgq HandC HD ID FDfb IDfb fbkin fbanim EnerMo jcalc autoTree
        floatbase planar gfxExample vee singlebody scissor doubleElbow rollingdisc showmotion
        gcFD gcPosVel gcontact expandLambda LTDL LTL mpyH mpyL mpyLt mpyLi mpyLit"""
    assert all(callable(getattr(sv, name)) for name in manual.split())
