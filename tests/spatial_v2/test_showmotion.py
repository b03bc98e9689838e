"""Drawing instructions as shapes, and showmotion's calls."""

from __future__ import annotations

import numpy as np
import pytest

from polhode import spatial_v2 as sv
from polhode.errors import ModelError, ShapeError
from polhode.model import Box, Capsule, Cylinder, Sphere
from polhode.spatial_v2.drawing import shown


def shapes(model: sv.SystemModel, link: str) -> list:
    return [v.shape for v in next(x for x in shown(model).links if x.name == link).visuals]


def test_every_instruction_is_drawn():
    """Boxes, cylinders, spheres, lines, triangles' edges and tiles, with scoped colours."""
    model = sv.gfxExample()
    assert {type(shape) for shape in shapes(model, "ground")} == {Box, Capsule}
    first = next(link for link in shown(model).links if link.name == "body1").visuals
    assert [type(v.shape) for v in first] == [Box, Cylinder, Sphere, Sphere, Capsule, Capsule,
                                              Sphere]  # fmt: skip
    assert [v.color for v in first[2:5]] == [(0.0, 0.5, 0.0, 1.0), (0.1, 0.3, 0.6, 1.0), None]


def test_line_lies_between_its_points():
    """A capsule's axis is the line it stands for."""
    model = sv.planar(1)
    model.appearance = {"body": [["line", [[0.1, 0.2, 0.3], [0.4, 0.2, -0.1]]]]}
    (visual,) = next(x for x in shown(model).links if x.name == "body1").visuals
    half = 0.5 * visual.shape.length
    ends = [list(visual.frame.point(type(visual.frame.r)(0.0, 0.0, s * half))) for s in (-1, 1)]
    np.testing.assert_allclose(sorted(ends), [[0.1, 0.2, 0.3], [0.4, 0.2, -0.1]], atol=1e-15)


@pytest.mark.parametrize(
    ("drawing", "place"),
    [(["box"], "{2,1}"), (["colour", [1, 0, 0], ["sphere", [0, 0]]], "{2,3,1}"),
     (["ball", [0, 0, 0], 1], "{2,1}"), (["triangles", [[1, 2, 3]]], "{2,1}"),
     (["cyl", [[0, 0, 0], [0, 0, 0]], 1.0], "{2,1}"), ([["line", [[0, 0], [1, 1]]]], "{2,1,1}")],
)  # fmt: skip
def test_faults_are_located(drawing, place):
    """An instruction that is not well formed is named by its place in the lists."""
    model = sv.planar(2)
    model.appearance = {"body": [[], drawing]}
    with pytest.raises(ModelError) as error:
        shown(model)
    assert place in str(error.value)


def test_calls(tmp_path):
    """A motion is shown, described, saved, and shown again from the file."""
    model, t = sv.vee(), np.linspace(0.0, 1.0, 11)
    q = np.outer(np.arange(7.0), t)
    page = sv.showmotion(model, t, q[:, None, :], path=tmp_path / "a.html", open_browser=False)
    assert page.read_text().startswith("<!")
    (tmp_path / "text").write_text("two rods")
    meta = {"title": "Vee", "description": tmp_path / "text"}
    assert sv.showmotion("about", meta).description == "two rods"
    assert sv.showmotion("about").author == "not specified"
    sv.showmotion("save", tmp_path / "vee")
    sv.showmotion(sv.planar(2), path=tmp_path / "b.html", open_browser=False)
    sv.showmotion(tmp_path / "vee", path=tmp_path / "c.html", open_browser=False)
    assert "Vee" in (tmp_path / "c.html").read_text()
    assert sv.showmotion("about").title == "Vee"


def test_what_is_refused():
    """Times that fall, and positions of another shape, are named."""
    model = sv.planar(2)
    with pytest.raises(ValueError, match="never fall"):
        sv.showmotion(model, [0.0, 1.0, 0.5], np.zeros((2, 3)))
    with pytest.raises(ShapeError, match="NB x n"):
        sv.showmotion(model, [0.0, 1.0], np.zeros((3, 2)))
