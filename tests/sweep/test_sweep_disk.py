"""Sweeps on disk: killed, interrupted, damaged, gone on with, or refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from sweep.tasks import fails_at_three, noisy, noted, runs, same_bits

SCRIPT = """
import importlib, sys
import polhode as ph
from sweep.tasks import noted

importlib.import_module("polhode.batch.sweep.front")._WRITE_EVERY = 0.0
if __name__ == "__main__":
    folder, log = sys.argv[1:]
    tasks = {"k": range(200), "log": log, "seconds": 0.02}
    result = ph.sweep(noted, tasks, workers=2, output=folder)
    print(result.stopped, int(result.done.sum()))
"""


@pytest.fixture
def script(tmp_path):
    """A sweep in another process, which has written something when this returns."""
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(SCRIPT))
    folder, log = tmp_path / "runs", tmp_path / "log"
    tests = Path(__file__).resolve().parents[1]
    search = os.pathsep.join([str(tests), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [sys.executable, str(path), str(folder), str(log)], start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": search},
    )  # fmt: skip
    began = time.monotonic()
    while len(list(folder.glob("chunk-*.npz"))) < 3 and time.monotonic() - began < 60.0:
        assert process.poll() is None, process.stderr.read()  # type: ignore[union-attr]
        time.sleep(0.01)
    yield process, folder, log
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def finish(folder, log):
    """The rest of the sweep, checked against one that was never stopped."""
    tasks = {"k": range(200), "log": str(log), "seconds": 0.02}
    result = ph.sweep(noted, tasks, workers=2, output=folder)
    whole = ph.sweep(noted, {**tasks, "log": os.devnull, "seconds": 0.0}, workers=0)
    assert same_bits(result, whole)
    assert same_bits(ph.sweeps.SweepResult.load(folder), whole)


def test_resume_after_a_kill(script):
    """What was written by a process that was killed is kept, bit for bit, and not run again."""
    process, folder, log = script
    process.kill()
    process.wait()
    kept = ph.sweeps.SweepResult.load(folder)
    assert 0 < kept.done.sum() < 200
    assert f"{200 - kept.done.sum()} tasks are still to be done" in kept.stopped
    done = set(np.flatnonzero(kept.done).tolist())
    workers_end(log)
    before = runs(log)
    finish(folder, log)
    again = runs(log)[len(before) :]
    assert not done & set(again)
    assert sorted(again) == sorted(set(range(200)) - done)


def workers_end(log):
    """Workers whose parent was killed end by themselves: nothing more is noted."""
    count, quiet = -1, 0
    for _ in range(200):
        time.sleep(0.1)
        now = len(runs(log))
        quiet = quiet + 1 if now == count else 0
        count = now
        if quiet == 10:
            break
    assert count < 200


def test_interrupt_keeps_what_is_done(script):
    """Ctrl-C ends the sweep with its results, on disk too, and without a word of workers."""
    process, folder, log = script
    os.killpg(process.pid, signal.SIGINT)
    said, complained = process.communicate(timeout=60)
    word, count = said.split()
    assert process.returncode == 0, complained
    assert word == "interrupted"
    assert 0 < int(count) < 200
    assert complained == ""
    assert ph.sweeps.SweepResult.load(folder).done.sum() == int(count)
    finish(folder, log)


def test_a_resumed_sweep_says_what_is_kept(tmp_path, capsys):
    """In its result, and beside its bar; a new sweep says nothing."""
    tasks = {"k": range(6)}
    first = ph.sweep(fails_at_three, tasks, workers=0, output=tmp_path, progress=True)
    assert first.kept == 0 and "kept" not in repr(first) + capsys.readouterr().err
    again = ph.sweep(fails_at_three, tasks, workers=0, output=tmp_path, progress=True)
    assert again.kept == 6 and "6 kept of an earlier call" in repr(again)
    told = f"6 of 6 results were found in '{tmp_path}' and are kept\n"
    assert capsys.readouterr().err.startswith(told)
    retried = ph.sweep(
        fails_at_three, tasks, workers=0, output=tmp_path, retry_errors=True, progress=False
    )
    assert retried.kept == 5 and capsys.readouterr().err == ""


def test_the_same_sweep_is_read_not_run(tmp_path):
    """A finished sweep costs nothing; errors stay unless they are to be tried again."""
    log = tmp_path / "log"
    tasks = {"k": range(9), "log": str(log)}
    first = ph.sweep(noted, tasks, workers=0, output=tmp_path / "runs")
    assert same_bits(ph.sweep(noted, tasks, workers=0, output=tmp_path / "runs"), first)
    assert len(runs(log)) == 9
    failing = ph.sweep(fails_at_three, {"k": range(6)}, workers=0, output=tmp_path / "failing")
    again = ph.sweep(fails_at_three, {"k": range(6)}, workers=0, output=tmp_path / "failing")
    assert again.errors == failing.errors
    assert again.errors[0].traceback == failing.errors[0].traceback
    assert ph.sweeps.SweepResult.load(tmp_path / "failing").errors[0].parameters == {"k": 3}


def double(x):
    return 2.0 * x


def make(factor):
    """Functions of one name and one code that hold different things."""

    def double(x):
        return factor * x

    return double


def test_another_sweep_is_refused(tmp_path):
    """Other parameters, code, seed or number: what differs is said, nothing is overwritten."""
    folder = tmp_path / "runs"
    first = ph.sweep(make(2.0), {"x": [1.0, 2.0]}, workers=0, output=folder)
    for function, tasks, seed, said in (
        (make(2.0), {"x": [1.0, 2.5]}, 0, "the parameters differ"),
        (make(2.5), {"x": [1.0, 2.0]}, 0, "the function's code or what it holds differ"),
        (double, {"x": [1.0, 2.0]}, 0, "the function, the function's code or what it holds"),
        (make(2.0), {"x": [1.0, 2.0]}, 3, r"the seed differ \(0 there, 3 now\)"),
        (make(2.0), {"x": [1.0, 2.0, 3.0]}, 0, "the number of tasks, the parameters differ"),
    ):
        with pytest.raises(
            ph.sweeps.SweepError, match=f"holds another sweep: {said}.*overwrite=True"
        ):
            ph.sweep(function, tasks, seed=seed, workers=0, output=folder)
    assert same_bits(ph.sweeps.SweepResult.load(folder), first)
    new = ph.sweep(double, {"x": [4.0]}, workers=0, output=folder, overwrite=True)
    assert new.results == (8.0,)


def test_damaged_files(tmp_path):
    """A chunk that is damaged is run again; another file is no sweep."""
    folder = tmp_path / "runs"
    grid = ph.sweeps.grid(a=range(6), b=[1.0])
    whole = ph.sweep(noisy, grid, workers=0, output=folder)
    (chunk,) = folder.glob("chunk-*.npz")
    content = chunk.read_bytes()
    (folder / ".chunk-000001.npz.abc.part").write_bytes(content[:100])
    for damaged in (content[: len(content) // 2], b"", b"nothing", content.replace(b"NUMPY", b"X")):
        chunk.write_bytes(damaged)
        assert not ph.sweeps.SweepResult.load(folder).done.any()
    assert same_bits(ph.sweep(noisy, grid, workers=0, output=folder), whole)
    assert not list(folder.glob(".*.part"))
    parameters = (folder / "parameters.npz").read_bytes()
    (folder / "parameters.npz").write_bytes(parameters[:200])
    with pytest.raises(ph.sweeps.SweepError, match="not the parameters of a sweep"):
        ph.sweeps.SweepResult.load(folder)
    for text in ("{}", "[1]", "", '{"format": "polhode sweep 1", "n": "6", "seed": 0}'):
        (folder / "sweep.json").write_text(text)
        with pytest.raises(ph.sweeps.SweepError, match="not a sweep"):
            ph.sweeps.SweepResult.load(folder)
    with pytest.raises(FileNotFoundError, match="no sweep in"):
        ph.sweeps.SweepResult.load(tmp_path)


def test_two_writers_are_one_too_many(tmp_path):
    """A folder that another sweep writes to is refused."""
    from polhode.batch.sweep.store import _locked

    folder = tmp_path / "runs"
    folder.mkdir()
    with _locked(folder), pytest.raises(ph.sweeps.SweepError, match="another process is writing"):
        ph.sweep(double, {"x": [1.0]}, workers=0, output=folder)


def test_parameters_that_are_no_arrays_are_described(tmp_path):
    """Models and the like may vary; in the folder they are named only."""
    models = [ph.Model("one"), ph.Model("two")]
    result = ph.sweep(lambda model: len(model.name), {"model": models}, workers=0,
                      output=tmp_path / "runs")  # fmt: skip
    assert result.results == (3, 3)
    assert ph.sweeps.SweepResult.load(tmp_path / "runs").parameters[0]["model"] == "<Model>"
    assert json.loads((tmp_path / "runs" / "sweep.json").read_text())["n"] == 2


def test_csv(tmp_path):
    """One row for each task, arrays spread over columns."""
    result = ph.sweep(noisy, ph.sweeps.grid(a=[1, 9], b=[0.5]), workers=0)
    header, first, second = result.to_csv(tmp_path / "t.csv").read_text().splitlines()
    assert header == "a,b,sum,noise/x[0],noise/x[1],noise/x[2],sign"
    assert first.split(",")[:3] == ["1", "0.5", "1.5"]
    assert float(second.split(",")[4]) == result["noise/x"][1, 1]


@pytest.mark.parametrize(
    "name", ["chunk-x.npz", "chunk-0.npz", "chunk-.npz", "chunk-000001.npz.bak"]
)
def test_files_of_other_names_are_left_alone(tmp_path, name):
    """A sweep goes on beside them; they are neither read nor deleted."""
    folder, tasks = tmp_path / "runs", {"k": [1, 2, 4]}
    whole = ph.sweep(noted, tasks | {"log": os.devnull, "seconds": 0.0}, workers=0, output=folder)
    (folder / name).write_bytes(b"mine")
    again = ph.sweep(noted, tasks | {"log": os.devnull, "seconds": 0.0}, workers=0, output=folder)
    assert same_bits(again, whole)
    ph.sweep(noted, {"k": [5], "log": os.devnull, "seconds": 0.0}, workers=0, output=folder,
             overwrite=True)  # fmt: skip
    assert (folder / name).read_bytes() == b"mine"
