"""All contacts of many pairs of shapes, in one compiled call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiler.jit import Floats, Floats2, Floats3, Ints, ShortInts2, jit
from ...spatial import Mat3, Vec3
from . import layout as at
from .found import GAP, NAME, NORMAL, POINT, ROOM, settle
from .gjk import ROWS
from .pairs import pair_contacts
from .vectors import pose, triple


class ContactBuffer(NamedTuple):
    """Arrays that `collide` writes contacts to, and room to work in.

    Attributes
    ----------
    pair, feature : shape (n,)
        Row of the pair of shapes; what of them touches.
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
def _apart(
    data: Floats,
    oa: int,
    Ra: Mat3,
    pa: Vec3,
    ob: int,
    Rb: Mat3,
    pb: Vec3,
    margin: float,
):
    """Whether spheres around both are farther apart than the margin."""
    reach = data[oa + at.REACH] + data[ob + at.REACH] + margin
    a = Ra @ triple(data, oa + at.CENTRE) + pa
    v = a - (Rb @ triple(data, ob + at.CENTRE) + pb)
    return v.dot(v) > reach * reach


@jit
def collide(
    data: Floats,
    offsets: Ints,
    rotations: Floats3,
    positions: Floats2,
    pairs: ShortInts2,
    margin: float,
    out: ContactBuffer,
):
    """Contacts with a gap below ``margin`` of pairs of shapes, sorted by pair and feature.

    Parameters
    ----------
    data, offsets : ndarray
        The arrays of a `ShapeTable`.
    rotations, positions : ndarray, shape (G, 3, 3) and (G, 3)
        From each shape's coordinates to the world's.
    pairs : ndarray of int32, shape (P, 2)
        Numbers of shapes a, b.
    margin : float
        Contacts nearer than this are found [m].
    out : ContactBuffer
        As `contact_buffer` makes it.  The normal is from b to a; the point lies midway
        between both surfaces.

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
        if data[offsets[a]] > data[offsets[b]]:
            a, b, sign = b, a, -1.0
        oa, ob = np.int64(offsets[a]), np.int64(offsets[b])
        Ra, pa = pose(rotations, positions, a)
        Rb, pb = pose(rotations, positions, b)
        if _apart(data, oa, Ra, pa, ob, Rb, pb, margin):
            continue
        found[ROOM, 0] = 0.0
        sign *= pair_contacts(data, oa, Ra, pa, ob, Rb, pb, margin, work, found)
        count = settle(found)
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
