"""Random kinematic trees of mixed joints, and states for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

import polhode as ph
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.model import (
    Axes,
    Euler,
    Fixed,
    FloatingBase,
    Helical,
    Model,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    TranslationXYZ,
    Universal,
)
from polhode.spatial import Mat3, Transform, Vec3

Generator = np.random.Generator


def random_rotation(rng: Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.standard_normal((3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def random_axis(rng: Generator) -> tuple[float, float, float]:
    v = rng.standard_normal(3)
    x, y, z = (v / np.linalg.norm(v)).tolist()
    return x, y, z


def random_frame(rng: Generator) -> Transform:
    return Transform(
        Mat3.of(random_rotation(rng).tolist()), Vec3.of(rng.uniform(-0.6, 0.6, 3).tolist())
    )


def _universal(rng: Generator) -> Universal:
    first = np.array(random_axis(rng))
    second = np.cross(first, random_axis(rng))
    return Universal(tuple(first.tolist()), tuple((second / np.linalg.norm(second)).tolist()))


def _axes(rng: Generator) -> Axes:
    rows = ((*random_axis(rng), 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, *random_axis(rng)))
    return Axes((*rows, (0.0, 1.0, 0.0, 0.0, 0.0, 0.0)))


KINDS: dict[str, Callable[[Generator], object]] = {
    "revolute x": lambda rng: Revolute.x(),
    "revolute y": lambda rng: Revolute.y(),
    "revolute z": lambda rng: Revolute.z(),
    "revolute": lambda rng: Revolute(random_axis(rng)),
    "prismatic z": lambda rng: Prismatic.z(),
    "prismatic": lambda rng: Prismatic(random_axis(rng)),
    "screw": lambda rng: Screw(float(rng.uniform(-0.5, 0.5))),
    "helical": lambda rng: Helical((*random_axis(rng), *random_axis(rng))),
    "universal": _universal,
    "planar": lambda rng: Planar(),
    "spherical": lambda rng: Spherical(),
    "euler ZYX": lambda rng: Euler("ZYX"),
    "euler XYZ": lambda rng: Euler("XYZ"),
    "euler YXZ": lambda rng: Euler("YXZ"),
    "euler ZXY": lambda rng: Euler("ZXY"),
    "translation": lambda rng: TranslationXYZ(),
    "floating": lambda rng: FloatingBase(),
    "axes": _axes,
    "fixed": lambda rng: Fixed(),
}


def random_body(rng: Generator) -> dict:
    """Mass properties of a solid box of random size and pose."""
    mass, sides = float(rng.uniform(0.3, 3.0)), rng.uniform(0.1, 0.5, 3)
    about_axes = mass / 12.0 * (np.sum(sides**2) - sides**2)
    R = random_rotation(rng)
    inertia = R @ np.diag(about_axes) @ R.T
    return {
        "mass": mass,
        "com": tuple(rng.uniform(-0.2, 0.2, 3).tolist()),
        "inertia": tuple(map(tuple, (0.5 * (inertia + inertia.T)).tolist())),
    }


def tree(
    kinds: Sequence[str],
    parents: Sequence[int] | None = None,
    seed: int = 0,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    *,
    geared: bool = False,
) -> Model:
    """Link ``i`` hangs by a joint of ``kinds[i]`` on link ``parents[i]``; -1 is the base.

    Of a ``geared`` tree half of the joints have armature; free bodies have none.
    """
    rng, gears = np.random.default_rng(seed), np.random.default_rng((seed, 1))
    parents = range(-1, len(kinds) - 1) if parents is None else parents
    model = Model("tree", gravity=gravity)
    for i, (kind, parent) in enumerate(zip(kinds, parents, strict=True)):
        joint = KINDS[kind](rng)
        has_rotor = geared and kind != "floating" and gears.random() < 0.5
        armature = gears.uniform(0.0, 0.3, joint.nv) if has_rotor else 0.0
        model = model.add(
            f"link{i}",
            parent=f"link{parent}" if parent >= 0 else None,
            joint=joint,
            armature=armature,
            frame=random_frame(rng),
            **random_body(rng),
        )
    return model


@st.composite
def trees(draw, *, kinds: Sequence[str] = tuple(KINDS), max_links: int = 4, first=None) -> Model:
    """Trees of up to ``max_links`` links; ``first`` names the kind of the first joint."""
    names = draw(st.lists(st.sampled_from(list(kinds)), min_size=1, max_size=max_links))
    names[0] = first or next((name for name in names if name != "fixed"), "revolute z")
    parents = [draw(st.integers(-1 if first is None else 0, i - 1)) for i in range(1, len(names))]
    seed, geared = draw(st.integers(0, 1000)), draw(st.booleans())
    return tree(names, [-1, *parents], seed, geared=geared)


class State(NamedTuple):
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray


def random_state(model: Model, seed: int = 0, size: tuple[int, ...] = ()) -> State:
    """Half a radian or so from neutral, where no Euler joint is near its singularity.

    Integrated without compiling: most trees are random, and used once.
    """
    rng = np.random.default_rng(seed)
    step = np.clip(rng.standard_normal((*size, model.nv)), -2.0, 2.0) * 0.5
    q = run_plain(algorithms.integrate, model, (ph.neutral(model), step, 1.0))
    qd, qdd, tau = rng.standard_normal((3, *size, model.nv))
    return State(q, qd, qdd, tau)
