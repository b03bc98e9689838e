"""showmotion: a system model's motion in the viewer's page."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError, ShapeError
from .arrays import ArrayLike
from .drawing import shown
from .matfile import as_struct, read_variables, write_variables
from .system import Struct, SystemModel

_ABOUT = ("title", "author", "date", "description")


@dataclass
class _Animation:
    model: SystemModel
    times: np.ndarray
    q: np.ndarray  # a column for each time
    about: dict[str, str] = field(default_factory=dict)


_current: _Animation | None = None


def showmotion(
    *arguments: Any,
    path: str | Path | None = None,
    open_browser: bool = True,
    title: str | None = None,
) -> Any:
    """Show a motion: as a page of the viewer, written to a file and opened.

    ``showmotion(model, tdata, qdata)`` shows positions, a column for each time, linear in
    between; ``showmotion(model)`` moves each joint in turn from 0 to 1 and back;
    ``showmotion(filename)`` loads what ``showmotion('save', filename)`` has saved of the
    motion shown last; ``showmotion('about')`` returns its title, author, date and
    description, and ``showmotion('about', meta)`` changes them.

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
        return _show(_load(first), path, open_browser)
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
    from ..simulation import Recording
    from ..viewer import show

    _current, core = animation, shown(animation.model)
    times = animation.times - animation.times[0]
    kept = np.concatenate(([True], np.diff(times) > 0.0))
    times, q = times[kept], np.ascontiguousarray(animation.q.T[kept])
    qd = np.gradient(q, times, axis=0) if len(times) > 1 else np.zeros_like(q)
    nothing = np.zeros(len(times))
    recording = Recording(
        core, times, q, qd, np.zeros_like(q), nothing, method="showmotion", is_loaded=True
    )
    title = animation.about.get("title", "showmotion")
    return show(recording, path, open_browser, title=title)


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


def _load(path: str | Path) -> _Animation:
    variables = read_variables(path)
    missing = [name for name in ("model", "t_data", "q_data") if name not in variables]
    if missing:
        raise ModelError(f"{path} holds no saved motion: {', '.join(missing)} missing")
    model = SystemModel(**variables["model"])
    times = np.asarray(variables["t_data"], float).ravel()
    q = np.asarray(variables["q_data"], float).reshape(model.NB, -1)
    about = variables.get("about") or {}
    return _Animation(model, *_motion(model, times, q), {k: str(about[k]) for k in about})


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
