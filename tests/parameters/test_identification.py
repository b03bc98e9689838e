"""Base parameters of machines where they are known, and identification with noise."""

from __future__ import annotations

import runpy
from importlib.resources import files

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError, ShapeError
from polhode.examples import path
from polhode.model import Model, Prismatic, Revolute, TranslationXYZ
from polhode.spatial import Transform
from random_trees import random_state, tree

LENGTH = 0.7
INERTIA = (0.02, 0.03, 0.04)


def planar_arm() -> Model:
    """Two links that turn about parallel horizontal axes."""
    frame = Transform.translation(LENGTH, 0.0, 0.0)
    upper = Model("2R").add(
        "upper", joint=Revolute.y(), mass=2.0, com=(0.3, 0, 0.1), inertia=INERTIA
    )
    return upper.append(
        "lower", joint=Revolute.y(), frame=frame, mass=1.0, com=(0.2, 0, 0.05), inertia=INERTIA
    )


@pytest.fixture(scope="module")
def arm() -> Model:
    return ph.load(str(files("polhode") / "examples" / "arm.urdf"))


def test_two_links_in_a_plane():
    """The six numbers of the textbook: the elbow's load counts as a point mass of the upper arm."""
    base = ph.identification.base_parameters(planar_arm())
    square = f"{LENGTH**2:.6g}"
    assert [base.describe(k) for k in range(base.rank)] == [
        f"mx(upper) + {LENGTH:g} m(lower)",
        "mz(upper)",
        f"Iyy(upper) + {square} m(lower)",
        "mx(lower)",
        "mz(lower)",
        "Iyy(lower)",
    ]
    assert base.alone == ("mz(upper)", "mx(lower)", "mz(lower)", "Iyy(lower)")
    assert len(base.without_effect) == 20 - 7
    assert "m(upper)" in base.without_effect and "m(lower)" not in base.without_effect
    assert str(base).startswith("6 of 20 inertial parameters can be told by motion:\n   1  mx(")


@pytest.mark.parametrize(
    ("model", "rank"),
    [
        (Model("slide").add("cart", joint=Prismatic.x(), mass=1.0), 1),
        (Model("dot").add("dot", joint=TranslationXYZ(), mass=1.0), 1),
        (tree(["spherical"]), 9),
        (tree(["floating"]), 10),
        (Model("nothing"), 0),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_known_numbers_of_parameters(model, rank):
    """A cart shows its mass, a ball joint all but it, a free body everything."""
    assert ph.identification.base_parameters(model).rank == rank


def test_six_axes(arm):
    """An arm with a vertical first axis and five revolute joints more has 36 (Gautier 1991)."""
    assert ph.identification.base_parameters(arm).rank == 36


@pytest.mark.parametrize("kinds", [["floating", "revolute", "universal"], ["planar", "screw"]])
def test_base_parameters_stand_for_all(kinds):
    """``Y pi = Y[:, columns] K pi`` at states that had no part in finding ``K``."""
    model = tree(kinds)
    base = ph.identification.base_parameters(model)
    q, qd, qdd, _ = random_state(model, 7, (5,))
    Y = ph.identification.inverse_dynamics_regressor(model, q, qd, qdd)
    np.testing.assert_allclose(Y[..., base.columns] @ base.combinations, Y, atol=1e-10)
    np.testing.assert_array_equal(base.combinations[:, base.columns], np.eye(base.rank))


def excited(model, seed, n_states=400):
    rng = np.random.default_rng(seed)
    q = ph.random_configuration(model, rng, n_states)
    qd, qdd = rng.standard_normal((2, n_states, model.nv))
    return rng, q, qd, qdd


def loaded(model, rng):
    """The machine with other masses than the model says."""
    mass = ph.identification.parameters_of(model, ["mass"])["mass"]
    return ph.identification.with_parameters(
        model, {"mass": mass * rng.uniform(0.7, 1.3, mass.shape)}
    )


def test_exact_forces_give_exact_parameters(arm):
    """Without noise the identified machine needs the measured forces, in any motion."""
    rng, q, qd, qdd = excited(arm, 1)
    true = loaded(arm, rng)
    result = ph.identification.identify(arm, q, qd, qdd, ph.inverse_dynamics(true, q, qd, qdd))
    expected = result.base.combinations @ ph.identification.inertial_parameters(true)
    np.testing.assert_allclose(result.values, expected, atol=1e-11)
    found = ph.identification.with_inertial_parameters(arm, result.parameters)
    _, q, qd, qdd = excited(arm, 2, 10)
    tau = ph.inverse_dynamics(true, q, qd, qdd)
    np.testing.assert_allclose(ph.inverse_dynamics(found, q, qd, qdd), tau, atol=1e-10)


def test_deviations_are_honest(arm):
    """Errors are as large as stated, and joints with less noise count for more."""
    rng, q, qd, qdd = excited(arm, 3)
    true, sigma = loaded(arm, rng), np.array([0.5, 0.2, 0.1, 0.05, 0.02, 0.01])
    tau = ph.inverse_dynamics(true, q, qd, qdd)
    tau = tau + sigma * rng.standard_normal(tau.shape)
    result = ph.identification.identify(arm, q, qd, qdd, tau)
    np.testing.assert_allclose(result.noise, sigma, rtol=0.15)  # four times 1 / sqrt(2 * 400)
    error = result.values - result.base.combinations @ ph.identification.inertial_parameters(true)
    spread = np.sqrt(np.mean((error / result.deviations) ** 2))
    assert 0.6 < spread < 1.4  # of 36 errors: three times 1 / sqrt(2 * 36) about 1
    lines = str(result).splitlines()
    assert len(lines) == 37 and lines[-1] == f"condition number {result.condition:.3g}"


def test_motion_that_excites_too_little(arm):
    """It is refused by default; what it does excite can be identified."""
    rng, q, qd, qdd = excited(arm, 4)
    q[:, 2:], qd[:, 2:], qdd[:, 2:] = 0.3, 0.0, 0.0
    true = loaded(arm, rng)
    tau = ph.inverse_dynamics(true, q, qd, qdd)
    with pytest.raises(ModelError, match=r"excites all 36 base parameters, got \d+ "):
        ph.identification.identify(arm, q, qd, qdd, tau)
    base = ph.identification.base_parameters(
        arm, ph.identification.inverse_dynamics_regressor(arm, q, qd, qdd)
    )
    assert 0 < base.rank < 36
    result = ph.identification.identify(arm, q, qd, qdd, tau, base=base)
    found = ph.identification.with_inertial_parameters(arm, result.parameters)
    np.testing.assert_allclose(ph.inverse_dynamics(found, q, qd, qdd), tau, atol=1e-9)


def test_sizes_are_checked(arm):
    """The wrong number of columns, or of forces, is named."""
    with pytest.raises(ShapeError, match="10 n_bodies = 60 on the last axis of regressor"):
        ph.identification.base_parameters(arm, np.zeros((3, 50)))
    for kind in (np.float32, np.float16):
        with pytest.raises(ph.ShapeError, match="expected regressor in float64, got float"):
            ph.identification.base_parameters(arm, np.zeros((3, 60), kind))
    with pytest.raises(ShapeError, match="nv = 6 on the last axis of tau, got 5"):
        ph.identification.identify(arm, np.zeros(6), np.zeros(6), np.zeros(6), np.zeros(5))


def test_the_example(capsys):
    """The shipped example ends with torques that are far nearer than the file's."""
    example = path("more/identification.py")
    runpy.run_path(str(example), run_name="__main__")
    before, after = capsys.readouterr().out.splitlines()[-2:]
    errors = [np.array(line.split()[-6:], dtype=float) for line in (before, after)]
    assert (errors[1][:5] < 0.1 * errors[0][:5]).all()
    assert errors[1][5] < 0.01  # of the last joint, which moves nothing but itself


JOINTS = ("armature", "damping", "friction")


def test_armature_damping_and_friction_are_recovered():
    """From clean data of a model that has none, as far as motion tells them from inertia."""
    model = tree(["revolute z", "revolute", "universal", "prismatic"], seed=3)
    rng = np.random.default_rng(0)
    values = {name: rng.uniform(0.1, 1.0, model.nv) for name in JOINTS}
    true = ph.identification.with_parameters(model, values)
    q, qd, qdd, _ = random_state(true, 1, (400,))
    tau = ph.inverse_dynamics(true, q, qd, qdd)
    tau = tau + values["damping"] * qd + values["friction"] * np.sign(qd)
    found = ph.identification.identify(model, q, qd, qdd, tau, joints=JOINTS)
    pi = ph.identification.inertial_parameters(true, joints=JOINTS)
    np.testing.assert_allclose(found.values, found.base.combinations @ pi, rtol=0, atol=1e-8)
    names = found.base.names
    first = names.index("armature(link0)")  # with Izz of its body, about the same axis
    alone = [k for k in range(10 * model.n_bodies, len(names)) if k != first]
    np.testing.assert_allclose(found.parameters[alone], pi[alone], rtol=0, atol=1e-8)
    assert {names[k] for k in alone} <= set(found.base.alone)
    assert "friction(link2[1])" in names


def test_known_armature_is_no_inertia():
    """Where it is not identified it is the model's own."""
    model = tree(["revolute z", "revolute"], seed=3)
    true = ph.identification.with_parameters(model, {"armature": [0.4, 0.7]})
    q, qd, qdd, _ = random_state(true, 1, (100,))
    tau = ph.inverse_dynamics(true, q, qd, qdd)
    found = ph.identification.identify(true, q, qd, qdd, tau)
    expected = found.base.combinations @ ph.identification.inertial_parameters(true)
    np.testing.assert_allclose(found.values, expected, rtol=0, atol=1e-8)
