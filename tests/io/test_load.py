"""The one door: which reader is asked, and what is said when none can be."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import polhode as ph
from io_samples import ARM, INERTIAL, frame
from polhode.errors import ModelError, ModelWarning
from polhode.formats import load, read

LUA = frame('name = "hand", parent = "trunk"')


def test_suffix_decides(tmp_path):
    """Both kinds of file are read, whatever the case of their suffix; paths may be texts."""
    (tmp_path / "arm.URDF").write_text(ARM)
    (tmp_path / "arm.lua").write_text(LUA)
    assert ph.load(tmp_path / "arm.URDF").nv == 2
    assert ph.load(str(tmp_path / "arm.lua")).nv == 1
    assert ph.load(tmp_path / "arm.lua", name="x", gravity=[0, 0, 1]).name == "x"


def test_missing_file_suggests_its_neighbours(tmp_path):
    """A name that is nearly that of a file is put right."""
    (tmp_path / "panda.urdf").write_text(ARM)
    with pytest.raises(FileNotFoundError, match=r"no file '.*pnda.urdf'; did you mean '.*panda"):
        load(tmp_path / "pnda.urdf")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        load(tmp_path / "robots" / "panda.urdf")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "arm.udrf",
            r"ends in \.urdf, \.lua, .* or \.osim, got .*; did you mean '\.urdf'",
        ),
        ("arm", r"ends in \.urdf, \.lua, \.xml, \.mjcf, \.sdf or \.osim"),
    ],
)
def test_unknown_suffix(tmp_path, name, words):
    """A file of another kind is refused by its name."""
    with pytest.raises(ModelError, match=words):
        load(tmp_path / name)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mimic": "couple"}, "expected mimic = 'independent' or 'coupled'.* mean 'coupled'"),
        ({"snap_angles": "digit"}, "expected snap_angles = .* got 'digit'; did you mean 'digits'"),
        ({"snap_angles": 1}, "expected snap_angles = True or False or 'digits', got 1"),
        ({"gravity": (0, 0)}, "expected gravity = three numbers"),
        ({"gravity": 9.81}, "expected gravity = three numbers"),
        ({"gravity": (0, 0, float("nan"))}, "three finite numbers as gravity"),
    ],
)
def test_wrong_options(tmp_path, options, words):
    """A wrong value of an option is refused, with a suggestion."""
    (tmp_path / "arm.urdf").write_text(ARM)
    with pytest.raises(ModelError, match=words):
        load(tmp_path / "arm.urdf", **options)


def test_only_regular_files_are_read(tmp_path):
    """A folder or a pipe is refused at once."""
    (tmp_path / "a.urdf").mkdir()
    with pytest.raises(ModelError, match="is a folder"):
        load(tmp_path / "a.urdf")
    os.mkfifo(tmp_path / "b.lua")
    with pytest.raises(ModelError, match="not a regular file"):
        load(tmp_path / "b.lua")


def test_read_returns_what_load_warns_of(tmp_path):
    """The notes come with the model instead of a warning; the warning points at the caller."""
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.replace("<axis", "<axle/><axis"))
    reading = read(path)
    assert [(note.kind, note.line) for note in reading.notes] == [("ignored", 13), ("ignored", 20)]
    with pytest.warns(ModelWarning, match=r"arm.urdf: 2 ignored: line 13: ") as caught:
        assert load(path) == reading.model
    assert caught[0].filename == __file__


def test_many_remarks_are_cut(tmp_path):
    """A warning shows the first remarks and counts the rest."""
    path = tmp_path / "arm.urdf"
    first, _, rest = ARM.partition("<axis")
    axles = "".join(f"<axle{k}/>" for k in range(20))
    path.write_text(f"{first}{axles}<axis{rest}")
    with pytest.warns(
        ModelWarning, match=r"20 ignored: .*\| 18 more \(polhode check .*lists all\)$"
    ):
        load(path)


def _hinge(name: str, inside: str = "") -> str:
    ends = f'<parent link="l"/><child link="{name}"/>'
    joint = f'<joint name="{name}" type="revolute">{ends}{inside}</joint>'
    return f'<link name="{name}">{INERTIAL}</link>\n{joint}\n'


def test_like_remarks_are_told_together(tmp_path):
    """What is not read in many places is told once, and so are like doubts, which come first."""
    path = tmp_path / "arm.urdf"
    limited = "".join(_hinge(f"limited{k}", '<limit D="1" K="2"/>') for k in range(7))
    free = "".join(map(_hinge, ("x", "y", "z")))
    path.write_text(f'<robot name="r"><link name="l"/>\n{limited}{free}</robot>')
    with pytest.warns(ModelWarning) as caught:
        load(path)
    (message,) = [str(warning.message) for warning in caught]
    assert message == (
        f'{path}: 3 doubtful: line 17: <joint name="x"> (revolute) has no <limit> '
        "(and 2 more like this) | 14 ignored: line 3: 'D', 'K' of 7 <limit> are not read"
    )
    assert len(read(path).notes) == 17


def test_remarks_are_bounded(tmp_path):
    """Of very many the first are kept, and the others counted."""
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.replace("<axis", "<axle/>\n" * 2000 + "<axis"))
    notes = read(path).notes
    assert len(notes) == 1001
    assert notes[-1].text == "3000 more warnings are not kept"


@pytest.mark.parametrize("name", ["m.xml", "m.mjcf"])
def test_models_of_mujoco_are_told_by_their_root(tmp_path, name):
    """Behind a comment that names another element."""
    path = tmp_path / name
    path.write_text('<?xml version="1.0"?>\n<!-- <MOBY> -->\n<mujoco><worldbody/></mujoco>')
    assert load(path).machines[0].name == "world"


def test_formats_of_others_are_named(tmp_path):
    """A model of MuJoCo under another ending is not read, and the error says what it is."""
    path = tmp_path / "m.urdf"
    path.write_text('<mujoco model="m"><worldbody/></mujoco>')
    with pytest.raises(ValueError, match=r"this is MuJoCo's format: ph\.load reads it"):
        load(path)


@pytest.mark.parametrize(
    ("root", "told"),
    [("robot", "a URDF: .* ends in .urdf"), ("sdf", "an SDF: .* ends in .sdf"),
     ("OpenSimDocument", "an OpenSim model: .* ends in .osim")],
)  # fmt: skip
def test_formats_that_endings_tell_are_named(tmp_path, root, told):
    """A model under the ending of MuJoCo's and Moby's."""
    path = tmp_path / "m.xml"
    path.write_text(f"<{root}/>")
    with pytest.raises(ValueError, match=f"none inside <{root}>; this is {told}"):
        load(path)


def test_readers_are_imported_when_they_are_needed():
    """Neither importing polhode nor naming ``load`` imports an XML parser or Lua."""
    code = (
        "import sys, polhode; polhode.load\n"
        "print([m for m in ('lupa', 'defusedxml', 'xml.etree.ElementTree') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
