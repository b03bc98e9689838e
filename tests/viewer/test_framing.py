"""What the camera is told: extents of shapes and motions, the floor, and what is followed."""

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, FloatingBase, Model, Plane, Prismatic, Revolute, Sphere, Visual
from polhode.viewer.extents import outline, outlines
from polhode.viewer.film import between, film_of
from polhode.viewer.framing import beside, frame_films, usual_direction
from viewer import first_scenes

UP = np.array((0.0, 0.0, 1.0))
POSE = [0.3, -0.2, 0.5, 0.5, 0.5, -0.5, 0.5]


def directions(count=200):
    found = np.random.default_rng(0).standard_normal((count, 3))
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def framed(*films, **options):
    way = usual_direction(UP)
    return frame_films(films, np.zeros((len(films), 3)), UP, direction=way, **options)


def farthest(spheres, way):
    return (spheres[:, :3] @ way.T + spheres[:, 3:]).max(axis=0)


@pytest.mark.parametrize(
    ("kind", "size", "extent"),
    [
        ("box", [0.4, 0.6, 1.0], (0.2, 0.3, 0.5)), ("sphere", [0.3], (0.3, 0.3, 0.3)),
        ("cylinder", [0.2, 1.0], (0.2, 0.2, 0.5)), ("cone", [0.2, 1.0], (0.2, 0.2, 0.5)),
        ("capsule", [0.2, 1.0], (0.2, 0.2, 0.7)), ("torus", [0.4, 0.1], (0.5, 0.5, 0.1)),
        ("ellipsoid", [0.1, 0.2, 0.3], (0.1, 0.2, 0.3)),
    ],
)  # fmt: skip
def test_an_outline_reaches_as_far_as_its_shape(kind, size, extent):
    """Along its own axes exactly, wherever the shape is on its body."""
    spheres = outline({"kind": kind, "size": size, "pose": POSE, "body": 1})
    axes = np.array(((0, 0, -1), (1, 0, 0), (0, -1, 0)), float)  # as the pose turns them
    for axis, reach in zip(axes, extent, strict=True):
        middle = float(np.array(POSE[:3]) @ axis)
        assert farthest(spheres, axis[None]) == pytest.approx(middle + reach)
        assert farthest(spheres, -axis[None]) == pytest.approx(reach - middle)


def test_an_outline_of_points_is_their_box():
    """Meshes and lines; planes have none."""
    points = np.array(((0, 0, 0), (1, 2, 0), (0.5, 1, -3)), float)
    shape = {"kind": "mesh", "points": points, "pose": [0, 0, 0, 0, 0, 0, 1], "body": 2}
    assert len(outline(shape)) == 8
    assert farthest(outline(shape), np.eye(3)).tolist() == [1, 2, 0]
    assert farthest(outline(shape), -np.eye(3)).tolist() == [0, 0, 3]
    assert outlines([{"kind": "plane", "size": [], "pose": POSE, "body": 0}]) == {}


def test_the_spheres_enclose_the_whole_motion():
    """In every direction to half a percent of what moves."""
    run = first_scenes.high_pendulum()
    film = film_of(run, fps=60.0, most=10**7)
    spheres = framed(film).spheres
    everything = []
    for body, local in outlines(film.shapes).items():
        pose = film.poses[:, 0, body - 1]
        centres = pose[:, None, :3, :3] @ local[None, :, :3, None]
        centres = centres[..., 0] + pose[:, None, :3, 3]
        radii = np.broadcast_to(local[:, 3], centres.shape[:-1])
        everything.append(np.concatenate((centres, radii[..., None]), axis=-1).reshape(-1, 4))
    way = directions()
    short = farthest(np.concatenate(everything), way) - farthest(spheres, way)
    assert -1e-9 < short.max() < 0.005 * 4.0
    assert farthest(spheres, -UP[None]) == pytest.approx(-framed(film).floor)


def test_the_floor_is_the_plane_or_the_lowest_point():
    """The highest level plane; planes that lean or hang on a body are none."""
    film = film_of(first_scenes.falling_ball(), fps=60.0, most=10**7)
    assert framed(film).floor == pytest.approx(3.0 - 0.5 * 9.81 * 1.2**2 - 0.2, abs=0.01)
    scene = ph.Scene("two planes").add_fixed("low", Plane(), position=(0, 0, -2.0))
    scene = scene.add_fixed("high", Plane(), position=(5, 0, -1.0))
    scene = scene.add_fixed("leaning", Plane(), quaternion=(0.96, 0.28, 0, 0))
    scene = scene.add_body("ball", Sphere(0.2), mass=1.0, position=(0, 0, 3.0))
    framing = framed(film_of(scene, fps=60.0, most=10**7))
    assert framing.floor == -1.0
    assert framing.spheres[:, 2].min() == pytest.approx(-1.0)
    assert np.abs(framing.spheres[:, :2]).max() <= 0.2


def moved(model, travel):
    """A recording in which the first coordinate runs up to a travel."""
    step = np.zeros((20, model.nv))
    step[:, 0] = np.linspace(0.0, travel, 20)
    return first_scenes.recording(model, ph.integrate(model, ph.neutral(model), step), 1.0)


def follows(model, travel=9.0):
    return framed(film_of(moved(model, travel), fps=60.0, most=10**7)).follows


def test_only_what_leaves_its_place_is_followed():
    """A floating body, also by massless ones; neither hinges nor sliders, nor a short way."""
    look = {"mass": 1.0, "inertia": (1, 1, 1), "visuals": [Visual(Box((0.5, 0.5, 0.5)))]}
    free = Model("free").add("hull", joint=FloatingBase(), **look)
    planar = Model("planar").add("x", joint=Prismatic.x()).append("z", joint=Prismatic.z())
    planar = planar.append("hull", joint=Revolute.y(), **look)
    cart = Model("cart").add("cart", joint=Prismatic.x(), **look)
    gantry = cart.append("carriage", joint=Prismatic.y(), **look)
    wheel = Model("wheel").add("wheel", joint=Revolute.y(), **look)
    assert follows(free) and follows(planar)
    assert not follows(free, 0.5) and not follows(planar, 0.5)
    assert not any(map(follows, (cart, gantry, wheel)))
    # Beside something that stands nothing has to be left behind.
    post = free.add("post", visuals=[Visual(Box((0.1, 0.1, 1.0)))])
    assert not follows(post)


def test_what_is_followed_stays_where_it_was():
    """Extents are relative to the followed body, in the horizontal plane alone."""
    look = {"mass": 1.0, "inertia": (1, 1, 1), "visuals": [Visual(Sphere(0.5))]}
    film = film_of(moved(Model("m").add("hull", joint=FloatingBase(), **look), 9.0),
                   fps=60.0, most=10**7)  # fmt: skip
    lifted = film.poses.copy()
    lifted[:, 0, -1, 2, 3] = np.linspace(0.0, 2.0, len(lifted))
    object.__setattr__(film, "poses", lifted)
    framing = framed(film)
    assert framing.follows
    assert np.allclose(farthest(framing.spheres, np.eye(3)), (0.5, 0.5, 2.5), atol=1e-9)
    given = framed(film, tracked=(0, np.zeros(3)))
    assert not given.follows and farthest(given.spheres, np.eye(3))[0] == pytest.approx(9.5)


def test_a_picture_of_nothing_has_a_size():
    """A model without bodies, and one whose only body is a point."""
    for model in (Model("empty"), Model("point").add("p", joint=Revolute.x(), mass=1.0)):
        framing = framed(film_of(model, fps=60.0, most=10**6))
        assert farthest(framing.spheres, UP[None]) > 1e-3 and not framing.follows


@pytest.mark.parametrize("up", [(0, 0, 1), (0, 1, 0), (0, -1, 0), (1, 0, 0), (0.3, -0.5, 0.2)])
def test_the_usual_camera_looks_down_on_the_scene(up):
    """From the same height, whatever is up."""
    way = usual_direction(np.array(up, float))
    assert np.linalg.norm(way) == pytest.approx(np.linalg.norm((0.95, 0.36, 1.0)))
    assert way @ up / np.linalg.norm(up) == pytest.approx(0.36)


def test_films_beside_each_other_do_not_overlap():
    """To the right in the picture, each beyond the one before."""
    films = [film_of(run, fps=60.0, most=10**7) for run in first_scenes.two_pendulums()]
    way = usual_direction(UP)
    places = beside(films, UP, way)
    right = np.cross(UP, way) / np.linalg.norm(np.cross(UP, way))
    reach = [framed(film).spheres for film in films]
    ends = [[p @ right - farthest(s, -right[None]), p @ right + farthest(s, right[None])]
            for s, p in zip(reach, places, strict=True)]  # fmt: skip
    assert ends[1][0] > ends[0][1] + 0.2


def test_poses_of_scenes_are_those_of_all_records():
    """Only the records around the page's frames are computed, to the same bits."""
    run = first_scenes.thrown_box()
    film = film_of(run, fps=7.0, most=10**7)
    at = np.linspace(run.times[0], run.times[-1], len(film.poses))
    assert len(at) < len(run.times) / 10
    assert np.array_equal(film.poses[:, 0], between(run.times, run.poses, at))
