"""What goes between the simulation and its pages: frames as floats, all else as JSON.

A frame begins with the time (one double), the rate (simulated seconds per second), and the numbers
of bodies and of contacts. Then come, for each body, place and quaternion in its parent's frame; for
each contact, a point and a force in base coordinates. All of them are floats, little-endian.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..rotations import relative

LONGEST = 1024  # characters of a message from a page
SLOWEST, FASTEST = 0.001, 20.0
_HEAD = struct.Struct("<dfII4x")
_FARTHEST = 1e9


class BadMessage(ValueError):
    """A page has sent what none of ours would."""


@dataclass(frozen=True)
class Command:
    """What a page wants: a verb, and what belongs to it."""

    verb: str
    number: float = 0.0
    body: int = 0
    point: tuple[float, ...] = ()
    target: tuple[float, ...] = ()


def frame(
    time: float, rate: float, parents: Sequence[int], poses: np.ndarray, contacts: np.ndarray
) -> bytes:
    """One moment: poses (N, 4, 4) and contacts (n, 6) in base coordinates."""
    bodies = relative(poses[None, None], parents).ravel()
    head = _HEAD.pack(time, rate, len(poses), len(contacts))
    return head + np.concatenate((bodies, contacts.ravel())).astype("<f4").tobytes()


def read_command(text: str | bytes, n_bodies: int) -> Command:
    """The command in a page's message.

    Raises
    ------
    BadMessage
        If it is none.
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        raise BadMessage("expected a short text")
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("expected JSON") from None
    verb = row.get("do") if isinstance(row, dict) else None
    match verb:
        case "play" | "pause" | "step" | "reset" | "release" | "seen" | "close":
            return Command(verb)
        case "speed":
            (speed,) = _numbers([row.get("speed")], 1)
            return Command(verb, number=min(max(speed, SLOWEST), FASTEST))
        case "pull":
            body = row.get("body")
            if type(body) is not int or not 1 <= body <= n_bodies:
                raise BadMessage(f"expected a body from 1 to {n_bodies}")
            point, target = _numbers(row.get("point"), 3), _numbers(row.get("target"), 3)
            return Command(verb, body=body, point=point, target=target)
    raise BadMessage("expected something to do")


def _numbers(values: object, count: int) -> tuple[float, ...]:
    if not isinstance(values, list) or len(values) != count:
        raise BadMessage(f"expected {count} numbers")
    if not all(type(x) in (int, float) for x in values):
        raise BadMessage("expected numbers")
    # Compared as they are: whole numbers of many digits are no floats.
    if not all(-_FARTHEST <= x <= _FARTHEST for x in values):
        raise BadMessage(f"expected numbers between {-_FARTHEST:g} and {_FARTHEST:g}")
    return tuple(float(x) for x in values)
