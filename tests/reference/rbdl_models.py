"""Models of RBDL reference entries: from a file, or from RBDL's construction calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polhode as ph
from polhode.model import (
    Axes,
    Custom,
    Euler,
    Fixed,
    FloatingBase,
    Helical,
    Model,
    Prismatic,
    Revolute,
    Spherical,
    TranslationXYZ,
)
from polhode.spatial import (
    Mat3,
    Motion,
    Subspace,
    Transform,
    Vec3,
    rotation_x,
    rotation_y,
    rotation_z,
)
from reference.cases import MODELS

FIXED_BODY = 2**31 - 1  # RBDL numbers fixed bodies from here, we after the moving ones
GRAVITY = (0.0, -9.81, 0.0)  # of an RBDL model that was not told otherwise

NAMED_JOINTS: dict[str, Callable[[list], Any]] = {
    "JointTypeRevoluteX": lambda axes: Revolute.x(),
    "JointTypeRevoluteY": lambda axes: Revolute.y(),
    "JointTypeRevoluteZ": lambda axes: Revolute.z(),
    "JointTypeRevolute": lambda axes: Revolute(axes[0][:3]),
    "JointTypePrismatic": lambda axes: Prismatic(axes[0][3:]),
    "JointTypeHelical": lambda axes: Helical(axes[0]),
    "JointTypeSpherical": lambda axes: Spherical(),
    "JointTypeEulerZYX": lambda axes: Euler("ZYX"),
    "JointTypeEulerXYZ": lambda axes: Euler("XYZ"),
    "JointTypeEulerYXZ": lambda axes: Euler("YXZ"),
    "JointTypeEulerZXY": lambda axes: Euler("ZXY"),
    "JointTypeTranslationXYZ": lambda axes: TranslationXYZ(),
    "JointTypeFloatingBase": lambda axes: FloatingBase(),
    "JointTypeFixed": lambda axes: Fixed(),
}


def revolute_x(q, qd):
    """The reference's custom joint RevoluteX: a turn about x."""
    S = Subspace((Motion(Vec3(1.0, 0.0, 0.0), Vec3.zero()),))
    return Transform.rotation(rotation_x(q[0])), S, S @ qd, Motion.zero()


def euler_zyx(q, qd):
    """The reference's custom joint EulerZYX: XJ = Xrotx(q2) Xroty(q1) Xrotz(q0)."""
    x, y, z = Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)
    turn_y, turn_x = rotation_y(q[1]), rotation_x(q[2])
    first, second = turn_x @ (turn_y @ z), turn_x @ y
    S = Subspace(tuple(Motion(axis, Vec3.zero()) for axis in (first, second, x)))
    v1, v2, v3 = first * qd[0], second * qd[1], x * qd[2]
    bias = v1.cross(v2) + (v1 + v2).cross(v3)
    XJ = Transform.rotation(turn_x @ turn_y @ rotation_z(q[0]))
    return XJ, S, S @ qd, Motion(bias, Vec3.zero())


CUSTOM_JOINTS = {
    "RevoluteX": Custom(1, revolute_x, "RevoluteX"),
    "EulerZYX": Custom(3, euler_zyx, "EulerZYX"),
}


def build(entry: dict) -> Model:
    """The model of a reference entry."""
    source = entry["source"]
    if "calls" in source:
        return from_calls(entry["model"], source["calls"])
    file = source.get("lua_file") or source["urdf_file"]
    options = {"floating_base": True} if source.get("floating_base") else {}
    return with_axes_as_written(ph.load(MODELS / "rbdl" / file, **options), entry["structure"])


def with_axes_as_written(model: Model, structure: dict) -> Model:
    """Two axes of nao.urdf are 1.1e-6 short of unit length: RBDL keeps them, our reader not."""
    links = []
    for link in model.links:
        if isinstance(link.joint, Revolute):
            written = structure["joints"][model.body(link.name)]["axes"][0][:3]
            link = replace(link, joint=Revolute(written))
        links.append(link)
    return replace(model, links=tuple(links))


def model_file(entry: dict) -> str | None:
    """The file the entry's model is read from, if any."""
    return entry["source"].get("lua_file") or entry["source"].get("urdf_file")


def from_calls(name: str, calls: list[dict]) -> Model:
    """What RBDL's AddBody, AppendBody, AddBodyCustomJoint and set_gravity build."""
    gravity = [call["gravity"] for call in calls if call["op"] == "set_gravity"]
    model = Model(name, gravity=tuple(gravity[-1]) if gravity else GRAVITY)
    names: dict[int, str | None] = {0: None}
    last = None
    for call in calls:
        if call["op"] == "set_gravity":
            continue
        parent = last if call["op"] == "AppendBody" else names[call["parent_id"]]
        last = names[call["returns"]] = call["name"] or f"body{call['returns']}"
        model = model.add(
            last,
            joint=joint(call),
            parent=parent,
            frame=Transform(Mat3.of(call["joint_frame"]["E"]), Vec3.of(call["joint_frame"]["r"])),
            mass=call["body"]["mass"],
            com=call["body"]["com"],
            inertia=call["body"]["inertia"],
        )
    return model


def joint(call: dict) -> Any:
    if call["op"] == "AddBodyCustomJoint":
        return CUSTOM_JOINTS[call["custom_joint"]]
    kind, axes = call["joint"]["type"], call["joint"]["axes"]
    return NAMED_JOINTS[kind](axes) if kind in NAMED_JOINTS else Axes(axes)


def body_id(model: Model, rbdl_id: int) -> int:
    """Our number of RBDL's body."""
    if rbdl_id < FIXED_BODY:
        return rbdl_id
    return model.n_bodies + 1 + rbdl_id - FIXED_BODY
