"""Joints whose axes follow functions of their coordinates."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import polhode as ph
from polhode.errors import ModelError
from polhode.model import FunctionAxis, FunctionBased, Model, PiecewisePolynomial, Revolute
from polhode.recording.model_json import model_from_json, model_to_json
from random_trees import random_axis, random_body, random_frame

KNOTS = (-2.0, -1.1, 0.0, 0.4, 1.5, 2.2)
VALUES = (0.3, -0.2, 0.5, 0.1, 0.0, 0.4)
EPS = 1e-6


def curve(rng) -> PiecewisePolynomial:
    return PiecewisePolynomial.cubic_spline(KNOTS, rng.uniform(-0.5, 0.5, len(KNOTS)).tolist())


def knee(rng) -> FunctionBased:
    """Two slides and two turns, of two coordinates that mix."""
    line = PiecewisePolynomial(((0.1, 0.8, 0.2),))
    turn, slide = (lambda: (*random_axis(rng), 0, 0, 0)), (lambda: (0, 0, 0, *random_axis(rng)))
    return FunctionBased(
        (
            FunctionAxis(slide(), curve(rng), 0),
            FunctionAxis(slide(), line, 1),
            FunctionAxis(turn(), line, 0),
            FunctionAxis(turn(), curve(rng), 1),
        ),
        ("bend", "twist"),
    )


def leg(seed: int = 0) -> Model:
    """A knee between two links on pins."""
    rng = np.random.default_rng(seed)
    model = Model("leg")
    for k, joint in enumerate((Revolute.z(), knee(rng), Revolute.x())):
        parent = f"link{k - 1}" if k else None
        model = model.add(
            f"link{k}", parent=parent, joint=joint, frame=random_frame(rng), **random_body(rng)
        )
    return model


def state(model: Model, seed: int = 1) -> tuple[np.ndarray, ...]:
    return tuple(np.random.default_rng(seed).normal(size=(3, 20, model.nv)))


def test_a_cubic_spline_passes_its_points_and_is_smooth():
    """Against SciPy's with the same conditions at the ends; straight beyond them."""
    spline = PiecewisePolynomial.cubic_spline(KNOTS, VALUES)
    ends = [
        6.0 * np.polyfit(KNOTS[part], VALUES[part], 3)[0] for part in (slice(4), slice(-4, None))
    ]
    other = make_interp_spline(KNOTS, VALUES, 3, bc_type=([(3, ends[0])], [(3, ends[1])]))
    x = np.linspace(-2.0, 2.2, 99)[:-1]  # at a knot the later piece holds
    at = spline.derivatives(x)
    for order, ours in enumerate(at):
        assert np.allclose(ours, other(x, order), rtol=0, atol=1e-12)
    assert np.allclose(spline(np.array([-3.0, 4.2])), [
        0.3 - other(-2.0, 1), 0.4 + 2.0 * other(2.2, 1)], rtol=0, atol=1e-12)  # fmt: skip
    assert spline.derivatives(-3.0).second == spline.derivatives(3.0).second == 0.0


@pytest.mark.parametrize("count", [2, 3, 4])
def test_few_points_make_a_polynomial(count):
    """A line, a parabola and a cubic."""
    xs, ys = KNOTS[:count], VALUES[:count]
    expected = np.polyval(np.polyfit(xs, ys, count - 1), np.linspace(xs[0], xs[-1], 9))
    ours = PiecewisePolynomial.cubic_spline(xs, ys)(np.linspace(xs[0], xs[-1], 9))
    assert np.allclose(ours, expected, rtol=0, atol=1e-13)


def test_straight_lines_between_points():
    """And beyond them."""
    lines = PiecewisePolynomial.lines(KNOTS, VALUES)
    x = np.linspace(-2.0, 2.2, 99)
    assert np.allclose(lines(x), np.interp(x, KNOTS, VALUES), rtol=0, atol=1e-14)
    assert lines(3.2) == pytest.approx(0.4 + 0.4 / 0.7)
    assert lines.scaled(2.0)(3.2) == pytest.approx(2.0 * lines(3.2))


def test_velocity_and_bias_are_derivatives_of_the_pose():
    """Of the motion ``q(t) = q + t qd``, by differences."""
    model = leg()
    q, qd, _ = state(model)
    point = (0.1, -0.2, 0.3)
    before, after = (ph.point_position(model, q + t * qd, "link2", point) for t in (-EPS, EPS))
    v = ph.point_velocity(model, q, qd, "link2", point)
    assert np.allclose(v, (after - before) / (2 * EPS), rtol=0, atol=1e-8)
    a = ph.point_acceleration(model, q, qd, np.zeros_like(qd), "link2", point)
    va, vb = (ph.point_velocity(model, q + t * qd, qd, "link2", point) for t in (EPS, -EPS))
    assert np.allclose(a, (va - vb) / (2 * EPS), rtol=0, atol=1e-7)


def test_forward_and_inverse_dynamics_agree():
    """By both methods, and the mass matrix is that of the kinetic energy."""
    model = leg()
    q, qd, qdd = state(model)
    tau = ph.inverse_dynamics(model, q, qd, qdd)
    for method in ("aba", "crba"):
        assert np.allclose(ph.forward_dynamics(model, q, qd, tau, method=method), qdd, rtol=1e-9)
    H = ph.mass_matrix(model, q)
    kinetic = 0.5 * np.einsum("bi,bij,bj->b", qd, H, qd)
    assert np.allclose(ph.energy(model, q, qd).kinetic, kinetic, rtol=1e-12)


def test_derivatives_of_dynamics():
    """Those of the program, for there are no formulas; by differences."""
    model = leg()
    q, qd, qdd = (x[0] for x in state(model))
    d_q, d_qd, d_qdd = ph.inverse_dynamics_derivatives(model, q, qd, qdd)
    for k in range(model.nv):
        step = np.eye(model.nv)[k] * EPS
        for d, shift in ((d_q, (step, 0, 0)), (d_qd, (0, step, 0)), (d_qdd, (0, 0, step))):
            a, b = (
                ph.inverse_dynamics(
                    model, *(x + s * y for x, y in zip((q, qd, qdd), shift, strict=True))
                )
                for s in (1, -1)
            )
            assert np.allclose(d[:, k], (a - b) / (2 * EPS), rtol=0, atol=1e-6)


def test_energy_is_kept_in_simulation():
    """Of a fall with all its couplings."""
    model = leg()
    run = ph.simulate(
        model, 0.5, q0=state(model)[0][0], integrator="DOP853", rtol=1e-10, atol=1e-10
    )
    energies = [ph.energy(model, q, qd).total for q, qd in zip(run.q, run.qd, strict=True)]
    assert np.ptp(energies) < 1e-6 * max(map(abs, energies))


def test_a_function_based_joint_of_lines_is_a_series_of_axes():
    """The same numbers as joints of one axis each."""
    identity = PiecewisePolynomial(((0.0, 1.0),))
    rows = ((0, 0, 0, 1, 0, 0), (0, 0, 1, 0, 0, 0))
    joint = FunctionBased(
        tuple(FunctionAxis(r, identity, k) for k, r in enumerate(rows)), ("a", "b")
    )
    body = random_body(np.random.default_rng(3))
    ours = Model("one").add("link", joint=joint, **body)
    theirs = Model("two").add("link", joint=ph.model.Axes(rows), **body)
    q, qd, qdd = state(ours)
    assert np.allclose(
        ph.inverse_dynamics(ours, q, qd, qdd), ph.inverse_dynamics(theirs, q, qd, qdd), rtol=1e-12
    )


def test_a_model_with_one_is_a_value(tmp_path):
    """It pickles, compares and is data; what cannot hold it says so."""
    model = leg()
    assert pickle.loads(pickle.dumps(model)) == model == leg() != leg(1)
    assert model.joint("link1").kind.dof_names == ("bend", "twist")
    assert model_from_json(model_to_json(model)) == model
    for kind in ("urdf", "lua", "mjcf"):
        with pytest.raises(ModelError, match="function-based"):
            ph.save(model, tmp_path / f"none.{kind}")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PiecewisePolynomial(((1.0,),), (0.0,)), "one piece more than knots"),
        (lambda: PiecewisePolynomial(((1.0,),) * 3, (0.0, 0.0)), "knots that rise"),
        (lambda: PiecewisePolynomial(((),)), "at least one coefficient"),
        (lambda: PiecewisePolynomial(((float("nan"),),)), "finite"),
        (lambda: PiecewisePolynomial.lines((0.0, 0.0), (1.0, 2.0)), "x that rises"),
        (lambda: PiecewisePolynomial.cubic_spline((0, 1e-300, 1), (0, 1e300, 0)), "finite"),
        (lambda: PiecewisePolynomial.cubic_spline((0.0,), (1.0,)), "as many x as y"),
        (lambda: FunctionAxis((0, 0, 0, 0, 0, 0), PiecewisePolynomial(((1.0,),))), "not all zero"),
        (lambda: FunctionAxis((1, 0, 0, 0, 0, 0), abs), "PiecewisePolynomial"),
        (lambda: FunctionAxis((1, 0, 0, 0, 0, 0), PiecewisePolynomial(((1.0,),)), 0.5), "whole"),
        (lambda: FunctionBased(knee(np.random.default_rng(0)).axes, ("a",)), "follow each"),
        (lambda: FunctionBased((), ("a",)), "follow each"),
        (lambda: FunctionBased((), ()), "one to six names"),
    ],
)
def test_mistakes(make, words):
    """Each ends in an error that says what was expected."""
    with pytest.raises(ModelError, match=words):
        make()
