"""The ways of running one algorithm: on floats, on NumPy arrays, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import polhode as ph
from coupled_trees import coupled_tree
from polhode import algorithms
from polhode.binding.tracing import as_argument, as_output, input_shapes
from polhode.model import Model
from random_trees import KINDS, random_state, tree


class Algorithm(NamedTuple):
    """A function of a model, the keyword arguments fixed for its program, and optional inputs."""

    function: Callable
    static: dict[str, Any]
    optional: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.function.__name__

    def compiled(self, model: Model) -> ph.Program:
        return ph.compile(self.function, model, optional=self.optional, **self.static)

    def inputs(self, model: Model) -> list[str]:
        return list(input_shapes(self.function, model, optional=self.optional))


def algorithms_of(model: Model) -> list[Algorithm]:
    """Every algorithm behind the public functions, for this model."""
    body = {"body": model.n_bodies}
    mask = tuple(k % 2 == 0 for k in range(model.nv))
    plain = [
        algorithms.rnea,
        algorithms.luh_walker_paul,
        algorithms.inverse_dynamics,
        algorithms.joint_reactions,
        algorithms.bias,
        algorithms.gravity,
        algorithms.passive_forces,
        algorithms.aba,
        algorithms.aba_relative,
        algorithms.forward_dynamics,
        algorithms.solve_inertia,
        algorithms.crba,
        algorithms.mass_matrix,
        algorithms.coriolis_matrix,
        algorithms.inertia_times,
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
        algorithms.crba_forward,
    ]
    under_forces = [
        algorithms.rnea,
        algorithms.inverse_dynamics,
        algorithms.joint_reactions,
        algorithms.bias,
        algorithms.aba,
        algorithms.forward_dynamics,
        algorithms.crba_forward,
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
    forces = ("f_ext",)
    return (
        [Algorithm(f, {}) for f in plain]
        + [Algorithm(f, body) for f in of_a_body]
        + [Algorithm(f, {}, forces) for f in under_forces]
        + [Algorithm(algorithms.hybrid, {"forward": mask}, given) for given in ((), forces)]
    )


SOLVES = {
    "aba",
    "aba_relative",
    "crba_forward",
    "forward_dynamics",
    "hybrid",
    "inverse_inertia",
    "solve_inertia",
}
"""Algorithms that divide by the inertia matrix: rounding grows with its condition number."""

ARTICULATED = {"aba_relative"}
"""Algorithms that refuse coupled joints."""

ONE_OF_EACH = {kind: tree([kind, "revolute z", kind], seed=3) for kind in KINDS if kind != "fixed"}
MIXED = {
    "chain": tree(
        ["revolute x", "prismatic", "revolute", "fixed", "screw", "helical"], seed=12, geared=True
    ),
    "walker": tree(["floating", "spherical", "revolute y", "universal"], [-1, 0, 1, 0], seed=2),
    "tree": tree(
        ["axes", "euler ZYX", "planar", "translation", "euler XYZ", "prismatic z"],
        [-1, 0, 0, 2, 1, 1],
        seed=3,
    ),
    "others": tree(["revolute z", "euler YXZ", "euler ZXY", "spherical"], [-1, 0, 1, -1], seed=4),
    "coupled": coupled_tree(3).coupled,
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
    return [np.asarray(values[name]) for name in algorithm.inputs(model)]


def run_floats(algorithm: Algorithm, model: Model, arrays: list[np.ndarray]) -> tuple:
    """One state in plain Python floats: the definition every other way is measured by."""
    values = [
        as_argument(name, _tuples(array.tolist()), model)
        for name, array in zip(algorithm.inputs(model), arrays, strict=True)
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
