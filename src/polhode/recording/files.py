"""Recordings as files: the extension of the name decides how they are written."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ParseError, one_line
from ..files.damage import DAMAGE, brief
from ..files.kinds import CSV, HDF5, RECORDINGS, kind_of
from ..files.reading import path_text
from ..files.writing import write_atomically
from . import hdf5, npz, stream
from .layout import ARRAYS, fields_of, meta_of, stored_arrays
from .table import write_table

if TYPE_CHECKING:
    from .recording import Recording


def save(recording: Recording, path: str | Path) -> Path:
    """Write a recording as what its name says: HDF5, an ``.npz`` file, or a CSV table."""
    kind = kind_of(path, RECORDINGS, "a recording")
    if kind is CSV:
        return write_table(recording, path)
    meta, arrays = meta_of(recording), {name: getattr(recording, name) for name in ARRAYS}
    content = _hdf5_bytes(arrays, meta) if kind is HDF5 else npz.to_bytes(arrays, meta)
    return write_atomically(path, content)


def load(path: str | Path) -> dict[str, Any]:
    """The fields of a recording that `save` or a run wrote, whole or cut short."""
    path = path_text(path)
    try:
        is_hdf5 = hdf5.is_hdf5(path)
        meta, arrays = stream.patiently(stream.read, path) if is_hdf5 else _read_npz(path)
        return fields_of(meta, arrays)
    except FileNotFoundError:
        raise FileNotFoundError(one_line(f"no recording at '{path}'")) from None
    except DAMAGE as error:
        raise ParseError(f"not a recording of polhode: {brief(error)}", str(path)) from error


def _hdf5_bytes(arrays: dict[str, np.ndarray], meta: dict[str, Any]) -> bytes:
    """Written in memory first, as HDF5 may not survive a disk that is full."""
    buffer = io.BytesIO()
    with hdf5.h5py().File(buffer, "w") as file:
        file.create_dataset(npz.META, data=npz.json_array(meta))
        for name, array in arrays.items():
            file.create_dataset(name, data=array)
    return buffer.getvalue()


def _read_npz(path: str | Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    meta = npz.json_of(npz.read_arrays(path, (npz.META,))[npz.META])
    return meta, npz.read_arrays(path, stored_arrays(meta))
