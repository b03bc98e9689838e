"""The scenes that everybody tries first, as short motions."""

from importlib.resources import files

import numpy as np

import polhode as ph
from polhode.model import Box, Model, Plane, Revolute, Sphere
from polhode.spatial import Transform

ROD = {"mass": 1.0, "com": (0.0, 0.0, -0.5), "inertia": (1 / 12, 1 / 12, 1e-3)}


def shipped(name):
    return ph.load(files("polhode") / "examples" / name)


def pendulum():
    return Model("pendulum").add("upper", joint=Revolute.y(), **ROD)


def double_pendulum():
    """That of docs/building-models.md."""
    below = Transform.translation(0.0, 0.0, -1.0)
    return pendulum().append("lower", joint=Revolute.y(), frame=below, **ROD)


def recording(model, q, seconds):
    """Given positions, evenly spaced, at rest."""
    rates = np.zeros((len(q), model.nv))
    return ph.Recording(model, np.linspace(0.0, seconds, len(q)), q, rates, rates, rates[:, 0])


def dropped_ball():
    scene = ph.Scene("dropped ball").add_fixed("ground", Plane())
    scene = scene.add_body("ball", Sphere(0.2), mass=1.0, position=(0, 0, 3.0))
    return ph.simulate(scene, 1.2, progress=False)


def falling_ball():
    """Without any ground."""
    scene = ph.Scene("falling ball")
    scene = scene.add_body("ball", Sphere(0.2), mass=1.0, position=(0, 0, 3.0))
    return ph.simulate(scene, 1.2, progress=False)


def thrown_box():
    scene = ph.Scene("thrown box").add_fixed("ground", Plane()).contact(mu_coulomb=0.5)
    scene = scene.add_body(
        "box", Box((0.3, 0.2, 0.1)), mass=1.0, position=(0, 0, 0.5), velocity=(5.0, 0, 4.0)
    )
    return ph.simulate(scene, 1.2, progress=False)


def one_pendulum():
    return ph.simulate(pendulum(), 2.0, q0=[2.0])


def high_pendulum():
    return ph.simulate(double_pendulum(), 3.0, q0=[2.0, 1.0])


def arm():
    model = shipped("arm.urdf")
    return ph.simulate(model, 2.0, q0=np.full(model.nq, 0.4))


def walker_that_walks_off(metres=8.0):
    """The pelvis goes ahead, the legs swing."""
    model, t = shipped("walker.lua"), np.linspace(0.0, 6.0, 121)
    names = [joint.name for joint in model.joints]
    step = np.zeros((len(t), model.nv))
    step[:, 0] = metres * t / t[-1]
    for k, name in enumerate(names):
        if "thigh" in name:
            sign = 1.0 if "left" in name else -1.0
            step[:, model.joints[k].v.start + 1] = 0.5 * sign * np.sin(4.0 * t)
    return recording(model, ph.integrate(model, ph.neutral(model), step), t[-1])


def many_worlds():
    model = shipped("arm.urdf")
    q0 = 0.4 + 0.02 * np.arange(9)[:, None] * np.ones(model.nv)
    return ph.simulate(model, 1.0, q0=q0)


def two_pendulums():
    return [ph.simulate(double_pendulum(), 2.0, q0=[2.0, 1.0 + 0.3 * k]) for k in range(2)]
