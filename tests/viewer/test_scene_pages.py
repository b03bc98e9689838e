"""Scenes in the page: their shapes, the ground, contact points and forces."""

import numpy as np
import pytest

import polhode as ph
from polhode.cli import main
from polhode.model import Box, Heightmap, Plane, Sphere
from polhode.viewer.contacts import contacts_of, lifting
from polhode.viewer.film import film_of
from polhode.viewer.signals import signals_of

GROUND, MASS = -0.5, 2.0
BALL = """<XML><MOBY>
<Sphere id="round" radius="0.2" mass="1"/>
<RigidBody id="ball" position="0 1 0"><InertiaFromPrimitive primitive-id="round"/>
<CollisionGeometry primitive-id="round"/></RigidBody>
<TimeSteppingSimulator id="sim"><DynamicBody dynamic-body-id="ball"/></TimeSteppingSimulator>
</MOBY></XML>"""


def scene():
    """A box that lies on a plane, and a ball that falls beside it."""
    made = ph.Scene("box").add_fixed("ground", Plane(), position=(0, 0, GROUND))
    made = made.add_body("box", Box((0.4, 0.4, 0.4)), mass=MASS, position=(0, 0, GROUND + 0.2))
    return made.add_body("ball", Sphere(0.1), mass=1.0, position=(1.0, 0, 0.5))


@pytest.fixture(scope="module")
def run():
    return ph.simulate(scene().contact(mu_coulomb=0.5), 0.2, progress=False)


def test_a_scene_alone_stands_as_it_begins():
    """One frame, where the machines start."""
    film = film_of(scene(), fps=60.0, most=10**6)
    assert film.poses.shape[:2] == (1, 1) and film.bodies[0] == "base"
    ball = film.bodies.index("ball/ball") - 1
    assert np.allclose(film.poses[0, 0, ball, :3, 3], (1.0, 0.0, 0.5))


def test_forces_in_the_page_lift():
    """Of force and counterforce the one against gravity; their sum carries the box."""
    rng = np.random.default_rng(0)
    up = np.array((0.0, 0.6, 0.8))
    points, forces = rng.normal(size=(2, 50, 3))
    rows = lifting(points, forces, up)
    assert (rows[:, 3:] @ up).min() >= 0.0 and np.array_equal(rows[:, :3], points)
    assert np.array_equal(np.abs(rows[:, 3:]), np.abs(forces))


def test_every_frame_has_the_contacts_of_its_time(run):
    """At the corners of the box, as strong as its weight; none before the first step."""
    frames = contacts_of(run, np.linspace(0.0, 0.2, 13), np.array((0.0, 0.0, 1.0)))
    assert len(frames) == 13 and len(frames[0]) == 0
    for rows in frames[1:]:
        assert np.allclose(np.sort(np.abs(rows[:, :2]).ravel()), 0.2, atol=1e-6)
        assert np.allclose(rows[:, 2], GROUND, atol=1e-6)
        assert rows[:, 5].sum() == pytest.approx(MASS * 9.81, rel=1e-6)


def test_contact_forces_are_plotted(run):
    """The box rests on its weight; the ball and the ground have no lines."""
    (signal,) = [s for s in signals_of(run, thin=False) if s.group == "contact force"]
    assert (signal.unit, signal.names) == ("N", ("box/box",))
    assert np.allclose(signal.values[0, 1:], MASS * 9.81, rtol=1e-6)
    assert "contact force" in [s.group for s in film_of(run, fps=60.0, most=10**6).signals]


def test_contacts_are_drawn(browser, open_at, run, tmp_path):
    """Four arrows at the corners, upwards, longer than nothing; a key hides them."""
    open_at(ph.show(run, tmp_path / "run.html", open_browser=False), 0.1)
    picture = "viewer.draw(); document.getElementById('stage').toDataURL()"
    plain = browser.run(picture)
    browser.key("f")
    assert browser.run(picture) != plain
    group = "viewer.overlays.built.get('contacts')[0]"
    arrows = f"{group}.children.filter(a => a.visible)"
    places = np.array(browser.run(f"{arrows}.map(a => a.position.toArray())"))
    assert np.allclose(np.sort(np.abs(places[:, :2]).ravel()), [0.2] * 8, atol=1e-5)
    assert np.allclose(places[:, 2], GROUND, atol=1e-5)
    tips = "a => a.cone.getWorldPosition(a.position.clone()).y - a.getWorldPosition("
    heights = browser.run(f"{arrows}.map({tips}a.position.clone()).y)")
    assert len(heights) == 4 and min(heights) > 0.0
    browser.run("viewer.seek(0)")
    assert browser.run(f"{arrows}.length") == 0
    browser.key("f")
    assert browser.run(f"{group}.visible") is False
    assert browser.errors == []


def test_a_level_plane_is_the_floor(browser, open_undrawn_at, run, tmp_path):
    """It is drawn as grid and shadow at its height; one that leans is drawn as a plane."""
    page = ph.show(run, tmp_path / "run.html", open_browser=False)
    open_undrawn_at(page)
    height = (
        "viewer.stage.floor.group.children[0].getWorldPosition(viewer.world.position.clone()).y"
    )
    radius = browser.run("viewer.radius")
    assert browser.run(height) == pytest.approx(GROUND, abs=0.002 * radius)
    assert browser.run("viewer.machines[0].levelPlanes().map(p => p.visible)") == [False]
    assert radius < 2.0
    leaning = ph.Scene("ramp").add_fixed("ramp", Plane(), quaternion=(0.96, 0.28, 0, 0))
    leaning = leaning.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.3))
    page = ph.show(leaning, tmp_path / "ramp.html", open_browser=False)
    open_undrawn_at(page)
    plane = "viewer.machines[0].worlds[0][0].children.find(c => c.userData.endless)"
    assert browser.run(f"{plane}.visible") is True
    assert browser.run(f"{plane}.scale.x") == pytest.approx(8 * browser.run("viewer.radius"))
    assert browser.errors == []


def test_colours_and_shadows_can_be_told(browser, open_undrawn_at, tmp_path):
    """A bright ground is dark on a dark page, white keeps its shades, glass casts no shadow."""
    shown = ph.Scene("box").add_fixed("ground", Plane(), color=(0.8, 0.8, 0.9, 1.0))
    shown = shown.add_fixed("glass", Box((1.0, 0.1, 1.0)), color=(0.5, 0.6, 0.7, 0.3))
    shown = shown.add_fixed("white", Box((0.1, 1.0, 1.0)), color=(1.0, 1.0, 1.0, 1.0))
    shown = shown.add_fixed("red", Box((0.1, 1.0, 1.0)), color=(1.0, 0.0, 0.0, 1.0))
    open_undrawn_at(ph.show(shown, tmp_path / "glass.html", open_browser=False))

    def ground(theme):
        browser.run(f"viewer.setTheme('{theme}')")
        return browser.run("viewer.stage.floor.grid.uniforms.tint.value.toArray()")

    assert ground("light") == pytest.approx([0.8, 0.8, 0.9, 1.0])
    assert max(ground("dark")[:3]) < 0.3
    assert ground("light") == pytest.approx([0.8, 0.8, 0.9, 1.0])
    shapes = "viewer.machines[0].worlds[0][0].children.filter(c => !c.userData.endless)"
    assert browser.run(f"{shapes}.map(c => c.castShadow)") == [False, True, True]
    white, red = browser.run(f"{shapes}.slice(1).map(c => c.material.color.toArray())")
    assert white == pytest.approx([0.65] * 3) and red == pytest.approx([1.0, 0.0, 0.0])
    assert browser.errors == []


def test_terrain_is_drawn_as_a_block(browser, open_at, tmp_path):
    """A height field has walls, and stands on the floor."""
    field = Heightmap(((0.0, 0.1, 0.0), (0.2, 0.1, 0.0), (0.0, 0.0, 0.0)), (2.0, 2.0))
    made = ph.Scene("hills").add_fixed("hills", field)
    page = ph.show(made, tmp_path / "hills.html", open_browser=False)
    open_at(page)
    lowest = "viewer.stage.floor.group.children[1].position.y"
    assert browser.run(lowest) == pytest.approx(-0.04, abs=0.01)
    assert browser.errors == []


def test_files_of_scenes_are_shown(
    browser, open_at, quick_stills, run, tmp_path, capsys, monkeypatch
):
    """A Moby file by the command; a recording of a scene as a page and as a picture."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ball.xml").write_text(BALL)
    assert main(["show", "ball.xml", "--no-open", "-o", "ball.html"]) == 0
    open_at(tmp_path / "ball.html")
    assert browser.run("viewer.data.films[0].shapes.map(s => s.kind)") == ["sphere"]
    run.save("run.npz")
    assert main(["show", "run.npz", "--no-open", "-o", "run.html"]) == 0
    assert main(["show", "run.npz", "--live", "-o", "run.html"]) == 1
    assert main(["plot", "run.npz", "--list"]) == 0
    assert "energy [J]" in capsys.readouterr().out
    (tmp_path / "bad.npz").write_bytes(b"no recording")
    assert main(["show", "bad.npz", "--no-open"]) == 1
    assert "not a recording of polhode" in capsys.readouterr().err
    picture = ph.render(run, tmp_path / "run.png", size=(160, 120), overlays=("contacts",))
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert browser.errors == []
