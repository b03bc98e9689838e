"""The page in a real browser: it draws, plays, seeks, obeys keys, and trusts no name."""

import time

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Capsule, FloatingBase, Model, Revolute, Sphere, Visual
from polhode.spatial import Transform

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><!--\u2028&lt;b&gt;"


def pendulum(name="pendulum"):
    look = (Visual(Capsule(0.05, 0.9), Transform.translation(0, 0, -0.5), (0.9, 0.4, 0.1, 1.0)),)
    return Model(name).add(
        name, joint=Revolute.x(), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01), visuals=look
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The page of a swinging pendulum."""
    path = tmp_path_factory.mktemp("pages") / "swing.html"
    return ph.simulate(pendulum(), 2.0, q0=[1.5]).to_html(path).as_uri() + "#t=0.25&theme=light"


@pytest.fixture
def swing(turn_to, address):
    """That page at its start."""
    browser = turn_to(address)
    browser.run("viewer.seek(0); viewer.setTheme('light'); viewer.reset()")
    return browser


def picture(browser, t):
    return browser.run(f"viewer.seek({t}); document.getElementById('stage').toDataURL()")


def test_the_page_draws_without_errors_or_requests(swing):
    """No console error, nothing asked of the network, and something on the canvas."""
    blank = swing.run(
        "(() => { const c = document.createElement('canvas'), s = document.getElementById('stage');"
        " c.width = s.width; c.height = s.height; return c.toDataURL(); })()"
    )
    assert picture(swing, 0.4) != blank
    assert swing.errors == []
    assert all(url.startswith(("file:", "blob:", "data:")) for url in swing.requests)
    assert swing.run("document.getElementById('failure').hidden")


def test_seek_is_deterministic_and_changes_the_picture(swing):
    """The same time gives the same picture, another time another one."""
    first, second = picture(swing, 0.3), picture(swing, 0.9)
    assert first != second
    assert picture(swing, 0.3) == first
    assert swing.run("document.getElementById('now').textContent") == "0.30"


def test_a_canvas_that_was_taken_away_comes_back(swing):
    """A graphics card may be reset at any time; what was drawn is drawn again, by itself."""
    before = picture(swing, 0.3)
    swing.run(
        "window.card = document.getElementById('stage').getContext('webgl2')"
        ".getExtension('WEBGL_lose_context'); card.loseContext()"
    )
    assert picture(swing, 0.3) != before
    drawn = "new Promise(done => stage.addEventListener('webglcontextrestored', () => done(1)))"
    swing.run(f"window.stage = document.getElementById('stage'); window.back = {drawn}")
    swing.run("card.restoreContext()")
    swing.send("Runtime.evaluate", expression="back", awaitPromise=True)
    assert swing.run("stage.toDataURL()") == before
    assert picture(swing, 0.9) != before
    assert swing.errors == []


def test_play_and_pause(swing):
    """Time runs after play and stands after pause."""
    assert swing.run("viewer.player.playing") is False
    swing.run("document.getElementById('play').click()")
    patience = time.monotonic() + 20.0
    while not (moved := swing.run("viewer.player.time")) and time.monotonic() < patience:
        time.sleep(0.05)
    swing.run("document.getElementById('play').click()")
    stopped = swing.run("viewer.player.time")
    time.sleep(0.2)
    assert moved > 0.0
    assert swing.run("viewer.player.time") == stopped


def test_slider_and_keys(swing):
    """The slider seeks; space, arrows, home and end do what the help says."""
    swing.run(
        "(() => { const s = document.getElementById('seek'); s.value = 1.25;"
        " s.dispatchEvent(new Event('input')); })()"
    )
    assert swing.run("viewer.player.time") == pytest.approx(1.25)
    swing.key("End")
    assert swing.run("viewer.player.time") == pytest.approx(2.0)
    swing.key("Home")
    swing.key("]")
    assert swing.run("viewer.player.time") == pytest.approx(1.0 / 60.0)
    swing.key(" ")
    assert swing.run("viewer.player.playing") is True
    swing.key(" ")
    assert swing.run("viewer.player.playing") is False


def test_themes_axes_and_energies_can_be_switched(swing):
    """Each switch changes what is seen and comes back."""
    light = picture(swing, 0.5)
    swing.key("d")
    assert swing.run("document.documentElement.dataset.theme") == "dark"
    assert picture(swing, 0.5) != light
    swing.key("d")
    swing.key("a")
    assert picture(swing, 0.5) != light
    swing.key("a")
    assert picture(swing, 0.5) == light
    before = swing.run("document.getElementById('plots').hidden")
    swing.key("e")
    assert swing.run("document.getElementById('plots').hidden") is not before
    assert swing.errors == []


def test_names_are_text(browser, open_undrawn_at, tmp_path):
    """Markup in a model's names is shown, never obeyed."""
    page = ph.simulate(pendulum(HOSTILE), 0.1, q0=[1.0]).to_html(tmp_path / "hostile.html")
    open_undrawn_at(page)
    assert browser.run("document.getElementById('title').textContent") == HOSTILE
    assert browser.run("document.title") != "owned"
    assert browser.run("document.getElementsByTagName('img').length") == 0
    assert browser.run("viewer.data.films[0].bodies[1]") == HOSTILE
    browser.run("viewer.seek(0)")
    box = "document.getElementById('stage').getBoundingClientRect()"
    for fx in np.linspace(0.2, 0.8, 19):
        for fy in np.linspace(0.2, 0.8, 15):
            browser.run(
                f"document.getElementById('stage').dispatchEvent(new PointerEvent('pointermove',"
                f" {{clientX: {fx} * {box}.width, clientY: {fy} * {box}.height}}))"
            )
            if browser.run("!document.getElementById('label').hidden"):
                assert browser.run("document.getElementById('label').textContent") == HOSTILE
                assert browser.errors == []
                return
    raise AssertionError("the machine was not found under the mouse")


def test_a_model_alone_moves_its_joints_in_turn(browser, open_at, tmp_path):
    """Without visuals it is drawn from its joints and inertia; without freedom it is still."""
    brick = Model("brick").add("brick", joint=FloatingBase(), mass=1.0, inertia=(1, 2, 2.5))
    open_at(ph.show(brick, tmp_path / "brick.html", open_browser=False))
    assert browser.run("viewer.player.duration") == pytest.approx(6.0)
    assert picture(browser, 0.0) != picture(browser, 0.5)
    stone = Model("stone").add("stone", visuals=[Visual(Sphere(0.3)), Visual(Box((1, 1, 0.1)))])
    open_at(ph.show(stone, tmp_path / "stone.html", open_browser=False))
    assert browser.run("viewer.player.duration") == 0
    assert browser.run("getComputedStyle(document.getElementById('seek')).display") == "none"
    assert browser.errors == []


def test_worlds_stand_side_by_side(browser, open_undrawn_at, tmp_path):
    """A batch is drawn as a grid of machines, each in its own state."""
    run = ph.simulate(pendulum(), 0.5, q0=np.linspace(-1, 1, 6)[:, None])
    open_undrawn_at(run.to_html(tmp_path / "many.html"))
    places = browser.run("viewer.machines[0].worlds.map(w => w[0].position.toArray())")
    assert len({tuple(np.round(p, 6)) for p in places}) == 6
    turns = browser.run("viewer.seek(0), viewer.machines[0].worlds.map(w => w[1].quaternion.x)")
    assert np.allclose(turns, np.sin(0.5 * np.linspace(-1, 1, 6)), rtol=0, atol=2**-15)
    assert browser.errors == []


def test_a_still_opens_at_its_time(undrawn, address):
    """What the address asks for is what is shown."""
    undrawn.open(address)
    assert undrawn.run("viewer.player.time") == 0.25
    assert undrawn.run("document.documentElement.dataset.theme") == "light"
