"""Mesh files: what is read, what is refused, and where the error is."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from polhode import ModelError, ParseError
from polhode.formats.mesh import read_mesh
from polhode.model.mass_properties import mass_properties, volume
from random_shapes import CUBE, CUBE_FACES

OBJ = "\n".join(
    ["# a cube", "o cube", *(f"v {x} {y} {z}" for x, y, z in CUBE), "vn 0 0 1"]
    + [f"f {a + 1}/1 {b + 1}//1 {c - 8}" for a, b, c in CUBE_FACES]
)


def text_stl():
    lines = ["solid cube"]
    for face in CUBE_FACES:
        corners = [f"      vertex {x} {y} {z}" for x, y, z in (CUBE[k] for k in face)]
        lines += ["  facet normal 0 0 0", "    outer loop", *corners, "    endloop", "  endfacet"]
    return "\n".join([*lines, "endsolid cube"])


def binary_stl():
    data = b"solid is no promise".ljust(80) + struct.pack("<I", len(CUBE_FACES))
    for face in CUBE_FACES:
        corners = [x for k in face for x in CUBE[k]]
        data += struct.pack("<12fH", 0, 0, 0, *corners, 0)
    return data


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.obj", OBJ.encode()),
        ("a.OBJ", OBJ.replace("\n", "\r\n").encode()),
        ("a.stl", text_stl().encode()),
        ("b.stl", binary_stl()),
    ],
)
def test_a_cube_is_a_cube_in_every_format(tmp_path, name, content):
    """Eight vertices, twelve faces, closed, of volume one."""
    path = tmp_path / name
    path.write_bytes(content)
    mesh = read_mesh(path)
    assert (len(mesh.vertices), len(mesh.faces)) == (8, 12)
    assert volume(mesh) == pytest.approx(1.0)


def test_scale_and_mirror(tmp_path):
    """Factors on the axes; a mirrored mesh still looks outwards."""
    path = tmp_path / "a.obj"
    path.write_text(OBJ)
    body = mass_properties(read_mesh(path, (-2.0, 1.0, 0.5)), density=1.0)
    assert body.mass == pytest.approx(1.0)
    np.testing.assert_allclose(np.diag(body.inertia), [1.25 / 12, 4.25 / 12, 5 / 12])


def test_polygons_and_continued_lines(tmp_path):
    """A square becomes two triangles; a backslash joins lines."""
    path = tmp_path / "a.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 \\\n  3 4\n")
    assert read_mesh(path).faces == ((0, 1, 2), (0, 2, 3))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.obj", b"v 0 0\n", r"a\.obj:1: expected three finite numbers of a vertex, found '0 0'"),
        ("a.obj", b"v 0 0 nan\n", r":1: expected three finite numbers"),
        ("a.obj", b"v 0 0 0\nf 1 2 3\n", r":2: expected a vertex from 1 to 1, found 2"),
        ("a.obj", b"v 0 0 0\nf x y z\n", r":2: expected the number of a vertex, found 'x'"),
        ("a.obj", b"v 0 0 0\nv 0 0 1\nf 1 2\n", r":3: expected a face of 3 corners, found 2"),
        ("a.obj", b"# nothing\n", r"expected triangles, found none"),
        ("a.stl", b"solid x\nvertex 1 2\n", r"a\.stl:2: expected three finite numbers"),
        ("a.stl", b"solid x\nvertex 1 2 3\n", r"the file ends within one"),
        ("a.stl", binary_stl()[:-7], r"expected 684 bytes for the 12 triangles .* found 677"),
        ("a.stl", b"\0" * 20, r"expected an STL of 84 bytes or more, found 20"),
    ],
)
def test_damaged_files_are_refused_with_file_and_line(tmp_path, name, content, message):
    """Expected, found, where."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ParseError, match=message):
        read_mesh(path)


def test_files_that_are_no_meshes(tmp_path):
    """Unknown kinds, missing files, a scale that flattens."""
    with pytest.raises(ModelError, match=r"expected a mesh file \(.obj, .stl, .dae\)"):
        read_mesh("hand.png")
    (tmp_path / "hand.stl").write_bytes(binary_stl())
    with pytest.raises(FileNotFoundError, match=r"did you mean .*hand\.stl"):
        read_mesh(tmp_path / "hnad.stl")
    with pytest.raises(ModelError, match="three factors that are not zero"):
        read_mesh(tmp_path / "hand.stl", (1.0, 0.0, 1.0))


def test_a_dae_without_its_library_says_what_to_install(tmp_path, monkeypatch):
    """The optional library is named, and what to do without it."""
    import builtins

    real = builtins.__import__

    def missing(name, *rest, **named):
        if name == "collada":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    path = tmp_path / "a.dae"
    path.write_text("<COLLADA/>")
    with pytest.raises(ModelError, match=r"pycollada .* convert the mesh to OBJ or STL"):
        read_mesh(path)
