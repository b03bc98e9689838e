"""Moreau's step in lanes: closed forms, laws of contact, and the bits of a world in any company."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Capsule, Plane, Prismatic, Revolute, Sphere
from polhode.simulation.lanes import worlds
from polhode.simulation.lanes.programs import step_programs
from polhode.simulation.lanes.refining import GAP, refined
from polhode.spatial import Transform

G = 9.81


def on_floor(name, shape, **options):
    """A body above a floor on which it slips with a coefficient of 0.5."""
    mu, e = options.pop("mu", 0.5), options.pop("restitution", 0.0)
    scene = ph.Scene(name).add_fixed("floor", Plane()).contact(mu_coulomb=mu, restitution=e)
    return scene.add_body("body", shape, mass=2.0, **options)


def rolled(scene, *, steps, dt, **options):
    return ph.rollout(scene, steps=steps, dt=dt, integrator="moreau", **options)


def leg(mu=0.7):
    """A body on a leg with a knee that has limits, friction and damping, over a floor."""
    block = np.eye(3) * 0.01
    thigh, shank = Revolute.y(), Revolute.y()
    below = Transform.translation(0, 0, -0.4)
    model = (
        ph.Model("hopper")
        .add("slide", joint=Prismatic.z(), mass=0.1, inertia=block)
        .add("trunk", parent="slide", joint=Prismatic.x(), mass=4.0, inertia=block)
        .add("thigh", parent="trunk", joint=thigh, mass=1.0, com=(0, 0, -0.2), inertia=block,
             friction=0.1, damping=0.2)
        .add("shank", parent="thigh", frame=below, joint=shank, mass=0.5, com=(0, 0, -0.2),
             inertia=block, limits=(-2.0, -0.1), damping=0.2)
    )  # fmt: skip
    return (
        ph.Scene("hopper")
        .add_machine(model, q=[1.0, 0.0, 0.4, -0.8])
        .add_geometry("foot", ("hopper", "shank"), Sphere(0.05), frame=below)
        .add_geometry("belly", ("hopper", "trunk"), Capsule(0.1, 0.3))
        .add_fixed("floor", Plane())
        .contact(mu_coulomb=mu)
    )


def test_a_ball_falls_as_far_as_its_step_says():
    """Semi-implicit steps: after n of them z = z0 - g dt^2 n (n + 1) / 2."""
    n, dt = 100, 1e-3
    end = rolled(on_floor("ball", Sphere(0.1), position=(0, 0, 1.0)), steps=n, dt=dt)
    assert end.q[-1, 2] == pytest.approx(1.0 - 0.5 * G * dt**2 * n * (n + 1), abs=1e-12)
    assert not end.refined.any()


def test_a_ball_comes_to_rest_on_the_floor():
    end = rolled(on_floor("ball", Sphere(0.1), position=(0, 0, 0.3)), steps=1000, dt=1e-3)
    assert end.q[-1, 2] == pytest.approx(0.1, abs=1e-9)
    assert np.abs(end.qd[-1]).max() < 1e-9


def test_a_ball_that_slides_rolls_with_five_sevenths_of_its_speed():
    scene = on_floor("ball", Sphere(0.1), position=(0, 0, 0.1), velocity=(2.0, 0, 0), mu=0.3)
    end = rolled(scene, steps=600, dt=1e-3)
    assert end.qd[-1, 0] == pytest.approx(2.0 * 5 / 7, rel=1e-6)


@pytest.mark.parametrize("mu", [0.2, 0.5])
def test_a_box_slides_as_far_as_coulomb_says(mu):
    """From v0 it stops after v0^2 / (2 mu g): errors fall with the step."""
    scene = on_floor(
        "box", Box((0.2, 0.3, 0.1)), position=(0, 0, 0.05), velocity=(1.0, 0.4, 0), mu=mu
    )
    way = (1.0 + 0.4**2) / (2 * mu * G)
    errors = []
    for dt in (4e-3, 2e-3, 1e-3):
        end = rolled(scene, steps=round(0.8 / dt), dt=dt).q[-1]
        errors.append(abs(math.hypot(end[0], end[1]) - way))
    assert errors[0] < 4e-3 * math.hypot(1.0, 0.4)
    assert errors[2] < 0.35 * errors[0]


def test_a_box_on_a_slope_does_not_creep():
    slope = math.atan(0.45)
    c, s = math.cos(slope / 2), math.sin(slope / 2)
    scene = (
        ph.Scene("slope").add_fixed("floor", Plane(), quaternion=(c, 0, s, 0))
        .contact(mu_coulomb=0.5)
        .add_body("box", Box((0.2, 0.3, 0.1)), mass=1.0, quaternion=(c, 0, s, 0),
                  position=(0.05 * math.sin(slope), 0, 0.05 * math.cos(slope)))
    )  # fmt: skip
    end = rolled(scene, steps=2000, dt=1e-3)
    assert np.abs(end.q[-1, :3] - end.q[0, :3]).max() < 1e-9


def test_worlds_have_the_bits_that_they_have_alone():
    """Whatever the batch, the place in a register, and the number of threads."""
    scene, rng = leg(), np.random.default_rng(3)
    q = scene.q0 + 0.1 * rng.normal(size=(300, 4)) - [0.45, 0, 0, 0.3]
    q[:, 3] = np.clip(q[:, 3], -2.0, -0.1)
    options = {"steps": 300, "dt": 2e-3, "record_every": 100, "start": "keep"}
    before = ph.get_num_threads()
    try:
        ph.set_num_threads(2)
        many = rolled(scene, q=q, **options)
        ph.set_num_threads(1)
        few = rolled(scene, q=q[:7], **options)
        for k in (0, 3, 255, 256, 299):
            alone = rolled(scene, q=q[k], **options)
            assert alone.q.tobytes() == many.q[:, k].tobytes()
            assert alone.qd.tobytes() == many.qd[:, k].tobytes()
        assert few.q.tobytes() == many.q[:, :7].copy().tobytes()
    finally:
        ph.set_num_threads(before)
    assert not many.failed.any() and not many.unsolved.any()


def test_worlds_that_begin_again_have_the_bits_that_they_have_alone(monkeypatch):
    """Boxes in a heap: fewer worlds are left to the exact solver, and no world sees another."""
    scene = ph.Scene("heap").add_fixed("floor", Plane()).contact(mu_coulomb=0.8)
    for k, size in enumerate([(0.3, 0.3, 0.3), (0.3, 0.4, 0.2), (0.2, 0.2, 0.4)]):
        place = (0.02 * k, -0.03 * k, 0.2 + 0.5 * k)
        scene = scene.add_body(f"box{k}", Box(size), position=place, density=500.0)
    qd = 0.2 * np.random.default_rng(0).normal(size=(40, scene.model.nv))
    many = rolled(scene, qd=qd, steps=300, dt=2e-3)
    alone = rolled(scene, qd=qd[17], steps=300, dt=2e-3)
    assert alone.q.tobytes() == many.q[:, 17].copy().tobytes()
    assert not many.unsolved.any()
    monkeypatch.setattr(worlds, "AGAIN", 0)
    once = rolled(scene, qd=qd, steps=300, dt=2e-3)
    assert many.refined.sum() < once.refined.sum()


def test_every_step_obeys_the_laws_by_the_other_solver():
    """Impulses of random states are those of which the exact solver says that they fit."""
    scene, rng = leg(), np.random.default_rng(5)
    programs, n, dt = step_programs(scene), 200, 2e-3
    q = np.array(scene.q0) + 0.2 * rng.normal(size=(n, 4)) - [0.3, 0, 0, 0]
    qd, tau = rng.normal(size=(n, 4)), np.zeros((n, 4))
    x = np.zeros((n, programs.kept.n_kept))
    for _ in range(50):
        given = q, qd, x, tau
        q, qd, x, error, _ = programs.step(*given, dt)
        assert (error < 1e-6).mean() > 0.98
    rows = programs.kept.all_rows(x)
    found = refined(programs.problem(*given, dt), programs.kinds, rows, dt)
    solved = error < 1e-6
    assert found.error[solved].max() < 1e-6
    assert np.abs(found.x - rows)[solved].max() < 1e-4 * np.abs(rows).max()


def test_energy_never_rises_without_work():
    scene, rng = leg(), np.random.default_rng(7)
    q = np.array(scene.q0) + [0.3, 0, 0, -0.3] + 0.2 * rng.normal(size=(50, 4)) * [1, 0, 1, 1]
    q[:, 3] = np.clip(q[:, 3], -2.0, -0.1)
    way = rolled(scene, q=q, steps=1500, dt=1e-3, record_every=10, start="keep")
    energy = ph.energy(scene.model, way.q, way.qd).total
    scale = np.ptp(energy, axis=0).max()
    assert scale > 5.0
    assert np.diff(energy, axis=0).max() < 1e-3 * scale


def test_a_ball_rebounds_as_high_as_poisson_says():
    """Highest points after n impacts are e^2n of the first height: errors fall with the step."""
    scene = on_floor("ball", Sphere(0.1), position=(0, 0, 1.1), restitution=0.7)
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        way = rolled(scene, steps=round(1.6 / dt), dt=dt, record_every=1).q[:, 2] - 0.1
        impacts = np.flatnonzero((np.diff(way)[:-1] < 0) & (np.diff(way)[1:] > 0)) + 1
        tops = [way[a:b].max() for a, b in pairwise(impacts[:3])]
        errors.append(abs(tops[0] - 0.49) + abs(tops[1] - 0.49**2))
    assert errors[0] < 0.02
    assert errors[2] < 0.5 * errors[0]


@pytest.mark.parametrize("restitution", [0.3, 1.0])
def test_rebound_of_boxes_adds_no_energy(restitution):
    """Boxes that fall on edges and corners, with friction in both phases."""
    scene = on_floor("box", Box((0.2, 0.3, 0.1)), position=(0, 0, 0.4), restitution=restitution)
    rng = np.random.default_rng(11)
    q = np.tile(np.array(scene.q0), (60, 1))
    turn = rng.normal(size=(60, 4))
    q[:, [3, 4, 5, 6]] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    qd = rng.normal(size=(60, 6))
    way = rolled(scene, q=q, qd=qd, steps=800, dt=1e-3, record_every=1, start="keep")
    energy = ph.energy(scene.model, way.q, way.qd).total
    assert not way.failed.any() and way.unsolved.sum() < 0.01 * 800 * 60
    assert (energy[-1] - energy[0]).max() < 0.02 * np.ptp(energy, axis=0).max()
    assert np.diff(energy, axis=0).max() < 0.02 * np.ptp(energy, axis=0).max()
    assert way.q[:, :, 2].min() > -0.01


def test_a_world_that_diverges_touches_no_other():
    scene, rng = leg(), np.random.default_rng(13)
    qd = rng.normal(size=(9, 4))
    wild = qd.copy()
    wild[4] = 1e160
    with np.errstate(all="ignore"):
        apart = rolled(scene, qd=wild, steps=50, dt=1e-3)
    calm = rolled(scene, qd=qd, steps=50, dt=1e-3)
    assert apart.failed.tolist() == [k == 4 for k in range(9)]
    others = [k for k in range(9) if k != 4]
    assert apart.q[:, others].tobytes() == calm.q[:, others].tobytes()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda s: s.contact(mu_coulomb=0.5, friction_cone_edges=4), "friction_cone_edges"),
        (lambda s: s.add_body("other", Box((1, 1, 1)), mass=1.0).contact(mu_static=0.5),
         "mu_static"),
    ],
)  # fmt: skip
def test_what_is_not_stepped_in_lanes_is_refused_by_name(change, what):
    with pytest.raises(ph.ModelError, match=what):
        rolled(change(leg()), steps=1, dt=1e-3)


def test_starts_that_overlap_are_refused_unless_kept():
    scene = on_floor("ball", Sphere(0.1), position=(0, 0, 0.05))
    with pytest.raises(ph.simulation.StartError, match=r"overlap by 0\.05"):
        rolled(scene, steps=1, dt=1e-3)
    out = rolled(scene, steps=200, dt=1e-3, start="keep")
    assert out.q[-1, 2] == pytest.approx(0.1, abs=1e-6)
    assert np.abs(out.qd[-1]).max() < 1e-6


def pushed_on_a_slope(tilt):
    """Where a ball on slides, one of which has dry friction, comes out of a slope."""
    slides = (
        ph.Model("slides").add("x", joint=Prismatic.x(), mass=1.0, friction=20.0)
        .add("z", parent="x", joint=Prismatic.z(), mass=1.0)
    )  # fmt: skip
    turn = (math.cos(tilt / 2), 0, math.sin(tilt / 2), 0)
    scene = (
        ph.Scene("slope").add_fixed("floor", Plane(), quaternion=turn).contact(mu_coulomb=0.5)
        .add_machine(slides, q=[0.0, 0.05]).add_geometry("ball", ("slides", "z"), Sphere(0.1))
    )  # fmt: skip
    return rolled(scene, steps=100, dt=1e-3, start="keep").q[-1]


def test_overlaps_leave_within_a_few_steps_and_give_no_velocity():
    """Links that turn fast reach into the ground by the square of a step's turn, each step anew."""
    ball = on_floor("ball", Sphere(0.1), position=(0, 0, 0.09))
    end = rolled(ball, steps=3, dt=2e-3, start="keep", record_every=1)
    depth = 0.1 - end.q[:, 2]
    assert (depth[1:] < 0.21 * depth[:-1]).all()
    assert (depth > 0.0).all()
    assert np.abs(end.qd).max() < 1e-12


def test_dry_friction_lets_bodies_out_of_overlaps_to_either_side():
    """Positions are pushed, where friction has no part: the mirrored slope pushes as far."""
    left, right = pushed_on_a_slope(-0.5), pushed_on_a_slope(0.5)
    assert abs(right[0]) > 1e-3
    assert left == pytest.approx(right * [-1, 1], rel=1e-6)


def test_joints_without_forces_of_their_own_only_touch():
    """No damping, dry friction or limits, which the free fall of a leg shows."""
    q, qd = [[2.0, 0.0, 0.4, -0.11]], [[0.0, 0.0, 0.3, 1.0]]
    free = rolled(leg(), q=q, qd=qd, steps=200, dt=1e-3, joint_forces="none")
    held = rolled(leg(), q=q, qd=qd, steps=200, dt=1e-3)
    model = leg().model
    start, end = (ph.energy(model, free.q[k], free.qd[k]).total for k in (0, -1))
    assert free.q[-1, 0, 3] > 0.0 > held.q[-1, 0, 3]
    assert end == pytest.approx(start, rel=1e-3)


def test_a_fluid_resists():
    """A ball in thick oil falls at the speed of the same run by the other integrator."""
    scene = on_floor("ball", Sphere(0.1), position=(0, 0, 50.0)).with_fluid(900.0, 1.0)
    lanes = rolled(scene, steps=3000, dt=1e-3)
    other = ph.rollout(scene, steps=3000, dt=1e-3)
    assert -5.0 < lanes.qd[-1, 2] < -0.5
    assert lanes.qd[-1, 2] == pytest.approx(other.qd[-1, 2], rel=1e-6)


def test_without_gravity_impacts_are_solved_relative_to_their_speed():
    """A box that hits a wall with four corners: lanes need no help of the exact solver."""
    scene = ph.Scene("wall", gravity=(0, 0, 0)).add_fixed("wall", Plane())
    scene = scene.contact(mu_coulomb=0.5, restitution=1.0)
    box = Box((0.2, 0.3, 0.2))
    scene = scene.add_body("box", box, mass=1.0, position=(0, 0, 0.3), velocity=(0, 0, -1))
    end = rolled(scene, steps=500, dt=1e-3)
    assert end.qd[-1, 2] == pytest.approx(1.0, rel=1e-6)
    assert not end.refined.any()


def test_a_model_moves_as_by_semi_implicit_steps_while_nothing_is_hit():
    """Without damping the two are one method."""
    link = {"joint": Revolute.y(), "mass": 1.0, "com": (0, 0, -0.5)}
    bar = ph.Model("bar").add("bar", **link)
    options = {"q": [[0.4], [1.0]], "steps": 200, "dt": 1e-3}
    lanes = ph.rollout(bar, integrator="moreau", **options)
    other = ph.rollout(bar, integrator="semi_implicit", **options)
    assert lanes.q == pytest.approx(other.q, abs=1e-12)
    stopped = ph.Model("stopped").add("bar", limits=(0.2, 2.0), **link)
    longer = options | {"steps": 600, "record_every": 1}
    held = ph.rollout(stopped, integrator="moreau", **longer)
    assert 0.2 - 1e-6 < held.q.min() < 0.2 + 1e-6


def seesaw(height):
    """A bar on a hinge that a heavy ball drives up at one end; the other is above a floor."""
    ball, arm = Sphere(0.05), Transform.translation(1.0, 0, 0)
    bar = ph.Model("bar").add("bar", joint=Revolute.y(), mass=1.0, inertia=np.eye(3) * 0.5)
    low, hit = -0.05 - height, -0.1 - 1e-3
    return (
        ph.Scene("seesaw")
        .add_machine(bar)
        .add_geometry("near", ("bar", "bar"), ball, frame=arm)
        .add_geometry("far", ("bar", "bar"), ball, frame=arm.inverse())
        .add_fixed("floor", Plane(), position=(0, 0, low))
        .add_body("ball", ball, mass=10.0, position=(1.0, 0, hit), velocity=(0, 0, 5.0))
        .disable("ball", "floor")
        .contact(mu_coulomb=0.0)
    )


@pytest.mark.parametrize("height", [2e-3, 5e-3])
def test_no_impulse_drives_a_point_that_rested_through_a_floor(height):
    """It did not approach the floor before; the step finds it, and is solved once more with it."""
    scene = seesaw(height)
    end = rolled(scene, steps=20, dt=2e-3, record_every=1)
    gaps = step_programs(scene).problem(
        end.q, end.qd, np.zeros((len(end.q), step_programs(scene).kept.n_kept)),
        np.zeros_like(end.qd), 2e-3,
    )[0][..., GAP]  # fmt: skip
    assert gaps.min() > -1e-7 and not end.unsolved.any() and not end.refined.any()
    assert np.abs(end.qd[1:3, 0]).max() > 0.1


@pytest.mark.parametrize("height", [2e-3, 5e-3])
def test_the_exact_solver_finds_such_a_point(height, monkeypatch):
    """It looks at the points of the step first, and at those in reach where that misses one."""
    scene, programs = seesaw(height), step_programs(seesaw(height))
    monkeypatch.setattr(worlds, "SOLVED", 0.0)  # all steps are left to it
    end = rolled(scene, steps=20, dt=2e-3, record_every=1)
    given = end.q, end.qd, np.zeros((len(end.q), programs.kept.n_kept)), np.zeros_like(end.qd)
    gaps = programs.problem(*given, 2e-3)[0][..., GAP]
    assert gaps.min() > -1e-7 and end.refined == 20
    monkeypatch.setattr(worlds, "MISSED", np.inf)
    end = rolled(scene, steps=20, dt=2e-3, record_every=1)
    assert programs.problem(end.q, end.qd, *given[2:], 2e-3)[0][..., GAP].min() < -1e-4


def lever(gap):
    """A bar on a hinge; a heavy ball drives its short arm down, and its far end up to a rod."""
    rod, bar = Capsule(0.05, 0.4), ph.Model("bar")
    bar = bar.add("bar", joint=Revolute.y(), mass=0.1, inertia=np.eye(3) * 0.02)
    return (
        ph.Scene("lever")
        .add_machine(bar)
        .add_geometry("near", ("bar", "bar"), Sphere(0.05), frame=Transform.translation(0.2, 0, 0))
        .add_geometry("far", ("bar", "bar"), rod, frame=Transform.translation(-2.0, 0, 0))
        .add_fixed("rod", rod, position=(-2.0, 0, 0.5 + gap))
        .add_body("ball", Sphere(0.05), mass=50.0, position=(0.2, 0, 0.101), velocity=(0, 0, -5.0))
        .disable("ball", "rod")
        .contact(mu_coulomb=0.0)
    )


def test_a_pair_that_was_skipped_is_found_when_bodies_become_faster():
    """Before the impact nothing moves fast enough to bring the far end to the rod in a step."""
    scene = lever(0.08)
    end = rolled(scene, steps=3, dt=2e-3, record_every=1)
    far = step_programs(scene).gaps(end.q)[:, 2]
    assert far[0] == pytest.approx(0.08) and np.abs(end.qd[:, 0]).max() > 10.0
    assert -1e-6 < far.min() < 1e-3 and not end.unsolved.any()
