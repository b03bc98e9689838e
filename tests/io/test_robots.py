"""Every URDF of the example-robot-data wheel is read, or refused for a reason that is listed."""

from __future__ import annotations

import warnings

import pytest

from io_samples import ROBOTS
from polhode.errors import ModelWarning, ParseError
from polhode.formats import load, read

pytestmark = pytest.mark.oracle  # the wheel with the robots comes with the oracles

FILES = sorted(ROBOTS.rglob("*.urdf"))
REFUSED = {
    "ur3.urdf": "the robot has no links",
    "romeo.urdf": "'RThumb3'.*mass matrix is singular",  # fingers of mass 0
}


@pytest.mark.parametrize("path", FILES, ids=[f"{p.parents[1].name}/{p.stem}" for p in FILES])
def test_robot(path):
    """It loads with fixed and with floating base, or says in which line it is wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        if path.name in REFUSED:
            with pytest.raises(ParseError, match=REFUSED[path.name]) as caught:
                load(path)
            assert caught.value.line is not None
            return
        fixed, floating = load(path), load(path, floating_base=True)
    assert floating.nv == fixed.nv + 6
    assert floating.nq == fixed.nq + 7
    assert [j.name for j in floating.joints[1:]] == [j.name for j in fixed.joints]


def test_meshes_are_found():
    """With the folder of the package as root, the meshes of a robot are files."""
    path = next(p for p in FILES if p.name == "panda.urdf")
    reading = read(path, package_roots=[ROBOTS.parents[1]])
    assert "mesh" not in {note.kind for note in reading.notes}
    assert sum(len(link.visuals) for link in reading.model.links) >= 10
