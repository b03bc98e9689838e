"""From a system model to the `polhode.Model` of the core; made once for each content."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arguments import as_items
from ..errors import ModelError, ShapeError, shown
from ..model import FloatingBase, JointKind, Link, Model, Prismatic, Revolute, RigidBody, Screw
from ..once import kept
from ..spatial import Inertia, Mat3, PlaneRotation, Sym3, Transform, Vec3
from .arithmetic import mcI, plnr, plux
from .arrays import vector
from .system import SystemModel

SPATIAL_JOINTS: dict[str, JointKind] = {
    "R": Revolute.z(), "Rx": Revolute.x(), "Ry": Revolute.y(), "Rz": Revolute.z(),
    "P": Prismatic.z(), "Px": Prismatic.x(), "Py": Prismatic.y(), "Pz": Prismatic.z(),
}  # fmt: skip
PLANAR_JOINTS: dict[str, JointKind] = {"r": Revolute.z(), "px": Prismatic.x(), "py": Prismatic.y()}
CHAIN = ("Px", "Py", "Pz", "Rx", "Ry", "Rz")
"""The joints that stand for a floating base; body 6 is the base."""

PLANE = [2, 3, 4]
"""Where the planar coordinates are among the spatial ones."""

_KEPT = 128
_cores: OrderedDict[tuple, Model] = OrderedDict()


@dataclass(frozen=True)
class ExactBody(RigidBody):
    """A body whose inertia about its origin is kept as it was given, to the last bit."""

    exact: Inertia = field(default_factory=Inertia.zero)

    def spatial(self) -> Inertia:
        return self.exact


def joint_kind(code: Any) -> JointKind:
    """The core's joint of a joint type code.

    Raises
    ------
    ModelError
        For a code that does not exist.
    """
    if isinstance(code, Mapping):
        if code.get("code") == "H":
            return Screw(float(code["pars"]["pitch"]))
        code = code.get("code")
    kind = (SPATIAL_JOINTS | PLANAR_JOINTS).get(code) if isinstance(code, str) else None
    if kind is None:
        known = ", ".join([*SPATIAL_JOINTS, "H (a struct with a pitch)", *PLANAR_JOINTS])
        raise ModelError(f"unrecognised joint code {shown(code)}; expected one of {known}")
    return kind


def is_planar_joint(code: Any) -> bool:
    """Whether a joint type code is that of a planar joint."""
    return (code["code"] if isinstance(code, Mapping) else code) in PLANAR_JOINTS


def core_model(model: SystemModel) -> Model:
    """The model with one joint for each body, numbered as in the system model.

    Raises
    ------
    ModelError
        If the fields do not fit together.
    """
    return _kept(model, "fixed", _fixed)


def floating_core(model: SystemModel) -> Model:
    """The model whose body 6 floats by a joint without singularity; here it is body 2.

    Raises
    ------
    ModelError
        Unless the first six joints are the chain that `floatbase` makes.
    """
    return _kept(model, "floating", _floating)


def _kept(model: SystemModel, kind: str, make) -> Model:
    if not isinstance(model, SystemModel):
        raise ModelError(f"expected a SystemModel first, got {type(model).__name__}")
    fields = model.__dict__
    gravity = fields.get("gravity")
    key = (
        kind, model.NB, tuple(model.parent), repr(list(model.jtype)),
        b"".join([X.tobytes() for X in list.__iter__(model.Xtree)]),
        b"".join([X.tobytes() for X in list.__iter__(model.I)]),
        None if gravity is None else gravity.tobytes(),
    )  # fmt: skip
    core = kept(_cores, key, lambda: make(model))
    with suppress(KeyError):  # another thread may have dropped it, or all others
        if len(_cores) > _KEPT:
            _cores.popitem(last=False)
        _cores.move_to_end(key)
    return core


def _check(model: SystemModel) -> None:
    sizes = {name: len(getattr(model, name)) for name in ("parent", "jtype", "Xtree", "I")}
    if any(size != model.NB for size in sizes.values()):
        raise ModelError(f"expected NB = {model.NB} entries of each field, got {sizes}")
    shape = (3, 3) if model.is_planar else (6, 6)
    for i in range(1, model.NB + 1):
        if not 0 <= model.parent[i] < i:
            raise ModelError(f"expected a parent below {i} of body {i}, got {model.parent[i]}")
        for name in ("Xtree", "I"):
            got = getattr(model, name)[i].shape
            if got != shape:
                raise ModelError(f"expected {name} of shape {shape} for body {i}, got {got}")
        joint_kind(model.jtype[i])
        if is_planar_joint(model.jtype[i]) != model.is_planar:
            world = "planar" if model.is_planar else "spatial"
            raise ModelError(f"joint {i} has code '{model.jtype[i]}' in a {world} model")


def gravity(model: SystemModel) -> tuple[float, float, float]:
    """Acceleration of free fall as three numbers; a planar model reads the first two."""
    if model.is_planar:
        x, y = model.gravity[:2] if "gravity" in model else (0.0, 0.0)
        return float(x), float(y), 0.0
    x, y, z = model.gravity if "gravity" in model else (0.0, 0.0, -9.81)
    return float(x), float(y), float(z)


def transform(X: np.ndarray) -> Transform:
    """The core's transform of a 6x6 or 3x3 matrix."""
    if X.shape == (3, 3):
        _, (x, y) = plnr(X)
        c, s = X[1, 1].item(), X[1, 2].item()
        return Transform(PlaneRotation.about(2, c, s), Vec3(float(x), float(y), 0.0))
    E, r = plux(X)
    return Transform(Mat3.of(E.tolist()), Vec3.of(r.tolist()))


def rigid_body(I: np.ndarray) -> RigidBody:
    """The core's body of a 6x6 or 3x3 inertia."""
    if I.shape == (3, 3):
        return _planar_body(I)
    mass, H, J = I[5, 5].item(), I[:3, 3:], I[:3, :3].tolist()
    h = Vec3(H[2, 1].item(), H[0, 2].item(), H[1, 0].item())
    exact = Inertia(mass, h, Sym3.lower(Mat3.of(J)))
    if not mass:
        return ExactBody(0.0, (0.0, 0.0, 0.0), J, exact)
    m, c, about = mcI(I)
    return ExactBody(m, tuple(c.tolist()), about.tolist(), exact)  # type: ignore[arg-type]


def _planar_body(I: np.ndarray) -> RigidBody:
    """Motion in the plane sees one moment of inertia; the others are chosen to cost nothing."""
    mass, J = I[2, 2].item(), I[0, 0].item()
    h = Vec3(I[2, 0].item(), -I[1, 0].item(), 0.0)
    exact = Inertia(mass, h, Sym3(0.0, 0.0, 0.0, J, 0.0, J))
    com = (h.x / mass, h.y / mass, 0.0) if mass else (0.0, 0.0, 0.0)
    about = J - mass * (com[0] ** 2 + com[1] ** 2)
    return ExactBody(mass, com, (0.0, 0.0, about), exact)  # type: ignore[arg-type]


def _fixed(model: SystemModel) -> Model:
    _check(model)
    return _assembled(model, 1)


def _floating(model: SystemModel) -> Model:
    _check(model)
    codes = [code for code in list(model.jtype)[:6] if isinstance(code, str)]
    rotations = [code.replace("Rz", "R") for code in codes]
    chain = [code.replace("Rz", "R") for code in CHAIN]
    if model.is_planar or rotations != chain or list(model.parent)[:6] != [0, 1, 2, 3, 4, 5]:
        raise ModelError(
            "expected a spatial model that floats by the joints Px, Py, Pz, Rx, Ry, Rz, one after "
            f"the other; got {list(model.jtype)[:6]}; see floatbase"
        )
    if any(p < 6 for p in list(model.parent)[6:]):
        raise ModelError("expected all bodies from 7 on to be carried by the floating base, body 6")
    return _assembled(model, 6)


def _assembled(model: SystemModel, first: int) -> Model:
    links = []
    for i in range(first, model.NB + 1):
        p = model.parent[i]
        floats = first > 1 and i == first
        links.append(
            Link(
                f"body{i}",
                f"body{p}" if p >= first else None,
                FloatingBase() if floats else joint_kind(model.jtype[i]),
                Transform.identity() if floats else transform(model.Xtree[i]),
                rigid_body(model.I[i]),
            )
        )
    return Model("system", tuple(links), gravity=gravity(model))  # type: ignore[arg-type]


def forces(model: SystemModel, f_ext: Any, first: int = 1) -> np.ndarray | None:
    """External forces as rows of spatial forces, for bodies ``first`` to NB; or None.

    Raises
    ------
    ShapeError
        Unless there is an entry for each body, of 6 (planar: 3) numbers or empty.
    """
    if f_ext is None:
        return None
    f_ext = as_items("f_ext", f_ext, "forces")
    if not f_ext:
        return None
    size = 3 if model.is_planar else 6
    if len(f_ext) != model.NB:
        raise ShapeError(f"expected NB = {model.NB} entries in f_ext, got {len(f_ext)}")
    rows = np.zeros((model.NB, 6))
    for row, entry in zip(rows, f_ext, strict=True):
        if entry is None or np.size(entry) == 0:
            continue
        row[PLANE if size == 3 else slice(None)] = vector(entry, size, "each entry of f_ext")
    return rows[first - 1 :]
