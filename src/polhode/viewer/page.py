"""The page: one HTML file that carries its script, its style and its data.

It reaches for nothing outside itself; the policy it declares forbids it to.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..files.kinds import is_recording
from ..recording import Recording
from .camera import Camera
from .film import Film, check_layout, film_of
from .framing import Framing, beside, frame_films, usual_direction
from .packing import Block
from .rotations import relative
from .shapes import ShapeRow
from .signals import Signal, own_signals

_MOST_NUMBERS = 6_000_000
LAYOUTS = ("overlay", "beside")


def html(
    *subjects: Any,
    title: str | None = None,
    fps: float = 60.0,
    camera: Camera | Mapping[str, Any] | None = None,
    layout: str = "overlay",
    signals: Mapping[str, Any] | None = None,
    about: Mapping[str, str] | None = None,
) -> str:
    """The page that shows models or recordings; arguments as of `polhode.show`.

    Returns
    -------
    page : str
        A complete document.
    """
    if not subjects:
        raise TypeError("expected a Model or a Recording to show, got nothing")
    check_layout(layout, LAYOUTS)
    most = _MOST_NUMBERS // len(subjects)
    subjects = tuple(_loaded(subject) for subject in subjects)
    films = [film_of(subject, fps=fps, most=most) for subject in subjects]
    if signals:
        times = np.asarray(getattr(subjects[0], "times", (0.0,)), float)
        films[0] = replace(films[0], signals=own_signals(signals, times) + films[0].signals)
    return page_of(
        films,
        title=title,
        camera=None if camera is None else Camera.of(camera),
        layout=layout,
        about=about,
    )


def _loaded(subject: Any) -> Any:
    """The recording in a file, for the name of one; all else as it is."""
    if isinstance(subject, str | PathLike) and is_recording(Path(subject)):
        return Recording.load(Path(subject))
    return subject


def page_of(
    films: Sequence[Film],
    *,
    title: str | None = None,
    camera: Camera | None = None,
    layout: str = "overlay",
    about: Mapping[str, str] | None = None,
    live: Sequence[str] = (),
) -> str:
    """The page of animations: laid over each other, the later ones as ghosts, or side by side.

    ``live`` names the hosts that may go on telling the page where the bodies are; without one it
    may talk to nobody.
    """
    first, block = films[0], Block()
    upward = np.array(first.up if camera is None or camera.up is None else camera.up, float)
    direction = camera.direction if camera else None
    way = usual_direction(upward) if direction is None else np.array(direction, float)
    places = beside(films, upward, way) if layout == "beside" else np.zeros((len(films), 3))
    row = None if camera is None else camera.row(first.bodies)
    framing = frame_films(
        films, places, upward, is_live=bool(live), direction=way,
        tracked=None if row is None else (row["body"], np.array(row["point"], float)),
    )  # fmt: skip
    data = {
        "title": title or " and ".join(film.name for film in films),
        "subtitle": first.subtitle,
        "notes": list(dict.fromkeys(note for film in films for note in film.notes)),
        "about": {name: str(text) for name, text in (about or {}).items() if text},
        "up": upward.tolist(),
        "framing": _framing(framing, block),
        "ground": not any(film.has_ground for film in films),
        "live": bool(live),
        "layout": layout,
        "camera": row,
        "films": [_row(film, place, block) for film, place in zip(films, places, strict=True)],
        "signals": _plots(films, block),
    }
    data["block"] = block.text()
    return _fill(data, live)


def _framing(framing: Framing, block: Block) -> dict[str, Any]:
    return {
        "spheres": block.array(framing.spheres, "f4"),
        "floor": framing.floor,
        "follows": framing.follows,
        "direction": framing.direction.tolist(),
    }


def _row(film: Film, place: np.ndarray, block: Block) -> dict[str, Any]:
    return {
        "name": film.name,
        "bodies": list(film.bodies),
        "parents": list(film.parents),
        "follow": film.follow,
        "place": place.tolist(),
        "offsets": film.offsets.tolist(),
        "frames": len(film.poses),
        "step": film.step,
        "shapes": [_shape(shape, block) for shape in film.shapes],
        "collisions": [_shape(shape, block) for shape in film.collisions],
        "springs": film.springs,
        "poses": block.poses(relative(film.poses, film.parents)),
        "joints": film.joints,
        "masses": film.masses,
        "contacts": _contacts(film, block),
        "settable": film.settable,
    }


def _shape(shape: ShapeRow, block: Block) -> ShapeRow:
    row = dict(shape)
    if "points" in row:
        row["points"] = block.array(row["points"], "f4")
    if "faces" in row:
        few = len(shape["points"]) < 65536
        row["faces"] = block.array(row["faces"], "u2" if few else "u4")
    return row


def _contacts(film: Film, block: Block) -> dict[str, Any] | None:
    if film.contacts is None:
        return None
    rows = np.concatenate([np.zeros((0, 6)), *film.contacts])
    return {
        "counts": block.array([len(frame) for frame in film.contacts], "u2"),
        "values": block.array(rows, "f4"),
    }


def _plots(films: Sequence[Film], block: Block) -> list[dict[str, Any]]:
    """The signals of all animations; those of one name and unit share a plot."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for run, film in enumerate(films):
        for signal in film.signals:
            lines = found.setdefault((signal.group, signal.unit), [])
            lines += _lines(signal, run, f"{run + 1}: " if len(films) > 1 else "", block)
    return [{"group": group, "unit": unit, "lines": lines}
            for (group, unit), lines in found.items()]  # fmt: skip


def _lines(signal: Signal, run: int, owner: str, block: Block) -> list[dict[str, Any]]:
    times = block.array(signal.times - signal.times[0], "f4")
    return [
        {"name": owner + name, "run": run, "tone": k, "times": times, "values": block.share(row)}
        for k, (name, row) in enumerate(zip(signal.names, signal.values, strict=True))
    ]


@cache
def _asset(name: str) -> str:
    return (files("polhode.viewer") / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _fill(data: dict[str, Any], live: Sequence[str]) -> str:
    # "<" never occurs in the JSON block, "</script" never in the script: a name taken
    # from a model cannot end either.
    recording = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    script = _asset("viewer.min.js").replace("</script", "<\\/script")
    style = _asset("page.min.css")
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    if live:
        policy += "; connect-src " + " ".join(f"ws://{host}" for host in live)
    page = _asset("page.html")
    parts = {
        "policy": policy,
        "generator": "polhode",
        "style": style,
        "recording": recording,
        "script": script,
    }
    pieces = page.split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, rest = piece.split("}}", 1)
        filled += [parts[name], rest]
    return "".join(filled)
