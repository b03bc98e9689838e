"""Shapes as values: equal, hashed, written and read with a model."""

from __future__ import annotations

import pickle

import pytest

from polhode import Model
from polhode.model import Mesh, Visual
from polhode.recording.model_json import model_from_json, model_to_json
from polhode.spatial import Transform
from random_shapes import ALL

SHAPES = {**ALL, "file": Mesh("hand.stl", (1.0, 2.0, 1.0))}


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_is_a_value(name):
    """Copies are equal and have the same hash."""
    copy = pickle.loads(pickle.dumps(SHAPES[name]))
    assert copy == SHAPES[name] and hash(copy) == hash(SHAPES[name])


@pytest.mark.parametrize("name", SHAPES)
def test_a_recorded_model_keeps_its_shapes(name):
    """Through JSON and back."""
    visual = Visual(SHAPES[name], Transform.identity())
    model = Model("m").add("a", mass=1.0, visuals=(visual,))
    (back,) = model_from_json(model_to_json(model)).links
    assert back.visuals[0].shape == SHAPES[name]
