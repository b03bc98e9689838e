"""Worlds of SDF that include models of other files."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ParseError
from polhode.formats import read

CONFIG = '<model><sdf version="1.4">old.sdf</sdf><sdf version="1.7">new.sdf</sdf></model>'
BOT = """<sdf version="1.7"><model name="bot"><pose>9 9 9 0 0 0</pose>{}<link name="l"><inertial>
  <mass>{}</mass></inertial><collision name="c"><geometry><mesh><uri>meshes/a.obj</uri></mesh>
  </geometry></collision><sensor name="s" type="imu"/></link></model></sdf>"""
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH", "ROS_PACKAGE_PATH",
                 "AMENT_PREFIX_PATH"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    files = {
        "models/bot/model.config": CONFIG, "models/bot/old.sdf": BOT.format("", 1),
        "models/bot/new.sdf": BOT.format("", 2), "models/bot/meshes/a.obj": OBJ,
        "models/plain/model.sdf": BOT.format("", 3), "models/plain/meshes/a.obj": OBJ,
        "models/sun/model.config": "<model/>",
        "models/sun/model.sdf": '<sdf version="1.7"><light name="sun" type="point"/></sdf>',
        "models/two/model.sdf": BOT.format("", 2).replace("</sdf>", '<model name="m"/></sdf>'),
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def reading(folder, *includes, more=""):
    path = folder / "worlds" / "w.sdf"
    path.parent.mkdir(exist_ok=True)
    inside = "".join(f"<include>{each}</include>" for each in includes)
    path.write_text(f'<sdf version="1.9"><world name="w">{more}{inside}</world></sdf>')
    return read(path, package_roots=[folder / "models"])


def uri(name):
    return f"<uri>{name}</uri>"


@pytest.mark.parametrize(
    ("name", "mass"),
    [("model://bot", 2), ("model://bot/", 2), ("model://bot/old.sdf", 1), ("model://plain", 3),
     ("bot", 2), ("package://bot/new.sdf", 2)],
)  # fmt: skip
def test_what_is_included(name, mass, folder):
    """A file, or the last of those that the folder of a model names; with the meshes beside it."""
    scene = reading(folder, uri(name)).model
    (machine,), (geometry,) = scene.machines, scene.geometries
    assert (machine.name, machine.model.links[0].body.mass) == ("bot", mass)
    assert machine.q[:3] == (9, 9, 9)
    assert len(geometry.shape.vertices) == 4


def test_models_are_found_as_gazebo_finds_them(folder, monkeypatch):
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", str(folder / "models"))
    path = folder / "w.sdf"
    path.write_text('<sdf version="1.9"><world name="w"><include><uri>model://bot</uri></include>'
                    "</world></sdf>")  # fmt: skip
    assert ph.load(path).machines[0].name == "bot"


def test_what_an_include_says_goes_first(folder):
    """Its name, place and whether it moves, each in place of the model's own."""
    own = '<model name="own"><link name="a"/></model>'
    scene = reading(
        folder, uri("model://bot") + "<name>one</name><pose>1 0 2 0 0 0</pose>",
        uri("model://bot") + "<name>two</name><static>true</static>", more=own,
    ).model  # fmt: skip
    assert [machine.name for machine in scene.machines] == ["own", "one", "two"]
    assert [machine.is_fixed for machine in scene.machines] == [False, False, True]
    np.testing.assert_allclose(scene.machine("one").q[:3], (1, 0, 2))
    assert [geometry.name for geometry in scene.geometries] == ["one/l/c", "two/l/c"]


def test_what_is_left_out_is_told(folder):
    """Files without a model or that are not there, and what is not read of those that are."""
    found = reading(
        folder, uri("model://bot") + "<plugin/>", uri("model://sun"), uri("model://moon"),
        uri("https://fuel.gazebosim.org/models/Sun"), uri("../../secret"),
    )  # fmt: skip
    assert len(found.model.machines) == 1
    told = "\n".join(note.text for note in found.notes)
    for text in ("<include>: <plugin> is not read", "bot/new.sdf: line ", "<sensor> is not read",
                 "'model://sun' has no <model>", "'model://moon' is not found, and left out; pack",
                 "Sun' is not found, and left out; nothing is fetched",
                 "'../../secret' is not found"):  # fmt: skip
        assert text in told, text


@pytest.mark.parametrize(
    ("includes", "message"),
    [
        ([uri("model://bot")] * 2, "duplicate model name 'bot'"),
        ([uri("model://two")], "expected one <model> in a file that is included, found 2"),
        ([""], "<include> has no <uri>"),
        ([uri("model://moon")], "includes none that is found"),
        ([uri("model://bot")] * 101, "expected at most 100 <include>"),
    ],
)
def test_what_is_refused(includes, message, folder):
    with pytest.raises(ParseError, match=message):
        reading(folder, *includes)
