"""Models are written by the suffix of the file's name, and come back."""

from dataclasses import replace

import pytest

import polhode as ph
from polhode import examples
from polhode.errors import ModelError, ModelWarning
from polhode.model import Model, Revolute

ARM = Model("arm").add("link", joint=Revolute.y(), mass=2.0, com=(0.5, 0, 0), inertia=(0.1,) * 3)


@pytest.mark.parametrize("name", ["arm.urdf", "arm.lua", "ARM.URDF"])
def test_what_is_saved_is_loaded(name, tmp_path):
    """The same machine comes back from either format."""
    path = tmp_path / name
    ph.save(ARM, path)
    again = ph.load(path)
    assert ph.mass_matrix(again, [0.3]) == ph.mass_matrix(ARM, [0.3])
    assert again.joints[0].kind == Revolute.y()


def test_an_unknown_kind_of_file_is_refused(tmp_path):
    """The error says which kinds there are, and nothing is written."""
    with pytest.raises(
        ModelError, match=r"ends in .urdf, .lua, .sdf, .xml or .mjcf.*did you mean '.urdf'"
    ):
        ph.save(ARM, tmp_path / "arm.udf")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["urdf", "lua", "xml"])
def test_what_drives_and_measures_is_named_as_lost(ending, tmp_path):
    """Actuators and sensors are written to MJCF alone."""
    model = ph.Model("arm").add(
        "a", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.5), inertia=(1, 1, 1)
    )  # fmt: skip
    model = model.add_motor("elbow motor", joint="a")
    is_scene = ending == "xml"
    what = ph.Scene("s").add_machine(model).add_sensor("imu", "gyro", ("arm", "a"))
    with pytest.warns(ModelWarning) as told:
        ph.save(what if is_scene else model, tmp_path / f"arm.{ending}")
    text = "\n".join(str(each.message) for each in told)
    assert text.count("elbow motor") == 1
    assert ("imu" in text) == is_scene


def test_what_lua_has_in_comments_alone_is_named_as_lost(tmp_path):
    """Of the shipped arm: names and limits of joints, turned shapes, and gravity compensation."""
    arm = ph.load(examples.path("arm.urdf"))
    links = [replace(link, gravity_compensation=1.0) if link.name == "flange" else link
             for link in arm.links]  # fmt: skip
    with pytest.warns(ModelWarning) as told:
        ph.save(replace(arm, links=tuple(links)), tmp_path / "arm.lua")
    assert [str(each.message).split("\n  ") for each in told if "lost" in str(each.message)] == [[
        "model 'arm': lost or changed in Lua:",
        "names of joints ('swivel', 'shoulder', 'elbow' and 1 more)",
        "limits of joints ('swivel', 'shoulder', 'elbow' and 3 more)",
        "visuals that are turned, or meshes ('turret', 'upper_arm', 'wrist_roll')",
        "gravity compensation ('flange')",
    ]]  # fmt: skip
