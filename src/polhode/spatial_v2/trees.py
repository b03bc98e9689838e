"""Constructors of trees: branching ones, plane ones, and floating ones made from others."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..errors import ModelError, ModelWarning
from .arithmetic import mcI, plnr, rotx, xlt
from .arrays import scalar, whole
from .convert import CHAIN
from .system import OneBased, Struct, SystemModel
from .vocabulary import described

PEDESTAL: list[Any] = ["box", [[-0.2, -0.3, -0.2], [0.2, 0.3, -0.06]]]
LINK: list[Any] = ["box", [[0.0, -0.07, -0.04], [1.0, 0.07, 0.04]]]
AXLE = [[0.0, 0.0, -0.07], [0.0, 0.0, 0.07]]


@described("model")
def autoTree(nb: int, bf: float = 1.0, skew: float = 0.0, taper: float = 1.0) -> SystemModel:
    """A tree of tapering cylinders on revolute joints, for tests.

    Raises
    ------
    ModelError
        For a number of bodies or a branching factor below 1.
    """
    nb, bf = whole(nb, "nb"), scalar(bf, "bf")
    skew, taper = scalar(skew, "skew"), scalar(taper, "taper")
    if not 1 <= bf < math.inf:
        raise ModelError(f"expected bf >= 1, got {bf:g}")
    parent, length = [0], [taper**i for i in range(nb)]
    parent += [math.floor((i - 2 + math.ceil(bf)) / bf) for i in range(2, nb + 1)]
    Xtree, inertia, drawn, seen = [xlt((0.0, 0.0, 0.0))], [], [], set()
    for i, (p, l) in enumerate(zip(parent, length, strict=True)):
        inboard = length[p - 1] if p else 1.0
        if i:
            Xtree.append(rotx(skew) @ xlt((inboard, 0.0, 0.0)))
        m = taper ** (3 * i)
        about = m * l * l * np.diag((0.0025, 1.015 / 12.0, 1.015 / 12.0))
        inertia.append(mcI(m, (0.5 * l, 0.0, 0.0), about))
        drawing: list[Any] = ["cyl", [[0.0, 0.0, 0.0], [l, 0.0, 0.0]], 0.05 * l]
        if p not in seen:  # the axle is drawn once for all children of a body
            drawing += ["cyl", (np.array(AXLE) * inboard).tolist(), 0.08 * inboard]
        seen.add(p)
        drawn.append(drawing)
    return SystemModel(
        NB=nb, jtype=["R"] * nb, parent=parent, Xtree=Xtree, I=inertia,
        appearance=Struct(base=list(PEDESTAL), body=drawn),
    )  # fmt: skip


@described("model")
def planar(n: int) -> SystemModel:
    """A plane robot of ``n`` equal rods of unit length and mass on revolute joints."""
    n = whole(n, "n")
    base = ["box", [[-0.2, -0.3, -0.2], [0.2, 0.3, -0.07]]]
    return SystemModel(
        NB=n,
        parent=range(n),
        jtype=["r"] * n,
        Xtree=[plnr(0.0, (1.0 if i else 0.0, 0.0)) for i in range(n)],
        I=[mcI(1.0, (0.5, 0.0), 1.0 / 12.0)] * n,
        appearance=Struct(base=base, body=[[*LINK, "cyl", AXLE, 0.1] for _ in range(n)]),
    )


@described("model")
def doubleElbow() -> SystemModel:
    """A plane robot whose elbow is two joints geared to turn alike; for `FDgq`."""
    base = ["box", [[-0.2, -0.3, -0.2], [0.2, 0.3, -0.07]]]
    upper = [*LINK, "cyl", AXLE, 0.1, "cyl", [[1.0, 0.0, -0.05], [1.0, 0.0, 0.05]], 0.125]
    plates = [
        "box", [[0.0, -0.06, 0.05], [0.25, 0.06, 0.08]],
        "box", [[0.0, -0.06, -0.05], [0.25, 0.06, -0.08]],
        "cyl", [[0.0, 0.0, -0.08], [0.0, 0.0, 0.08]], 0.06,
        "cyl", [[0.25, 0.0, -0.08], [0.25, 0.0, 0.08]], 0.06,
    ]  # fmt: skip
    fore = [*LINK, "cyl", [[0.0, 0.0, -0.05], [0.0, 0.0, 0.05]], 0.125]
    rod = mcI(1.0, (0.5, 0.0), 1.0 / 12.0)
    return SystemModel(
        NB=3,
        parent=[0, 1, 2],
        jtype=["r", "r", "r"],
        gamma_q=geared_elbow,
        Xtree=[plnr(0.0, (x, 0.0)) for x in (0.0, 1.0, 0.25)],
        I=[rod, np.zeros((3, 3)), rod],
        appearance=Struct(base=base, body=[upper, plates, fore]),
    )


def geared_elbow(
    model: SystemModel, q: Any, qd: Any
) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """The constraint of `doubleElbow`: joint 3 turns as joint 2 does, errors fade in 0.1 s."""
    from ..api.explicit_constraints import stabilised

    onto = [q[0], q[1], q[1]], [qd[0], qd[1], qd[1]]
    G = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    return (*onto, G, stabilised(onto, (q, qd), 0.1, [0.0, 0.0, 0.0]))


@described("model")
def floatbase(model: SystemModel) -> SystemModel:
    """The model with its body 1 set free, as body 6 of a chain of six joints.

    Raises
    ------
    ModelError
        For a planar model, and if more than one body is carried by the base.

    Warns
    -----
    ModelWarning
        If ``Xtree[1]`` is not the identity: FDfb, IDfb and fbkin will not see it. Also if there is
        a ``gamma_q``, which may not fit the new numbers.
    """
    if model.is_planar:
        raise ModelError("floatbase applies to spatial models only")
    if list(model.parent).count(0) != 1:
        raise ModelError("only one connection to a fixed base allowed")
    if not np.array_equal(model.Xtree[1], np.eye(6)):
        warnings.warn("Xtree[1] is not the identity; its offset is lost to FDfb and IDfb",
                      ModelWarning, stacklevel=2)  # fmt: skip
    if "gamma_q" in model:
        warnings.warn("gamma_q counts joints from 1: it may not fit the floating model",
                      ModelWarning, stacklevel=2)  # fmt: skip
    free = model.copy()
    free.NB = model.NB + 5
    free.jtype = OneBased([*CHAIN, *list(model.jtype)[1:]])
    free.parent = OneBased([0, 1, 2, 3, 4, *(p + 5 for p in list(model.parent))])
    free.Xtree = OneBased([np.eye(6)] * 5 + list(model.Xtree))
    free.I = OneBased([np.zeros((6, 6))] * 5 + list(model.I))
    if "appearance" in model and "body" in model.appearance:
        free.appearance = Struct(free.appearance, body=[[] for _ in range(5)] + list(
            free.appearance.body))  # fmt: skip
    if "camera" in model and model.camera.get("body", 0) > 0:
        free.camera = Struct(free.camera, body=model.camera.body + 5)
    if "gc" in model:
        free.gc = Struct(free.gc, body=model.gc.body + 5)
    return free
