"""A shape at its place in the world, as compiled functions take it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..spatial import Mat3, Vec3


class PlacedShapes(NamedTuple):
    """All shapes of a `ShapeTable` and their poses.

    Attributes
    ----------
    data, offsets : shape (n,), (G,)
        The numbers of all shapes, and where those of each begin.
    rotations, positions : shape (G, 3, 3), (G, 3)
        From each shape's coordinates to the world's.
    """

    data: np.ndarray
    offsets: np.ndarray
    rotations: np.ndarray
    positions: np.ndarray


class Placed(NamedTuple):
    """A shape of a `ShapeTable` and its pose.

    Attributes
    ----------
    data : shape (n,)
        The numbers of all shapes.
    at : int
        Where those of this shape begin.
    R : Mat3
        Rotation from the shape's coordinates to the world's.
    p : Vec3
        Origin of the shape [m], in world coordinates.
    """

    data: np.ndarray
    at: int
    R: Mat3
    p: Vec3

    @property
    def kind(self) -> int:
        """Which shape it is, as `shape_layout` numbers them."""
        return int(self.data[self.at])

    def number(self, k: int) -> float:
        """Number ``k`` of the shape, as `shape_layout` orders them."""
        return self.data[self.at + k]

    def to_world(self, x: Vec3) -> Vec3:
        """A point of the shape's coordinates in the world's."""
        return self.R @ x + self.p

    def to_local(self, x: Vec3) -> Vec3:
        """A point of the world's coordinates in the shape's."""
        return self.R.T @ (x - self.p)
