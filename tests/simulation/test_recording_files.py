"""Files are what their names say, whole, and never in the place of another kind of file."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.cli import main
from polhode.errors import ParseError
from polhode.files.kinds import PAGES, PICTURES, PLOTS, RECORDINGS, TABLES, kind_at
from polhode.files.writing import replacing, write_atomically
from polhode.model import FloatingBase, Model, Plane, Revolute, Sphere, Spherical
from polhode.recording import npz
from polhode.recording.layout import ARRAYS, CONTACTS

h5py = pytest.importorskip("h5py")
pytest.importorskip("matplotlib")
LONG = "1000000000"  # seconds: a run that begins does not end
BEGINNINGS = {
    ".h5": b"\x89HDF\r\n\x1a\n", ".hdf5": b"\x89HDF\r\n\x1a\n", ".npz": b"PK\x03\x04",
    ".csv": b"t,q:", ".svg": b"<svg ", ".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-",
    ".html": b"<!doctype html", ".htm": b"<!doctype html",
}  # fmt: skip
SETTINGS = ("integrator", "contact", "dt", "seed", "stopped", "notes")
OTHERS = ["run.json", "run.mat", "run.txt", "run", "run.zip", "run.npy", "run.h5.bak"]


def bar() -> Model:
    return Model("bar").add("rod", joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5))


@pytest.fixture(scope="module")
def run() -> ph.Recording:
    return ph.simulate(bar(), 0.1, q0=[1.0], progress=False)


@pytest.fixture(scope="module")
def scene() -> ph.Scene:
    ball = ph.Scene("ball").add_fixed("ground", Plane())
    return ball.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.3)).contact()


@pytest.fixture(scope="module")
def scene_run(scene) -> ph.Recording:
    return ph.simulate(scene, 0.3, dt=0.01, progress=False)


@pytest.fixture
def here(tmp_path, monkeypatch, scene):
    """A folder to work in, with a model and a scene."""
    monkeypatch.chdir(tmp_path)
    ph.save(bar(), "bar.urdf")
    ph.save(scene, "ball.xml")
    return tmp_path


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"bar.urdf", "ball.xml"}


def same(a: ph.Recording, b: ph.Recording) -> bool:
    arrays = all(np.array_equal(getattr(a, n), getattr(b, n)) for n in ARRAYS)
    settings = all(getattr(a, n) == getattr(b, n) for n in SETTINGS)
    return arrays and settings and a.model == b.model


# -- what is written --


@pytest.mark.parametrize("suffix", [".h5", ".hdf5", ".npz", ".H5", ".NPZ"])
def test_recordings_of_models_come_back(suffix, tmp_path):
    """One world and many, with settings; the file is what its name says."""
    free = Model("free").add("body", joint=FloatingBase(), mass=1.0, inertia=(1, 1, 1))
    q0 = np.stack([ph.neutral(free)] * 6).reshape(2, 3, -1)
    rocket = lambda t, state: np.ones_like(state.qd)  # noqa: E731
    for number, whole in enumerate((
        ph.simulate(bar(), 0.05, q0=[1.0], dt=2e-3, integrator="rk4", seed=3, progress=False),
        ph.simulate(free, 0.05, q0=q0, controller=rocket, progress=False),
    )):  # fmt: skip
        path = whole.save(tmp_path / f"run{number}{suffix}")
        assert path.read_bytes().startswith(BEGINNINGS[suffix.lower()])
        assert h5py.is_hdf5(path) == (suffix.lower() != ".npz")
        found = ph.Recording.load(path)
        assert type(found) is ph.Recording
        assert same(found, whole)
        assert (found.is_controlled, found.is_loaded) == (whole.is_controlled, whole.is_loaded)


@pytest.mark.parametrize("suffix", [".h5", ".npz"])
def test_recordings_of_scenes_come_back(scene_run, tmp_path, suffix):
    """With the contacts, and the bodies of the geometries; in the same format as a model's."""
    path = scene_run.save(tmp_path / f"run{suffix}")
    assert path.read_bytes().startswith(BEGINNINGS[suffix])
    found = ph.Recording.load(path)
    assert same(found, scene_run)
    for name in CONTACTS:
        assert np.array_equal(getattr(found, name), getattr(scene_run, name)), name
    assert found.geometry_bodies == scene_run.geometry_bodies
    other = ph.simulate(bar(), 0.01, progress=False).save(tmp_path / f"other{suffix}")
    assert _format(other) == _format(path) == "polhode recording 6"


def _format(path: Path) -> str:
    """What a file says that it is."""
    if path.suffix == ".npz":
        return npz.json_of(np.load(path)["meta"])["format"]
    with h5py.File(path) as file:
        return npz.json_of(file["meta"][:])["format"]


def test_csv_is_the_table(run, scene_run, tmp_path):
    """Saved as CSV a recording is the table of `to_csv`."""
    for number, one in enumerate((run, scene_run)):
        saved = one.save(tmp_path / f"a{number}.csv").read_bytes()
        assert saved == one.to_csv(tmp_path / f"b{number}.csv").read_bytes()


def test_plots_are_what_their_names_say(run, tmp_path):
    """SVG, PNG and PDF."""
    for suffix in (".svg", ".png", ".pdf"):
        assert run.plot(tmp_path / f"a{suffix}").read_bytes().startswith(BEGINNINGS[suffix])


@pytest.mark.parametrize("file", ["bar.urdf", "ball.xml"])
def test_the_command_writes_what_names_say(here, file):
    """Every output of ``sim``, ``plot`` and ``show``, of a model and of a scene."""
    for suffix in (".h5", ".npz", ".csv", ".hdf5"):
        arguments = ["sim", file, "-t", "0.05", "-q", "-o", f"m{suffix}", "--plot", "e.png",
                     "--html", "m.html", "--csv", "t.csv"]  # fmt: skip
        assert main(arguments) == 0
        names = (f"m{suffix}", "e.png", "m.html", "t.csv")
        for name in names:
            assert (here / name).read_bytes().startswith(BEGINNINGS[Path(name).suffix]), name
    for suffix in (".svg", ".png", ".pdf"):
        assert main(["plot", "m.h5", "energy", "-q", "-o", f"p{suffix}"]) == 0
        assert kind_at(f"p{suffix}") is next(k for k in PLOTS if suffix in k.extensions)
    assert main(["plot", "m.hdf5", "-q"]) == 0
    assert kind_at("m.svg") is PLOTS[0]
    assert main(["show", "m.h5", "--no-open", "-q", "-o", "shown.html"]) == 0
    assert ph.Recording.load("m.h5").duration == pytest.approx(0.05)


@pytest.mark.skipif(os.name != "posix", reason="permissions of folders are those of POSIX")
def test_an_unwritable_folder_is_named(run, tmp_path):
    """In the error, with the file; nothing is left behind."""
    run.save(tmp_path / "run.npz")  # imports what saving needs
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    user = os.geteuid()
    if user == 0:  # who may write everywhere
        os.seteuid(65534)
    try:
        with pytest.raises(PermissionError, match=r"closed/run\.npz"):
            run.save(folder / "run.npz")
    finally:
        os.seteuid(user)
    assert not list(folder.iterdir())


def test_the_first_error_is_told(tmp_path):
    """Where the unfinished file cannot be removed, too: its folder is gone."""
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(OSError, match="no space"):
        _fail_to_write(folder / "run.npz")


def _fail_to_write(path):
    with replacing(path) as part:
        part.unlink()
        path.parent.rmdir()
        path.parent.write_bytes(b"now a file")
        raise OSError("no space")


def test_show_takes_the_name_of_a_recording(run, scene_run, tmp_path):
    """Of both kinds; the page is that of the recording."""
    for number, one in enumerate((run, scene_run)):
        path = one.save(tmp_path / f"k{number}.h5")
        by_name = ph.show(str(path), tmp_path / "a.html", open_browser=False).read_text()
        again = ph.Recording.load(path)
        assert by_name == ph.show(again, tmp_path / "b.html", open_browser=False).read_text()
    with pytest.raises(FileNotFoundError, match="no recording at"):
        ph.show("none.h5", open_browser=False)
    with pytest.raises(TypeError, match=r"load one with polhode\.load"):
        ph.show("arm.urdf", open_browser=False)


def test_an_archive_that_was_named_h5_is_read(run, tmp_path):
    """Earlier versions wrote recordings of models as archives under any name."""
    old = run.save(tmp_path / "old.npz").rename(tmp_path / "old.h5")
    assert zipfile.is_zipfile(old)
    assert same(ph.Recording.load(old), run)


# -- what is refused --


@pytest.mark.parametrize("name", OTHERS)
def test_other_names_are_refused(run, scene_run, tmp_path, name):
    """With the extensions that are known; nothing is written."""
    path = tmp_path / name
    known = {
        "save": r"\.h5, \.hdf5, \.npz, \.csv", "to_csv": r"\.csv", "plot": r"\.svg, \.png, \.pdf",
        "to_html": r"\.html, \.htm",
    }  # fmt: skip
    for one in (run, scene_run):
        for method, extensions in known.items():
            with pytest.raises(ValueError, match=f"ends in {extensions} for .*{name}'"):
                getattr(one, method)(path)
    with pytest.raises(ValueError, match=r"ends in \.h5, \.hdf5 for output"):
        ph.simulate(ph.Scene("none"), 1e9, output=path, progress=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("file", ["bar.urdf", "ball.xml"])
@pytest.mark.parametrize(
    "option", ["-o run.json", "-o run.mat", "-o run", "--html foo.txt", "--plot j.jpg",
               "--csv t.xls", "--csv t.h5", "--snapshots s.h5", "--snapshots bar.urdf",
               "--log run.npz", "-o no/run.h5", "--plot no/e.png", "-o folder.h5"],
)  # fmt: skip
def test_the_command_refuses_before_the_run(here, capsys, file, option):
    """At once, although the run would take for ever, and without a file."""
    (here / "folder.h5").mkdir()
    name = option.split()[1]
    before = files(here)
    arguments = ["sim", file, "-t", LONG, *option.split()]
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert name in error and "\n" not in error.strip()
    assert files(here) == before


def test_other_commands_refuse_first(here, run, capsys):
    """``plot``, ``show``, ``render`` and ``sweep`` too."""
    run.save("run.h5")
    for arguments, text in (
        (["plot", "run.h5", "-o", "p.jpg"], "ends in .svg, .png, .pdf"),
        (["show", "run.h5", "--no-open", "-o", "p.txt"], "ends in .html, .htm"),
        (["render", "run.h5", "-o", "p.bmp"], "ends in .png, .gif, .mp4, .webm"),
        (["render", "run.h5", "-o", "no/p.png"], "there is no such folder"),
        (["sweep", "bar.urdf", "-t", LONG, "--csv", "t.txt"], "ends in .csv"),
        (["sweep", "bar.urdf", "-t", LONG, "-o", "t.h5"], "a folder for the results of a sweep"),
        (["sweep", "bar.urdf", "-t", LONG, "-o", "bar.urdf"], "expected a folder"),
    ):  # fmt: skip
        assert main(arguments) == 1
        assert text in capsys.readouterr().err, arguments
    assert files(here) == {"run.h5"}


@pytest.mark.parametrize("file", ["bar.urdf", "ball.xml"])
def test_folders_that_cannot_be_written_are_refused_first(here, capsys, monkeypatch, file):
    """Also where root, who may write anywhere, runs the test."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    for option in ("-o run.h5", "--html a.html", "--csv a.csv", "--plot a.svg", "--log a.log"):
        assert main(["sim", file, "-t", LONG, *option.split()]) == 1
        assert "cannot be written there" in capsys.readouterr().err
    assert files(here) == set()


KINDS = dict.fromkeys((*RECORDINGS, *PLOTS, *PAGES, *TABLES, *PICTURES))


def test_nothing_is_replaced_by_another_kind(run, scene_run, scene, tmp_path, capsys):
    """A file under a name that is not its own stays, whatever would be written over it."""
    made = [run.save(tmp_path / f"a{suffix}") for suffix in (".h5", ".npz", ".csv")]
    made += [run.plot(tmp_path / f"a{suffix}") for suffix in (".svg", ".png", ".pdf")]
    made += [run.to_html(tmp_path / "a.html")]
    writers = {".h5": "save", ".npz": "save", ".csv": "to_csv", ".svg": "plot", ".png": "plot",
               ".pdf": "plot", ".html": "to_html"}  # fmt: skip
    for there in made:
        for suffix, method in writers.items():
            path = tmp_path / f"b{suffix}"
            path.write_bytes(there.read_bytes())
            for one in (run, scene_run):
                if suffix == there.suffix:
                    getattr(one, method)(path)
                    continue
                with pytest.raises(FileExistsError, match=r"expected .* to replace, found"):
                    getattr(one, method)(path)
                assert path.read_bytes() == there.read_bytes()
    (tmp_path / "b.h5").write_bytes(b"notes")
    with pytest.raises(FileExistsError, match="an HDF5 file to replace, found a CSV table"):
        ph.simulate(scene, 1e9, output=tmp_path / "b.h5", progress=False)
    (tmp_path / "b.png").write_bytes(b"\xff\xd8\xff\xe0\0\x10JFIF\0")
    with pytest.raises(FileExistsError, match="a PNG picture to replace, found something else"):
        ph.render(run, tmp_path / "b.png")
    (tmp_path / "b.png").write_bytes(b"")
    run.plot(tmp_path / "b.png")


def test_each_kind_is_told_from_all_others(run, tmp_path):
    """No beginning fits two kinds, but that of text, which stands last."""
    beginnings = {
        "a GIF animation": b"GIF89a", "an MP4 video": b"\0\0\0\x20ftypisom",
        "a WebM video": b"\x1aE\xdf\xa3", "an HTML page": b" \n<html lang='en'>",
        "an SVG picture": b"<?xml version='1.0'?>\n<!-- made -->\n<svg>", "a CSV table": b"a,b\n",
        "a PDF file": b"%PDF-1.4", "a NumPy archive": b"PK\x05\x06", "a PNG picture":
        b"\x89PNG\r\n\x1a\n", "an HDF5 file": b"\x89HDF\r\n\x1a\n",
    }  # fmt: skip
    assert {kind.name for kind in KINDS} == set(beginnings)
    for name, beginning in beginnings.items():
        (tmp_path / "file").write_bytes(beginning + b" more" * 1000)
        found = kind_at(tmp_path / "file")
        assert found is not None and found.name == name
    (tmp_path / "file").write_bytes(b"\0\1\2")
    assert kind_at(tmp_path / "file") is None


def test_a_step_of_zero_is_an_error(here, scene, capsys):
    """It is not taken for one that was not given."""
    for arguments in (
        ["sim", "bar.urdf"], ["sim", "ball.xml"], ["sim", "ball.xml", "--max-iterations", "3"],
        ["sweep", "bar.urdf", "--workers", "0"], ["sweep", "ball.xml", "--workers", "0"],
    ):  # fmt: skip
        for dt in ("0", "-1", "nan", "inf"):
            assert main([*arguments, "-t", "0.02", "--dt", dt]) == 1
            assert re.search("expected .*dt", capsys.readouterr().err), arguments
    for subject in (bar(), scene):
        with pytest.raises(ValueError, match="dt"):
            ph.simulate(subject, 0.1, dt=0.0, progress=False)
        with pytest.raises(ValueError, match="dt"):
            ph.rollout(subject, steps=3, dt=0.0)


# -- damage --


def test_messages_of_damaged_archives_are_bounded(run, tmp_path):
    """However long the names in them are; one line that can be printed."""
    path = run.save(tmp_path / "a.npz")
    data = bytearray(path.read_bytes())
    at = data.find(b"tau.npy")
    data[at - 4 : at - 2] = (20000).to_bytes(2, "little")  # the length of the name there
    path.write_bytes(bytes(data) + bytes(30000))
    messages = [said(path)]
    run.save(tmp_path / "b.h5")
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        kept = file["meta"][:].tobytes().replace(b'"is": "Revolute"', b'"is": "' + b"x" * 50000
                                                 + b'\\u001b[31m\\n"')  # fmt: skip
        del file["meta"]
        file["meta"] = np.frombuffer(kept, np.uint8)
    messages.append(said(tmp_path / "b.h5"))
    for message in messages:
        assert len(message) < 300 + len(str(tmp_path))
        assert message.isprintable()


def said(path):
    with pytest.raises(ParseError) as found:
        ph.Recording.load(path)
    return str(found.value)


@pytest.mark.parametrize("part", np.linspace(0.0, 0.999, 12))
def test_cut_files_are_refused(run, tmp_path, part):
    """HDF5 recordings of models that end anywhere."""
    path = run.save(tmp_path / "a.h5")
    data = path.read_bytes()
    path.write_bytes(data[: int(part * len(data))])
    assert "not a recording of polhode" in said(path)


def test_a_model_s_recording_is_no_run_of_a_scene(run, scene, tmp_path):
    """It has no checkpoint to go on from, and says so."""
    path = run.save(tmp_path / "a.h5")
    before = path.read_bytes()
    with pytest.raises(ParseError, match="not a run to go on with: "):
        ph.simulate(scene, 1.0, resume=path, progress=False)
    assert path.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
@pytest.mark.parametrize("name", ["pipe.h5", "pipe.npz"])
def test_pipes_are_not_waited_for(tmp_path, name):
    """Nobody writes to it: opening it would wait for ever."""
    os.mkfifo(tmp_path / name)
    code = f"import polhode as ph\ntry: ph.Recording.load({str(tmp_path / name)!r})\n" \
           "except ph.ParseError as e: assert 'pipe' in str(e)"  # fmt: skip
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


# -- how files come into their place --


def test_files_are_on_the_disk_before_their_names(tmp_path, monkeypatch):
    """The content first, then the name, then the folder: a loss of power leaves old or new."""
    order = []
    fsync, replace = os.fsync, os.replace

    def noted(handle):
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        order.append((kind, os.fstat(handle).st_size if kind == "file" else None))
        fsync(handle)

    def named(a, b):
        order.append(("name", None))
        replace(a, b)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(os, "replace", named)
    write_atomically(tmp_path / "a", b"content")
    assert order == [("file", 7), ("name", None), ("folder", None)]


def test_streams_are_on_the_disk_when_a_run_ends(scene, tmp_path, monkeypatch):
    """A recording that was written while the run went on."""
    synced, fsync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda h: (synced.append(os.fstat(h).st_ino), fsync(h)))
    ph.simulate(scene, 0.05, output=tmp_path / "a.h5", progress=False)
    assert (tmp_path / "a.h5").stat().st_ino in synced
    assert tmp_path.stat().st_ino in synced


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_files_have_the_usual_mode(tmp_path):
    """That of `open`, without the mask of the process being touched."""
    code = "import os, sys; os.umask(0o027); from polhode.files.writing import *; " \
           "write_atomically(sys.argv[1], b'x')"  # fmt: skip
    subprocess.run([sys.executable, "-c", code, tmp_path / "a"], check=True)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    with pytest.raises(FileNotFoundError) as found:
        write_atomically(tmp_path / "none" / "a", b"x")
    assert found.value.filename == str(tmp_path / "none" / "a")
    began = time.perf_counter()
    write_atomically(tmp_path / ("n" * 250), b"x")
    assert time.perf_counter() - began < 5.0


def test_models_of_a_recording_from_a_file(tmp_path):
    """A file has no scene; the models' motion is found by the names of their joints."""
    wrist = ph.Model("wrist").add("hand", joint=Spherical(), mass=1.0, inertia=(1.0, 2.0, 3.0))
    wrist = wrist.append("finger", joint=Revolute.x(), mass=0.1, inertia=(0.1, 0.1, 0.1))
    scene = ph.Scene("two").add_fixed("ground", Plane()).add_machine(wrist, qd=[1, 2, 3, 4])
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 2), spin=(1, 2, 3))
    run = ph.simulate(scene, 0.05)
    again = ph.Recording.load(run.save(tmp_path / "two.npz"))
    for name in ("ground", "wrist", "ball"):
        for part, other in zip(run.of(name), again.of(name), strict=True):
            assert np.array_equal(part, other)
    with pytest.raises(ph.ModelError, match=r"no model 'bal'.*did you mean 'ball'"):
        again.of("bal")


def test_a_recording_of_a_model_is_that_of_one_model(run):
    """By its own name."""
    q, qd = run.of("bar")
    assert np.array_equal(q, run.q) and np.array_equal(qd, run.qd)
