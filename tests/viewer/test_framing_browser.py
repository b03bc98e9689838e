"""The picture shows everything: each body of the first scenes and of the gallery, in a browser."""

import runpy
import sys

import numpy as np
import pytest

import polhode as ph
from polhode.examples import path, scripts
from viewer import first_scenes

SIZE = (320, 200)
TIMES = 10
LEAST = 12  # pixels of a scene that may be small in its picture
GALLERY = path("scenes")
SECONDS = {"11_pile": 0.2}  # that are simulated of a scene; 1.5 of the others
# Corners of what is drawn, as three.js bounds it, and of balls what is drawn, in pixels; depth
# beyond 1 is behind the camera.  The fourth number is the height on the stage.  Nothing is drawn
# meanwhile.
CORNERS = """(times) => {
  const { stage, world } = viewer, { camera } = stage.view, render = stage.render;
  stage.render = () => {};
  const found = times.map((t) => {
    viewer.seek(t);
    camera.updateMatrixWorld();
    const here = [];
    world.traverse((object) => {
      if (!object.userData.shape || object.userData.endless) return;
      const { geometry } = object, { position } = geometry.attributes;
      if (!geometry.boundingBox) geometry.computeBoundingBox();
      const { min, max } = geometry.boundingBox, isBall = geometry.type === "SphereGeometry";
      for (let k = 0; k < (isBall ? position.count : 8); k++) {
        const p = world.position.clone();
        if (isBall) p.fromBufferAttribute(position, k);
        else p.set(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z);
        const height = p.applyMatrix4(object.matrixWorld).y;
        p.project(camera);
        here.push([(p.x + 1) / 2 * innerWidth, (1 - p.y) / 2 * innerHeight, p.z, height]);
      }
    });
    return here;
  });
  stage.render = render;
  return found;
}"""
# How many pixels the bodies change; the floor and its shadows are left out.
CHANGED = """(times) => {
  const { stage, world } = viewer, { canvas, floor } = stage;
  const flat = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d",
    { willReadFrequently: true });
  const look = () => {
    viewer.draw();
    flat.clearRect(0, 0, canvas.width, canvas.height);
    flat.drawImage(canvas, 0, 0);
    return flat.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  floor.group.visible = world.visible = false;
  const bare = look();
  world.visible = true;
  const counts = times.map((t) => {
    viewer.player.time = t;
    const full = look();
    let count = 0;
    for (let k = 0; k < full.length; k += 4) {
      const step = (j) => Math.abs(full[k + j] - bare[k + j]);
      count += step(0) + step(1) + step(2) + step(3) > 24;
    }
    return count;
  });
  floor.group.visible = viewer.ground;
  return counts;
}"""
PANELS = """['header', '#bar', '#plots', '#details'].map((name) => document.querySelector(name))
  .filter((e) => e.getBoundingClientRect().width > 0)
  .map((e) => e.getBoundingClientRect()).map((b) => [b.left, b.top, b.right, b.bottom])"""
SCENES = (
    "dropped_ball", "falling_ball", "thrown_box", "one_pendulum", "high_pendulum", "arm",
    "walker_that_walks_off", "many_worlds", "two_pendulums",
)  # fmt: skip


@pytest.fixture
def opened(undrawn, tmp_path):
    """Opens the page of a motion in a window of a size, at its start; nothing is drawn."""
    yield from opener(undrawn, tmp_path)


@pytest.fixture
def drawn(browser, tmp_path):
    """The same where the pixels count."""
    yield from opener(browser, tmp_path)


def opener(browser, tmp_path):
    def opened(subject, wishes="", size=SIZE, **options):
        browser.resize(*size)
        page = ph.show(subject, tmp_path / "page.html", open_browser=False, **options)
        browser.open(f"{page.as_uri()}#theme=light{wishes}")
        browser.run("viewer.pause(); viewer.seek(0)")
        return browser

    yield opened
    assert browser.errors == []
    browser.resize(400, 300)


@pytest.fixture
def gallery_page(tmp_path, monkeypatch):
    """The page that a scene of the gallery writes, with the beginning of its motion."""

    def gallery_page(name):
        simulate, most = ph.simulate, SECONDS.get(name, 1.5)
        monkeypatch.setattr(
            ph, "simulate", lambda scene, time, **how: simulate(scene, min(time, most), **how)
        )
        monkeypatch.setattr(sys, "argv", [name, "--output", str(tmp_path)])
        runpy.run_path(str(GALLERY / f"{name}.py"), run_name="__main__")
        return tmp_path / name / "animation.html"

    return gallery_page


def at_times(browser, function, count=TIMES):
    """What a function of the page says at some times, ten by default."""
    times = np.linspace(0.0, browser.run("viewer.player.duration"), count)
    return times, browser.run(f"({function})({times.tolist()})")


def assert_all_is_seen(browser, size, panels=()):
    """Every corner lies in the picture, in front of the camera and beside the panels."""
    for t, corners in zip(*at_times(browser, CORNERS), strict=True):
        x, y, depth, _ = np.array(corners).T
        assert depth.max() < 1.0
        assert x.min() >= 0.0 and x.max() <= size[0], f"t = {t}: x from {x.min()} to {x.max()}"
        assert y.min() >= 0.0 and y.max() <= size[1], f"t = {t}: y from {y.min()} to {y.max()}"
        for left, top, right, bottom in panels:
            covered = (x > left) & (x < right) & (y > top) & (y < bottom)
            assert not covered.any(), f"t = {t}: {covered.sum()} corners under a panel"


@pytest.mark.parametrize("name", SCENES)
def test_a_still_shows_everything(drawn, name):
    """Every corner of every body is in the picture at ten times, and pixels are drawn of it."""
    layout = "beside" if name == "two_pendulums" else "overlay"
    browser = drawn(getattr(first_scenes, name)(), "&bare=1", layout=layout)
    assert_all_is_seen(browser, SIZE)
    assert min(at_times(browser, CHANGED)[1]) > LEAST


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # averages over what has yet to happen
@pytest.mark.parametrize("name", [script.stem for script in scripts() if script.parent == GALLERY])
def test_scenes_of_the_gallery_show_everything(gallery_page, undrawn, name):
    """From the side that the scene chooses."""
    page = gallery_page(name)
    undrawn.resize(*SIZE)
    undrawn.open(f"{page.as_uri()}#theme=light&bare=1")
    undrawn.run("viewer.pause()")
    assert_all_is_seen(undrawn, SIZE)
    assert undrawn.errors == []
    undrawn.resize(400, 300)


@pytest.mark.parametrize("name", ["dropped_ball", "two_pendulums", "arm"])
@pytest.mark.parametrize("size", [(1280, 720), (900, 480)])
def test_panels_cover_nothing(opened, name, size):
    """Neither title, bar nor plots, however wide the window; and all is in the middle."""
    layout = "beside" if name == "two_pendulums" else "overlay"
    browser = opened(getattr(first_scenes, name)(), "", size, layout=layout)
    assert_all_is_seen(browser, size, browser.run(PANELS))
    middle = "viewer.stage.view.target.clone().project(viewer.stage.view.camera).x"
    assert browser.run(middle) == pytest.approx(0.0, abs=1e-6)


def test_ball_and_ground_are_seen_together(opened):
    """The ball starts high above the floor: the floor below it is in the picture, too."""
    browser = opened(first_scenes.dropped_ball(), "&bare=1")
    floor = "viewer.stage.floor.group.children[0].getWorldPosition(viewer.world.position.clone()).y"
    assert browser.run(floor) == pytest.approx(0.0, abs=0.01)
    below = browser.run(
        "(() => { const p = viewer.machines[0].point(viewer.data.films[0].bodies.indexOf("
        "'ball/ball')).setY(0).project(viewer.stage.view.camera); return [p.x, p.y]; })()"
    )
    assert np.abs(below).max() < 1.0


def test_a_pendulum_swings_above_the_floor(opened):
    """The floor lies at the lowest point of the whole motion, not of its start."""
    browser = opened(first_scenes.high_pendulum(), "&bare=1")
    heights = np.array(at_times(browser, CORNERS, 100)[1])[..., 3].min(axis=1)
    floor = browser.run("viewer.stage.floor.group.children[0].position.y")
    assert heights[0] > floor + 0.5
    assert heights.min() - 0.1 < floor < heights.min()
    assert browser.run("viewer.tracking") is False


def test_what_walks_off_is_followed_and_stays_large(opened):
    """A walker that goes far fills the picture as well as one that stays."""

    def height(metres):
        browser = opened(first_scenes.walker_that_walks_off(metres), "&bare=1")
        y = np.array(browser.run(f"({CORNERS})([3])"))[0, :, 1]
        return np.ptp(y), browser.run("viewer.tracking")

    (far, follows), (near, stays) = height(50.0), height(0.0)
    assert follows is True and stays is False
    assert far > 0.6 * near > 0.3 * SIZE[1]


def test_a_window_that_changes_still_shows_everything(opened):
    """As long as nobody has moved the camera; then it is theirs."""
    browser = opened(first_scenes.two_pendulums(), layout="beside")
    browser.resize(420, 700)
    assert_all_is_seen(browser, (420, 700), browser.run(PANELS))
    browser.key("z")
    near = browser.run("viewer.stage.view.camera.position.toArray()")
    browser.resize(700, 420)
    assert browser.run("viewer.stage.view.camera.position.toArray()") == near


@pytest.mark.parametrize("up", [(0, 1, 0), (0.6, 0, -0.8), (0, 0, -1)])
@pytest.mark.parametrize("direction", [(1, 0, 0.2), (0.1, 0.2, 1)])
def test_every_direction_shows_everything(opened, up, direction):
    """A camera that only says from where to look."""
    camera = {"direction": direction, "up": up}
    browser = opened(first_scenes.high_pendulum(), "&bare=1", camera=camera)
    assert_all_is_seen(browser, SIZE)
