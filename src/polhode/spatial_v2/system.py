"""The system model data structure: fields as in the manual, bodies numbered from 1."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError, ParseError, suggestion
from .matfile import read_struct, struct_of, write_variables
from .vocabulary import described

FIELDS = (
    "NB", "parent", "jtype", "Xtree", "I", "gravity", "appearance", "camera", "gc", "gamma_q",
)  # fmt: skip
_PER_BODY = ("parent", "jtype", "Xtree", "I")


class MissingField(ModelError, AttributeError):
    """A field that a function needs and the system model does not have."""


class OneBased(list[Any]):
    """A list whose first entry has the number 1, as bodies and joints do in the book."""

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(self._offset(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(self._offset(index), value)

    def _offset(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise TypeError("expected the number of one body, got a slice; use list(...) first")
        if not 1 <= index <= len(self):
            raise IndexError(f"expected a number from 1 to {len(self)}, got {index}")
        return index - 1

    def __reversed__(self) -> Iterator[Any]:
        return iter(list(self)[::-1])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(list(self), dtype=dtype)


class Struct(dict[str, Any]):
    """A record whose fields are attributes as well as keys, such as ``model.gc.point``."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no field '{name}'{suggestion(name, self)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class SystemModel:
    """A rigid-body system as spatial_v2 describes it.

    Parameters
    ----------
    **fields
        Those below, or others of your own, which are kept.

    Attributes
    ----------
    NB : int
        Number of bodies.
    parent, jtype, Xtree, I : OneBased
        For each body its parent (0 is the base), the code of its joint, the transform from the
        parent to the joint, and its inertia. Matrices are 6x6, or 3x3 of a planar model.
    gravity : ndarray, optional
        (0, 0, -9.81) if missing; of a planar model (0, 0).
    appearance, camera, gc : Struct, optional
        Drawing instructions, how to look at it, and points that may touch the ground.
    gamma_q : callable, optional
        ``gamma_q(model, q, qd) -> (q, qd, G, g)``, an explicit constraint.
    """

    NB: int
    parent: OneBased
    jtype: OneBased
    Xtree: OneBased
    I: OneBased
    gravity: np.ndarray
    appearance: Struct
    camera: Struct
    gc: Struct
    gamma_q: Any

    def __init__(self, **fields: Any):
        for name, value in fields.items():
            setattr(self, name, value)
        if "NB" not in fields and "parent" in fields:
            self.NB = len(self.parent)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, _field(name, value))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        hint = "; none was given" if name in FIELDS else suggestion(name, FIELDS)
        raise MissingField(f"the system model has no field '{name}'{hint}")

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SystemModel) and _same(self.__dict__, other.__dict__)

    @property
    def is_planar(self) -> bool:
        """Whether inertias are 3x3."""
        return len(self.I) > 0 and np.shape(self.I[1]) == (3, 3)

    @described()
    def fields(self) -> dict[str, Any]:
        """The fields that are present, in the order of the manual.

        Returns
        -------
        names : list of str
            The names.
        """
        known = [name for name in FIELDS if name in self.__dict__]
        return {name: self.__dict__[name] for name in [*known, *(self.__dict__.keys() - {*known})]}

    @described("model")
    def copy(self) -> SystemModel:
        """A copy that shares nothing but ``gamma_q``."""
        fields = self.fields()
        gamma = {"gamma_q": fields.pop("gamma_q")} if "gamma_q" in fields else {}
        return SystemModel(**copy.deepcopy(fields), **gamma)

    @described("path")
    def save(self, path: str | Path) -> Path:
        """Write the model to a MATLAB file, as its variable ``model``.

        A ``gamma_q`` is a function and stays behind, with a warning.
        """
        return write_variables(path, {"model": as_struct(self)})

    @classmethod
    @described()
    def load(cls, path: str | Path) -> SystemModel:
        """Read the variable ``model``, or the only model, of a MATLAB file.

        Raises
        ------
        ParseError
            If there is none.
        """
        return model_of(read_struct(path), path)

    def __repr__(self) -> str:
        kind = "planar" if self.is_planar else "spatial"
        return f"SystemModel({kind}, NB={self.NB}, fields={list(self.fields())})"


def as_struct(model: SystemModel) -> dict[str, Any]:
    """The model as values that a MATLAB file can hold."""
    return struct_of({"NB": model.NB, "parent": model.parent, **model.fields()})


def model_of(struct: Any, path: str | Path) -> SystemModel:
    """The model that a struct of a file holds.

    Raises
    ------
    ParseError
        If it holds none.
    """
    try:
        return SystemModel(**struct)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
        raise ParseError(f"expected the fields of a system model: {error}", str(path)) from None


def _field(name: str, value: Any) -> Any:
    """A field's value in the form that the functions of this package expect."""
    if name == "NB":
        return int(value)
    if name in _PER_BODY:
        return _per_body(name, value)
    if name == "gravity":
        return np.asarray(value, float).ravel()
    if name == "appearance":
        appearance = Struct(value)
        if "body" in appearance:
            appearance.body = OneBased(appearance.body)
        return appearance
    if name == "gc":
        body = np.atleast_1d(np.asarray(value["body"], float)).astype(int).ravel()
        point = np.asarray(value["point"], float)
        return Struct(value, point=point.reshape(len(point), -1), body=body)
    return Struct(value) if name == "camera" else value


def _per_body(name: str, value: Any) -> OneBased:
    if name == "parent":
        return OneBased(int(p) for p in np.atleast_1d(np.asarray(value, float)).ravel())
    if name == "jtype":
        codes: Iterable = [value] if isinstance(value, (str, Mapping)) else value
        return OneBased(Struct(code) if isinstance(code, Mapping) else code for code in codes)
    return OneBased(np.array(X, float) for X in value)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(np.asarray(a), np.asarray(b))
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)
