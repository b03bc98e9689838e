"""Where the fuzzers start: examples of every kind of file, written by polhode or by its tests."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np

import polhode as ph
from polhode.compiler.program import cache
from polhode.formats import lua, moby
from polhode.formats.lua import process
from polhode.formats.lua import writer as lua_writer
from polhode.formats.urdf import writer as urdf_writer
from polhode.recording.checkpoint import Checkpoint
from polhode.recording.layout import ARRAYS, meta_of
from polhode.recording.model_json import model_to_json
from polhode.recording.stream import Stream

REPOSITORY = Path(__file__).parents[1]
sys.path.append(str(REPOSITORY / "tests"))

import mjcf_texts  # noqa: E402
import osim_texts  # noqa: E402
from io_samples import ARM, frame  # noqa: E402
from moby import random_scenes, texts  # noqa: E402
from random_trees import tree  # noqa: E402

TREES = (
    ("floating", "revolute x", "screw", "planar", "fixed"),
    ("translation", "euler ZYX", "universal", "axes", "prismatic"),
)

LUA = frame(
    'name = "hand", parent = "trunk", joint = { "JointTypeSpherical" }, body = { mass = 1 }',
    more="""gravity = { 0, 0, -1 }, constraint_sets = { s = {
    { constraint_type = "contact", body = "hand", normal = { 0, 0, 1 } },
    { constraint_type = "loop", predecessor_body = "trunk", successor_body = "hand",
      axis = { 0, 0, 0, 1, 0, 0 } } } },""",
)


def seeds(target: str) -> Iterator[bytes]:
    """Inputs to start from."""
    return _OWN[target]()


def _urdf() -> Iterator[bytes]:
    yield ARM.encode()
    yield _file("arm.urdf")
    yield _file("robot.urdf")
    model = tree(("floating", "revolute x", "planar", "prismatic", "fixed"))
    yield urdf_writer.dumps(model).encode()


def _moby() -> Iterator[bytes]:
    inside = texts.BALL + texts.GROUND + texts.ARM
    yield texts.wrapped(inside, texts.listed("ball", "ground", "arm")).encode()
    files = (
        '<TriangleMesh id="t" filename="tetra.obj" mass="1"/><Polyhedron id="p" density="2" '
        'filename="tetra.stl"/><Heightmap id="h" filename="heights.txt" width="2" depth="3"/>'
        '<RCArticulatedBody id="r" urdf-filename="arm.urdf" floating-base="true"/>'
        '<SDF id="s" filename="arm.sdf"/>'
    )
    bodies = "".join(
        f'<RigidBody id="b{p}"><InertiaFromPrimitive primitive-id="{p}"/>'
        f'<CollisionGeometry primitive-id="{p}"/></RigidBody>'
        for p in "tph"
    )
    yield texts.wrapped(files + bodies, texts.listed("bt", "bp", "r")).encode()
    for seed in range(12):
        yield moby.dumps(random_scenes.random_scene(seed, files=False)).encode()


def _osim() -> Iterator[bytes]:
    yield osim_texts.OLD.encode()
    yield osim_texts.NEW.encode()


def _table() -> Iterator[bytes]:
    yield osim_texts.MOTION.encode()
    yield osim_texts.MARKER_TABLE.encode()


def _sdf() -> Iterator[bytes]:
    yield _file("arm.sdf")
    yield _file("world.sdf")


def _mjcf() -> Iterator[bytes]:
    for text in mjcf_texts.MODELS.values():
        yield text.encode()
    yield mjcf_texts.DRIVEN.encode()
    yield mjcf_texts.KEYS.encode()
    yield _file("robot.xml")


def _lua() -> Iterator[bytes]:
    yield LUA.encode()
    for kinds in TREES:
        yield lua_writer.dumps(tree(kinds)).encode()


def _lua_table() -> Iterator[bytes]:
    """What the child answers for the Lua seeds."""
    real, answers = process.table_of, []

    def table_of(text: str) -> object:
        answers.append(text)
        return real(text)

    with mock.patch.object(process, "table_of", table_of):
        for source in seeds("lua"):
            answers.clear()
            try:
                lua.parse(source)
            except ph.ParseError:
                continue
            yield answers[0].encode()


def _recording() -> Iterator[bytes]:
    model = _model()
    q = np.zeros((3, model.nq))
    with tempfile.TemporaryDirectory() as folder:
        run = ph.Recording(
            model, np.array([0.0, 0.1, 0.2]), q, q[:, : model.nv], q[:, : model.nv], np.zeros(3)
        )
        yield run.save(Path(folder, "a.npz")).read_bytes()
        yield _scene_run().save(Path(folder, "b.npz")).read_bytes()


def _scene_run() -> ph.Recording:
    model, three = _model(), np.ones((4, 3))
    q = np.zeros((3, model.nq))
    return ph.Recording(
        model, np.array([0.0, 0.1, 0.2]), q, q[:, : model.nv], q[:, : model.nv], np.zeros(3),
        contact="exact", geometry_names=("a", "b"),
        geometry_bodies=(("m", "a"), ("n", "b")), contact_start=np.array([0, 1, 2, 4]),
        contact_pair=np.array([[0, 1]] * 4), contact_point=three, contact_normal=three,
        contact_force=three, contact_gap=np.ones(4), report={"steps": 3, "residual": 0.5},
    )  # fmt: skip


def _stream() -> Iterator[bytes]:
    run = _scene_run()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.h5")
        with Stream(path, meta_of(run)) as stream:
            arrays = {name: getattr(run, name) for name in ARRAYS}
            rng = np.random.default_rng(0).bit_generator.state
            stream.append(arrays, Checkpoint({"position": np.zeros(3)}, True, rng))
            stream.finish(dict(run.report), "")
        yield path.read_bytes()


def _animation() -> Iterator[bytes]:
    """A motion and its model, as `showmotion('save')` writes them."""
    from polhode.spatial_v2 import machines, matfile

    for model in (machines.vee(), machines.scissor(), machines.rollingdisc(5)):
        with tempfile.TemporaryDirectory() as folder:
            motion = {"model": matfile.as_struct(model), "t_data": np.array([0.0, 1.0]),
                      "q_data": np.zeros((model.NB, 2)), "about": {"title": "a"}}  # fmt: skip
            yield matfile.write_variables(Path(folder, "a.mat"), motion).read_bytes()


def _cache() -> Iterator[bytes]:
    cache.write("ab" * 32, {"output_shapes": [[3]], "ops": 4}, b"code")
    path = Path(str(cache.folder()), "ab" * 32)
    yield path.read_bytes()
    path.unlink()


def _model() -> ph.Model:
    return lua.parse(LUA)


def _model_json() -> str:
    return json.dumps(model_to_json(_model()))


def _file(name: str) -> bytes:
    return (Path(__file__).parent / "files" / name).read_bytes()


_OWN = {
    "urdf": _urdf,
    "moby": _moby,
    "sdf": _sdf,
    "mjcf": _mjcf,
    "osim": _osim,
    "table": _table,
    "lua": _lua,
    "lua_table": _lua_table,
    "obj": lambda: iter([_file("tetra.obj")]),
    "stl": lambda: iter([_file("tetra.stl")]),
    "recording": _recording,
    "stream": _stream,
    "checkpoint": _stream,
    "animation": _animation,
    "system_model": _animation,
    "cache": _cache,
}
