"""PNG pictures of random pixels: all kinds of colours, with the filters of the format."""

from __future__ import annotations

import struct
import zlib

import numpy as np

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
KINDS = [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8),
         (4, 8), (4, 16), (6, 8), (6, 16)]  # fmt: skip


def chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def filtered(kind: int, line: list[int], above: list[int], step: int) -> bytes:
    """A row as differences from nothing, left, above, their mean, or the Paeth predictor."""
    out = []
    for k, byte in enumerate(line):
        a, b, c = (line[k - step] if k >= step else 0, above[k],
                   above[k - step] if k >= step else 0)  # fmt: skip
        nearest = min((a, b, c), key=lambda x: abs(a + b - c - x))
        out.append((byte - (0, a, b, (a + b) // 2, nearest)[kind]) % 256)
    return bytes([kind, *out])


def picture(color: int, depth: int, rows: int, columns: int, seed: int) -> bytes:
    """Random pixels; the rows have each filter in turn."""
    rng = np.random.default_rng(seed)
    bits = depth * CHANNELS[color]
    width, above, packed = (columns * bits + 7) // 8, [0] * ((columns * bits + 7) // 8), b""
    for row in range(rows):
        line = rng.integers(0, 256, width).tolist()
        packed += filtered(row % 5, line, above, max(1, bits // 8))
        above = line
    header = struct.pack(">2I5B", columns, rows, depth, color, 0, 0, 0)
    palette = chunk(b"PLTE", rng.bytes(3 * 2**depth)) if color == 3 else b""
    half = zlib.compress(packed)
    parts = chunk(b"IDAT", half[:20]), chunk(b"IDAT", half[20:])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + palette + b"".join(parts) + chunk(
        b"IEND", b"")  # fmt: skip
