"""Models of a scene as bodies, joints and articulated bodies of a Moby file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...errors import ModelError
from ...model import FloatingBase, Link, Mesh, Model, RigidBody, Visual
from ...scene import Machine, Scene
from ...spatial import Mat3, Quaternion, Transform, Vec3
from ..markup import MarkupElement, number, numbers, placed
from .expand import expanded
from .ids import Ids, is_single
from .joint_writer import JointWriter
from .primitive_writer import PrimitiveWriter, turned


@dataclass
class MachineWriter:
    """Writes models; collects the shapes they use."""

    scene: Scene
    ids: Ids
    primitives: PrimitiveWriter

    def element(self, machine: Machine) -> MarkupElement:
        """``<RigidBody>`` for a single body, otherwise ``<RCArticulatedBody>``."""
        if is_single(machine):
            (link,) = machine.model.links
            place = link_places(machine)[link.name]
            node = self._body(machine, link, place)
            return self._moving(node, machine, link, place)
        return self._articulated(machine)

    def _moving(
        self, node: MarkupElement, machine: Machine, link: Link, place: Transform
    ) -> MarkupElement:
        """A body with its velocity, or disabled."""
        if link.joint.nv:
            node.attributes |= _velocity(*_base_velocity(machine, link, place))
            return node
        node.attributes["enabled"] = "false"
        wx, wy, wz, vx, vy, vz = machine.surface_velocity
        node.attributes |= _velocity(Vec3(vx, vy, vz), Vec3(wx, wy, wz))
        return node

    def _articulated(self, machine: Machine) -> MarkupElement:
        expanded_machine = expanded(machine)
        model = expanded_machine.model
        places = link_places(expanded_machine)
        roots = [link for link in model.links if link.parent is None]
        floating = len(roots) == 1 and isinstance(roots[0].joint, FloatingBase)
        owner = MarkupElement(
            "RCArticulatedBody",
            {"id": machine.name, "floating-base": "true" if floating else "false"},
        )
        owner.children += self._recurrent(machine.name)
        base = None
        if not floating and (len(roots) > 1 or roots[0].joint.nv):
            base = f"{machine.name}/{model.base}"
            owner.children.append(MarkupElement("RigidBody", {"id": base, "enabled": "false"}))
        joints = JointWriter(expanded_machine, self.ids, places)
        carriers = joints.carriers(self._named(machine))
        for link in model.links:
            if link.name in carriers:
                continue
            body = self._body(machine, link, places[link.name])
            if link is roots[0] and base is None:
                if link.joint_name != link.name:
                    owner.attributes["base-joint-id"] = link.joint_name
                if floating or any(machine.surface_velocity):
                    body = self._moving(body, machine, link, places[link.name])
                owner.children.append(body)
                continue
            owner.children += [body, joints.element(link, carriers, base)]
        return owner

    def _named(self, machine: Machine) -> set[str]:
        """Links that geometries and loops name."""
        ends = [end for loop in self.scene.loops for end in (loop.a, loop.b) if end]
        ends += [(geometry.machine, geometry.body) for geometry in self.scene.geometries]
        return {link for name, link in ends if name == machine.name}

    # -- one body --

    def _body(self, machine: Machine, link: Link, place: Transform) -> MarkupElement:
        name = self.ids.link(machine.name, link.name)
        own = [g for g in self.scene.geometries if (g.machine, g.body) == (machine.name, link.name)]
        node = MarkupElement("RigidBody", {"id": name, **self._place(machine, link, place)})
        node.attributes |= _mass(link.body)
        compliant = {geometry.is_compliant for geometry in own}
        if len(compliant) > 1:
            raise ModelError(
                f"some geometries of body '{link.name}' are compliant and some are not, which a "
                f"Moby file cannot express (scene '{self.scene.name}')"
            )
        if compliant == {True}:
            node.attributes["compliant"] = "true"
        for geometry in own:
            if any(geometry.surface_velocity):
                raise ModelError(
                    f"the surface of geometry '{geometry.name}' moves, which a Moby file cannot "
                    f"express (scene '{self.scene.name}')"
                )
            part = MarkupElement("CollisionGeometry", {"id": geometry.name})
            if geometry.shape is not None:
                part.attributes["primitive-id"] = self.primitives.id_of(geometry.shape)
                frame = turned(geometry.shape, geometry.frame)
                part.attributes |= placed(frame, "relative-origin", "relative-quat")
            node.children.append(part)
        node.children += map(self._visual, link.visuals)
        skip = "" if is_single(machine) else machine.name
        node.children += self._recurrent(link.name, f"{machine.name}/{link.name}", skip=skip)
        return node

    def _place(self, machine: Machine, link: Link, place: Transform) -> dict[str, str]:
        """A body's pose; that of a floating one by the very quaternion it has."""
        straight = link.frame == Transform.identity()
        if link.parent is not None or not isinstance(link.joint, FloatingBase) or not straight:
            return placed(place, "position", "quat")
        x, y, z, w = _take(machine.q, machine.model.joint(link.joint_name).q)[3:]
        found = placed(Transform(Mat3.identity(), place.r), "position", "quat")
        return found if w == 1.0 else {**found, "quat": numbers((w, x, y, z))}

    def _visual(self, visual: Visual) -> MarkupElement:
        node = MarkupElement("Visualization", {"id": visual.name} if visual.name else {})
        frame = visual.frame
        if isinstance(visual.shape, Mesh):
            node.attributes["visualization-filename"] = visual.shape.path
            if visual.shape.scale != (1.0, 1.0, 1.0):
                node.attributes["visualization-scale"] = numbers(visual.shape.scale)
        else:
            node.attributes["visualization-id"] = self.primitives.id_of(visual.shape)
            frame = turned(visual.shape, frame)
        node.attributes |= placed(frame, "visualization-rel-origin", "visualization-rel-quat")
        if visual.color is not None:
            node.attributes["color"] = numbers(visual.color)
        return node

    def _recurrent(self, *names: str, skip: str = "") -> Iterable[MarkupElement]:
        """The forces that act on a body or model of one of these names."""
        for force in self.scene.forces:
            for name in force.bodies or ():
                if name in names and name != skip:
                    yield MarkupElement("RecurrentForce", {"recurrent-force-id": force.name})


def link_places(machine: Machine) -> Mapping[str, Transform]:
    """Poses of links, from world coordinates: joints at zero, floating bases at their start."""
    model = machine.model
    places: dict[str | None, Transform] = {None: Transform.identity()}
    for link in model.links:
        if link.parent is None and isinstance(link.joint, FloatingBase):
            XJ = _floating(machine, model, link)
        else:
            XJ = link.joint.jcalc(link.joint.neutral()).XJ
        places[link.name] = XJ @ link.frame @ places[link.parent]
    return {name: place for name, place in places.items() if name is not None}


def _floating(machine: Machine, model: Model, link: Link) -> Transform:
    x, y, z, qx, qy, qz, w = _take(machine.q, model.joint(link.joint_name).q)
    return Transform(Quaternion(w, qx, qy, qz).matrix(), Vec3(x, y, z))


def _take(values: tuple[float, ...], place) -> tuple[float, ...]:
    return values[place] if isinstance(place, slice) else tuple(values[int(k)] for k in place)


def _base_velocity(machine: Machine, link: Link, place: Transform) -> tuple[Vec3, Vec3]:
    """Velocity of the origin and angular velocity of a floating base, in world axes."""
    vx, vy, vz, *spin = _take(machine.qd, machine.model.joint(link.joint_name).v)
    return link.frame.E.T @ Vec3(vx, vy, vz), place.E.T @ Vec3(*spin)


def _velocity(velocity: Vec3, spin: Vec3) -> dict[str, str]:
    found = {}
    if any(velocity):
        found["linear-velocity"] = numbers(velocity)
    if any(spin):
        found["angular-velocity"] = numbers(spin)
    return found


def _mass(body: RigidBody) -> dict[str, str]:
    if body.is_massless:
        return {}
    (xx, _, _), (yx, yy, _), (zx, zy, zz) = body.inertia  # dynamics reads the lower triangle
    rows = ((xx, yx, zx), (yx, yy, zy), (zx, zy, zz))
    found = {"mass": number(body.mass), "inertia": "; ".join(map(numbers, rows))}
    if any(body.com):
        found["inertial-relative-com"] = numbers(body.com)
    return found
