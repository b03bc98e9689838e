"""spatial_v2's own numbers for its spatial (three-dimensional) models, by the public functions.

The planar models, and all functions under spatial_v2's own names: tests/spatial_v2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.model import Model, Prismatic, Revolute, Screw
from polhode.spatial import Mat3, Transform, Vec3
from reference.cases import Tally, array, read

PROGRAM = "spatial_v2"
IN_FACADE_TESTS = ("FDgq", "gamma_q")
"""Of explicitly constrained systems; tests/spatial_v2 runs them, and all planar models."""

JOINTS = {
    "R": Revolute.z,
    "Rx": Revolute.x,
    "Ry": Revolute.y,
    "Rz": Revolute.z,
    "P": Prismatic.z,
    "Px": Prismatic.x,
    "Py": Prismatic.y,
    "Pz": Prismatic.z,
}


def joint(code: Any) -> Any:
    """A joint code of spatial_v2: a string, or a record with the pitch of a helical joint."""
    return JOINTS[code]() if isinstance(code, str) else Screw(code["pars"]["pitch"])


def frame(X: list) -> Transform:
    """The (E, r) of a 6x6 matrix [E 0; -E rx E]."""
    X = array(X)
    E = X[:3, :3]
    rx = -E.T @ X[3:, :3]
    return Transform(Mat3.of(E.tolist()), Vec3(rx[2, 1].item(), rx[0, 2].item(), rx[1, 0].item()))


def mass_properties(I: list) -> dict[str, Any]:
    """Mass, centre of mass and inertia about it, of a 6x6 spatial inertia."""
    I = array(I)
    mass = I[5, 5].item()
    hx = I[:3, 3:]
    h = np.array([hx[2, 1], hx[0, 2], hx[1, 0]])
    c = h / mass if mass else h
    cx = np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
    about_com = I[:3, :3] - mass * cx @ cx.T
    return {"mass": mass, "com": c.tolist(), "inertia": about_com.tolist()}


def build(name: str, data: dict) -> Model:
    parents, codes = data["parent"], data["jtype"]
    parents = parents if isinstance(parents, list) else [parents]
    model = Model(name, gravity=tuple(data.get("gravity") or (0.0, 0.0, -9.81)))
    for i, (parent, code) in enumerate(zip(parents, codes, strict=True), start=1):
        model = model.add(
            f"body{i}",
            parent=f"body{parent}" if parent else None,
            joint=joint(code),
            frame=frame(data["Xtree"][i - 1]),
            **mass_properties(data["I"][i - 1]),
        )
    return model


def is_spatial(data: dict) -> bool:
    return len(data["I"][0]) == 6


def vector(value: Any) -> np.ndarray:
    """A vector of joint scalars; spatial_v2 writes one of length one as a number."""
    return np.atleast_1d(array(value))


def forces(model: Model, cells: Any) -> np.ndarray | None:
    """External forces of a cell array, null for a body without one; None when omitted."""
    if not cells:
        return None
    return np.array([array(cell) if cell else np.zeros(6) for cell in cells])


def total_inertia(model: Model, q: np.ndarray) -> np.ndarray:
    """The bodies' inertias about the base origin, added up as 6x6 matrices."""
    total = np.zeros((6, 6))
    for body, pose in zip(model.bodies, ph.body_poses(model, q), strict=True):
        E, r = pose[:3, :3].T, pose[:3, 3]
        rx = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
        X = np.block([[E, np.zeros((3, 3))], [-E @ rx, E]])
        c = np.array(body.com)
        cx = np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
        m, about_com = body.mass, np.array(body.inertia)
        I = np.block([[about_com + m * cx @ cx.T, m * cx], [m * cx.T, m * np.eye(3)]])
        total += X.T @ I @ X
    return total


def energy_and_momentum(model: Model, q: Any, qd: Any) -> dict[str, Any]:
    q, qd = vector(q), vector(qd)
    energy, momentum = ph.energy(model, q, qd), ph.momentum(model, q, qd)
    return {
        "Itot": total_inertia(model, q),
        "htot": momentum,
        "KE": energy.kinetic,
        "PE": energy.potential,
        "mass": sum(body.mass for body in model.bodies),
        "cm": ph.center_of_mass(model, q),
        "vcm": ph.kinematics.center_of_mass_velocity(model, q, qd),
    }


def inverse_dynamics(model, q, qd, qdd, f_ext=None):
    return ph.inverse_dynamics(model, vector(q), vector(qd), vector(qdd), forces(model, f_ext))


def forward_dynamics(method):
    def compute(model, q, qd, tau, f_ext=None):
        f = forces(model, f_ext)
        return ph.forward_dynamics(model, vector(q), vector(qd), vector(tau), f, method=method)

    return compute


def equation_of_motion(model, q, qd, f_ext=None):
    q, qd = vector(q), vector(qd)
    return ph.mass_matrix(model, q), ph.bias_forces(model, q, qd, forces(model, f_ext))


def hybrid_dynamics(model, forward, q, qd, qdd, tau, f_ext=None):
    mask = vector(forward) != 0
    return ph.hybrid_dynamics(
        model, *map(vector, (q, qd, qdd, tau)), forward=mask, f_ext=forces(model, f_ext)
    )


FUNCTIONS = {
    "ID": inverse_dynamics,
    "FDab": forward_dynamics("aba"),
    "FDcrb": forward_dynamics("crba"),
    "HandC": equation_of_motion,
    "HD": hybrid_dynamics,
    "EnerMo": energy_and_momentum,
}


def outputs(case: dict) -> list:
    """The expected outputs, those of one joint as vectors and matrices again."""
    shaped = []
    for value, shape in zip(case["outputs"], case["output_shapes"], strict=True):
        if shape is None:
            shaped.append(value)
        elif 1 in shape and case["function"] != "HandC":
            shaped.append(np.atleast_1d(array(value)))
        else:
            shaped.append(array(value))
    return shaped


def compare(tally: Tally, case: dict, models: dict[str, Model]) -> None:
    function, expected = case["function"], outputs(case)
    compute = FUNCTIONS[function]

    def computed():
        result = compute(models[case["model"]], *case["inputs"])
        results = result if isinstance(result, tuple) else (result,)
        assert len(results) == len(expected)
        return {str(k): _like(value, expected[k]) for k, value in enumerate(results)}

    tally.compare(function, case["id"], computed, {str(k): v for k, v in enumerate(expected)})


def _like(value: Any, expected: Any) -> Any:
    return value if isinstance(expected, dict) else np.reshape(value, np.shape(expected))


DATA = read("spatial_v2_dynamics")
SPATIAL = sorted(name for name, model in DATA["models"].items() if is_spatial(model["data"]))


@pytest.mark.parametrize("name", SPATIAL)
def test_dynamics(name, record_property):
    """Every dynamics function, on every state and with every set of external forces."""
    tally = Tally(PROGRAM)
    models = {name: build(name, DATA["models"][name]["data"])}
    for case in DATA["cases"]:
        if case["model"] == name and case["function"] not in IN_FACADE_TESTS:
            compare(tally, case, models)
    tally.close(record_property)
