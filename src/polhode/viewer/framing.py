"""What the camera has to show: the extent of a motion, what is followed, where the floor lies.

Computed once, from all frames and the drawn shapes, and handed to the page, so that stills,
animations and pages have the same view.  The page fits its camera to it (``viewer/src/view.js``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .film import Film
from .rotations import matrices

_MOST = 400_000  # spheres of all frames; longer motions of many bodies are sampled
_CHUNK, _AT_ONCE = 20_000, 16  # spheres and directions whose products stay in the caches
_DIRECTIONS = 300  # 0.2 rad apart: between two of them an extent is short by 0.5 % at most
_LEVEL = 1.0 - 1e-6  # cosine of what is still horizontal
_WAY = np.array((0.95, 0.36, 1.0))  # from the scene to the camera, where y is upwards
_SMALLEST = 1e-3  # m; a picture of nothing shows half a metre around the origin


@dataclass(frozen=True)
class Framing:
    """Spheres (n, 4) that enclose the motion: centre and radius, in base coordinates [m].

    Of a followed motion they are relative to the horizontal motion of the followed body.  ``floor``
    is the height [m] along ``up``, ``direction`` points to the camera.
    """

    spheres: np.ndarray
    floor: float
    follows: bool
    direction: np.ndarray


def frame_films(
    films: Sequence[Film],
    places: np.ndarray,
    upward: np.ndarray,
    *,
    direction: np.ndarray,
    tracked: tuple[int, np.ndarray] | None = None,
    is_live: bool = False,
) -> Framing:
    """The framing of animations at their places.

    ``tracked`` is the body of the first animation and the point on it that a given camera follows;
    body 0 for a camera that stands.  Without a camera, a body is followed if it travels farther
    than the size of what is then seen.
    """
    up = upward / np.linalg.norm(upward)
    directions = np.concatenate((_spread(_DIRECTIONS), [up, -up]))
    still = np.zeros((1, 3))

    def extent(way: np.ndarray) -> np.ndarray:
        return _enclosing([_swept(f, p, way) for f, p in zip(films, places, strict=True)],
                          directions)  # fmt: skip

    spheres, follows = extent(still), False
    body, point = tracked or (films[0].follow, np.zeros(3))
    if body:
        way = _horizontal_way(films[0], body, point, up)
        along = extent(way)
        travel = float(np.linalg.norm(np.ptp(way, axis=0)))
        follows = tracked is not None or travel > _diameter(along)
        spheres = along if follows else spheres
    if not len(spheres) or _diameter(spheres) < _SMALLEST:
        spheres = np.array([[*(spheres[0, :3] if len(spheres) else still[0]), 0.5]])
    floor = _level(films, up)
    if floor is None:
        floor = float((spheres[:, :3] @ up - spheres[:, 3]).min())
    if is_live:  # the page lowers the floor when it has to
        spheres = np.concatenate((spheres, *(_reach(f) for f in films)))
    spheres = np.concatenate((spheres, _feet(spheres, up, floor)))
    return Framing(spheres, floor, follows, direction)


def usual_direction(upward: np.ndarray) -> np.ndarray:
    """Towards the camera of a page that was not told: from aside and above."""
    x, y, z = upward / np.linalg.norm(upward)
    if y < -1.0 + 1e-9:
        return _WAY * (-1.0, -1.0, 1.0)
    # The shortest rotation that makes y upwards: rows are the page's axes.
    back = np.array(
        ((1.0 - x * x / (1.0 + y), -x, -x * z / (1.0 + y)), (x, y, z),
         (-x * z / (1.0 + y), -z, 1.0 - z * z / (1.0 + y)))
    )  # fmt: skip
    return _WAY @ back


def beside(films: Sequence[Film], upward: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Where each animation stands so that in the picture it is to the right of the one before."""
    right = np.cross(upward, direction)
    right /= np.linalg.norm(right)
    at, places = 0.0, []
    for film in films:
        spheres = _swept(film, np.zeros(3), np.zeros((1, 3)))
        across = spheres[:, :3] @ right
        low = float((across - spheres[:, 3]).min(initial=np.inf)) if len(spheres) else -0.5
        high = float((across + spheres[:, 3]).max(initial=-np.inf)) if len(spheres) else 0.5
        gap = 0.15 * (high - low)
        places.append((at - low + gap) * right)
        at += high - low + 2.0 * gap
    return np.array(places)


def _swept(film: Film, place: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The spheres (n, 4) of all shapes in all worlds and frames, less the ``way`` (T or 1, 3)."""
    drawn, (frames, worlds) = film.outlines, film.poses.shape[:2]
    count = sum(map(len, drawn.values()))
    stride = max(-(-frames * worlds * count // _MOST), 1)
    at = np.unique([*range(0, frames, stride), frames - 1])
    gone = np.broadcast_to(way, (frames, 3))[at, None, None]
    rows = [np.zeros((0, 4))]
    for body, local in drawn.items():
        if body == 0:
            centres = np.broadcast_to(local[:, :3], (len(at), 1, len(local), 3))
        else:
            poses = film.poses[at, :, body - 1]
            centres = local[:, :3] @ np.swapaxes(poses[..., :3, :3], -1, -2)
            centres = centres + poses[..., None, :3, 3]
        centres = centres + film.offsets[:, None] + place - gone
        radii = np.broadcast_to(local[:, 3:], (*centres.shape[:-1], 1))
        rows.append(np.concatenate((centres, radii), axis=-1).reshape(-1, 4))
    spheres = np.concatenate(rows)
    return spheres[np.isfinite(spheres).all(axis=1)]


def _enclosing(groups: Sequence[np.ndarray], directions: np.ndarray) -> np.ndarray:
    """Of spheres those that reach farthest in some direction."""
    spheres = np.concatenate(groups)
    while len(spheres) > len(directions):
        parts = np.array_split(spheres, -(-len(spheres) // _CHUNK))
        kept = np.concatenate([_farthest(part, directions) for part in parts])
        if len(kept) == len(spheres) or len(parts) == 1:
            return kept
        spheres = kept
    return spheres


def _farthest(spheres: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Of a chunk of spheres those that reach farthest in some direction."""
    to_radii = np.column_stack((directions, np.ones(len(directions))))
    parts = np.array_split(to_radii, -(-len(directions) // _AT_ONCE))
    farthest = [(part @ spheres.T).argmax(axis=1) for part in parts]
    return spheres[np.unique(np.concatenate(farthest))]


def _spread(count: int) -> np.ndarray:
    """Unit vectors at even distances, on a spiral around the sphere."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    r = np.sqrt(1.0 - z * z)
    return np.column_stack((r * np.cos(turn), r * np.sin(turn), z))


def _horizontal_way(film: Film, body: int, point: np.ndarray, up: np.ndarray) -> np.ndarray:
    """How far (T, 3) a point of a body of the first world has travelled over the ground."""
    poses = film.poses[:, 0, body - 1]
    places = poses[:, :3, :3] @ point + poses[:, :3, 3]
    way = places - places[0]
    return way - (way @ up)[:, None] * up


def _reach(film: Film) -> np.ndarray:
    """Spheres around what hangs on the base by a hinge: it may turn anywhere."""
    drawn = film.outlines
    count = len(film.parents)
    origins = np.concatenate((np.zeros((1, 3)), film.poses[0, 0, :, :3, 3]))
    reach = np.zeros(count + 1)
    for body in range(count, 0, -1):
        own = drawn.get(body, np.zeros((1, 4)))
        far = float((np.linalg.norm(own[:, :3], axis=1) + own[:, 3]).max())
        reach[body] = max(reach[body], far)
        parent = film.parents[body - 1]
        arm = float(np.linalg.norm(origins[body] - origins[parent]))
        reach[parent] = max(reach[parent], arm + reach[body])
    return np.array([[*origins[i], reach[i]] for i in film.pivots]).reshape(-1, 4)


def _level(films: Sequence[Film], up: np.ndarray) -> float | None:
    """The height of the highest level plane of the base, which the floor is drawn as."""
    heights = []
    for film in films:
        for shape in film.shapes:
            if shape["kind"] == "plane" and shape["body"] == 0:
                pose = np.array(shape["pose"], float)
                if matrices(pose[3:])[:, 2] @ up > _LEVEL:
                    heights.append(float(pose[:3] @ up))
    return max(heights, default=None)


def _feet(spheres: np.ndarray, up: np.ndarray, floor: float) -> np.ndarray:
    """Points of the floor below the spheres: what flies high is seen with its ground."""
    heights = spheres[:, :3] @ up
    feet = spheres[:, :3] + (floor - heights)[:, None] * up
    return np.column_stack((feet, np.zeros(len(feet))))


def _diameter(spheres: np.ndarray) -> float:
    """Of a ball around the middle of the box around the spheres."""
    if not len(spheres):
        return 0.0
    centres, radii = spheres[:, :3], spheres[:, 3]
    low = (centres - radii[:, None]).min(axis=0)
    high = (centres + radii[:, None]).max(axis=0)
    reach = np.linalg.norm(centres - 0.5 * (low + high), axis=1) + radii
    return 2.0 * float(reach.max())
