"""Hybrid dynamics with every mask, explicit constraints, and models as values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import polhode as ph
from polhode import spatial_v2 as sv
from polhode.errors import ModelError, ModelWarning, ParseError, ShapeError
from polhode.model import Model, Revolute
from polhode.scalar import cos, sin
from polhode.spatial_v2.convert import core_model

TOLERANCE = 1e-9
RNG = np.random.default_rng(3)


@pytest.mark.parametrize("mask", list(itertools.product([0, 1], repeat=4)))
def test_hybrid_dynamics_with_every_mask(mask):
    """Given entries are copied exactly, the others are never read, and ID confirms the rest."""
    model, given = sv.autoTree(4, 2, 0.8), np.array(mask, bool)
    q, qd, qdd, tau = np.random.default_rng(1).standard_normal((4, 4))
    a, f = sv.HD(model, mask, q, qd, np.where(given, np.nan, qdd), np.where(given, tau, np.nan))
    assert np.array_equal(a[~given], qdd[~given])
    assert np.array_equal(f[given], tau[given])
    scale = TOLERANCE * (1 + np.abs(a).max() + np.abs(f).max())
    np.testing.assert_allclose(sv.ID(model, q, qd, a), f, rtol=0, atol=scale)
    np.testing.assert_allclose(sv.FDab(model, q, qd, f), a, rtol=0, atol=10 * scale)


def slider_crank() -> Model:
    """Two rods in a plane; the tip of the second stays on the x axis."""
    model = Model("crank", gravity=(0.0, -9.81, 0.0))
    rod = {"mass": 1.0, "com": (0.5, 0.0, 0.0), "inertia": (0.0, 0.1, 0.1)}
    model = model.add("crank", joint=Revolute.z(), **rod)
    frame = ph.spatial.Transform.translation(1.0, 0.0, 0.0)
    return model.append("rod", joint=Revolute.z(), frame=frame, **rod)


def on_axis(q, qd):
    """``sin q1 + 2 sin(q1 + q2) = 0``: a rod twice as long, by the first angle."""
    sine = sin(q[0]) * -0.5
    other = ph.scalar.asin(sine)
    slope = cos(q[0]) * -0.5 / cos(other)  # of the rod's angle over the crank's
    bend = (sin(q[0]) * 0.5 + slope * slope * sine) / cos(other)
    qd_on = [qd[0], (slope - 1.0) * qd[0]]
    return [q[0], other - q[0]], qd_on, [[1.0], [slope - 1.0]], [0.0, bend * qd[0] * qd[0]]


def test_explicit_constraint_by_newton():
    """The accelerations obey the constraint, and its forces do no work along it."""
    model, qd, tau = slider_crank(), np.array([1.3, 0.0]), np.array([0.4, -0.2])
    state = ph.constraints.explicit_state(model, on_axis, [0.7, 0.0], qd)
    qdd = ph.constraints.explicit_dynamics(model, on_axis, state.q, state.qd, tau)
    force = ph.inverse_dynamics(model, state.q, state.qd, qdd) - tau
    assert abs(state.G[:, 0] @ force) < TOLERANCE
    h = 1e-5
    ahead, behind = (
        ph.constraints.explicit_state(
            model, on_axis, state.q + s * h * state.qd, state.qd + s * h * qdd
        )
        for s in (1, -1)
    )
    np.testing.assert_allclose((ahead.qd - behind.qd) / (2 * h), qdd, rtol=0, atol=1e-6)


def test_plain_functions_are_called_with_floats():
    """A function that cannot be traced gives what its traced twin gives, batches included."""
    model = slider_crank()

    def plain(q, qd):
        assert all(isinstance(float(x), float) for x in q) and (q[0] > -9.0 or True)
        return on_axis([float(x) for x in q], [float(x) for x in qd])

    q, qd, tau = (RNG.standard_normal((2, 3, 2)) for _ in range(3))
    f_ext = RNG.standard_normal((2, 6))
    for extra in ((), (f_ext,)):
        traced = ph.constraints.explicit_dynamics(model, on_axis, q, qd, tau, *extra)
        called = ph.constraints.explicit_dynamics(model, plain, q, qd, tau, *extra)
        np.testing.assert_allclose(called, traced, rtol=0, atol=TOLERANCE * np.abs(traced).max())


def test_wrong_constraint_functions_are_named():
    """A result of another shape says which of the four it was."""
    model = slider_crank()
    with pytest.raises(ShapeError, match=r"expected G of shape \(2, 0\) from gamma"):
        ph.constraints.explicit_state(model, lambda q, qd: (q, qd, [1.0, 1.0], q), [0, 0], [0, 0])
    with pytest.raises(ShapeError, match="nq = 2"):
        ph.constraints.explicit_dynamics(model, on_axis, [0.0], [0, 0], [0, 0])
    for G, g, words in (
        ([[1.0], [1.0]], [0.0], r"expected g of shape \(2,\) from gamma, got \(1,\)"),
        (np.ones((2, 3)).tolist(), [0.0, 0.0], "at most nv = 2 columns in G from gamma, got 3"),
    ):
        for function in (ph.constraints.explicit_state, ph.constraints.explicit_dynamics):
            tau = [[0.0, 0.0]] if function is ph.constraints.explicit_dynamics else []
            with pytest.raises(ShapeError, match=words):
                function(model, lambda q, qd, G=G, g=g: (q, qd, G, g), [0.0] * 2, [0.0] * 2, *tau)


def test_stabilisation_draws_to_the_constraint():
    """The geared elbow closes an initial error with its time constant of 0.1 s."""
    model, x, h = sv.doubleElbow(), np.array([0.1, 0.2, 0.25, 0.0, 0.0, 0.0]), 0.005
    for _ in range(200):
        qdd = sv.FDgq(model, x[:3], x[3:], np.zeros(3))
        x[3:] += h * qdd
        x[:3] += h * x[3:]
    assert abs(x[2] - x[1]) < 1e-4


@pytest.mark.parametrize(
    "make",
    [sv.doubleElbow, sv.gfxExample, lambda: sv.rollingdisc(8), lambda: sv.vee(0.7),
     lambda: sv.planar(1), lambda: sv.floatbase(sv.autoTree(5, 1.5, 0.3))],
)  # fmt: skip
def test_matlab_files(tmp_path, make):
    """A model written to a MATLAB file and read again is the same, but for its gamma_q."""
    model = make()
    if "gamma_q" in model:
        with pytest.warns(ModelWarning, match="gamma_q"):
            model.save(tmp_path / "robot")
        del model.__dict__["gamma_q"]
    else:
        model.save(tmp_path / "robot")
    again = sv.SystemModel.load(tmp_path / "robot.mat")
    assert set(again.fields()) == set(model.fields())
    assert again.parent == model.parent
    assert list(again.jtype) == list(model.jtype)
    assert np.array_equal(again.I, model.I)
    assert repr(_floats(again.appearance)) == repr(_floats(model.appearance))
    q = 0.1 * np.arange(model.NB)
    assert np.array_equal(sv.HandC(again, q, q)[0], sv.HandC(model, q, q)[0])


def _floats(value):
    """Drawing lists with numbers as arrays of floats, however they are nested."""
    if isinstance(value, dict):
        return {key: _floats(x) for key, x in sorted(value.items())}
    if isinstance(value, str):
        return value
    try:
        return np.asarray(list(value), float).squeeze().tolist()
    except TypeError:
        return float(value)
    except ValueError:
        return [_floats(x) for x in list(value)]


def test_helical_joints_survive_matlab_files(tmp_path):
    """A joint code with a parameter is a struct in the file too."""
    helical = {"code": "H", "pars": {"pitch": 0.25}}
    model = sv.SystemModel(parent=[0], jtype=[helical], Xtree=[np.eye(6)], I=[np.eye(6)])
    model.save(tmp_path / "screw.mat")
    again = sv.SystemModel.load(tmp_path / "screw.mat")
    assert sv.FDab(again, [0.0], [0.0], [1.0]) == sv.FDab(model, 0.0, 0.0, 1.0)


def test_files_that_are_no_models(tmp_path):
    """A file of another kind is named."""
    (tmp_path / "text.mat").write_text("not a MATLAB file, but long enough to look at" * 9)
    with pytest.raises(ParseError, match=r"text\.mat"):
        sv.SystemModel.load(tmp_path / "text.mat")


def test_bodies_are_numbered_from_one():
    """Fields answer to the numbers of the book."""
    model = sv.autoTree(3)
    assert [model.parent[i] for i in (1, 2, 3)] == [0, 1, 2]
    with pytest.raises(IndexError, match="from 1 to 3, got 0"):
        model.jtype[0]
    model.I[2] = 2 * model.I[2]
    assert sv.EnerMo(model, np.zeros(3), np.zeros(3)).mass == 4.0


def test_edited_models_are_converted_again():
    """A changed field changes the dynamics; an equal model shares the machine."""
    model, twin = sv.planar(2), sv.planar(2)
    assert core_model(model) is core_model(twin)
    model.gravity = [0.0, -9.81]
    assert core_model(model) is not core_model(twin)
    assert sv.ID(model, [0, 0], [0, 0], [0, 0])[1] == pytest.approx(0.5 * 9.81)


def test_models_that_cannot_be():
    """Fields that do not fit together are named."""
    orphan, mixed = sv.autoTree(2), sv.planar(2)
    orphan.parent[2], mixed.jtype[2] = 2, "R"
    with pytest.raises(ModelError, match="parent below 2 of body 2"):
        sv.ID(orphan, [0, 0], [0, 0], [0, 0])
    with pytest.raises(ModelError, match="in a planar model"):
        sv.ID(mixed, [0, 0], [0, 0], [0, 0])
    with pytest.raises(ModelError, match="no field 'gamma_q'"):
        sv.planar(2).gamma_q  # noqa: B018
    with pytest.raises(ShapeError, match="NB = 2 entries in f_ext"):
        sv.ID(sv.planar(2), [0, 0], [0, 0], [0, 0], [[]])
