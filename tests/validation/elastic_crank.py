"""A slider crank whose rod bends and stretches, with two shapes of each in its equations.

The rod's kinetic energy depends on its mass only by integrals: of products of one, the place
along the rod, and the shapes.  A few point masses have the same integrals.  They slide on joints
coupled to the elastic coordinates, which makes the mass matrix that of the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import polhode as ph
from polhode.constraints import ConstraintSet
from polhode.model import Mimic, Prismatic, Revolute
from polhode.spatial import Transform
from validation.motions import motion
from validation.scores import Score, largest

Record = dict[str, Any]
BENDING, STRETCHING = ("bend 1", "bend 2"), ("stretch of the middle", "stretch of the end")
MODES = (*BENDING, *STRETCHING)
COORDINATES = ("crank", "rod", "slider", *MODES)
IN_PLANE = np.eye(6)[3:5].tolist()
POSITIONS, SPEEDS = 1e-7, 3e-7  # relative, as the record asks for
FLYWHEEL = 1e13  # kg m^2: the crank keeps its speed to rounding


def is_one(record: Record) -> bool:
    """Whether a record is one of this mechanism."""
    return {"MQ", "KQ", "BQ"} <= set(record.get("rod", {}))


def scores_of(record: Record) -> Iterator[Score]:
    """Each position and speed at the end, relative to its own size."""
    model, pin = mechanism(record["parameters"])
    k = [int(np.arange(model.nv)[model.joint(name).v][0]) for name in COORDINATES]
    q0, qd0 = np.zeros((2, model.nv))
    q0[k], qd0[k] = relative(np.array(record["start"][:14], float).reshape(2, 7))
    is_rigid = np.isin(np.arange(model.nv), k[1:3])
    # Nine digits do not close the loop; what is moved is not a shape, which would ring.
    closed = ph.assemble(model, pin, q0, qd0, weights=np.where(is_rigid, 0.0, 1.0))
    run = motion(model, [record["end_time"]], closed.q, closed.qd, constraints=pin,
                 start="keep", rtol=1e-10, atol=1e-13)  # fmt: skip
    published = np.array([float(x) for x in record["published"][:14]]).reshape(2, 7)
    for what, ours, theirs, allowed in (
        ("positions", run.q[-1][k], published[0], POSITIONS),
        ("speeds", run.qd[-1][k], published[1], SPEEDS),
    ):
        ours[1] += ours[0]
        for of, part in (("bodies", slice(0, 3)), ("shapes", slice(3, 7))):
            error = largest(ours[part] / theirs[part] - 1.0, np.zeros_like(theirs[part]))
            yield Score(f"{what} of {of}", error, allowed)


def relative(state: np.ndarray) -> np.ndarray:
    """With the angle of the rod from the crank on."""
    turned = state.copy()
    turned[:, 1] -= state[:, 0]
    return turned


def mechanism(p: dict[str, float]) -> tuple[ph.Model, ConstraintSet]:
    """The tree of crank, slider and rod, and the pin between the last two."""
    model = (
        ph.Model("elastic slider crank", gravity=(0.0, 0.0, 0.0))
        .add("crank", joint=Revolute.z(), armature=FLYWHEEL)
        .add("slider", joint=Prismatic.x(), mass=p["M3"])
        .add("rod", parent="crank", joint=Revolute.z(),
             frame=Transform.translation(p["L1"], 0.0, 0.0))
    )  # fmt: skip
    for name in MODES:
        joint = Prismatic.y() if name in BENDING else Prismatic.x()
        model = model.add(name, parent="rod", joint=joint,
                          frame=Transform.translation(p["L2"], 0.0, 0.0))  # fmt: skip
    model = with_springs(with_masses(model, integrals(p)), stiffness(p))
    here = Transform.identity()
    pin = ConstraintSet(model).loop("slider", STRETCHING[1], here, here, IN_PLANE, name="pin")
    return model, pin


def integrals(p: dict[str, float]) -> np.ndarray:
    """Of products of 1, the place along the rod and the shapes, over the rod's mass."""
    m, L, pi = p["RHO"] * p["BB"] * p["HH"] * p["L2"], p["L2"], p["PI_used"]
    one = [p["M2"], p["M2"] * L / 2, 2 * m / pi, 0.0, 2 * m / 3, m / 6]
    place = [p["J2"], L * m / pi, -L * m / (2 * pi), L * m / 3, L * m / 6]
    bending = [[m / 2, 0.0, 16 / pi**3 * m, (1 / pi - 8 / pi**3) * m],
               [m / 2, 0.0, -m / (2 * pi)]]  # fmt: skip
    stretching = [[8 * m, m], [2 * m]]
    rows = [one, place, *bending, *stretching]
    upper = np.array([[0.0] * (6 - len(row)) + row for row in rows])
    return upper + np.triu(upper, 1).T


def stiffness(p: dict[str, float]) -> np.ndarray:
    """Of the elastic coordinates."""
    k, bend = p["EE"] * p["BB"] * p["HH"] / p["L2"], (p["PI_used"] ** 2 * p["HH"] / p["L2"]) ** 2
    K = np.diag([bend / 24, 2 * bend / 3, 16 / 3, 7 / 3])
    K[2, 3] = K[3, 2] = -8 / 3
    return k * K


def with_masses(model: ph.Model, of_products: np.ndarray) -> ph.Model:
    """As many equal masses as there are functions, at places that have their integrals."""
    factor = np.linalg.cholesky(of_products).T
    count, first = len(factor), factor[:, 0] / np.linalg.norm(factor[:, 0])
    mirror = first - np.full(count, count**-0.5)  # swaps the two: all masses become equal
    mirrored = factor - np.outer(mirror, mirror @ factor) * (2.0 / (mirror @ mirror))
    for j, (one, place, *shapes) in enumerate(mirrored):
        parent, at = "rod", Transform.translation(place / one, 0.0, 0.0)
        for name, shape in zip(MODES, shapes, strict=True):
            joint = Prismatic.y() if name in BENDING else Prismatic.x()
            follows = Mimic(name, float(shape / one), coupled=True)
            link = f"{j}, {name}"
            is_last = name == MODES[-1]
            model = model.add(link, parent=parent, joint=joint, frame=at, mimic=follows,
                              mass=float(one**2) if is_last else 0.0)  # fmt: skip
            parent, at = link, Transform.identity()
    return model


def with_springs(model: ph.Model, K: np.ndarray) -> ph.Model:
    """Springs in sums of the elastic coordinates, one for each column of a factor of ``K``."""
    for j, column in enumerate(np.linalg.cholesky(K).T):
        factors = {name: float(x) for name, x in zip(MODES, column, strict=True) if x}
        model = model.add_tendon(f"spring {j}", joints=factors, stiffness=1.0)
    return model
