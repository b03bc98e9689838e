"""The page: one HTML file that carries its script, its style and its data.

It reaches for nothing outside itself; the policy it declares forbids it to.
"""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from ..model import Model
from .frames import Frames, frames_of
from .shapes import quaternions, shapes

_MAX_BYTES = 24_000_000
_ENERGY_POINTS = 600


def html(subject: Any, *, title: str | None = None, fps: float = 60.0) -> str:
    """The page that shows a model or a recording.

    Parameters
    ----------
    subject : Model or Recording
        What to show.  A model alone moves its joints one after the other.
    title : str, optional
        Heading; the model's name by default.
    fps : float
        Poses per second kept in the page; it interpolates between them.

    Returns
    -------
    page : str
        A complete document.
    """
    frames = frames_of(subject, fps=fps, max_bytes=_MAX_BYTES)
    return _fill(_data(frames, title))


def _data(frames: Frames, title: str | None) -> dict[str, Any]:
    model = frames.model
    rows, notes = shapes(model)
    return {
        "title": title or model.name or "polhode",
        "subtitle": frames.subtitle,
        "up": up(model).tolist(),
        "fixed": not _floats(model),
        "follow": _followed(model),
        "bodies": ["base", *(model.body(i).name for i in range(1, model.n_bodies + 1))],
        "shapes": rows,
        "notes": notes + frames.notes,
        "offsets": frames.offsets.tolist(),
        "frames": len(frames.poses),
        "step": frames.step,
        "poses": _floats32(_packed(frames.poses)),
        "energy": _energy(frames.energies),
    }


def up(model: Model) -> np.ndarray:
    """Against gravity, or z where there is none; a unit vector in base coordinates."""
    gravity = np.array([float(x) for x in model.gravity.lin])
    size = np.linalg.norm(gravity)
    return -gravity / size if size > 0.0 else np.array((0.0, 0.0, 1.0))


def _floats(model: Model) -> bool:
    roots = [link for link in model.links if link.parent is None]
    return bool(roots) and all(link.joint.nv >= 6 for link in roots)


def _followed(model: Model) -> int:
    """The body a tracking camera follows: the first heavy one of a machine not fixed."""
    roots = [link for link in model.links if link.parent is None]
    if not roots or all(link.joint.nv == 0 for link in roots):
        return 0
    return next((i for i in range(1, model.n_bodies + 1) if model.body(i).mass > 0.0), 0)


def _packed(poses: np.ndarray) -> np.ndarray:
    """Poses (T, W, N, 4, 4) as position and quaternion, (T, W, N, 7)."""
    return np.concatenate((poses[..., :3, 3], quaternions(poses[..., :3, :3])), axis=-1)


def _floats32(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode("ascii")


def _energy(energies: tuple[np.ndarray, ...] | None) -> dict[str, str] | None:
    if energies is None or not all(np.isfinite(row).all() for row in energies):
        return None
    times, kinetic, potential = energies
    potential = potential - potential.min()  # only its swing is worth seeing
    keep = np.unique(np.linspace(0, len(times) - 1, min(len(times), _ENERGY_POINTS)).astype(int))
    named = {
        "times": times,
        "kinetic": kinetic,
        "potential": potential,
        "total": kinetic + potential,
    }
    return {name: _floats32(values[keep]) for name, values in named.items()}


@cache
def _asset(name: str) -> str:
    return (files("polhode.viewer") / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _fill(data: dict[str, Any]) -> str:
    # "<" never occurs in the JSON block, "</script" never in the script: a name taken
    # from a model cannot end either.
    recording = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    script = _asset("viewer.min.js").replace("</script", "<\\/script")
    style = _asset("page.min.css")
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
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
