"""The disk cache: found without tracing, private, and never trusted when it looks wrong."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from compiler.examples import pendulum, same_bits, states
from polhode.compiler import Program
from polhode.compiler.codegen.machine import Format, opt_level, wide_lanes
from polhode.compiler.program import cache, native
from polhode.compiler.program.source import kernel_entry

SHAPES = {"q": (5,), "qd": (5,), "length": ()}
X = states(20, 5), states(20, 5, seed=1), states(20, seed=2)


class Counted:
    """`pendulum`, counting how often it was traced."""

    def __init__(self):
        self.traces = 0

    def __call__(self, *x):
        self.traces += 1
        return pendulum(*x)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of this test's own."""
    path = tmp_path / "cache"
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(path))
    return path


def run(key=b"k"):
    """Make the program anew and call it; how often that traced, and the results."""
    build = Counted()
    p = Program(build, SHAPES, name="pendulum", key=key)
    results = p(*X), p(X[0][0], X[1][0], X[2][0])
    assert p.ops == 59
    return build.traces, results


@pytest.fixture(scope="module")
def expected():
    """Results without any key."""
    return run(None)[1]


def agree(results, expected):
    """Whether batch and single results are those expected."""
    return all(same_bits(a, b) for a, b in zip(results, expected, strict=True))


def test_a_key_makes_tracing_unnecessary(folder, expected):
    """The second program with a key finds shapes, op count and code on disk."""
    first, second = run(), run()
    assert (first[0], second[0]) == (1, 0)
    assert agree(first[1], expected)
    assert agree(second[1], expected)


def test_another_key_is_another_program(folder):
    """Entries of different keys do not meet."""
    run(b"one")
    assert run(b"two")[0] == 1


def test_without_a_key_the_code_is_the_key(folder, expected):
    """Tracing is needed, compiling is not: no entry is added."""
    run(None)
    before = sorted(os.listdir(folder))
    traces, results = run(None)
    assert traces == 1
    assert sorted(os.listdir(folder)) == before
    assert agree(results, expected)


def test_entries_are_private(folder):
    """Folder 0700, files 0600, nothing temporary left."""
    run()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    names = os.listdir(folder)
    assert len(names) >= 3
    assert not [n for n in names if n.startswith("new-")]
    for name in names:
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


def _flip(data):
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(_flip, id="bit"),
        pytest.param(lambda data: data[: len(data) // 2], id="truncated"),
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data + b"x", id="longer"),
        pytest.param(lambda data: b"x" * 5000, id="nonsense"),
    ],
)
def test_a_damaged_entry_is_made_again(folder, expected, damage):
    """Every entry damaged: compiled anew, right results, and good entries afterwards."""
    run()
    good = {path: path.read_bytes() for path in folder.iterdir()}
    for path, data in good.items():
        path.write_bytes(damage(data))
    traces, results = run()
    assert traces == 1
    assert agree(results, expected)
    assert run()[0] == 0


@pytest.mark.parametrize("what", ["files", "folder"])
def test_what_others_can_write_is_not_read(folder, expected, what):
    """A file or a folder that anyone may write could hold anyone's code."""
    run()
    for path in folder.iterdir() if what == "files" else [folder]:
        path.chmod(path.stat().st_mode | stat.S_IWOTH)
    traces, results = run()
    assert traces == 1
    assert agree(results, expected)


def names_of(key):
    """Names of the entries of a program: its facts, and its code for one state and for many."""
    formats = [Format("f64", 1), Format("f64", wide_lanes("f64"))]
    codes = [native.entry_name(b"key" + key, form, kernel_entry(opt_level())) for form in formats]
    return [native.entry_name(key, formats[0], "facts"), *codes]


def test_each_level_of_compilation_has_code_of_its_own(folder, expected, monkeypatch):
    """Both are kept, differ, and give the same bits; another level is refused."""
    codes = []
    for level in ("0", "1"):
        monkeypatch.setenv("POLHODE_OPT_LEVEL", level)
        assert agree(run(b"k")[1], expected)
        codes += [cache.read(name) for name in names_of(b"k")[1:]]
    assert None not in codes
    assert len({data for _, data in codes}) == len(codes)
    monkeypatch.setenv("POLHODE_OPT_LEVEL", "2")
    with pytest.raises(ValueError, match="expected POLHODE_OPT_LEVEL of 0 or 1, got 2"):
        run(b"other")


@pytest.mark.parametrize("whose", ["another program", "another version", "another processor"])
def test_an_entry_under_a_name_not_its_own_is_not_read(folder, expected, monkeypatch, whose):
    """Code that was made for something else, renamed to what is looked for."""
    with monkeypatch.context() as patch:
        if whose == "another version":
            patch.setattr(cache, "source_fingerprint", lambda: b"older")
        if whose == "another processor":
            patch.setattr(native, "cpu_identity", lambda: "abacus")
        key, build = (b"o", other) if whose == "another program" else (b"k", pendulum)
        foreign = Program(build, SHAPES, name="pendulum", key=key)
        foreign(*X), foreign(X[0][0], X[1][0], X[2][0])
        theirs = names_of(key)
    assert not set(theirs) & set(names_of(b"k"))
    for source, target in zip(theirs, names_of(b"k"), strict=True):
        (folder / source).rename(folder / target)
        assert cache.read(target) is None
    traces, results = run(b"k")
    assert traces == 1
    assert agree(results, expected)
    assert run(b"k")[0] == 0


def other(q, qd, length):
    """As many outputs as `pendulum`, and other numbers."""
    return [x * 2.0 + length for x in q]


@pytest.mark.parametrize("mode", [stat.S_IWOTH, stat.S_IWGRP])
def test_code_that_others_could_have_written_is_not_run(folder, expected, mode):
    """Other code in a good entry's place, sealed for that very name, but writable by others."""
    foreign = Program(other, SHAPES, name="pendulum", key=b"k")
    foreign(*X), foreign(X[0][0], X[1][0], X[2][0])
    for path in folder.iterdir():
        path.chmod(stat.S_IMODE(path.stat().st_mode) | mode)
    assert all(cache.read(name) is None for name in names_of(b"k"))
    traces, results = run(b"k")
    assert traces == 1
    assert agree(results, expected)


class Refusing:
    """Functions of a file system that is full, or may only be read; reading goes on."""

    def __init__(self, number, function):
        self.number, self.function, self.refused = number, function, 0

    def __call__(self, path, how, *more):
        if isinstance(how, int) and not how & (os.O_WRONLY | os.O_RDWR):
            return self.function(path, how, *more)
        self.refused += 1
        raise OSError(self.number, os.strerror(self.number))


@pytest.mark.parametrize(
    ("module", "name", "number"),
    [
        pytest.param(os, "open", errno.EROFS, id="read-only"),
        pytest.param(os, "open", errno.ENOSPC, id="no space for a name"),
        pytest.param(os, "open", errno.EDQUOT, id="over quota"),
        pytest.param(os, "replace", errno.ENOSPC, id="no space at the end"),
        pytest.param(os, "replace", errno.EACCES, id="forbidden"),
    ],
)
def test_what_cannot_be_written_only_costs_time(
    folder, expected, monkeypatch, module, name, number
):
    """Programs are made and run as if there were no cache, and nothing is left behind."""
    run(b"kept")
    before = sorted(os.listdir(folder))
    refusing = Refusing(number, getattr(module, name))
    monkeypatch.setattr(module, name, refusing)
    for _ in range(2):
        traces, results = run(b"k")
        assert traces == 1
        assert agree(results, expected)
    assert refusing.refused >= 3
    assert sorted(os.listdir(folder)) == before
    assert run(b"kept")[0] == 0


_FULL = """
import os, resource, signal, sys
from compiler.test_cache import run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.dont_write_bytecode = True  # Python would leave byte code cut short
resource.setrlimit(resource.RLIMIT_FSIZE, (600, resource.RLIM_INFINITY))
traces, results = zip(*[run(b"full") for _ in range(2)])
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
sys.stdout.write(results[1][0].tobytes().hex())
"""


def test_a_disk_that_fills_while_writing(folder, expected):
    """A file that cannot grow is dropped whole; what is too large never appears."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", _FULL]
    child = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert child.stdout == expected[0].tobytes().hex().encode()
    assert all(path.stat().st_size <= 600 for path in folder.iterdir())
    assert not [n for n in os.listdir(folder) if n.startswith("new-")]
    assert run(b"full")[1][0].tobytes() == expected[0].tobytes()


def test_odd_things_in_the_place_of_an_entry(folder, expected, tmp_path):
    """A folder, a link to nowhere, a link to a file of anyone's."""
    folder.mkdir(mode=0o700)
    anyones = tmp_path / "anyones"
    anyones.write_bytes(b"x" * 100)
    anyones.chmod(0o666)
    facts, scalar, wide = names_of(b"k")
    (folder / facts).mkdir()
    (folder / scalar).symlink_to(tmp_path / "nowhere")
    (folder / wide).symlink_to(anyones)
    for _ in range(2):
        assert agree(run(b"k")[1], expected)
    assert anyones.read_bytes() == b"x" * 100


def test_foreign_files_are_not_read(folder, monkeypatch):
    """An entry of another user counts as absent."""
    run()
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    assert run()[0] == 1


@pytest.mark.parametrize("kind", ["file in the way", "missing home"])
def test_no_folder_is_no_error(tmp_path, monkeypatch, expected, kind):
    """Programs work without a cache."""
    monkeypatch.delenv("POLHODE_CACHE_DIR", raising=False)
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked / "below"))
    if kind == "file in the way":
        monkeypatch.setenv("POLHODE_CACHE_DIR", str(blocked))
    assert cache.folder() is None
    for _ in range(2):
        traces, results = run()
        assert traces == 1
        assert agree(results, expected)


def test_default_folder(tmp_path, monkeypatch):
    """XDG_CACHE_HOME/polhode."""
    monkeypatch.delenv("POLHODE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.folder() == tmp_path / "xdg" / "polhode"


def test_old_entries_make_room(folder, monkeypatch):
    """Beyond the size limit the entries used least recently go."""
    monkeypatch.setattr(cache, "LIMIT", 5000)
    for k in range(10):
        cache.write(f"entry{k}", {"k": k}, bytes(900))
        os.utime(folder / f"entry{k}", (k, k))
    cache.write("00 last", {}, bytes(900))
    left = set(os.listdir(folder))
    assert "00 last" in left
    assert "entry0" not in left
    assert sum((folder / name).stat().st_size for name in left) <= 5000
    assert cache.read("00 last") == ({}, bytes(900))


_CHILD = """
import sys, numpy as np
from compiler.test_cache import X, run
sys.stdout.write(run(b"shared")[1][0].tobytes().hex())
"""


def test_processes_at_the_same_time(folder, expected):
    """Several processes that fill the same folder all get the right bits."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def child(_):
        command = [sys.executable, "-c", _CHILD]
        return subprocess.run(command, env=environment, capture_output=True, check=True).stdout

    with ThreadPoolExecutor(3) as pool:
        printed = set(pool.map(child, range(3)))
    assert printed == {expected[0].tobytes().hex().encode()}
    assert run(b"shared")[0] == 0


def test_constants_survive_the_cache(folder):
    """Constant outputs of every kind, from a fresh and from a stored program."""

    def build(x):
        return [1.5, -0.0, float("inf"), float("-inf"), float("nan"), 1e-320, x]

    for _ in range(2):
        got = Program(build, {"x": ()}, key=b"constants")(np.zeros(3))
        assert same_bits(got, np.tile([1.5, -0.0, np.inf, -np.inf, np.nan, 1e-320, 0.0], (3, 1)))
