"""Springs and dampers in the page: their ends move with the bodies, and are in the picture."""

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Fixed, Plane, Revolute, Sphere
from polhode.spatial import Transform, Vec3, rotation_x
from polhode.viewer.film import film_of
from polhode.viewer.framing import frame_films, usual_direction

STIFFNESS, REST = 200.0, 0.6
ANCHOR, EYE = (0.1, 0.2, 0.3), (0.08, 0.0, 0.1)


def scene():
    """A ball that hangs on a spring, a box under it on a spring and a damper; a bushing."""
    made = ph.Scene("hung").add_fixed("ground", Plane(), position=(0, 0, -4)).contact()
    made = made.add_body("ball", Sphere(0.1), mass=2.0, position=(0.3, 0, -1.0))
    made = made.add_body("box", Box((0.2, 0.2, 0.2)), mass=1.0, position=(0.5, 0, -1.8))
    made = made.add_spring(
        "upper", None, ("ball", "ball"), point_a=ANCHOR, table=[(0.5, -50.0), (1.0, 0.0)]
    )
    made = made.add_spring(
        "lower", ("ball", "ball"), ("box", "box"), point_b=EYE,
        stiffness=STIFFNESS, rest_length=REST,
    )  # fmt: skip
    made = made.add_damper("strut", ("ball", "ball"), ("box", "box"), damping=2.0)
    return made.add_bushing("rubber", ("ground", "ground"), ("box", "box"), stiffness=(1e-9,) * 6)


@pytest.fixture(scope="module")
def run():
    return ph.simulate(scene(), 0.5, progress=False)


@pytest.fixture(scope="module")
def film(run):
    """One frame for each record."""
    return film_of(run, fps=1.0 / (run.times[1] - run.times[0]), most=10**6)


def places_of(film, end):
    """Of one end in all frames (T, 3)."""
    body, point = end
    poses = film.poses[:, 0, body - 1] if body else np.broadcast_to(np.eye(4), (1, 4, 4))
    return poses[:, :3, :3] @ np.array(point) + poses[:, :3, 3]


def test_springs_are_coils_and_dampers_struts(film):
    """A bushing has no length and is not drawn; a table is as good as a stiffness."""
    kinds = {row["name"]: row["kind"] for row in film.springs}
    assert kinds == {"upper": "coil", "lower": "coil", "strut": "strut"}
    lengths = {row["name"]: row["size"][1] for row in film.springs}
    start = np.linalg.norm(np.array((0.3, 0, -1.0)) - ANCHOR)
    assert lengths["lower"] == REST and lengths["upper"] == pytest.approx(start)


def test_ends_are_where_the_forces_act(run, film):
    """Lengths between the ends have the energy that the run has, and one end does not move."""
    rows = {row["name"]: row for row in film.springs}
    ends = [places_of(film, end) for end in rows["lower"]["ends"]]
    lower = 0.5 * STIFFNESS * (np.linalg.norm(ends[1] - ends[0], axis=1) - REST) ** 2
    upper = [places_of(film, end) for end in rows["upper"]["ends"]]
    assert np.array_equal(upper[0], [ANCHOR])
    stretch = np.linalg.norm(upper[1] - upper[0], axis=1) - 0.5
    total = lower - 50.0 * stretch + 50.0 * stretch**2
    assert np.allclose(total, run.elastic, rtol=1e-9, atol=1e-7)
    assert np.ptp(total) > 1.0


def test_ends_on_links_that_are_fixed_to_others():
    """A spring from the world to a link that is fixed, turned and shifted, on one that swings."""
    model = ph.Model("arm").add("arm", joint=Revolute.y(), mass=1.0, com=(0, 0, -0.5))
    turned = Transform(rotation_x(0.7), Vec3(0.3, 0.2, -0.5))
    model = model.append("hand", joint=Fixed(), frame=turned, mass=0.5)
    hung = ph.Scene("hung").add_machine(model, "arm", q=(0.3,))
    hung = hung.add_spring(
        "s", None, ("arm", "hand"), point_a=ANCHOR, point_b=(0.1, 0.2, 0.3), stiffness=STIFFNESS
    )
    run = ph.simulate(hung, 0.2, progress=False)
    film = film_of(run, fps=1.0 / (run.times[1] - run.times[0]), most=10**6)
    (row,) = film.springs
    stretch = np.linalg.norm(places_of(film, row["ends"][1]) - ANCHOR, axis=1)
    assert np.allclose(0.5 * STIFFNESS * stretch**2, run.elastic, rtol=1e-9)
    assert np.ptp(stretch) > 0.01 and row["size"][1] == pytest.approx(stretch[0])


def test_a_picture_shows_the_ends(film):
    """The highest thing to be seen is where the upper spring hangs."""
    up = np.array(film.up)
    framing = frame_films([film], np.zeros((1, 3)), up, direction=usual_direction(up))
    highest = framing.spheres[np.argmax(framing.spheres[:, 2])]
    assert np.allclose(highest[:3], ANCHOR, atol=1e-6)
    bare = ph.Scene("bare").add_body("ball", Sphere(0.1), mass=2.0)
    assert film_of(bare, fps=60.0, most=10**6).springs == []


def test_springs_are_drawn_between_their_ends(browser, open_at, film, run, tmp_path):
    """Both ends of each are where they belong, whatever time is shown first and next."""
    open_at(ph.show(run, tmp_path / "run.html", open_browser=False), 0.3)
    tips = """viewer.machines[0].stretched.map(({ object, length }) => {
      const v = object.position;
      return [[0, 0, 0], [0, 0, length]].map((p) => viewer.machines[0].root.worldToLocal(
        object.localToWorld(v.clone().fromArray(p))).toArray());
    })"""
    for k in (30, 0, 45):
        browser.run(f"viewer.seek({k * film.step})")
        drawn = np.array(browser.run(tips))
        wanted = [[places_of(film, end)[k if end[0] else 0] for end in row["ends"]]
                  for row in film.springs]  # fmt: skip
        assert np.allclose(drawn, wanted, atol=2e-4)
    picture = "viewer.draw(); document.getElementById('stage').toDataURL()"
    shown = browser.run(picture)
    browser.run("viewer.machines[0].stretched.forEach(s => { s.object.visible = false; })")
    assert browser.run(picture) != shown
    assert browser.errors == []
