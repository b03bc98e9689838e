"""The names and parameters of RBDL's Python wrapper, one by one."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest

from polhode import rbdl

LISTED = Path(__file__).with_name("wrapper_signatures.txt")
REQUIRED = inspect.Parameter.empty


def listed() -> list[tuple[str, list[tuple[str, object]] | None]]:
    """Each entry of the list: its path, and its parameters with defaults; None for a property."""
    lines = [x for x in LISTED.read_text(encoding="utf-8").splitlines() if not x.startswith("#")]
    entries = []
    for line in lines:
        path, is_callable, parameters = line.partition(":")
        found = []
        for text in parameters.split():
            name, has_default, value = text.partition("=")
            found.append((name, ast.literal_eval(value) if has_default else REQUIRED))
        entries.append((path.rstrip("."), found if is_callable else None))
    return entries


def owner_and_name(path: str) -> tuple[object, str]:
    owner, _, name = path.rpartition(".")
    return (getattr(rbdl, owner) if owner else rbdl), name


# Classes of which an object is needed to see the attributes that its constructor sets.
OBJECTS = {
    "Body": rbdl.Body,
    "ConstraintSet": rbdl.ConstraintSet,
    "CustomJoint": rbdl.CustomJoint,
    "FixedBody": rbdl.FixedBody,
    "InverseKinematicsConstraintSet": rbdl.InverseKinematicsConstraintSet,
    "Joint": rbdl.Joint,
    "Model": rbdl.Model,
    "SpatialRigidBodyInertia": rbdl.SpatialRigidBodyInertia,
    "SpatialTransform": rbdl.SpatialTransform,
}


@pytest.mark.parametrize(("path", "wanted"), listed(), ids=[path for path, _ in listed()])
def test_signature(path, wanted):
    """Names, order and defaults; what RBDL requires may be left out, and more may follow."""
    owner, name = owner_and_name(path)
    if wanted is None:
        where = OBJECTS[owner.__name__]() if owner.__name__ in OBJECTS else owner
        assert hasattr(where, name)
        return
    member = inspect.getattr_static(owner, name, None) if inspect.isclass(owner) else None
    parameters = list(inspect.signature(getattr(owner, name)).parameters.values())
    if inspect.isfunction(member):
        parameters = parameters[1:]  # self
    names = {p.name: p for p in parameters}
    for place, (parameter, default) in enumerate(p for p in wanted if not p[0].startswith("**")):
        ours = parameters[place]
        assert ours.name == parameter
        assert ours.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        if default is not REQUIRED:
            assert ours.default == default
            assert type(ours.default) is type(default)
    for parameter, _ in wanted:
        if parameter.startswith("**"):
            assert names[parameter[2:]].kind is inspect.Parameter.VAR_KEYWORD
    open_kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    for more in parameters[len([p for p in wanted if not p[0].startswith("**")]) :]:
        is_first_of_load = path == "loadModel" and more.name == "filename"
        assert more.default is not REQUIRED or more.kind in open_kinds or is_first_of_load


CLASSES = sorted({path.partition(".")[0] for path, _ in listed()} - {"loadModel"})


@pytest.mark.parametrize("name", [n for n in CLASSES if inspect.isclass(getattr(rbdl, n))])
def test_classes_are_classes(name):
    """They can be asked for with isinstance, and derived from."""
    cls = getattr(rbdl, name)
    assert isinstance(cls, type)
    if name in OBJECTS:
        assert isinstance(cls(), cls)


def test_what_is_a_class_in_rbdl_is_one_here():
    """Vectors and matrices too."""
    for name in ("Vector2d", "Vector3d", "Matrix3d", "VectorNd", "MatrixNd", "Quaternion",
                 "SpatialVector", "SpatialMatrix", "SpatialTransform", "SpatialRigidBodyInertia",
                 "Body", "FixedBody", "Joint", "CustomJoint", "Model", "ConstraintSet",
                 "ConstraintType", "InverseKinematicsConstraintSet"):  # fmt: skip
        assert inspect.isclass(getattr(rbdl, name)), name


REFUSING = [
    *("Vector2d", "Vector3d", "Matrix3d", "Quaternion", "SpatialVector", "SpatialMatrix"),
    *("SpatialTransform", "SpatialRigidBodyInertia", "Body", "FixedBody", "Joint", "CustomJoint"),
    *("VectorNd", "MatrixNd"),
]


@pytest.mark.parametrize("name", REFUSING)
def test_addresses_are_refused(name):
    """Zero and None stand for a new object; anything else is no object here."""
    cls = getattr(rbdl, name)
    more = {"ndim": 2} if name == "VectorNd" else {"msize": (2, 2)} if name == "MatrixNd" else {}
    assert isinstance(cls(address=0, **more), cls)
    assert isinstance(cls(address=None, **more), cls)
    with pytest.raises(rbdl.RBDLMissingImplementationError, match=f"{name}.*140245|140245.*{name}"):
        cls(address=140245, **more)
    with pytest.raises(rbdl.RBDLMissingImplementationError, match="140245"):
        cls.fromPointer(140245)
    made = cls(**more)
    for plumbing in (made.__reduce_cython__, lambda: made.__setstate_cython__(())):
        with pytest.raises(rbdl.RBDLMissingImplementationError, match="pickle"):
            plumbing()


def test_addresses_are_numbers_of_any_kind():
    """NumPy's too."""
    assert np.array_equal(rbdl.Vector3d(np.int64(0), [1, 2, 3]), [1, 2, 3])
    with pytest.raises(rbdl.RBDLMissingImplementationError):
        rbdl.Vector3d(np.uint64(7), [1, 2, 3])
