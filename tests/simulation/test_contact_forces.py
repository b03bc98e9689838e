"""Total forces of contacts on bodies, of runs and of files."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, FloatingBase, Model, Plane, Prismatic, Revolute, Sphere
from polhode.spatial import Transform

G = 9.81
TOLERANCE = 1e-6  # N


def stack(*masses: float) -> ph.Scene:
    """Boxes at rest on the ground, one on the other."""
    scene = ph.Scene("stack").add_fixed("ground", Plane())
    for k, mass in enumerate(masses):
        height = 0.1 + 0.2 * k
        scene = scene.add_body(f"box{k}", Box((0.2, 0.2, 0.2)), mass=mass, position=(0, 0, height))
    return scene.contact(mu_coulomb=0.5)


@pytest.fixture(scope="module")
def stacked() -> ph.Recording:
    return ph.simulate(stack(2.0, 3.0), 0.1, progress=False)


def test_the_ground_bears_a_box_at_rest():
    """Upwards on the box with its weight, downwards on the ground; nothing before the start."""
    run = ph.simulate(stack(2.0), 0.1, progress=False)
    force = run.contact_forces("box0")
    assert force.shape == (len(run.times), 3)
    assert not force[0].any()
    assert np.abs(force[1:] - (0.0, 0.0, 2.0 * G)).max() < TOLERANCE
    assert np.array_equal(run.contact_forces("ground"), -force)


def test_action_is_reaction(stacked):
    """On each of two boxes acts what bears its weight; the ground bears both."""
    lower, upper, ground = (stacked.contact_forces(name) for name in ("box0", "box1", "ground"))
    assert np.abs(upper[1:] - (0.0, 0.0, 3.0 * G)).max() < TOLERANCE
    assert np.abs(lower[1:] - (0.0, 0.0, 2.0 * G)).max() < TOLERANCE
    assert np.abs(ground[1:] - (0.0, 0.0, -5.0 * G)).max() < TOLERANCE
    rounding = 64 * np.finfo(float).eps * 5.0 * G
    assert np.abs(lower + upper + ground).max() < rounding


def test_forces_are_the_sum_of_the_contacts(stacked):
    """Of those that a record lists."""
    listed = [c.force if c.a == "box0" else -c.force
              for c in stacked.contacts(-1) if "box0" in (c.a, c.b)]  # fmt: skip
    assert len(listed) == 8
    rounding = 64 * np.finfo(float).eps * 5.0 * G
    assert np.abs(stacked.contact_forces("box0")[-1] - sum(listed)).max() < rounding


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_a_file_knows_the_forces(stacked, tmp_path, suffix):
    """The same numbers, though the scene is gone."""
    if suffix == ".h5":
        pytest.importorskip("h5py")
    found = ph.Recording.load(stacked.save(tmp_path / f"run{suffix}"))
    assert found.scene is None
    for name in ("box0", "box1", "ground", "box0/box0", ("ground", "ground")):
        assert np.array_equal(found.contact_forces(name), stacked.contact_forces(name))


@pytest.fixture(scope="module")
def hoppers() -> ph.Recording:
    """Two machines with links of the same names, of which one of each has a shape."""
    hopper = (
        Model("hopper")
        .add("trunk", joint=FloatingBase(), mass=1.0, inertia=(0.1, 0.1, 0.1))
        .append("foot", joint=Prismatic.z(), mass=0.5, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    )
    scene = ph.Scene("hoppers").add_fixed("ground", Plane())
    for k, name in enumerate(("left", "right")):
        scene = scene.add_machine(
            hopper, name, q=[float(k), 0, 0.05, 0, 0, 0, 0, 1],
            geometries=[("foot", Box((0.1, 0.1, 0.1)), Transform.identity())],
        )  # fmt: skip
    return ph.simulate(scene.contact(), 0.05, progress=False)


def test_names_of_bodies(hoppers, tmp_path):
    """A link's name if one machine has it, else machine and link; others are refused."""
    for run in (hoppers, ph.Recording.load(hoppers.save(tmp_path / "run.npz"))):
        left = run.contact_forces("left/foot")
        assert np.array_equal(left, run.contact_forces(("left", "foot")))
        assert np.abs(left[-1]).max() > 1.0
        assert not run.contact_forces("left/trunk").any()
        with pytest.raises(ph.ModelError, match="say 'left/foot' or 'right/foot'"):
            run.contact_forces("foot")
        with pytest.raises(ph.ModelError, match="no body 'grond'; did you mean 'ground'"):
            run.contact_forces("grond")
        for wrong in (None, 3, ("left", 3), ("left", "food"), np.zeros(3), "x" * 10_000):
            with pytest.raises(ph.ModelError) as caught:
                run.contact_forces(wrong)
            assert len(str(caught.value)) <= 500


def test_a_model_alone_touches_nothing():
    """The forces on its links are zero; others are unknown."""
    bar = Model("bar").add("rod", joint=Prismatic.x(), mass=1.0)
    run = ph.simulate(bar, 0.01, q0=[[0.0], [1.0]], progress=False)
    assert run.contact_forces("rod").shape == (len(run.times), 3)
    assert not run.contact_forces(("bar", "rod")).any()
    assert run.contacts(-1) == []
    with pytest.raises(ph.ModelError, match="did you mean 'rod'"):
        run.contact_forces("rods")


def test_a_recording_names_integrator_and_contact(stacked):
    """Of scenes, too: the scheme of a run without contact, the solver of one with it."""
    bar = Model("bar").add("rod", joint=Prismatic.x(), mass=1.0)
    swing = ph.Scene("swing").add_machine(bar)
    found = {
        ("event_driven", "exact"): stacked,
        ("event_driven", "convex"): ph.simulate(stack(1.0), 0.01, contact="convex", progress=False),
        ("rk4", "none"): ph.simulate(swing, 0.01, integrator="rk4", progress=False),
        ("DOP853", "none"): ph.simulate(swing, 0.01, integrator="DOP853", progress=False),
    }
    for named, run in found.items():
        assert (run.integrator, run.contact) == named
        assert f"integrator='{named[0]}', contact='{named[1]}'" in repr(run)
    assert f"{len(stacked.contact_gap)} contacts" in repr(stacked)


@pytest.mark.parametrize("dt", [2e-3, 1e-3])
def test_a_leg_that_stands_presses_with_its_weight(dt):
    """Its light links would be thrown by the torques that hold it: no bias forces of that."""
    down, rest = Transform.translation(0, 0, -0.16), np.array([0.5, -1.0])
    leg = (
        ph.Model("leg").add("trunk", joint=Prismatic.z(), mass=2.0)
        .append("thigh", joint=Revolute.y(), mass=0.1, com=(0, 0, -0.08), inertia=(1e-4,) * 3)
        .append("shank", joint=Revolute.y(), frame=down, mass=0.03, com=(0, 0, -0.08),
                inertia=(1e-5,) * 3)
    )  # fmt: skip
    scene = ph.Scene("leg").add_fixed("ground", Plane()).contact(mu_coulomb=0.8).add_machine(
        leg, "leg", q=(0.32 * np.cos(0.5) + 0.02, *rest),
        geometries=[("shank", Sphere(0.02), down)],
    )  # fmt: skip

    def hold(t, state):
        return np.r_[0.0, 40.0 * (rest - state.q[1:]) - 0.2 * state.qd[1:]]

    run = ph.simulate(scene, 2.0, controllers={"leg": hold}, dt=dt, progress=False)
    weight = leg.mass * G
    assert abs(run.contact_forces("shank")[-1, 2] - weight) < 1e-6 * weight


TURNED = (0.9, 0.3, 0.1, 0.3)


def tumbling(restitution):
    """A box that falls turning onto another on the ground, by which a ball bounces."""
    scale = 1.0 / np.linalg.norm(TURNED)
    return (
        ph.Scene("tumble")
        .add_fixed("ground", Plane())
        .add_body("slab", Box((0.6, 0.5, 0.1)), mass=5.0, position=(0.0, 0.0, 0.05))
        .add_body("box", Box((0.2, 0.3, 0.4)), mass=2.0, position=(0.1, 0.0, 0.5),
                  quaternion=tuple(scale * x for x in TURNED), velocity=(0.5, 0.2, 0.0),
                  spin=(1.0, 2.0, 3.0))
        .add_body("ball", Sphere(0.1), mass=1.0, position=(0.0, 1.0, 0.4))
        .contact(mu_coulomb=0.5, restitution=restitution)
    )  # fmt: skip


def unbalanced(run, masses):
    """The greatest change of momentum between records that is not of contacts or gravity."""
    worst = 0.0
    for name, mass in masses.items():
        _, qd = run.of(name)
        weight = np.outer(np.diff(run.times), (0.0, 0.0, -G * mass))
        change = np.diff(mass * qd[:, :3], axis=0) - run.contact_impulses(name)[1:] - weight
        worst = max(worst, np.abs(change).max())
    return worst


@pytest.mark.parametrize("record", [1, 7, 100])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_impulses_of_contacts_and_gravity_change_the_momentum(restitution, record):
    """Rebounds within steps among them, whatever the period of the records; all sum to zero."""
    run = ph.simulate(tumbling(restitution), 1.2, dt=1e-3, record=record, progress=False)
    assert unbalanced(run, {"slab": 5.0, "box": 2.0, "ball": 1.0}) < 1e-12
    assert (run.report["impacts"] > 5) == (restitution > 0.0)
    total = sum(run.contact_impulses(name) for name in ("ground", "slab", "box", "ball"))
    assert np.abs(total).max() < 1e-12 and not run.contact_impulses("box")[0].any()


def test_impulses_under_moreau_are_known_of_recorded_steps():
    """Where each is recorded they are all there; else nobody takes some of them for all."""
    sparse, dense = (
        ph.simulate(tumbling(0.5), 0.7, record=record, integrator="moreau", progress=False)
        for record in (10, 1)
    )
    assert unbalanced(dense, {"slab": 5.0, "box": 2.0, "ball": 1.0}) < 1e-12
    with pytest.raises(ph.ArgumentError, match="record=1"):
        sparse.contact_impulses("box")
    assert not len(sparse.impulse) and not sparse.impulse_is_known[1:].any()
    assert np.isnan(sparse.contact_impulse[1:]).all() and not sparse.contact_impulse[0].any()


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_impulses_take_room_where_something_touches(suffix, tmp_path):
    """Of a ball that rests and many that fall past: two rows a record, however many there are."""
    if suffix == ".h5":
        pytest.importorskip("h5py")
    scene = ph.Scene("few").add_fixed("slab", Box((1.0, 1.0, 0.2)))
    scene = scene.add_body("rests", Sphere(0.1), mass=1.0, position=(0.0, 0.0, 0.2))
    for k in range(40):
        scene = scene.add_body(f"falls{k}", Sphere(0.1), mass=1.0, position=(2.0 + k, 0.0, 0.0))
    run = ph.simulate(scene.contact(), 0.05, dt=1e-3, record=1, progress=False)
    assert set(run.impulse_geometry.tolist()) == {0, 1} and len(run.impulse) == 2 * 50
    again = ph.Recording.load(run.save(tmp_path / f"run{suffix}"))
    assert again.impulse.nbytes + again.impulse_geometry.nbytes == 2 * 50 * (3 + 1) * 8
    assert again.contact_impulse.shape == (51, 42, 3)
    np.testing.assert_array_equal(again.contact_impulse, run.contact_impulse)
    np.testing.assert_array_equal(again.contact_impulses("rests"), run.contact_impulse[:, 1])
    np.testing.assert_allclose(run.contact_impulses("rests")[1:, 2], G * 1e-3, rtol=1e-9)
    assert not run.contact_impulses("falls7").any()


def test_impulses_of_a_run_that_goes_on_are_those_of_the_run_in_one(tmp_path):
    """Impulses since the last record are in its checkpoint, and in both kinds of files."""
    pytest.importorskip("h5py")
    whole = ph.simulate(tumbling(0.5), 0.605, record=10, progress=False)
    path = tmp_path / "run.h5"
    ph.simulate(tumbling(0.5), 0.405, record=10, progress=False, output=path)
    resumed = ph.simulate(tumbling(0.5), 0.605, record=10, progress=False, resume=path)
    assert resumed.contact_impulse.tobytes() == whole.contact_impulse.tobytes()
    again = ph.Recording.load(whole.save(tmp_path / "run.npz"))
    assert again.contact_impulse.tobytes() == whole.contact_impulse.tobytes()
    assert unbalanced(again, {"box": 2.0}) < 1e-12
