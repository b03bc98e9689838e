"""Nothing of the suites depends on the name of a file or a case."""

from __future__ import annotations

from itertools import groupby

import pytest

from validation.renamed import other_names, renamed_copy
from validation.scores import VALIDATION
from validation.suites import every_case

FEW = 2  # cases of each suite: `renamed.py` writes a copy to run all of them
LONG = ("cube_tosses",)  # a minute, and its names are part of the format


@pytest.mark.oracle
@pytest.mark.skipif(not VALIDATION.is_dir(), reason="no validation data")
def test_cases_under_other_names(tmp_path):
    """Files renamed, one case of each suite gone and one there twice: the numbers still agree."""
    renamed_copy(VALIDATION, tmp_path / "renamed")
    failing = []
    for suite, cases in groupby(every_case(tmp_path / "renamed"), key=lambda found: found[0]):
        if suite not in LONG:
            for _, case in list(cases)[:FEW]:
                failing += [(suite, case.name, score) for score in case.run() if score.fails]
    assert not failing


def test_names_of_a_copy():
    """The first of several is gone, the last is there twice, a single one stays."""
    assert other_names(["a", "b"]) == {"a": [], "b": ["other_001", "once_more"]}
    assert other_names(["a"]) == {"a": ["other_000"]}
