"""Masses, poses and numbers as SDF has them."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import ModelError
from ...model import RigidBody
from ...spatial import Transform
from ..urdf.writer import angles

ROUND = 1e-9


def inertial(body: RigidBody, name: str, where: str) -> list[str]:
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = body.inertia
    size = max(abs(x) for row in body.inertia for x in row)
    if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > ROUND * size:
        raise ModelError(
            f"the inertia of link '{name}' is not symmetric, which an SDF cannot express ({where})"
        )
    values = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    inertia = "".join(f"<{key}>{x!r}</{key}>" for key, x in values.items())
    return [
        "<inertial>",
        f"  <pose>{numbers(body.com)} 0 0 0</pose>",
        f"  <mass>{body.mass!r}</mass>",
        f"  <inertia>{inertia}</inertia>",
        "</inertial>",
    ]


def pose(X: Transform) -> str:
    return f"<pose>{numbers(X.r)} {numbers(angles(X))}</pose>"


def numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in values)
