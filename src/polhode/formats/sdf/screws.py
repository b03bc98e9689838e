"""``screw`` joints: how far they move in a turn, by either of two elements of SDF."""

from __future__ import annotations

import math

from ..reading import Notes
from ..xml import Element
from .values import child, describe, number

PER_TURN = "screw_thread_pitch"
PER_METRE = "thread_pitch"


def pitch(joint: Element, notes: Notes) -> float:
    """How far a screw moves along its axis per radian [m]; positive for right-handed threads.

    ``<screw_thread_pitch>``, of version 1.10, is in metres per turn.  ``<thread_pitch>`` is in
    radians per metre, and positive for left-handed threads; the newer element supersedes it.
    Source: the specification of SDF, https://sdformat.org/spec?elem=joint.

    Raises
    ------
    ParseError
        Without either element, and for no radians per metre.
    """
    newer, older = child(joint, PER_TURN), child(joint, PER_METRE)
    if newer is not None:
        if older is not None:
            text = f"{describe(joint)}: <{PER_METRE}> is not read beside <{PER_TURN}>"
            notes.add("ignored", text, older.line)
        return number(joint, PER_TURN) / (2.0 * math.pi)
    if older is None:
        raise joint.error(f"expected <{PER_TURN}> in {describe(joint)}, of type screw: metres per "
                          "turn, positive for a right-handed thread")  # fmt: skip
    rate = number(joint, PER_METRE)
    if rate == 0.0 or math.isinf(1.0 / rate):
        raise older.error(
            f"expected <{PER_METRE}> in radians per metre, found {rate:g} in {describe(joint)}; "
            f"<{PER_TURN}> is in metres per turn"
        )
    return -1.0 / rate
