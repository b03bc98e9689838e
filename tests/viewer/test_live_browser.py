"""The live view in a real browser: it moves, stops, steps, is pulled with the mouse, and fails."""

import time

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Plane, Sphere
from viewer.live_models import brick, pendulum

pytest.importorskip("websockets")
PATIENCE = 120.0  # a scene may have to be compiled first


def live(subject, **options):
    return ph.show(
        subject, live=True, block=False, open_browser=False, closes=False, **options
    )  # fmt: skip


def wait(browser, claim):
    """Until JavaScript finds something true."""
    end = time.monotonic() + PATIENCE
    while not (found := browser.run(claim)):
        assert time.monotonic() < end, f"waited for {claim}"
        time.sleep(0.03)
    return found


def text(browser, name):
    return browser.run(f"document.getElementById('{name}').textContent")


def place(browser, body):
    """Where a body is on the screen, then in base coordinates."""
    return browser.run(
        f"(() => {{ const m = viewer.machines[0], names = viewer.data.films[0].bodies,"
        f" i = names.indexOf('{body}'),"
        " p = m.point(i), base = m.worlds[0][0].worldToLocal(p.clone()).toArray();"
        " viewer.stage.view.camera.updateMatrixWorld(); p.project(viewer.stage.view.camera);"
        " return [(p.x + 1) / 2 * innerWidth, (1 - p.y) / 2 * innerHeight, ...base]; })()"
    )


def mouse(browser, kind, x, y, **more):
    more = {"button": "left", "buttons": 1} | more
    browser.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)


def drag(browser, start, way):
    mouse(browser, "mousePressed", *start, clickCount=1)
    for share in (0.3, 0.7, 1.0):
        mouse(browser, "mouseMoved", start[0] + share * way[0], start[1] + share * way[1])


@pytest.fixture
def clean(undrawn):
    yield undrawn
    assert undrawn.errors == []


def at_rest(browser):
    """The page's time when what was under way has arrived."""
    last = None
    while (now := browser.run("viewer.player.time")) != last:
        last = now
        time.sleep(0.3)
    return now


def test_a_level_plane_stays_the_floor(clean):
    """Bodies on a plane are drawn on it, though their bounding spheres reach below."""
    scene = ph.Scene("high").add_fixed("ground", Plane(), position=(0, 0, 0.5))
    scene = scene.add_body("box", Box((0.4, 0.4, 0.2)), mass=1.0, position=(0, 0, 0.6))
    with live(scene.contact(mu_coulomb=0.5)) as view:
        clean.open(view.url)
        wait(clean, "viewer.player.time > 0.2")
        assert clean.run("viewer.stage.floor.height") == pytest.approx(0.5)


def test_a_model_plays_stops_steps_and_starts_again(clean):
    """By keys and buttons; the page asks for itself and nothing else."""
    with live(pendulum(), q0=[1.0]) as view:
        clean.open(view.url)
        wait(clean, "viewer.player.time > 0.2 && viewer.player.frames > 3")
        angles = "viewer.machines[0].worlds[0][1].quaternion.x"
        before = clean.run(angles)
        wait(clean, f"Math.abs({angles} - {before}) > 0.01")
        wait(clean, "document.getElementById('status').textContent.startsWith('live')")
        clean.key(" ")
        wait(clean, "!viewer.player.playing")
        stopped = at_rest(clean)
        assert text(clean, "status") == "paused"
        clean.key("]")
        wait(clean, f"viewer.player.time > {stopped}")
        clean.run("document.getElementById('step').click()")
        wait(clean, f"viewer.player.time > {stopped} + 0.0015")
        assert clean.run("viewer.player.time") == pytest.approx(stopped + 0.002, abs=1e-9)
        clean.key(".")
        wait(clean, "viewer.player.speed === 1.25")
        clean.run("document.getElementById('rewind').click()")
        wait(clean, "viewer.player.time === 0")
        for key in ("n", "m", "[", "/", "End", "Home"):  # they mean nothing here
            clean.key(key)
        assert clean.run("[viewer.player.time, viewer.player.reversed]") == [0, False]
        shown = "getComputedStyle(document.getElementById('{}')).display !== 'none'".format
        assert clean.run(f"[{shown('seek')}, {shown('loop')}, {shown('step')}]") == [
            False, False, True,
        ]  # fmt: skip
        assert clean.requests == [view.url]
        clean.run("viewer.picker.ray; document.getElementById('menu-end').click()")
        wait(clean, "viewer.player.status === 'ended'")
        assert view.wait(PATIENCE) and text(clean, "status") == "the simulation has ended"


def test_the_file_that_is_opened_leads_to_the_view(clean, monkeypatch):
    """The browser gets there from a file, with the token that the file tells."""
    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", opened.append)
    with ph.show(pendulum(), live=True, block=False, closes=False) as view:
        clean.send("Page.navigate", url=opened[0])
        wait(clean, f"location.href === '{view.url}'")
        wait(clean, "window.viewer?.player.frames > 0")


def test_a_live_view_keeps_everything_in_the_picture(clean):
    """What falls freely leaves neither the picture nor the floor above it."""
    lost = "viewer.machines[0].spheres().filter(s => !viewer.stage.view.shows(s)).length"
    sunk = "viewer.stage.floor.height"
    scene = ph.Scene("fall").add_body("ball", Sphere(0.2), mass=1.0, position=(0, 0, 3.0))
    with live(scene) as view:
        clean.open(view.url)
        start = clean.run(sunk)
        wait(clean, "viewer.player.time > 1.0")
        assert clean.run(lost) == 0
        assert clean.run(sunk) < start - 3.0


def test_a_body_follows_the_mouse(clean):
    """A drag pulls the body, not the camera, and shows an arrow; a click still selects."""
    with live(brick()) as view:
        clean.open(view.url)
        wait(clean, "viewer.player.frames > 0")
        x, y, *start = place(clean, "brick")
        camera = clean.run("viewer.stage.view.camera.position.toArray()")
        drag(clean, (x, y), (70, -50))
        assert clean.run("viewer.grab.arrow.visible") is True
        body = "viewer.machines[0].point(viewer.data.films[0].bodies.length - 1)"
        wait(clean, f"{body}.length() > 0.05")
        mouse(clean, "mouseReleased", x + 70, y - 50, buttons=0, clickCount=1)
        assert clean.run("viewer.grab.arrow.visible") is False
        there = np.array(place(clean, "brick"))
        assert there[0] > x + 5 and there[1] < y - 3
        assert np.linalg.norm(there[2:] - start) > 0.05
        assert clean.run("viewer.stage.view.camera.position.toArray()") == camera
        assert clean.run("document.getElementById('details').hidden") is True
        clean.run("viewer.player.stop(); setTimeout(() => viewer.player.stop(), 300)")
        wait(clean, "viewer.player.time === 0 && !viewer.player.playing")
        spot = place(clean, "brick")[:2]
        mouse(clean, "mousePressed", *spot, clickCount=1)
        mouse(clean, "mouseReleased", *spot, buttons=0, clickCount=1)
        assert text(clean, "details-name") == "brick"
        drag(clean, (380, 230), (-60, 0))  # beside it: the camera turns
        mouse(clean, "mouseReleased", 320, 230, buttons=0, clickCount=1)
        assert clean.run("viewer.stage.view.camera.position.toArray()") != camera


def test_a_fault_is_shown_as_text(clean):
    """The page tells what went wrong, and can start over."""

    def controller(t, state):
        if 0.05 < t < 0.06:
            raise RuntimeError("<img src=x onerror=\"document.title='owned'\">")
        return [0.0]

    with live(pendulum("<b>rod</b>"), q0=[1.0], controller=controller) as view:
        clean.open(view.url)
        wait(clean, "viewer.player.error")
        assert text(clean, "status").startswith("RuntimeError: <img src=x")
        assert clean.run("document.querySelectorAll('img, h1 b').length") == 0
        assert clean.run("document.title") == "<b>rod</b>" and isinstance(view.error, RuntimeError)
        clean.key("0")
        wait(clean, "!viewer.player.error && viewer.player.time === 0")


def test_a_scene_shows_its_contacts(clean):
    """Arrows that lift a box at its corners, on the floor that the plane is drawn as."""
    scene = ph.Scene("box").add_fixed("ground", Plane(), position=(0, 0, -0.5))
    scene = scene.add_body("box", Box((0.4, 0.4, 0.4)), mass=2.0, position=(0, 0, -0.29))
    with live(scene.contact(mu_coulomb=0.5)) as view:
        clean.open(view.url)
        wait(clean, "viewer.player.time > 0.2")
        clean.key("f")
        wait(clean, "viewer.machines[0].contacts(0).length === 24")
        rows = np.array(clean.run("[...viewer.machines[0].contacts(0)]")).reshape(-1, 6)
        assert np.allclose(rows[:, 2], -0.5, atol=1e-3) and rows[:, 5].min() > 0.0
        assert rows[:, 5].sum() == pytest.approx(2.0 * 9.81, rel=1e-3)
        arrows = "viewer.overlays.built.get('contacts')[0].children.filter(a => a.visible).length"
        wait(clean, f"{arrows} === 4")
        assert clean.run("viewer.machines[0].levelPlanes()[0].visible") is False
