"""Sweeps: the same results whoever works, errors that stay with their tasks, clear refusals."""

from __future__ import annotations

import functools
import io
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import polhode as ph
from polhode.batch.sweep.batches import BatchSize
from polhode.batch.sweep.progress import TaskProgress
from polhode.batch.sweep.values import flatten, restore
from sweep.tasks import (
    SPINNER,
    Terminal,
    angle_after,
    bar_is_drawn,
    dies_at,
    fails_at_three,
    nested,
    noisy,
    noted,
    runs,
    same_bits,
)

GRID = ph.sweeps.grid(a=range(12), b=[0.5, 1.5])


@pytest.fixture(scope="module")
def alone():
    """The sweep in this process."""
    return ph.sweep(noisy, GRID, workers=0)


@pytest.mark.parametrize("workers", [1, 3])
def test_pool_gives_the_bits_of_one_process(alone, workers):
    """Neither the number of workers nor the batches change a bit."""
    assert same_bits(ph.sweep(noisy, GRID, workers=workers), alone)


def test_any_executor(alone):
    """Threads, a pool of the user's, and a function that makes one."""
    with ThreadPoolExecutor(3) as threads:
        assert same_bits(ph.sweep(noisy, GRID, executor=threads), alone)
    context = get_context("forkserver")
    with ProcessPoolExecutor(2, context) as pool:
        assert same_bits(ph.sweep(noisy, GRID, executor=pool), alone)
    made = ph.sweep(noisy, GRID, executor=lambda: ProcessPoolExecutor(2, context))
    assert same_bits(made, alone)


def test_seeds_depend_on_seed_and_index_only(alone):
    """A task's generator is that of its index; another seed gives others."""
    for k in (0, 7, 23):
        rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(k,)))
        assert alone.results[k]["noise"]["x"].tobytes() == rng.normal(size=3).tobytes()
    other = ph.sweep(noisy, GRID, seed=1, workers=0)
    assert (other["sum"] == alone["sum"]).all()
    assert (other["noise/x"] != alone["noise/x"]).all()
    first = ph.sweep(noisy, GRID[:5], workers=0)
    assert first["noise/x"].tobytes() == alone["noise/x"][:5].tobytes()


def test_results_are_stacked_by_name(alone):
    """Columns of parameters and results, nested names included."""
    assert alone["noise/x"].shape == (24, 3)
    table = alone.table()
    assert list(table) == ["a", "b", "sum", "noise/x", "sign"]
    assert (table["sum"] == table["a"] + table["b"]).all()
    assert alone.results[11]["sign"] == "+"
    with pytest.raises(KeyError, match=r"expected a name in the results .*'sum'.*got 'summ'"):
        alone["summ"]


def test_an_error_stays_with_its_task():
    """The others run; the error has parameters, kind, message and the place in the function."""
    result = ph.sweep(fails_at_three, {"k": np.arange(6)}, workers=2)
    (error,) = result.errors
    assert (error.index, error.kind, error.message) == (3, "ValueError", "no 3")
    assert error.parameters == {"k": 3}
    assert 'raise ValueError(f"no {k}")' in error.traceback
    assert "work.py" not in error.traceback.split("tasks.py")[-1]
    assert result.results[3] is None
    assert np.isnan(result[""][3])
    assert result.done.tolist() == [True, True, True, False, True, True]
    assert result.table()["error"][3] == "ValueError: no 3"


def test_what_cannot_be_kept_is_an_error_of_the_task():
    """A result that is no number, text or array says what to return instead."""
    result = ph.sweep(lambda k: object() if k else 1.0, {"k": [0, 1]}, workers=0)
    assert result.results[0] == 1.0
    assert "got object; return what you need of it" in result.errors[0].message


def test_a_task_that_ends_its_worker_is_found(tmp_path):
    """The pool is made anew, the batch halved, and only the one task is given up."""
    log = str(tmp_path / "log")
    tasks = [{"k": k, "fatal": 17, "log": log} for k in range(40)]
    result = ph.sweep(dies_at, tasks, workers=2, retries=1)
    (error,) = result.errors
    assert (error.index, error.kind) == (17, "WorkerDied")
    assert "ended 2 times while it ran this task" in error.message
    assert [k for k in range(40) if not result.done[k]] == [17]
    assert all(result.results[k] == k * k for k in range(40) if k != 17)


def test_a_worker_that_dies_once_costs_nothing(tmp_path):
    """What was lost runs again."""
    tasks = [{"k": k, "fatal": 5, "log": str(tmp_path / "log"), "times": 1} for k in range(20)]
    result = ph.sweep(dies_at, tasks, workers=2)
    assert not result.errors
    assert result[""].tolist() == [k * k for k in range(20)]
    assert runs(tmp_path / "log").count(5) == 2


def test_a_pool_of_the_users_that_breaks_is_not_replaced(tmp_path):
    """It says what to give instead, and what was done comes with the error."""
    tasks = [{"k": k, "fatal": 30, "log": str(tmp_path / "log")} for k in range(31)]
    advice = pytest.raises(ph.sweeps.SweepError, match=r"give a function that makes one")
    with ProcessPoolExecutor(1, get_context("forkserver")) as pool, advice as caught:
        ph.sweep(dies_at, tasks, executor=pool)
    assert caught.value.result is not None
    assert not caught.value.result.done[30]


def test_closures_are_refused_with_advice(monkeypatch):
    """What cannot be sent names the function and the ways out."""
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(
        ph.sweeps.SweepError, match=r"'.*<lambda>' cannot be sent .*ThreadPoolExecutor"
    ):
        ph.sweep(lambda k: k, {"k": [1, 2]}, workers=1)
    with ThreadPoolExecutor(2) as threads:
        assert ph.sweep(lambda k: 2 * k, {"k": [1, 2]}, executor=threads).results == (2, 4)


def test_closures_travel_with_cloudpickle():
    """With that library they need no module."""
    pytest.importorskip("cloudpickle")
    shift = 7
    assert ph.sweep(lambda k: k + shift, {"k": [1, 2]}, workers=1).results == (8, 9)


def test_arguments_are_checked_before_anything_runs():
    """Misspelt and missing parameters, options, and what is no parameter set."""
    with pytest.raises(TypeError, match=r"among a, b, rng, got 'bb'; did you mean 'b'\?"):
        ph.sweep(noisy, ph.sweeps.grid(a=[1], bb=[2]))
    with pytest.raises(TypeError, match=r"expected a parameter 'b', got a, rng \(function 'noisy"):
        ph.sweep(noisy, ph.sweeps.grid(a=[1]))
    with pytest.raises(TypeError, match=r"unexpected option 'worker'; did you mean 'workers'"):
        ph.sweep(noisy, GRID, worker=2)
    with pytest.raises(TypeError, match=r"client\.get_executor"):
        ph.sweep(noisy, GRID, executor=5)
    with pytest.raises(ValueError, match=r"got 2 of a, 3 of b; polhode\.sweeps\.grid"):
        ph.sweep(noisy, {"a": [1, 2], "b": [1, 2, 3]})
    with pytest.raises(TypeError, match=r"expected parameters as a mapping"):
        ph.sweep(noisy, 3.5)


def test_a_sweep_inside_a_task_starts_no_pool_of_its_own():
    """It runs in the worker."""
    result = ph.sweep(nested, {"k": [1, 2]}, workers=2)
    assert result[""].tolist() == [[1, 4], [4, 9]]


def test_partial_functions_and_no_tasks():
    """Bound arguments need not vary; nothing to do is no error."""
    bound = functools.partial(noisy, b=1.0)
    assert ph.sweep(bound, {"a": [1, 2]}, workers=0)["sum"].tolist() == [2.0, 3.0]
    assert len(ph.sweep(noisy, [], workers=1)) == 0


def test_parameter_sets():
    """Tables, lists, grids, draws and products."""
    table = ph.sweeps.grid(a=[1, 2], b=["x", "y"], c=5)
    assert [tuple(t.values()) for t in table] == [
        (1, "x", 5),
        (1, "y", 5),
        (2, "x", 5),
        (2, "y", 5),
    ]
    from scipy import stats  # on need: it costs every start a second

    draws = ph.sweeps.sample(
        50, mass=(1.0, 2.0), kind=["p", "q"], normal=stats.norm(3.0, 0.1),
        turn=lambda rng: rng.uniform(size=2), fixed=4,
    )  # fmt: skip
    assert all(1.0 <= d["mass"] < 2.0 and d["kind"] in "pq" and d["fixed"] == 4 for d in draws)
    assert abs(np.mean([d["normal"] for d in draws]) - 3.0) < 0.1
    more = ph.sweeps.sample(80, mass=(1.0, 2.0))
    assert more[13]["mass"] == draws[13]["mass"]
    both = table * ph.sweeps.sample(3, mass=(0, 1))
    assert len(both) == 12
    assert both[-1] == {"a": 2, "b": "y", "c": 5, "mass": both[2]["mass"]}
    with pytest.raises(ValueError, match="'a' in both factors"):
        table * ph.sweeps.grid(a=[1])
    with pytest.raises(IndexError):
        table[4]


def test_batches_grow_to_their_target_and_shrink_at_the_end():
    """Quick tasks travel together, slow ones alone, the last ones are shared out."""
    size = BatchSize(target=0.1)
    assert size.next(1000000, 4) == 1
    for _ in range(10):
        count = size.next(1000000, 4)
        size.took(1e-4 * count, count)
    assert size.next(1000000, 4) == 1000
    assert size.next(800, 4) == 100
    for _ in range(8):
        count = size.next(10**12, 16000)
    assert count == 1600000  # or the driver of so many workers would drown
    for _ in range(8):
        size.took(3.0, 1)
    assert size.next(1000000, 4) == 1


@pytest.mark.parametrize(
    "value", [1.5, 3, True, 2j, "text", np.arange(6).reshape(2, 3), {"a": {"b": 1.0}, "c": [1, 2]}]
)
def test_values_come_back(value):
    """Flat arrays and back, with the same type and shape."""
    back = restore(flatten(value))
    if isinstance(value, dict):
        assert back["a"]["b"] == 1.0
        assert back["c"].tolist() == [1, 2]
    else:
        assert np.array_equal(back, value)
        assert np.asarray(back).dtype == np.asarray(value).dtype


@pytest.mark.parametrize("value", [object(), [[1], [1, 2]], {"a/b": 1}, {1: 2}, {"a": None}])
def test_values_that_are_refused(value):
    """Nothing is pickled: what is no array says so."""
    with pytest.raises(TypeError, match="expected"):
        flatten(value)


def test_progress_only_where_it_is_asked_for(monkeypatch, tmp_path):
    """A bar on a terminal's standard error, silence elsewhere."""
    quiet = io.StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    monkeypatch.setattr("polhode.simulation.progress._EVERY", 0.0)
    tasks = {"k": range(8), "log": str(tmp_path / "log")}
    ph.sweep(noted, tasks, workers=0)
    assert quiet.getvalue() == ""
    ph.sweep(noted, tasks, workers=0, progress=True)
    assert "8 of 8 tasks" in quiet.getvalue()
    assert quiet.getvalue().endswith("\r\x1b[K")


def watched(monkeypatch) -> Terminal:
    """Standard error on a terminal, where bars are drawn without delay."""
    stream = Terminal()  # not in a fixture: pytest sets its own after those
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("polhode.simulation.progress._EVERY", 0.0)
    return stream


def test_runs_in_tasks_draw_no_bar(monkeypatch):
    """Neither in this process nor in others: the sweep's is the only one."""
    terminal = watched(monkeypatch)
    ph.simulate(SPINNER, 0.1)
    assert "t = 0.09 s" in terminal.getvalue()
    terminal = watched(monkeypatch)
    ph.sweep(angle_after, {"rate": [1.0, 2.0]}, workers=0)
    assert "2 of 2 tasks" in terminal.getvalue() and "t = " not in terminal.getvalue()
    assert ph.sweep(bar_is_drawn, 2, workers=1).results == (False, False)


def test_a_bar_estimates_from_what_this_run_has_done(monkeypatch):
    """Not from the tasks that an earlier one did."""
    terminal = watched(monkeypatch)
    now = [100.0]
    monkeypatch.setattr("polhode.simulation.progress.time.monotonic", lambda: now[0])
    bar = TaskProgress(100)
    bar.begin(80)
    now[0] += 5.0
    bar.at(90)
    assert " 90 %  90 of 100 tasks, 5 s left" in terminal.getvalue()
    bar.close()
