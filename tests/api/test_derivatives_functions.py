"""The public functions of all derivatives: shapes, batches, ``out``, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from constraints.machines import random_set
from polhode import algorithms
from polhode.api import derivatives_second as api_second
from polhode.binding.plain import run_plain
from polhode.compiler.program import threads
from polhode.errors import ModelError, ShapeError
from polhode.model import Model, Revolute
from random_trees import random_state, tree

MODEL = tree(["spherical", "revolute", "helical"], seed=1)
BODY = MODEL.n_bodies
POINT = np.array([0.1, -0.2, 0.3])
ROWS = random_set(MODEL, 2)
n, m = MODEL.nv, ROWS.n_rows
ROUNDING = 1e-12


def state(size=()):
    return random_state(MODEL, 3, size)


def f_ext(size=()):
    return np.random.default_rng(4).standard_normal((*size, MODEL.n_bodies, 6))


FUNCTIONS = {
    "inverse": (
        ph.inverse_dynamics_derivatives, "q qd qdd", [(n, n)] * 3,
        algorithms.rnea_derivatives,
    ),
    "forward": (
        ph.forward_dynamics_derivatives, "q qd tau", [(n, n)] * 3,
        algorithms.aba_derivatives,
    ),
    "second inverse": (
        ph.derivatives.inverse_dynamics_second_derivatives, "q qd qdd", [(n, n, n)] * 4,
        algorithms.rnea_second_derivatives,
    ),
    "second forward": (
        ph.derivatives.forward_dynamics_second_derivatives, "q qd tau", [(n, n, n)] * 4, None
    ),
    "energy": (
        ph.derivatives.energy_derivatives, "q qd", [(n,)] * 3, algorithms.energy_derivatives
    ),
    "momentum": (
        ph.derivatives.momentum_derivatives, "q qd", [(6, n)] * 2, algorithms.momentum_derivatives
    ),
    "centre of mass": (
        ph.kinematics.center_of_mass_jacobian, "q", (3, n), algorithms.center_of_mass_jacobian
    ),
    "centroidal": (
        ph.kinematics.centroidal_momentum_matrix, "q", (6, n), algorithms.centroidal_momentum_matrix
    ),
    "body rate": (
        ph.derivatives.body_jacobian_derivative, "q qd body", (6, n),
        algorithms.body_jacobian_derivative,
    ),
    "frame rate": (
        ph.derivatives.frame_jacobian_derivative, "q qd body point", (6, n),
        algorithms.frame_jacobian_derivative,
    ),
    "point rate": (
        ph.derivatives.point_jacobian_derivative, "q qd body point", (3, n),
        algorithms.point_jacobian_derivative,
    ),
    "frame hessian": (
        ph.derivatives.frame_hessian, "q body point", (6, n, n), algorithms.frame_hessian
    ),
    "point hessian": (
        ph.derivatives.point_hessian, "q body point", (3, n, n), algorithms.point_hessian
    ),
    "constrained": (
        ph.derivatives.constrained_dynamics_derivatives, "rows q qd tau",
        [(n, n)] * 3 + [(m, n)] * 3,
        algorithms.constrained_derivatives,
    ),
    "impulses": (
        ph.derivatives.constraint_impulses_derivatives, "rows q qd",
        [(n, n), (n, n), (n, m), (m, n), (m, n), (m, m)], None,
    ),
}  # fmt: skip
"""Function, arguments, core shapes of the results, and the algorithm."""

WITH_FORCES = ("inverse", "forward", "second inverse", "second forward", "constrained")


def call(name, size=(), out=None, **replaced):
    function, names, *_ = FUNCTIONS[name]
    values = state(size)._asdict() | {"body": BODY, "point": POINT, "rows": ROWS}
    values |= {key: x for key, x in replaced.items() if key != "f_ext"}
    arguments = [values[key] for key in names.split()]
    extra = {"f_ext": replaced["f_ext"]} if "f_ext" in replaced else {}
    return function(MODEL, *arguments, out=out, **extra)


def parts(result):
    return list(result) if isinstance(result, tuple) else [result]


def cores(name):
    shapes = FUNCTIONS[name][2]
    return shapes if isinstance(shapes, list) else [shapes]


def close(got, expected):
    assert got.shape == expected.shape
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(got, expected, rtol=0, atol=ROUNDING * scale)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shapes_batches_and_out(name):
    """Batch axes come first; one state is as in a batch; ``out`` takes the results."""
    batch = parts(call(name, (2, 3)))
    assert [x.shape for x in batch] == [(2, 3, *core) for core in cores(name)]
    one = {key: x[1, 2] for key, x in state((2, 3))._asdict().items()}
    for whole, single in zip(batch, parts(call(name, **one)), strict=True):
        close(single, whole[1, 2])
    empty = [np.full((2, 3, *core), np.nan) for core in cores(name)]
    out = tuple(empty) if isinstance(FUNCTIONS[name][2], list) else empty[0]
    again = call(name, (2, 3), out=out)
    for given, result, expected in zip(empty, parts(again), batch, strict=True):
        assert result is given
        np.testing.assert_array_equal(given, expected)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if FUNCTIONS[name][3]])
def test_results_are_those_of_the_algorithm(name):
    """The compiled program gives what the algorithm gives on plain numbers."""
    _, names, _, function = FUNCTIONS[name]
    values = state()._asdict() | {"point": POINT}
    arrays = [values[key] for key in names.split() if key in values]
    static = {"body": BODY} if "body" in names else {}
    static |= {"constraints": ROWS.constraints} if "rows" in names else {}
    expected = run_plain(function, MODEL, arrays, **static)
    for got, wanted in zip(parts(call(name)), parts(expected), strict=True):
        close(got, wanted)
    if name in WITH_FORCES:
        expected = run_plain(function, MODEL, [*arrays, f_ext()], **static)
        for got, wanted in zip(parts(call(name, f_ext=f_ext())), expected, strict=True):
            close(got, wanted)


@pytest.mark.parametrize("name", WITH_FORCES)
def test_no_force_is_a_force_of_zero(name):
    """``f_ext`` of zeros changes nothing, another one does."""
    free = call(name)
    for got, expected in zip(call(name, f_ext=0.0 * f_ext()), free, strict=True):
        close(got, expected)
    pushed = call(name, f_ext=f_ext())
    assert np.abs(pushed[0] - free[0]).max() > 1e-3


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_shapes_are_named(name):
    """A last axis that does not fit, and a model that is none."""
    with pytest.raises(ShapeError, match=rf"nq = {MODEL.nq} on the last axis of q, got 3"):
        call(name, q=np.zeros(3))
    function, names, *_ = FUNCTIONS[name]
    rest = [None] * len(names.split())
    with pytest.raises(ModelError, match=r"expected a (Model|ConstraintSet)"):
        function("arm.urdf", *rest)


def test_forces_of_the_wrong_shape_are_named():
    """Of every function that takes them."""
    for name in WITH_FORCES:
        with pytest.raises(ShapeError, match=r"\(n_bodies, 6\)"):
            call(name, f_ext=np.zeros((2, 6)))
    with pytest.raises(ShapeError, match=rf"expected {m} on the last axis of v_plus"):
        ph.derivatives.constraint_impulses_derivatives(
            MODEL, ROWS, state().q, state().qd, np.zeros(m + 1)
        )


def test_points_are_rows_of_frames():
    """A frame's Jacobian ends with its origin's; the default origin is the body's."""
    q, qd, *_ = state()
    frame = ph.derivatives.frame_jacobian_derivative(MODEL, q, qd, BODY, POINT)
    close(ph.derivatives.point_jacobian_derivative(MODEL, q, qd, BODY, POINT), frame[3:])
    close(
        ph.derivatives.point_hessian(MODEL, q, BODY, POINT),
        ph.derivatives.frame_hessian(MODEL, q, BODY, POINT)[3:],
    )
    at_origin = ph.derivatives.frame_hessian(MODEL, q, BODY, np.zeros(3))
    np.testing.assert_array_equal(
        ph.derivatives.frame_hessian(MODEL, q, MODEL.bodies[-1].name), at_origin
    )


def test_a_machine_without_mass_has_no_centre():
    """As of the centre of mass itself."""
    model = Model("light").add("a", joint=Revolute.z())
    for function in (
        ph.kinematics.center_of_mass_jacobian,
        ph.kinematics.centroidal_momentum_matrix,
    ):
        with pytest.raises(ModelError, match="has mass"):
            function(model, [0.0])


def test_a_large_machine_goes_direction_by_direction(monkeypatch):
    """The tensors are the same, also under forces; so is what ``out`` gets."""
    q, qd, qdd, _ = state((2,))
    for extra in ((), (f_ext((2,)),)):
        direct = ph.derivatives.inverse_dynamics_second_derivatives(MODEL, q, qd, qdd, *extra)
        with monkeypatch.context() as patch:
            patch.setattr(api_second, "PATHS_LIMIT", 0)
            out = tuple(np.empty_like(x) for x in direct)
            found = ph.derivatives.inverse_dynamics_second_derivatives(
                MODEL, q, qd, qdd, *extra, out=out
            )
        assert all(x is y for x, y in zip(found, out, strict=True))
        for got, expected in zip(found, direct, strict=True):
            close(got, expected)


def test_a_machine_that_cannot_move():
    """No freedom: results that hold nothing, of the right shapes."""
    model = Model("rock").add("a", mass=1.0)
    none = np.zeros(0)
    forces = np.zeros((0, 6))
    for extra in ((), (forces,), ()):
        first = ph.forward_dynamics_derivatives(model, none, none, none, *extra)
        assert [x.shape for x in first] == [(0, 0)] * 3
        for function in (
            ph.derivatives.inverse_dynamics_second_derivatives,
            ph.derivatives.forward_dynamics_second_derivatives,
        ):
            second = function(model, none, none, none, *extra)
            assert [x.shape for x in second] == [(0, 0, 0)] * 4
    assert [x.shape for x in ph.derivatives.energy_derivatives(model, none, none)] == [(0,)] * 3
    assert [x.shape for x in ph.derivatives.momentum_derivatives(model, none, none)] == [(6, 0)] * 2
    assert ph.derivatives.point_hessian(model, none, "a", POINT).shape == (3, 0, 0)
    assert ph.derivatives.point_jacobian_derivative(model, none, none, "a", POINT).shape == (3, 0)


def test_one_task_needs_no_threads(monkeypatch):
    """A few states of a long program are worth threads, but fit into one slice of a batch."""
    monkeypatch.setattr(threads, "_pool", None)
    monkeypatch.setattr(threads, "_pool_size", 0)
    done = []
    threads.run_together([lambda: done.append(1)])
    assert done == [1] and threads._pool is None
