"""Plug-ins in Python: contacts found by a function, controllers, forces and filters of a scene."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode import examples
from polhode.model.shapes import Box, Plane, Sphere
from polhode.scene import Plugin, Scene
from reference.cases import MODELS

MOBY = MODELS / "moby"


def balls():
    """Two balls and a box above a plane."""
    scene = Scene("balls").add_fixed("ground", Plane()).contact(restitution=0.5, mu_coulomb=0.3)
    scene = scene.add_body("one", Sphere(0.5), mass=1.0, position=(0, 0, 0.7), velocity=(1, 0, 0))
    scene = scene.add_body("two", Sphere(0.4), mass=2.0, position=(0.1, 0, 1.7), spin=(3, 1, 0))
    return scene.add_body(
        "box", Box((0.5, 0.6, 0.7)), mass=2.0, position=(2, 0, 0.6), spin=(1, 2, 3)
    )


RADIUS = {"one": 0.5, "two": 0.4}


def find(a, b, margin):
    """Ball on plane and ball on ball, by hand; the box is left to the shapes."""
    if "box" in (a.name, b.name):
        return None
    if "ground" in (a.name, b.name):
        ball = a if b.name == "ground" else b
        gap = ball.origin[2] - RADIUS[ball.name]
        normal = (0, 0, 1.0) if ball is a else (0, 0, -1.0)
        point = (*ball.origin[:2], 0.5 * gap)
    else:
        way = a.origin - b.origin
        gap = float(np.linalg.norm(way)) - RADIUS[a.name] - RADIUS[b.name]
        normal = way / np.linalg.norm(way)
        point = b.origin + normal * (RADIUS[b.name] + 0.5 * gap)
    return [(point, normal, gap)] if gap < margin else []


@pytest.mark.parametrize("has_shapes", [True, False])
def test_contacts_of_a_function_are_contacts(has_shapes):
    """The same motion as with the shapes' own collision, with shapes or without."""
    plain = ph.simulate(balls(), 1.0, progress=False)
    scene = balls().add_plugin("find", "collision", find)
    if not has_shapes:
        bare = [g if g.name in ("box", "ground") else replace(g, shape=None)
                for g in scene.geometries]  # fmt: skip
        scene = replace(scene, geometries=tuple(bare))
    found = ph.simulate(scene, 1.0, progress=False)
    assert plain.report["impacts"] > 2
    assert found.q == pytest.approx(plain.q, abs=1e-9)
    assert {(c.a, c.b) for c in found.contacts(-1)} == {(c.a, c.b) for c in plain.contacts(-1)}


def test_a_function_for_some_geometries():
    """Only pairs with a geometry it is for are asked about."""
    asked = set()

    def seen(a, b, margin):
        asked.add((a.name, b.name))
        assert a.to_world((0, 0, 0)) == pytest.approx(a.origin)
        return find(a, b, margin)

    scene = balls().add_plugin("find", "collision", seen, of=["two"])
    ph.simulate(scene, 0.1, progress=False)
    assert asked == {("ground", "two"), ("one", "two"), ("two", "box")}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ([((0, 0, 0), (0, 0, 1))], "expected contacts as \\(point, normal, gap\\)"),
        ([((0, 0, 0), (0, 0, 2.0), 0.0)], "unit normal"),
        ([((0, 0, math.nan), (0, 0, 1.0), 0.0)], "finite point"),
    ],
)
def test_wrong_answers_are_told(answer, text):
    """With the plug-in's name and the pair."""
    scene = balls().add_plugin("wrong", "collision", lambda a, b, margin: answer)
    with pytest.raises(ph.simulation.SimulationError, match=text) as caught:
        ph.simulate(scene, 0.1, progress=False)
    assert "'wrong', 'ground' and 'one'" in str(caught.value)


def test_an_error_of_the_function_arrives():
    """Unchanged, after which the simulator can go on."""
    fails = [True]

    def broken(a, b, margin):
        if fails[0]:
            raise LookupError("no such shape")
        return find(a, b, margin)

    simulator = ph.TimeSteppingSimulator(balls().add_plugin("find", "collision", broken))
    with pytest.raises(LookupError, match="no such shape"):
        simulator.step(1e-3)
    fails[0] = False
    simulator.step(1e-3)
    assert np.isfinite(simulator.state[0]).all()


def test_named_plugins_act_in_every_simulation():
    """Controller, forces and filter of a scene, beside those of the call."""
    scene = Scene("two").add_fixed("ground", Plane()).contact()
    scene = scene.add_body("a", Sphere(0.5), mass=2.0, position=(0, 0, 0.5))
    scene = scene.add_body("b", Sphere(0.5), mass=1.0, position=(5, 0, 0.5))
    scene = scene.add_plugin("a", "controller", lambda t, state: [0, 0, 2 * 9.81 + 4, 0, 0, 0])
    scene = scene.add_plugin(
        "wind", "forces", lambda t, simulator: {("b", "b"): (0, 0, 0, 0, 3.0, 0)}
    )
    more = {("b", "b"): (0, 0, 0, 0, 1.0, 0)}
    recording = ph.simulate(scene, 1.0, forces=lambda t, simulator: more, progress=False)
    assert recording.of("a")[0][-1, 2] == pytest.approx(0.5 + 1.0, rel=1e-9)
    assert recording.of("b")[0][-1, 1] == pytest.approx(0.5 * 4.0, rel=1e-9)
    through = scene.add_plugin("none", "contact-filter", lambda t, c: np.zeros(len(c), bool))
    fallen = ph.simulate(through, 1.0, progress=False).of("b")[0][-1, 2]
    assert fallen == pytest.approx(0.5 - 0.5 * 9.81, rel=1e-9)


@pytest.mark.parametrize(
    ("plugin", "text"),
    [
        (("x", "colision", print), "did you mean 'collision'"),
        (("one", "controller", "print"), "expected a callable"),
        (("onee", "controller", print), "did you mean 'one'"),
    ],
)
def test_plugins_are_checked(plugin, text):
    """Kinds, callables and machines, when the scene is made."""
    with pytest.raises(ph.ModelError, match=text):
        replace(balls(), plugins=(Plugin(*plugin),))


def test_functions_for_a_file():
    """A machine's name, ``forces`` and ``contact-filter``; anything else is refused."""
    path = MOBY / "bouncing-ball" / "bouncing-ball.xml"
    hover = lambda t, state: np.array([0, 9.81 * state.model.mass, 0, 0, 0, 0])  # noqa: E731
    scene = ph.load(path, plugins={"ball": hover, "forces": lambda t, simulator: {}})
    assert [p.kind for p in scene.plugins] == ["controller", "forces"]
    recording = ph.simulate(scene, 0.5, progress=False)
    assert recording.of("ball")[0][-1, :3] == pytest.approx([0, 1.5, 0])
    with pytest.raises(ph.ParseError, match="did you mean 'ball'"):
        ph.load(path, plugins={"bal": hover})


def pivot(a, b, margin):
    """Contacts from four sides that hold a point of the link at the origin."""
    link = a if a.name.startswith("l1") else b
    # The link is drawn turned a quarter about z, at x = 1.
    point = link.to_world((0, 1.0, 0))
    sign = 1.0 if link is a else -1.0
    found = []
    for axis in np.eye(3)[:2]:
        for side in (1.0, -1.0):
            found.append((point, sign * side * axis, side * float(point @ axis)))
    return found


def test_a_pendulum_of_contacts_as_moby_has_it():
    """Moby's example with its plug-in in Python: Moby's own record of it, and the truth."""
    path = MOBY / "contact-constrained-pendulum" / "contact-constrained-pendulum.xml"
    scene = ph.load(path, plugins={"pendulum-coldet": pivot})
    recording = ph.simulate(scene, 1.0, dt=1e-3, record=1, progress=False)
    place = recording.of("l1")[0][:, :2]
    inertia = 1.0 + 0.4 * 1.5811**2
    swing = solve_ivp(
        lambda t, y: (y[1], -9.81 / inertia * math.cos(y[0])), (0, 1), (0, 0),
        t_eval=recording.times, rtol=1e-10, atol=1e-12,
    ).y[0]  # fmt: skip
    truth = np.stack((np.cos(swing), np.sin(swing)), axis=1)
    table = MOBY / "regress-data" / "contact-constrained-pendulum.dat"
    moby = np.loadtxt(table, max_rows=1001)
    assert moby[:, 0] == pytest.approx(recording.times, abs=1e-9)
    # Both hold the point by contacts, in steps of the first order, of 1 ms at up to 3 m/s.
    assert np.abs(moby[:, 1:3] - truth).max() < 3e-3
    assert np.abs(place - truth).max() < 1e-3
    assert place == pytest.approx(moby[:, 1:3], abs=4e-3)


@pytest.mark.parametrize(
    ("table", "scene", "columns"),
    [
        ("sitting-box", "simple-contact/simplest", [0.0, 0.5, 0.0, 0, 0, 0, 1]),
        ("sphere-stack", "stacks/sphere-stack", None),
    ],
)
def test_what_rests_in_moby_rests_here(table, scene, columns):
    """Moby's own records of a box and of a stack of balls at rest."""
    moby = np.loadtxt(MOBY / "regress-data" / f"{table}.dat", skiprows=2, max_rows=900)[:, 1:]
    recording = ph.simulate(ph.load(MOBY / f"{scene}.xml"), 1.0, dt=1e-3, progress=False)
    moving = [m.name for m in recording.scene.simulated if not m.is_fixed]
    ends = np.concatenate([recording.of(name)[0][-1] for name in sorted(moving)])
    assert ends == pytest.approx(moby[-1], abs=1e-5)
    if columns:
        assert ends == pytest.approx(columns, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ball.mjcf", '<mujoco><worldbody><body name="ball"><freejoint/><geom size="0.1"/></body>'
         "</worldbody></mujoco>"),
        ("ball.sdf", '<sdf version="1.9"><model name="ball"><link name="l"/></model></sdf>'),
    ],
)  # fmt: skip
def test_scenes_of_all_formats_take_functions(name, text, tmp_path):
    """They were without effect on all but Moby's; a name that stands for nothing is refused."""
    path = tmp_path / name
    path.write_text(text)
    scene = ph.load(path, plugins={"ball": lambda t, state: [0.0, 0.0, 5.0, 0.0, 0.0, 0.0]})
    mass = scene.machine("ball").model.mass
    run = ph.simulate(scene, 0.1, progress=False)
    assert np.isclose(run.qd[-1][2], (5.0 / mass - 9.81) * 0.1)
    with pytest.raises(ph.ModelError, match="the plug-in 'bal'; did you mean 'ball'"):
        ph.load(path, plugins={"bal": lambda t, state: None})


def test_models_take_no_functions():
    with pytest.raises(ph.ModelError, match="plugins are for scenes, got the file of a model"):
        ph.load(examples.path("arm.urdf"), plugins={"arm": lambda t, state: None})
