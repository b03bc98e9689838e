"""Operation counts of compiled programs: deterministic, committed, and not to rise."""

from __future__ import annotations

import pytest

from modes import op_counts, op_programs
from modes.op_counts import MACHINES, SHIPPED


@pytest.mark.parametrize("name", MACHINES[SHIPPED])
def test_operations_do_not_rise(name):
    """No program costs more than was committed, and every program is in the table."""
    now = op_counts.counted(name)
    said = op_counts.differences(now, op_counts.committed(SHIPPED)[name], SHIPPED)
    assert not said, said


def test_every_public_function_is_counted():
    """On one machine or another, or it is among those that have no program."""
    counted = {f for rows in op_counts.committed(SHIPPED).values() for f in rows}
    assert counted | set(op_programs.WITHOUT) == set(op_programs.public_functions())
    assert not counted & set(op_programs.WITHOUT)


def test_differences_are_told():
    """A rise, a program that is new, and one that is gone; a fall is no difference."""
    before = {"f": {"a": 5, "b": 7, "gone": 1}}
    said = op_counts.differences({"f": {"a": 6, "b": 3}, "g": {"new": 2}}, before, SHIPPED)
    assert said.split("\n") == [
        "g: new is not in the table",
        "f: a rose from 5 to 6",
        "f: gone is in the table, and no program any more",
        "if this is meant: python tests/modes/op_counts.py",
    ]
    assert op_counts.differences({"f": {"a": 1}}, {"f": {"a": 2}}, SHIPPED) == ""
