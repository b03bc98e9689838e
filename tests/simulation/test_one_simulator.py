"""One simulator for models and scenes: what acts, what is recorded, and how runs start."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.constraints import ConstraintSet
from polhode.formats.urdf.collision import read_collisions
from polhode.model import Box, Capsule, FloatingBase, Plane, Revolute, Sphere
from polhode.scene import JointSettings, Scene
from polhode.simulation.errors import StartError
from polhode.spatial import Transform
from polhode.spatial.transform import rotation_x

SMOOTH = ["symplectic", "rk4", "DOP853"]


def hinge(**resistance) -> ph.Model:
    return ph.Model("hinge").add(
        "bar", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1),
        **resistance,
    )  # fmt: skip


STIFF_HINGE = hinge(limits=(-0.5, 0.5), damping=2.0, friction=0.5)


def test_a_hinge_stops_at_its_limits_and_sticks():
    run = ph.simulate(STIFF_HINGE, 4.0, q0=[0.4], qd0=[3.0])
    assert run.integrator == "event_driven" and run.contact == "none"
    assert 0.499 < run.q.max() < 0.5 + 1e-6
    # At rest gravity's moment, 1 kg 9.81 m/s^2 0.5 m sin(q), is held by dry friction.
    assert run.qd[-1] == pytest.approx(0.0, abs=1e-9)
    moment = 9.81 * 0.5 * math.sin(run.q[-1, 0])
    assert 0.0 < moment <= 0.5
    assert run.tau_constraint[-1, 0] == pytest.approx(moment, rel=1e-6)
    assert run.tau_passive[5, 0] == pytest.approx(-2.0 * run.qd[5, 0], rel=0.1)


def test_a_model_and_its_scene_move_alike():
    of_model = ph.simulate(STIFF_HINGE, 1.0, q0=[0.4], qd0=[3.0])
    of_scene = ph.simulate(Scene.of(STIFF_HINGE, [0.4], [3.0]), 1.0)
    for name in ("times", "q", "qd", "tau", "tau_passive", "tau_constraint", "work"):
        assert np.array_equal(getattr(of_model, name), getattr(of_scene, name)), name


def test_joint_forces_can_be_left_out():
    free = ph.simulate(STIFF_HINGE, 1.0, q0=[0.4], qd0=[3.0], joint_forces="none")
    bare = ph.simulate(hinge(), 1.0, q0=[0.4], qd0=[3.0])
    assert np.array_equal(free.q, bare.q) and free.integrator == "symplectic"
    scene = ph.simulate(Scene.of(STIFF_HINGE, [0.4], [3.0]), 1.0, joint_forces="none")
    assert np.abs(scene.q - bare.q).max() < 1e-5


@pytest.mark.parametrize("integrator", SMOOTH)
def test_smooth_integrators_damp_and_refuse_what_is_sudden(integrator):
    """``I q'' = -d q'`` without gravity: exact decay."""
    arm = ph.Model("arm", gravity=(0, 0, 0)).add(
        "bar", joint=Revolute.y(), mass=1.0, inertia=(0.1, 0.1, 0.1), damping=0.05
    )
    run = ph.simulate(arm, 2.0, qd0=[1.0], integrator=integrator)
    assert run.qd[-1, 0] == pytest.approx(math.exp(-1.0), rel=1e-6)
    assert run.tau_passive[-1] == pytest.approx(-0.05 * run.qd[-1])
    assert run.work[-1] == pytest.approx(0.05 * (run.qd[-1, 0] ** 2 - 1.0), rel=1e-5)
    with pytest.raises(ph.ModelError, match=r"dry friction of joint 'bar'.*event_driven"):
        ph.simulate(STIFF_HINGE, 1.0, integrator=integrator)
    with pytest.raises(
        ph.simulation.SimulationError, match=r"joint 'bar' passes its limit 0.5"
    ) as stopped:
        ph.simulate(hinge(limits=(-0.5, 0.5)), 1.0, q0=[0.4], qd0=[3.0], integrator=integrator)
    kept = stopped.value.recording
    assert kept is not None and 0.4 <= kept.q.max() < 0.55


def test_strong_damping_needs_no_short_steps():
    """Decay at 1e5/s with steps of 1 ms."""
    arm = hinge(damping=2e4)
    run = ph.simulate(arm, 0.5, q0=[0.4], qd0=[1.0])
    assert np.isfinite(run.q).all() and abs(run.qd[-1, 0]) < 1e-2


def test_what_is_held_is_recorded_as_it_was():
    """Integrators are recorded by their names, forces of a controller as it gave them."""
    controller = lambda t, state: [3.0 * math.sin(10.0 * t) - state.qd[0]]  # noqa: E731
    for subject, options in ((hinge(), {"q0": [0.3]}), (Scene.of(hinge(), [0.3]), {})):
        for integrator in (*SMOOTH, "event_driven"):
            run = ph.simulate(subject, 0.2, integrator=integrator, controller=controller,
                              record=0.01, **options)  # fmt: skip
            assert run.integrator == integrator and run.contact == "none" and run.is_controlled
            given = 3.0 * np.sin(10.0 * run.times[1:]) - run.qd[1:, 0]
            # The event-driven integrator holds what the controller gave a step (1 ms) before.
            late = 0.05 if integrator == "event_driven" else 1e-12
            assert np.abs(run.tau[1:, 0] - given).max() < late
            total = run.kinetic + run.potential
            assert np.abs(total - total[0] - run.work).max() < 2e-4


def test_forces_of_a_controlled_scene_are_those_of_its_controller():
    given = {}

    def controller(t, state):
        given[round(t, 6)] = -5.0 * state.q - state.qd + [0.1]
        return given[round(t, 6)]

    box = ph.Model("box").add("box", joint=FloatingBase(), mass=2.0, com=(0.1, 0.0, 0.2),
                              inertia=(0.1, 0.2, 0.3))  # fmt: skip
    pushed = []

    def push(t, state):
        pushed.append([0.1, 0.2, 20.0, 0.01, 0.02, 0.03])
        return pushed[-1]

    scene = Scene("two").add_machine(hinge(), "a").add_machine(box, "b").add_fixed("floor", Plane())
    run = ph.simulate(scene, 0.05, controllers={"a": controller, "b": push}, record=1)
    assert np.allclose(run.tau[1:, 0], [given[round(t - 1e-3, 6)][0] for t in run.times[1:]])

    # What pushes a free body is held along the world's axes, about its centre of mass.
    def about_com(tau, q):
        R = Rotation.from_quat(q[..., [4, 5, 6, 7]]).as_matrix()
        moment = np.einsum("...ij,...j->...i", R, tau[..., 3:])
        return moment - np.cross(R @ np.array([0.1, 0.0, 0.2]), tau[..., :3])

    assert np.allclose(run.tau[1:, 1:4], pushed[0][:3], rtol=1e-12)
    before, after = about_com(np.array(pushed), run.q[:-1]), about_com(run.tau[1:, 1:7], run.q[1:])
    assert np.allclose(before, after, atol=1e-12)
    total = run.kinetic + run.potential
    assert np.abs(total - total[0] - run.work).max() < 1e-5


@pytest.mark.parametrize("integrator", ["event_driven", "symplectic"])
def test_worlds_of_a_model_are_each_their_own(integrator):
    machine = STIFF_HINGE if integrator == "event_driven" else hinge(damping=0.3)
    q0 = np.linspace(-0.4, 0.4, 6).reshape(2, 3, 1)
    f_ext = np.zeros((2, 3, 1, 6))
    f_ext[..., 3] = 0.1
    whole = ph.simulate(machine, 0.2, q0=q0, f_ext=f_ext, integrator=integrator)
    alone = ph.simulate(machine, 0.2, q0=q0[1, 2], f_ext=f_ext[1, 2], integrator=integrator)
    assert whole.q.shape == (len(whole.times), 2, 3, 1)
    assert np.array_equal(whole.q[:, 1, 2], alone.q)
    assert np.array_equal(whole.tau_passive[:, 1, 2], alone.tau_passive)


def ball(height: float) -> Scene:
    return (
        Scene("drop")
        .add_fixed("ground", Plane())
        .add_body("ball", Sphere(0.5), position=(0, 0, height), mass=1.0)
        .contact(mu_coulomb=0.5)
    )


def test_a_ball_that_starts_in_the_ground():
    """0.4 m deep: refused, moved out and said, or kept and said; it does not fly off."""
    with pytest.raises(StartError, match=r"overlap by 0.4 m.*'settle'.*'keep'"):
        ph.simulate(ball(0.1), 0.5)
    with pytest.warns(ph.simulation.StartWarning, match="settled 'ball' by 0.4"):
        settled = ph.simulate(ball(0.1), 0.5, start="settle")
    assert any("settled 'ball' by 0.4" in note for note in settled.notes)
    assert np.abs(settled.q[:, 2] - 0.5).max() < 1e-6 and np.abs(settled.qd).max() < 1e-6
    with pytest.warns(ph.simulation.StartWarning, match="overlap by 0.4 m"):
        kept = ph.simulate(ball(0.1), 0.5, start="keep")
    assert kept.q[0, 2] == 0.1 and kept.q[:, 2].max() < 0.5 + 1e-6
    with pytest.raises(StartError, match=r"joint 'bar' starts at 0.7 rad"):
        ph.simulate(hinge(limits=(-0.5, 0.5)), 0.1, q0=[0.7], integrator="rk4")
    with pytest.warns(ph.simulation.StartWarning, match="moved by 0.2"):
        moved = ph.simulate(hinge(limits=(-0.5, 0.5)), 0.01, q0=[-0.7], integrator="rk4",
                            start="settle")  # fmt: skip
    assert moved.q[0, 0] == -0.5


def test_a_step_is_as_long_as_the_simulator_says():
    sim, same = (ph.Simulator(hinge(), dt=2e-3, contact="none") for _ in range(2))
    assert sim.step() == 2e-3
    same.step(2e-3)
    assert np.array_equal(sim.state[0], same.state[0])
    assert np.isclose(sim.current_time, 2e-3)


def test_a_simulator_steps_a_model():
    by_hand = ph.Simulator(STIFF_HINGE)
    by_hand.set_state("hinge", [0.4], [3.0])
    for _ in range(100):
        by_hand.step(1e-3)
    run = ph.simulate(STIFF_HINGE, 0.1, q0=[0.4], qd0=[3.0])
    assert np.array_equal(by_hand.state[0], run.q[-1])
    with pytest.raises(ph.ModelError, match="expected contact 'none' for a model"):
        ph.Simulator(STIFF_HINGE, contact="exact")
    with pytest.raises(TypeError, match="unexpected option 'method'; integrator= says how"):
        ph.simulate(STIFF_HINGE, 0.1, method="rk4")
    with pytest.raises(ph.ArgumentError, match="'exact' is for contact="):
        ph.simulate(ball(1.0), 0.1, integrator="exact")


def quadruped() -> ph.Model:
    trunk = ph.Model("quadruped").add("trunk", joint=FloatingBase(), mass=8.0,
                                      inertia=(0.1, 0.2, 0.2))  # fmt: skip
    for x in (-0.3, 0.3):
        for y in (-0.2, 0.2):
            name = f"{'front' if x > 0 else 'hind'} {'left' if y > 0 else 'right'}"
            trunk = trunk.add(
                f"{name} thigh", parent="trunk", joint=Revolute.y(), mass=1.0,
                frame=Transform.translation(x, y, -0.02), com=(0, 0, -0.12),
                inertia=(6e-3, 6e-3, 1e-3), limits=(-1.2, 1.2), damping=0.1,
            ).add(
                f"{name} shank", parent=f"{name} thigh", joint=Revolute.y(), mass=0.4,
                frame=Transform.translation(0, 0, -0.25), com=(0, 0, -0.12),
                inertia=(2e-3, 2e-3, 4e-4), limits=(-2.5, 0.0), damping=0.1,
            )  # fmt: skip
    return trunk


def dropped_quadruped() -> Scene:
    """Shapes overlap at every joint, and the shanks' with the trunk's in the neutral position."""
    model = quadruped()
    down = Transform.translation(0, 0, -0.12)
    shapes = [("trunk", Box((0.8, 0.5, 0.16)), Transform.identity())]
    for link in model.links[1:]:
        shapes.append((link.name, Capsule(0.03, 0.24), down))
    q = np.array(ph.neutral(model))
    q[2] = 0.75
    for k, joint in enumerate(j for j in model.joints if j.kind.nv == 1):
        q[joint.q] = -0.9 if k % 2 else 0.4
    return (
        Scene("dropped")
        .add_machine(model, q=q, geometries=shapes)
        .add_fixed("ground", Plane())
        .contact(mu_coulomb=0.7)
    )


def test_a_dropped_quadruped_does_not_touch_itself_at_its_joints():
    scene = dropped_quadruped()
    run = ph.simulate(scene, 1.5)
    assert any("a joint connects them" in note for note in run.notes)
    bodies = {g.name: g.body for g in scene.geometries}
    parent = {link.name: link.parent for link in scene.machine("quadruped").model.links}
    touched = 0
    for k in range(len(run.times)):
        for contact in run.contacts(k):
            a, b = bodies[contact.a], bodies[contact.b]
            assert parent.get(a) != b and parent.get(b) != a, (a, b)
            touched += 1
    assert touched > 100
    total = run.kinetic + run.potential
    assert (total[1:] - total[0]).max() < 1e-6


def test_joints_of_several_axes_are_joints():
    """Links between their axes have no mass, and are no links of the robot."""
    from polhode.simulation.self_collision import neighbours

    thigh, shapes = Capsule(0.05, 0.3), []
    model = ph.Model("hip").add("pelvis", joint=FloatingBase(), mass=1.0, inertia=(0.1,) * 3)
    for axis, name in ((Revolute.x(), "roll"), (Revolute.y(), "pitch"), (Revolute.z(), "thigh")):
        solid = {"mass": 0.5, "inertia": (0.1,) * 3} if name == "thigh" else {}
        model = model.append(name, joint=axis, **solid)
    model = model.add("shank", parent="thigh", joint=Revolute.y(), mass=0.5, inertia=(0.1,) * 3,
                      frame=Transform.translation(0, 0, -0.5))  # fmt: skip
    shapes = [(name, thigh) for name in ("pelvis", "thigh", "shank")]
    scene = Scene("hips").add_machine(model, geometries=shapes)
    assert neighbours(scene).jointed == ((0, 1), (1, 2))
    heavy = replace(model, links=tuple(
        replace(link, body=model.links[0].body) if link.name == "pitch" else link
        for link in model.links
    ))  # fmt: skip
    assert neighbours(Scene("hips").add_machine(heavy, geometries=shapes)).jointed == ((1, 2),)


def test_a_rule_that_names_both_lets_jointed_links_touch():
    scene = dropped_quadruped()
    thigh, shank = "front left thigh", "front left shank"
    asked = scene.contact(thigh, shank, mu_coulomb=0.0)
    from polhode.simulation.self_collision import neighbours

    names = [g.body for g in scene.geometries]
    pair = tuple(sorted((names.index(thigh), names.index(shank))))
    assert pair in neighbours(scene).jointed and pair not in neighbours(asked).jointed


def four_bar() -> tuple[ph.Model, ConstraintSet, np.ndarray]:
    """A crank of 0.2 m, a coupler of 0.5 m and a rocker of 0.4 m on a base of 0.5 m."""
    model = (
        ph.Model("four-bar")
        .add("crank", joint=Revolute.y(), mass=0.5, com=(0.1, 0, 0), inertia=(1e-3, 2e-3, 2e-3))
        .add("coupler", parent="crank", joint=Revolute.y(), mass=1.0, com=(0.25, 0, 0),
             inertia=(1e-3, 2e-2, 2e-2), frame=Transform.translation(0.2, 0, 0))
        .add("rocker", joint=Revolute.y(), mass=0.8, com=(0.2, 0, 0), inertia=(1e-3, 1e-2, 1e-2),
             frame=Transform.translation(0.5, 0, 0))
    )  # fmt: skip
    axes = [(0, 0, 0, 1, 0, 0), (0, 0, 0, 0, 0, 1)]
    closed = ConstraintSet(model).loop(
        "coupler", "rocker", Transform.translation(0.5, 0, 0), Transform.translation(0.4, 0, 0),
        axes, name="pin",
    )  # fmt: skip
    q0 = ph.assemble(model, closed, np.array([-1.0, 0.6, -1.4])).q
    return model, closed, q0


@pytest.mark.parametrize("integrator", ["symplectic", "rk4"])
def test_constraint_sets_hold(integrator):
    model, closed, q0 = four_bar()
    run = ph.simulate(model, 10.0, q0=q0, constraints=closed, dt=2e-3, integrator=integrator)
    errors = ph.constraints.constraint_errors(model, closed, run.q, run.qd)
    assert np.abs(errors.position).max() < 1e-8 and np.abs(errors.velocity).max() < 1e-8
    total = run.kinetic + run.potential
    assert np.ptp(total) < 1e-3 * np.ptp(run.potential)
    assert np.ptp(run.q[:, 0]) > 0.5
    # H qdd + C = tau_constraint: what holds the loop is in the record.
    qdd = ph.constrained_dynamics(model, closed, run.q, run.qd, 0.0 * run.qd).qdd
    needed = ph.inverse_dynamics(model, run.q, run.qd, qdd)
    assert np.allclose(run.tau_constraint, needed, atol=1e-9)


def test_constraints_that_do_not_fit():
    model, closed, q0 = four_bar()
    off = q0 + np.array([0.0, 0.05, 0.0])
    with pytest.raises(StartError, match=r"constraint 'pin' is broken by .* in position"):
        ph.simulate(model, 0.1, q0=off, constraints=closed)
    with pytest.raises(StartError, match=r"constraint 'pin' is broken by .* in velocity"):
        ph.simulate(model, 0.1, q0=q0, qd0=[1.0, 0.0, 0.0], constraints=closed)
    with pytest.warns(ph.simulation.StartWarning, match="joints were moved"):
        run = ph.simulate(model, 0.1, q0=off, constraints=closed, start="settle")
    assert np.abs(ph.constraints.constraint_errors(model, closed, run.q).position).max() < 1e-8
    with pytest.raises(ph.ModelError, match="as integrator with constraints"):
        ph.simulate(model, 0.1, q0=q0, constraints=closed, integrator="event_driven")
    with pytest.raises(ph.ModelError):
        ph.simulate(hinge(), 0.1, constraints=closed)


def test_rollouts_stop_at_limits_and_damp():
    q0, qd0 = np.array([[0.4], [-0.3]]), np.array([[3.0], [-4.0]])
    options = {"q": q0, "qd": qd0, "steps": 500, "dt": 1e-3, "record_every": 10}
    ends = ph.rollout(STIFF_HINGE, **options, integrator="event_driven")
    run = ph.simulate(STIFF_HINGE, 0.5, q0=q0, qd0=qd0)
    assert np.array_equal(ends.q, run.q) and np.abs(ends.q).max() < 0.5 + 1e-6
    many = ph.rollout(STIFF_HINGE, **options)
    assert many.integrator == "moreau" and np.abs(many.q).max() < 0.5 + 1e-6
    assert np.abs(many.q - run.q).max() < 2e-3
    with pytest.raises(TypeError, match="unexpected ground or u"):
        ph.rollout(STIFF_HINGE, u=np.zeros((1, 2)), steps=2)
    with pytest.raises(ph.ModelError):
        ph.rollout(STIFF_HINGE, contact="exact", steps=2)
    damped = hinge(damping=0.3)
    smooth = ph.rollout(damped, q=q0, qd=qd0, steps=500, dt=1e-3)
    exact = ph.simulate(damped, 0.5, q0=q0, qd0=qd0, integrator="DOP853")
    assert np.abs(smooth.q[-1] - exact.q[-1]).max() < 1e-8
    with pytest.warns(ph.ModelWarning, match="passed its limits"):
        ph.rollout(hinge(limits=(-0.5, 0.5)), q=q0, qd=qd0, steps=500, dt=1e-3, integrator="rk4")
    with pytest.raises(StartError, match="outside its limits"):
        ph.rollout(STIFF_HINGE, q=[[0.7]], steps=5, dt=1e-3)


def test_an_interrupt_keeps_the_worlds_that_were_done():
    asked = []

    def controller(t, state):
        asked.append(t)
        if len(asked) > 250:
            raise KeyboardInterrupt
        return [0.0]

    q0 = [[0.1], [0.2], [0.3], [0.4]]
    with pytest.raises(ph.simulation.SimulationInterrupted) as interrupt:
        ph.simulate(STIFF_HINGE, 0.1, q0=q0, controller=controller)
    kept = interrupt.value.recording
    assert kept is not None and kept.q.shape[1:] == (4, 1)
    assert np.isfinite(kept.q[:, :2]).all() and np.isfinite(kept.q[0, 2]).all()
    assert np.isnan(kept.q[:, 3]).all()


def link_of_urdf(name: str, mass: float, shape: str, height: float) -> str:
    at = f'<origin xyz="0 0 {height}"/>'
    return (
        f'<link name="{name}"><inertial>{at}<mass value="{mass}"/>'
        '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"<collision>{at}<geometry>{shape}</geometry></collision></link>"
    )


def joint_of_urdf(name: str, parent: str, child: str, at: str, low: float, high: float) -> str:
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{at}"/><axis xyz="0 1 0"/><dynamics damping="0.1"/>'
        f'<limit lower="{low}" upper="{high}" velocity="10" effort="10"/></joint>'
    )


def test_a_quadruped_of_a_urdf_is_dropped_without_any_disable(tmp_path):
    """Its shapes overlap at every joint; jointed links never touch, and no energy is gained."""
    parts = [link_of_urdf("trunk", 8.0, '<box size="0.8 0.5 0.16"/>', 0.0)]
    bar = '<cylinder radius="0.03" length="0.28"/>'
    for k, at in enumerate(("0.3 0.3 0", "0.3 -0.3 0", "-0.3 0.3 0", "-0.3 -0.3 0")):
        parts += [
            link_of_urdf(f"thigh{k}", 1.0, bar, -0.13),
            link_of_urdf(f"shank{k}", 0.4, bar, -0.13),
            joint_of_urdf(f"hip{k}", "trunk", f"thigh{k}", at, -1.2, 1.2),
            joint_of_urdf(f"knee{k}", f"thigh{k}", f"shank{k}", "0 0 -0.26", -2.5, 0),
        ]
    path = tmp_path / "quadruped.urdf"
    path.write_text(f'<robot name="quadruped">{"".join(parts)}</robot>')
    model = ph.load(path, floating_base=True)
    q = np.array(ph.neutral(model))
    q[2] = 0.75
    for joint in model.joints:
        if joint.name.startswith(("hip", "knee")):
            q[joint.q] = 0.4 if joint.name.startswith("hip") else -0.9
    scene = (
        Scene("dropped")
        .add_machine(model, q=q, geometries=read_collisions(path))
        .add_fixed("ground", Plane())
        .contact(mu_coulomb=0.7)
    )
    run = ph.simulate(scene, 1.0)
    jointed = {frozenset((link.name, link.parent)) for link in model.links}
    body = {g.name: g.body for g in scene.geometries}
    touching = [frozenset((body[c.a], body[c.b])) for k in range(len(run.times))
                for c in run.contacts(k)]  # fmt: skip
    assert len(touching) > 100 and not jointed & set(touching)
    total = run.kinetic + run.potential
    assert (total[1:] - total[0]).max() < 1e-6


@pytest.mark.parametrize("integrator", ["event_driven", "symplectic", "RK45"])
@pytest.mark.parametrize("of", [lambda model: model, Scene.of])
def test_records_come_when_they_were_asked_for(integrator, of):
    """Steps are shorter than ``dt`` to meet them, and the last is, to meet the end."""
    run = ph.simulate(of(hinge()), 0.0234, integrator=integrator, dt=3e-3, record=0.01)
    assert run.times == pytest.approx([0.0, 0.01, 0.02, 0.0234], abs=1e-12)
    if of is Scene.of or integrator == "event_driven":
        assert run.dt == pytest.approx(0.0025)
    short = ph.simulate(of(hinge()), 4e-4, integrator=integrator, record=3e-4)
    assert short.times == pytest.approx([0.0, 3e-4, 4e-4], abs=1e-15)


def test_a_run_that_ended_between_steps_goes_on_from_the_last_whole_one(tmp_path):
    """With the bits of one that went on at once."""
    path, scene = tmp_path / "run.h5", Scene.of(STIFF_HINGE, [0.4], [3.0])
    short = ph.simulate(scene, 0.0234, record=0.01, output=path)
    assert short.times == pytest.approx([0.0, 0.01, 0.02, 0.0234])
    whole = ph.simulate(scene, 0.05, record=0.01)
    resumed = ph.simulate(scene, 0.05, record=0.01, resume=path)
    for name in ("times", "q", "qd", "tau_constraint", "work"):
        assert np.array_equal(getattr(resumed, name), getattr(whole, name)), name


@pytest.mark.parametrize("integrator", ["event_driven", "symplectic", "rk4"])
def test_a_sampled_controller_of_a_scene_is_held(integrator):
    """Called once in a period with the state at its begin, as for a model."""
    seen = []

    def controller(t, state):
        seen.append((t, *state.q, *state.qd))
        return -5.0 * state.qd

    held = ph.simulation.zero_order_hold(controller, 5e-3)
    scene = Scene.of(hinge(), [0.4], [3.0])
    run = ph.simulate(scene, 0.02, integrator=integrator, controller=held, record=1)
    rows = np.column_stack((run.times, run.q, run.qd))
    assert np.allclose(seen, rows[[0, 5, 10, 15]], rtol=0.0, atol=1e-12)
    assert np.array_equal(run.tau[6:11], np.repeat(run.tau[6:7], 5, axis=0))


def test_a_sampled_controller_needs_steps():
    """Of SciPy's integrators only those of models stop at each sample."""
    held = ph.simulation.zero_order_hold(lambda t, state: np.zeros(1), 5e-3)
    assert ph.simulate(hinge(), 0.02, integrator="RK45", controller=held).is_controlled
    with pytest.raises(ph.ModelError, match=r"expected integrator 'event_driven'.*got 'RK45'"):
        ph.simulate(Scene.of(hinge()), 0.02, integrator="RK45", controller=held)


def test_joints_of_loops_can_be_left_free():
    """``joint_forces="none"`` leaves out what a loop declares for its own joint, too."""

    def swing(settings: JointSettings | None) -> Scene:
        about_y = Transform.rotation(rotation_x(math.pi / 2))
        return Scene("swing").add_body("bob", Sphere(0.1), mass=1.0, position=(0.5, 0, 0)).add_loop(
            "pin", "revolute", None, ("bob", "bob"), frame_a=about_y,
            frame_b=about_y @ Transform.translation(-0.5, 0, 0), settings=settings,
        )  # fmt: skip

    stiff = swing(JointSettings("pin", -0.1, 0.1, coulomb_friction=0.5, viscous_friction=0.3))
    bare = ph.simulate(swing(None), 0.5)
    assert bare.q[-1, 2] < -0.2
    assert np.abs(ph.simulate(stiff, 0.5).q[:, 2]).max() < 0.06
    free = ph.simulate(stiff, 0.5, joint_forces="none")
    assert np.array_equal(free.q, bare.q) and np.array_equal(
        free.tau_constraint, bare.tau_constraint
    )
