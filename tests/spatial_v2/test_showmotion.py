"""showmotion's calls, its camera, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

from polhode import spatial_v2 as sv
from polhode.errors import ModelError, ShapeError


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


def data_of(page):
    text = page.read_text()
    start = text.index('id="recording">') + len('id="recording">')
    return json.loads(text[start : text.index("</script>", start)])


def test_cameras(tmp_path):
    """The model's camera, or the default that suits its gravity."""

    def camera(model):
        page = sv.showmotion(model, path=tmp_path / "a.html", open_browser=False)
        data = data_of(page)
        return data["camera"] | {"up": data["up"], "direction": data["framing"]["direction"]}

    usual = camera(sv.autoTree(2))
    assert (usual["up"], usual["body"]) == ([0, 0, 1], 0)
    assert usual["direction"] == [0, -1, 0.8]
    model = sv.autoTree(2)
    model.gravity = [0, -9.81, 0]
    assert camera(model)["up"] == [0, 1, 0] and camera(model)["direction"] == [0, 0.4, 1]
    tracking = camera(sv.gfxExample(1))
    assert tracking["body"] == 2 and any(tracking["point"])
    disc = camera(sv.rollingdisc(6))
    assert disc["locus"] == [0, 0.5] and disc["direction"] == [1, 0, 0.1]


def test_drawings_are_checked():
    """An instruction that is not well formed is named by its place in the lists."""
    model = sv.planar(2)
    model.appearance = {"body": [[], ["colour", [1, 0, 0], ["sphere", [0, 0]]]]}
    with pytest.raises(ModelError, match=r"\{2,3,1\}"):
        sv.showmotion(model, open_browser=False)


def test_times_may_repeat(tmp_path):
    """At a time that repeats the motion jumps."""
    model = sv.planar(1)
    page = sv.showmotion(
        model, [0, 1, 1, 2], [[0.0, 0.0, 1.0, 1.0]], path=tmp_path / "a.html", open_browser=False
    )
    assert data_of(page)["films"][0]["frames"] == 121
