"""Numbers and bytes as LLVM's text, bit for bit."""

from __future__ import annotations

import struct
from collections.abc import Sequence

_ESCAPED = [f"\\{byte:02X}" for byte in range(256)]


def to_single(x: float) -> float:
    """The float32 nearest to ``x``, as a float."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def number_text(x: float) -> str:
    """A double, or a float32 that is given as the double of its value."""
    return f"0x{struct.pack('>d', x).hex().upper()}"


def numbers_as_bytes(numbers: Sequence[float], dtype: str) -> bytes:
    """Numbers one after the other, as memory holds them."""
    if dtype == "f32":
        return struct.pack(f"<{len(numbers)}f", *map(to_single, numbers))
    return struct.pack(f"<{len(numbers)}d", *numbers)


def bytes_text(data: bytes) -> str:
    """The constant array of some bytes."""
    return f'[{len(data)} x i8] c"{"".join([_ESCAPED[byte] for byte in data])}"'
