"""A motion as the page shows it: evenly spaced poses of bodies, and what goes with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..api.kinematics import body_poses
from ..api.manifold import difference, integrate, neutral
from ..errors import ArgumentError, shown, suggestion
from ..model import Model
from ..recording import Recording
from ..recording.machines import scene_poses
from ..scene import Scene
from .bodies import Ellipsoid, JointAxis, joint_axes, masses
from .contacts import contacts_of
from .extents import outlines
from .joints import settable
from .rotations import matrices, quaternions
from .shapes import ShapeRow, collision_shapes, shapes
from .signals import Signal, signals_of
from .skeleton import Skeleton
from .springs import SpringRow, ends_of, springs_of

MOST_WORLDS = 64
_SWEEP = 1.0  # seconds each coordinate takes there and back
_FEWEST = 8  # frames of that; with too many coordinates several move at a time
_TRAVELS = 2  # translations of a body that is free to leave its place


@runtime_checkable
class FilmedMotion(Protocol):
    """What can be shown besides a model: positions of a model at some times."""

    model: Model
    times: np.ndarray
    q: np.ndarray


@dataclass(frozen=True)
class Film:
    """Poses (T, W, N, 4, 4) in base coordinates of W worlds, ``step`` seconds apart.

    ``parents[k]`` is the body that body ``k + 1`` hangs on; body 0 is the base.  ``follow`` is the
    body that a camera may follow, 0 if none travels; ``pivots`` are those that hang on the base by
    a hinge.  ``settable`` is what sliders of the joints need.  Contacts are, for each frame, rows
    of a point and a force in base coordinates.  What draws a ground of its own gets no floor.
    """

    name: str
    bodies: tuple[str, ...]
    parents: tuple[int, ...]
    shapes: list[ShapeRow]
    poses: np.ndarray
    step: float
    offsets: np.ndarray
    up: np.ndarray
    subtitle: str = ""
    follow: int = 0
    pivots: tuple[int, ...] = ()
    has_ground: bool = False
    joints: list[JointAxis] = field(default_factory=list)
    masses: list[Ellipsoid] = field(default_factory=list)
    signals: list[Signal] = field(default_factory=list)
    contacts: list[np.ndarray] | None = None
    settable: dict[str, Any] | None = None
    collisions: list[ShapeRow] = field(default_factory=list)
    springs: list[SpringRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def outlines(self) -> dict[int, np.ndarray]:
        """By body the spheres (n, 4) that enclose what is drawn on it."""
        return outlines([*self.shapes, *ends_of(self.springs)])


def film_of(subject: Any, *, fps: float, most: int) -> Film:
    """The animation of a model or a motion, thinned to ``most`` numbers."""
    if not (isinstance(fps, int | float) and fps > 0.0):
        raise ArgumentError(f"expected a positive number of frames per second, got {shown(fps)}")
    if isinstance(subject, Film):
        return subject
    if isinstance(subject, Model):
        return _of_model(subject, fps, most)
    if isinstance(subject, Scene):
        return _of_scene(subject, fps)
    if not isinstance(subject, FilmedMotion):
        kind = type(subject).__name__
        hint = "; load one with polhode.load" if isinstance(subject, (str, PathLike)) else ""
        raise TypeError(f"expected a Model, a Scene or a Recording, got {kind}{hint}")
    return _of_motion(subject, fps, most)


def freedom(model: Model) -> str:
    """How many degrees of freedom, in words."""
    return f"{model.nv} degree{'' if model.nv == 1 else 's'} of freedom"


def up(model: Model) -> np.ndarray:
    """Against gravity, or z where there is none; a unit vector in base coordinates."""
    gravity = np.array([float(x) for x in model.gravity.lin])
    size = np.linalg.norm(gravity)
    return -gravity / size if size > 0.0 else np.array((0.0, 0.0, 1.0))


def _about(model: Model, scene: Scene | None = None) -> dict[str, Any]:
    """What an animation takes from the model alone, or from its scene."""
    collisions = collision_shapes(scene) if scene else []
    rows, notes = shapes(model, collisions)
    return {
        "name": model.name or "polhode",
        "bodies": ("base", *(model.body(i).name for i in range(1, model.n_bodies + 1))),
        "parents": tuple(model.parent[i] for i in range(1, model.n_bodies + 1)),
        "shapes": rows,
        "collisions": collisions,
        "springs": springs_of(scene) if scene else [],
        "up": up(model),
        "follow": _followed(model),
        "pivots": _pivots(model),
        "joints": joint_axes(model),
        "masses": masses(model),
        "notes": notes,
    }


def _translations(model: Model, i: int) -> int:
    """How many degrees of freedom of a joint move its body without rotating it."""
    _, S, _, _ = model.joint[i].jcalc(model.joint[i].neutral())
    return sum(not any(map(float, column.ang)) for column in S.columns)


def _followed(model: Model) -> int:
    """The body a camera may follow: the first with mass that the base does not hold.

    Two translations or more lead to it, by one joint or by several massless bodies.
    """
    freedoms = {0: 0}
    for i in model.bodies:
        freedoms[i] = freedoms[model.parent[i]] + _translations(model, i)
        if model.body(i).mass > 0.0:
            if freedoms[i] >= _TRAVELS:
                return int(i)
            freedoms[i] = -model.nv  # what it carries is held by the base, too
    return 0


def _pivots(model: Model) -> tuple[int, ...]:
    """The bodies that hang on the base and only turn."""
    return tuple(
        int(i) for i in model.bodies if model.parent[i] == 0 and not _translations(model, i)
    )


def _of_model(model: Model, fps: float, most: int) -> Film:
    """Each coordinate in turn goes out and back, within its limits; of very many some at a time."""
    start = neutral(model)
    lower, upper, *_ = model.limits
    frames = max(most // (7 * max(model.n_bodies, 1)), _FEWEST)
    turns = min(model.nv, frames // _FEWEST)
    wanted = max(round(_SWEEP * fps), 2)
    n = min(wanted, frames // max(turns, 1))
    swing = 0.5 - 0.5 * np.cos(2.0 * math.pi * np.arange(n) / n)
    near = (lower <= 0.8) & (upper >= 0.8)
    ends = [0.8 if near[k] else _nearest(lower[k], upper[k], 0.8) for k in range(model.nv)]
    order = np.arange(model.nv) * turns // max(model.nv, 1)
    rows = [start[None]]
    for turn in range(turns):
        rows.append(integrate(model, start, swing[:, None] * np.where(order == turn, ends, 0.0)))
    film = Film(
        poses=model_poses(model, np.concatenate(rows))[:, None],
        step=1.0 / fps if n == wanted else _SWEEP / n,
        offsets=np.zeros((1, 3)),
        subtitle=freedom(model),
        settable=settable(model, start, _reach(model)),
        **_about(model),
    )
    if turns == model.nv:
        return film
    together = f"{-(-model.nv // turns)} joints move at a time, to keep the page small"
    return replace(film, notes=[*film.notes, together])


def _of_scene(scene: Scene, fps: float) -> Film:
    """The scene as it begins, at rest in the page."""
    model, q = scene.model, np.array(scene.q0, float)
    film = still_film(model, scene_poses(scene, q[None])[0], fps, scene)
    return replace(film, settable=settable(model, q, _reach(model)))


def still_film(
    model: Model, poses: np.ndarray, fps: float = 60.0, scene: Scene | None = None
) -> Film:
    """A model with its bodies at poses (N, 4, 4)."""
    return Film(
        poses=poses[None, None],
        step=1.0 / fps,
        offsets=np.zeros((1, 3)),
        subtitle=freedom(model),
        **_about(model, scene),
    )


def model_poses(model: Model, q: np.ndarray) -> np.ndarray:
    """Poses of all bodies, also of a model that has none."""
    return body_poses(model, q).reshape(*q.shape[:-1], model.n_bodies, 4, 4)


def _reach(model: Model) -> float:
    """How far [m] a slider moves what has no limits: the model's size."""
    return Skeleton(model).size


def _nearest(lower: float, upper: float, wish: float) -> float:
    """The limit farther from zero when the wish is out of reach."""
    return upper if wish > upper and upper > 0.1 else lower if math.isfinite(lower) else wish


def _of_motion(motion: Any, fps: float, most: int) -> Film:
    model, times = motion.model, np.asarray(motion.times, float)
    worlds = motion.q.reshape(len(times), -1, model.nq)
    notes = []
    if worlds.shape[1] > MOST_WORLDS:
        notes.append(f"{MOST_WORLDS} of {worlds.shape[1]} worlds are drawn")
        worlds = worlds[:, :MOST_WORLDS]
    duration = float(times[-1] - times[0])
    wanted = math.ceil(duration * fps - 1e-9) + 1 if duration > 0.0 else 1
    count = max(min(wanted, most // (7 * worlds.shape[1] * max(model.n_bodies, 1))), 2)
    count = min(count, wanted)
    if count < wanted:
        notes.append(f"{(count - 1) / duration:.3g} of {fps:g} frames per second are kept")
    at = np.linspace(times[0], times[-1], count)
    if isinstance(motion, Recording) and _is_of_scene(motion):
        poses = _scene_motion(motion, times, at)[:, None]
    else:
        poses = model_poses(model, resample(model, times, worlds, at))
    notes += getattr(motion, "notes", ())
    if stopped := getattr(motion, "stopped", ""):
        notes.append(stopped)
    detail = [freedom(model), f"{duration:g} s", _way(motion)]
    if worlds.shape[1] > 1:
        detail.insert(1, f"{worlds.shape[1]} worlds")
    about = _about(model, getattr(motion, "scene", None))
    film = Film(
        poses=poses,
        step=duration / (count - 1) if count > 1 else 1.0 / fps,
        offsets=_grid(up(model), poses, [*about["shapes"], *ends_of(about["springs"])]),
        subtitle=" \u00b7 ".join(filter(None, detail)),
        signals=signals_of(motion) if motion.q.ndim == 2 else [],
        contacts=contacts_of(motion, at, up(model)),
        **about,
    )
    return replace(film, notes=film.notes + notes)


def _way(motion: Any) -> str:
    """How the motion was made, if it says so."""
    ways = (getattr(motion, "integrator", ""), getattr(motion, "contact", "none"))
    return ", ".join(way for way in ways if way not in ("", "none"))


def _is_of_scene(motion: Recording) -> bool:
    return motion.scene is not None or motion.contact != "none"


def _scene_motion(motion: Recording, times: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Poses at the times ``at``; those of records that no frame needs are not computed."""
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(len(times) - 2, 0))
    records = np.unique(np.concatenate((low, np.minimum(low + 1, len(times) - 1))))
    q = motion.q[records]
    known = model_poses(motion.model, q) if motion.scene is None else scene_poses(motion.scene, q)
    return between(times[records], known, at)


def resample(model: Model, times: np.ndarray, q: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Positions at the times ``at``, interpolated on the joints' manifold.

    ``q`` has shape (T, ..., nq); the result (len(at), ..., nq).  Where a time repeats, the last of
    its positions counts.
    """
    if len(times) == 1:
        return np.repeat(q, len(at), axis=0)
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    span = times[low + 1] - times[low]
    share = np.where(span > 0.0, (at - times[low]) / np.where(span > 0.0, span, 1.0), 1.0)
    share = np.clip(share, 0.0, 1.0).reshape(-1, *(1,) * (q.ndim - 1))
    return integrate(model, q[low], difference(model, q[low], q[low + 1]) * share)


def between(times: np.ndarray, poses: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Poses (T, N, 4, 4) at the times ``at``: places linear, turns along the shortest way."""
    if len(times) == 1:
        return np.repeat(poses, len(at), axis=0)
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    share = np.clip((at - times[low]) / (times[low + 1] - times[low]), 0.0, 1.0)[:, None, None]
    turns = quaternions(poses[..., :3, :3])
    first, second = turns[low], turns[low + 1]
    second = np.where(np.sum(first * second, axis=-1, keepdims=True) < 0.0, -second, second)
    made = np.zeros((len(at), *poses.shape[1:]))
    made[..., :3, :3] = matrices(first + share * (second - first))
    places = poses[..., :3, 3]
    made[..., :3, 3] = places[low] + share * (places[low + 1] - places[low])
    made[..., 3, 3] = 1.0
    return made


def _grid(normal: np.ndarray, poses: np.ndarray, rows: Sequence[ShapeRow]) -> np.ndarray:
    """Where each world stands: a square grid in the horizontal plane, as wide as worlds begin."""
    count = poses.shape[1]
    if count == 1:
        return np.zeros((1, 3))
    size = np.zeros(poses.shape[2] + 1)
    for body, spheres in outlines(rows).items():
        size[body] = (np.linalg.norm(spheres[:, :3], axis=1) + spheres[:, 3]).max()
    places = poses[0, ..., :3, 3]
    middle = places.mean(axis=(0, 1)) if places.size else np.zeros(3)
    spread = float((np.linalg.norm(places - middle, axis=-1) + size[1:]).max(initial=size[0]))
    side = math.ceil(math.sqrt(count))
    cells = np.array([(k % side, k // side) for k in range(count)]) - 0.5 * (side - 1)
    x = np.cross(np.eye(3)[np.argmin(np.abs(normal))], normal)
    x /= np.linalg.norm(x)
    return 2.4 * (spread or 0.5) * (cells[:, :1] * x + cells[:, 1:] * np.cross(normal, x))


def check_layout(layout: str, known: Sequence[str]) -> None:
    """Refuse a layout that is none of the known ones."""
    if layout not in known:
        hint = suggestion(str(layout), known)
        raise ArgumentError(f"expected a layout of {', '.join(known)}, got {shown(layout)}{hint}")
