"""The ways of running one algorithm: on floats, on NumPy arrays, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from polhode import algorithms
from polhode.algorithms import loaded
from polhode.api.tracing import as_argument, as_output, input_shapes
from polhode.model import Model
from random_trees import KINDS, random_state, tree


class Algorithm(NamedTuple):
    """A function of a model, and the keyword arguments fixed for its program."""

    function: Callable
    static: dict[str, Any]

    @property
    def name(self) -> str:
        return self.function.__name__


def algorithms_of(model: Model) -> list[Algorithm]:
    """Every algorithm behind the public functions, for this model."""
    body = {"body": model.n_bodies}
    mask = tuple(k % 2 == 0 for k in range(model.nv))
    plain = [
        algorithms.rnea,
        algorithms.bias,
        algorithms.gravity,
        algorithms.aba,
        algorithms.solve_inertia,
        algorithms.crba,
        algorithms.crba_times,
        algorithms.inverse_inertia,
        algorithms.poses,
        algorithms.energy,
        algorithms.momentum,
        algorithms.center_of_mass,
        algorithms.center_of_mass_jacobian,
        algorithms.centroidal_momentum_matrix,
        algorithms.center_of_mass_velocity,
        algorithms.zero_moment_point,
        algorithms.integrate,
        algorithms.difference,
        loaded.rnea_with_forces,
        loaded.bias_with_forces,
        loaded.aba_with_forces,
        loaded.crba_forward,
        loaded.crba_forward_with_forces,
    ]
    of_a_body = [
        algorithms.body_pose,
        algorithms.point_position,
        algorithms.point_velocity,
        algorithms.point_acceleration,
        algorithms.point_jacobian,
        algorithms.point_jacobian_derivative,
        algorithms.frame_jacobian_derivative,
        algorithms.body_jacobian_derivative,
        algorithms.frame_jacobian,
        algorithms.body_jacobian,
    ]
    hybrid = [algorithms.hybrid, loaded.hybrid_with_forces]
    return (
        [Algorithm(f, {}) for f in plain]
        + [Algorithm(f, body) for f in of_a_body]
        + [Algorithm(f, {"forward": mask}) for f in hybrid]
    )


SOLVES = {
    "aba",
    "aba_with_forces",
    "crba_forward",
    "crba_forward_with_forces",
    "hybrid",
    "hybrid_with_forces",
    "inverse_inertia",
    "solve_inertia",
}
"""Algorithms that divide by the inertia matrix: rounding grows with its condition number."""

ONE_OF_EACH = {kind: tree([kind, "revolute z", kind], seed=3) for kind in KINDS if kind != "fixed"}
MIXED = {
    "chain": tree(["revolute x", "prismatic", "revolute", "fixed", "screw", "helical"], seed=1),
    "walker": tree(
        ["floating", "spherical", "revolute y", "spherical", "universal"], [-1, 0, 1, 0, 3], seed=2
    ),
    "tree": tree(
        ["axes", "euler ZYX", "planar", "translation", "euler XYZ", "prismatic z"],
        [-1, 0, 0, 2, 1, 1],
        seed=3,
    ),
    "others": tree(["revolute z", "euler YXZ", "euler ZXY", "spherical"], [-1, 0, 1, -1], seed=4),
}


def arguments(algorithm: Algorithm, model: Model, size: tuple[int, ...] = ()) -> list[np.ndarray]:
    """Random arrays for the parameters of an algorithm."""
    first, second = random_state(model, 5, size), random_state(model, 6, size)
    rng = np.random.default_rng(7)
    values = {
        "q": first.q,
        "qd": first.qd,
        "qdd": first.qdd,
        "tau": first.tau,
        "v": first.qd,
        "q0": first.q,
        "q1": second.q,
        "f_ext": rng.standard_normal((*size, model.n_bodies, 6)),
        "point": rng.standard_normal((*size, 3)),
        "normal": np.broadcast_to([0.0, 0.6, 0.8], (*size, 3)).copy(),
        "dt": rng.uniform(0.1, 1.0, size),
    }
    return [np.asarray(values[name]) for name in input_shapes(algorithm.function, model)]


def run_floats(algorithm: Algorithm, model: Model, arrays: list[np.ndarray]) -> tuple:
    """One state in plain Python floats: the definition every other way is measured by."""
    names = input_shapes(algorithm.function, model)
    values = [
        as_argument(name, _tuples(array.tolist()), model)
        for name, array in zip(names, arrays, strict=True)
    ]
    return results(as_output(algorithm.function(model, *values, **algorithm.static), model))


def results(value: Any) -> tuple[np.ndarray, ...]:
    """One or several results as a tuple of arrays."""
    values = value if isinstance(value, tuple) else (value,)
    return tuple(np.asarray(v, dtype=float) for v in values)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def state(arrays: list[np.ndarray], k: int) -> list[np.ndarray]:
    """State ``k`` of a batch, as arrays of its own."""
    return [np.array(array[k]) for array in arrays]


def same_bits(a: Any, b: Any) -> bool:
    """Equal as bit patterns: NaNs and signs of zeros too."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
