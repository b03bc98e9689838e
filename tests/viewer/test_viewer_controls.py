"""Every key, button and mouse action of the page, in a real browser."""

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, FloatingBase, Model, Revolute, Visual
from polhode.spatial import Transform

SHIFT, CONTROL = 8, 2
HULL = (
    "const v = viewer.stage.view, p = viewer.machines[0].point("
    "viewer.data.films[0].bodies.indexOf('hull'));"
    " v.camera.updateMatrixWorld(); p.project(v.camera);"
)


def glider():
    """A box that flies off sideways, with a paddle."""
    look = (Visual(Box((0.4, 0.2, 0.1)), color=(0.2, 0.4, 0.8, 1.0)),)
    paddle = (Visual(Box((0.05, 0.05, 0.4)), Transform.translation(0, 0, -0.2)),)
    return (
        Model("glider", gravity=(0.0, 0.0, 0.0))
        .add("hull", joint=FloatingBase(), mass=2.0, inertia=(0.1, 0.1, 0.1), visuals=look)
        .append(
            "paddle", joint=Revolute.x(), frame=Transform.translation(0.25, 0.0, 0.0), mass=0.2,
            com=(0, 0, -0.2), inertia=(0.01, 0.01, 0.01), visuals=paddle,
        )
    )  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    model = glider()
    qd = np.zeros(model.nv)
    qd[:3] = 1.0, 0.5, 0.0
    run = ph.simulate(model, 4.0, qd0=qd)
    path = tmp_path_factory.mktemp("pages") / "glider.html"
    page = ph.show(
        run, path, open_browser=False, about={"author": "<b>me</b>"},
        signals={"gap [mm]": np.arange(len(run.times))},
    )  # fmt: skip
    return page.as_uri() + "#theme=light"


@pytest.fixture
def page(turn_to, address):
    """The page of a glider, where no pixel is looked at."""
    yield from at_rest(turn_to(address, is_drawn=False))


@pytest.fixture
def drawn(turn_to, address):
    """That page where the picture counts."""
    yield from at_rest(turn_to(address))


def at_rest(opened):
    opened.run(
        "(() => { const v = viewer; v.panel.close(); v.picker.select(null); v.player.pause();"
        " v.player.loop = true; v.player.reversed = false; v.player.setSpeed(1);"
        " v.seek(1); v.setTracking(true);"
        " v.stage.levels.sun = 6; v.stage.levels.lamp = 0; v.reset(); })()"
    )
    yield opened
    assert opened.errors == []


def number(page, expression):
    return page.run(f"Number({expression})")


def view(page):
    """Where the camera is and looks."""
    return np.array(page.run("[...viewer.stage.view.camera.position, ...viewer.stage.view.target]"))


def distance(page):
    at = view(page)
    return np.linalg.norm(at[:3] - at[3:])


@pytest.mark.parametrize(
    ("key", "modifiers", "step"),
    [("m", 0, 0.04), ("n", 0, -0.04), ("M", SHIFT, 0.004), ("N", SHIFT, -0.004),
     ("m", CONTROL, 0.0004), ("n", CONTROL, -0.0004), ("]", 0, 1 / 60), ("[", 0, -1 / 60)],
)  # fmt: skip
def test_keys_that_jog_time(page, key, modifiers, step):
    """By 1, 0.1 and 0.01 percent of the whole, and by frames."""
    page.key(key, modifiers=modifiers)
    assert number(page, "viewer.player.time") == pytest.approx(1.0 + step, abs=1e-9)


def test_keys_that_play(page):
    """Play, stop twice, speed, reverse, repeat, start and end."""
    page.key(" ")
    assert page.run("viewer.player.playing") is True
    page.key("0")
    stopped = number(page, "viewer.player.time")
    assert page.run("viewer.player.playing") is False and stopped > 0.0
    page.key("0")
    assert number(page, "viewer.player.time") == 0.0
    page.key(".")
    assert number(page, "viewer.player.speed") == pytest.approx(1.25)
    page.key(",")
    page.key(",")
    assert number(page, "viewer.player.speed") == pytest.approx(0.8)
    page.key("/")
    assert page.run("viewer.player.reversed") is True
    page.key("1")
    assert page.run("[viewer.player.speed, viewer.player.reversed]") == [1, False]
    page.key("r")
    assert page.run("viewer.player.loop") is False
    page.key("End")
    assert number(page, "viewer.player.time") == pytest.approx(4.0)
    page.key("Home")
    assert number(page, "viewer.player.time") == 0.0


def test_the_end_of_time(page):
    """Without repeat it stops at the end and rewinds on play; with it wraps both ways."""
    start, go = (
        "Object.assign(viewer.player, {%s, playing: true}); ",
        "viewer.player.advance(0.1); ",
    )
    rest = "viewer.player.playing = false"
    page.run(start % "loop: false, time: 3.95" + go)
    assert page.run("[viewer.player.time, viewer.player.playing]") == [4, False]
    page.run("viewer.player.play(); viewer.player.playing = false")
    assert number(page, "viewer.player.time") == 0.0
    page.run(start % "loop: true, time: 3.95" + go + rest)
    assert number(page, "viewer.player.time") == pytest.approx(0.05)
    page.run(start % "time: 0.05, reversed: true" + go + rest)
    assert number(page, "viewer.player.time") == pytest.approx(3.95)


def test_keys_that_move_the_camera(page):
    """Arrows pan, with shift turn, with control roll and zoom; z and Z zoom; i undoes it all."""
    start = view(page)
    page.key("ArrowLeft")
    moved = view(page)
    assert np.allclose(moved[:3] - start[:3], moved[3:] - start[3:]) and np.any(moved != start)
    page.key("ArrowRight")
    assert np.allclose(view(page), start, atol=1e-9)
    far = distance(page)
    page.key("ArrowUp", modifiers=SHIFT)
    page.key("ArrowRight", modifiers=SHIFT)
    assert distance(page) == pytest.approx(far) and np.any(view(page)[:3] != start[:3])
    page.key("z")
    assert distance(page) == pytest.approx(far / 1.02)
    page.key("Z", modifiers=SHIFT)
    page.key("ArrowUp", modifiers=CONTROL)
    assert distance(page) == pytest.approx(far / 1.02)
    page.key("ArrowDown", modifiers=CONTROL)
    page.key("ArrowLeft", modifiers=CONTROL)
    assert number(page, "viewer.stage.view.roll") == pytest.approx(np.pi / 90)
    page.key("i")
    assert np.allclose(view(page), start, atol=1e-9)
    assert number(page, "viewer.stage.view.roll") == 0.0


def test_keys_that_light(page):
    """Two lights of twelve levels each."""
    for key, light, modifiers, level in (
        ("l", "lamp", 0, 1), ("L", "lamp", SHIFT, 0), ("o", "sun", 0, 7), ("O", "sun", SHIFT, 6),
    ):  # fmt: skip
        page.key(key, modifiers=modifiers)
        assert number(page, f"viewer.stage.levels.{light}") == level
    page.run("viewer.stage.brighten('sun', 99)")
    assert number(page, "viewer.stage.levels.sun") == 11


@pytest.mark.parametrize("key", ["a", "j", "c", "x", "w"])
def test_keys_that_overlay(drawn, key):
    """Each overlay changes the picture and goes again."""
    picture = "viewer.draw(); document.getElementById('stage').toDataURL()"
    plain = drawn.run(picture)
    drawn.key(key)
    assert drawn.run(picture) != plain
    drawn.key(key)
    assert drawn.run(picture) == plain


def test_keys_that_switch(page):
    """Ground, plots, theme, controls, help; escape closes what is open."""
    page.key("g")
    assert page.run("viewer.stage.floor.group.visible") is False
    page.key("g")
    before = page.run("viewer.plotsShown")
    page.key("e")
    assert page.run("viewer.plotsShown") is not before
    page.key("e")
    page.key("d")
    assert page.run("document.documentElement.dataset.theme") == "dark"
    page.key("d")
    page.key("p")
    assert page.run("getComputedStyle(document.getElementById('bar')).display") == "none"
    page.key("p")
    page.key("h")
    assert page.run("document.getElementById('keys').hidden") is False
    assert "repeat" in page.run("document.getElementById('keys').textContent")
    page.key("Escape")
    assert page.run("document.getElementById('keys').hidden") is True
    page.key("?", modifiers=SHIFT)
    assert page.run("document.getElementById('keys').hidden") is False


def test_the_tracked_body_stays_put_on_the_screen(page):
    """A horizontal flight is followed; without tracking the body moves through the picture."""

    def place():
        return np.array(page.run(
            f"(() => {{ {HULL} return p.toArray(); }})()"
        ))  # fmt: skip

    page.run("viewer.seek(0)")
    first = place()
    page.run("viewer.seek(3.5)")
    assert np.allclose(place(), first, atol=1e-4)
    page.key("t")
    page.run("viewer.seek(0)")
    assert np.abs(place() - first).max() > 0.1


def test_buttons_and_sliders(page):
    """Each control does what its key does; the fine slider moves by a hundredth."""
    click = "document.getElementById('{}').click()".format
    page.run(click("rewind"))
    assert number(page, "viewer.player.time") == 0.0
    page.run(click("loop"))
    assert page.run("document.getElementById('loop').getAttribute('aria-pressed')") == "false"
    page.run(click("speed"))
    assert page.run("document.getElementById('tempo').hidden") is False
    page.run(click("reverse"))
    assert page.run("document.getElementById('speed').textContent") == "\u22121\u00d7"
    change = (
        "(() => { const s = document.getElementById('%s'); s.value = %s;"
        " s.dispatchEvent(new Event('input')); })()"
    )
    page.run(change % ("speed-slider", 1))
    assert number(page, "viewer.player.speed") == pytest.approx(20.0)
    page.run(change % ("speed-slider", 0))
    assert number(page, "viewer.player.speed") == pytest.approx(0.001)
    assert page.run("document.getElementById('now').textContent") == "0.00000"
    page.run("viewer.seek(2)")
    page.run(change % ("fine", 0.5))
    assert number(page, "viewer.player.time") == pytest.approx(2.0 + 0.5 * 0.01 * 4.0)
    page.run(click("layer"))
    page.run(click("layer-com"))
    assert page.run("viewer.overlays.shown.has('com')") is True
    page.run(click("layer-com"))
    assert page.run("document.getElementById('layer-contacts').hidden") is True


def test_the_mouse(page):
    """Left turns, wheel zooms, with left refocuses; a click selects; the right one has a menu."""
    width, height = page.run("[innerWidth, innerHeight]")

    def mouse(kind, x, y, **more):
        page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    start, far = view(page), distance(page)
    middle = (0.5 * width, 0.3 * height)
    mouse("mousePressed", *middle, button="left", buttons=1, clickCount=1)
    mouse("mouseMoved", middle[0] + 40, middle[1], button="left", buttons=1)
    mouse("mouseReleased", middle[0] + 40, middle[1], button="left", clickCount=1)
    assert distance(page) == pytest.approx(far) and np.any(np.abs(view(page) - start) > 1e-3)
    page.run("viewer.reset()")
    mouse("mouseWheel", *middle, deltaX=0, deltaY=120)
    assert distance(page) > 1.01 * far
    page.run("viewer.reset()")
    mouse("mouseWheel", *middle, deltaX=0, deltaY=120, button="left", buttons=1)
    assert np.allclose(view(page)[:3], start[:3]) and distance(page) == pytest.approx(1.1 * far)
    page.run("viewer.reset()")
    spot = page.run(
        f"(() => {{ {HULL} return [(p.x + 1) / 2 * innerWidth, (1 - p.y) / 2 * innerHeight]; }})()"
    )
    mouse("mousePressed", *spot, button="left", buttons=1, clickCount=1)
    mouse("mouseReleased", *spot, button="left", clickCount=1)
    assert page.run("document.getElementById('details-name').textContent") == "hull"
    speeds = page.run("document.getElementById('details-velocity').textContent").split()
    assert [float(x) for x in speeds[:2]] == pytest.approx([1.0, 0.5], abs=0.02)
    mouse("mousePressed", *spot, button="right", buttons=2, clickCount=1)
    mouse("mouseReleased", *spot, button="right", clickCount=1)
    # A browser without a window opens no menus by itself.
    page.run(
        "viewer.stage.canvas.dispatchEvent(new MouseEvent('contextmenu',"
        f" {{clientX: {spot[0]}, clientY: {spot[1]}, cancelable: true}}))"
    )
    assert page.run("document.getElementById('menu').hidden") is False
    assert page.run("document.getElementById('menu-name').textContent") == "hull"
    page.run("document.getElementById('menu-about').click()")
    assert "<b>me</b>" in page.run("document.getElementById('about').textContent")
    assert page.run("document.querySelectorAll('#about b').length") == 0


def test_plots_side_by_side(page):
    """One more and one less at a time, each with another signal, with numbers on both axes."""
    page.run("viewer.setPlots(true)")
    count = "document.querySelectorAll('#plots figure').length"
    assert page.run(count) == 1
    page.run("document.querySelector('#plots > button').click()")
    assert page.run("viewer.plots.shown.map(c => c.k)") == [0, 1]
    texts = (
        "[...document.querySelectorAll('#plots figure:first-child .{}')].map(t => t.textContent)"
    )
    values = [float(t.replace("\u2212", "-")) for t in page.run(texts.format("value"))]
    assert len(values) > 1 and values == sorted(values) and values[-1] <= 400.0
    times = [float(t.removesuffix(" s")) for t in page.run(texts.format("time"))]
    assert len(times) > 1 and times[0] == 0.0 and times[-1] <= 4.0
    lines = page.run("document.querySelectorAll('#plots figure:last-child polyline').length")
    assert lines == 3  # total, kinetic, potential energy
    page.run("viewer.plots.shown[1].remove.click()")
    assert page.run(count) == 1


def test_plots_are_chosen_and_seek(page):
    """Every recorded signal is offered, and a press on the plot moves time."""
    page.run("viewer.setPlots(true)")
    offered = page.run("[...document.querySelectorAll('#plots option')].map(o => o.textContent)")
    assert offered[0] == "gap [mm]" and offered[1] == "energy [J]"
    assert any(name.startswith("velocity") for name in offered)
    page.run("viewer.plots.shown[0].choose(0); viewer.seek(1)")
    assert page.run("document.querySelector('#plots dd').textContent") == "100 mm"
    box = page.run(
        "(() => { const b = document.querySelector('#plots .area').getBoundingClientRect();"
        " return [b.left, b.top, b.width, b.height]; })()"
    )
    page.send(
        "Input.dispatchMouseEvent", type="mousePressed", x=box[0] + 0.75 * box[2],
        y=box[1] + 0.5 * box[3], button="left", buttons=1, clickCount=1,
    )  # fmt: skip
    assert number(page, "viewer.player.time") == pytest.approx(3.0, abs=0.02)
    page.send("Input.dispatchMouseEvent", type="mouseReleased", x=box[0], y=box[1], button="left")
