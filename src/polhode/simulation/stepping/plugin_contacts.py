"""Contacts from plug-ins written in Python, in the order of the compiled functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model import Shape
from ...scene import Plugin
from ..errors import SimulationError
from .contacts import FEATURE, GAP, N_REAL, NORMAL, POINT, RULE, A, B
from .counter_indices import MARGIN
from .lowering import Lowered
from .system import System


@dataclass(frozen=True, eq=False)
class PlacedGeometry:
    """A geometry and its pose: a plug-in that finds contacts is called with two of them.

    Attributes
    ----------
    name, machine, body : str
    shape : Shape or None
    rotation : ndarray, shape (3, 3)
        Its columns are the axes of the geometry in world coordinates.
    origin : ndarray, shape (3,)
    t : float
        Time [s].
    """

    name: str
    machine: str
    body: str
    shape: Shape | None
    rotation: np.ndarray
    origin: np.ndarray
    t: float

    def to_world(self, point: Any) -> np.ndarray:
        """World coordinates of a point of the geometry.

        Parameters
        ----------
        point : array_like, shape (3,)

        Returns
        -------
        point : ndarray, shape (3,)
        """
        return self.rotation @ np.asarray(point, float) + self.origin


class Finder:
    """Calls the plug-ins of a scene for each pair, and merges in the contacts of shapes."""

    def __init__(self, lowered: Lowered):
        self.lowered: Lowered = lowered
        self.fields: System = lowered.fields
        self.plugins: list[Plugin] = [p for p in lowered.scene.plugins if p.kind == "collision"]
        self.give_nothing()

    def give_nothing(self) -> None:
        """Give no contacts, as after an error."""
        self._give([], [])

    def find(self, t: float, whole: np.ndarray, real: np.ndarray) -> None:
        """Complete the contacts of shapes by those of plug-ins, sorted by pair and feature."""
        margin, surfaces = float(self.fields.totals[MARGIN]), self._surfaces(t)
        rows = {(int(w[A]), int(w[B]), int(w[FEATURE])): (w.copy(), r.copy())
                for w, r in zip(whole, real, strict=True)}  # fmt: skip
        for i, j in self.lowered.asked.tolist():
            found = self._asked(surfaces[i], surfaces[j], margin)
            if found is None:
                continue
            rows = {key: row for key, row in rows.items() if key[:2] != (i, j)}
            rows |= {(i, j, each[0]): self._row(i, j, *each) for each in found}
        ordered = [rows[key] for key in sorted(rows)]
        self._give([row[0] for row in ordered], [row[1] for row in ordered])

    def _surfaces(self, t: float) -> list[PlacedGeometry]:
        scene, fields = self.lowered.scene, self.fields
        out = []
        for g, index in enumerate(self.lowered.geometries):
            each = scene.geometries[index]
            rotation, origin = fields.rotation[g].copy(), fields.origin[g].copy()
            surface = PlacedGeometry(
                each.name, each.machine, each.body, each.shape, rotation, origin, t
            )  # fmt: skip
            out.append(surface)
        return out

    def _asked(self, a: PlacedGeometry, b: PlacedGeometry, margin: float) -> list[tuple] | None:
        """Features, points, normals and gaps that the first plug-in to answer gives."""
        for plugin in self.plugins:
            if plugin.of and a.name not in plugin.of and b.name not in plugin.of:
                continue
            found = plugin.function(a, b, margin)
            if found is not None:
                return [_checked(plugin, a, b, k, row) for k, row in enumerate(found)]
        return None

    def _row(self, i: int, j: int, feature: int, point, normal, gap) -> tuple:
        fields = self.fields
        whole, real = np.zeros(4, np.int64), np.zeros(N_REAL)
        whole[A], whole[B], whole[FEATURE] = i, j, feature
        whole[RULE] = fields.rule_of[fields.family[i], fields.family[j]]
        real[POINT : POINT + 3], real[NORMAL : NORMAL + 3], real[GAP] = point, normal, gap
        return whole, real

    def _give(self, whole: list[np.ndarray], real: list[np.ndarray]) -> None:
        self.fields.given_whole = np.array(whole, np.int64).reshape(-1, 4)
        self.fields.given_real = np.array(real, float).reshape(-1, N_REAL)


def _checked(plugin: Plugin, a: PlacedGeometry, b: PlacedGeometry, k: int, row: Any) -> tuple:
    """One contact of a plug-in: its feature, point, unit normal and gap."""
    where = f"plug-in '{plugin.name}', '{a.name}' and '{b.name}' at t = {a.t:g} s"
    try:
        point, normal, gap = (np.asarray(x, float) for x in tuple(row)[:3])
        feature = int(row[3]) if len(row) > 3 else k
        shapes = point.shape, normal.shape, gap.shape
    except (TypeError, ValueError, IndexError):
        shapes = ()
    if shapes != ((3,), (3,), ()):
        raise SimulationError(
            f"expected contacts as (point, normal, gap) with 3, 3 and 1 numbers, got {row!r} "
            f"({where})"
        )
    size = float(np.linalg.norm(normal))
    if not (np.isfinite(point).all() and np.isfinite(gap) and abs(size - 1.0) < 1e-6):
        raise SimulationError(
            f"expected a finite point and gap and a unit normal, got {row!r} ({where})"
        )
    return feature, point, normal / size, float(gap)
