"""Arrays for the page, in one zipped block that its JSON points into."""

from __future__ import annotations

import base64
import gzip
from typing import Any

import numpy as np

_TURN = 2.0**-15
_PLACES = 2.0**17
_MISSING = 65535


class Block:
    """Gathers arrays; each is told where it lies."""

    def __init__(self):
        self._parts: list[bytes] = []
        self._size = 0

    def text(self) -> str:
        """All arrays, zipped, as base64."""
        # The time stamp is left out: the same motion makes the same page.
        packed = gzip.compress(b"".join(self._parts), compresslevel=7, mtime=0)
        return base64.b64encode(packed).decode("ascii")

    def _append(self, data: bytes) -> int:
        at = self._size
        padded = data + b"\0" * (-len(data) % 4)
        self._parts.append(padded)
        self._size += len(padded)
        return at

    def array(self, values: Any, kind: str) -> dict[str, Any]:
        """Numbers of kind ``f4``, ``u2`` or ``u4``, little-endian."""
        values = np.ascontiguousarray(values, f"<{kind}").ravel()
        return {"kind": kind, "at": self._append(values.tobytes()), "count": values.size}

    def share(self, values: Any) -> dict[str, Any]:
        """Numbers as 16-bit shares of their range; what is not finite is missing."""
        values = np.asarray(values, float).ravel()
        finite = np.isfinite(values)
        low, high = (values[finite].min(), values[finite].max()) if finite.any() else (0.0, 0.0)
        scaled = np.full(values.shape, _MISSING, "<u2")
        scaled[finite] = np.rint((values[finite] - low) / ((high - low) or 1.0) * (_MISSING - 1))
        at = self._append(scaled.tobytes())
        return {
            "kind": "share", "at": at, "count": values.size, "low": float(low), "high": float(high),
        }  # fmt: skip

    def poses(self, packed: np.ndarray) -> dict[str, Any]:
        """Positions and quaternions, (T, bodies, 7), to 1/131072 of their extent and 1/32768.

        As whole numbers: second differences in time, the sign in the lowest bit, byte by byte,
        each channel's frames side by side.  Smooth motion is then mostly zeros.
        """
        frames = len(packed)
        places, turns = packed[..., :3], continuous(packed[..., 3:])
        extent = float(np.abs(places).max(initial=0.0)) or 1.0
        quanta = extent / _PLACES, _TURN
        whole = np.concatenate((places / quanta[0], turns / quanta[1]), axis=-1)
        whole = np.rint(whole).astype(np.int64).reshape(frames, -1)
        coded = whole.copy()
        coded[1:] = np.diff(whole, axis=0)
        coded[2:] = np.diff(whole, n=2, axis=0)
        folded = np.where(coded < 0, -2 * coded - 1, 2 * coded).astype("<u4")
        planes = np.ascontiguousarray(folded.T).view(np.uint8).reshape(-1, 4)
        at = self._append(np.ascontiguousarray(planes.T).tobytes())
        return {
            "kind": "poses", "at": at, "frames": frames, "channels": whole.shape[1],
            "quanta": list(quanta),
        }  # fmt: skip


def continuous(turns: np.ndarray) -> np.ndarray:
    """Quaternions (T, ..., 4) with signs chosen so that none jumps in time."""
    if len(turns) < 2:
        return turns
    flips = np.sign(np.sum(turns[1:] * turns[:-1], axis=-1, keepdims=True))
    flips[flips == 0.0] = 1.0
    signs = np.concatenate((np.ones_like(flips[:1]), np.cumprod(flips, axis=0)))
    return turns * signs
