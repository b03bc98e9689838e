"""Values that no machine has: refused or told, with the number and the name of the argument."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import polhode as ph
from polhode.collision.query import contacts, distance
from polhode.model import (
    Axes,
    Box,
    Euler,
    FloatingBase,
    Heightmap,
    Helical,
    Limits,
    Model,
    Plane,
    Polyhedron,
    Prismatic,
    Revolute,
    Screw,
    Sphere,
    TriangleMesh,
    Universal,
    axis_joint,
)
from polhode.scene import Damping, JointSettings, Scene


def told(make) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make()
    return [str(w.message) for w in caught]


@pytest.mark.parametrize(
    ("make", "length"),
    [
        (lambda: Revolute((0, 0, 2)), "2"),
        (lambda: Prismatic((0, 0.5, 0)), "0.5"),
        (lambda: Helical((0, 0, 3, 0, 0, 1)), "3"),
        (lambda: Universal((1, 1, 0), (0, 0, 1)), "1.41421"),
        (lambda: Axes(((0, 2, 0, 0, 0, 0),)), "2"),
    ],
)
def test_axes_that_are_not_unit_are_told(make, length):
    """With their length; the joint keeps them."""
    (message,) = told(make)
    assert f"has length {length}" in message


@pytest.mark.parametrize(
    "axis", [(0, 0, 1), (0.577, 0.577, 0.577), (0.6, 0.0, 0.8), (0, 0, 1 - 1e-6)]
)
def test_rounded_axes_are_quiet(axis):
    """Three digits are enough; what is derived from other joints says nothing either."""
    assert not told(lambda: Revolute(axis))
    assert not told(lambda: axis_joint((0, 0, 0, 0, 0, 0.3)))
    skew = Model("m").add("a", joint=Helical((0.6, 0, 0.8, 0.3, 0, 0.1)), mass=1.0)
    assert not told(skew.with_constant_subspaces)


@pytest.mark.parametrize(
    ("inertia", "words"),
    [
        ((-5, -5, -5), "negative principal moments, got -5, -5, -5"),
        (((1, 2, 0), (2, 1, 0), (0, 0, 1)), "negative principal moments, got -1, 1, 3"),
        (((1, 0.5, 0), (0, 1, 0), (0, 0, 1)), "differ by 0.5"),
    ],
)
def test_impossible_inertias_are_refused(inertia, words):
    """Negative, indefinite and asymmetric ones, with the link's name."""
    with pytest.raises(ph.ModelError, match=words) as caught:
        Model("m").add("arm", joint=Revolute.y(), mass=1.0, inertia=inertia)
    assert "link 'arm', model 'm'" in str(caught.value)


def test_the_triangle_inequality_is_told():
    """Real bodies keep it; rods and plates keep it with equality and are quiet."""
    add = Model("m").add
    (message,) = told(lambda: add("arm", joint=Revolute.y(), mass=1.0, inertia=(1, 1, 5)))
    assert "principal moments 1, 1, 5" in message and "'arm'" in message
    for good in ((1, 1, 0), (1, 2, 3), (0, 0, 0), np.diag([1.0, 1.0, 2.0])):
        assert not told(lambda good=good: add("arm", joint=Revolute.y(), mass=1.0, inertia=good))


def test_rotated_inertias_are_taken():
    """Rounding leaves them a little asymmetric."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        R, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        I = (R * (1.0, 2.0, 3.0 - 1e-3)) @ R.T
        I32 = I.astype(np.float32)
        for inertia in (I, I32):
            assert not told(lambda I=inertia: Model("m").add("a", mass=1.0, inertia=I))


ROW, PAIR = [[1]], {"a": 1}
FINE = [("distance.pose", None), ("lock.positions", PAIR), ("split_q", ROW)]
WRONG = [None, "text", b"bytes", 1j, [1, "x", 3], PAIR, object(), 10**400, np.zeros((2, 2, 2)),
         ROW, lambda: 0, int, "x" * 100_000, "\x1b[31m", float("nan")]  # fmt: skip
ONE = Model("m").add("a", joint=Revolute.y(), mass=1.0, inertia=(1, 1, 1))
SCENE = Scene().add_fixed("g", Plane()).add_body("b", Sphere(0.1), mass=1.0, position=(0, 0, 3))
TAKES = {
    "Revolute.axis": Revolute,
    "Prismatic.axis": Prismatic,
    "Helical.axis": Helical,
    "Universal.first": Universal,
    "Axes.rows": Axes,
    "Euler.order": Euler,
    "Screw.pitch": Screw,
    "Box.size": Box,
    "Sphere.radius": Sphere,
    "Polyhedron.vertices": Polyhedron,
    "Heightmap.heights": lambda x: Heightmap(x, (1, 1)),
    "TriangleMesh.faces": lambda x: TriangleMesh(((0, 0, 0), (1, 0, 0), (0, 1, 0)), x),
    "Model.links": lambda x: Model("m", x),
    "Model.gravity": lambda x: Model("m", gravity=x),
    "add.mass": lambda x: Model("m").add("a", mass=x),
    "add.com": lambda x: Model("m").add("a", mass=1.0, com=x),
    "add.inertia": lambda x: Model("m").add("a", mass=1.0, inertia=x),
    "add.visuals": lambda x: Model("m").add("a", visuals=x),
    "attach.other": ONE.attach,
    "attach.to": lambda x: ONE.attach(ONE, to=x if x is not None else 3, prefix="p"),  # type: ignore
    "lock.positions": ONE.lock,
    "lock.value": lambda x: ONE.lock({"a": x}),
    "rename.names": ONE.rename,
    "split_q": ONE.split_q,
    "body": ONE.body,
    "joint": ONE.joint,
    "Scene.machines": lambda x: Scene(machines=x),
    "Scene.geometries": lambda x: Scene(geometries=x),
    "Scene.contacts": lambda x: Scene(contacts=x),
    "Scene.plugins": lambda x: Scene(plugins=x),
    "Scene.gravity": lambda x: Scene(gravity=x),
    "Scene.dissipation": lambda x: Scene(dissipation=x if x is not None else 3),  # type: ignore
    "add_body.shape": lambda x: Scene().add_body("b", x, mass=1.0),
    "add_body.mass": lambda x: Scene().add_body("b", Sphere(1.0), mass=x),
    "add_body.position": lambda x: Scene().add_body("b", Sphere(1.0), mass=1.0, position=x),
    "add_machine.model": lambda x: Scene().add_machine(x),
    "add_machine.geometries": lambda x: Scene().add_machine(ONE, geometries=x),
    "add_machine.joint_settings": lambda x: Scene().add_machine(ONE, joint_settings=x),
    "add_plugin.of": lambda x: Scene().add_plugin("p", "forces", print, of=x),
    "JointSettings.lower": lambda x: JointSettings("a", lower=x),
    "Damping.gains": lambda x: Damping("d", x),
    "Scene.machine": SCENE.machine,
    "Scene.disable": lambda x: SCENE.disable("b", x),
    "contacts.shape": lambda x: contacts(x, None, Sphere(1.0), None),
    "contacts.margin": lambda x: contacts(Sphere(1.0), None, Sphere(1.0), None, margin=x),
    "distance.pose": lambda x: distance(Sphere(1.0), x, Sphere(1.0), x),
}


@pytest.mark.parametrize("name", TAKES)
def test_wrong_kinds_are_refused_by_name(name):
    """One of polhode's errors, on one printable line of bounded length."""
    for value in WRONG:
        if any(name == taken and value is what for taken, what in FINE):
            continue
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            TAKES[name](value)
        message = str(caught.value)
        assert type(caught.value).__module__ == "polhode.errors", (value, caught.value)
        assert len(message) < 1000 and message.isprintable(), value


def test_near_misses_of_constructors():
    """What was probably meant is in the message."""
    with pytest.raises(ph.ModelError, match=r"Revolute\.x\(\) makes one"):
        Revolute("x")
    with pytest.raises(TypeError, match=r"did you mean Box\(\(0\.1, 0\.2, 0\.3\)\)\?"):
        Box(0.1, 0.2, 0.3)
    assert Box(np.array([1, 2, 3])) == Box((1.0, 2.0, 3.0))
    assert Model("m").add("a", joint=FloatingBase(), mass=np.float32(1.0)).links[0].body.mass == 1
    assert Limits(-1, 1) == Limits(-1.0, 1.0)


def test_text_of_large_models_is_bounded():
    """A chain of many thousands of links: indentation alone would take gigabytes."""
    from dataclasses import replace

    one = ONE.links[0]
    links = [replace(one, name=f"l{k}", joint_name=f"j{k}", parent=f"l{k - 1}" if k else None)
             for k in range(20_000)]  # fmt: skip
    chain = Model("chain", links)
    assert len(str(chain)) < 300_000
    assert str(chain).endswith("... and 19000 more links")
    assert len(chain.hierarchy()) < 4_000_000
    assert chain.hierarchy().count("\n") == 20_000
