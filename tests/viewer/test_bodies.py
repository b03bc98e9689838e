"""The tree of bodies and the sliders of joints."""

import numpy as np
import pytest

import polhode as ph
from polhode.model import (
    Axes,
    Box,
    Euler,
    FloatingBase,
    Helical,
    Limits,
    Mesh,
    Planar,
    Plane,
    Prismatic,
    Revolute,
    Sphere,
    Spherical,
    Universal,
    Visual,
)
from polhode.spatial import Transform, Vec3, rotation_x
from polhode.viewer.film import film_of
from viewer import first_scenes

POSES = (
    "viewer.machines[0].worlds[0].slice(1).map(b => { const base = viewer.machines[0].worlds[0][0];"
    " return base.matrixWorld.clone().invert().multiply(b.matrixWorld).elements; })"
)
PLAYED = 13 * 2.0 * 2.0**-15  # 13 bodies, each turned to 1/32768, in a chain of 2 m
OFFSET = Transform(rotation_x(0.4), Vec3(0.1, -0.2, 0.5))
MASS = {"mass": 1.0, "com": (0.0, 0.1, 0.2), "inertia": (0.1, 0.1, 0.1), "frame": OFFSET}
KINDS = (
    FloatingBase(), Revolute((0.0, 0.6, 0.8)), Helical((0, 0, 1, 0, 0, 0.3)), Prismatic.y(),
    Spherical(), Helical((0, 0, 1, 0.3, 0, 0)),
    Euler("ZYX"), Universal(), Planar(),
    Axes(((1, 0, 0, 0, 0.2, 0), (0, 0, 1, 0, 0, 0.1))),
)  # fmt: skip


def chain(kinds=KINDS):
    model = ph.Model("chain")
    for k, kind in enumerate(kinds):
        model = model.append(f"link{k}", joint=kind, **MASS)
    return model


@pytest.fixture
def opened(undrawn, tmp_path):
    """The page of a subject in a window of a size, at its start, standing still."""
    browser = undrawn

    def opened(subject, size=(400, 300), wishes="", **options):
        browser.resize(*size)
        page = ph.show(subject, tmp_path / "page.html", open_browser=False, **options)
        browser.open(f"{page.as_uri()}#theme=light{wishes}")
        browser.run("viewer.pause(); viewer.seek(0)")
        return browser

    yield opened
    assert browser.errors == []
    browser.resize(400, 300)


def set_sliders(browser, values):
    browser.run(
        f"{list(map(float, values))}.forEach((x, k) => {{ const s = viewer.tree.sliders[k].input;"
        " s.value = x; s.oninput(); })"
    )


def seen(browser):
    return np.array(browser.run(POSES)).reshape(-1, 4, 4).swapaxes(1, 2)


def test_sliders_set_every_kind_of_joint(opened):
    """Bodies are where `body_poses` has them; back to the start, and time that goes on, undo it."""
    model = chain()
    browser = opened(model)
    start = seen(browser)
    assert np.allclose(start, ph.body_poses(model, ph.neutral(model)), atol=PLAYED)
    values = np.linspace(-0.9, 0.8, model.nv)
    set_sliders(browser, values)
    q = ph.integrate(model, ph.neutral(model), values)
    assert np.allclose(seen(browser), ph.body_poses(model, q), atol=1e-5)
    assert np.abs(seen(browser) - start).max() > 0.5
    browser.run("document.getElementById('rest').click()")
    assert np.allclose(seen(browser), start, atol=PLAYED)
    set_sliders(browser, values)
    browser.run("viewer.seek(0.5)")
    browser.run("viewer.seek(0)")
    assert np.allclose(seen(browser), start, atol=1e-5)


def test_sliders_of_a_scene_begin_where_it_does(opened):
    """Of a free body the orientation is set from there, of a hinge its angle."""
    turn = (0.8, 0.0, 0.6, 0.0)
    made = ph.Scene("s").add_fixed("ground", Plane())
    made = made.add_body("box", Box((0.2, 0.3, 0.1)), mass=1.0, position=(0, 1, 2), quaternion=turn)
    browser = opened(made)
    start = ph.body_poses(made.model, np.array(made.q0))
    assert np.allclose(seen(browser), start, atol=PLAYED)
    step = np.array((0.1, 0.2, -0.3, 0.4, -0.2, 0.6))
    set_sliders(browser, np.array([*made.q0[:3], 0, 0, 0]) + step)
    q = ph.integrate(made.model, np.array(made.q0), step)
    assert np.allclose(seen(browser), ph.body_poses(made.model, q), atol=1e-5)


def test_sliders_keep_to_the_limits():
    """They end at a joint's limits, otherwise after a half turn or the machine's size."""
    model = ph.Model("m").add("a", joint=Revolute.x(), limits=Limits(-0.5, 1.0), **MASS)
    model = model.append("b", joint=Prismatic.x(), **MASS).append("c", joint=Revolute.y(), **MASS)
    a, b, c = film_of(model, fps=60.0, most=10**6).settable["sliders"]
    assert (a["lower"], a["upper"], a["name"], a["unit"]) == (-0.5, 1.0, "a", "rad")
    assert b["upper"] == -b["lower"] > 1.0 and b["unit"] == "m"
    assert (c["lower"], c["upper"]) == pytest.approx((-np.pi, np.pi))


def test_the_tree_names_selects_and_hides(opened):
    """Bodies in the order of the tree; a click tells a body's pose, its box hides its shapes."""
    browser = opened(first_scenes.arm())
    assert browser.run("document.getElementById('bodies').hidden") is True
    browser.key("b")
    names = browser.run("[...document.querySelectorAll('#bodies .name')].map(e => e.textContent)")
    assert names == list(film_of(first_scenes.shipped("arm.urdf"), fps=10.0, most=10**4).bodies[1:])
    assert browser.run("viewer.tree.sliders.length") == 0
    browser.run("document.querySelectorAll('#bodies .name')[2].click()")
    assert browser.run("document.getElementById('details-name').textContent") == names[2]
    assert browser.run("document.querySelector('#bodies .selected .name').textContent") == names[2]
    count = (
        "viewer.machines[0].worlds[0][3].children.filter(c => c.userData.shape && c.visible).length"
    )
    before = browser.run(count)
    browser.run("document.querySelectorAll('#bodies input')[2].click()")
    assert before > 0 and browser.run(count) == 0
    browser.key("b")
    assert browser.run("document.getElementById('bodies').hidden") is True


def test_a_model_opens_with_its_sliders_where_there_is_room(opened):
    """Neither in a small window, nor in a still, nor for a recording."""
    hidden = "document.getElementById('bodies').hidden"
    model = first_scenes.shipped("arm.urdf")
    assert opened(model, (1000, 500)).run(hidden) is False
    assert opened(model, (1000, 500), "&t=0").run(hidden) is True
    assert opened(model, (1000, 500), "&t=0&bodies=1").run(hidden) is False
    assert opened(model).run(hidden) is True
    assert opened(first_scenes.arm(), (1000, 500)).run(hidden) is True


def test_collision_shapes_are_shown_where_visuals_hide_them(opened):
    """Those that are not drawn anyway, on their bodies; `v` shows and hides them."""
    ball, here = Sphere(0.2), Transform.identity()
    model = ph.Model("m").add("a", joint=Revolute.x(), visuals=[Visual(ball)], **MASS)
    touching = [("a", Box((0.1, 0.2, 0.3)), OFFSET), ("a", ball, here)]
    made = ph.Scene("s").add_fixed("ground", Plane()).add_machine(model, "m", geometries=touching)
    (row,) = film_of(made, fps=60.0, most=10**6).collisions
    assert (row["kind"], row["size"], row["name"]) == ("box", [0.1, 0.2, 0.3], "m/a")
    assert row["pose"][:3] == pytest.approx([*OFFSET.r])
    browser = opened(made)
    built = "viewer.overlays.built.get('collisions')"
    browser.key("v")
    assert browser.run(f"{built}.map(o => [o.visible, o.parent.userData.name])") == [[True, "m/a"]]
    browser.key("v")
    assert browser.run(f"{built}.some(o => o.visible)") is False
    browser = opened(ph.Scene("ball").add_body("ball", ball, mass=1.0))
    assert browser.run("document.getElementById('layer-collisions').hidden") is True


def test_collision_shapes_stand_in_for_lost_meshes():
    """Rather than bars and joints."""
    lost = [Visual(Mesh("lost.stl"))]
    model = ph.Model("m").add("a", joint=Revolute.x(), visuals=lost, **MASS)
    box = [("a", Box((0.1, 0.2, 0.3)), Transform.identity())]
    film = film_of(ph.Scene("s").add_machine(model, "m", geometries=box), fps=60.0, most=10**6)
    assert [(row["kind"], row["size"]) for row in film.shapes] == [("box", [0.1, 0.2, 0.3])]
    assert any("lost.stl" in note for note in film.notes)


def test_names_of_bodies_are_text(opened):
    """Never markup."""
    model = ph.Model("m").add("<b>x</b>", joint=Revolute.x(), **MASS)
    browser = opened(model)
    assert browser.run("document.querySelectorAll('#bodies b').length") == 0
    assert browser.run("document.querySelector('#bodies .name').textContent") == "<b>x</b>"
