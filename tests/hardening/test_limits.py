"""Files at and beyond every limit are taken or refused within three seconds and half a GiB."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import polhode as ph

SECONDS, MEMORY = 3.0, 2**29
BUSY = 3.0  # how much longer a second of the processor takes where its other half is used, too

PATIENCE = 120  # seconds until a process that reads is ended

READER = f"""
import json, os, resource, signal, sys, time, warnings
import numpy as np
import polhode as ph
from polhode.formats import lua, mjcf, moby, sdf, urdf, xml
from polhode.formats.mesh import read_mesh
from polhode.spatial_v2 import matfile

warnings.simplefilter("ignore")
read = {{".obj": read_mesh, ".stl": read_mesh, ".dae": read_mesh, ".npz": ph.Recording.load,
        ".mat": matfile.read_variables}}

def answer(name):
    began = time.process_time()
    try:
        found, what = read.get(name[-4:], ph.load)(name), "taken"
    except (ph.ParseError, ph.ModelError) as error:
        what = str(error)
    took = time.process_time() - began
    try:  # the system's own count begins with what the parent had
        lines = open("/proc/self/status").read().splitlines()
        peak = 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps([what, took, peak]), flush=True)

for name in map(str.strip, sys.stdin):
    if child := os.fork():
        if status := os.waitpid(child, 0)[1]:
            print(json.dumps([f"the process ended with {{status}}", 0.0, 0]), flush=True)
        continue
    signal.alarm({PATIENCE})
    answer(name)
    os._exit(0)
"""


@pytest.fixture(scope="module")
def reader():
    """A process that has imported everything, and reads each file in a copy of itself."""
    command = [sys.executable, "-c", READER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


def _repeated(line: bytes, size: int, before: bytes = b"", after: bytes = b"") -> bytes:
    return before + line * (size // len(line)) + after


def _grid(n: int) -> bytes:
    """A square of 2 n^2 triangles with normals."""
    points = "".join(
        f"v {i} {0.1 * j:.6f} 0.5\nvn 0 0 1\n" for i in range(n + 1) for j in range(n + 1)
    )
    corner = ["{0}//{0}".format(k + 1) for k in range((n + 1) ** 2)]
    faces = []
    for i in range(n):
        for j in range(n):
            a, b = i * (n + 1) + j, (i + 1) * (n + 1) + j
            faces.append(f"f {corner[a]} {corner[b]} {corner[b + 1]} {corner[a + 1]}\n")
    return (points + "".join(faces)).encode()


def _stl(count: int) -> bytes:
    """Triangles of which no two share a corner."""
    import numpy as np

    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("other", "<u2")])
    records = np.zeros(count, kind)
    records["corners"] = np.random.default_rng(0).random((count, 3, 3))
    return bytes(80) + count.to_bytes(4, "little") + records.tobytes()


def _dae(depth: int) -> bytes:
    """Nodes that are each two of the one before, down to a triangle."""
    nodes = '<node id="n0"><instance_geometry url="#g"/></node>' + "".join(
        f'<node id="n{k + 1}">' + 2 * f'<instance_node url="#n{k}"/>' + "</node>"
        for k in range(depth)
    )
    return (
        f'<COLLADA><library_geometries><geometry id="g"><mesh><triangles count="1"><p>0 1 2</p>'
        f"</triangles></mesh></geometry></library_geometries><library_nodes>{nodes}</library_nodes>"
        f'<library_visual_scenes><visual_scene id="s"><node><instance_node url="#n{depth}"/></node>'
        "</visual_scene></library_visual_scenes></COLLADA>"
    ).encode()


def _mimics(count: int) -> bytes:
    joints = "".join(
        f"<link name='l{k + 1}'/><joint name='j{k}' type='continuous'><parent link='l{k}'/>"
        f"<child link='l{k + 1}'/><mimic joint='q{k}'/></joint>"
        for k in range(count)
    )
    return f"<robot name='r'><link name='l0'/>{joints}</robot>".encode()


def _mat(kind: int, count: int, size: int) -> bytes:
    """A row of numbers of MATLAB's ``kind``, each of ``size`` bytes."""
    import struct

    def element(number: int, content: bytes) -> bytes:
        return struct.pack("<2I", number, len(content)) + content + bytes(-len(content) % 8)

    flags, shape = struct.pack("<2I", kind, 0), struct.pack("<2i", 1, count)
    parts = element(6, flags) + element(5, shape) + element(1, b"a")
    data = element({9: 2, 6: 9}[kind], bytes(count * size))
    return b"x" * 124 + struct.pack("<H", 0x100) + b"IM" + element(14, parts + data)


def _scene(count: int) -> bytes:
    parts = "".join(f'<Heightmap id="h{k}" filename="h.txt"/>' for k in range(count))
    body = '<RigidBody id="b"><CollisionGeometry primitive-id="h0"/></RigidBody>'
    return f"<XML><MOBY>{parts}{body}</MOBY></XML>".encode()


def _cloth(count: int) -> bytes:
    """A square of vertices that are bodies, with tendons between them."""
    return (
        f'<mujoco><worldbody><body name="b"><flexcomp name="f" type="grid" dim="2" mass="1" '
        f'count="{count} {count} 1" spacing="1 1 1"><edge equality="true" damping="0.3"/>'
        "</flexcomp></body></worldbody></mujoco>"
    ).encode()


MIB = 2**20
FILES = {
    "most.obj": (lambda: _grid(446), "taken"),
    "vertices.obj": (lambda: _repeated(b"v 0 0 0\n", 60 * MIB), "at most 1200000 vertices"),
    "polygon.obj": (lambda: _repeated(b" 1 2 3", 60 * MIB, b"v 0 0 0\n" * 3 + b"f"), "line of at"),
    "continued.obj": (lambda: _repeated(b"v 0 0 0 \\\n", 60 * MIB), "line of at most"),
    "short.obj": (lambda: _repeated(b"v 0 0 0 \\\n", 3 * MIB), "line of at most"),
    "empty.obj": (lambda: _repeated(b"\n", 64 * MIB), "at most 4000000 lines"),
    "large.obj": (lambda: _repeated(b"o x\n", 65 * MIB), "at most 64 MiB"),
    "most.stl": (lambda: _stl(400_000), "taken"),
    "many.stl": (lambda: _stl(1_300_000), "at most 400000 triangles"),
    "doubled.dae": (lambda: _dae(60), "at most 400000 triangles"),
    "deep.dae": (lambda: _dae(190), "nested less deep"),
    "mimics.urdf": (lambda: _mimics(3_000), "taken"),
    "flex.xml": (lambda: _cloth(38), "taken"),
    "flexes.xml": (lambda: _cloth(39), "at most 1500 vertices"),
    "bytes.mat": (lambda: _mat(9, 60 * MIB, 1), "at most 4000000 values"),
    "most.mat": (lambda: _mat(6, 3_900_000, 8), "taken"),
    "text.lua": (lambda: _repeated(b"-- \n", 16 * MIB - 20, b"", b"return 1"), "return a table"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="reads the largest memory as Linux counts it")
@pytest.mark.parametrize("name", FILES)
def test_limits_of_files(reader, tmp_path, name):
    """Each in a process of its own, whose time and memory are measured."""
    make, words = FILES[name]
    path = tmp_path / name
    path.write_bytes(make())
    _bounded(reader, path, words)


def _bounded(reader: subprocess.Popen, path: Path, words: str) -> None:
    print(path, file=reader.stdin, flush=True)
    what, took, peak = json.loads(reader.stdout.readline())
    assert any(word in what for word in words.split("|")), what
    assert took < SECONDS * BUSY
    assert peak < MEMORY


@pytest.mark.parametrize(
    ("heights", "words"),
    [
        (lambda: _repeated(b"0.5 ", 4_000_000, b"1000 1000 "), "taken"),
        (lambda: _repeated(b"1 ", 15 * MIB, b"1000 1000 "), "found 1000001 or more"),
        (lambda: _repeated(b"1 ", 15 * MIB, b"4000 4000 "), "at most 1000000 heights"),
        (lambda: _repeated(b"1 ", 100, b"9" * 5000 + b" 2 "), "expected rows, columns"),
    ],
    ids=range(4),
)
def test_limits_of_heights(reader, tmp_path, heights, words):
    """Files of heights, which a scene names."""
    (tmp_path / "h.txt").write_bytes(heights())
    path = tmp_path / "scene.xml"
    path.write_bytes(_scene(1))
    _bounded(reader, path, words)


def test_the_limits_are_those_of_the_document():
    """SECURITY.md names what the readers check."""
    from polhode.formats.mesh import read, triangles
    from polhode.formats.source import MAX_BYTES
    from polhode.spatial_v2.matreader import MOST_BYTES

    text = (Path(ph.__file__).parents[2] / "SECURITY.md").read_text()
    assert f"{MAX_BYTES >> 20} MiB" in text and f"{read.MAX_BYTES >> 20} MiB" in text
    assert f"{triangles.MAX_TRIANGLES // 1000} 000 triangles" in text
    assert f"{MOST_BYTES >> 20} MiB" in text
