"""Coupled joints: the numbers of the independent model, contracted by ``qd = G qd_coupled``."""

from __future__ import annotations

import numpy as np
import pytest

from coupled_trees import coupled_tree, plain
from polhode.algorithms.constrained.closures import ROWS, Closure, closure_rows
from polhode.algorithms.tree.aba import aba_tables
from polhode.binding.plain import run_plain
from polhode.constraint_sets import Contact, Loop
from polhode.errors import ModelError
from polhode.spatial import Transform

ROUNDING = 1e-12
SEEDS = range(12)

POSITION, MOTION, FULL = 1, 2, 3
SCALARS = [
    # algorithm, how many of q, qd, qdd it takes, and for each output the axes that G contracts
    ("inverse_dynamics", FULL, ["v"]),
    ("rnea", FULL, ["v"]),
    ("bias", MOTION, ["v"]),
    ("gravity", POSITION, ["v"]),
    ("mass_matrix", POSITION, ["vv"]),
    ("crba", POSITION, ["vv"]),
    ("poses", POSITION, ["..."]),
    ("energy", MOTION, ["", ""]),
    ("momentum", MOTION, ["."]),
    ("center_of_mass", POSITION, ["."]),
    ("center_of_mass_velocity", MOTION, ["."]),
    ("center_of_mass_jacobian", POSITION, [".v"]),
    ("centroidal_momentum_matrix", POSITION, [".v"]),
    ("passive_forces", MOTION, ["v"]),
    ("joint_reactions", FULL, [".."]),
    ("coriolis_matrix", MOTION, ["vv"]),
    ("rnea_regressor", FULL, ["v."]),
    ("rnea_derivatives", FULL, ["vv", "vv", "vv"]),
    ("rnea_second_derivatives", FULL, ["vvv"] * 4),
    ("energy_derivatives", MOTION, ["v", "v", "v"]),
    ("momentum_derivatives", MOTION, [".v", ".v"]),
]
OF_A_POINT = [
    ("point_position", POSITION, ["."]),
    ("point_velocity", MOTION, ["."]),
    ("point_acceleration", FULL, ["."]),
    ("point_jacobian", POSITION, [".v"]),
    ("frame_jacobian", POSITION, [".v"]),
    ("point_jacobian_derivative", MOTION, [".v"]),
    ("frame_hessian", POSITION, [".vv"]),
]


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=ROUNDING * max(1.0, float(np.abs(b).max())))


def contracted(x: np.ndarray, axes: str, G: np.ndarray) -> np.ndarray:
    for k, axis in enumerate(axes):
        if axis == "v":
            x = np.moveaxis(np.tensordot(G.T, x, (1, k)), 0, k)
    return x


def several(x):
    return x if isinstance(x, tuple) else (x,)


@pytest.mark.parametrize("seed", SEEDS)
def test_coupled_trees_couple(seed):
    """The random trees of these tests have fewer coordinates than joint axes."""
    pair = coupled_tree(seed)
    assert pair.coupled.nv < pair.independent.nv == pair.coupled.n_axes


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "taken", "axes"), SCALARS, ids=[row[0] for row in SCALARS])
def test_functions_are_those_of_the_independent_model(name, taken, axes, seed):
    """Forces are contracted by ``G^T``, Jacobians and derivatives by ``G``."""
    pair = coupled_tree(seed)
    ours, theirs, _ = pair.state(seed)
    found = several(plain(name, pair.coupled, *ours[:taken]))
    expected = several(plain(name, pair.independent, *theirs[:taken]))
    for a, b, of in zip(found, expected, axes, strict=True):
        close(a, contracted(b, of, pair.G))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "taken", "axes"), OF_A_POINT, ids=[row[0] for row in OF_A_POINT])
def test_points_move_as_those_of_the_independent_model(name, taken, axes, seed):
    """For the last body and one before it."""
    pair = coupled_tree(seed)
    ours, theirs, _ = pair.state(seed)
    for body in (pair.coupled.n_bodies, pair.coupled.n_bodies - 1):
        point = (0.3, -0.2, 0.1)
        found = plain(name, pair.coupled, *ours[:taken], point, body=body)
        expected = plain(name, pair.independent, *theirs[:taken], point, body=body)
        (of,) = axes
        close(found, contracted(expected, of, pair.G))


def contracted_inertia(pair, q):
    return contracted(plain("mass_matrix", pair.independent, q), "vv", pair.G)


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_inverts_the_contracted_inertia(seed):
    """By articulated bodies' entry point, by the mass matrix, and in parts."""
    pair = coupled_tree(seed)
    (q, qd, _), (whole_q, whole_qd, _), tau = pair.state(seed)
    ours = pair.G.T @ tau
    H = contracted_inertia(pair, whole_q)
    free = ours - pair.G.T @ plain("bias", pair.independent, whole_q, whole_qd)
    expected = np.linalg.solve(H, free)
    size = float(np.linalg.cond(H))
    for name in ("forward_dynamics", "aba", "crba_forward"):
        found = plain(name, pair.coupled, q, qd, ours)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * size * abs(free).max())
    close(H @ plain("solve_inertia", pair.coupled, q, ours), ours)
    close(H @ plain("inverse_inertia", pair.coupled, q), np.eye(len(H)))


@pytest.mark.parametrize("seed", SEEDS)
def test_hybrid_dynamics_obeys_the_equation_of_motion(seed):
    """With every second force given."""
    pair = coupled_tree(seed)
    (q, qd, qdd), _, tau = pair.state(seed)
    ours = pair.G.T @ tau
    forward = tuple(k % 2 == 0 for k in range(pair.coupled.nv))
    accelerations, forces = plain("hybrid", pair.coupled, q, qd, qdd, ours, forward=forward)
    mask = np.array(forward)
    close(np.where(mask, forces, accelerations), np.where(mask, ours, qdd))
    close(plain("inverse_dynamics", pair.coupled, q, qd, accelerations), forces)


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_of_forward_dynamics(seed):
    """They are those of inverse dynamics through the inverse inertia."""
    pair = coupled_tree(seed)
    (q, qd, _), _, tau = pair.state(seed)
    ours = pair.G.T @ tau
    qdd = plain("forward_dynamics", pair.coupled, q, qd, ours)
    d_q, d_qd, H = plain("rnea_derivatives", pair.coupled, q, qd, qdd)
    by_q, by_qd, by_tau = plain("aba_derivatives", pair.coupled, q, qd, ours)
    close(H @ by_q, -d_q)
    close(H @ by_qd, -d_qd)
    close(H @ by_tau, np.eye(len(H)))


@pytest.mark.parametrize("seed", SEEDS)
def test_external_forces_are_contracted(seed):
    """Those on each body, in inverse dynamics and in its derivatives."""
    pair = coupled_tree(seed)
    ours, theirs, _ = pair.state(seed)
    f_ext = np.random.default_rng(seed).standard_normal((pair.coupled.n_bodies, 6))
    for name, axes in (("inverse_dynamics", ["v"]), ("rnea_derivatives", ["vv"] * 3)):
        found = several(plain(name, pair.coupled, *ours, f_ext))
        expected = several(plain(name, pair.independent, *theirs, f_ext))
        for a, b, of in zip(found, expected, axes, strict=True):
            close(a, contracted(b, of, pair.G))


def held(pair) -> tuple:
    """A contact of the last body, and a loop of one axis from the second body to it."""
    last, frame = pair.coupled.n_bodies, Transform.translation(0.1, 0.2, -0.1)
    return (
        Contact(last, (0.1, 0.0, 0.2), (0.0, 0.0, 1.0)),
        Loop(1, last, frame, Transform.identity(), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_constraints_are_contracted(seed):
    """Their Jacobians and errors; accelerations obey the contracted system."""
    pair = coupled_tree(seed)
    (q, qd, _), (whole_q, _, _), tau = pair.state(seed)
    ours = pair.G.T @ tau
    constraints = held(pair)
    J = plain("constraint_jacobian", pair.coupled, q, constraints=constraints)
    whole = plain("constraint_jacobian", pair.independent, whole_q, constraints=constraints)
    close(J, whole @ pair.G)
    found = plain("constrained_range_space", pair.coupled, q, qd, ours, constraints=constraints)
    other = plain("constrained_kokkevis", pair.coupled, q, qd, ours, constraints=constraints)
    qdd, force = found[0], found[1]
    np.testing.assert_allclose(qdd, other[0], rtol=1e-8, atol=1e-8)
    needed = plain("inverse_dynamics", pair.coupled, q, qd, qdd) - J.T @ force
    close(needed, ours)


@pytest.mark.parametrize("seed", SEEDS)
def test_floating_bases_carry_coupled_joints(seed):
    """The base's state moves as the whole model does, and inverse dynamics returns."""
    pair = coupled_tree(seed, first="floating")
    rng = np.random.default_rng(seed)
    model, n = pair.coupled, pair.coupled.nv - 6
    x, qd, tau = rng.standard_normal(13), rng.standard_normal(n), rng.standard_normal(n)
    x[:4] /= np.linalg.norm(x[:4])
    q = np.delete(pair.state(seed)[0][0], [*range(6), model.nv])
    xd, qdd = plain("floating_forward", model, x, q, qd, tau)
    whole = plain("floating_state", model, x, q, qd)
    found = plain("forward_dynamics", model, *whole, np.concatenate((np.zeros(6), tau)))
    close(qdd, found[6:])
    again, needed = plain("floating_inverse", model, x, q, qd, qdd)
    np.testing.assert_allclose(needed, tau, rtol=0, atol=1e-9)
    np.testing.assert_allclose(again, xd, rtol=0, atol=1e-9 * abs(xd).max())


def test_tables_of_articulated_bodies_refuse_coupled_joints():
    """They have none of their own; the message says which function takes them."""
    pair = coupled_tree(0)
    (q, qd, _), _, tau = pair.state(0)
    model, ours = pair.coupled, pair.G.T @ tau
    with pytest.raises(ModelError, match=r"coupled joint 'link\d'.*forward_dynamics solves"):
        aba_tables(model, model.split_q(q), model.split_v(qd), model.split_v(ours))


def stepped(pair, q, k, h):
    step = np.zeros(pair.coupled.nv)
    step[k] = h
    return plain("integrate", pair.coupled, q, step, 1.0)


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_derivatives_of_constrained_dynamics(seed):
    """Accelerations and impulses by position, against central differences along the tangent."""
    pair = coupled_tree(seed)
    (q, qd, _), _, tau = pair.state(seed)
    ours, constraints, h = pair.G.T @ tau, held(pair), 1e-5
    v_plus = np.array([0.3, -0.2])
    shapes = {"q": q.shape, "qd": qd.shape, "v_plus": v_plus.shape}
    impact = {"constraints": constraints, "shapes": shapes}

    def motion(at):
        function = "constrained_range_space"
        return plain(function, pair.coupled, at, qd, ours, constraints=constraints)[0]

    def after(at):
        function = "impulses_range_space"
        return plain(function, pair.coupled, at, qd, v_plus, **impact)[0]

    by_q = plain("constrained_derivatives", pair.coupled, q, qd, ours, constraints=constraints)[0]
    jump_by_q = plain("impulse_derivatives", pair.coupled, q, qd, v_plus, **impact)[0]
    for function, derivative in ((motion, by_q), (after, jump_by_q)):
        for k in range(pair.coupled.nv):
            ends = (function(stepped(pair, q, k, x)) for x in (h, -h))
            difference = np.subtract(*ends) / (2.0 * h)
            size = max(1.0, float(np.abs(derivative).max()))
            np.testing.assert_allclose(derivative[:, k], difference, rtol=0, atol=1e-6 * size)


@pytest.mark.parametrize("seed", SEEDS)
def test_closures_of_loops_are_contracted(seed):
    """Rows of loops of a scene, whose bodies may be carried by the same coordinate twice."""
    pair = coupled_tree(seed)
    ours, theirs, _ = pair.state(seed)
    frames = Transform.translation(0.1, 0.2, -0.1), Transform.translation(-0.3, 0.0, 0.2)
    n = pair.coupled.n_bodies
    closures = tuple(
        Closure(kind, 0.1, a, b, *frames) for kind in ROWS for a, b in ((0, n), (1, n), (n - 1, n))
    )
    found = run_plain(closure_rows, pair.coupled, ours[:2], closures=closures)
    expected = run_plain(closure_rows, pair.independent, theirs[:2], closures=closures)
    close(found[0], expected[0] @ pair.G)
    for a, b in zip(found[1:], expected[1:], strict=True):
        close(a, b)
