"""showmotion: a system model's motion in the viewer's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, ParseError, ShapeError
from ..model import Model
from .arrays import ArrayLike
from .convert import core_model
from .matfile import read_variables, write_variables
from .system import Struct, SystemModel, as_struct, model_of

if TYPE_CHECKING:
    from ..viewer import Camera, Film

_ABOUT = ("title", "author", "date", "description")
_USUAL = (0.0, -1.0, 0.8), (0.0, 0.0, 1.0)
_MOST_NUMBERS = 6_000_000


@dataclass
class _Animation:
    model: SystemModel
    times: np.ndarray
    q: np.ndarray  # a column for each time
    about: dict[str, str] = field(default_factory=dict)


_current: _Animation | None = None


def showmotion(
    *arguments: Any,
    path: str | Path | None = None, open_browser: bool = True, title: str | None = None,
) -> Any:  # fmt: skip
    """Show a motion: as a page of the viewer, written to a file and opened.

    ``showmotion(model, tdata, qdata)`` shows positions, a column for each time, linear in between.
    ``showmotion(model)`` moves each joint in turn from 0 to 1 and back.
    ``showmotion('save', filename)`` saves the motion shown last, and ``showmotion(filename)`` loads
    it. ``showmotion('about')`` returns its title, author, date and description, and
    ``showmotion('about', meta)`` changes them.

    Parameters
    ----------
    *arguments
        As above.
    path : path-like, optional
        The page to write; a new one in the temporary folder by default.
    open_browser : bool
        Whether to open it.
    title : str, optional
        Of a motion given by a model; can be changed by ``'about'``.

    Returns
    -------
    Path or Struct
        The file written, or what is known about the motion.
    """
    first = arguments[0] if arguments else None
    if isinstance(first, SystemModel):
        about = {"title": title} if title else {}
        motion = _Animation(first, *_motion(first, *arguments[1:]), about)
        return _show(motion, path, open_browser)
    if first == "save" and len(arguments) == 2:
        return _save(arguments[1])
    if first == "about" and len(arguments) <= 2:
        return _about(*arguments[1:])
    if isinstance(first, (str, Path)) and len(arguments) == 1:
        return _show(load_motion(first), path, open_browser)
    raise TypeError(
        "expected showmotion(model[, tdata, qdata]), showmotion(filename), "
        "showmotion('save', filename) or showmotion('about'[, meta])"
    )


def _motion(model: SystemModel, *data: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    if not data:
        times = 0.5 * np.arange(2 * model.NB + 1)
        q = np.zeros((model.NB, len(times)))
        q[range(model.NB), range(1, 2 * model.NB, 2)] = 1.0
        return times, q
    if len(data) != 2:
        raise TypeError("expected times and positions after the model")
    times, q = np.asarray(data[0], float).ravel(), np.asarray(data[1], float)
    if q.shape not in ((model.NB, len(times)), (model.NB, 1, len(times))):
        raise ShapeError(
            f"expected positions of NB x n = {(model.NB, len(times))}, got shape {q.shape}"
        )
    if len(times) < 2 or not np.all(np.diff(times) >= 0.0) or not times[-1] > times[0]:
        raise ValueError("expected at least two times that never fall, the last above the first")
    return times, q.reshape(model.NB, -1)


def _show(animation: _Animation, path: Any, open_browser: bool) -> Path:
    global _current
    from ..viewer import show_films

    film = _film(animation)
    page = show_films(
        [film],
        path,
        open_browser,
        title=animation.about.get("title", "showmotion"),
        camera=_camera(animation.model, film.bodies),
        about={name: animation.about.get(name, "") for name in _ABOUT},
    )
    _current = animation
    return page


def showmotion_film(model: SystemModel, *data: ArrayLike) -> tuple[Film, Camera]:
    """What ``showmotion(model[, tdata, qdata])`` shows, for `polhode.render` and `polhode.show`."""
    film = _film(_Animation(model, *_motion(model, *data)))
    return film, _camera(model, film.bodies)


@dataclass(frozen=True)
class _CoreMotion:
    """The motion of the core's model: positions are rows, times begin at zero."""

    model: Model
    times: np.ndarray
    q: np.ndarray
    method: str = "showmotion"


def _film(animation: _Animation) -> Film:
    """Drawn as the model's instructions say, or by the viewer where there are none."""
    from ..viewer import drawn, film_of, has_tiles

    model, core = animation.model, core_model(animation.model)
    times, q = animation.times - animation.times[0], np.ascontiguousarray(animation.q.T)
    film = film_of(_CoreMotion(core, times, q), fps=60.0, most=_MOST_NUMBERS)
    appearance = _appearance(model)
    bodies = list(appearance.get("body", [])) + [[]] * model.NB
    names = ["base", *(f"body{k}" for k in range(1, model.NB + 1))]
    rows = drawn([appearance.get("base", []), *bodies[: model.NB]], names)
    if not rows:
        return film
    carriers = [0, *(core.body(name).moving for name in names[1:])]
    return replace(
        film,
        shapes=[row | {"body": carriers[row["body"]]} for row in rows],
        has_ground=has_tiles(appearance.get("base", [])),
    )


def _appearance(model: SystemModel) -> Mapping[str, Any]:
    return model.appearance if "appearance" in model else {}


def _camera(model: SystemModel, bodies: Sequence[str]) -> Camera:
    """The model's camera; showmotion's own where it says nothing."""
    from ..viewer import Camera

    given = dict(model.camera) if "camera" in model else {}
    gravity = np.asarray(model.gravity, float).ravel() if "gravity" in model else np.zeros(3)
    stands = gravity[1] < 0.0 and not np.any(np.delete(gravity, 1))
    direction, up = ((0.0, 0.4, 1.0), (0.0, 1.0, 0.0)) if stands else _USUAL
    if given.get("body"):
        given["body"] = list(bodies).index(f"body{int(given['body'])}")
    return Camera.of({"direction": direction, "up": up, **given})


def _shown_last() -> _Animation:
    if _current is None:
        raise ModelError("no motion has been shown yet")
    return _current


def _save(path: str | Path) -> Path:
    animation = _shown_last()
    animation.about["date"] = datetime.now().isoformat(timespec="seconds")
    return write_variables(
        path,
        {
            "model": as_struct(animation.model),
            "t_data": animation.times,
            "q_data": animation.q,
            "about": animation.about,
        },
    )


def load_motion(path: str | Path) -> _Animation:
    """What ``showmotion('save', path)`` wrote, checked."""
    variables = read_variables(path)
    missing = [name for name in ("model", "t_data", "q_data") if name not in variables]
    if missing:
        raise ModelError(f"{path} holds no saved motion: {', '.join(missing)} missing")
    model = model_of(variables["model"], path)
    about = variables["about"] if isinstance(variables.get("about"), dict) else {}
    try:
        times = np.asarray(variables["t_data"], float).ravel()
        q = np.asarray(variables["q_data"], float).reshape(model.NB, -1)
        motion = _motion(model, times, q)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise ParseError(f"not a saved motion: {error}", str(path)) from None
    return _Animation(model, *motion, {k: str(about[k]) for k in about})


def _about(meta: Any = None) -> Struct:
    about = _shown_last().about
    for name, text in (meta or {}).items():
        if name not in ("title", "author", "description"):
            raise ValueError(f"expected title, author or description, got {name!r}")
        if name == "description" and text:
            text = Path(text).read_text(encoding="utf-8")
        about.pop(name, None)
        if text:
            about[name] = str(text)
    return Struct({name: about.get(name, "not specified") for name in _ABOUT})
