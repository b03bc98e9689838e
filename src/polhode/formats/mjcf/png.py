"""The first channel of PNG pictures, as heights (PNG specification, third edition)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
PALETTE = 3
CHANNELS = {0: 1, 2: 3, PALETTE: 1, 4: 2, 6: 4}  # by the type of colour
DEPTHS: dict[int, tuple[int, ...]] = {
    0: (1, 2, 4, 8, 16),
    2: (8, 16),
    PALETTE: (1, 2, 4, 8),
    4: (8, 16),
    6: (8, 16),
}


def first_channel(data: bytes, most: int) -> np.ndarray:
    """Grey or red of each pixel, from 0 to 1; rows from top to bottom.

    Of 16 bits the upper 8 count, as in MuJoCo.

    Raises
    ------
    ValueError
        For what is no whole PNG picture, is interlaced, or has more than ``most`` pixels.
    """
    if not data.startswith(SIGNATURE):
        raise ValueError("expected a PNG picture")
    parts: dict[bytes, list[bytes]] = {}
    for kind, content in _chunks(data):
        parts.setdefault(kind, []).append(content)
    head, palette, packed = (b"".join(parts.get(kind, ())) for kind in (b"IHDR", b"PLTE", b"IDAT"))
    if len(head) != 13:
        raise ValueError("expected a header of a PNG picture")
    columns, rows, depth, color, _, _, interlaced = struct.unpack(">2I5B", head)
    if depth not in DEPTHS.get(color, ()):
        raise ValueError(f"expected a PNG picture, found {depth} bits of type {color}")
    if interlaced:
        raise ValueError("interlaced PNG pictures are not read")
    if not 0 < rows * columns <= most:
        raise ValueError(f"expected from 1 to {most} pixels, found {columns} x {rows}")
    bits = depth * CHANNELS[color]
    lines = _lines(packed, rows, (columns * bits + 7) // 8, max(1, bits // 8))
    if depth < 8:
        values = _unpacked(lines, depth)[:, :columns]
        scale = 255 // (2**depth - 1)
    else:
        values, scale = lines[:, :: bits // 8], 1
    if color != PALETTE:
        return values * (scale / 255.0)
    red = np.frombuffer(palette, np.uint8)[::3]
    if values.max() >= len(red):
        raise ValueError("expected a colour in the palette for each pixel")
    return red[values] / 255.0


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kinds and contents of the parts of a file, up to its end."""
    at = len(SIGNATURE)
    while True:
        size, kind = struct.unpack(">I4s", data[at : at + 8].ljust(8, b"\0"))
        content, check = data[at + 8 : at + 8 + size], data[at + 8 + size : at + 12 + size]
        if check != struct.pack(">I", zlib.crc32(kind + content)):
            raise ValueError("the PNG picture is damaged")
        if kind == b"IEND":
            return
        yield kind, content
        at += 12 + size


def _lines(packed: bytes, rows: int, width: int, step: int) -> np.ndarray:
    """The bytes of each row, without the filters that they are stored with."""
    size = rows * (1 + width)
    try:
        raw = zlib.decompressobj().decompress(packed, size)
    except zlib.error:
        raw = b""
    if len(raw) != size:
        raise ValueError("the PNG picture is damaged")
    stored = np.frombuffer(raw, np.uint8).reshape(rows, 1 + width)
    lines = np.zeros((rows, width), np.uint8)
    above = np.zeros(width, np.uint8)
    for k, (kind, *_) in enumerate(stored[:, :1].tolist()):
        lines[k] = above = _unfiltered(kind, stored[k, 1:], above, step)
    return lines


def _unfiltered(kind: int, line: np.ndarray, above: np.ndarray, step: int) -> np.ndarray:
    """One row; ``step`` bytes are between those of a channel."""
    match kind:
        case 0:
            return line
        case 1:
            return np.cumsum(line.reshape(-1, step), axis=0, dtype=np.uint8).ravel()
        case 2:
            return line + above
        case 3 | 4:
            return _predicted(line.tolist(), above.tolist(), step, is_paeth=kind == 4)
    raise ValueError("the PNG picture is damaged")


def _predicted(line: list[int], above: list[int], step: int, *, is_paeth: bool) -> np.ndarray:
    """One row whose bytes are stored as differences from what their neighbours let expect."""
    out, up = [0] * step, [0] * step + above
    for k, byte in enumerate(line):
        a, b, c = out[k], up[k + step], up[k]
        out.append((byte + (_paeth(a, b, c) if is_paeth else (a + b) // 2)) & 255)
    return np.array(out[step:], np.uint8)


def _paeth(a: int, b: int, c: int) -> int:
    """That of left, above and upper left which is nearest to ``a + b - c``."""
    p = a + b - c
    near = min(abs(p - a), abs(p - b), abs(p - c))
    return a if near == abs(p - a) else b if near == abs(p - b) else c


def _unpacked(lines: np.ndarray, depth: int) -> np.ndarray:
    """Values of less than a byte, the first in the upper bits."""
    bits = np.unpackbits(lines, axis=1).reshape(len(lines), -1, depth)
    return bits @ (1 << np.arange(depth)[::-1])
