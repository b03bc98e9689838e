"""Recordings: round trips, refusals, tables, pictures."""

import csv
import io
import json
import math
import pickle
import zipfile
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import polhode as ph
from polhode.model import (
    Axes,
    Box,
    Capsule,
    Custom,
    Cylinder,
    Limits,
    Mesh,
    Model,
    Planar,
    Revolute,
    Screw,
    Sphere,
    Universal,
    Visual,
)  # fmt: skip
from polhode.recording.layout import ARRAYS
from polhode.recording.model_json import model_from_json, model_to_json
from polhode.recording.svg import ticks
from polhode.simulation.progress import Progress


@pytest.fixture
def recording(mixed, rng):
    q0 = ph.integrate(mixed, ph.neutral(mixed), 0.4 * rng.standard_normal((2, mixed.nv)))
    return ph.simulate(mixed, 0.05, q0=q0, controller=lambda t, s: -0.3 * s.qd, seed=9)


def same(a, b):
    return all(getattr(a, n).tobytes() == getattr(b, n).tobytes() for n in ARRAYS)


def test_save_and_load_bit_for_bit(recording, tmp_path):
    """Everything comes back: numbers, model, settings."""
    again = ph.Recording.load(recording.save(tmp_path / "run.npz"))
    assert same(again, recording)
    assert again.model == recording.model
    for name in ("integrator", "contact", "dt", "seed", "is_controlled", "is_loaded", "stopped"):
        assert getattr(again, name) == getattr(recording, name)
    assert np.array_equal(again.poses, recording.poses)
    assert again.audit == recording.audit


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_what_a_run_says_about_itself(recording, tmp_path, suffix):
    """Notes are kept in files, and are on the page."""
    if suffix == ".h5":
        pytest.importorskip("h5py")
    noted = replace(recording, notes=("limits are not applied", "größer"), stopped="too soon")
    again = ph.Recording.load(noted.save(tmp_path / f"run{suffix}"))
    assert (again.notes, again.stopped) == (noted.notes, noted.stopped)
    page = ph.show(again, tmp_path / "a.html", open_browser=False).read_text("utf-8")
    assert all(text in page for text in (noted.notes[0], noted.stopped, "symplectic"))


def test_every_joint_and_shape_survives_json():
    """A model is the same value after a trip through its JSON text."""
    shapes = (Box((1, 2, 3)), Sphere(0.1), Cylinder(0.1, 2), Capsule(0.2, 1), Mesh("a.stl"))
    model = (
        Model("all", gravity=(0.1, -9.0, 0.3), base="ground")
        .add("a", joint=Revolute.x(), limits=Limits(-1.0, math.inf), mass=1.0)
        .append("b", joint=Screw(0.25), mass=0.1 + 0.2, visuals=[Visual(s) for s in shapes])
        .append("c", joint=Axes(((1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 1, 0))), mass=1.0)
        .append("d", joint=Universal((1, 0, 0), (0, 1, 0)), mass=1.0)
        .append("e", joint=Planar(), mass=1.0, inertia=((10, 2, 3), (2, 11, 5), (3, 5, 12)))
        .append("f", visuals=[Visual(Sphere(1.0), color=(0.1, 0.2, 0.3, 1.0), name="</script>")])
    )
    assert model_from_json(json.loads(json.dumps(model_to_json(model)))) == model


def test_a_joint_of_python_code_is_not_saved(tmp_path):
    """Code is not data: the error says which kind of joint it is."""
    hinge = Revolute.x()
    joint = Custom(1, hinge.jcalc)
    model = Model("custom").add("a", joint=joint, mass=1.0, com=(0, 0, -1))
    with pytest.raises(ph.ModelError, match="Custom"):
        model_to_json(model)


class _Bomb:
    def __reduce__(self):
        return print, ("executed",)


def _damaged(path, name, content):
    """The archive with one member replaced."""
    with zipfile.ZipFile(path) as old:
        members = {m: old.read(m) for m in old.namelist()}
    members[name] = content
    with zipfile.ZipFile(path, "w") as new:
        for member, data in members.items():
            new.writestr(member, data)


def _npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def _meta(text):
    return _npy(np.frombuffer(text.encode(), np.uint8))


HOSTILE = {
    "not a zip": lambda p: p.write_bytes(b"MZ" * 100),
    "empty": lambda p: p.write_bytes(b""),
    "cut": lambda p: p.write_bytes(p.read_bytes()[:-300]),
    "pickle": lambda p: p.write_bytes(pickle.dumps(_Bomb())),
    "pickle inside": lambda p: _damaged(
        p, "q.npy", _npy(np.array([_Bomb()], object), allow_pickle=True)
    ),
    "no meta": lambda p: _damaged(p, "meta.npy", b""),
    "other format": lambda p: _damaged(p, "meta.npy", _meta('{"format": "else"}')),
    "meta is a list": lambda p: _damaged(p, "meta.npy", _meta("[1]")),
    "deep meta": lambda p: _damaged(p, "meta.npy", _meta("[" * 100_000)),
    "short q": lambda p: _damaged(p, "q.npy", _npy(np.zeros((1, 2, 3)))),
    "text q": lambda p: _damaged(p, "q.npy", _npy(np.array(["a"]))),
    "scalar times": lambda p: _damaged(p, "times.npy", _npy(np.array(1.0))),
    "times run back": lambda p: _damaged(p, "times.npy", _npy(-np.arange(6.0))),
    "huge claim": lambda p: _damaged(
        p, "q.npy", _npy(np.zeros(3)).replace(b"(3,), }", b"(9999999999999,), }")[:128]
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused(recording, tmp_path, capsys, kind):
    """Each ends in one ParseError that names the file; nothing is executed."""
    path = recording.save(tmp_path / "run.npz")
    HOSTILE[kind](path)
    with pytest.raises(ph.ParseError, match=r"run\.npz: not a recording"):
        ph.Recording.load(path)
    assert "executed" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["links"][0].update({"is": "Model"}),
        lambda m: m["links"][0].update({"is": "os.system"}),
        lambda m: m["links"][0].update({"surprise": 1}),
        lambda m: m.update(links=7),
        lambda m: m.update(gravity=["a", "b", "c"]),
        lambda m: m["links"][1].update(parent="nobody"),
    ],
)
def test_hostile_models_are_refused(recording, change):
    """Only known records are built, and only with their own fields."""
    data = model_to_json(recording.model)
    change(data)
    with pytest.raises((ph.ModelError, ValueError, TypeError, KeyError, AttributeError)):
        model_from_json(data).n_bodies  # noqa: B018


def test_a_missing_file_is_missing(tmp_path):
    """No file is not a damaged file."""
    with pytest.raises(FileNotFoundError):
        ph.Recording.load(tmp_path / "nothing.npz")


def test_saving_leaves_the_old_file_when_it_fails(recording, tmp_path, monkeypatch):
    """A file is whole or not there, and no part of it stays behind."""
    path = recording.save(tmp_path / "run.npz")
    before = path.read_bytes()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        recording.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def test_csv_holds_every_number(recording, tmp_path):
    """The table reads back to the same bits."""
    text = recording.to_csv(tmp_path / "run.csv").read_text()
    rows = list(csv.reader(text.splitlines()))
    names = recording.coordinate_names
    assert rows[0][:3] == ["world", "t", f"q:{names[0]}"] and rows[0][-1] == "work"
    assert len(names) == recording.model.nq == len(set(names))
    assert names[-2:] == ("trunk.W", "arm.W")
    table = np.array(rows[1:], float).reshape(len(recording.times), 2, -1)
    nq, nv = recording.model.nq, recording.model.nv
    assert np.array_equal(table[:, 0, 1], recording.times)
    assert np.array_equal(table[..., 2 : 2 + nq], recording.q)
    for k, forces in enumerate(("tau", "tau_passive", "tau_constraint")):
        first = 2 + nq + (k + 1) * nv
        assert rows[0][first] == f"{forces}:{names[0]}"
        assert np.array_equal(table[..., first : first + nv], getattr(recording, forces))
    assert np.array_equal(table[..., -1], recording.work)


def test_plot_is_svg_with_names_as_text(pendulum, tmp_path):
    """The picture parses as XML, has a line for each energy, and no markup from names."""
    hostile = "</svg><script>alert(1)</script>&amp;"
    model = Model(hostile, pendulum.links)
    svg = ph.simulate(model, 0.1, q0=[1.0, 0.0]).plot(tmp_path / "e.svg").read_text()
    root = ElementTree.fromstring(svg)
    texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    assert hostile in texts and {"kinetic", "potential", "total"} <= set(texts)
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
    lines = [e for e in root.iter("{http://www.w3.org/2000/svg}path") if "M" in e.get("d", "")]
    assert len(lines) >= 6


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-3.2, 41.0), (5.0, 5.0), (0.0, 0.0), (1e-12, 3e-12), (-1e9, 1e9)]
)
def test_ticks_span_the_range(low, high):
    """A handful of evenly spaced numbers, the first and last outside the range."""
    marks = ticks(low, high)
    assert marks[0] <= low and marks[-1] >= high and 3 <= len(marks) <= 12
    assert np.allclose(np.diff(marks), marks[1] - marks[0])


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_only_on_a_terminal(monkeypatch):
    """Silent in a pipe; on a terminal a bar that is wiped at the end."""
    clock = iter(np.arange(100.0))
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    pipe, terminal = io.StringIO(), _Terminal()
    for stream in (pipe, terminal):
        bar = Progress(2.0, stream=stream)
        bar.at(1.0)
        bar.close()
    assert pipe.getvalue() == ""
    assert "50 %" in terminal.getvalue() and terminal.getvalue().endswith("\r\x1b[K")


def test_audit_and_repr_read_well(pendulum):
    """What is printed at the end of a run names the numbers."""
    run = ph.simulate(pendulum, 0.1, q0=[1.0, 0.0])
    assert repr(run) == (
        "Recording('double pendulum', 11 records over 0.1 s, integrator='symplectic', "
        "contact='none')"
    )
    assert "energy change" in str(run.audit)
