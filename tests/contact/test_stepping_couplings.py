"""Loops against the same joints in the tree, their limits and friction, gears, closed chains."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polhode as ph
from polhode.model.joints import (
    Fixed,
    FloatingBase,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from polhode.scene import JointSettings, Loop, Scene
from polhode.spatial import Mat3, Quaternion, Transform, rotation_x, rotation_y

PITCH = 0.3
PLACE = Transform(rotation_x(0.7) @ rotation_y(-0.4), Transform.translation(0.2, -0.1, 0.3).r)
BODY = {"mass": 2.0, "com": (0.3, 0.1, -0.2), "inertia": (0.2, 0.3, 0.25)}
TREE = {
    "fixed": (Fixed(), [], []),
    "revolute": (Revolute.z(), [0.4], [3.0]),
    "prismatic": (Prismatic.z(), [0.1], [1.0]),
    "spherical": (Spherical(), [0.1, -0.2, 0.3, math.sqrt(0.86)], [1.0, -2.0, 3.0]),
    "universal": (Universal(), [0.3, -0.2], [2.0, -1.5]),
    "planar": (Planar(), [0.1, 0.2, 0.5], [0.5, -0.3, 2.0]),
    "screw": (Helical((0, 0, 1, 0, 0, PITCH)), [0.2], [15.0]),
}


def in_tree(kind, settings=None):
    """A body on a joint of the tree."""
    joint, q, qd = TREE[kind]
    model = ph.Model("m").add("body", frame=PLACE, joint=joint, **BODY)
    chosen = [settings] if settings else []
    return Scene("tree").add_machine(model, "m", q=q, qd=qd, joint_settings=chosen)


def in_loop(kind, settings=None):
    """The same body, free, held by a loop, at the same place and speed."""
    tree = in_tree(kind)
    model, q, qd = tree.model, tree.q0, tree.qd0
    free = ph.Model("m").add("body", joint=FloatingBase(), **BODY)
    origin = ph.point_position(model, q, "m/body", [0, 0, 0])
    axes = [ph.point_position(model, q, "m/body", e) - origin for e in np.eye(3)]
    turn = Quaternion.from_matrix(Mat3.of([[float(x) for x in row] for row in axes]))
    spin = np.array([*axes]) @ ph.frame_jacobian(model, q, "m/body", [0, 0, 0])[:3] @ np.array(qd)
    velocity = ph.point_velocity(model, q, qd, "m/body", [0, 0, 0])
    scene = Scene("loop").add_machine(
        free, "m", q=[*origin, turn.x, turn.y, turn.z, turn.w], qd=[*velocity, *spin]
    )
    loop = Loop("l", kind, None, ("m", "body"), PLACE, Transform.identity(), PITCH, settings)
    return Scene("loop", scene.machines, loops=(loop,))


def points(scene, simulator):
    """Where three points of the body are."""
    q, _ = simulator.state
    return np.array([ph.point_position(scene.model, q, "m/body", e) for e in np.eye(3)])


@pytest.mark.parametrize("kind", [k for k in TREE if k != "fixed"])
def test_a_loop_moves_as_the_joint_in_the_tree(kind):
    """By the compiled steps, of second order, and by a solver that both obey to its tolerance."""
    tree, loop = in_tree(kind), in_loop(kind)
    ends = []
    for scene, scheme in (
        (tree, "DOP853"),
        (loop, "DOP853"),
        (loop, "event_driven"),
        (loop, "symplectic"),
    ):
        simulator = ph.Simulator(scene, integrator=scheme, dt=5e-4, rtol=1e-10, atol=1e-12)
        simulator.advance_to(0.4)
        ends.append(points(scene, simulator))
    assert np.abs(ends[0] - points(tree, ph.Simulator(tree))).max() > 0.1
    assert ends[1] == pytest.approx(ends[0], abs=1e-7)
    assert ends[2] == pytest.approx(ends[0], abs=2e-5)
    assert simulator.report["loop_error"] < 1e-8


def test_a_fixed_loop_holds():
    """A body welded to the world stays."""
    loop = in_loop("fixed")
    simulator = ph.Simulator(loop)
    before = points(loop, simulator)
    simulator.advance_to(0.4)
    assert points(loop, simulator) == pytest.approx(before, abs=1e-8)


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "screw"])
@pytest.mark.parametrize(
    "settings",
    [
        {"lower": -1.5, "upper": 0.9, "restitution": 0.6},
        {"lower": -1.5, "upper": 0.9},
        {"coulomb_friction": 1.5},
        {"viscous_friction": 0.8},
        {"coulomb_friction": 0.5, "viscous_friction": 0.3, "lower": -0.5},
    ],
)
def test_limits_and_friction_of_loops(kind, settings):
    """The same as of the joint in the tree."""
    ends = []
    for make, name in ((in_tree, "body"), (in_loop, "l")):
        scene = make(kind, JointSettings(name, **settings))
        simulator = ph.Simulator(scene, dt=5e-4)
        simulator.advance_to(0.7)
        ends.append((points(scene, simulator), simulator.report))
    assert ends[1][0] == pytest.approx(ends[0][0], abs=2e-3)
    assert ends[1][1]["impacts"] == ends[0][1]["impacts"]
    assert ends[1][1]["unconverged"] == 0


def test_limits_of_a_loop_count_turns():
    """A wheel with a limit at ten radians turns there and back."""
    wheel = ph.Model("m").add("body", joint=FloatingBase(), mass=1.0, inertia=(1, 1, 1))
    scene = Scene("turns", gravity=(0, 0, 0)).add_machine(wheel, "m", qd=[0, 0, 0, 0, 0, 5.0])
    limited = JointSettings("l", lower=-2.0, upper=10.0, restitution=1.0)
    scene = scene.add_loop("l", "revolute", None, ("m", "body"), settings=limited)
    simulator = ph.Simulator(scene)
    turned = 0.0
    for _ in range(500):
        simulator.advance(1e-2, 1)
        turned += 1e-2 * simulator.state_of("m")[1][5]
    # There in 2 s, back from 10 to -2 in 2.4 s, and 0.6 s on from there.
    assert turned == pytest.approx(1.0, abs=0.06)
    assert simulator.report["impacts"] == 2


def chain(count, is_closed=True):
    """Links from the origin to a point two thirds of their length away, pinned at both ends."""
    model, parent = ph.Model("chain"), None
    angle = math.acos(2.0 / 3.0)
    q = []
    for k in range(count):
        frame = Transform.translation(*((0.5, 0, 0) if parent else (0, 0, 0)))
        model = model.add(
            f"link{k}", parent=parent, frame=frame, joint=Revolute.y(), mass=0.3,
            com=(0.25, 0, 0), inertia=(1e-4, 7e-3, 7e-3),
        )  # fmt: skip
        parent = f"link{k}"
        q.append((-1) ** k * (angle if k == 0 else 2.0 * angle))
    scene = Scene("chain").add_machine(model, "chain", q=q)
    if not is_closed:
        return scene
    end = Transform.translation(0.5, 0, 0)
    return scene.add_loop(
        "end", "spherical", None, ("chain", parent),
        frame_a=Transform.translation(count * 0.5 * 2.0 / 3.0, 0, 0), frame_b=end,
    )  # fmt: skip


def test_a_closed_chain():
    """A chain that hangs between two pins swings as its equations say, to the second order."""
    ends = []
    for scheme, dt in (("DOP853", 1e-3), ("event_driven", 1e-3), ("event_driven", 5e-4)):
        simulator = ph.Simulator(chain(6), integrator=scheme, dt=dt, rtol=1e-9, atol=1e-11)
        simulator.advance_to(0.5)
        ends.append(simulator.state_of("chain")[0])
    coarse, fine = (np.abs(end - ends[0]).max() for end in ends[1:])
    assert fine < 1e-3
    assert coarse / fine == pytest.approx(4.0, rel=0.1)
    recording = ph.simulate(chain(12), 2.0, dt=2.5e-4, progress=False)
    assert recording.audit.loop_error < 1e-8
    assert recording.audit.energy_rise < 2e-3 * recording.audit.energy_scale
    assert recording.audit.unconverged == 0


def test_gears_keep_their_places_for_ten_thousand_turns():
    """Two wheels of ratio -2.5, one of them driven, after ten thousand turns."""
    model = ph.Model("wheels")
    for name, x in (("a", 0.0), ("b", 1.0)):
        frame = Transform.translation(x, 0, 0)
        model = model.add(name, frame=frame, joint=Revolute.z(), mass=1.0, inertia=(1, 1, 0.5))
    scene = Scene("gears").add_machine(model, "w", q=[0.3, -0.2], qd=[250.0, -100.0])
    scene = scene.add_gear("g", ("w", "a"), ("w", "b"), -2.5)
    simulator = ph.Simulator(scene, dt=1e-3)
    turns = 2.0 * math.pi * 1e4
    simulator.advance(1e-3, round(turns / 250.0 / 1e-3))
    (a, b), (va, vb) = simulator.state_of("w")
    assert a > 0.99 * turns
    assert a - 0.3 == pytest.approx(-2.5 * (b + 0.2), abs=1e-9 * turns)
    assert (va, vb) == pytest.approx((250.0, -100.0), rel=1e-9)
    assert simulator.report["loop_error"] < 1e-8
