"""Published numbers of others: whatever docs/validation.md does not list as open agrees."""

from __future__ import annotations

import numpy as np
import pytest

from validation import squeezer
from validation.page import BEGIN, END, Result, known_open, tables, written
from validation.run import with_too_many_refused
from validation.scores import VALIDATION, Apart, Case, Score, json_files
from validation.suites import every_case

OPEN = known_open()


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("suite", "case"),
    [pytest.param(suite, case, id=f"{suite}-{case.name}") for suite, case in every_case()],
)
def test_published_numbers(suite, case, record_property):
    """Each number of a case is within what its data allow."""
    scores = case.run()
    failing = [score for score in scores if score.fails]
    new = [score for score in failing if (suite, case.name, score.quantity) not in OPEN]
    outcomes = {"checked": sum(score.passes for score in scores), "open": len(failing) - len(new)}
    for outcome, number in outcomes.items():
        record_property("reference", ("Validation", suite, outcome, int(number)))
    assert not new, "\n".join(
        f"{score.quantity}: {score.error:.2e} of {score.tolerance:.2e} {score.reason}"
        for score in new
    )


@pytest.mark.oracle
@pytest.mark.parametrize(("integrator", "order"), [("symplectic", 2), ("rk4", 4)])
def test_errors_fall_with_the_order_of_the_method(integrator, order):
    """The squeezer with steps an eighth as long, by methods of fixed steps."""
    for _, record in json_files(VALIDATION / "ivp_testset"):
        if squeezer.is_squeezer(record):
            errors = [
                squeezer.error_of_angles(record, integrator, record["end_time"] / count)
                for count in (500, 4000)
            ]
            assert np.log2(errors[0] / errors[1]) / 3.0 > order - 0.25


def test_a_case_that_cannot_be_run_fails():
    """So does one with nothing to compare, and one whose numbers are not finite."""

    def broken():
        raise KeyError("mass")

    for scores in (broken, list, lambda: [Score("x", float("nan"), 1.0)]):
        assert not all(score.passes for score in Case("one", scores).run())
    assert "KeyError" in Case("one", broken).run()[0].reason


def test_the_page_lists_what_fails(tmp_path):
    """And only that is open, after the page was written and read."""
    results = [
        Result("suite", "good", [Score("x", 1e-9, 1e-8)], 0.1),
        Result("suite", "bad", [Score("x", 1e-9, 1e-8), Score("y", 1.0, 1e-8, "lost")], 0.1),
    ]
    refused = Score("z", 1.0, 0.0, "`<motor>` | delay", Apart.REFUSED)
    asleep = Score("length", 1.0, 0.0, "asleep", Apart.NOT_COMPARABLE)
    results.append(Result("suite", "no", [refused], 0.1))
    results.append(Result("suite", "part", [Score("x", 1e-9, 1e-8), asleep], 0.1))
    page = tmp_path / "page.md"
    text = written(f"# Before\n\n{BEGIN}old\n{END}after\n", results)
    assert (
        tables(results) in text
        and "| `suite` | 4 | 2 | 1 | 4 | 3 |" in text
        and "`<motor>` \\| delay" in text
        and "| length | - | - | asleep |" in text
        and "old" not in text
        and text.endswith("after\n")
    )
    page.write_text(text, encoding="utf-8")
    assert known_open(page) == {("suite", "bad", "y")}
    assert known_open(tmp_path / "none.md") == set()


def test_at_most_one_case_in_twenty_is_refused():
    """Of each suite by itself."""
    refused = [Score("all", float("inf"), 0.0, "delay", Apart.REFUSED)]
    read = [Score("x", 0.0, 1e-8)]
    results = [Result("a", "1", refused, 0.1), *(Result("a", "n", read, 0.1) for _ in range(19))]
    assert with_too_many_refused(results) == []
    assert with_too_many_refused([*results[:-1], Result("b", "2", refused, 0.1)]) == ["a", "b"]
