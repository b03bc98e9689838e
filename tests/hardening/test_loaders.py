"""Recordings and motions that lie or were cut are refused at once, and lead nowhere."""

from __future__ import annotations

import io
import struct
import time
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest
from fuzz.seeds import seeds
from scipy.io import loadmat, savemat
from scipy.sparse import csc_array

import polhode as ph
from polhode.recording import hdf5, npz
from polhode.recording.stream import read_checkpoint
from polhode.spatial_v2 import matreader


@pytest.fixture(scope="module")
def h5py():
    return pytest.importorskip("h5py")


@pytest.fixture
def stream(h5py, tmp_path):
    """An HDF5 recording."""
    path = tmp_path / "run.h5"
    path.write_bytes(next(iter(seeds("stream"))))
    return path


# -- HDF5 --


def test_a_recording_is_read_as_it_was_written(stream):
    """The reader of its own finds what the library finds."""
    found = ph.Recording.load(stream)
    with hdf5.h5py().File(stream, "r") as file:
        assert np.array_equal(found.q, file["q"][:])
        assert np.array_equal(found.contact_point, file["contact_point"][:])


@pytest.mark.parametrize("part", np.linspace(0.0, 0.999, 23))
def test_a_file_cut_anywhere_is_refused_at_once(stream, part):
    """Without its end there are whole records or an error, and no waiting for a writer."""
    data = stream.read_bytes()
    stream.write_bytes(data[: int(part * len(data))])
    began = time.perf_counter()
    with pytest.raises(ph.ParseError, match="not a recording of polhode"):
        ph.Recording.load(stream)
    with pytest.raises(ph.ParseError, match="not a run to go on with"):
        read_checkpoint(stream)
    assert time.perf_counter() - began < 8.0


def _replaced(h5py, path, name, make):
    with h5py.File(path, "r+") as file:
        del file[name]
        make(file)


ODD = {
    "external link": lambda f, h: f.__setitem__("q", h.ExternalLink("/etc/passwd", "/q")),
    "soft link": lambda f, h: f.__setitem__("q", h.SoftLink("/qd")),
    "external storage": lambda f, h: f.create_dataset(
        "q", (3, 8), "f8", external=[("/etc/passwd", 0, 192)]
    ),
    "packed": lambda f, h: f.create_dataset("q", data=np.zeros((3, 8)), compression="gzip"),
    "petabytes": lambda f, h: f.create_dataset("q", (10**9, 10**6), "f8", chunks=(256, 8)),
    "group": lambda f, h: f.create_group("q"),
    "text": lambda f, h: f.create_dataset("q", data="text"),
    "one number": lambda f, h: f.create_dataset("q", data=1.0),
    "complex": lambda f, h: f.create_dataset("q", data=np.zeros((3, 8), complex)),
    "nothing": lambda f, h: None,
    "empty": lambda f, h: f.create_dataset("q", data=h.Empty("f8")),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_datasets_are_refused(h5py, stream, kind):
    """Only numbers that are stored in the file itself, as they are."""
    _replaced(h5py, stream, "q", lambda file: ODD[kind](file, h5py))
    with pytest.raises(ph.ParseError, match="not a recording of polhode: "):
        ph.Recording.load(stream)


def test_virtual_storage_is_refused(h5py, stream, tmp_path):
    """A dataset that shows one of another file."""
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["secret"] = np.ones((3, 8))
    layout = h5py.VirtualLayout((3, 8), "f8")
    layout[:] = h5py.VirtualSource(tmp_path / "other.h5", "secret", (3, 8))
    _replaced(h5py, stream, "q", lambda file: file.create_virtual_dataset("q", layout))
    with pytest.raises(ph.ParseError, match="stored as numbers in this file"):
        ph.Recording.load(stream)


@pytest.mark.parametrize(
    ("name", "values"),
    [("contact_pair", 9), ("contact_pair", -1), ("contact_start", -1), ("contact_start", 99)],
)
def test_contacts_that_point_nowhere_are_refused(h5py, stream, name, values):
    """Indices of geometries and of contacts are within what there is."""
    with h5py.File(stream, "r+") as file:
        file[name][1] = values
    with pytest.raises(ph.ParseError, match=name):
        ph.Recording.load(stream)


def test_the_checksum_is_that_of_the_format(stream):
    """The hash of the first block is what the library wrote there."""
    block = stream.read_bytes()[:48]
    assert struct.unpack("<I", block[44:])[0] == hdf5.lookup3(block[:44])


# -- npz --


def _npz(packing=zipfile.ZIP_STORED, **arrays) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as file:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=True)
            file.writestr(f"{name}.npy", content.getvalue())
    return out.getvalue()


def test_arrays_come_back():
    """Of any shape and order, with zero entries too."""
    arrays = {
        "a": np.arange(6.0).reshape(2, 3), "b": np.asfortranarray(np.eye(3)[:2]),
        "c": np.zeros((0, 4), np.int64), "d": np.array(1.5), "e": np.array([True, False]),
    }  # fmt: skip
    for found in (npz.read_arrays(npz.to_bytes(arrays)), npz.read_arrays(_npz(**arrays))):
        assert all(np.array_equal(found[k], x) and found[k].dtype == x.dtype
                   for k, x in arrays.items())  # fmt: skip


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (_npz(zipfile.ZIP_DEFLATED, a=np.zeros(10**6)), "compressed"),
        (_npz(a=np.array([print], object)), "expected numbers"),
        (_npz(a=np.array(["x"])), "expected numbers"),
        (_npz(a=np.zeros(4)).replace(b"(4,)", b"(9,)"), "damaged"),
        (_npz(b=np.zeros(4)), "an array 'a', found none"),
        (b"PK\x03\x04" + bytes(100), "not an archive"),
    ],
    ids=["packed", "objects", "text", "changed", "missing", "no archive"],
)
def test_odd_archives_are_refused(data, text):
    """No pickles, no bombs, no shape that the bytes do not have."""
    with pytest.raises(ValueError, match=text):
        npz.read_arrays(data, ("a",))


@pytest.mark.parametrize("shape", ["(9,)", "(3,)", "(-4,)", "(2, -2)", "(4000000000000,)"])
def test_shapes_that_do_not_fit_are_refused(shape):
    """The length of a member decides."""
    content = io.BytesIO()
    np.lib.format.write_array(content, np.zeros(4))
    head = content.getvalue()[:128].replace(b"(4,)", shape.encode())[:127].ljust(127) + b"\n"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a.npy", head + bytes(32))
    with pytest.raises(ValueError, match=r"bytes of numbers|begin as an array"):
        npz.read_arrays(out.getvalue())


@pytest.mark.parametrize("shape", [b"(0, 10%s)" % (30 * b"0"), b"(0, 9%s)" % (18 * b"0")])
def test_empty_arrays_of_endless_shape(shape):
    """One axis of length zero beside one that no array can have."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % shape
        file.writestr("a.npy", b"\x93NUMPY\x01\x00v\x00" + head.ljust(117) + b"\n")
    with pytest.raises(ValueError, match="that an array can have"):
        npz.read_arrays(out.getvalue())


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a": ' * 100_000, "[" + "[]," * 6_000_000 + "1]"]
)
def test_endless_text_of_a_recording(text):
    """Plain data that is nested too deep, or of too many values."""
    with pytest.raises(ValueError, match=r"nested too deep|less data"):
        npz.json_of(np.frombuffer(text.encode(), np.uint8))


# -- MATLAB files --


def _mat(packed=False, **variables) -> bytes:
    out = io.BytesIO()
    savemat(out, variables, do_compression=packed, oned_as="row")
    return out.getvalue()


def _cells(*values) -> np.ndarray:
    cells = np.empty((1, len(values)), object)
    cells[0, :] = values
    return cells


VARIABLES = {
    "number": 1.5, "whole": np.int16(3), "row": np.arange(4.0),
    "matrix": np.arange(6.0).reshape(2, 3),
    "cube": np.arange(24.0).reshape(2, 3, 4), "truth": np.array([True, False]), "text": "aé",
    "nothing": np.zeros((0, 3)), "cells": _cells(1.0, "ab", np.eye(2)),
    "struct": {"x": [1.0, 2.0], "inner": {"y": "z"}},
}  # fmt: skip


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", VARIABLES)
def test_variables_are_those_that_scipy_reads(name, packed):
    """Numbers, texts, cells and structs, packed or not."""
    data = _mat(packed, **{name: VARIABLES[name]})
    expected = loadmat(io.BytesIO(data), chars_as_strings=True)[name]
    assert matreader.variables(data)[name] == _plain(expected)


def _plain(value):
    """What SciPy reads, as lists and dicts."""
    if value.dtype.names:
        return {name: _plain(value.ravel()[0][name]) for name in value.dtype.names}
    if value.dtype == object:
        return [_plain(x) for x in value.ravel()]
    if value.dtype.kind == "U":
        return str(value.ravel()[0]) if value.size else ""
    return matreader.plain(value)


def _element(kind: int, content: bytes) -> bytes:
    return struct.pack("<2I", kind, len(content)) + content + bytes(-len(content) % 8)


def _matrix(kind: int, shape: tuple[int, ...], *parts: bytes) -> bytes:
    flags = _element(6, struct.pack("<2I", kind, 0))
    sizes = _element(5, struct.pack(f"<{len(shape)}i", *shape))
    return _element(14, flags + sizes + _element(1, b"a") + b"".join(parts))


HEADER = b"x" * 124 + struct.pack("<H", 0x100) + b"IM"
DEEP = _matrix(6, (1, 1), _element(9, bytes(8)))
for _ in range(150):
    DEEP = _matrix(1, (1, 1), DEEP)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (_mat(a=np.array([1j])), "a complex matrix"),
        (_mat(a=csc_array(np.eye(3))), "a sparse matrix"),
        (HEADER + _matrix(1, (10**5, 10**5)), "10000000000 entries"),
        (HEADER + _matrix(1, (-1, 3)), "sizes of a matrix"),
        (HEADER + _matrix(6, (2, 2), _element(9, bytes(8))), "expected 4 numbers, found 1"),
        (HEADER + _matrix(6, (1, 1), _element(9, bytes(7))), "whole numbers of 8 bytes"),
        (HEADER + _matrix(77, (1, 1)), "a matrix of a known kind"),
        (HEADER + DEEP, "nested at most 100 deep"),
        (HEADER + struct.pack("<2I", 14, 2**31), "2147483648 bytes more"),
        (HEADER + _element(15, zlib.compress(bytes(65 * 2**20))), "at most 64 MiB"),
        (HEADER + _element(15, b"x" * 20), "a damaged variable"),
        (b"x" * 200, "a MATLAB file of version 5"),
    ],
    ids=range(12),
)
def test_odd_matlab_files_are_refused(data, text):
    """Lengths are checked before anything is made of them."""
    with pytest.raises(ValueError, match=text):
        matreader.variables(data)


def test_a_bomb_is_not_unpacked(monkeypatch):
    """What unpacks to more than the limit is given up at the limit."""
    packed = zlib.compress(_matrix(6, (1, 2**17), _element(9, bytes(2**20))))
    data = HEADER + 3 * (struct.pack("<2I", 15, len(packed)) + packed)
    monkeypatch.setattr(matreader, "MOST_BYTES", 2**21)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="at most 2 MiB"):
            matreader.variables(data)
        assert tracemalloc.get_traced_memory()[1] < 2**25
    finally:
        tracemalloc.stop()
