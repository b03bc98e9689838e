"""The disk cache: found without tracing, private, and never trusted when it looks wrong."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from compiler.examples import pendulum, same_bits, states
from polhode.compiler import Program
from polhode.compiler.program import cache

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
    cache.write("0 last", {}, bytes(900))
    left = set(os.listdir(folder))
    assert "0 last" in left
    assert "entry0" not in left
    assert sum((folder / name).stat().st_size for name in left) <= 5000
    assert cache.read("0 last") == ({}, bytes(900))


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
