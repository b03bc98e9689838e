"""What is fuzzed: each target takes any bytes, and lets pass what no input may cause.

A target returns whether the bytes were taken as something; refusals are polhode's own errors.
"""

from __future__ import annotations

import json
import tempfile
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polhode as ph
from polhode.compiler.program import cache
from polhode.errors import ModelError, ModelWarning, ParseError, ShapeError
from polhode.formats import lua, mjcf, moby, osim, sdf, urdf
from polhode.formats.lua.answer import table_of
from polhode.formats.lua.process import Chunk
from polhode.formats.lua.reader import model_of
from polhode.formats.lua.text import Lines
from polhode.formats.mesh import read_mesh
from polhode.model import Model
from polhode.recording.model_json import model_from_json, model_to_json
from polhode.recording.stream import read_checkpoint
from polhode.spatial_v2 import animation

FILES = Path(__file__).parent / "files"
REFUSALS = (ParseError, ModelError, ShapeError)
Target = Callable[[bytes], bool]


def taken(read: Callable[[], Any], check: Callable[[Any], object]) -> bool:
    """Read, check what was read, and say whether anything was; warnings but ours are findings."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ModelWarning)
        try:
            found = read()
        except REFUSALS as error:
            if not str(error):
                raise AssertionError("a refusal without a text") from error
            return False
        check(found)
        return True


def _choice(data: bytes, *values: Any) -> Any:
    """One of the values, by a digest of the input, so that the input stays a plain file."""
    return values[zlib.crc32(data) % len(values)]


# -- readers --


def check_model(model: Model) -> None:
    """A model can be hashed, printed, and kept as data."""
    hash(model)
    if not model.hierarchy() or model.dof_overview() is None:
        raise AssertionError("a model without a description")
    if model_from_json(json.loads(json.dumps(model_to_json(model)))) != model:
        raise AssertionError("the model is not what its data say")


def check_scene(scene: Any) -> None:
    """A scene can be printed, and is machines of models."""
    repr(scene)
    for machine in scene.machines:
        check_model(machine.model)
    hash(scene.model)


def read_urdf(data: bytes) -> bool:
    floating = _choice(data, True, False, False)
    snap = _choice(data, True, "digits", False)
    return taken(
        lambda: urdf.parse(
            data, file="m", floating_base=floating, snap_angles=snap, package_roots=[FILES]
        ),
        check_model,
    )


def read_moby(data: bytes) -> bool:
    strict = _choice(data, True, False)
    return taken(
        lambda: moby.parse(data, file="m", strict=strict, package_roots=[FILES]).model,
        check_scene,
    )


def read_sdf(data: bytes) -> bool:
    return taken(lambda: sdf.parse(data, file="m", package_roots=[FILES]).model, check_scene)


def read_mjcf(data: bytes) -> bool:
    return taken(lambda: mjcf.parse(data, file="m", package_roots=[FILES]).model, check_scene)


def read_osim(data: bytes) -> bool:
    return taken(lambda: osim.parse(data, file="m").model, check_scene)


def read_table(data: bytes) -> bool:
    """Of a motion, or of markers."""
    is_markers = data.startswith(b"Path")
    return taken(lambda: osim.parse_table(data, "m", is_markers=is_markers), repr)


def read_lua(data: bytes) -> bool:
    """The text itself, run in the child process."""
    return taken(lambda: lua.parse(data, file="m"), check_model)


def read_lua_table(data: bytes) -> bool:
    """What follows the child process: its answer, as JSON, to a model."""
    try:
        table = table_of(data.decode("utf-8", "replace"))
    except ValueError:
        return False  # the child does not write such a text
    lines = Lines(data.decode("utf-8", "replace"))
    return taken(lambda: model_of(Chunk(table, ()), lines, "m", "model").model, check_model)


def read_obj(data: bytes) -> bool:
    return _read_file(data, ".obj", read_mesh)


def read_stl(data: bytes) -> bool:
    return _read_file(data, ".stl", read_mesh)


# -- what polhode wrote itself --


def load_recording(data: bytes) -> bool:
    return _read_file(data, ".npz", ph.Recording.load, _check_recording)


def load_stream(data: bytes) -> bool:
    return _read_file(data, ".h5", ph.Recording.load, _check_recording)


def load_checkpoint(data: bytes) -> bool:
    return _read_file(data, ".h5", read_checkpoint)


def load_animation(data: bytes) -> bool:
    return _read_file(data, ".mat", animation.load_motion)


def load_system_model(data: bytes) -> bool:
    return _read_file(data, ".mat", ph.spatial_v2.SystemModel.load)


def load_cache_entry(data: bytes) -> bool:
    """An entry of the compile cache: refused silently, for it is then made anew."""
    root = cache.folder()
    if root is None:
        raise AssertionError("no cache folder")
    name = "ab" * 32
    path = root / name
    path.write_bytes(data)
    path.chmod(0o600)
    try:
        return taken(lambda: cache.read(name), lambda found: None)
    finally:
        path.unlink()


def _check_recording(recording: ph.Recording) -> None:
    for k in range(len(recording.times)):
        recording.contacts(k)
    for body in recording.geometry_bodies:
        recording.contact_forces(body)
    repr(recording)
    check_model(recording.model)


def _read_file(
    data: bytes,
    suffix: str,
    read: Callable[[Path], Any],
    check: Callable[[Any], object] = lambda found: None,
) -> bool:
    with tempfile.TemporaryDirectory(prefix="polhode-fuzz-") as folder:
        path = Path(folder, "input" + suffix)
        path.write_bytes(data)
        return taken(lambda: read(path), check)


TARGETS: dict[str, Target] = {
    "urdf": read_urdf,
    "moby": read_moby,
    "sdf": read_sdf,
    "mjcf": read_mjcf,
    "osim": read_osim,
    "table": read_table,
    "lua": read_lua,
    "lua_table": read_lua_table,
    "obj": read_obj,
    "stl": read_stl,
    "recording": load_recording,
    "stream": load_stream,
    "checkpoint": load_checkpoint,
    "animation": load_animation,
    "system_model": load_system_model,
    "cache": load_cache_entry,
}
