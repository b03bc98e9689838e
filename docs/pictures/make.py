"""Draws the pictures of the documentation: python docs/pictures/make.py [NAME ...]

Needs Chromium, and example-robot-data for the robots.
"""

from __future__ import annotations

import sys
import sysconfig
import warnings
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
from PIL import Image

import polhode as ph
from polhode import spatial_v2 as sv
from polhode.spatial_v2.animation import showmotion_film
from polhode.viewer import render

HERE = Path(__file__).parent
SIZE = (640, 400)
ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"


def shipped(name):
    return ph.load(files("polhode") / "examples" / name)


def robot(name, **options):
    (path,) = list(ROBOTS.rglob(name))[:1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ph.load(path, package_roots=[ROBOTS.parent, ROBOTS], **options)


def swing(model, seconds=3.0, **options):
    q0 = ph.integrate(model, ph.neutral(model), np.full(model.nv, 0.4))
    return ph.simulate(model, seconds, q0=q0, **options)


def arm():
    return swing(shipped("arm.urdf")), {"time": 1.2, "overlays": ("com", "trails")}


def walker():
    return shipped("walker.lua"), {"time": 0.5, "camera": {"zoom": 1.1}}


def many_worlds():
    model = shipped("arm.urdf")
    q0 = 0.4 + 0.02 * np.arange(16)[:, None] * np.ones(model.nv)
    return ph.simulate(model, 2.0, q0=q0), {"time": 1.6}


def panda():
    return robot("panda.urdf"), {"time": 3.5}


def talos():
    return robot("talos_reduced.urdf", floating_base=True), {"time": 9.5}


def anymal():
    return robot("anymal.urdf", floating_base=True), {"time": 7.5, "theme": "dark"}


def planar():
    return _showmotion(sv.planar(5), 2.6)


def instructions():
    return _showmotion(sv.gfxExample(), 0.75)


def vee():
    return _showmotion(sv.vee(), 6.5)


def scissor():
    return _showmotion(sv.scissor(), 6.4)


def branches():
    return _showmotion(sv.autoTree(12, 1.5, 1.0, 0.95), 3.3)


def elbow():
    return _showmotion(sv.doubleElbow(), 1.6)


def inertia():
    return swing(shipped("arm.urdf")), {
        "time": 0.4, "overlays": ("inertia", "frames"), "theme": "dark",
    }  # fmt: skip


def page():
    return swing(shipped("arm.urdf")), {"time": 1.2, "is_bare": False, "size": (1280, 800)}


def _showmotion(model, time):
    film, camera = showmotion_film(model)
    return film, {"time": time, "camera": replace(camera, zoom=1.5 * camera.zoom)}


PICTURES = (
    arm, walker, many_worlds, panda, talos, anymal, planar, instructions, vee, scissor, branches,
    elbow, inertia, page,
)  # fmt: skip


def slim(path):
    """As JPEG: a tenth of the size."""
    with Image.open(path) as picture:
        picture.convert("RGB").save(path.with_suffix(".jpg"), quality=88, optimize=True)
    path.unlink()
    return path.with_suffix(".jpg")


def main(names):
    for make in PICTURES:
        if names and make.__name__ not in names:
            continue
        subject, options = make()
        options = {"size": SIZE, "camera": {"zoom": 1.35}} | options
        print(slim(render(subject, HERE / f"{make.__name__}.png", **options)))


if __name__ == "__main__":
    main(sys.argv[1:])
