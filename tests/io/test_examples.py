"""The two models that ship with the package."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.formats.lua import ContactConstraint

EXAMPLES = Path(ph.__file__).parent / "examples"


@pytest.fixture(params=["arm.urdf", "walker.lua"])
def model(request):
    """Each example; it must load without a remark."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ph.load(EXAMPLES / request.param)


def test_sizes(model):
    """An arm of six joints; a walker of 29 degrees of freedom and 72 kg."""
    sizes = {"arm": (6, 6), "walker": (30, 29)}
    assert (model.nq, model.nv) == sizes[model.name]
    if model.name == "walker":
        assert sum(body.mass for body in model.bodies) == pytest.approx(72.0, rel=1e-12)


def test_bodies_are_possible(model):
    """Every moving body has mass and an inertia that some solid has."""
    for link in model.links:
        low, middle, high = np.linalg.eigvalsh(link.body.inertia)
        assert link.body.mass > 0.0
        assert low > 0.0
        assert low + middle > high


def test_all_links_can_be_seen(model):
    """Every link has coloured shapes that need no mesh files."""
    for link in model.links:
        assert link.visuals
        assert all(visual.color is not None for visual in link.visuals)


def test_walker_stands_symmetrically():
    """Left and right are mirror images, and the centre of mass lies between them."""
    walker = ph.load(EXAMPLES / "walker.lua")
    links = {link.name: link for link in walker.links}
    for name, link in links.items():
        if name.endswith("_left"):
            twin = links[name.replace("_left", "_right")]
            assert twin.body == link.body
            assert twin.frame.r.y == -link.frame.r.y


def test_feet_of_the_walker():
    """Each stance holds its foot with six independent rows."""
    sets = ph.load(EXAMPLES / "walker.lua").constraint_sets
    assert {name: len(rows) for name, rows in sets.items()} == {
        "both_feet": 12,
        "left_foot": 6,
        "right_foot": 6,
    }
    for side in ("left", "right"):
        rows = sets[f"{side}_foot"]
        assert all(isinstance(row, ContactConstraint) for row in rows)
        assert {row.body for row in rows} == {f"foot_{side}"}
        wrenches = [[*np.cross(row.point, row.normal), *row.normal] for row in rows]
        assert np.linalg.matrix_rank(wrenches) == 6
