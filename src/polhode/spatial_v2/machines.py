"""The models of the tutorials that float: vee, singlebody, scissor, rollingdisc."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import ModelError
from .arithmetic import mcI, plux
from .arrays import scalar, whole
from .system import Struct, SystemModel
from .trees import floatbase
from .vocabulary import described

RED, GREEN, BLUE, ORANGE = (0.9, 0.0, 0.0), (0.0, 0.9, 0.0), (0.0, 0.3, 0.9), (0.9, 0.5, 0.0)
WEIGHTLESS = (0.0, 0.0, 0.0)
ROD = 0.01
"""The radius of the vee's rods [m]."""


@described("model")
def vee(L2: float = 1.0) -> SystemModel:
    """Two thin rods on a joint at 45 degrees to both, floating without gravity.

    The first has unit length and mass, the second both equal to ``L2``.  In the position
    zero they lie on the x and y axes, and the joint's axis is between them.
    """
    L2, s = scalar(L2, "L2"), math.sqrt(0.5)
    if L2 < 0.0:
        raise ModelError(f"expected an L2 of at least 0, got {L2:g}")
    # x of the second body is -z of the first, its z the joint's axis (1, 1, 0).
    turn = np.array([[0.0, 0.0, -1.0], [-s, s, 0.0], [s, s, 0.0]])
    along = np.array([0.0, s, s])  # the second rod, in its own coordinates
    centre = 0.5 * L2 * along
    arms = SystemModel(
        NB=2,
        parent=[0, 1],
        jtype=["R", "R"],
        Xtree=[np.eye(6), plux(turn, (0.0, 0.0, 0.0))],
        gravity=WEIGHTLESS,
        I=[
            mcI(1.0, (0.5, 0.0, 0.0), _rod(1.0, np.array([1.0, 0.0, 0.0]))),
            mcI(L2, centre, _rod(L2, along)),
        ],
    )
    free = floatbase(arms)
    free.appearance = _drawn_vee(L2, along)
    return free


def _rod(length: float, along: np.ndarray) -> np.ndarray:
    """Inertia about its centre of a rod whose mass is its length."""
    across = length * (3.0 * ROD**2 + length**2) / 12.0
    lengthwise = 0.5 * length * ROD**2
    return across * np.eye(3) + (lengthwise - across) * np.outer(along, along)


def _drawn_vee(L2: float, along: np.ndarray) -> Struct:
    system = np.array([0.5, 0.5 * L2**2, 0.0]) / (1.0 + L2)
    at_rod = 0.5 * (1.0 + L2**2) / (1.0 + L2)  # where the rods, laid together, balance
    lines: list[Any] = ["line", [[1.1, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.1, 0.0]]]
    lines += ["line", [[0.0, 0.0, 0.0], [0.8, 0.8, 0.0]]]
    lines += ["line", [[0.55, -0.05 * L2, 0.0], [-0.05, 0.55 * L2, 0.0]]]
    s = 0.02 * math.sqrt(0.5)
    first: list[Any] = ["cyl", [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], ROD]
    first += ["cyl", [[s, s, 0.0], [-s, -s, 0.0]], 0.02]
    first += ["colour", list(RED), "sphere", [0.5, 0.0, 0.0], 0.015]
    second: list[Any] = ["cyl", [[0.0, 0.0, 0.0], (L2 * along).tolist()], ROD]
    second += ["cyl", [[0.0, 0.0, 0.02], [0.0, 0.0, 0.06]], 0.02]
    second += ["colour", list(RED), "sphere", (0.5 * L2 * along).tolist(), 0.015]
    if L2 != 1.0:
        places = system, np.array([at_rod, 0.0, 0.0]), at_rod * along
        for drawing, place in zip((lines, first, second), places, strict=True):
            drawing += ["colour", list(ORANGE), "sphere", place.tolist(), 0.015]
    return Struct(base=lines, body=[[], [], [], [], [], first, second])


def _single(I: Any, base: list, drawing: list, **fields: Any) -> SystemModel:
    """A body floating alone."""
    return floatbase(
        SystemModel(
            NB=1, parent=[0], jtype=["R"], Xtree=[np.eye(6)], I=[I],
            appearance=Struct(base=base, body=[drawing]), **fields,
        )
    )  # fmt: skip


@described("model")
def singlebody() -> SystemModel:
    """A box of 3 by 2 by 1 and unit mass, one corner at the origin, without gravity."""
    size = np.array([3.0, 2.0, 1.0])
    base: list[Any] = []
    for colour, axis in zip((RED, GREEN, BLUE), np.eye(3), strict=True):
        base += ["colour", list(colour), "line", [[0.0, 0.0, 0.0], (2.0 * axis).tolist()]]
    I = mcI(1.0, 0.5 * size, _box(size))
    return _single(I, base, ["box", [[0.0, 0.0, 0.0], size.tolist()]], gravity=WEIGHTLESS)


def _box(size: np.ndarray) -> np.ndarray:
    """Inertia about its centre of a box of unit mass."""
    squares = size**2
    return np.diag(squares.sum() - squares) / 12.0


@described("model")
def scissor() -> SystemModel:
    """Two strips joined at their middles by a joint on the y axis, floating without gravity."""
    size = np.array([0.2, 0.1, 1.0])
    near, far = (mcI(1.0, (0.0, y, 0.0), _box(size)) for y in (-0.05, 0.05))
    first = ["box", [[-0.1, -0.1, -0.5], [0.1, 0.0, 0.5]], "colour", [0.6, 0.3, 0.8]]
    first += ["cyl", [[0.0, -0.13, 0.0], [0.0, 0.13, 0.0]], 0.07]
    second = ["box", [[-0.1, 0.0, -0.5], [0.1, 0.1, 0.5]]]
    return floatbase(
        SystemModel(
            NB=2,
            parent=[0, 1],
            jtype=["R", "Ry"],
            Xtree=[np.eye(6)] * 2,
            gravity=WEIGHTLESS,
            I=[near, far],
            appearance=Struct(body=[first, second]),
            camera=Struct(direction=[0.0, -3.0, 1.0], zoom=0.9),
        )
    )


@described("model")
def rollingdisc(npt: int) -> SystemModel:
    """A disc with ``npt`` corners on either face that may touch the ground.

    Radius 0.05 m, thickness 0.01 m, density 3000 kg/m^3; its inertia is that of the round
    disc.  It lies across the y axis.
    """
    npt = whole(npt, "npt", least=0)
    radius, thickness, density = 0.05, 0.01, 3000.0
    m = density * math.pi * radius**2 * thickness
    across = m * (3.0 * radius**2 + thickness**2) / 12.0
    I = mcI(m, (0.0, 0.0, 0.0), np.diag((across, 0.5 * m * radius**2, across)))
    angle = 2.0 * math.pi * np.arange(npt) / npt
    x, z = radius * np.sin(angle), radius * np.cos(angle)
    faces = [np.stack((x, np.full(npt, y), z)) for y in (-0.5 * thickness, 0.5 * thickness)]
    half = 0.5 * thickness
    return _single(
        I,
        ["tiles", [[-0.1, 1.0], [-0.3, 0.3], [0.0, 0.0]], 0.1],
        ["facets", npt, "cyl", [[0.0, -half, 0.0], [0.0, half, 0.0]], radius],
        camera=Struct(body=1, direction=[1.0, 0.0, 0.1], locus=[0.0, 0.5]),
        gc=Struct(point=np.concatenate(faces, axis=1), body=np.ones(2 * npt)),
    )
