"""Where files of MJCF are looked for, against MuJoCo: includes, meshes, models to attach."""

from __future__ import annotations

import mujoco
import pytest

import polhode as ph
from polhode.errors import ParseError

pytestmark = pytest.mark.oracle

SMALL, LARGE = (f'<body name="b"><geom size="{size}"/></body>' for size in (1, 2))
TETRAHEDRON = "v 0 0 0\nv {0} 0 0\nv 0 {0} 0\nv 0 0 {0}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MESH = '<asset><mesh name="m" file="{}"/></asset>'.format
BODY = '<body name="b"><geom type="mesh" mesh="m"/></body>'


def include(file):
    return f'<include file="{file}"/>'


def model(file):
    return f'<asset><model name="c" file="{file}"/></asset>'


def mjcf(before, *bodies):
    return f"<mujoco>{before}<worldbody>{''.join(bodies)}</worldbody></mujoco>"


ATTACH = '<attach model="c" body="b" prefix="p"/>'
NESTED = {"main.xml": mjcf(include("a/i.xml")), "a/i.xml": mjcf(include("j.xml"))}
PLACES = {
    "include beside include": NESTED | {"a/j.xml": mjcf("", SMALL)},
    "include beside main": NESTED | {"j.xml": mjcf("", SMALL)},
    "include in both": NESTED | {"a/j.xml": mjcf("", SMALL), "j.xml": mjcf("", LARGE)},
    "mesh": {"main.xml": mjcf(include("a/i.xml"), BODY), "a/i.xml": mjcf(MESH("m.obj"))},
    "mesh above": {"main.xml": mjcf(include("a/i.xml"), BODY), "a/i.xml": mjcf(MESH("../m.obj"))},
    "mesh of a path": {
        "main.xml": mjcf('<compiler strippath="true"/>' + include("a/i.xml"), BODY),
        "a/i.xml": mjcf(MESH("n/m.obj")),
    },
    "model": {"main.xml": mjcf(include("a/i.xml"), ATTACH), "a/i.xml": mjcf(model("c.xml"))},
    "mesh of a model": {
        "main.xml": mjcf(model("a/c.xml"), ATTACH),
        "a/c.xml": mjcf(include("n/i.xml"), BODY), "a/n/i.xml": mjcf(MESH("m.obj")),
    },
    **{
        f"mesh, {compiler}": {
            "main.xml": mjcf(compiler + include("a/i.xml"), BODY), "a/i.xml": mjcf(MESH("m.obj"))
        }
        for compiler in ('<compiler meshdir="n"/>', '<compiler assetdir="n"/>')
    },
    **{
        compiler: {"main.xml": mjcf(compiler + MESH("m.obj"), BODY)}
        for compiler in (
            '<compiler meshdir="" assetdir="n"/>', '<compiler meshdir="n" assetdir="a"/>',
            '<compiler assetdir="n"/><compiler meshdir=""/>',
            '<compiler meshdir="a"/><compiler assetdir="n"/>',
            '<compiler assetdir="n"/><compiler angle="radian"/>',
        )
    },
}  # fmt: skip
MESHES = ["m.obj", "a/m.obj", "n/m.obj", "a/n/m.obj"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("absent", ["", *MESHES, "c.xml"])
def test_where_files_are_found(place, absent, tmp_path, monkeypatch):
    """Each mesh and model has another mass, which tells those that were read."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")  # MuJoCo takes names for paths from here, too
    files = {name: TETRAHEDRON.format(k + 1) for k, name in enumerate(MESHES)}
    files |= {"c.xml": mjcf("", SMALL), "a/c.xml": mjcf("", LARGE)} | PLACES[place]
    for name in files.keys() - {absent}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(files[name])
    try:
        theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "main.xml"))
    except ValueError:
        with pytest.raises(ParseError):
            ph.load(tmp_path / "main.xml")
        return
    links = ph.load(tmp_path / "main.xml").model.links
    mass = sum(link.body.mass for link in links)
    assert mass == pytest.approx(theirs.body_mass.sum(), rel=1e-12)
