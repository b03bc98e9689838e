"""A recording brings back the very model it was made of."""

from importlib.resources import files

import pytest

import polhode as ph
from polhode.model import Revolute
from polhode.spatial import Transform, Vec3, rotation_x
from random_trees import KINDS, tree

EXAMPLES = files("polhode") / "examples"


@pytest.mark.parametrize("name", ["arm.urdf", "walker.lua"])
def test_examples_come_back(name, tmp_path):
    """Links, visuals, limits and constraint sets are all in the file."""
    model = ph.load(str(EXAMPLES / name))
    path = tmp_path / "run.npz"
    ph.simulate(model, 0.002).save(path)
    assert ph.Recording.load(path).model == model


def test_every_kind_of_joint_comes_back(tmp_path):
    """Also frames that remember their factors."""
    turned = Transform(rotation_x(0.3), Vec3(0.1, 0.2, 0.3)) @ Transform.translation(0.0, 0.1, 0.0)
    model = tree(list(KINDS)).add(
        "last", joint=Revolute.x(), frame=turned, mass=1.0, inertia=(1.0, 1.0, 1.0)
    )
    path = tmp_path / "run.npz"
    ph.simulate(model, 0.002).save(path)
    again = ph.Recording.load(path).model
    assert again == model
    assert again.fingerprint == model.fingerprint
