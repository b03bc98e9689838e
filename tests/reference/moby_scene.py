"""Where bodies of a scene are, how fast and how heavy, for comparing with Moby's own numbers."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

import polhode as ph
from polhode.scene import Machine, Scene
from polhode.spatial import Mat3, Quaternion

JOINTS_WRONG_IN_MOBY = ("UniversalJoint", "SphericalJoint")


class Placed:
    """A scene at its start."""

    def __init__(self, scene: Scene):
        self.scene = scene
        self.poses = ph.body_poses(scene.model, scene.q0)
        self.owner = {link: machine for machine in scene.machines for link in machine.link_names}

    def pose(self, link: str) -> np.ndarray:
        """Link to world, 4x4."""
        body = self.scene.model.body(f"{self.owner[link].name}/{link}")
        pose = np.eye(4) if body.moving == 0 else self.poses[body.moving - 1]
        offset = np.eye(4)
        offset[:3, :3] = np.array(body.frame.E.rows(), float).T
        offset[:3, 3] = [float(x) for x in body.frame.r]
        return pose @ offset

    def position(self, link: str) -> np.ndarray:
        return self.pose(link)[:3, 3]

    def quaternion(self, link: str, like: np.ndarray) -> np.ndarray:
        """w x y z, of the sign that ``like`` has."""
        q = Quaternion.from_matrix(Mat3.of(self.pose(link)[:3, :3].T.tolist()))
        found = np.array([q.w, q.x, q.y, q.z], float)
        return found if found @ like >= 0 else -found

    def velocity(self, link: str) -> np.ndarray:
        """Of the link's origin, world axes; an immovable body's is that of its surface."""
        machine = self.owner[link]
        if machine.is_fixed:
            return np.array(machine.surface_velocity[3:])
        body = self.scene.model.body(f"{machine.name}/{link}")
        if body.moving == 0:
            return np.zeros(3)
        return ph.point_velocity(self.scene.model, self.scene.q0, self.scene.qd0, body, [0, 0, 0])

    def spin(self, link: str) -> np.ndarray:
        """Angular velocity, world axes."""
        machine = self.owner[link]
        if machine.is_fixed:
            return np.array(machine.surface_velocity[:3])
        model = self.scene.model
        body = model.body(f"{machine.name}/{link}")
        if body.moving == 0:
            return np.zeros(3)
        jacobian = ph.frame_jacobian(model, self.scene.q0, body, [0, 0, 0])
        return jacobian[:3] @ np.array(self.scene.qd0)

    def mass(self, link: str):
        (found,) = (x.body for x in self.owner[link].model.links if x.name == link)
        return found


def readings(machine: Machine, joint: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A joint's q, qd and q-tare as Moby has them: the displacement is q + q-tare."""
    place = machine.model.joint(joint)
    tare = np.array(machine.q_tare)[place.v]
    return np.array(machine.q)[place.q] - tare, np.array(machine.qd)[place.v], tare


class Source:
    """What an XML text says that Moby is known to read wrong."""

    def __init__(self, text: str):
        root = ElementTree.fromstring(text)
        self.by_id = {e.get("id"): e for e in root.iter() if e.get("id")}
        self.root = root

    def mass_defect(self, body: str) -> str | None:
        """Why Moby's mass properties of a body are not the true ones."""
        element = self.by_id[body]
        if self.quaternion_defect(body):
            return "quaternion not normalised"
        if any(key.startswith("inertial-relative") for key in element.attrib):
            return "inertial-relative-* of the manual not read"
        for part in element.iter("InertiaFromPrimitive"):
            primitive = self.by_id[part.get("primitive-id")]
            if primitive.tag == "Cone":
                return "cone"
            if primitive.tag == "Torus" and primitive.get("density"):
                return "torus with density"
        return None

    def quaternion_defect(self, body: str) -> bool:
        text = self.by_id[body].get("quat")
        return bool(text) and abs(np.linalg.norm([float(x) for x in text.split()]) - 1.0) > 1e-6

    def owner(self, body: str):
        """The articulated body that a link belongs to."""
        for owner in self.root.iter("RCArticulatedBody"):
            if any(e.get("id") == body for e in owner.iter("RigidBody")):
                return owner
        return None

    def behind_wrong_joint(self, body: str) -> bool:
        """Whether a universal or spherical joint that is not at zero carries a link."""
        owner = self.owner(body)
        while owner is not None:
            joint = next((e for e in owner if e.get("outboard-link-id") == body), None)
            if joint is None:
                return False
            angles = f"{joint.get('q', '')} {joint.get('q-tare', '')}".replace(",", " ").split()
            if joint.tag in JOINTS_WRONG_IN_MOBY and any(map(float, angles)):
                return True
            body = joint.get("inboard-link-id")
        return False

    def is_moved_whole(self, body: str) -> bool:
        """Whether the articulated body is turned or shifted, after which speeds are stale."""
        owner = self.owner(body)
        return owner is not None and bool(owner.get("rpy") or owner.get("translate"))

    def unmoved(self) -> str:
        """The text without those turns and shifts."""
        for owner in self.root.iter("RCArticulatedBody"):
            for key in ("rpy", "translate"):
                owner.attrib.pop(key, None)
        return ElementTree.tostring(self.root, encoding="unicode")
