"""A robot that shows every drawing instruction."""

from __future__ import annotations

from typing import Any

import numpy as np

from .system import Struct, SystemModel
from .trees import planar
from .vocabulary import described

_CORNERS = [
    [-0.2, -0.1, 0.4], [0.1, -0.1, 0.4], [0.1, 0.1, 0.4],
    [-0.2, 0.1, 0.4], [-0.1, 0.0, 0.5], [0.0, 0.0, 0.5],
]  # fmt: skip
_PIT = (
    ([[-1.0, 2.0], [-1.0, 1.0], [-0.3, -0.3]], 0.4),
    ([[-0.4, 0.45], [-0.4, -1.0], [-0.3, -0.15]], 0.1),
    ([[-0.4, 0.45], [0.4, 0.4], [-0.3, -0.15]], 0.1),
    ([[-0.4, -1.0], [-0.4, 0.4], [-0.3, -0.15]], 0.1),
    ([[0.45, 0.45], [-0.4, 0.4], [-0.3, -0.15]], 0.1),
    ([[-0.4, 0.45], [-0.4, 0.4], [-0.15, -0.15]], 0.1),
)
TIP = [1.1, 0.0, 0.0]
"""The tip of the white triangle, in body 2."""


@described("model")
def gfxExample(*tracking: Any) -> SystemModel:
    """The robot of ``planar(2)`` with every drawing instruction there is.

    With any argument its camera follows the tip of the white triangle.
    """
    model = planar(2)
    model.appearance = Struct(base=_base(), body=[_first(), _second()])
    if tracking:
        model.camera = Struct(body=2, trackpoint=list(TIP))
    return model


def _base() -> list[Any]:
    drawing: list[Any] = []
    for extent, size in _PIT:
        drawing += ["tiles", extent, size]
    drawing += ["box", [[-0.2, -0.3, -0.2], [0.2, 0.3, -0.07]]]
    drawing += ["vertices", _CORNERS]
    drawing += ["triangles", [[1, 2, 6], [1, 6, 5], [3, 4, 5], [3, 5, 6], [3, 2, 1], [3, 1, 4]]]
    return [*drawing, "colour", [0.45, 0.2, 0.35], "triangles", [[2, 3, 6], [4, 1, 5]]]


def _link() -> list[Any]:
    return [
        "box", [[0.0, -0.07, -0.04], [1.0, 0.07, 0.04]],
        "cyl", [[0.0, 0.0, -0.07], [0.0, 0.0, 0.07]], 0.1,
    ]  # fmt: skip


def _first() -> list[Any]:
    two_tone = ["facets", 80, "colour", [[0.0, 0.5, 0.0], [0.4, 0.8, 0.4]]]
    two_tone += ["sphere", [0.4, 0.0, 0.2], 0.08]
    angular = ["facets", 8, "sphere", [0.2, 0.0, 0.2], 0.1]
    scoped = ["colour", [0.1, 0.3, 0.6], two_tone, angular]
    hook = ["line", [[0.0, 0.0, 0.0], [0.0, 0.0, 0.2], [0.8, 0.0, 0.2]]]
    return [*_link(), scoped, *hook, "sphere", [0.6, 0.0, 0.2], 0.06]


def _second() -> list[Any]:
    turn = 2.0 * np.pi * np.arange(101) / 100
    c, s = np.cos(turn), np.sin(turn)
    drawing = _link()
    for k in range(6):
        x, radius = 0.2 + 0.05 * k, 0.15 - 0.01 * k
        circle = np.stack((np.full(101, x), radius * c, radius * s), axis=1)
        drawing += ["colour", [0.0, 0.8 - 0.05 * k, 0.8], ["line", circle.tolist()]]
    slant = 0.2 * np.sqrt(0.5)
    ring = np.stack((slant * c, 0.2 * s, -slant * c), axis=1)
    drawing += ["colour", [0.8, 0.5, 0.7], ["line", ring.tolist()], "colour", [1.0, 1.0, 1.0]]
    return [*drawing, "line", [TIP, [1.02, 0.04, 0.0], [1.02, -0.04, 0.0], TIP]]
