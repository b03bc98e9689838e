"""The files of a model: the main one, and those it attaches, with the names they give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...spatial import Transform
from ..names import near, shorten
from ..reading import Notes
from ..xml import Element
from .assets import Assets
from .compiler import Compiler
from .defaults import Classes
from .files import Files, Folder, included
from .flexes import expand_flexes
from .frames import pose
from .values import describe, required

MOST_MODELS = 100  # files to attach from


@dataclass(eq=False)
class Document:
    """One MJCF file with all that it includes."""

    root: Element
    files: Files
    snap: bool | str
    notes: Notes
    folder: Folder = ""
    documents: dict[str, Document] = field(default_factory=dict)
    _poses: dict[int, Transform] = field(default_factory=dict)

    def __post_init__(self) -> None:
        expand_flexes(self.root, self.compiler, self.notes)

    @cached_property
    def compiler(self) -> Compiler:
        """How its numbers are to be understood."""
        return Compiler.of(self.root, self.snap, self.notes)

    @cached_property
    def classes(self) -> Classes:
        """Its default classes."""
        return Classes(self.root)

    @cached_property
    def assets(self) -> Assets:
        """Its meshes, height fields, colours and models to attach."""
        return Assets(self.root, self.compiler, self.classes, self.files, self.folder)

    def check(self) -> None:
        """Read also the assets that nothing uses, for the sake of their errors."""
        _ = self.compiler, self.assets

    @cached_property
    def contents(self) -> list[Element]:
        """What stands in the world."""
        return [child for world in self.root.all("worldbody") for child in world.children]

    def pose(self, element: Element) -> Transform:
        """The frame of an element, computed once however often it is repeated."""
        if id(element) not in self._poses:
            self._poses[id(element)] = pose(element, self.compiler)
        return self._poses[id(element)]

    def model(self, attach: Element) -> Document:
        """The document that an ``<attach>`` takes its elements from."""
        if "model" not in attach.attributes:
            return self
        name = required(attach, "model")
        models = self._models()
        if name not in models:
            raise attach.error(f"{describe(attach)}: no model '{shorten(name)}'"
                               f"{near(name, models)}")  # fmt: skip
        return models[name]

    def _models(self) -> dict[str, Document]:
        """The models among the assets, by name: that of the asset, or else the model's own."""
        found: dict[str, Document] = {}
        for element in self.assets.models:
            document = self._document(element)
            own = document.root.attributes.get("model", "")
            found[element.attributes.get("name") or own] = document
        return found

    def _document(self, element: Element) -> Document:
        folders = self.files.folder_of(element.file), self.folder
        path = self.files.path(element, required(element, "file"), *folders)
        if path not in self.documents:
            if len(self.documents) >= MOST_MODELS:
                raise element.error(f"expected at most {MOST_MODELS} models to attach")
            folder = self.files.folder_of(path)
            root = self.files.parse(element, path)
            if root.tag != "mujoco":
                raise element.error(f"expected <mujoco> in '{shorten(path)}', found "
                                    f"<{shorten(root.tag)}>")  # fmt: skip
            included(root, self.files, folder)
            self.documents[path] = Document(
                root, self.files, self.snap, self.notes, folder, self.documents
            )
        return self.documents[path]


Copies = dict[str, Any]  # by the suffix that tells copies of an element apart


@dataclass(eq=False)
class Attachment:
    """A document as a part of the model: what it gives a name has a prefix and a suffix."""

    document: Document
    prefix: str = ""
    suffix: str = ""
    depth: int = 0
    is_whole: bool = True
    copies: dict[tuple[str, str], Copies] = field(default_factory=dict)
    replicates: dict[tuple[str, str], int] = field(default_factory=dict)

    def name(self, element: Element, suffix: str) -> str | None:
        """The name in the model of an element, or None if it has none."""
        own = element.attributes.get("name")
        return self.prefix + own + suffix if own else None

    def put(self, kind: str, element: Element, suffix: str, value: Any, replicate: int = 0) -> None:
        """Keep a copy of an element, for references by name; ``replicate`` tells what copies it."""
        own = element.attributes.get("name")
        if own:
            self.copies.setdefault((kind, own), {})[suffix] = value
            self.replicates[kind, own] = replicate

    def replicate_of(self, keys: Sequence[tuple[str, str]]) -> int:
        """Which ``<replicate>`` copies an element that refers to names: the innermost of theirs."""
        return self.replicates.get(max(keys, key=lambda key: len(self.copies[key])), 0)

    def references(self, keys: Sequence[tuple[str, str]]) -> Iterator[tuple[str, list[Any]]]:
        """What known names mean, once for each set of copies that belong together; its suffix."""
        every = [self.copies[key] for key in keys]
        for suffix in max(every, key=len):
            found = [_nearest(copies, suffix) for copies in every]
            if all(each is not None for each in found):
                yield suffix, found


def _nearest(copies: Copies, suffix: str) -> Any:
    """The copy of the same replica, or of the innermost replica that encloses both."""
    fitting = [own for own in copies if suffix.endswith(own)]
    return copies[max(fitting, key=len)] if fitting else None
