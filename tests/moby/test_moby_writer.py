"""Scenes written as Moby XML read back as the same scenes."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from moby.random_scenes import random_scene, scenes
from moby.test_moby_examples import LOADED, label
from moby.texts import ARM, BALL, GROUND, listed, wrapped
from polhode.formats import moby
from polhode.model import (
    Box,
    Custom,
    Euler,
    FloatingBase,
    Planar,
    Plane,
    Revolute,
    Sphere,
    TranslationXYZ,
)
from polhode.scene import Geometry, Machine, Plugin, Scene
from polhode.spatial import Transform
from reference.moby_scene import Placed

ROUNDING = 1e-13  # of a chain of some poses


def unlike(a: Any, b: Any, where: str = "scene") -> str | None:
    """Where two values differ by more than rounding, or None."""
    if isinstance(a, float) and isinstance(b, float):
        same = a == b or abs(a - b) <= ROUNDING * max(1.0, abs(a))
        return None if same else f"{where}: {a!r} and {b!r}"
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return next((u for k in range(len(a)) if (u := unlike(a[k], b[k], f"{where}[{k}]"))), None)
    if dataclasses.is_dataclass(a) and type(a) is type(b):
        names = [f.name for f in dataclasses.fields(a) if f.compare]
        pairs = ((getattr(a, n), getattr(b, n), f"{where}.{n}") for n in names)
        return next((u for pair in pairs if (u := unlike(*pair))), None)
    if hasattr(a, "rows") and hasattr(b, "rows"):  # a matrix that remembers what it was made of
        return unlike(a.rows(), b.rows(), where)
    return None if a == b else f"{where}: {a!r} and {b!r}"


def again(scene: Scene) -> Scene:
    """The scene read back from its text; without any remark."""
    plugins = {plugin.name: plugin.function for plugin in scene.plugins}
    reading = moby.parse(moby.dumps(scene), plugins=plugins)
    assert [n for n in reading.notes if n.kind == "ignored"] == []
    return reading.model


@given(scenes())
def test_round_trip(scene):
    """Free bodies, trees with every joint, loops, gears, forces, contacts, settings."""
    assert unlike(scene, again(scene)) is None


@given(seed=st.integers(0, 2**32 - 1))
def test_round_trip_of_files(tmp_path_factory, seed):
    """Meshes and height fields lie in files beside the scene."""
    scene = random_scene(seed, files=True)
    path = tmp_path_factory.mktemp("scene") / "snapshot.xml"
    ph.save(scene, path)
    assert unlike(scene, ph.load(path)) is None


@given(scenes())
def test_second_round_trip_changes_nothing_more(scene):
    """Names, order and text settle at once; only numbers may be rounded."""
    first = again(scene)
    assert unlike(first, again(first)) is None


def test_free_bodies_round_trip_exactly():
    """A snapshot of falling bodies starts where it was taken, to the bit for positions."""
    scene = moby.parse(wrapped(BALL + GROUND, listed("ball", "ground"))).model
    assert again(scene) == scene


def test_joints_that_moby_does_not_have_become_chains():
    """The machine moves as before, with massless links between."""
    model = ph.Model("m", gravity=(0, 0, 0)).add("base")
    for k, kind in enumerate((Euler("ZYX"), TranslationXYZ(), Planar())):
        model = model.append(f"l{k}", joint=kind, frame=Transform.translation(1.0, 0.0, 0.0),
                             mass=1.0, inertia=(1.0, 1.0, 1.0))  # fmt: skip
    rng = np.random.default_rng(1)
    machine = Machine("m", model, rng.uniform(-1, 1, 9), rng.uniform(-1, 1, 9))
    scene = Scene("s", [machine], gravity=(0, 0, 0))
    found = again(scene)
    assert found.machines[0].q == pytest.approx(machine.q)
    a, b = Placed(scene), Placed(found)
    for link in model.links:
        np.testing.assert_allclose(a.pose(link.name), b.pose(link.name), atol=1e-14)
    tau = np.linspace(-1, 1, 9)
    np.testing.assert_allclose(
        ph.forward_dynamics(model, machine.q, machine.qd, tau),
        ph.forward_dynamics(found.machines[0].model, machine.q, machine.qd, tau), atol=1e-12,
    )  # fmt: skip


def test_machine_without_a_base_link_gets_one():
    """A first link that turns against the world hangs on a disabled body in the file."""
    model = ph.Model("m").add("bar", joint=Revolute.x(), mass=1.0, inertia=(1, 1, 1))
    scene = Scene("s", [Machine("m", model, [0.3], [0.4])])
    found = again(scene)
    assert found.machines[0].link_names == ("m/ROOT", "bar")
    np.testing.assert_allclose(Placed(found).pose("bar"), Placed(scene).pose("bar"), atol=1e-15)


def test_equal_machines_keep_apart():
    """Links of the same name in two machines get the machine's name before."""
    model = ph.Model("m").add("base").add("l", parent="base", joint=Revolute.x(), mass=1.0)
    scene = Scene("s").add_machine(model, "one").add_machine(model, "two", q=[0.5])
    scene = scene.add_geometry("g", ("two", "l"), Sphere(0.1)).contact("one/l", "g", mu_coulomb=1)
    found = again(scene)
    assert [m.link_names[1] for m in found.machines] == ["one/l", "two/l"]
    assert found.machines[1].q == (0.5,)
    assert found.contacts[0].a == "one/l"


def test_plugins_are_named():
    """Their functions are given again when the file is read."""
    scene = moby.parse(wrapped(BALL, listed("ball"))).model
    scene = dataclasses.replace(scene, plugins=(Plugin("p", "collision", print),))
    assert again(scene) == scene


def test_what_a_file_cannot_hold():
    """Says what, and where."""
    base = ph.Model("m").add("a", joint=Revolute.x(), mass=1.0)
    odd = {
        "not of unit length": base.add("b", parent="a", joint=Revolute((0, 0, 2.0)), mass=1.0),
        "Python code": base.add("b", parent="a", joint=Custom(1, print), mass=1.0),
        "no floating joint": base.add("b", parent="a", joint=FloatingBase(), mass=1.0),
    }
    for message, model in odd.items():
        with pytest.raises(ph.ModelError, match=message):
            moby.dumps(Scene("s", [Machine("m", model)]))
    both = Scene("s").add_fixed("g", Plane()).add_geometry("h", ("g", "g"), Box((1, 1, 1)))
    both = dataclasses.replace(both, geometries=(both.geometries[0], dataclasses.replace(
        both.geometries[1], is_compliant=True)))  # fmt: skip
    with pytest.raises(ph.ModelError, match="compliant"):
        moby.dumps(both)


def test_save_refuses_the_wrong_kind_of_file(tmp_path):
    """A model is no scene."""
    with pytest.raises(ph.ModelError, match="holds a Scene, got a Model"):
        ph.save(ph.Model("m").add("a"), tmp_path / "m.xml")
    with pytest.raises(ph.ModelError, match="holds a Model, got a Scene"):
        ph.save(Scene("s"), tmp_path / "s.urdf")


@pytest.mark.parametrize("path", LOADED, ids=label)
def test_snapshots_of_mobys_examples(path, tmp_path):
    """What Moby's own files say survives a round trip; limits of a URDF become the scene's."""
    scene = ph.load(path)
    target = Path(tmp_path) / "snapshot.xml"
    ph.save(scene, target)
    found = ph.load(target)
    if "urdf" in path.parent.name:
        assert [m.link_names for m in found.machines] == [m.link_names for m in scene.machines]
    else:
        assert unlike(scene, found) is None


def test_geometry_without_shape_is_written():
    """A bare CollisionGeometry is for a plug-in."""
    scene = Scene(
        "s", Scene("s").add_fixed("g", Plane()).machines, [Geometry("x", "g", "g", None)],
        plugins=[Plugin("p", "collision", print)],
    )  # fmt: skip
    assert again(scene).geometries == scene.geometries


def test_arm_text_is_stable():
    """Written from what was read, an arm says the same again."""
    scene = moby.parse(wrapped(ARM, listed("arm"))).model
    assert unlike(scene, again(scene)) is None
