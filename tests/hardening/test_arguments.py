"""Every public parameter answers every kind of value with a result or an error that names it.

`arguments.calls` has a good call of each public callable, `arguments.kinds` the values that
replace its parameters in turn, `arguments.walk` what counts as an answer, `arguments.excuses`
what has no good call.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.public_api import lines

from hardening.arguments.calls import GOOD
from hardening.arguments.excuses import EXCEPTIONS, PENDING, REASONS

TESTS = Path(__file__).parent.parent
N_CHILDREN = 4
SECONDS = 240
WALKED = sorted(name for name in GOOD if name not in PENDING)


def _callables() -> dict[str, str]:
    """The name of each public callable that has parameters, and its line."""
    found = {}
    for line in lines():
        name, bracket, parameters = line.removeprefix("class ").partition("(")
        if bracket and parameters.rstrip(")") not in ("", "self", "cls", "..."):
            found[name] = line.removeprefix("class ")
    return found


def _walk(names: list[str], folder: Path) -> list[dict[str, str]]:
    """What a process finds that walks over these callables; its own end is a finding, too."""
    case = folder / "case"
    process = subprocess.run(
        [sys.executable, "-m", "hardening.arguments.walk", str(case), *names],
        cwd=TESTS, env=os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    found = [json.loads(line) for line in process.stdout.splitlines()]
    if process.returncode:
        at = case.read_text(encoding="utf-8").strip() if case.exists() else "the start"
        error = process.stderr[-2000:]
        fault = f"the process ended with {process.returncode}: {error}"
        found.append({"path": at, "parameter": "", "kind": "", "fault": fault})
    return found


def test_every_public_callable_has_a_good_call_or_a_reason():
    """A new function is walked over, or says why not."""
    left = [
        name for name, line in _callables().items()
        if name not in GOOD and not line.startswith(tuple(REASONS))
    ]  # fmt: skip
    assert not left, (
        f"no good call in arguments/calls.py, and no reason in arguments/excuses.py: {left}"
    )


def test_no_reason_and_no_name_is_out_of_date():
    """Names in the tables are public callables; what has a good call is not excused."""
    public = _callables()
    assert set(GOOD) <= set(public)
    assert set(PENDING) <= set(GOOD)
    for reason in REASONS:
        assert any(line.startswith(reason) for line in public.values()), reason


@pytest.mark.parametrize("child", range(N_CHILDREN))
def test_every_kind_of_value_has_an_answer(child, tmp_path):
    """The right result, or polhode's own short error that names the argument; nothing else."""
    found = _walk(WALKED[child::N_CHILDREN], tmp_path)
    keys = {(each["path"], each["parameter"], each["kind"]) for each in found}
    wrong = [
        " ".join(each.values()) for each in found
        if (each["path"], each["parameter"], each["kind"]) not in EXCEPTIONS
    ]  # fmt: skip
    assert not wrong, f"{len(wrong)} answers, such as\n" + "\n".join(wrong[:30])
    mine = {key for key in EXCEPTIONS if key[0] in WALKED[child::N_CHILDREN]}
    assert mine <= keys, f"exceptions that are no longer needed: {mine - keys}"
