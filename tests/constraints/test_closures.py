"""Rows of the joints that close loops of a scene: their derivatives, and screws by whole turns."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.algorithms.constrained.closures import ROWS, Closure, closure_rows
from polhode.binding.calls import evaluate
from polhode.model.joints import FloatingBase, Prismatic, Revolute, Spherical
from polhode.spatial import Transform, rotation_x, rotation_y

STEP = 1e-5
"""Of central differences: their error is some ``STEP^2`` of third derivatives."""
FRAME_A = Transform(rotation_x(0.7), Transform.translation(0.2, -0.1, 0.3).r)
FRAME_B = Transform(rotation_y(-0.4), Transform.translation(-0.1, 0.2, 0.1).r)


def tree():
    """A floating body with a pendulum, and a ball on an arm beside it."""
    model = ph.Model("tree").add("base", joint=FloatingBase(), mass=1.0, inertia=(1.0, 1.0, 1.0))
    model = model.add("left", parent="base", frame=FRAME_B, joint=Revolute.y(), mass=1.0)
    model = model.add("arm", parent="base", frame=FRAME_A, joint=Prismatic.x(), mass=1.0)
    return model.add("right", parent="arm", frame=FRAME_A, joint=Spherical(), mass=1.0)


def rows(model, q, qd, *closures):
    return evaluate(closure_rows, model, (q, qd), closures=closures)


@pytest.mark.parametrize("kind", [kind for kind in ROWS if kind != "screw"])
@pytest.mark.parametrize("bodies", [("left", "right"), ("right", None)])
def test_rows_are_derivatives_of_their_errors(kind, bodies):
    """``errd = J qd`` is the rate of ``err``, and ``bias`` that of ``errd`` at ``qdd = 0``."""
    model, rng = tree(), np.random.default_rng(5)
    a, b = (0 if body is None else model.body(body).id for body in bodies)
    closure = Closure(kind, 0.0, a, b, FRAME_A, FRAME_B)
    q, qd = ph.random_configuration(model, rng), rng.normal(size=model.nv)
    J, _, errd, bias = rows(model, q, qd, closure)
    assert J @ qd == pytest.approx(errd, abs=1e-13)
    near = [ph.integrate(model, q, qd, dt) for dt in (STEP, -STEP)]
    (_, above, rate_above, _), (_, below, rate_below, _) = (
        rows(model, each, qd, closure) for each in near
    )
    assert (above - below) / (2.0 * STEP) == pytest.approx(errd, abs=1e-8)
    assert (rate_above - rate_below) / (2.0 * STEP) == pytest.approx(bias, abs=1e-8)


def test_a_screw_counts_turns():
    """The error of a screw is that of its travel, after any number of turns."""
    model = ph.Model("screw").add("slide", joint=Prismatic.z(), mass=1.0)
    model = model.add("nut", parent="slide", joint=Revolute.z(), mass=1.0)
    same = Transform.identity()
    screw = Closure("screw", 0.3, 0, model.body("nut").id, same, same)
    for angle in (0.5, 3.0, 4.0, -20.0):
        q, qd = np.array([0.3 * angle + 0.01, angle]), np.array([0.2, 1.0])
        J, err, errd, bias = rows(model, q, qd, screw)
        assert J[2] == pytest.approx([1.0, -0.3], abs=1e-15)
        assert err == pytest.approx([0.0, 0.0, 0.01, 0.0, 0.0], abs=1e-13)
        assert errd[2] == pytest.approx(0.2 - 0.3, abs=1e-15)
        assert bias == pytest.approx(np.zeros(5), abs=1e-14)


def test_no_joint_that_carries_both_bodies_moves_them_apart():
    """Columns of the floating base are zeros in a loop between bodies on it."""
    model, rng = tree(), np.random.default_rng(6)
    a, b = (model.body(name).id for name in ("left", "right"))
    closure = Closure("spherical", 0.0, a, b, FRAME_A, FRAME_B)
    J, *_ = rows(model, ph.random_configuration(model, rng), np.zeros(model.nv), closure)
    assert not J[:, model.joint("base").v].any() and J.any()
