"""Every scene of Moby's own: it loads, or is refused for a reason a user would accept."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import polhode as ph
from polhode.formats import read
from polhode.scene import LoopKind, Scene
from reference.cases import MODELS
from reference.moby_scene import Placed

HOME = MODELS / "moby"
REFUSED = {
    "contact-constrained-pendulum": "C++ plug-in 'libcontact-constrained-pendulum",
    "ellipse2D": "C++ plug-in 'libellipse-plane-coldet-plugin.so'",
    "walker": "C++ plug-in 'libpassive-walker-coldet-plugin.so'",
    "ur10": "there is no mesh file",
}
FILES = sorted(HOME.glob("**/*.xml"))
LOADED = [path for path in FILES if path.stem not in REFUSED]


def label(path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", LOADED, ids=label)
def test_it_loads(path):
    """A scene with somebody in it, finite numbers, and every remark has a line."""
    reading = read(path)
    scene = reading.model
    assert isinstance(scene, Scene)
    assert scene.simulated
    assert np.isfinite(scene.q0).all()
    assert np.isfinite(scene.qd0).all()
    assert all(note.line for note in reading.notes)
    assert all(machine.model.gravity.lin == scene.model.gravity.lin for machine in scene.machines)


@pytest.mark.parametrize("path", [p for p in FILES if p.stem in REFUSED], ids=label)
def test_it_is_refused(path):
    """Plug-ins in C++ and meshes that are not there, with file and line."""
    with pytest.raises(ph.ParseError, match=re.escape(REFUSED[path.stem])) as caught:
        ph.load(path)
    assert caught.value.line


@pytest.mark.parametrize(
    ("name", "plugin"),
    [("contact-constrained-pendulum", "pendulum-coldet"), ("ellipse2D", "coldet"),
     ("walker", "toroid")],
)  # fmt: skip
def test_it_loads_with_a_python_plugin(name, plugin):
    """Given a function for the plug-in, these load as well."""
    (path,) = HOME.glob(f"**/{name}.xml")
    (found,) = ph.load(path, plugins={plugin: print}).plugins
    assert (found.name, found.kind) == (plugin, "collision")


def example(name: str) -> Scene:
    (path,) = HOME.glob(f"{name}.xml")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ph.ModelWarning)
        return ph.load(path)


def test_bouncing_ball():
    """A sphere 0.5 above a plane, spinning, with full rebound."""
    scene = example("bouncing-ball/bouncing-ball")
    ball = scene.machine("ball")
    assert ball.q == (0, 1.5, 0, 0, 0, 0, 1)
    assert ball.qd == (0, 0, 0, 0, 10, 0)
    assert ball.model.mass == pytest.approx(4 / 3 * np.pi)
    contact = scene.contact_parameters("ball#0", "ground#0")
    assert (contact.restitution, contact.mu_coulomb) == (1, 0)
    assert scene.gravity == (0, -9.81, 0)
    assert scene.settings.step_size == 0.025


def test_gears():
    """Ten turns of the rotor for one of the pendulum."""
    (gear,) = example("gears/pendulum-gears").gears
    assert (gear.a, gear.b, gear.ratio) == (("pendulum", "q2"), ("pendulum", "q"), 10)


def test_chain():
    """Drawn hanging, turned by q of its first joint to lie along x."""
    scene = example("joint-limits/chain")
    placed = Placed(scene)
    np.testing.assert_allclose(placed.position("l5"), [22.5, 0, 0], atol=1e-9)
    assert len(scene.disabled_geometries) == 10


def test_tare():
    """q and q-tare cancel: the links stay where they are drawn, outside the limit."""
    machine = example("tare/pendulum").machines[0]
    assert machine.q == (0,)
    assert machine.q_tare == pytest.approx((-np.pi / 2,))
    assert machine.settings("q").lower == (1,)


def test_planar_joint():
    """Implicit, between the ground and a box that spins at first."""
    scene = example("planar-joint/constrained")
    (loop,) = scene.loops
    assert loop.kind is LoopKind.PLANAR
    assert (loop.a, loop.b) == (("ground", "ground"), ("box", "box"))
    assert scene.machine("box").qd[3:] == (100, 0, 0)


def test_walker_and_ground_of_sdf():
    """A rover on two wheels and a castor, from an SDF, on a plane turned to z."""
    scene = example("mrobot/mrobot")
    assert [m.name for m in scene.simulated] == ["mrobot", "GROUND"]
    rover = scene.machine("mrobot").model
    assert rover.nv == 8
    assert rover.mass == pytest.approx(5.67 + 2 * 1.5)
    placed = Placed(scene)
    np.testing.assert_allclose(placed.position("right_wheel"), [0.1, -0.17, 0.11], atol=1e-15)
    axis = placed.pose("right_wheel")[:3, :3] @ rover.joint("right_wheel_hinge").kind.axis
    np.testing.assert_allclose(axis, [0, 1, 0], atol=1e-15)


def test_pseudo_rigid_body_moves_as_its_core():
    """A tag of a branch of Moby that never came back."""
    scene = example("new-qp-branch/pseudo-rigid/box")
    assert [m.name for m in scene.simulated] == ["box", "ground"]


def test_stack_simulates_only_what_is_listed():
    """Three of seven boxes."""
    scene = example("stacks/stack")
    assert [m.name for m in scene.simulated] == ["box1", "box2", "box3", "ground"]
