"""Nothing of a model file reaches a shell, a file outside its folder, or a page as markup."""

from __future__ import annotations

import sys
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from io_samples import frame, joint, link, robot
from moby.texts import listed, wrapped
from polhode.formats import sdf
from polhode.formats.urdf import collision
from polhode.model import Model, Revolute
from polhode.viewer.page import html

MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
URDF = robot(link("a"), link("b"), joint("a", "b"))

# How a file might name what it may not read; {up} is a way out of its folder, {root} absolute.
NAMES = [
    *("../secret.obj", "sub/../../secret.obj", "{root}/secret.obj", "file://{root}/secret.obj"),
    *("file://../secret.obj", "file://localhost{root}/secret.obj", "package://../secret.obj"),
    *("package://home/../../secret.obj", "package://{root}/secret.obj", "link.obj", "sub/link.obj"),
    *("http://example.org/secret.obj", "\\\\host\\share\\secret.obj", "//host/share/secret.obj"),
    *("model://secret.obj", "~/secret.obj", "$HOME/secret.obj", "$(cat ../secret.obj).obj"),
    *("`id`.obj", "a;id;.obj", "|id.obj", "../secret.obj%00.obj", "%2e%2e/secret.obj"),
    *("/dev/stdin", "/proc/self/environ", "", ".", "..", "sub", "x" * 5000 + ".obj"),
]


@pytest.fixture
def home(tmp_path):
    """A model's folder, with a secret beside it and links that lead to it."""
    folder = tmp_path / "home"
    (folder / "sub").mkdir(parents=True)
    for suffix, text in ((".obj", MESH), (".urdf", URDF), (".txt", "2 2\n0 0 0 0")):
        (tmp_path / f"secret{suffix}").write_text(text)
        (folder / f"link{suffix}").symlink_to(tmp_path / f"secret{suffix}")
        (folder / "sub" / f"link{suffix}").symlink_to(tmp_path / f"secret{suffix}")
    return folder


def _with_name(name: str, home: Path) -> str:
    return name.replace("{root}", str(home.parent)).replace("&", "&amp;").replace('"', "&quot;")


def _urdf(name: str) -> str:
    shape = f'<geometry><mesh filename="{name}"/></geometry>'
    body = f"<visual>{shape}</visual><collision>{shape}</collision>"
    return robot(link("a", body), link("b", body), joint("a", "b"))


def _sdf(name: str) -> str:
    shape = f"<geometry><mesh><uri>{name}</uri></mesh></geometry>"
    return (
        f'<sdf version="1.4"><model name="m"><link name="l"><inertial><mass>1</mass></inertial>'
        f'<collision name="c">{shape}</collision><visual name="v">{shape}</visual></link></model>'
        "</sdf>"
    )


def _moby(name: str, tag: str) -> str:
    parts = {
        "mesh": f'<TriangleMesh id="p" filename="{name}" mass="1"/>',
        "hull": f'<Polyhedron id="p" filename="{name}" mass="1"/>',
        "heights": f'<Heightmap id="p" filename="{name.replace(".obj", ".txt")}"/>',
        "urdf": '<Sphere id="p" radius="1" mass="1"/><RCArticulatedBody id="r" '
        f'urdf-filename="{name.replace(".obj", ".urdf")}"/>',
        "sdf": f'<Sphere id="p" radius="1" mass="1"/><SDF filename="{name}"/>',
        "shown": f'<Sphere id="p" radius="1" mass="1"/><RigidBody id="v" '
        f'visualization-filename="{name}"/>',
    }
    body = '<RigidBody id="b"><CollisionGeometry primitive-id="p"/></RigidBody>'
    return wrapped(parts[tag] + body, listed("b"))


def _mjcf(name: str, tag: str) -> str:
    parts = {
        "mesh": f'<asset><mesh name="p" file="{name}"/></asset>',
        "heights": f'<asset><hfield name="p" file="{name}" size="1 1 1 1"/></asset>',
        "include": f'<include file="{name}"/>',
        "model": f'<asset><model name="p" file="{name}"/></asset>',
    }
    worlds = {
        "mesh": '<geom type="mesh" mesh="p"/>',
        "heights": '<geom type="hfield" hfield="p"/>',
        "model": '<attach model="p" prefix="a"/>',
    }
    world = worlds.get(tag, "")
    return f"<mujoco>{parts[tag]}<worldbody>{world}</worldbody></mujoco>"


KINDS = {
    "model.urdf": _urdf,
    "model.sdf": _sdf,
    **{f"{tag}.xml": (lambda name, tag=tag: _moby(name, tag))
       for tag in ("mesh", "hull", "heights", "urdf", "sdf", "shown")},
    **{f"{tag}.mjcf": (lambda name, tag=tag: _mjcf(name, tag))
       for tag in ("mesh", "heights", "include", "model")},
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::polhode.errors.ModelWarning")
@pytest.mark.parametrize("file", KINDS)
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_no_name_leads_outside(home, seen, file, name):
    """Whatever a mesh or an included file is called, only files of the folder are opened."""
    path = home / file
    path.write_text(KINDS[file](_with_name(name, home)))
    seen.files.clear()
    texts = []
    for read in (ph.load, collision.read_collisions if file.endswith("urdf") else ph.load):
        try:
            read(path)
        except (ph.ParseError, ph.ModelError, FileNotFoundError) as error:
            texts.append(str(error))
    assert MESH not in "".join(texts)
    # Sources of the package and its libraries are opened too; all else lies beside the folder.
    outside = [
        p for p in seen.files
        if home not in p.parents and home.parent in p.parents
    ]  # fmt: skip
    assert not outside
    assert not any(p.is_relative_to("/proc/self/environ") or p.name == "stdin" for p in seen.files)
    assert not seen.started


@pytest.mark.filterwarnings("ignore::polhode.errors.ModelWarning")
def test_the_same_names_inside_are_found(home, seen):
    """The names are refused for where they lead: a file of the folder is read."""
    (home / "own.obj").write_text(MESH)
    path = home / "scene.xml"
    path.write_text(_moby("own.obj", "mesh"))
    scene = ph.load(path)
    assert len(scene.geometries[0].shape.faces) == 4
    assert (home / "own.obj").resolve() in seen.files


LUA_MODEL = frame('name = "hand", parent = "trunk", body = { mass = 1 }')
LUA = [
    'os.execute("touch {mark}")', 'io.popen("touch {mark}")', 'io.open("{mark}", "w")',
    'require("os").execute("touch {mark}")', 'package.loadlib("libc.so.6", "system")',
    'load("os.execute([[touch {mark}]])")()', 'string.dump(print)', 'debug.getregistry()',
    'python.execute("import os")', 'python.builtins.open("{mark}", "w")', 'dofile("../secret.lua")',
    'dofile("{root}/secret.lua")', 'require("link")', 'loadfile("/proc/self/environ")()',
    'getmetatable("").__index.rep = nil; (""):rep(1)', 'setmetatable(_G, nil).os.execute("x")',
    'collectgarbage("stop"); error({})',
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::polhode.errors.ModelWarning")
@pytest.mark.parametrize("line", LUA, ids=range(len(LUA)))
def test_lua_reaches_nothing(home, seen, line):
    """A Lua file that asks for the system: nothing happens but our own child process."""
    mark = home / "mark"
    (home.parent / "secret.lua").write_text("return {}")
    (home / "link.lua").symlink_to(home.parent / "secret.lua")
    path = home / "model.lua"
    text = line.replace("{mark}", str(mark)).replace("{root}", str(home.parent))
    path.write_text(f"{text}\n{LUA_MODEL}")
    with suppress(ph.ParseError):
        ph.load(path)
    assert not mark.exists()
    assert [event for event, _ in seen.started] == ["subprocess.Popen"]
    program, command, *_ = seen.started[0][1]
    assert program == sys.executable
    assert command[-2] == str(home)
    assert all(isinstance(word, str) for word in command)  # a list of words: no shell


# -- what is shown --

HOSTILE = [
    "</script><script>alert(1)</script>", "<!--<script>", "-->", "]]>", "{{data}}", "\u2028",
    '"><img src=x onerror=alert(1)>', "&lt;b&gt;", "${alert(1)}", "\x1b[2J", "\x00", "\ufffe",
    "javascript:alert(1)", "'onload='alert(1)", "</title><b>", "<svg/onload=alert(1)>", "\ud800",
]  # fmt: skip


class Tags(HTMLParser):
    """The tags and attribute names of a document."""

    def __init__(self, text: str):
        super().__init__()
        self.found: list = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, [name for name, _ in attrs]))

    def handle_comment(self, data):
        self.found.append("comment")


def _named(name: str) -> Model:
    return Model(name).add(name + "!", joint=Revolute.x(), joint_name=name, mass=1.0,
                           inertia=(1.0, 1.0, 1.0))  # fmt: skip


def _recording(name: str) -> ph.Recording:
    q = np.array([[0.0], [0.5]])
    return ph.Recording(_named(name), np.array([0.0, 1.0]), q, q, q, np.zeros(2))


def _same_tags(name: str) -> None:
    recording = _recording(name)
    page = html(recording, about={"title": name, "author": name})
    assert Tags(page).found == Tags(html(_recording("plain"))).found
    frame_of, plain = recording._repr_html_(), _recording("plain")._repr_html_()
    assert Tags(frame_of).found == Tags(plain).found


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_names_are_text_in_pages_and_pictures(tmp_path, name):
    """A name makes no tag, attribute or comment, in the page, the notebook or the plot."""
    _same_tags(name)
    path = _recording(name).plot(tmp_path / "plot.svg")
    plain = _recording("plain").plot(tmp_path / "plain.svg")
    drawn, expected = (
        [element.tag for element in ElementTree.parse(file).iter()] for file in (path, plain)
    )
    assert drawn == expected


@given(st.text(alphabet=st.characters(), min_size=1, max_size=20))
def test_any_name_is_text_in_the_page(name):
    """Names of any characters."""
    _same_tags(name)


def test_sdf_text_has_no_folder():
    """A text, which lies in no folder, opens nothing."""
    with pytest.raises(ph.ParseError, match="folder"):
        sdf.parse(_sdf("/etc/passwd.obj"))
