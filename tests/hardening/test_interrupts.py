"""Ctrl-C and death at any moment: no file half written, no temporary file, nothing broken."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from models import ball_on_plane
from polhode.compiler.program import cache
from polhode.compiler.program.source import Source
from polhode.files.writing import write_atomically
from polhode.simulation.stepping.callables import Callables
from random_trees import tree

TESTS = str(Path(__file__).parents[1])
needs_signals = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs setitimer")

WORK = """
import sys
sys.path.append(sys.argv[1])
import numpy as np, polhode as ph
from io_samples import frame
from pathlib import Path
from random_trees import tree

Path("arm.lua").write_text(frame('name = "hand", parent = "trunk", body = { mass = 1 }'))
print("ready", flush=True)
k, model = 0, ph.load("arm.lua")
while k < int(sys.argv[2]):
    k += 1
    machine = tree(("revolute x", "prismatic"), seed=k)
    ph.forward_dynamics(machine, np.zeros(2), np.zeros(2), np.zeros(2))
    run = ph.simulate(machine, 0.05, progress=False)
    run.save("run.npz"), run.to_csv("run.csv"), run.plot("run.svg")
    run.to_html("run.html"), ph.save(model, "copy.urdf")
    ph.load("arm.lua")
    try:
        run.save("nowhere/run.npz")
    except OSError:
        pass
    if k == 1:
        print("once", flush=True)
"""


@pytest.fixture
def place(tmp_path):
    """Folders of a process of its own: work, temporary files, cache."""
    for name in ("work", "tmp", "cache"):
        (tmp_path / name).mkdir(mode=0o700)
    return tmp_path


def _started(place: Path, rounds: int) -> subprocess.Popen:
    environment = os.environ | {
        "TMPDIR": str(place / "tmp"), "POLHODE_CACHE_DIR": str(place / "cache"),
        "HOME": str(place / "tmp"), "PYTHONPATH": str(Path(ph.__file__).parents[1]),
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-c", WORK, TESTS, str(rounds)], cwd=place / "work", env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


OUTPUTS = {"arm.lua", "run.npz", "run.csv", "run.svg", "run.html", "copy.urdf"}


def _left(place: Path) -> list[str]:
    """Names that should not be there."""
    odd = [name for name in os.listdir(place / "work") if name not in OUTPUTS]
    odd += os.listdir(place / "tmp")
    return odd + [name for name in os.listdir(place / "cache") if name.startswith("new-")]


def test_a_whole_run_leaves_its_outputs_and_no_more(place):
    """Also where writing failed."""
    process = _started(place, 1)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert set(os.listdir(place / "work")) == OUTPUTS
    assert not _left(place)


def _interrupted(process: subprocess.Popen) -> str:
    """Press Ctrl-C until the process ends; what it wrote to the error stream.

    Python drops an interrupt that comes while it tidies up after an object; one presses again.
    """
    try:
        for _ in range(20):
            process.send_signal(signal.SIGINT)
            try:
                return process.communicate(timeout=10)[1]
            except subprocess.TimeoutExpired:
                pass
        raise AssertionError("twenty interrupts did not end it")
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("delay", [0.0, 0.011, 0.037, 0.083, 0.15])
def test_an_interrupted_process_leaves_whole_files(place, delay):
    """Ctrl-C at some moment of compiling, running, reading or writing."""
    process = _started(place, 10_000)
    assert process.stdout is not None
    while "once" not in process.stdout.readline():
        assert process.poll() is None
    time.sleep(delay)
    errors = _interrupted(process)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors or "SimulationInterrupted" in errors
    assert not _left(place)
    _check_whole(place / "work")


def test_a_killed_process_leaves_whole_files(place):
    """What cannot be tidied up at least has a name of its own, and is not taken for a file."""
    process = _started(place, 10_000)
    assert process.stdout is not None
    while "once" not in process.stdout.readline():
        assert process.poll() is None
    time.sleep(0.05)
    process.kill()
    process.communicate(timeout=120)
    odd = [name for name in _left(place) if not name.startswith("new-")]
    assert [name for name in odd if ".part" not in name] == []  # some keep their ending
    _check_whole(place / "work")


def _check_whole(folder: Path) -> None:
    assert len(ph.Recording.load(folder / "run.npz").times) > 1
    assert (folder / "run.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert (folder / "run.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")


# -- in this process --


class Interrupted(BaseException):
    """Stands for KeyboardInterrupt, which would end the test run."""


@contextmanager
def interrupted_after(seconds: float):
    """A Ctrl-C that raises `Interrupted` where the code is by then; again, where it is dropped."""

    def rings(number, frame):
        signal.raise_signal(signal.SIGINT)

    def raises(number, frame):
        raise Interrupted

    def dropped(what):
        if isinstance(what.exc_value, Interrupted):
            signal.setitimer(signal.ITIMER_REAL, 1e-3)
        else:
            hook(what)

    hook, sys.unraisablehook = sys.unraisablehook, dropped
    before = signal.signal(signal.SIGALRM, rings), signal.signal(signal.SIGINT, raises)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except Interrupted:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before[0])
        signal.signal(signal.SIGINT, before[1])
        sys.unraisablehook = hook


@needs_signals
@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_an_interrupted_compilation_can_be_repeated(part):
    """After an interrupt inside the first call, the next call compiles and is right."""
    kinds, state = ("revolute x", "universal", "prismatic", "spherical"), np.zeros((3, 7))
    began = time.perf_counter()
    ph.inverse_dynamics(tree(kinds, seed=50), np.zeros(8), *state[1:])
    took = time.perf_counter() - began
    model = tree(kinds, seed=51 + round(10 * part))
    q = ph.neutral(model)
    with interrupted_after(part * took):
        ph.inverse_dynamics(model, q, *state[1:])
    tau = ph.inverse_dynamics(model, q, *state[1:])
    again = type(model)(model.name, model.links, tuple(model.gravity.lin), model.base)
    assert np.array_equal(tau, ph.inverse_dynamics(again, q, *state[1:]))
    H = ph.mass_matrix(model, q)
    assert np.allclose(H @ np.ones(7) + tau, ph.inverse_dynamics(model, q, state[0], np.ones(7)))


def test_an_interrupt_waits_until_an_entry_of_the_cache_is_written(monkeypatch):
    opened, name = os.open, "f" * 64

    def interrupted(*arguments, **named):
        descriptor = opened(*arguments, **named)
        signal.raise_signal(signal.SIGINT)
        return descriptor

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cache.write(name, {"ops": 3})
    assert cache.read(name) == ({"ops": 3}, b"")
    (cache.folder() / name).unlink()


def _falling(model, q):
    return ph.forward_dynamics(model, q, np.zeros(2), np.zeros(2))


def _held(model, q):
    held = ph.constraints.ConstraintSet(model).contact("link1", (0.1, 0.2, 0.3), (0.0, 0.0, 1.0))
    return ph.constrained_dynamics(model, held, q, np.zeros(2), np.zeros(2)).qdd


@pytest.mark.parametrize("call", [_falling, _held])
def test_no_door_drops_an_interrupt_of_its_compilation(call, monkeypatch):
    """The first call compiles where an interrupt reaches the caller; the next one is right."""
    model = tree(("revolute x", "prismatic"), seed=60)
    q, whole, left = ph.neutral(model), Source.kernel, [Interrupted]

    def interrupted_once(source, form):
        if left:
            raise left.pop()
        return whole(source, form)

    monkeypatch.setattr(Source, "kernel", interrupted_once)
    with pytest.raises(Interrupted):
        call(model, q)
    again = type(model)(model.name, model.links, tuple(model.gravity.lin), model.base)
    assert np.array_equal(call(model, q), call(again, q))


@needs_signals
@pytest.mark.parametrize("seconds", [0.002, 0.01, 0.03])
def test_an_interrupted_run_can_be_repeated(seconds):
    """A run after an interrupted one has the bits of a run alone."""
    model = tree(("revolute x", "prismatic"), seed=1)
    alone = ph.simulate(model, 0.2, progress=False)
    with interrupted_after(seconds):
        ph.simulate(model, 1e3, progress=False)
    assert ph.simulate(model, 0.2, progress=False).q.tobytes() == alone.q.tobytes()


def _forever(subject, runs):
    """Runs one after another, each with a controller under which Ctrl-C is pressed."""

    def controller(t, state):
        if t > 0.05:
            signal.raise_signal(signal.SIGINT)
        return np.zeros(state.model.nv)

    while True:
        runs.append(subject)
        ph.simulate(subject, 1.0, controller=controller, progress=False)


@pytest.mark.parametrize("subject", [tree(("revolute x", "prismatic"), seed=1), ball_on_plane(3.0)])
def test_an_interrupted_run_ends_the_loop_around_it(subject):
    """The interrupt goes on, with what was recorded, and no run comes after it."""
    runs = []
    with pytest.raises(ph.simulation.SimulationInterrupted) as interrupt:
        _forever(subject, runs)
    kept = interrupt.value.recording
    assert isinstance(interrupt.value, KeyboardInterrupt)
    assert kept.stopped == str(interrupt.value)
    assert kept.stopped.startswith("interrupted at t = 0.05")
    assert len(kept.times) >= 5
    assert np.isfinite(kept.q).all()
    assert len(runs) == 1


@needs_signals
@pytest.mark.parametrize("event", ["call", "return"])
def test_an_interrupt_at_the_edge_of_a_callback_is_not_lost(event):
    """Python drops what is raised as a callback of compiled code begins or ends."""
    calls, code = [], Callables._called.__code__

    def pressed(frame, what, _):
        if frame.f_code is code and what == event:
            calls.append(what)
            if len(calls) == 3:
                signal.raise_signal(signal.SIGINT)

    simulator = ph.TimeSteppingSimulator(ball_on_plane(3.0), forces=lambda t, simulator: None)
    simulator.step(1e-3)
    before = sys.getprofile()
    sys.setprofile(pressed)
    try:
        with pytest.raises(KeyboardInterrupt):
            simulator.advance(1e-3, 10)
    finally:
        sys.setprofile(before)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    simulator.step(1e-3)  # it can be gone on with


def test_an_interrupt_while_writing(tmp_path, monkeypatch):
    """The older file is untouched, the new one gone; the same for an entry of the cache."""
    path = tmp_path / "file"
    write_atomically(path, b"old")
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "cache"))

    def interrupted(*_):
        raise Interrupted

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(Interrupted):
        write_atomically(path, b"new")
    with pytest.raises(Interrupted):
        cache.write("ab" * 32, {})
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path / "cache") == []
    assert sorted(os.listdir(tmp_path)) == ["cache", "file"]


def test_what_killed_writers_left_in_the_cache_goes_away(tmp_path, monkeypatch):
    """An old unfinished entry is removed in passing, one being written is not."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    for name, age in (("new-1-1-ab", 1e5), ("new-2-2-cd", 0.0), ("e" * 64, 1e5)):
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    cache.write("0" * 64, {})
    assert sorted(os.listdir(tmp_path)) == ["0" * 64, "e" * 64, "new-2-2-cd"]
