"""Cameras, several motions in one page, own signals, meshes, size, and notebooks."""

import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

import polhode as ph
from models import pendulum
from polhode.errors import ModelError, ShapeError
from polhode.formats.mesh import read_mesh
from polhode.model import (
    Box,
    Cone,
    FloatingBase,
    Heightmap,
    Mesh,
    Model,
    Plane,
    Polyhedron,
    Revolute,
    Torus,
    Visual,
)
from polhode.spatial import Transform
from polhode.viewer import film_of, html
from polhode.viewer.meshes import heightmap_block, heightmap_triangles, hull_triangles, simplified
from polhode.viewer.packing import Block
from polhode.viewer.page import _MOST_NUMBERS
from polhode.viewer.shapes import shapes
from polhode.viewer.signals import Signal, thinned


def data_of(page):
    text = re.search(r'<script type="application/json" id="recording">(.*?)</script>', page, re.S)
    return json.loads(text.group(1))


def ball():
    """A fine sphere as points and faces."""
    n = 60
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 2 * n), np.linspace(0, np.pi, n), indexing="ij")
    points = np.stack((np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)), axis=-1)
    index = np.arange(2 * n * n).reshape(2 * n, n)
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    faces = np.concatenate((np.stack((a, d, c), -1), np.stack((a, c, b), -1))).reshape(-1, 3)
    return points.reshape(-1, 3), faces


def test_cameras_are_checked():
    """Unknown fields, bodies that are not there, and directions that mean nothing are named."""
    page = html(pendulum(), camera={"body": "rod", "zoom": 2.0})
    assert data_of(page)["camera"]["body"] == 1
    wrong = {
        "did you mean 'zoom'": {"zom": 2.0},
        "did you mean 'rod'": {"body": "rud"},
        "0 to 1": {"body": 7},
        "positive zoom": {"zoom": 0.0},
        "parallel": {"up": (0, 0, 1), "direction": (0, 0, 2)},
        "to have a length": {"direction": (0, 0, 0)},
        "3 finite numbers as a camera's up": {"up": (0, 1)},
        "between -1 and 1": {"locus": (2, 0)},
    }
    for text, camera in wrong.items():
        with pytest.raises(ModelError, match=re.escape(text)):
            html(pendulum(), camera=camera)


def test_several_motions_in_one_page(browser, open_undrawn_at, tmp_path):
    """Laid over each other the later ones are ghosts; side by side they keep apart."""
    slow, fast = (ph.simulate(pendulum(), t, q0=[1.0]) for t in (1.0, 2.0))
    page = ph.show([slow, fast], tmp_path / "two.html", open_browser=False, layout="beside")
    open_undrawn_at(page, 1.5)
    assert browser.run("viewer.player.duration") == pytest.approx(2.0)
    apart = browser.run("viewer.machines.map(m => m.root.position.length())")
    assert abs(apart[0] - apart[1]) > 0.1
    names = browser.run("viewer.data.signals.map(s => s.group)")
    assert names == [s["group"] for s in data_of(page.read_text())["signals"]]
    assert len(names) == len(set(names)) > 2
    energies = browser.run("viewer.data.signals[0].lines.map(l => [l.name, l.run, l.tone])")
    assert energies == [
        [f"{run + 1}: {name}", run, tone]
        for run in (0, 1)
        for tone, name in enumerate(("total", "kinetic", "potential"))
    ]
    ends = browser.run("viewer.data.signals[0].lines.map(l => l.times[l.times.length - 1])")
    assert ends == pytest.approx([1.0] * 3 + [2.0] * 3)
    data = data_of(html(slow, fast))
    assert (
        data["layout"] == "overlay" and [film["place"] for film in data["films"]] == [[0, 0, 0]] * 2
    )
    assert browser.errors == []
    with pytest.raises(ValueError, match="did you mean 'beside'"):
        html(slow, layout="besides")
    with pytest.raises(TypeError, match="got nothing"):
        html()


def test_own_signals():
    """A line by name, with or without times of its own; others are refused."""
    run = ph.simulate(pendulum(), 1.0, q0=[1.0])
    heights = -0.5 * np.cos(run.q[:, 0])
    signals = {"height [m]": heights, "count": (np.array([0.0, 1.0]), np.array([1.0, 2.0]))}
    first, second, *_ = data_of(html(run, signals=signals))["signals"]
    assert (first["group"], first["unit"]) == ("height", "m")
    assert [line["name"] for line in first["lines"]] == ["height"]
    assert second["lines"][0]["times"]["count"] == 2
    with pytest.raises(ShapeError, match="signal 'x'"):
        html(run, signals={"x": heights[:-1]})


def test_thinned_lines_keep_their_extremes():
    """What is left out of a long line is never its highest or lowest."""
    times = np.linspace(0.0, 1.0, 20_001)
    values = np.sin(40.0 * times)
    values[777] = 5.0
    kept = thinned(Signal("s", "", ("s",), times, values[None]))
    assert kept.times.size <= 402 and kept.values.max() == 5.0
    assert (kept.times[0], kept.times[-1]) == (0.0, 1.0)


def test_every_shape_is_drawn(browser, open_at, tmp_path):
    """Cones, rings, planes, height fields and hulls reach the page without an error."""
    looks = [Cone(0.1, 0.3), Torus(0.3, 0.05), Plane(), Box((0.1, 0.1, 0.1)),
             Heightmap(((0.0, 0.1), (0.2, 0.0)), (1.0, 1.0)),
             Polyhedron(((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))]  # fmt: skip
    model = Model("zoo").add("a", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 1),
                             visuals=[Visual(shape) for shape in looks])  # fmt: skip
    rows, notes = shapes(model)
    assert [row["kind"] for row in rows] == ["cone", "torus", "plane", "box", "mesh", "mesh"]
    assert notes == []
    open_at(ph.show(model, tmp_path / "zoo.html", open_browser=False), 0.2)
    assert browser.run("viewer.radius") < 5.0
    assert browser.errors == []


def test_hulls_and_height_fields_face_outwards():
    """The volume under their faces is that of the solid."""

    def volume(points, faces):
        a, b, c = (points[faces[:, k]] for k in range(3))
        return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0

    rng = np.random.default_rng(0)
    cube = rng.permutation([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    assert volume(*hull_triangles(cube)) == pytest.approx(1.0)
    field = Heightmap(((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)), (2.0, 3.0))
    points, faces = heightmap_triangles(field)
    a, b, c = (points[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    assert normals[:, 2].min() > 0.0
    assert normals[:, 2].sum() / 2.0 == pytest.approx(6.0)
    points, faces = heightmap_block(field)
    walls = faces[len(normals) :]
    a, b, c = (points[walls[:, k]] for k in range(3))
    outwards = np.cross(b - a, c - a)
    assert (outwards * (a + b + c))[:, :2].sum(axis=1).min() > 0.0
    # But for its bottom the block is closed.
    all_around = outwards.sum(axis=0) + normals.sum(axis=0)
    assert np.allclose(all_around, (0.0, 0.0, 12.0), rtol=0, atol=1e-12)
    assert points[:, 2].min() < 0.0


def test_simplified_meshes_keep_their_shape():
    """Fewer faces than asked for at most, near the surface, in the same turn."""
    points, faces = ball()
    some, few, kept = simplified((points, faces), 1000)
    assert 200 < len(few) <= 1000
    middles = points[faces[kept]].mean(axis=1) - some[few].mean(axis=1)
    assert np.abs(middles).max() < 0.2
    assert np.abs(np.linalg.norm(some, axis=1) - 1.0).max() < 0.1
    a, b, c = (some[few[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert volume == pytest.approx(4.0 / 3.0 * np.pi, rel=0.1)
    assert simplified((points, faces), 10**9)[1] is faces


def test_mesh_files_are_read(tmp_path):
    """A tetrahedron in an STL file, scaled and mirrored; a missing one is noted."""
    corners = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join("vertex {} {} {}\n".format(*corners[k]) for k in face)
        + "endloop\nendfacet\n"
        for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    )
    path = tmp_path / "corner.stl"
    path.write_text(f"solid corner\n{facets}endsolid corner\n")
    model = pendulum()
    model = model.append("tip", visuals=[Visual(Mesh(str(path), (2.0, 2.0, -2.0)))])
    rows, notes = shapes(model)
    (row,) = [row for row in rows if row["kind"] == "mesh"]
    assert notes == []
    assert np.ptp(row["points"], axis=0).tolist() == [2.0, 2.0, 2.0]
    a, b, c = (row["points"][row["faces"][:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert volume == pytest.approx(8.0 / 6.0)


# Two triangles on the same points, in centimetres and shifted by one; a line between them.
TWO_MATERIALS = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="paint"><profile_COMMON><technique sid="common"><lambert><diffuse>
<color>0.8 0.1 0.2 1</color></diffuse></lambert></technique></profile_COMMON></effect>
</library_effects>
<library_materials><material id="red"><instance_effect url="#paint"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1</p>
</triangles>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount>
<p>0 1 3 2</p></polylist>
<lines count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 3</p></lines>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>0 0 100</translate>
<instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="m" target="#red"/></technique_common></bind_material></instance_geometry>
</node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"""


def test_a_dae_has_the_colors_of_its_materials(tmp_path):
    """One shape for each, and for what has none; a colour of the visual replaces them all."""
    pytest.importorskip("collada")
    path = tmp_path / "two.dae"
    path.write_text(TWO_MATERIALS)

    def drawn(**look):
        model = pendulum().append("tip", visuals=[Visual(Mesh(str(path)), **look)])
        rows, notes = shapes(model)
        assert notes == []
        return [row for row in rows if row["kind"] == "mesh"]

    red, plain = drawn()
    assert red["color"] == [0.8, 0.1, 0.2] and plain["color"] is None
    assert (len(red["faces"]), len(plain["faces"])) == (1, 2)
    assert sorted(map(tuple, red["points"])) == [(0, 0, 1), (0, 1, 1), (1, 0, 1)]
    blue = (0.0, 0.0, 1.0, 1.0)
    assert [row["color"] for row in drawn(color=blue)] == [list(blue)] * 2
    assert len(read_mesh(path).faces) == 3


def test_pages_are_small():
    """A minute of a machine with thirty bodies stays below a megabyte."""
    model = Model("chain").add("hull", joint=FloatingBase(), mass=1.0, inertia=(1, 1, 1))
    for k in range(24):
        model = model.append(
            f"link{k}", joint=Revolute((1, k % 2, 0.3)), frame=Transform.translation(0, 0, 0.1),
            mass=0.1, inertia=(0.01, 0.01, 0.01),
        )  # fmt: skip
    t = np.arange(0.0, 60.0, 0.01)
    q = np.tile(ph.neutral(model), (len(t), 1))
    rng = np.random.default_rng(0)
    for k in (*range(3), *range(6, 30)):
        q[:, k] = 0.5 * np.sin(rng.uniform(1.0, 8.0) * t + k)
    zeros = np.zeros((len(t), model.nv))
    run = ph.Recording(model, t, q, zeros, zeros, np.zeros(len(t)))
    assert len(html(run)) < 1_000_000


def test_long_recordings_of_many_bodies_are_thinned():
    """However long and many, a page stays below twenty megabytes and says what it kept."""
    model = Model("many")
    for k in range(300):
        model = model.add(f"b{k}", joint=Revolute.x(), mass=1.0, inertia=(1, 1, 1))
    t = np.linspace(0.0, 200.0, 20_000)
    q = np.sin(t)[:, None] * np.ones(300)
    run = ph.Recording(model, t, q, q, q, t)
    film = film_of(run, fps=60.0, most=6_000_000)
    assert film.poses.shape[0] * 300 * 7 <= 6_000_000
    assert any("frames per second are kept" in note for note in film.notes)


def test_not_even_noise_makes_a_page_too_large():
    """Poses that nothing can be guessed of, as many as a page keeps, and the script: 20 MB."""
    rng = np.random.default_rng(0)
    poses = rng.uniform(-1.0, 1.0, (2000, 40, 7))
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    block = Block()
    block.poses(poses)
    assert len(block.text()) / poses.size * _MOST_NUMBERS + 800_000 < 20_000_000


def test_notebooks_get_a_sandboxed_frame():
    """The whole page, escaped, in a frame that may run its script and nothing else."""
    run = ph.simulate(replace(pendulum(), name="a<b>"), 0.1, q0=[1.0])
    markup = run._repr_html_()
    assert markup.startswith('<iframe sandbox="allow-scripts" srcdoc="')
    body = re.search(r'srcdoc="([^"]*)"', markup).group(1)
    assert "<" not in body
    assert data_of(unescape(body))["title"] == "a<b>"
