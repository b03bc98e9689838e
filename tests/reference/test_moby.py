"""Moby's own numbers for what it reads: masses, poses, velocities, joints.

Numbers that ../shared/spec calls defects of Moby are set aside under the defect's name, and the
true value is checked instead where there is one.
"""

from __future__ import annotations

import numpy as np
import pytest

from polhode.formats import moby
from reference.cases import Tally, array, read
from reference.moby_scene import Placed, Source, readings

PROGRAM = "Moby"
DIGITS = 1e-8  # Moby printed nine digits
PROBES = read("moby_semantics")["semantics_probes"]


def scene_of(text):
    return moby.parse(text, strict=False).model


@pytest.mark.parametrize("name", sorted(PROBES))
def test_masses(name, record_property):
    """Mass, centre of mass and inertia of every body, composed of primitives or written."""
    tally, probe = Tally(PROGRAM), PROBES[name]
    placed, source = Placed(scene_of(probe["xml"])), Source(probe["xml"])
    for body, row in probe["inertia"].items():
        defect = source.mass_defect(body)
        if defect:
            tally.count("inertia", f"defect of Moby: {defect}")
            continue
        expected = {"mass": row["mass"], "h": row["h"], "J": np.reshape(row["J"], (3, 3)).tolist()}

        def computed(body=body):
            own = placed.mass(body)
            return {"mass": own.mass, "h": own.com, "J": own.inertia}

        tally.compare("inertia", f"{name}/{body}", computed, expected, DIGITS)
    tally.close(record_property)


@pytest.mark.parametrize("name", sorted(PROBES))
def test_places(name, record_property):
    """Where every body is at the start, with joints displaced by q and q-tare."""
    tally, probe = Tally(PROGRAM), PROBES[name]
    placed, source = Placed(scene_of(probe["xml"])), Source(probe["xml"])
    for body, row in probe["t0"].items():
        row = array(row)
        if source.behind_wrong_joint(body):
            tally.count("pose", "defect of Moby: universal or spherical joint")
            continue
        tally.compare("position", f"{name}/{body}", lambda b=body: placed.position(b),
                      row[:3].tolist(), DIGITS)  # fmt: skip
        q = row[3:7] / np.linalg.norm(row[3:7])
        tally.compare("orientation", f"{name}/{body}", lambda b=body, q=q: placed.quaternion(b, q),
                      q.tolist(), DIGITS)  # fmt: skip
    tally.close(record_property)


@pytest.mark.parametrize("name", sorted(PROBES))
def test_velocities(name, record_property):
    """Velocities of frame origins; Moby's are stale where rpy or translate moved the whole."""
    tally, probe = Tally(PROGRAM), PROBES[name]
    source = Source(probe["xml"])
    placed = Placed(scene_of(source.unmoved()))
    for body, row in probe["t0"].items():
        if source.behind_wrong_joint(body):
            tally.count("velocity", "defect of Moby: universal or spherical joint")
            continue
        row = array(row)
        stale = " before the whole was moved" if source.is_moved_whole(body) else ""
        tally.compare(f"velocity{stale}", f"{name}/{body}", lambda b=body: placed.velocity(b),
                      row[7:10].tolist(), DIGITS)  # fmt: skip
        tally.compare(f"spin{stale}", f"{name}/{body}", lambda b=body: placed.spin(b),
                      row[10:13].tolist(), DIGITS)  # fmt: skip
    tally.close(record_property)


@pytest.mark.parametrize("name", sorted(PROBES))
def test_joints(name, record_property):
    """Readings of the joints at the start."""
    tally, probe = Tally(PROGRAM), PROBES[name]
    scene = scene_of(probe["xml"])
    owner = {joint.name: m for m in scene.machines for joint in m.model.joints}
    for joint, rows in probe["joints_t0"].items():
        machine = owner[joint]
        if machine.model.joint(joint).kind.nq == 4:
            tally.count("joint", "a quaternion here, three angles in Moby")
            continue
        tally.compare("joint", f"{name}/{joint}",
                      lambda m=machine, j=joint: [x.tolist() for x in readings(m, j)],
                      [array(row).tolist() for row in rows], DIGITS)  # fmt: skip
    tally.close(record_property)


def test_true_values_where_moby_is_wrong():
    """A cone, a torus by density and a long quaternion have the values of the books."""
    text = """<XML><MOBY>
      <Cone id="cone" radius="0.5" height="2" density="3"/>
      <Torus id="torus" major-radius="0.7" minor-radius="0.3" density="2"/>
      <RigidBody id="a"><InertiaFromPrimitive primitive-id="cone"/></RigidBody>
      <RigidBody id="b"><InertiaFromPrimitive primitive-id="torus"/></RigidBody>
      <RigidBody id="c" quat="2 1 0 0" mass="1" inertia="1 0 0; 0 1 0; 0 0 1"/>
    </MOBY></XML>"""
    placed = Placed(scene_of(text))
    m = 3.0 * np.pi * 0.25 * 2.0 / 3.0
    cone = placed.mass("a")
    np.testing.assert_allclose(cone.mass, m, rtol=1e-14)
    np.testing.assert_allclose(cone.com, [0.0, -0.5, 0.0], atol=1e-15)  # h/4 below the middle
    across, along = m * (3 / 20 * 0.25 + 3 / 80 * 4.0), m * 0.3 * 0.25
    np.testing.assert_allclose(cone.inertia, np.diag([across, along, across]), atol=1e-14)
    M = 2.0 * 2.0 * np.pi**2 * 0.7 * 0.09
    torus = placed.mass("b")
    across, along = M * (5 / 8 * 0.09 + 0.49 / 2), M * (0.49 + 0.75 * 0.09)
    np.testing.assert_allclose(torus.mass, M, rtol=1e-14)
    np.testing.assert_allclose(torus.inertia, np.diag([across, across, along]), atol=1e-13)
    w, x = 2.0 / np.sqrt(5.0), 1.0 / np.sqrt(5.0)
    np.testing.assert_allclose(placed.quaternion("c", np.eye(4)[0]), [w, x, 0, 0], atol=1e-15)
