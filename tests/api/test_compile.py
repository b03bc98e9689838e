"""Programs of the user's own functions, and the short way in for one state."""

import pickle

import numpy as np
import pytest

import polhode as ph
from models import crane, wrist
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.errors import ArgumentError, ModelError, TraceError
from polhode.model import Custom, Model, Revolute
from polhode.scalar import sin, where
from polhode.spatial import Transform
from random_trees import random_state, tree


def kinetic_plus_spring(model, q, qd):
    """A function of the user's: two outputs."""
    kinetic, _ = algorithms.energy(model, q, qd)
    spring = sum(where(x > 0.0, x * x, sin(x)) for i in model.bodies for x in q[i])
    return kinetic, spring


def test_a_function_of_the_user_compiles():
    """It is traced, batches, and equals what NumPy makes of it."""
    model = tree(["revolute y", "prismatic", "screw"])
    q, qd, *_ = random_state(model, 0, (4, 3))
    kinetic, spring = ph.compile(kinetic_plus_spring, model)(q, qd)
    np.testing.assert_array_equal(kinetic, ph.energy(model, q, qd).kinetic)
    np.testing.assert_allclose(spring, np.where(q > 0, q * q, np.sin(q)).sum(-1), rtol=1e-14)


def test_programs_pickle():
    """A program pickles as function and model, and computes the same bits again."""
    model = wrist()
    q, qd, qdd, _ = random_state(model, 0, (3,))
    program = ph.compile(algorithms.rnea, model)
    again = pickle.loads(pickle.dumps(program))
    np.testing.assert_array_equal(again(q, qd, qdd), program(q, qd, qdd))
    assert again.ops == program.ops > 0


def branching(model, q):
    return 1.0 if q[1][0] > 0 else 2.0


def of_unknown_meaning(model, q, temperature):
    return q[1][0] * temperature


def test_what_cannot_be_traced_says_why():
    """A branch on a traced value, an unknown parameter, and no model at all are named."""
    model = tree(["revolute y"])
    with pytest.raises(TraceError, match="where"):
        ph.compile(branching, model)([0.1])
    with pytest.raises(TraceError, match="'temperature' of of_unknown_meaning"):
        ph.compile(of_unknown_meaning, model)
    with pytest.raises(ModelError, match="expected a Model first, got str"):
        ph.mass_matrix("arm.urdf", [0.0])


def test_custom_joints_are_compiled_by_what_they_compute():
    """Two custom joints of one name never share a program."""
    inertia = ((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))
    models = [
        Model("m").add("a", joint=Custom(1, kind.jcalc), mass=1.0, com=(0, 0.5, 0), inertia=inertia)
        for kind in (Revolute.x(), Revolute.y())
    ]
    forces = [ph.gravity_forces(model, [0.3])[0] for model in models]
    expected = [
        ph.gravity_forces(Model("m").add("a", joint=kind, mass=1.0, com=(0, 0.5, 0)), [0.3])[0]
        for kind in (Revolute.x(), Revolute.y())
    ]
    np.testing.assert_array_equal(forces, expected)
    assert forces[0] != forces[1]


def test_custom_rows_are_compiled_by_what_they_compute():
    """Two sets of custom rows that look alike never share a program."""
    model = Model("m").add("a", joint=Revolute.z(), mass=1.0, inertia=(1.0, 1.0, 1.0))

    def accelerations(wanted):
        rows = ph.constraints.ConstraintSet(model)
        rows = rows.custom(1, lambda model, q, qd: ([[1.0]], [wanted], [0.0]))
        static = {"constraints": rows.constraints}
        return ph.compile(algorithms.constrained_range_space, model, **static)([0.0], [0.0], [0.0])

    assert [accelerations(wanted)[0].tolist() for wanted in (1.0, 2.0)] == [[1.0], [2.0]]


def test_equal_models_with_other_names_agree():
    """Compiled code is found by what a model is; names and labels do not matter."""
    one = crane()
    two = one.rename({"link0": "thigh"})
    q = random_state(one).q
    np.testing.assert_array_equal(ph.mass_matrix(one, q), ph.mass_matrix(two, q))


def test_deep_machines_get_their_matrices_column_by_column():
    """A long chain's mass matrix and inverse, made without a program of their own."""
    model = Model("chain")
    for k in range(70):
        model = model.append(
            f"link{k}", joint=Revolute.y() if k % 2 else Revolute.x(), mass=1.0,
            frame=Transform.translation(0.0, 0.0, 0.1), inertia=(0.01, 0.01, 0.001),
        )  # fmt: skip
    q = random_state(model, 0, (2,)).q
    H, inverse = ph.mass_matrix(model, q), ph.inverse_mass_matrix(model, q)
    plain = np.array([run_plain(algorithms.crba, model, [x]) for x in q])
    np.testing.assert_allclose(H, plain, rtol=0, atol=1e-13 * np.abs(plain).max())
    np.testing.assert_array_equal(H, np.swapaxes(H, -1, -2))
    identity = np.broadcast_to(np.eye(model.nv), H.shape)
    np.testing.assert_allclose(H @ inverse, identity, atol=1e-12 * np.linalg.cond(H).max())
    out = np.empty_like(H)
    assert ph.mass_matrix(model, q, out=out) is out


def test_parameters_with_defaults_become_inputs_where_asked_for():
    """External forces are such a parameter; a name of none is refused."""
    model, q = tree(["revolute", "prismatic"], seed=4), np.full(2, 0.3)
    forces = np.arange(12.0).reshape(2, 6)
    program = ph.compile(algorithms.rnea, model, optional="f_ext")
    assert list(program.inputs) == ["q", "qd", "qdd", "f_ext"]
    expected = ph.inverse_dynamics(model, q, q, q, forces)
    np.testing.assert_allclose(program(q, q, q, forces), expected, rtol=0, atol=1e-12)
    with pytest.raises(ArgumentError, match="got 'f_exr'; did you mean 'f_ext'"):
        ph.compile(algorithms.rnea, model, optional=["f_exr"])
