"""Draws the film of the front page: python docs/pictures/film.py

The robot of examples/scenes/12_legged_robot.py lands, and eighteen bodies fall on it.  Needs
Chromium and `pip install 'polhode[movie]'`.
"""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path

import imageio_ffmpeg
import numpy as np
from make import HERE, mixed
from PIL import Image

import polhode as ph
from polhode.examples import path
from polhode.model import Plane

SIZE, FPS, MOST_BYTES = (640, 360), 20, 1_500_000
CAMERA = {"direction": (1.0, -0.8, 0.35), "zoom": 2.2, "locus": (0.28, 0.5)}
ROBOT = runpy.run_path(str(path("scenes/12_legged_robot.py")))


def motion() -> ph.Recording:
    """The robot under bodies of six shapes."""
    scene, robot = ROBOT["scene"](Plane())
    rng = np.random.default_rng(7)
    for k in range(18):
        angle, radius = 2.4 * k, rng.uniform(0.1, 0.6)
        place = (radius * np.cos(angle), radius * np.sin(angle), 0.9 + 0.11 * k)
        scene = scene.add_body(**mixed(rng, k, place) | {"density": 60.0})
    springs = {"robot": ROBOT["springs"](robot)}
    return ph.simulate(scene, 2.6, dt=1e-3, record=10, controllers=springs, progress=False)


def slim(film: Path) -> Path:
    """As an animated WebP, which has all colours in a fraction of a GIF's size."""
    stream = imageio_ffmpeg.read_frames(str(film))
    next(stream)  # what the film says of itself
    frames = [Image.frombytes("RGB", SIZE, data) for data in stream]
    target = HERE / "film.webp"
    durations = [1000 // FPS] * (len(frames) - 1) + [1500]  # time to look at the end
    frames[0].save(
        target, save_all=True, append_images=frames[1:], duration=durations, loop=0,
        quality=70, method=6,
    )  # fmt: skip
    if target.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{target} has more than {MOST_BYTES} bytes")
    return target


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"
        print(slim(ph.render(motion(), film, size=SIZE, fps=FPS, camera=CAMERA)))


if __name__ == "__main__":
    main()
