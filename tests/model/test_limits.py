"""The limits of all joints of a model as arrays."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError
from polhode.model import FloatingBase, Limits, Prismatic, Revolute, Spherical

INF = np.inf


def test_limits_stand_where_the_velocities_do():
    """Also behind joints of several axes, whose quaternions sit at the end of ``q``."""
    model = ph.Model("m").add("base", joint=FloatingBase(), mass=1.0)
    model = model.append("a", joint=Revolute.y(), limits=Limits(-1.0, 2.0, 3.0, 4.0))
    model = model.append("ball", joint=Spherical())
    model = model.append("b", joint=Prismatic.x(), mass=1.0, limits=(0.0, 0.5))
    free = [INF] * 3
    expected = {
        "lower": [*(-x for x in free * 2), -1.0, *(-x for x in free), 0.0],
        "upper": [*free * 2, 2.0, *free, 0.5],
        "velocity": [*free * 2, 3.0, *free, INF],
        "effort": [*free * 2, 4.0, *free, INF],
        "lower_effort": [*(-x for x in free * 2), -4.0, *(-x for x in free), -INF],
    }
    assert {name: x.tolist() for name, x in model.limits._asdict().items()} == expected
    q = ph.random_configuration(model, np.random.default_rng(1), size=(50,))[:, : model.nv]
    limited = np.isfinite(model.limits.lower)
    assert (q >= model.limits.lower)[:, limited].all() and (q <= model.limits.upper).all()


@pytest.mark.parametrize("key", ["velocity", "effort"])
def test_bounds_of_magnitudes_are_not_negative(key):
    """A negative bound of speed or effort would turn what it clamps round."""
    for bound in (-3.0, -math.inf):
        with pytest.raises(ModelError, match=f"expected {key} of at least 0, got {bound:g}"):
            Limits(-1.0, 1.0, **{key: bound})
    assert getattr(Limits(-1.0, 1.0, **{key: 0.0}), key) == 0.0


def test_efforts_differ_by_direction_where_that_is_said():
    """The lower one is the upper one's negative, unless it is given; it is never above zero."""
    assert Limits(effort=3.0).efforts == (-3.0, 3.0)
    assert Limits(effort=3.0, lower_effort=-3) == Limits(effort=3.0)
    pushing = Limits(effort=3.0, lower_effort=0)
    assert pushing.efforts == (0.0, 3.0)
    model = ph.Model("m").add("a", joint=Revolute.y(), mass=1.0, limits=pushing)
    assert (model.limits.lower_effort.tolist(), model.limits.effort.tolist()) == ([0.0], [3.0])
    with pytest.raises(ModelError, match="expected lower_effort of at most 0, got 1"):
        Limits(lower_effort=1.0)


def test_limits_are_as_immutable_as_their_model():
    """The arrays are read-only, models compare and pickle as before, and edits have their own."""
    model = ph.Model("m").add("a", joint=Revolute.y(), mass=1.0, limits=(-1.0, 1.0))
    with pytest.raises(ValueError, match="read-only"):
        model.limits.lower[0] = 0.0
    assert pickle.loads(pickle.dumps(model)) == model
    longer = model.append("b", joint=Revolute.y(), mass=1.0)
    assert longer.limits.upper.tolist() == [1.0, INF]
    assert longer.weightless().limits.upper.tolist() == [1.0, INF]


def test_a_model_without_joints_has_no_limits():
    """Arrays of no entries."""
    assert [x.shape for x in ph.Model("none").limits] == [(0,)] * 5
