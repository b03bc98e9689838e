"""Mesh files beside a model file that is written."""

from __future__ import annotations

from pathlib import Path

from ..errors import ModelError, ParseError
from ..files.writing import write_atomically
from ..model import Mesh, Polyhedron, Shape, TriangleMesh
from .mesh.obj import obj_text
from .mesh.read import MAX_BYTES
from .mjcf.tree import unused
from .source import read_bytes


class MeshFiles:
    """The names by which a model file refers to its meshes, and the files that it needs.

    Parameters
    ----------
    stem : Path or None
        The model file without its extension; None for a text without files.
    """

    def __init__(self, stem: Path | None):
        self.stem: Path | None = stem
        self.files: dict[str, bytes] = {}
        self._names: dict[Shape | str, str] = {}

    def name(self, shape: Mesh | Polyhedron | TriangleMesh, label: str) -> str | None:
        """The file of a shape, relative to the model file; None where there can be none.

        Meshes of other folders are copied: readers open nothing outside the folder of a file.
        """
        if isinstance(shape, Mesh):
            return self._of_mesh(shape.path)
        if self.stem is None:
            return None
        if shape not in self._names:
            self._names[shape] = self._add(label, ".obj", _obj(shape))
        return self._names[shape]

    def write(self) -> None:
        """Write the files."""
        for file, content in self.files.items():
            assert self.stem is not None
            write_atomically(self.stem.parent / file, content)

    def _of_mesh(self, path: str) -> str | None:
        if self.stem is None or "://" in path:
            return path
        home, found = self.stem.parent.resolve(), Path(path).resolve()
        if found.is_relative_to(home):
            return found.relative_to(home).as_posix()
        if path not in self._names:
            try:
                content = read_bytes(path, MAX_BYTES)
            except (ModelError, ParseError, OSError):
                return None
            self._names[path] = self._add(found.stem, found.suffix, content)
        return self._names[path]

    def _add(self, label: str, suffix: str, content: bytes) -> str:
        assert self.stem is not None
        label = "".join(c if c.isalnum() or c in "-_." else "-" for c in label)
        taken = {Path(file).stem for file in self.files}
        file = unused(f"{self.stem.name}-{label}", taken) + suffix
        self.files[file] = content
        return file


def _obj(shape: Polyhedron | TriangleMesh) -> bytes:
    if isinstance(shape, TriangleMesh):
        faces = shape.faces
    else:  # only the hull of the corners counts
        faces = tuple((0, k, k + 1) for k in range(1, len(shape.vertices) - 1))
    return obj_text(shape.vertices, faces).encode("utf-8")
