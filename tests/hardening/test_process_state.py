"""What calls leave of the process as they found it, and what they survive in it."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode import once
from polhode.compiler.codegen.machine import Format
from polhode.compiler.program import cache as disk
from polhode.compiler.program.native import runtime
from polhode.files.writing import write_atomically

TESTS = Path(__file__).parents[1]
ON_LINUX = sys.platform == "linux"
BEGIN = """
import faulthandler, os, signal, sys, threading, time
faulthandler.enable(), faulthandler.dump_traceback_later(150, exit=True)
import numpy as np, polhode as ph
from polhode.model import Plane, Revolute, Sphere

def bar(mass):
    return ph.Model("bar").add("bar", joint=Revolute.y(), mass=mass, inertia=(1, 1, 1))

def ball():
    scene = ph.Scene().add_fixed("floor", Plane())
    return scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.3)).contact()
"""


def ends_well(code: str, *arguments: str, before: tuple[str, ...] = (), **environment: str) -> str:
    """What a process of its own prints on the error stream, once it ended well."""
    done = subprocess.run(
        [*before, sys.executable, "-c", BEGIN + code, *arguments],
        env=os.environ | {"PYTHONPATH": str(Path(ph.__file__).parents[1])} | environment,
        capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stderr


# -- made once --


def test_what_threads_ask_for_together_is_made_once():
    """Eight threads, one value; also with arguments, and by two functions of one store."""
    made, start, found = [], threading.Barrier(8), []

    @once.once
    def make(k: int) -> object:
        made.append(k)
        time.sleep(0.02)
        return object()

    def ask() -> None:
        start.wait()
        found.append((make(1), make(k=2)))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(made) == [1, 2]
    assert len(set(found)) == 1


def test_what_is_made_within_its_own_making_is_not_replaced():
    """A finalizer may ask for the very thing that is being made: the first stays."""
    store: dict[str, object] = {}

    def again() -> object:
        once.kept(store, "a", lambda: "inner")
        return "outer"

    assert once.kept(store, "a", again) == "inner"
    assert store == {"a": "inner"}
    assert once.kept(store, "b", lambda: None) is None
    assert once.kept(store, "b", lambda: "other") is None


def test_a_failure_makes_nothing_and_frees_the_lock():
    """The next one tries again, in any thread."""
    store: dict[str, int] = {}
    with pytest.raises(ZeroDivisionError):
        once.kept(store, "a", lambda: 1 // 0)
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(once.kept(store, "a", lambda: 5)))
    thread.start()
    thread.join(10)
    assert found == [5]


def test_attributes_of_two_objects_do_not_wait_for_each_other():
    """One thread computes an attribute while another computes that of another object."""

    class Thing:
        def __init__(self, *others: Thing):
            self.others = others

        @once.cached_property
        def size(self) -> int:
            found: list[int] = []
            for other in self.others:
                thread = threading.Thread(target=lambda x=other: found.append(x.size), daemon=True)
                thread.start()
                thread.join(10)
            return 1 + sum(found)

    thing = Thing(Thing(Thing()))
    assert thing.size == 3
    assert thing.__dict__["size"] == 3


def test_the_runtime_is_one():
    """Its addresses are kept by others, bare."""
    assert runtime(Format("f64", 1)) is runtime(Format("f64", 1))


# -- where memory lies --

FAR = """
import llvmlite.binding as llvm, scipy.linalg
held = [np.empty(n << 30, np.uint8) for n in (3, 1, 2, 5, 3)]
if "plain" in sys.argv:
    features = llvm.get_host_cpu_features
    def without():
        known = features()
        return type(known)({k: on and k[:3] not in ("fma", "avx") for k, on in known.items()})
    llvm.get_host_cpu_features = without
q = np.full((50, 1), 0.5)
for k in range(3):
    assert np.allclose(ph.mass_matrix(bar(1.0 + k), q), 1.0)
    assert np.allclose(ph.inverse_dynamics(bar(1.0 + k), q[0], q[0], q[0]), 0.5)
    held.append(np.empty(3 << 30, np.uint8))
if "scene" in sys.argv:
    run = ph.simulate(ball(), 0.5, progress=False)
    assert abs(run.q[-1, 2] - 0.1) < 1e-4, run.q[-1]
"""
LAYOUTS = [(), ("setarch", "-R")] if ON_LINUX and shutil.which("setarch") else [()]


@pytest.mark.parametrize("before", LAYOUTS, ids=["random", "fixed"][: len(LAYOUTS)])
@pytest.mark.parametrize("what", [("scene",), ("plain",)])
def test_code_far_from_libraries(before, what, tmp_path):
    """Gigabytes are reserved first: code and libraries are further apart than a jump reaches.

    ``plain`` is a processor without fused multiply-add, whose code calls the C library for it.
    """
    cache = {} if "scene" in what else {"POLHODE_CACHE_DIR": str(tmp_path)}
    ends_well(FAR, *what, before=before, **cache)  # makes code
    ends_well(FAR, *what, before=before, **cache)  # reads it from the cache


# -- forks --

FORK = """
entered = threading.Event()

def slow(model, q):
    entered.set()
    time.sleep(1.0)
    return ph.mass_matrix(model, q)

shared = bar(2.0)
program = ph.compile(slow, shared)
thread = threading.Thread(target=program, args=([0.0],))
thread.start(), entered.wait()
pid = os.fork()
if not pid:
    signal.alarm(60)
    ph.set_num_threads(2)
    q = np.zeros((20000, 1))
    fine = all(np.allclose(ph.mass_matrix(model, q), 1.0) for model in (shared, bar(3.0)))
    fine = fine and np.allclose(program([0.0]), 1.0)
    os._exit(not fine)
thread.join()
assert os.waitpid(pid, 0)[1] == 0
assert np.allclose(ph.mass_matrix(bar(4.0), [0.0]), 1.0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")
def test_a_fork_while_another_thread_compiles(tmp_path):
    """The child compiles and computes; so does the parent."""
    ends_well(FORK, POLHODE_CACHE_DIR=str(tmp_path))


# -- interrupts --

INTERRUPTS = """
import math
way, rounds, kept = sys.argv[1], int(sys.argv[2]), 0

def calls():
    for k in range(10**6):
        model = bar(1.0 + k / 7)
        if way == "one":
            ph.mass_matrix(model, [0.5])
        elif way == "batch":
            ph.mass_matrix(model, np.zeros((20, 1)))
        else:
            ph.compile(lambda m, q: {"a": q[1][0] * (k + 1.5)}, model).ufunc(np.zeros((9, 1)))

def press(seconds):
    time.sleep(seconds)
    os.kill(os.getpid(), signal.SIGINT)

ph.mass_matrix(bar(0.5), [0.5])
for k in range(rounds):
    thread = threading.Thread(target=press, args=(0.002 + 0.11 * math.modf(0.618034 * k)[0],))
    signal.alarm(20)  # ends the process: the interrupt was lost
    try:
        thread.start()
        calls()
    except KeyboardInterrupt:
        kept += 1
    signal.alarm(0)
    thread.join()
print(kept, "of", rounds)
"""


@pytest.mark.skipif(not hasattr(signal, "alarm"), reason="needs alarms")
@pytest.mark.parametrize("way", ["one", "batch", "ufunc"])
def test_no_interrupt_of_a_first_call_is_lost(way, tmp_path):
    """Ctrl-C at 40 moments of compiling ends the calls, each time."""
    errors = ends_well(INTERRUPTS, way, "40", POLHODE_CACHE_DIR=str(tmp_path))
    assert "ignored" not in errors


FINALIZERS = """
import gc
from llvmlite.binding import ffi
from polhode.compiler.codegen.machine import Engine, compile_ir

dropped = []
def watch(cls):
    finalize = cls.__del__
    def watched(self):
        dropped.append((cls, signal.getsignal(signal.SIGINT) is signal.default_int_handler))
        finalize(self)
    cls.__del__ = watched
watch(ffi.ObjectRef), watch(ffi.OutputString)

q = np.zeros((20, 1))
for k in range(2):
    assert ph.mass_matrix(bar(1.0 + k), [0.0]) == ph.mass_matrix(bar(1.0 + k), q)[0]
ph.compile(lambda m, q: {"a": q[1][0] * 1.5}, bar(3.0)).source("ptx")
Engine(compile_ir("define double @half() { ret double 0.5 }", opt=2, speed=2)).address("half")
gc.collect()
loose = {cls.__name__ for cls, can_interrupt in dropped if can_interrupt}
assert {ffi.ObjectRef, ffi.OutputString} == {cls for cls, _ in dropped}
assert not loose, loose
"""


def test_no_finalizer_of_llvm_runs_where_an_interrupt_can_come(tmp_path):
    """Python drops exceptions of finalizers, and with them an interrupt."""
    ends_well(FINALIZERS, POLHODE_CACHE_DIR=str(tmp_path))


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of a file that nobody has got yet
def test_no_interrupt_is_lost_where_the_cache_is_read(tmp_path, monkeypatch):
    """An interrupt before or after any call within it is not taken for a damaged entry."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    disk.write("entry", {}, b"code")

    for n in itertools.count():
        moments = itertools.count()

        def watch(_, __, called, n=n, moments=moments) -> None:
            if called is not sys.setprofile and next(moments) == n:
                raise KeyboardInterrupt

        sys.setprofile(watch)
        try:
            found = disk.read("entry")
        except KeyboardInterrupt:
            continue
        finally:
            sys.setprofile(None)
        assert found == ({}, b"code")
        break
    assert n > 50


# -- what belongs to all threads --

UNTOUCHED = """
import gc, locale, tempfile, warnings
os.umask(0o027)
def state():
    return (sys.excepthook, sys.unraisablehook, threading.excepthook, os.getcwd(),
            signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM),
            list(warnings.filters), dict(os.environ),
            locale.setlocale(locale.LC_ALL), np.geterr(), gc.isenabled(), gc.get_freeze_count(),
            gc.get_threshold(), sys.getrecursionlimit(), sys.getswitchinterval(), list(sys.path),
            os.umask(os.umask(0o027)), __import__("multiprocessing").get_start_method(True))

folder, before, errors = tempfile.mkdtemp(), state(), []
def work(k):
    try:
        for n in range(3):
            path = f"{folder}/{k}-{n}"
            run = ph.simulate(ball(), 1.0, record=0.001, output=path + ".h5", progress=False)
            run.save(path + ".npz")
            ph.forward_dynamics(bar(1.0 + k), [0.1], [0.2], [0.3])
    except BaseException as error:
        errors.append(error)
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
assert not errors, errors
for a, b in zip(before, state()):
    assert a == b or a is b, (a, b)
"""


def test_the_process_is_as_it_was(tmp_path):
    """Hooks, handlers, filters, masks, variables: after runs in threads that write files."""
    pytest.importorskip("h5py")
    ends_well(UNTOUCHED, TMPDIR=str(tmp_path))


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_new_files_have_the_rights_of_the_process(tmp_path):
    """Threads that write files leave the mask alone, and none of them sees another's."""
    before = os.umask(0o026)
    try:
        paths = [tmp_path / str(k) for k in range(60)]
        threads = [threading.Thread(target=write_atomically, args=(p, b"x")) for p in paths]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert {stat.S_IMODE(p.stat().st_mode) for p in paths} == {0o640}
    finally:
        assert os.umask(before) == 0o026
    assert sorted(tmp_path.iterdir()) == sorted(paths)


FULL = """
import gc, resource
from polhode.recording import hdf5
hdf5.require_room = lambda *_: None  # the disk is full only once HDF5 writes
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (900_001,) * 2)
try:
    ph.simulate(ball(), 30.0, record=0.001, output=sys.argv[1], progress=False)
except ph.simulation.SimulationError as error:
    assert "could not write" in str(error)
else:
    raise AssertionError("the disk was not full")
gc.collect()
"""


@pytest.mark.skipif(not ON_LINUX, reason="limits of Linux")
def test_a_disk_that_is_full_makes_no_noise(tmp_path):
    """No complaint past the caller, neither at once nor when the process ends."""
    pytest.importorskip("h5py")
    assert ends_well(FULL, str(tmp_path / "run.h5")) == ""


def test_the_environment_of_sweeps_that_begin_together(monkeypatch):
    """Two of them leave the variables as the user has set them."""
    from polhode.batch.sweep.executors import _LIMITS, _environment

    monkeypatch.setenv(_LIMITS[0], "7")
    monkeypatch.delenv(_LIMITS[1], raising=False)
    start = threading.Barrier(2)

    def begin(k: int) -> None:
        start.wait()
        with _environment(k):
            assert os.environ[_LIMITS[0]] == str(k)
            time.sleep(0.05)

    threads = [threading.Thread(target=begin, args=(k,)) for k in (1, 2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert os.environ[_LIMITS[0]] == "7"
    assert _LIMITS[1] not in os.environ


# -- numbers of threads --


@pytest.mark.parametrize("n", [10**9, 1025, float("nan"), float("inf"), "4", 2.5, -3, [2]])
def test_numbers_of_threads_that_no_machine_has(n):
    """Refused, with the limit; the number stays."""
    before = ph.get_num_threads()
    with pytest.raises(ValueError, match="of at least 1 and at most 1024, got"):
        ph.set_num_threads(n)
    assert ph.get_num_threads() == before


def test_the_number_of_threads_changes_while_others_work():
    """Results have the bits of one thread."""
    model = ph.Model("bar").add("bar", joint=ph.model.Revolute.y(), mass=2.0, inertia=(1, 1, 1))
    q = np.linspace(-3, 3, 60000)[:, None]
    before, expected = ph.get_num_threads(), ph.inverse_dynamics(model, q, q, q)
    done, wrong = threading.Event(), []

    def work() -> None:
        while not done.is_set():
            wrong.extend(
                [1] * (ph.inverse_dynamics(model, q, q, q).tobytes() != expected.tobytes())
            )

    threads = [threading.Thread(target=work) for _ in range(3)]
    try:
        [thread.start() for thread in threads]
        for n in (1, 4, 2, None, 9, 3, 1, 16, 2) * 4:
            ph.set_num_threads(n)
            time.sleep(0.01)
    finally:
        done.set()
        [thread.join() for thread in threads]
        ph.set_num_threads(before)
    assert not wrong
