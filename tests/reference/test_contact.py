"""Contact and rigid bodies against closed forms: every entry within the file's tolerance."""

from __future__ import annotations

import numpy as np
import pytest

from reference.cases import Tally, read
from reference.contact_forms import FORMS, form_of
from reference.contact_variants import VARIANTS

CASES = {case["id"]: case for case in read("contact_analytic")["cases"]}
BOUNDS = {"omega_plus_min": "omega_plus"}  # of a limit cycle's existence: this must exceed it
OTHER_RULES = ("alternative_sequential",)  # the answer of impacts one after the other


@pytest.mark.parametrize("name", sorted(CASES))
def test_closed_form(name, record_property):
    """Every number of a case, each within its tolerance."""
    check(CASES[name], record_property)


@pytest.mark.parametrize("k", range(len(VARIANTS)))
def test_other_parameters(k, record_property):
    """The forms at other parameters, in cases whose names say nothing."""
    check({"id": f"variant {k}", **VARIANTS[k]}, record_property)


def check(case, record_property):
    """Compare every number that a case expects with what its form computes."""
    tally, form = Tally("closed forms"), form_of(case)
    computed = form.compute(case)
    for key, expected in case["expected"].items():
        if key in OTHER_RULES:
            tally.count(case["id"], "answer of another rule")
            continue
        if key in BOUNDS:
            problem = None if computed[BOUNDS[key]] > expected else f"got {computed[BOUNDS[key]]}"
        else:
            problem = _difference(computed[key], expected, *form.bound(case, key))
        tally.count(case["id"], "failed" if problem else "checked")
        if problem:
            tally.failures.append(f"{case['id']} {key}: expected {expected}, {problem}")
    tally.close(record_property)


def _difference(got, expected, relative, absolute):
    """Why these are not the same; of a list as many entries count as are expected."""
    a, b = np.asarray(got, float), np.asarray(expected, float)
    a = a[: len(b)] if b.ndim else a
    is_near = a.shape == b.shape and (np.abs(a - b) <= relative * np.abs(b) + absolute).all()
    return None if is_near else f"got {a}"


def test_every_form_has_a_variant():
    """No form is tried at the parameters of the file alone."""
    tried = [form_of({"id": str(k), **case}) for k, case in enumerate(VARIANTS)]
    assert all(form in tried for form in FORMS)


@pytest.mark.parametrize(
    "change",
    [
        {"params": {"mu": 0.5, "theta_deg": 20, "stickiness": 1.0}},
        {"params": {"mu": 0.5}},
        {"expected": {"accel": 0.0, "lift": 0.0}},
    ],
    ids=["parameter that nothing reads", "parameter missing", "number that nothing computes"],
)
def test_case_without_form(change):
    """A case that no form reads whole is an error, whatever its name."""
    case = {"id": "incline_box", "setup": "box", "params": {"mu": 0.5, "theta_deg": 20},
            "expected": {"accel": 0.0}}  # fmt: skip
    form_of(case)
    with pytest.raises(LookupError, match="expected one form for the case 'incline_box'"):
        form_of({**case, **change})
