"""Drawing instructions: every word, its scopes, its faults, and a picture of all of them."""

import base64
import io
from pathlib import Path

import numpy as np
import pytest

from polhode import spatial_v2 as sv
from polhode.errors import ModelError
from polhode.viewer import drawn, has_tiles

STORED = Path(__file__).parent / "drawing.png"
CUBE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]]


def rows(*drawing):
    """Shapes of instructions for body 1."""
    return drawn([[], list(drawing)], ["base", "body1"])


def test_boxes_cylinders_spheres():
    """Corners in any order; an axis from end to end; a radius."""
    box, cyl, ball = rows(
        "box", [[1, 2, 3], [0, 4, 2]], "cyl", [[0, 0, 1], [2, 0, 1]], 0.5, "sphere", [1, 2, 3], 0.2
    )
    assert (box["kind"], box["size"], box["pose"][:3]) == ("box", [1, 2, 1], [0.5, 3.0, 2.5])
    assert (cyl["kind"], cyl["size"], cyl["pose"][:3]) == ("cylinder", [0.5, 2.0], [1, 0, 1])
    x, y, z, w = cyl["pose"][3:]
    axis = [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)]
    assert np.allclose(np.abs(axis), [1, 0, 0], atol=1e-15)
    assert (ball["kind"], ball["size"], ball["pose"][:3]) == ("sphere", [0.2], [1, 2, 3])
    assert {row["body"] for row in (box, cyl, ball)} == {1}


def test_attributes_hold_to_the_end_of_their_scope():
    """Colour, facets and vertices reach into inner lists and not out of them."""
    made = rows(
        "sphere", [0, 0, 0], 1, "colour", [1, 0, 0], "facets", 12,
        ["sphere", [0, 0, 0], 1, "colour", [[0, 1, 0], [0, 0, 1]], "sphere", [0, 0, 0], 1],
        "cyl", [[0, 0, 0], [0, 0, 1]], 1,
    )  # fmt: skip
    assert [row["color"] for row in made] == [None, [1, 0, 0, 1], [0, 1, 0, 1], [1, 0, 0, 1]]
    assert [row["facets"] for row in made] == [None, 12, 12, 12]
    assert made[2]["colors"] == [[0, 1, 0], [0, 0, 1]] and "colors" not in made[1]


def test_lines_and_triangles_use_vertices():
    """Points as given or by number from 1; triangles index the scope's vertices."""
    plain, numbered, mesh = rows(
        "line", [[0, 0, 0], [1, 1, 1], [2, 0, 0]],
        ["vertices", CUBE, "line", [1, 3, 5], "triangles", [[1, 2, 5], [2, 3, 5]]],
    )  # fmt: skip
    assert np.array_equal(plain["points"], [[0, 0, 0], [1, 1, 1], [2, 0, 0]])
    assert np.array_equal(numbered["points"], np.array(CUBE)[[0, 2, 4]])
    assert np.array_equal(mesh["faces"], [[0, 1, 4], [1, 2, 4]])


def test_tiles_cover_every_other_square():
    """Half of the area in squares, cut at the edges, in the plane of the range that falls."""
    (tiles,) = drawn([["tiles", [[0, 3], [0, 2], [0.5, 0.5]], 1]], ["base"])
    assert has_tiles([["tiles", 1, 2]]) and not has_tiles([["box", 1]])
    points, faces = np.array(tiles["points"]), tiles["faces"]
    assert set(points[:, 2]) == {0.5}
    a, b, c = (points[faces[:, k]] for k in range(3))
    assert np.cross(b - a, c - a)[:, 2].sum() / 2.0 == pytest.approx(3.0)
    (cut,) = drawn([["tiles", [[2, 2], [0, 2.5], [0, 1]], 1]], ["base"])
    assert set(np.array(cut["points"])[:, 1]) == {0.0, 1.0, 2.0, 2.5}


@pytest.mark.parametrize(
    ("drawing", "place", "text"),
    [
        (["box"], "{1,1}", "expected 1 operands of 'box'"),
        (["box", [[0, 0, 0], [1, 1, 0]]], "{1,1}", "differ in every direction"),
        (["colour", [1, 0, 2], "sphere", [0, 0, 0], 1], "{1,1}", "between 0 and 1"),
        (["colour", [1, 0, 0], ["sphere", [0, 0], 1]], "{1,3,1}", "expected a 1x3 array"),
        (["sphere", [0, 0, 0], -1], "{1,1}", "expected a positive radius"),
        (["bax", [[0, 0, 0], [1, 1, 1]]], "{1,1}", "did you mean 'box'"),
        ([[["line", [1, 2]]]], "{1,1,1,1}", "numbers of vertices given before (1 to 0)"),
        (["vertices", CUBE, "triangles", [[1, 2, 6]]], "{1,3}", "(1 to 5)"),
        (["facets", 2.5], "{1,1}", "whole number of facets"),
        (["tiles", [[0, 1], [0, 1], [0, 0]], 1], "{1,1}", "on the base only"),
        (["cyl", [[0, 0, 0], [0, 0, 0]], 1], "{1,1}", "two different ends"),
        (["line", [[0, 0, 0]]], "{1,1}", "numbers of vertices"),
        (["box", [[0, 0, 0], [1, np.nan, 1]]], "{1,1}", "finite numbers"),
    ],
)
def test_faults_are_located(drawing, place, text):
    """What is not well formed is named by its place in the lists."""
    with pytest.raises(ModelError) as error:
        rows(*drawing)
    assert place in str(error.value) and text in str(error.value)


def test_every_fault_is_reported():
    """One message tells all of them."""
    with pytest.raises(ModelError) as error:
        drawn([["box", 1], ["sphere", [0, 0, 0], 0, ["facets", 1]]], ["base", "body1"])
    places = [line.partition("}")[0] for line in str(error.value).splitlines()]
    assert [place.partition("{")[2] for place in places] == ["0,1", "1,1", "1,4,1"]


def test_the_picture_of_every_instruction(browser, tmp_path):
    """The package's own example of all instructions looks as it did when somebody looked."""
    image = pytest.importorskip("PIL.Image")
    page = sv.showmotion(sv.gfxExample(), path=tmp_path / "all.html", open_browser=False)
    browser.resize(480, 360)
    browser.open(page.as_uri() + "#t=0.75&theme=light&bare=1&plots=0")
    data = browser.run("document.getElementById('stage').toDataURL().split(',')[1]")
    browser.resize(400, 300)
    drawn_now = image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA")
    if not STORED.exists():
        drawn_now.save(STORED)
        pytest.fail(f"{STORED.name} was missing: look at the new one, then run again")
    stored = np.asarray(image.open(STORED).convert("RGBA"), float)
    now = np.asarray(drawn_now, float)
    assert now.shape == stored.shape
    # Edges may fall on other sides of a pixel with another build of the browser.
    assert np.mean(np.abs(now - stored).max(axis=-1) > 48.0) < 0.01
    assert np.abs(now - stored).mean() < 2.0
    assert browser.errors == []
