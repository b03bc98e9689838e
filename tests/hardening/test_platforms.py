"""What other systems lack is not needed: its absence is simulated here."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from polhode.batch.sweep.executors import processors
from polhode.batch.sweep.store import _locked
from polhode.compiler.program.cache import _is_private
from polhode.formats.lua import confine
from polhode.recording.hdf5 import require_room
from polhode.viewer.chromium import Browser, BrowserError

WITHOUT_POSIX = """
import os, sys
for name in ("register_at_fork", "sched_getaffinity", "getuid", "statvfs", "fork", "O_NONBLOCK",
             "O_NOCTTY"):
    if hasattr(os, name):
        delattr(os, name)
sys.modules["fcntl"] = sys.modules["resource"] = None

import numpy as np
import polhode as ph
from polhode.examples import path

if __name__ == "__main__":
    arm, walker = ph.load(path("arm.urdf")), ph.load(path("walker.lua"))
    q = ph.random_configuration(arm, np.random.default_rng(0), size=(1000,))
    tau = ph.gravity_forces(arm, q)
    assert np.allclose(ph.inverse_dynamics(arm, q, 0 * q, 0 * q), tau)
    run = ph.simulate(arm, 0.05)
    for name in ("run.npz", "run.h5"):
        run.save(name)
        assert (ph.Recording.load(name).q == run.q).all()
    result = ph.sweep(pow, ph.sweeps.grid(base=[2, 3], exp=[1, 2]), workers=0, output="results")
    assert result.results == (2, 4, 3, 9)
    print(arm.nv, walker.nv)
"""


def test_a_system_without_forks_locks_and_limits(tmp_path):
    """Models, dynamics, simulation, files and sweeps need none of POSIX."""
    script = tmp_path / "script.py"
    script.write_text(WITHOUT_POSIX)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.stdout, done.returncode) == ("6 29\n", 0), done.stderr


def without(monkeypatch, *modules: str) -> None:
    for name in modules:
        monkeypatch.setitem(sys.modules, name, None)


def test_pools_of_windows_are_bounded(monkeypatch):
    """`ProcessPoolExecutor` takes at most 61 workers there."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 128)
    assert processors() == (61 if sys.platform == "win32" else 128)
    monkeypatch.setattr(sys, "platform", "win32")
    assert processors() == 61
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert processors() == 1


def test_folders_are_not_locked_without_fcntl(monkeypatch, tmp_path):
    """And no file is made for it."""
    without(monkeypatch, "fcntl")
    assert _locked(tmp_path) is None and list(tmp_path.iterdir()) == []


def test_room_is_not_asked_for_where_nobody_knows(monkeypatch, tmp_path):
    """Neither that of the disk nor the longest file."""
    monkeypatch.delattr(os, "statvfs", raising=False)
    without(monkeypatch, "resource")
    (tmp_path / "a").touch()
    require_room(tmp_path / "a", 2**60)


def test_files_have_no_owner_without_users(monkeypatch, tmp_path):
    """Then the cache trusts the seal of its entries alone."""
    (tmp_path / "a").touch()
    (tmp_path / "a").chmod(0o666)
    assert not _is_private(os.stat(tmp_path / "a"))
    monkeypatch.delattr(os, "getuid")
    assert _is_private(os.stat(tmp_path / "a"))


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_lua_is_limited_by_what_the_system_has(monkeypatch, system):
    """Landlock and seccomp are Linux's; macOS does not bound the memory that is addressed."""
    monkeypatch.setattr(sys, "platform", system)
    assert not confine.confine_files("") and not confine.confine_calls()
    limits: dict[str, int] = {}
    monkeypatch.setattr(
        confine, "_set_limit", lambda _, which, value: limits.update({which: value})
    )
    if system == "win32":
        without(monkeypatch, "resource")
    confine.limit(2, 2**30)
    confine.forbid_processes()
    expected = {"CPU": 2, "FSIZE": 0, "CORE": 0, "NOFILE": 32, "NPROC": 0}
    assert limits == ({} if system == "win32" else expected)


def test_pictures_are_refused_on_windows(monkeypatch, tmp_path):
    """Before a browser is started, with what to do instead."""
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("POLHODE_BROWSER", sys.executable)
    with pytest.raises(BrowserError, match="not drawn on Windows yet: open the page instead"):
        Browser(tmp_path)
