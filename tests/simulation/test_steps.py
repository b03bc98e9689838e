"""Halving the step never makes an answer worse, over ten steps from coarse to fine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import polhode as ph
from polhode.model import Euler, FloatingBase, Model, Revolute, Spherical
from polhode.spatial import Transform

Start = tuple[Model, tuple[float, ...], tuple[float, ...]]
STEPS = 1e-2 / 2.0 ** np.arange(10)
# Errors may rise by this, and up to the reference's own.
SLACK, ROUNDING = 1.05, 2e-8
LINK = {"mass": 1.0, "com": (0, 0, -0.5), "inertia": (1 / 12, 1 / 12, 1e-3)}


def chain(*joints, gap: float = 1.0) -> Model:
    """Rods of 1 m that hang from each other."""
    model, place = Model("chain"), Transform.identity()
    for k, joint in enumerate(joints):
        model = model.append(f"link{k}", joint=joint, frame=place, **LINK)
        place = Transform.translation(0, 0, -gap)
    return model


def top(spin: float) -> Start:
    """A cone on its tip, half a radian from the vertical, that turns about its own axis."""
    mass, radius, height = 0.1, 0.03, 0.06
    across = mass * (3 / 20 * radius**2 + 3 / 80 * height**2)
    model = Model("top").add(
        "top", joint=Spherical(), mass=mass, com=(0, 0, 0.75 * height),
        inertia=(across, across, 0.3 * mass * radius**2),
    )  # fmt: skip
    return model, (0.0, np.sin(0.25), 0.0, np.cos(0.25)), (0.0, 0.0, spin)


def wheel_in_gimbals(spin: float) -> Start:
    model = Model("gyro").add("yoke", joint=Revolute.z(), mass=0.1, inertia=(1e-3, 1e-3, 1e-3))
    model = model.add("arm", parent="yoke", joint=Revolute.y(), mass=0.1, inertia=(1e-3,) * 3)
    model = model.add("wheel", parent="arm", frame=Transform.translation(0.2, 0, 0),
                      joint=Revolute.x(), mass=1.0, inertia=(0.02, 0.01, 0.01))  # fmt: skip
    return model, (0.0, 0.0, 0.0), (0.0, 0.0, spin)


def in_space(count: int, rate: float) -> Start:
    """A chain that nothing holds, thrown with its joints turning."""
    joints = [FloatingBase(), *(Revolute.y() if k % 2 else Revolute.x() for k in range(count))]
    model = chain(*joints, gap=0.5)
    rng = np.random.default_rng(1)
    q, qd = ph.random_configuration(model, rng), rate * rng.normal(size=model.nv)
    return model, tuple(q), tuple(qd)


def pair(q: tuple[float, float], qd: tuple[float, float] = (0.0, 0.0)) -> Start:
    return chain(Revolute.y(), Revolute.y()), q, qd


MACHINES: dict[str, Callable[[], Start]] = {
    "pendulum": lambda: (chain(Revolute.y()), (2.0,), (0.0,)),
    "wheel": lambda: (Model("w").add("w", joint=Revolute.z(), mass=1.0, inertia=(1, 1, 1)),
                      (0.0,), (300.0,)),
    "spherical pendulum": lambda: (chain(Spherical()), (0.28, 0.0, 0.0, 0.96), (0.0, 1.0, 2.0)),
    "pendulum on three turns": lambda: (chain(Euler("YXZ")), (0.2, 0.5, 0.1), (0.3, 2.0, 0.0)),
    "double pendulum, slow": lambda: pair((0.2, 0.1)),
    "double pendulum": lambda: pair((1.0, 0.3)),
    "double pendulum, high": lambda: pair((2.5, 0.3)),
    "double pendulum, pushed": lambda: pair((0.0, 0.0), (6.0, 0.0)),
    "double pendulum, thrown": lambda: pair((0.0, 0.0), (6.0, -10.0)),
    "double pendulum, fast": lambda: pair((0.0, 0.0), (20.0, -10.0)),
    "spherical joints": lambda: (chain(Spherical(), Spherical()),
                                 (0.28, 0.0, 0.0, 0.6, 0.0, 0.0, 0.96, 0.8),
                                 (1.0, 0.0, 2.0, 0.0, -1.0, 1.0)),
    "top, slow": lambda: top(20.0),
    "top": lambda: top(100.0),
    "top, fast": lambda: top(300.0),
    "gimbals, slow": lambda: wheel_in_gimbals(10.0),
    "gimbals": lambda: wheel_in_gimbals(100.0),
    "gimbals, fast": lambda: wheel_in_gimbals(1000.0),
    "thrown, slow": lambda: in_space(2, 0.3),
    "thrown": lambda: in_space(2, 3.0),
    "thrown, fast": lambda: in_space(2, 20.0),
}  # fmt: skip


def errors(model: Model, q: tuple[float, ...], qd: tuple[float, ...], duration: float):
    """Greatest errors of points of the last body against DOP853 [m], for each of `STEPS`."""
    every = STEPS[0]
    options = {"dt": every, "record": every, "progress": False}
    exact = ph.simulate(
        model, duration, q0=q, qd0=qd, integrator="DOP853", rtol=1e-12, atol=1e-12, **options
    )
    scene = ph.Scene().add_machine(model, "machine", q=q, qd=qd)
    out = []
    for dt in STEPS:
        run = ph.simulate(scene, duration, progress=False, dt=dt, record=every)
        out.append(np.abs(last_pose(model, run.q) - last_pose(model, exact.q)).max())
    return np.array(out)


def last_pose(model: Model, q: np.ndarray) -> np.ndarray:
    return ph.body_poses(model, q)[..., -1, :3, :]


@pytest.mark.parametrize("case", list(MACHINES))
def test_a_shorter_step_is_no_worse(case):
    """Until a fast top's step of 2e-4 was halved, and its error grew 3000 times."""
    found = errors(*MACHINES[case](), duration=0.5)
    assert (found[1:] <= SLACK * np.maximum(found[:-1], ROUNDING)).all(), found
    assert found[-1] < max(found[0] * 1e-4, ROUNDING)
