"""A polhode model as MuJoCo's XML, for the joints both programs have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import quoteattr

from polhode.model import (
    Axes,
    Euler,
    Fixed,
    FloatingBase,
    Link,
    Model,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    TranslationXYZ,
    Universal,
)
from polhode.spatial import Quaternion, Transform, Vec3

SHARED_KINDS = (
    "revolute x",
    "revolute y",
    "revolute z",
    "revolute",
    "prismatic z",
    "prismatic",
    "universal",
    "planar",
    "spherical",
    "euler ZYX",
    "euler XYZ",
    "euler YXZ",
    "euler ZXY",
    "translation",
    "fixed",
)  # a free joint of MuJoCo's must hang on the world


def mjcf(model: Model) -> str:
    """The model as an MJCF document; coordinates come in the order of the joint names."""
    gravity = _numbers(model.gravity.lin)
    return (
        '<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        f'<option gravity="{gravity}"/><worldbody>{_children(model, None)}</worldbody></mujoco>'
    )


def _children(model: Model, parent: str | None) -> str:
    links = [link for link in model.links if link.parent == parent]
    return "".join(
        f"<body name={quoteattr(link.name)} {_pose(link.frame)}>"
        f"{_joints(link)}{_inertial(link)}{_children(model, link.name)}</body>"
        for link in links
    )


def _pose(X: Transform) -> str:
    q = Quaternion.from_matrix(X.E)
    return f'pos="{_numbers(X.r)}" quat="{_numbers((q.w, q.x, q.y, q.z))}"'


def _inertial(link: Link) -> str:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.body.inertia
    full = _numbers((xx, yy, zz, xy, xz, yz))
    return (
        f'<inertial pos="{_numbers(link.body.com)}" mass="{link.body.mass!r}" '
        f'fullinertia="{full}"/>'
    )


def _joints(link: Link) -> str:
    return "".join(
        f"<joint name={quoteattr(f'{link.name} {k}')} {text}/>"
        for k, text in enumerate(_joint(link.joint))
    )


def _joint(kind: Any) -> Iterable[str]:
    if isinstance(kind, Fixed):
        return ()
    if isinstance(kind, Spherical):
        return ('type="ball"',)
    if isinstance(kind, FloatingBase):
        return ('type="free"',)
    if isinstance(kind, TranslationXYZ):
        return tuple(_slide(axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    if isinstance(kind, Universal | Euler | Planar | Axes):
        return tuple(text for part in kind.parts for text in _joint(part))
    if isinstance(kind, Revolute):
        return (f'type="hinge" axis="{_numbers(kind.axis)}"',)
    if isinstance(kind, Prismatic):
        return (_slide(kind.axis),)
    raise TypeError(f"MuJoCo has no joint like {kind}")


def _slide(axis: Iterable[float]) -> str:
    return f'type="slide" axis="{_numbers(axis)}"'


def _numbers(values: Iterable[float] | Vec3) -> str:
    return " ".join(repr(float(x)) for x in values)
