"""All contacts of many pairs of shapes, in one compiled call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiler.jit import Floats, ShortInts2, jit
from . import shape_layout as at
from .contact_list import GAP, NAME, NORMAL, POINT, ROOM, settle
from .gjk import ROWS
from .pairs import pair_contacts
from .placed import Placed, PlacedShapes
from .vectors import pose, triple


class ContactBuffer(NamedTuple):
    """Arrays that `collide` writes contacts to, and room to work in.

    Attributes
    ----------
    pair, feature : shape (n,)
        Row of the pair of shapes; number of the feature.
    point, normal : shape (n, 3)
        In world coordinates [m]; the normal points from b to a.
    gap : shape (n,)
        Distance of the surfaces [m]; negative where they overlap.
    work : shape (k, 9)
        Scratch.
    """

    pair: np.ndarray
    feature: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    gap: np.ndarray
    work: np.ndarray


def contact_buffer(capacity: int) -> ContactBuffer:
    """Room for so many contacts."""
    return ContactBuffer(
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int64),
        np.zeros((capacity, 3)),
        np.zeros((capacity, 3)),
        np.zeros(capacity),
        np.zeros((ROWS + ROOM + 1, 9)),
    )


@jit
def placed(shapes: PlacedShapes, g: int):
    """Shape ``g`` where it is."""
    R, p = pose(shapes.rotations, shapes.positions, g)
    return Placed(shapes.data, shapes.offsets[g], R, p)


@jit
def _apart(
    shape_a: Placed,
    shape_b: Placed,
    margin: float,
):
    """Whether spheres around both are farther apart than the margin."""
    reach = shape_a.number(at.REACH) + shape_b.number(at.REACH) + margin
    a = shape_a.to_world(triple(shape_a.data, shape_a.at + at.CENTRE))
    v = a - (shape_b.to_world(triple(shape_b.data, shape_b.at + at.CENTRE)))
    return v.dot(v) > reach * reach


@jit
def collide(shapes: PlacedShapes, pairs: ShortInts2, margins: Floats, out: ContactBuffer):
    """Contacts with a gap below a margin of pairs of shapes, sorted by pair and feature.

    Parameters
    ----------
    shapes : PlacedShapes
        All shapes where they are.
    pairs : ndarray of int32, shape (P, 2)
        Numbers of shapes a, b.
    margins : ndarray, shape (P,)
        Contacts nearer than this are found [m].
    out : ContactBuffer
        As `contact_buffer` makes it.  The normal is from b to a; the point lies midway
        between both surfaces.  Two different shapes give the same in either order.

    Returns
    -------
    n : int
        How many contacts; or minus the capacity needed, and ``out`` is not to be used.
    """
    pair, feature, point, normal, gap = out.pair, out.feature, out.point, out.normal, out.gap
    work = out.work
    found = work[ROWS:]
    n, capacity = 0, len(gap)
    for row in range(len(pairs)):
        a, b = pairs[row, 0], pairs[row, 1]
        sign = 1.0
        if shapes.data[shapes.offsets[a] + at.ORDER] > shapes.data[shapes.offsets[b] + at.ORDER]:
            a, b, sign = b, a, -1.0
        first, second = placed(shapes, a), placed(shapes, b)
        margin = margins[row]
        if _apart(first, second, margin):
            continue
        found[ROOM, 0] = 0.0
        sign *= pair_contacts(first, second, margin, work, found)
        count = settle(found, min(first.number(at.REACH), second.number(at.REACH)))
        if n + count <= capacity:
            for k in range(count):
                pair[n + k] = row
                feature[n + k] = np.int64(found[k, NAME])
                gap[n + k] = found[k, GAP]
                for i in range(3):
                    point[n + k, i] = found[k, POINT + i]
                    normal[n + k, i] = sign * found[k, NORMAL + i]
        n += count
    return n if n <= capacity else -n
