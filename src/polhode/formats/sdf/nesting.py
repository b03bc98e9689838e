"""Models inside models: what is in them becomes part of the outermost one.

Names of an inner model ``arm`` get the prefix ``arm::``, and its own frame the name ``arm``.  So
joints of the outer model reach inner links as the specification has it.  What an ``<include>``
merges keeps its names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from ...spatial import Quaternion, Transform
from ..names import shorten
from ..reading import Notes
from ..urdf.visual import MeshFolders
from ..xml import Element
from .frames import MODEL, Frames
from .includes import MOST_INCLUDES, included, too_many
from .pose import QUATERNION, raw_pose
from .self_collision import SELF_COLLIDE
from .values import boolean, boolean_attribute, child, describe, name_of
from .version import AXES_OF_JOINTS, SCOPE, Version, read_version
from .vocabulary import note_unread

MOST_NESTED = 50
HOISTED = ("link", "joint", "frame")
LINKS_OF_JOINTS = ("parent", "child", "gearbox_reference_body")
Rename = Callable[[str], str]


@dataclass(frozen=True)
class ModelFile:
    """The file that a model stands in."""

    folders: MeshFolders
    notes: Notes
    version: Version

    @property
    def has_axes_of_models(self) -> bool:
        """Whether axes are in the model's frame where a joint does not say otherwise."""
        return self.version < AXES_OF_JOINTS


@dataclass
class Nesting:
    """Makes one model of each with models inside; ``folders`` are those of the files in use."""

    snap: bool | str
    folders: dict[str, MeshFolders] = field(default_factory=dict)
    n_includes: int = 0

    def flat(self, model: Element, file: ModelFile, outer: tuple[Element, ...] = ()) -> Element:
        """A model without models inside.

        Raises
        ------
        ParseError
            For models that include themselves, are nested too deep, or cannot be part of another.
        """
        self.folders.setdefault(model.file, file.folders)
        if not (model.all("model") or model.all("include")):
            return model
        if len(outer) > MOST_NESTED:
            raise model.error(f"models are nested more than {MOST_NESTED} deep")
        own = [part for part in model.children if part.tag not in ("model", "include")]
        flat = replace(model, children=own)
        for part in model.children:
            parts = []
            if part.tag == "model":
                parts = self._hoisted(part, file, (*outer, model), is_merged=False)
            elif part.tag == "include":
                parts = self._included(part, file, (*outer, model))
            if parts:
                _check_name(parts[0], part, flat)
            flat.children += parts
        return flat

    def _included(
        self, include: Element, file: ModelFile, outer: tuple[Element, ...]
    ) -> list[Element]:
        """The parts of a model of another file."""
        self.n_includes += 1
        if self.n_includes > MOST_INCLUDES:
            raise too_many(include, "model")
        root = included(include, file.folders, file.notes)
        if root is None:
            return []
        (model,) = root.children
        if any(model.file == each.file for each in outer):
            raise include.error(f"<include>: '{shorten(model.file)}' includes itself")
        own = Notes()
        note_unread(root, own)
        inner = ModelFile(file.folders.beside(model.file), own, read_version(root, own))
        is_merged = boolean_attribute(include, "merge")
        parts = self._hoisted(model, inner, outer, is_merged=is_merged)
        file.notes.pass_on(own.ordered(), model.file, include.line)
        return parts

    def _hoisted(
        self, model: Element, file: ModelFile, outer: tuple[Element, ...], *, is_merged: bool
    ) -> list[Element]:
        """The parts of an inner model, and its own frame."""
        name = name_of(model)
        if boolean(model, "static") and not boolean(outer[0], "static"):
            raise model.error(f"{describe(model)} is static inside {describe(outer[0])}, which "
                              "moves: a joint of type fixed to the world holds it")  # fmt: skip
        model = self.flat(model, file, outer)
        own = f"_merged__{name}__model__" if is_merged else name
        prefix = "" if is_merged else name + SCOPE

        def rename(named: str) -> str:
            return own if named == MODEL else prefix + named

        frames = Frames(model, self.snap, file.notes)
        parts = [_frame(own, model, frames, rename)]
        for part in model.children:
            if part.tag in HOISTED:
                parts.append(_renamed(part, own, rename, file))
        collides = child(model, SELF_COLLIDE)
        if collides is not None:
            for part in parts:
                if part.tag == "link" and child(part, SELF_COLLIDE) is None:
                    part.children.append(collides)
        return parts


def _check_name(frame: Element, user: Element, outer: Element) -> None:
    """Refuse an inner model with the name of another part, for its frame has that name, too."""
    name = name_of(frame)
    if any(part.tag in HOISTED and name_of(part) == name for part in outer.children):
        raise user.error(f"the name '{shorten(name)}' of an inner model is that of another part of "
                         f"{describe(outer)}, too")  # fmt: skip


def _frame(own: str, model: Element, frames: Frames, rename: Rename) -> Element:
    """An inner model's frame, on its canonical link; its pose is one of the outer model."""
    pose = child(model, "pose")
    at = Element("pose", {"relative_to": MODEL}, model.file, model.line)
    if pose is not None:
        at = replace(pose, attributes={"relative_to": MODEL, **pose.attributes})
    placed = model.attributes.get("placement_frame", "")
    if placed:
        place = frames.named(placed, model).inverse() @ raw_pose(model, frames.snap, frames.notes)
        at.attributes = {"relative_to": at.attributes["relative_to"], "rotation_format": QUATERNION}
        at.text = _text(place)
    attributes = {"name": own, "attached_to": rename(name_of(frames.canonical()))}
    return Element("frame", attributes, model.file, model.line, [at])


def _text(place: Transform) -> str:
    turn = Quaternion.from_matrix(place.E)
    return " ".join(repr(float(x)) for x in (*place.r, turn.x, turn.y, turn.z, turn.w))


def _renamed(part: Element, own: str, rename: Rename, file: ModelFile) -> Element:
    """A link, joint or frame under the name that it has in the outer model."""
    new = replace(part, attributes={**part.attributes, "name": rename(name_of(part))},
                  children=list(_inside(part, rename)))  # fmt: skip
    match part.tag:
        case "link":
            _refer_to(own, new)
        case "frame":
            new.attributes["attached_to"] = rename(part.attributes.get("attached_to") or MODEL)
        case "joint":
            new.children = [_of_joint(each, own, rename, file) for each in new.children]
    return new


def _refer_to(own: str, link: Element) -> None:
    """Let the pose of a link refer to the model's frame, if it refers to no other."""
    pose = child(link, "pose")
    if pose is None:
        link.children.append(Element("pose", {"relative_to": own}, link.file, link.line))
    elif not pose.attributes.get("relative_to"):
        pose.attributes["relative_to"] = own


def _inside(part: Element, rename: Rename) -> Iterator[Element]:
    """Copies of what is in an element, whose poses refer to the new names."""
    for each in part.children:
        attributes = dict(each.attributes)
        if each.tag == "pose" and attributes.get("relative_to"):
            attributes["relative_to"] = rename(attributes["relative_to"])
        yield replace(each, attributes=attributes, children=list(_inside(each, rename)))


def _of_joint(part: Element, own: str, rename: Rename, file: ModelFile) -> Element:
    """What is in a joint: its ends, and its axes with what they refer to."""
    if part.tag in LINKS_OF_JOINTS and part.text != "world":
        return replace(part, text=rename(part.text))
    if part.tag in ("axis", "axis2"):
        return _axis(part, own, rename, is_models=file.has_axes_of_models)
    return part


def _axis(axis: Element, own: str, rename: Rename, *, is_models: bool) -> Element:
    """An axis that says in which frame it is written, whatever the version of its file."""
    xyz, of_model = child(axis, "xyz"), child(axis, "use_parent_model_frame")
    named = "" if xyz is None else xyz.attributes.get("expressed_in", "")
    if xyz is None or (named and of_model is not None):
        return axis  # told where axes are read
    children = [part for part in axis.children if part not in (xyz, of_model)]
    is_models = boolean(axis, "use_parent_model_frame", default=is_models)
    if named or is_models:
        named = rename(named) if named else own
        xyz = replace(xyz, attributes={**xyz.attributes, "expressed_in": named})
    else:
        children.append(Element("use_parent_model_frame", {}, axis.file, axis.line, text="false"))
    for mimic in children:
        if mimic.tag == "mimic" and "joint" in mimic.attributes:
            mimic.attributes["joint"] = rename(mimic.attributes["joint"])
    return replace(axis, children=[xyz, *children])
