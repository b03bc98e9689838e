"""Files that an MJCF file names, and one tree of elements of all that it includes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from ...errors import ParseError
from ..names import near, shorten
from ..source import read_bytes
from ..urdf.visual import MeshFolders
from ..xml import MAX_DEPTH, MAX_ELEMENTS, Element, parse_xml
from .values import describe, required

MOST_BYTES = 32 * 2**20  # of all XML files of a model
ROOTS = ("mujoco", "mujocoinclude")
Folder = str  # inside the main file's folder, as a file writes it


@dataclass
class Files:
    """The folders in which files may lie, and how much of them has been read."""

    folders: MeshFolders
    size: int = 0
    elements: int = 0

    def path(self, element: Element, name: str, *folders: Folder) -> str:
        """The path of a file that is there, in the first of some folders that has it.

        Raises
        ------
        ParseError
            If it lies outside the folders given, or is not there.
        """
        if self.folders.home is None and not self.folders.roots:
            raise element.error(f"{describe(element)}: a text has no folder to find files in")
        paths = [self.folders.find(os.path.join(folder, name)) for folder in folders]
        for path in paths:
            if path is not None and os.path.isfile(path):
                return path
        if paths[0] is None:
            raise element.error(
                f"{describe(element)}: '{shorten(name)}' lies outside the folder of the file"
                f"{self.folders.allowing(os.path.join(folders[0], name))}"
            )
        raise element.error(f"{describe(element)}: there is no file '{shorten(paths[0])}'")

    def folder_of(self, path: str) -> Folder:
        """The folder of a file, as seen from the main file's."""
        home, folder = self.folders.home, Path(os.path.realpath(path)).parent
        if home is None:
            return str(folder)
        return "" if folder == home else os.path.relpath(folder, home)

    def parse(self, element: Element, path: str) -> Element:
        """The root of another XML file that an element names."""
        data = read_bytes(path)
        self.size += len(data)
        if self.size > MOST_BYTES:
            raise element.error(f"expected at most {MOST_BYTES >> 20} MiB of XML in all files")
        return parse_xml(data, path)


def stem(name: str) -> str:
    """The name of an asset that has no other: its file's, without folder and suffix."""
    return PureWindowsPath(name).stem


def included(root: Element, files: Files, folder: Folder = "") -> Element:
    """The tree with the contents of included files in place of each ``<include>``.

    Raises
    ------
    ParseError
        For a file included twice, and for more elements or levels than a file may have.
    """
    seen = {os.path.realpath(root.file)}
    stack = [(root, 1)]
    while stack:
        element, depth = stack.pop()
        files.elements += 1
        if depth > MAX_DEPTH:
            raise element.error(f"elements are nested more than {MAX_DEPTH} deep")
        if files.elements > MAX_ELEMENTS:
            raise element.error(f"more than {MAX_ELEMENTS} elements in all files")
        if any(child.tag == "include" for child in element.children):
            element.children = _replaced(element, files, folder, seen)
        stack += [(child, depth + 1) for child in element.children]
    return root


def _replaced(element: Element, files: Files, folder: Folder, seen: set[str]) -> list[Element]:
    """The children of an element, with those of included files."""
    children: list[Element] = []
    waiting = element.children[::-1]
    while waiting:
        child = waiting.pop()
        if child.tag == "include":
            waiting += _contents(child, files, folder, seen)[::-1]
        else:
            children.append(child)
    return children


def _contents(include: Element, files: Files, folder: Folder, seen: set[str]) -> list[Element]:
    for key in include.attributes.keys() - {"file"}:
        raise include.error(f"unknown attribute '{shorten(key)}' in <include>{near(key, ['file'])}")
    for child in include.children:
        raise child.error(f"<{shorten(child.tag)}> cannot stand in <include>")
    path = files.path(include, required(include, "file"), folder, files.folder_of(include.file))
    if path in seen:
        raise include.error(f"'{shorten(path)}' is included more than once")
    seen.add(path)
    contents = files.parse(include, path).children
    if not contents:
        raise include.error(f"'{shorten(path)}' has no elements to include")
    return contents


def parse_main(text: str | bytes, file: str) -> Element:
    """The root of the main file, which must be MuJoCo's."""
    root = parse_xml(text, file)
    if root.tag not in ROOTS:
        raise ParseError(f"expected <mujoco>, found <{shorten(root.tag)}>", file, root.line)
    return root
