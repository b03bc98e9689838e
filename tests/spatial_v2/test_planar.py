"""A planar model is a spatial one whose zeros cost nothing."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode import algorithms
from polhode import spatial_v2 as sv
from polhode.compiler import Program
from polhode.spatial_v2.convert import core_model

from .plane import Plane
from .reference_cases import models

TOLERANCE = 1e-12
NAMES = ["pl2", "pl6", "p1", "p2", "p3"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("algorithm", ["rnea", "aba"])
def test_operations_of_the_plane(name, algorithm, record_property):
    """No program of a planar model costs more than one written over vectors of three."""
    model = models("spatial_v2_dynamics")[name]
    shapes = dict.fromkeys(("q", "qd", "last"), (model.NB,))
    plane = Program(getattr(Plane(model), algorithm), shapes)
    compiled = {"rnea": algorithms.inverse_dynamics, "aba": algorithms.forward_dynamics}
    ours = ph.compile(compiled[algorithm], core_model(model))
    record_property("operations", (name, algorithm, ours.ops, plane.ops))
    assert ours.ops <= plane.ops, f"{ours.ops} operations, {plane.ops} in the plane"


@pytest.mark.parametrize("name", NAMES)
def test_results_of_the_plane(name):
    """Both ways of writing it give the same numbers."""
    model, rng = models("spatial_v2_dynamics")[name], np.random.default_rng(1)
    q, qd, x = rng.standard_normal((3, model.NB))
    plane = Plane(model)
    tau, qdd = sv.ID(model, q, qd, x), sv.FDab(model, q, qd, x)
    scale = np.abs(tau).max() + np.abs(qdd).max() + 1.0
    np.testing.assert_allclose(tau, plane.rnea(q, qd, x), rtol=0, atol=TOLERANCE * scale)
    np.testing.assert_allclose(qdd, plane.aba(q, qd, x), rtol=0, atol=TOLERANCE * scale)
