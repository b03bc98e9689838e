"""Draws the pictures of the documentation: python docs/pictures/make.py [NAME ...]

Needs Chromium, and example-robot-data for the robots.
"""

from __future__ import annotations

import sys
import sysconfig
import warnings
from importlib.resources import files
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.integrate import solve_ivp

import polhode as ph
from polhode import spatial_v2 as sv
from polhode.model import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Heightmap,
    Plane,
    Sphere,
    Torus,
)
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
    return swing(shipped("arm.urdf")), {"at": 1.2, "overlays": ("com", "trails")}


def walker():
    return shipped("walker.lua"), {"at": 0.5}


def many_worlds():
    model = shipped("arm.urdf")
    q0 = 0.4 + 0.02 * np.arange(16)[:, None] * np.ones(model.nv)
    return ph.simulate(model, 2.0, q0=q0), {"at": 1.6}


def panda():
    return robot("panda.urdf"), {"at": 3.5}


def talos():
    return robot("talos_reduced.urdf", floating_base=True), {"at": 9.5}


def anymal():
    return robot("anymal.urdf", floating_base=True), {"at": 7.5, "theme": "dark"}


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
        "at": 0.4, "overlays": ("inertia", "frames"), "theme": "dark",
    }  # fmt: skip


def page():
    return swing(shipped("arm.urdf")), {"at": 1.2, "is_bare": False, "size": (1280, 800)}


def mixed(rng, k, place):
    """A body of one of six shapes, anyhow."""
    shape = (
        Box(tuple(rng.uniform(0.14, 0.3, 3))), Sphere(rng.uniform(0.09, 0.15)),
        Cylinder(0.1, rng.uniform(0.15, 0.3)), Capsule(0.08, rng.uniform(0.12, 0.25)),
        Cone(0.13, 0.26), Torus(0.13, 0.045),
    )[k % 6]  # fmt: skip
    turn = rng.normal(size=4)
    return {
        "name": f"body{k}", "shape": shape, "density": 500.0, "position": tuple(place),
        "quaternion": tuple(turn / np.linalg.norm(turn)),
    }  # fmt: skip


def rain(scene, count, seed):
    rng = np.random.default_rng(seed)
    for k in range(count):
        layer, (i, j) = k // 9, divmod(k % 9, 3)
        place = 0.34 * np.array((i - 1, j - 1, 0.0)) + (0, 0, 0.5 + 0.36 * layer)
        scene = scene.add_body(**mixed(rng, k, place + 0.02 * rng.normal(size=3)))
    return scene.contact(mu_coulomb=0.6)


def pile():
    """Thirty bodies of all shapes on a plane."""
    scene = rain(ph.Scene("pile").add_fixed("ground", Plane()), 30, 3)
    run = ph.simulate(scene, 2.5, dt=2e-3, progress=False)
    return run, {
        "at": 2.5,
        "overlays": ("contacts",),
        "camera": {"direction": (0.6, -1, 0.6)},
    }


def hills(size, rise):
    """Heights of gentle ground."""
    x = np.linspace(-1.0, 1.0, 25)
    bumps = np.sin(4.0 * x[:, None] + 0.5) * np.cos(5.0 * x) + (x[:, None] ** 2 + x**2)
    heights = rise * (bumps - bumps[8:17, 8:17].max())
    return Heightmap(tuple(map(tuple, heights)), (size, size))


def terrain():
    """The same rain on a height field."""
    ground = {"name": "hills", "shape": hills(4.0, 0.16), "color": (0.62, 0.68, 0.56, 1.0)}
    scene = rain(ph.Scene("hills").add_fixed(**ground), 30, 4)
    run = ph.simulate(scene, 2.0, dt=2e-3, progress=False)
    return run, {
        "at": 2.0,
        "camera": {"direction": (0.5, -1, 0.7)},
    }


def spheres():
    """A pyramid of balls that a heavier one hits."""
    scene, r, count = ph.Scene("pyramid").add_fixed("ground", Plane()), 0.1, 0
    for layer in range(4):
        for i in range(4 - layer):
            for j in range(4 - layer):
                at = (np.array((i, j)) - 0.5 * (3 - layer)) * 2.001 * r
                height = r + layer * np.sqrt(2.0) * r * 1.0005
                scene = scene.add_body(f"ball{count}", Sphere(r), mass=1.0, position=(*at, height))
                count += 1
    scene = scene.add_body(
        "shot", Sphere(0.14), mass=8.0, position=(-2.0, 0.05, 0.35), velocity=(7.0, 0, 1.0)
    )
    run = ph.simulate(scene.contact(mu_coulomb=0.4), 0.6, dt=1e-3, progress=False)
    return run, {"at": 0.42, "camera": {"direction": (0.7, -1, 0.5)}}


def dropped():
    """The shipped walker, slack, dropped on a height field."""
    model = shipped("walker.lua")
    touching = [
        (link.name, visual.shape, visual.frame)
        for link in model.links
        for visual in link.visuals
        if isinstance(visual.shape, Box | Capsule | Cylinder | Sphere)
    ]
    q = ph.neutral(model)
    q[2], q[3:6] = 1.0, (0.1, 0.25, 0.2)  # above the ground, and askew
    q[model.nv] = np.sqrt(1.0 - q[3:6] @ q[3:6])
    ground = {"name": "hills", "shape": hills(5.0, 0.2), "color": (0.62, 0.68, 0.56, 1.0)}
    scene = ph.Scene("walker").add_fixed(**ground).contact(mu_coulomb=0.8)
    scene = scene.add_machine(model, "walker", q=tuple(q), geometries=touching)
    scene = scene.disable("walker", "walker")
    run = ph.simulate(scene, 0.55, dt=1e-3, progress=False)
    camera = {"direction": (0.8, -1, 0.35)}
    return run, {"at": 0.55, "camera": camera}


def springs():
    """A plate that hangs on springs from four posts, with dampers under it; a ball lands on it."""
    scene = ph.Scene("plate").add_fixed("ground", Plane())
    scene = scene.add_body("plate", Box((1.0, 1.0, 0.06)), mass=4.0, position=(0, 0, 0.6))
    for k, (x, y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        post = (0.8 * x, 0.8 * y, 0.6)
        scene = scene.add_fixed(
            f"post{k}", Cylinder(0.03, 1.2), position=post, color=(0.6, 0.63, 0.67, 1.0)
        )
        scene = scene.add_spring(
            f"spring{k}", None, ("plate", "plate"), point_a=(0.8 * x, 0.8 * y, 1.2),
            point_b=(0.48 * x, 0.48 * y, 0.0), stiffness=250.0, rest_length=0.6,
        )  # fmt: skip
        scene = scene.add_damper(
            f"damper{k}", None, ("plate", "plate"), point_a=(0.3 * x, 0.3 * y, 0.0),
            point_b=(0.3 * x, 0.3 * y, -0.03), damping=8.0,
        )  # fmt: skip
    scene = scene.add_body("ball", Sphere(0.14), mass=3.0, position=(0.15, 0.1, 1.2))
    run = ph.simulate(scene.contact(mu_coulomb=0.5), 1.0, dt=1e-3, progress=False)
    return run, {"at": 0.5, "camera": {"direction": (0.6, -1, 0.35)}}


def disc():
    """A disc thrown on compliant ground: spatial_v2's rolling disc."""
    model, stiffness, damping, mu = sv.rollingdisc(16), 1e6, 2000.0, 0.1

    def rates(t, x):
        motion, slip = sv.gcPosVel(model, x[:13]), x[13:].reshape(2, -1)
        force, slip_rate, _ = sv.gcontact(stiffness, damping, mu, *np.split(motion, 2), slip)
        forces = sv.Fpt(force, motion[:3]).ravel(order="F")
        body = sv.gcFD(model, sv.FDfb, np.append(x[:13], forces))
        return np.concatenate((body, slip_rate.ravel()))

    start = [*sv.rq(sv.rz(0.18)), 0, 0, 0.1, 0, 0, 0, 0.6, 0, 0]
    x0 = np.concatenate((start, np.zeros(4 * 16)))
    run = solve_ivp(rates, (0.0, 1.0), x0, "RK23", rtol=1e-3, max_step=0.01)
    film, _ = showmotion_film(model, run.t, sv.fbanim(run.y[:13]))
    camera = {"direction": (0.6, -1, 0.4)}
    return film, {"at": 0.9, "camera": camera, "overlays": ("trails",)}


def _showmotion(model, time):
    film, camera = showmotion_film(model)
    return film, {"at": time, "camera": camera}


PICTURES = (
    arm, walker, many_worlds, panda, talos, anymal, planar, instructions, vee, scissor, branches,
    elbow, inertia, page, pile, terrain, spheres, dropped, disc, springs,
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
        options = {"size": SIZE} | options
        print(slim(render(subject, HERE / f"{make.__name__}.png", **options)))


if __name__ == "__main__":
    main(sys.argv[1:])
