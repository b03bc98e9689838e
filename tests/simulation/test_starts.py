"""Starts that break what a scene or model asks: refused with the number, before any step."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Limits, Model, Plane, Revolute, Sphere, Spherical, Universal
from polhode.recording import audit
from polhode.scene import JointSettings
from polhode.simulation.stepping import contacts
from polhode.spatial import Transform

ROD = {"mass": 1.0, "com": (0, 0, -0.5), "inertia": (0.1, 0.1, 0.01)}


def ball(height: float, **rule) -> ph.Scene:
    scene = ph.Scene("drop").add_fixed("ground", Plane())
    return scene.add_body("ball", Sphere(0.5), mass=1.0, position=(0, 0, height)).contact(**rule)


def chain(*limits: Limits | None) -> Model:
    """Two rods that hang from a hinge about y."""
    low = Transform.translation(0, 0, -1)
    model = Model("arm").add("a", joint=Revolute.y(), limits=limits[0], **ROD)
    return model.append("b", joint=Revolute.y(), frame=low, limits=limits[1], **ROD)


def four_bar(q, x: float) -> ph.Scene:
    """The chain's tip is pinned at (x, 0, -1), turning about y."""
    turned = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))  # z of the pin along y
    from polhode.spatial import Mat3, Vec3

    tip = Transform(Mat3.of(turned), Vec3(0.0, 0.0, -1.0))
    pin = Transform(Mat3.of(turned), Vec3(x, 0.0, -1.0))
    scene = ph.Scene("four-bar").add_machine(chain(None, None), q=q)
    return scene.add_loop("pin", "revolute", ("arm", "b"), None, frame_a=tip, frame_b=pin)


def tip_of(q) -> np.ndarray:
    a, b = q[0], q[0] + q[1]
    return np.array((-np.sin(a) - np.sin(b), 0.0, -np.cos(a) - np.cos(b)))


RUNS = {
    "simulate": lambda scene: ph.simulate(scene, 2e-3),
    "step": lambda scene: ph.TimeSteppingSimulator(scene).step(1e-3),
    "rollout": lambda scene: ph.rollout(scene, steps=2),
}


def told(run) -> list[str]:
    """What a run says of its start: as the error that ends it, or as warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            run()
        except ph.simulation.StartError as error:
            return [str(error)]
    return [str(w.message) for w in caught if w.category is ph.simulation.StartWarning]


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_overlaps_are_told_with_their_depth(run):
    """By every way to run a scene, once, with the names of the pair."""
    (message,) = told(lambda: run(ball(0.054)))
    assert "'ground' and 'ball' overlap by 0.446 m" in message
    assert "scene 'drop'" in message


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("gap", [1e-4, 0.0, -9e-4])
def test_starts_within_a_millimetre_are_quiet(run, gap):
    """Neither bodies that touch nor what the first steps correct unseen."""
    assert not told(lambda: run(ball(0.5 + gap)))


def test_soft_contact_may_overlap():
    """A compliant body rests on the ground by sinking in."""
    scene = ph.Scene("soft").add_fixed("ground", Plane()).contact(penalty_kp=1e3, penalty_kv=10.0)
    scene = scene.add_body("ball", Sphere(0.5), mass=1.0, position=(0, 0, 0.49), is_compliant=True)
    assert not told(lambda: ph.simulate(scene, 2e-3))


def test_pairs_that_never_touch_may_overlap():
    """Also those that a contact filter drops."""
    assert not told(lambda: ph.simulate(ball(0.1).disable("ball", "ground"), 2e-3))
    none = lambda t, contacts: np.zeros(len(contacts), bool)  # noqa: E731
    assert not told(lambda: ph.simulate(ball(0.1), 2e-3, contact_filter=none))


@pytest.mark.parametrize("integrator", [None, "symplectic", "rk4", "DOP853"])
def test_an_open_loop_is_told_with_its_gap(integrator):
    """By every integrator; the number is the distance of the two pins."""
    q, x = (0.3, 0.4), 0.5
    gap = np.linalg.norm(tip_of(q) - (x, 0, -1))
    (message,) = told(lambda: ph.simulate(four_bar(q, x), 2e-3, integrator=integrator))
    assert f"loop 'pin' is open by {gap:.3g} m" in message
    assert "rad" not in message.split(".")[0]
    assert "polhode.assemble" in message


def test_a_loop_whose_axes_disagree_is_told_in_radians():
    """The hinge of the loop turns about z of its frames, the chain about y."""
    scene = ph.Scene("wrong").add_machine(chain(None, None), q=(0.0, 0.4))
    tip, pin = Transform.translation(0, 0, -1), Transform.translation(*tip_of((0.0, 0.4)))
    scene = scene.add_loop("pin", "revolute", ("arm", "b"), None, frame_a=tip, frame_b=pin)
    (message,) = told(lambda: ph.simulate(scene, 2e-3))
    assert f"loop 'pin' is open by {np.sin(0.4):.3g} rad" in message


def test_a_closed_loop_is_quiet():
    """At positions that close it to a tenth of a millimetre."""
    q = (0.3, 0.4)
    scene = four_bar(q, tip_of(q)[0])
    pin = replace(scene.loops[0], frame_b=replace(scene.loops[0].frame_b, r=_vec(tip_of(q))))
    assert not told(lambda: ph.simulate(replace(scene, loops=(pin,)), 2e-3))


def _vec(values):
    from polhode.spatial import Vec3

    return Vec3(*(float(x) for x in values))


def test_limits_are_told_with_joint_value_and_limits():
    """A number that looks like degrees is said to be radians."""
    scene = ph.Scene("s").add_machine(chain(Limits(-1, 1), None), q=(90.0, 0.0))
    (message,) = told(lambda: ph.simulate(scene, 2e-3))
    assert "joint 'a' of 'arm' starts at 90 rad, outside its limits -1 to 1" in message
    assert "90 degrees are 1.571 rad" in message


@pytest.mark.parametrize(
    "run",
    [
        lambda model, q: ph.simulate(model, 0.01, q0=q),
        lambda model, q: ph.rollout(model, q=q, steps=2),
    ],
)
def test_limits_of_models_are_told(run):
    """The worst of many worlds; within limits nothing is said."""
    model = chain(Limits(-1, 1), Limits(-1, 1))
    (message,) = told(lambda: run(model, [[0.1, 0.0], [0.3, -1.5], [0.0, 0.0]]))
    assert "joint 'b' starts at -1.5 rad, outside its limits -1 to 1" in message
    assert not told(lambda: run(model, [[1.0, -1.0005], [0.3, -0.5]]))


def test_worlds_of_a_rollout_are_told_together():
    """One warning with the worst world, and how many there are."""
    q = np.tile(ball(0.6).q0, (4, 1))
    q[:, 2] = (0.6, 0.4, 0.5, 0.2)
    (message,) = told(lambda: ph.rollout(ball(0.6), q=q, steps=1))
    assert "overlap by 0.3 m (worst of 2 of 4 worlds)" in message


def test_states_that_are_set_are_looked_at():
    """At the next step, with the time; as long as they are not mended."""
    sim = ph.TimeSteppingSimulator(ball(3.0))
    sim.advance(1e-3, 10)
    q, _ = sim.state_of("ball")
    sim.set_state("ball", q=[*q[:2], 0.2, *q[3:]])
    (message,) = told(lambda: sim.step(1e-3))
    assert "at t = 0.01 s" in message and "overlap by 0.3 m" in message
    assert told(lambda: sim.step(1e-3)) == [message]
    sim.set_state("ball", q=[*q[:2], 0.6, *q[3:]])
    assert not told(lambda: sim.step(1e-3))


def test_looking_changes_no_bit():
    """A run in one call, in calls of single steps, and from a checkpoint: the same bits."""
    scene = ball(0.8, restitution=0.7)
    whole = ph.TimeSteppingSimulator(scene)
    whole.advance(1e-3, 400)
    parts = ph.TimeSteppingSimulator(scene)
    begin = parts.checkpoint()
    for _ in range(2):
        for _ in range(400):
            parts.step(1e-3)
        for x, y in zip(whole.state, parts.state, strict=True):
            assert x.tobytes() == y.tobytes()
        parts.restore(begin)


@pytest.mark.parametrize(
    "state",
    [{"q": 1.0}, {"q": [0, 0, 1, 1, 1, 1, 1.0]}, {"q": [0, 0, 1, 0, 0, 0, 0.0]}, {"qd": 3.0},
     {"q": [0, 0, 1.0]}, {"qd": ["a"] * 6}, {"q": [0, 0, np.nan, 0, 0, 0, 1]}],
)  # fmt: skip
def test_wrong_states_are_refused_and_leave_the_state(state):
    """One number for all coordinates, quaternions that are none, text, NaN."""
    sim = ph.TimeSteppingSimulator(ball(3.0))
    before = [x.copy() for x in sim.state]
    with pytest.raises(ph.ShapeError):
        sim.set_state("ball", **state)
    assert all((x == y).all() for x, y in zip(before, sim.state, strict=True))


def test_quaternions_of_rollouts_must_be_unit():
    """As those of `simulate`: norm 0 and 3 are refused, rounding is made unit."""
    from polhode.model import FloatingBase

    model = Model("box").add("box", joint=FloatingBase(), mass=1.0, inertia=(1, 1, 1))
    for norm in (0.0, 3.0):
        with pytest.raises(ph.ShapeError, match="unit quaternions in q"):
            ph.rollout(model, q=[0, 0, 0, 0, 0, 0, norm], steps=2)
    rolled = ph.rollout(model, q=[0, 0, 0, 0, 0, 0, 1 + 1e-6], steps=0)
    assert np.linalg.norm(rolled.q[0, 3:]) == pytest.approx(1.0, abs=1e-15)


def notes(run) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    return [str(w.message) for w in caught if w.category is ph.ModelWarning]


URDF = """<robot name="damped"><link name="base"/><link name="tip"><inertial><mass value="1"/>
<origin xyz="0 0 -0.5"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
<limit lower="-0.5" upper="0.5" velocity="1" effort="1"/>
<dynamics damping="2" friction="0.5"/></joint></robot>"""


def test_damping_and_friction_of_a_urdf_act(tmp_path):
    """In a run of the model, in a scene of it, and in one to which they are given: the same."""
    path = tmp_path / "damped.urdf"
    path.write_text(URDF)
    model = ph.load(path)
    assert model.joint("hinge").dynamics == type(model.joint("hinge").dynamics)(2.0, 0.5)
    start = {"q": [0.4], "qd": [3.0]}
    settings = JointSettings("hinge", viscous_friction=2.0, coulomb_friction=0.5)
    runs = [
        ph.simulate(model, 0.3, q0=start["q"], qd0=start["qd"]),
        ph.simulate(ph.Scene("bare").add_machine(model, **start), 0.3),
        ph.simulate(ph.Scene("s").add_machine(model, joint_settings=[settings], **start), 0.3),
    ]
    for run in runs:
        assert np.array_equal(run.q, runs[0].q)
    free = ph.simulate(ph.Scene("bare").add_machine(model, **start), 0.3, joint_forces="none")
    assert runs[0].q.max() < 0.5 + 1e-6 < free.q.max()
    ph.save(model, tmp_path / "again.urdf")
    assert ph.load(tmp_path / "again.urdf") == model


def test_massless_leaves_are_told_by_name():
    """Where accelerations are not determined; a massless link with mass beyond it is fine."""
    model = chain(None, None).append("tool", joint=Revolute.y())
    (message,) = notes(lambda: ph.forward_dynamics(model, [0.0] * 3, [0.0] * 3, [0.0] * 3))
    assert "resists joint 'tool' of body 'tool'" in message and "(model 'arm')" in message
    heavy = model.append("tip", joint=Revolute.x(), **ROD)
    assert not notes(lambda: ph.forward_dynamics(heavy, [0.0] * 4, [0.0] * 4, [0.0] * 4))


@pytest.mark.filterwarnings("ignore:no mass or inertia")
@pytest.mark.parametrize("integrator", [None, "rk4", "RK45", "Radau"])
@pytest.mark.parametrize("is_scene", [False, True])
def test_a_forgotten_inertia_is_told_where_a_run_stops(integrator, is_scene):
    """It is no matter of the step."""
    model = Model("wheel").add("rim", joint=Revolute.x(), mass=1.0)
    subject = ph.Scene("yard").add_machine(model) if is_scene else model
    with pytest.raises(ph.simulation.SimulationError, match=r"resists joint '.*rim'") as stopped:
        ph.simulate(subject, 0.1, **({} if integrator is None else {"integrator": integrator}))
    said = str(stopped.value)
    assert "give the body an inertia" in said and "shorter" not in said


@pytest.mark.parametrize("joint", [Revolute.z(), Universal(), Spherical()], ids=repr)
@pytest.mark.parametrize("is_leaf", [True, False])
def test_armature_is_inertia_of_a_joint(joint, is_leaf):
    """A massless link is told of just where the mass matrix is singular."""
    for first, second in ((0.25, 0.25), (0.25, 0.0), (0.0, 0.25)):
        model = chain(None, None).append("rotor", joint=joint, armature=first)
        if not is_leaf:
            model = model.append("tip", joint=Revolute.x(), armature=second)
        q, zero = ph.neutral(model), np.zeros(model.nv)
        is_singular = np.linalg.det(ph.mass_matrix(model, q)) == 0.0
        assert bool(notes(lambda m=model, q=q, z=zero: ph.forward_dynamics(m, q, z, z))) == (
            is_singular
        )


def test_a_point_on_the_axis_has_no_inertia_either():
    """Its mass does not resist the joint that it lies on."""
    point = Model("point").add("bob", joint=Revolute.z(), mass=1.0)
    assert notes(lambda: ph.forward_dynamics(point, [0.0], [0.0], [1.0]))
    pendulum = Model("bob").add("bob", joint=Revolute.y(), mass=1.0, com=(0, 0, -1))
    assert not notes(lambda: ph.forward_dynamics(pendulum, [0.0], [0.0], [1.0]))


def test_steps_that_are_too_long_are_in_the_summary():
    """A ball through the floor, a box that turns a thousand radians in a step."""
    run = ph.simulate(ball(3.0, restitution=0.5), 10.0, dt=1.0)
    assert "m in each other" in run.audit.warnings[0]
    assert "energy rose" in run.audit.warnings[1]
    assert "warning: bodies were up to" in str(run.audit)
    box = ph.Scene().add_body("box", Box((1, 1, 1)), mass=1.0, spin=(1e6, 0, 0))
    assert "rotates by up to 1e+03 rad in a step" in str(ph.simulate(box, 0.01).audit)
    assert not ph.simulate(ball(3.0, restitution=0.5), 1.0).audit.warnings
    assert audit.DEEP == contacts.DEEP


def test_contact_without_a_rule_is_told_once():
    """A pair that nothing is said of touches without friction; one rule for all is enough."""
    slide = ph.Scene("slide").add_fixed("ground", Plane())
    slide = slide.add_body("box", Sphere(0.1), mass=1.0, position=(0, 0, 0.1))
    (message,) = notes(lambda: ph.simulate(slide, 0.01))
    assert "no contact parameters for 'ground' and 'box': no friction" in message
    assert message.endswith("(scene 'slide'); Scene.contact gives them")
    assert not notes(lambda: ph.simulate(slide, 0.01))
    other = replace(slide, name="other")
    assert not notes(lambda: ph.simulate(other.contact(mu_coulomb=0.5), 0.01))
    assert not notes(lambda: ph.simulate(other.contact("box", "ground"), 0.01))
    assert not notes(lambda: ph.simulate(other.disable("box", "ground"), 0.01))


@pytest.mark.parametrize(
    ("law", "contact", "told"),
    [({"compliance": 1e-4, "restitution": 0.5}, "exact", "all: restitution 0.5 has no effect with"),
     ({"mu_viscous": 0.1}, "convex", "all: mu_viscous not known to contact='convex'"),
     ({"friction_cone_edges": 8, "mu_viscous": 1.0}, "convex",
      "mu_viscous and friction_cone_edges not known"),
     ({"mu_viscous": 0.1}, "exact", None), ({"restitution": 0.5}, "exact", None)],
)  # fmt: skip
def test_contact_parameters_without_effect_are_told(law, contact, told):
    scene = ph.Scene("odd").add_fixed("ground", Plane()).contact(mu_coulomb=0.5, **law)
    scene = scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.2))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", ph.ModelWarning)
        ph.Simulator(scene, contact=contact)
    texts = [str(each.message) for each in found]
    assert [told in text and "scene 'odd'" in text for text in texts] == [True] * (told is not None)
