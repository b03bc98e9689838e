"""Scenes as values: building, names, contact rules, checks at the door."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Plane, Revolute, Sphere, Spherical
from polhode.scene import (
    ContactParameters,
    Damping,
    DampingGains,
    DisabledPair,
    Dissipation,
    Gear,
    Geometry,
    JointSettings,
    Loop,
    Machine,
    Plugin,
    Scene,
    Settings,
    StokesDrag,
    UniformGravity,
    View,
    lint,
)
from polhode.spatial import Transform

ARM = (
    ph.Model("arm")
    .add("base")
    .add("l1", parent="base", joint=Revolute.y(), mass=1.0, com=(0.5, 0, 0), joint_name="j1")
    .add("l2", parent="l1", joint=Revolute.y(), mass=1.0, inertia=(1, 1, 1), joint_name="j2")
)
SPHERE = [("l1", Sphere(0.1), Transform.identity())]


def two_arms() -> ph.Scene:
    return (
        ph.Scene("pair")
        .add_fixed("ground", Plane())
        .add_machine(ARM, "left", q=[0.1, 0.2], geometries=SPHERE)
        .add_machine(ARM, "right", geometries=SPHERE)
        .add_body("ball", Sphere(0.5), position=(0, 0, 2), mass=2.0, spin=(0, 0, 3))
    )


def test_a_scene_is_a_value():
    """Equal by content, hashable parts, and pickled as a whole."""
    scene = two_arms()
    assert scene == two_arms()
    assert pickle.loads(pickle.dumps(scene)) == scene
    assert scene.disable("left", "right") != scene
    assert scene == two_arms()  # an edit returns a new scene
    assert repr(scene) == "Scene('pair', 4 machines, 4 geometries, 0 loops, 0 gears)"


def test_a_body_has_the_mass_of_its_shape():
    """By mass or by density, placed by q, with speeds in world axes."""
    quarter = (math.cos(math.pi / 4), 0, 0, math.sin(math.pi / 4))
    scene = ph.Scene().add_body("b", Box((1, 2, 3)), density=2.0, quaternion=quarter,
                                velocity=(1, 2, 3), spin=(1, 0, 0))  # fmt: skip
    (machine,) = scene.machines
    assert machine.model.mass == 12.0
    np.testing.assert_allclose(machine.qd, [1, 2, 3, 0, -1, 0], atol=1e-15)
    with pytest.raises(ph.ModelError, match="expected mass or density, got both"):
        scene.add_body("c", Sphere(1), mass=1.0, density=1.0)
    with pytest.raises(ph.ModelError, match="expected mass or density, got none"):
        scene.add_body("c", Sphere(1))


def test_all_machines_as_one_model():
    """The order of coordinates is that of the machines; quaternions' w at the end."""
    scene = two_arms()
    model = scene.model
    assert model.nv == 10
    assert scene.q0 == (0.1, 0.2, 0, 0, 0, 0, 2, 0, 0, 0, 1)
    assert model.joint("left/j2").v == slice(1, 2)
    assert len(ph.body_poses(model, scene.q0)) == model.n_bodies
    assert model.body("ball/ball").visuals[0].shape == Sphere(0.5)


def test_a_snapshot_starts_elsewhere():
    """A state of the whole model, taken apart into the machines'."""
    scene = two_arms()
    assert scene.at(scene.q0, scene.qd0) == scene
    rng = np.random.default_rng(0)
    q, qd = ph.random_configuration(scene.model, rng), rng.uniform(-1, 1, scene.model.nv)
    there = scene.at(q, qd, time=2.0)
    assert there.settings.time == 2.0
    np.testing.assert_array_equal(there.q0, q)
    np.testing.assert_array_equal(there.qd0, qd)
    with pytest.raises(ph.ModelError, match="expected 11 numbers as q, got 3"):
        scene.at([1, 2, 3], qd)


def test_names_mean_geometries_bodies_or_machines():
    """A link's name is enough unless two machines have it."""
    scene = two_arms()
    with pytest.raises(ph.ModelError, match="say 'left/l1' or 'right/l1'"):
        scene.contact("l1", "ground").check_complete()
    with pytest.raises(ph.ModelError, match="did you mean 'ground'"):
        scene.contact("left", "grund").check_complete()
    assert scene.contact("left/l1", "ground", mu_coulomb=1.0).contact_parameters(
        "left/l1#0", "ground"
    ) == ContactParameters("left/l1", "ground", mu_coulomb=1.0)


def test_contact_parameters_may_come_before_what_they_name():
    """The order of declarations does not matter; a name that never comes is an error of the run."""
    early = Scene("s").contact("ball", "ground", mu_coulomb=0.3).add_fixed("ground", Plane())
    with pytest.raises(ph.ModelError, match="a of a contact: no geometry, body or model 'ball'"):
        ph.simulate(early, 0.01, progress=False)
    whole = early.add_body("ball", Sphere(0.1), mass=1.0)
    assert whole.contact_parameters("ground", "ball").mu_coulomb == 0.3
    whole.check_complete()


def test_a_geometry_without_a_shape_may_come_before_its_plugin():
    """Without any plug-in for contacts it is an error of the run, which names the geometry."""
    scene = Scene("s").add_body("ball", Sphere(0.1), mass=1.0)
    early = scene.add_geometry("hull", ("ball", "ball"), None)
    with pytest.raises(ph.ModelError, match=r"no plug-in \(geometry 'hull'"):
        ph.simulate(early, 0.01, progress=False)
    early.add_plugin("finder", "collision", lambda a, b, margin: []).check_complete()


def test_contact_rules():
    """The strongest rule counts, whatever its order; one without names is for all pairs."""
    scene = two_arms().contact(mu_coulomb=0.1)
    pair = ("left/l1#0", "ground")
    assert scene.contact_parameters(*pair).mu_coulomb == 0.1
    scene = scene.contact("left/l1", "ground", mu_coulomb=0.2)
    assert scene.contact_parameters(*pair).mu_coulomb == 0.2
    scene = scene.contact("left/l1#0", "ground", mu_coulomb=0.3)
    assert scene.contact_parameters(*reversed(pair)).mu_coulomb == 0.3
    assert two_arms().contact_parameters(*pair) == ContactParameters()


def test_disabled_pairs():
    """By geometry, body or machine; a name twice means no contact of it with itself."""
    scene = two_arms().disable("left", "right").disable("ball", "ground")
    assert scene.disabled_geometries == {(1, 2), (0, 3)}
    own = two_arms().add_geometry("g", ("left", "l2"), Sphere(0.1)).disable("left", "left")
    assert own.disabled_geometries == {(1, 4)}


def test_limits_of_a_machine():
    """Its own settings, else those that the model declares, else none."""
    from polhode.model import Limits

    model = ARM.add("l3", parent="l2", joint=Revolute.x(), mass=1.0, limits=Limits(-1, 2))
    machine = Machine("m", model, joint_settings=[JointSettings("j1", -0.5, 0.5, 0.3)])
    assert machine.settings("j1").upper == (0.5,)
    assert machine.settings("l3").lower == (-1,)
    assert not machine.settings("j2").is_limited


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Machine("m", ARM, [0.1]), "expected 2 numbers as q, got 1"),
        (lambda: Machine("m", ARM, [0.1, math.nan]), "finite number as q"),
        (lambda: Machine("m", ph.Model("e")), "at least one link"),
        (lambda: Machine("", ARM), "expected a name for each model"),
        (lambda: Machine("m", ARM, joint_settings=[JointSettings("j3")]), "no joint 'j3'"),
        (lambda: Machine("m", ARM, joint_settings=[JointSettings("j1")] * 2), "'j1' again"),
        (lambda: Machine("m", ARM, joint_settings=[JointSettings("j1", (0, 0), (1, 1))]),
         "expected 1 limits"),
        (lambda: Machine("m", ph.Model("b").add("l", joint=Spherical(), mass=1.0), [0, 0, 0, 2]),
         "unit quaternion"),
        (lambda: Machine("m", ph.Model("b").add("l", joint=Spherical(), mass=1.0),
                         joint_settings=[JointSettings("l", (-1,) * 3, (1,) * 3)]),
         "a spherical joint has no limits"),
        (lambda: JointSettings("j", 1, 0), "lower limit 1 above upper"),
        (lambda: JointSettings("j", (0, 0), (1,)), "as many lower as upper"),
        (lambda: JointSettings("j", restitution=1.5), "restitution from 0 to 1"),
        (lambda: JointSettings("j", viscous_friction=-1), "viscous friction"),
        (lambda: Geometry("g", "m", "b", "box"), "expected a shape, got str"),
        (lambda: ContactParameters("a"), "two names as a and b of a contact, or none, got 'a' and"),
        (lambda: Scene().add_body("b", Sphere(1), mass=-1.0), "mass of at least 0, got -1.*'b'"),
        (lambda: Scene().add_body("b", Plane(), mass=1.0), "a volume, got a Plane .body 'b'"),
        (lambda: Scene().add_body("", Sphere(1), mass=1.0), "a name for each body, got ''"),
        (lambda: Scene().add_fixed("", Plane()), "a name for each body, got ''"),
        (lambda: Sphere(-1.0), "not negative, as radius of a Sphere, got -1.0"),
        (lambda: ContactParameters("a", "b", friction_cone_edges=3), "0 .a true cone. or at least"),
        (lambda: ContactParameters("a", "b", mu_coulomb=math.nan), "mu_coulomb"),
        (lambda: Loop("l", "revolut", None, ("m", "b")), "did you mean 'revolute'"),
        (lambda: Loop("l", "fixed", None, None), "two different bodies"),
        (lambda: Loop("l", "spherical", None, ("m", "b"), settings=JointSettings("x")),
         "loops of one degree of freedom"),
        (lambda: Gear("g", ("m", "j"), ("m", "j")), "two different joints"),
        (lambda: Settings("steps"), "expected a kind out of"),
        (lambda: Settings(step_size=0.0), "step size above 0"),
        (lambda: Settings(min_step_size=-1), "min step size"),
        (lambda: View(camera_position=(1, 2)), "expected 3 numbers as camera position"),
        (lambda: StokesDrag("d", -1.0), "linear drag"),
        (lambda: UniformGravity("g", (0, 0)), "expected 3 numbers as acceleration"),
        (lambda: UniformGravity("g", (0, 0, 1), "ball"), "expected a list of bodies"),
        (lambda: Dissipation((("m", 2.0),)), "factor from 0 to 1"),
        (lambda: Plugin("p", "collision", 3), "expected a callable"),
        (lambda: Plugin("p", "colision", print), "did you mean 'collision'"),
        (lambda: DisabledPair("", "a"), "expected a name"),
        (lambda: two_arms().add_machine(ARM, "left"), "'left' again"),
        (lambda: replace(two_arms(), geometries=(Geometry("g", "left", "l1", Sphere(1)),) * 2),
         "a new name for each geometry, got 'g' again"),
        (lambda: two_arms().add_geometry("g", ("left", "l9"), Sphere(1)), "no body of model"),
        (lambda: two_arms().add_geometry("g", ("lefd", "l1"), Sphere(1)), "did you mean 'left'"),
        (lambda: two_arms().add_loop("l", "fixed", None, ("left", "x")), "no body of model"),
        (lambda: two_arms().add_gear("g", ("left", "j1"), ("ball", "ball"), 2), "one axis"),
        (lambda: two_arms().add_force(Damping("d", [DampingGains("x", 1.0)])), "model 'x'"),
        (lambda: Scene("s", two_arms().machines, gravity=(0, 0)), "3 numbers as gravity"),
        (lambda: two_arms().machine("lift"), "did you mean 'left'"),
    ],
)  # fmt: skip
def test_what_is_refused(make, message):
    """With what was expected, what was given, and where."""
    with pytest.raises(ph.ModelError, match=message):
        make()


def test_forces_reach_the_bodies_they_name():
    """All bodies of the machines that take part, or those named."""
    scene = two_arms().with_start("right", is_simulated=False)
    every = scene.bodies_of(StokesDrag("d", 1.0))
    assert ("left", "l2") in every
    assert ("ball", "ball") in every
    assert not any(machine == "right" for machine, _ in every)
    some = UniformGravity("g", (0, 0, 1), ("left", "ball"))
    assert scene.bodies_of(some) == (("left", "base"), ("left", "l1"), ("left", "l2"),
                                     ("ball", "ball"))  # fmt: skip


def test_doubts():
    """Bodies without mass, starts beyond limits, contacts nothing is said of."""
    light = ph.Model("light").add("a", joint=Revolute.x())
    scene = (
        two_arms()
        .add_machine(light, "light")
        .with_start("left", joint_settings=(JointSettings("j1", 1.0, 2.0),))
    )
    found = lint(scene)
    assert any("'a' moves has no mass" in text for text in found)
    assert any("'j1' starts at 0.1, outside its limits 1 to 2" in text for text in found)
    assert any("no contact parameters for 'ground' and 'ball'" in text for text in found)
    assert lint(two_arms().contact(mu_coulomb=0.5)) == ()
    quiet = two_arms().contact().with_settings(kind="simulator")
    assert any("knows no contact" in text for text in lint(quiet))
