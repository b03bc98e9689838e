"""Floats, NumPy arrays and compiled code of one algorithm agree to rounding."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import polhode as ph
from modes.modes import (
    ARTICULATED,
    MIXED,
    ONE_OF_EACH,
    SOLVES,
    algorithms_of,
    arguments,
    results,
    run_floats,
    state,
)
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.errors import ModelError

WITHOUT = {
    "base_transforms", "external_forces", "inertial_parameters",
    "aba_tables", "crba_tables", "rnea_tables",  # the same algorithms, more of their results
    "body_accelerations", "body_velocities",  # parts of others
    "smooth_passive_forces",  # passive forces and one function of each velocity
    "all_passive_forces", "fluid_forces",  # in `test_fluid_modes`
    "aba_derivatives", "energy_derivatives", "frame_hessian", "momentum_derivatives",
    "point_hessian", "rnea_derivatives", "rnea_regressor", "rnea_second_derivatives",
    # large programs, whose values laws and derivatives of programs check
    "activation_rates", "actuator_forces", "actuator_values", "compensating_forces",
    "next_activation", "tendon_forces", "tendon_jacobian", "tendon_lengths", "tendon_velocities",
    # in `test_driven_modes`
    "actuator_state",  # behind them
    "sensor_rays", "sensor_values",  # of sensors that are given: `tests/sensing`
}  # fmt: skip
"""Algorithms of a model and a state alone that are not run in all ways."""
AGREEMENT = 1e-13  # relative to the largest entry of the result
EASY = 1e3  # a condition number that costs no more digits than the rest


def bound(algorithm, model, arrays, reference):
    condition = 1.0
    if algorithm.name in SOLVES:
        condition = np.linalg.cond(ph.mass_matrix(model, arrays[0]))
    scale = max(1.0, float(np.abs(reference).max(initial=0.0)))
    return AGREEMENT * scale * max(1.0, condition / EASY)


def check(algorithm, model, arrays, got, reference, mode):
    for g, r in zip(got, reference, strict=True):
        assert g.shape == r.shape
        error = float(np.abs(g - r).max(initial=0.0))
        limit = bound(algorithm, model, arrays, r)
        assert error <= limit, f"{algorithm.name}, {mode}: {error:.1e} > {limit:.1e}"


@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_floats_and_numpy(kind):
    """Every algorithm with joints of one kind: floats one by one, arrays all at once."""
    model = ONE_OF_EACH[kind]
    for algorithm in algorithms_of(model):
        arrays = arguments(algorithm, model, (3,))
        batch = results(run_plain(algorithm.function, model, arrays, **algorithm.static))
        for k in range(3):
            one = run_floats(algorithm, model, state(arrays, k))
            got = tuple(b[k] for b in batch)
            check(algorithm, model, state(arrays, k), got, one, "NumPy")


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("number", range(len(algorithms_of(MIXED["chain"]))))
def test_compiled(name, number):
    """Compiled for one state and for a batch, every algorithm on trees of mixed joints."""
    model = MIXED[name]
    algorithm = algorithms_of(model)[number]
    if model.is_coupled and algorithm.name in ARTICULATED:
        with pytest.raises(ModelError, match="forward_dynamics"):
            _ = algorithm.compiled(model).ops
        return
    program = algorithm.compiled(model)
    arrays = arguments(algorithm, model, (11,))
    batch = results(program(*arrays))
    for k in (0, 7, 10):
        reference = run_floats(algorithm, model, state(arrays, k))
        one = results(program(*state(arrays, k)))
        check(algorithm, model, state(arrays, k), one, reference, "scalar code")
        check(
            algorithm, model, state(arrays, k), tuple(b[k] for b in batch), reference, "SIMD code"
        )


@pytest.mark.parametrize("kind", ONE_OF_EACH)
def test_compiled_joints(kind):
    """Each kind of joint: public functions under external forces, beside the book's tables."""
    model = ONE_OF_EACH[kind]
    forward, inverse = (
        next(a for a in algorithms_of(model) if a.name == name and a.optional)
        for name in ("aba", "rnea")
    )
    q, qd, tau, f_ext = arguments(forward, model, (5,))
    qdd = ph.forward_dynamics(model, q, qd, tau, f_ext)
    again = ph.inverse_dynamics(model, q, qd, qdd, f_ext)
    for k in range(5):
        arrays = [q[k], qd[k], tau[k], f_ext[k]]
        check(forward, model, arrays, (qdd[k],), run_floats(forward, model, arrays), "SIMD code")
        arrays = [q[k], qd[k], qdd[k], f_ext[k]]
        check(inverse, model, arrays, (again[k],), run_floats(inverse, model, arrays), "SIMD code")


def test_single_precision():
    """float32 inputs run float32 code, whose results agree to single rounding."""
    model = MIXED["walker"]
    for algorithm in algorithms_of(model):
        program = algorithm.compiled(model)
        arrays = arguments(algorithm, model, (9,))
        got = program(*(a.astype(np.float32) for a in arrays))
        for g, r in zip(
            got if isinstance(got, tuple) else (got,), results(program(*arrays)), strict=True
        ):
            assert g.dtype == np.float32
            condition = 1e3 if algorithm.name in SOLVES else 1.0
            limit = 1e-5 * condition * max(1.0, float(np.abs(r).max()))
            assert float(np.abs(g - r).max()) < limit, algorithm.name


def test_every_algorithm_is_run_in_all_ways():
    """One that is new is added to `algorithms_of`; those of constraints have tests of their own."""
    beyond = {"constraints", "targets"}
    named = {name: getattr(algorithms, name) for name in algorithms.__all__}
    functions = {
        name
        for name, function in named.items()
        if inspect.isfunction(function) and not beyond & {*inspect.signature(function).parameters}
    }
    tested = {algorithm.name for algorithm in algorithms_of(MIXED["chain"])}
    assert functions - tested == WITHOUT
