"""Loop joints and gears as elements of a Moby file."""

from __future__ import annotations

from ...scene import Gear, Loop, LoopKind, Scene
from ...spatial import Transform
from ..markup import MarkupElement, number, numbers, quaternion
from .couplings import WORLD
from .ids import Ids
from .joint_writer import settings_attributes
from .joints import LOOPS
from .machine_writer import link_places

TAGS = {kind: tag for tag, kind in LOOPS.items()}


def loop_element(scene: Scene, ids: Ids, loop: Loop) -> MarkupElement:
    """A joint that closes a loop.

    Location and axes give its frame on the inboard body. The frames on both bodies are written
    beside them, because they need not coincide where the bodies are drawn.
    """
    place = Transform.identity()
    if loop.a is not None:
        place = link_places(scene.machine(loop.a[0]))[loop.a[1]]
    frame = loop.frame_a @ place
    x, y, z = (numbers(axis) for axis in frame.E)
    node = MarkupElement(TAGS[loop.kind], {"id": loop.name})
    for side, end, own in (("inboard", loop.a, loop.frame_a), ("outboard", loop.b, loop.frame_b)):
        node.attributes[f"{side}-link-id"] = WORLD if end is None else ids.link(*end)
        node.attributes[f"{side}-origin"] = numbers(own.r)
        node.attributes[f"{side}-quat"] = quaternion(own.E)
    node.attributes["location"] = numbers(frame.r)
    match loop.kind:
        case LoopKind.REVOLUTE | LoopKind.PRISMATIC:
            node.attributes["axis"] = z
        case LoopKind.SCREW:
            node.attributes |= {"axis": z, "pitch": number(loop.pitch)}
        case LoopKind.PLANAR:
            node.attributes["normal"] = z
        case LoopKind.UNIVERSAL:
            node.attributes |= {"axis1": x, "axis2": y}
    if loop.settings is not None:
        node.attributes |= settings_attributes(loop.settings)
    return node


def gear_element(ids: Ids, gear: Gear) -> MarkupElement:
    """Gears between the links that two joints carry."""
    links = {}
    for side, end in (("inboard", gear.a), ("outboard", gear.b)):
        links[f"{side}-link-id"] = ids.outboard[end]
    return MarkupElement("Gears", {"id": gear.name, **links, "gear-ratio": number(gear.ratio)})
