"""Texts of Moby scenes for tests."""

from __future__ import annotations

from polhode.formats import moby


def wrapped(inside: str, simulator: str = "") -> str:
    steps = f"<TimeSteppingSimulator id='sim'>{simulator}</TimeSteppingSimulator>"
    return f"<XML><MOBY>\n{inside}\n{steps}</MOBY></XML>"


def scene(inside: str, simulator: str = "", **options):
    """The scene of what stands inside <MOBY>."""
    return moby.parse(wrapped(inside, simulator), **options).model


def notes(inside: str, simulator: str = "", **options) -> list[str]:
    """All remarks, each with its kind before."""
    found = moby.parse(wrapped(inside, simulator), **options).notes
    return [f"{note.kind}: {note}" for note in found]


BALL = """
<Sphere id="s" radius="0.5" mass="2"/>
<RigidBody id="ball" position="0 1 0"><InertiaFromPrimitive primitive-id="s"/>
  <CollisionGeometry primitive-id="s"/></RigidBody>
"""
GROUND = """
<Plane id="p"/>
<RigidBody id="ground" enabled="false"><CollisionGeometry id="top" primitive-id="p"/></RigidBody>
"""
ARM = """
<Box id="box" xlen="1" ylen="0.1" zlen="0.1" mass="1"/>
<RCArticulatedBody id="arm" floating-base="false">
  <RigidBody id="base"/>
  <RigidBody id="l1" position="0.5 0 0"><InertiaFromPrimitive primitive-id="box"/>
    <CollisionGeometry id="g1" primitive-id="box"/></RigidBody>
  <RigidBody id="l2" position="1.5 0 0"><InertiaFromPrimitive primitive-id="box"/>
    <CollisionGeometry primitive-id="box"/></RigidBody>
  <RevoluteJoint id="j1" location="0 0 0" axis="0 0 1" inboard-link-id="base"
    outboard-link-id="l1" q="0.3" qd="0.5" lower-limits="-1" upper-limits="2"
    restitution-coeff="0.5" coulomb-friction-coeff="0.1" viscous-friction-coeff="0.2"/>
  <RevoluteJoint id="j2" location="1 0 0" axis="0 0 1" inboard-link-id="l1"
    outboard-link-id="l2" q="0.4" q-tare="-0.1"/>
</RCArticulatedBody>
"""
LISTED = '<DynamicBody dynamic-body-id="{}"/>'


def listed(*names: str) -> str:
    return "".join(LISTED.format(name) for name in names)
