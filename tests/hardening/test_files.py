"""Only regular files are read: nothing waits for a pipe, and nothing reads a device."""

from __future__ import annotations

import os
import signal
import socket
from contextlib import contextmanager, suppress

import numpy as np
import pytest

import polhode as ph
from polhode.batch.sweep.store import read_head, read_results
from polhode.compiler.program import cache
from polhode.files.reading import open_regular, read_regular
from polhode.formats.mesh import read_mesh
from polhode.recording.stream import read_checkpoint

READERS = {
    "m.urdf": ph.load,
    "m.lua": ph.load,
    "m.xml": ph.load,
    "m.sdf": ph.load,
    "m.mjcf": ph.load,
    "m.obj": read_mesh,
    "m.stl": read_mesh,
    "m.dae": read_mesh,
    "run.npz": ph.Recording.load,
    "run.h5": ph.Recording.load,
    "checkpoint.h5": read_checkpoint,
    "m.mat": ph.spatial_v2.SystemModel.load,
    "sweep.json": lambda path: read_head(path.parent),
}
KINDS = ("pipe", "folder", "socket", "device", "link to a pipe")


@contextmanager
def _at_once():
    """An error after two seconds, in which a file that is no file is refused."""

    def waits(*_):
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, waits)
    signal.alarm(2)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _make(path, kind) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as place:
            place.bind(os.path.relpath(path))
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(path.with_name("target"))
        path.symlink_to("target")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in; names of sockets must be short."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file_is_refused_at_once(here, name, kind):
    """Every reader and loader says what it is, in an error of its own."""
    if name.endswith(".h5"):
        pytest.importorskip("h5py")
    path = here / name
    _make(path, kind)
    errors = (ph.ModelError, ph.ParseError, ph.sweeps.SweepError)
    with _at_once(), pytest.raises(errors, match=r"pipe|folder|socket|not a regular file"):
        READERS[name](path)


def _doubled(x):
    return 2.0 * x


@pytest.mark.parametrize("kind", KINDS)
def test_parts_of_a_sweep(here, kind):
    """A chunk that is no file counts as not there; parameters and lock are refused."""
    folder = here / "sweep"
    ph.sweep(_doubled, {"x": [1.0, 2.0]}, workers=0, output=folder, progress=False)
    _make(folder / "chunk-000007.npz", kind)
    with _at_once():
        assert sorted(read_results(folder, 2)[0]) == [0, 1]
    (folder / ".lock").unlink()
    (folder / "target").unlink(missing_ok=True)
    _make(folder / ".lock", kind)
    with _at_once(), pytest.raises(ph.sweeps.SweepError, match="cannot lock"):
        ph.sweep(_doubled, {"x": [1.0, 2.0]}, workers=0, output=folder, progress=False)


@pytest.mark.parametrize("kind", KINDS)
def test_entries_of_the_cache(here, monkeypatch, kind):
    """What is no file is no entry."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(here / "cache"))
    root = cache.folder()
    assert root is not None
    _make(root / ("ab" * 32), kind)
    with _at_once():
        assert cache.read("ab" * 32) is None


def test_a_pipe_in_the_place_of_a_file(here, monkeypatch):
    """What is opened is looked at again: it may have been exchanged after the first look."""
    path = here / "a"
    path.write_text("x")
    before = os.stat(path)
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr("polhode.files.reading.os.stat", lambda _: before)
    with _at_once(), pytest.raises(ph.ModelError, match="pipe"):
        open_regular(path)


def test_files_that_are_too_large(here):
    """A size is refused before anything is read, and no file leaves its handle open."""
    path = here / "a"
    with open(path, "wb") as file:
        file.truncate(2**40)
    handles = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(ph.ParseError, match="at most 2 MiB, found a larger file"):
        read_regular(path, 2**21)
    for name in ("m.urdf", "m.obj", "m.stl", "m.mat"):
        path = path.rename(here / name)
        with pytest.raises(ph.ParseError, match="larger file"):
            READERS[name](path)
    if handles:
        assert len(os.listdir("/proc/self/fd")) == handles


@pytest.mark.parametrize("path", [b"m.urdf", 3, None, 1.5, "a\0.urdf", "x" * 5000 + ".urdf"])
def test_paths_that_are_none(path):
    """A path is text that the system can take."""
    for read in (ph.load, read_mesh, ph.Recording.load):
        with pytest.raises((ph.ModelError, ph.ParseError)) as caught:
            read(path)
        assert len(str(caught.value)) <= 500


def test_meshes_are_read_once(here, monkeypatch):
    """Many primitives of one file cost one reading of it."""
    from moby.texts import listed, wrapped
    from polhode.formats.moby import meshes

    count = 0

    def counted(path):
        nonlocal count
        count += 1
        return read_mesh(path)

    monkeypatch.setattr(meshes, "read_mesh", counted)
    (here / "a.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4"
    )
    parts = "".join(f'<TriangleMesh id="p{k}" filename="a.obj" mass="1"/>' for k in range(50))
    body = '<RigidBody id="b"><CollisionGeometry primitive-id="p7"/></RigidBody>'
    (here / "s.xml").write_text(wrapped(parts + body, listed("b")))
    with suppress(ph.ParseError):
        ph.load(here / "s.xml")
    assert count == 1
    monkeypatch.setattr(meshes, "MOST_TRIANGLES", 3)
    with pytest.raises(ph.ParseError, match="at most 3 triangles in all meshes"):
        ph.load(here / "s.xml")


def test_options_of_wrong_kinds(here):
    """Options are checked before the file is read."""
    for options in (
        {"gravity": (10**400, 0, 0)}, {"gravity": "x" * 10**4}, {"mimic": "x" * 10**4},
        {"package_roots": None}, {"package_roots": 3}, {"package_roots": [b"x"]},
        {"package_roots": "folder"}, {"floating_base": np.ones(2)}, {"floating_base": "yes"},
        {"snap_angles": "x" * 10**4},
    ):  # fmt: skip
        with pytest.raises(ph.ModelError) as caught:
            ph.load(here / "m.urdf", **options)
        assert len(str(caught.value)) <= 500
