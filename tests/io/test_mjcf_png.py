"""Height fields of MJCF from PNG pictures; tests/oracle compares all kinds of colours."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

import polhode as ph
from png_pictures import chunk, picture
from polhode.errors import ParseError
from polhode.formats.mjcf.png import first_channel

TEXT = """<mujoco><asset><hfield name="h" file="h.png" size="1 2 3 0.1"/></asset><worldbody>
  <geom type="hfield" hfield="h"/></worldbody></mujoco>"""
START = b"\x89PNG\r\n\x1a\n"
END = chunk(b"IEND", b"")


def grey(rows, *, header=(), rest=END):
    """A picture of 8 bits without filters."""
    columns, depth, color, interlaced = header or (len(rows[0]), 8, 0, 0)
    head = struct.pack(">2I5B", columns, len(rows), depth, color, 0, 0, interlaced)
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows))
    return START + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + rest


def test_heights_of_a_picture(tmp_path):
    """The lowest pixel is at 0, the brightest at the largest height; y is against the rows."""
    (tmp_path / "h.png").write_bytes(grey([[10, 20, 30], [60, 10, 40]]))
    (tmp_path / "m.xml").write_text(TEXT)
    (geometry,) = ph.load(tmp_path / "m.xml").geometries
    wanted = 3.0 * (np.array([[60, 10, 40], [10, 20, 30]]) - 10) / 50
    np.testing.assert_allclose(geometry.shape.heights, wanted.T, rtol=1e-15)
    assert geometry.shape.size == (2.0, 4.0)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GIF89a", "expected a PNG picture"),
        (START, "is damaged"),
        (START + END, "expected a header"),
        (grey([[1, 2]], rest=b""), "is damaged"),
        (grey([[1, 2]])[:-20] + b"\1" + grey([[1, 2]])[-19:], "is damaged"),
        (grey([[1, 2]], header=(3, 8, 0, 0)), "is damaged"),
        (grey([[1, 2]], header=(2, 8, 0, 1)), "interlaced PNG pictures are not read"),
        (grey([[1, 2]], header=(2, 8, 5, 0)), "found 8 bits of type 5"),
        (grey([[1, 2]], header=(2, 3, 0, 0)), "found 3 bits of type 0"),
        (grey([[1, 2]], header=(0, 8, 0, 0)), "from 1 to 1000 pixels, found 0 x 1"),
        (grey([[1, 2]], header=(2**31, 8, 0, 0)), "from 1 to 1000 pixels"),
        (grey([[1, 2]], header=(2, 8, 3, 0)), "in the palette for each pixel"),
    ],
)
def test_what_is_no_whole_picture_is_refused(data, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        first_channel(data, 1000)
    (tmp_path / "h.png").write_bytes(data)
    (tmp_path / "m.xml").write_text(TEXT)
    with pytest.raises(ParseError, match=r"m.xml:1: <hfield name=\"h\">: '.*h.png': "):
        ph.load(tmp_path / "m.xml")


@pytest.mark.parametrize("seed", range(200))
def test_damaged_pictures_are_read_or_refused(seed):
    """No other error, whatever byte is another; checks of parts are set right again."""
    rng = np.random.default_rng(seed)
    data = bytearray(picture(*((0, 1), (2, 8), (3, 4), (6, 16))[seed % 4], 5, 7, seed))
    at = int(rng.integers(8, len(data)))
    data[at] = int(rng.integers(0, 256))
    fixed, k = bytes(data[:8]), 8
    while k + 8 <= len(data):
        size = struct.unpack(">I", data[k : k + 4])[0]
        fixed += chunk(bytes(data[k + 4 : k + 8]), bytes(data[k + 8 : k + 8 + size]))
        k += 12 + size
    try:
        values = first_channel(fixed, 10_000)
    except ValueError:
        return
    assert np.isfinite(values).all()
    assert values.min() >= 0.0
    assert values.max() <= 1.0
