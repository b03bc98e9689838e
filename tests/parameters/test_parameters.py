"""Parameters as inputs of programs: equal to models declared with the same numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import polhode as ph
from models import crane, wrist
from polhode import algorithms
from polhode.errors import ModelError, ShapeError
from polhode.model import Model, Revolute
from polhode.spatial import Transform
from random_trees import random_body, random_frame, random_state, tree

NAMES = ["mass", "com", "inertia", "frame", "gravity"]
KINDS = ["floating", "euler ZYX", "fixed", "universal", "helical", "spherical", "planar", "axes"]
PARENTS = [-1, 0, 1, 2, 1, 4, 0, 3]
ROUNDING = 1e-13  # of the largest entry; forward dynamics a hundred times that

MODEL = tree(KINDS, PARENTS)


def random_parameters(model: Model, seed: int) -> dict[str, np.ndarray]:
    """Solid boxes in the places of the bodies that have mass, frames and gravity of any kind."""
    rng, values = np.random.default_rng(seed), ph.identification.parameters_of(model)
    heads = {chain[0] for chain in model._lowered.chain.values()}
    for i in model.bodies:
        if i.name:
            body = random_body(rng)
            for name in ("mass", "com", "inertia"):
                values[name][i - 1] = body[name]
        if i in heads:
            X = random_frame(rng)
            values["frame"][i - 1, :3, :3] = X.E.T.rows()
            values["frame"][i - 1, :3, 3] = tuple(X.r)
    values["gravity"][:] = rng.uniform(-10, 10, 3)
    return values


def relative(a, b) -> float:
    return float(np.abs(np.asarray(a) - b).max() / np.abs(b).max())


CASES = {
    algorithms.rnea: ("q", "qd", "qdd"),
    algorithms.aba: ("q", "qd", "tau"),
    algorithms.crba: ("q",),
    algorithms.rnea_derivatives: ("q", "qd", "qdd"),
    algorithms.energy: ("q", "qd"),
    algorithms.center_of_mass_velocity: ("q", "qd"),
    algorithms.poses: ("q",),
}


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_a_thousand_robots_equal_their_models(function):
    """Every robot of a batch equals the model declared with its parameters."""
    robots = [random_parameters(MODEL, seed) for seed in range(4)]
    batch = [np.stack([robot[name] for robot in robots]) for name in NAMES]
    state = random_state(MODEL, 1, (3, 1))
    arguments = [getattr(state, name) for name in CASES[function]]
    got = ph.compile(function, MODEL, parameters=NAMES)(*arguments, *batch)
    got = got if isinstance(got, tuple) else (got,)
    tolerance = ROUNDING * (100 if function is algorithms.aba else 1)
    for k, robot in enumerate(robots):
        model = ph.identification.with_parameters(MODEL, robot)
        expected = ph.compile(function, model)(*(x[:, 0] for x in arguments))
        expected = expected if isinstance(expected, tuple) else (expected,)
        for x, y in zip(got, expected, strict=True):
            assert relative(x[:, k], y) < tolerance


@pytest.mark.parametrize("names", [["mass"], ["com"], ["inertia"], ["frame"], ["gravity"]])
def test_one_parameter_alone(names):
    """The others keep the model's values; nominal values give the model's own forces."""
    q, qd, qdd, _ = random_state(MODEL, 2, (3,))
    program = ph.compile(algorithms.rnea, MODEL, parameters=names)
    assert list(program.inputs) == ["q", "qd", "qdd", *names]
    nominal = ph.identification.parameters_of(MODEL, names)
    assert program.inputs[names[0]] == nominal[names[0]].shape
    own = program(q, qd, qdd, *nominal.values())
    assert relative(own, ph.inverse_dynamics(MODEL, q, qd, qdd)) < ROUNDING
    other = {name: random_parameters(MODEL, 5)[name] for name in names}
    expected = ph.inverse_dynamics(ph.identification.with_parameters(MODEL, other), q, qd, qdd)
    assert relative(program(q, qd, qdd, *other.values()), expected) < ROUNDING
    assert relative(own, expected) > 1e-3


def payload_force(model, q):
    """A user's function that reads bodies: the weight of the last one, and a mass."""
    last = model.bodies[-1]
    return last.mass * model.gravity.lin.z, model.mass


def test_functions_of_the_user_see_the_parameters():
    """``body.mass``, ``model.mass`` and ``model.gravity`` are the inputs, not the model's own."""
    model = crane()
    total, all_mass = ph.compile(payload_force, model, parameters=["gravity", "mass"])(
        [0.0, 0.0], [1.0, 2.0, 3.0], [[4.0, 5.0], [6.0, 8.0]]
    )
    np.testing.assert_array_equal(total, [15.0, 24.0])
    np.testing.assert_array_equal(all_mass, [9.0, 14.0])


def test_every_parameter_of_a_thousand_robots_in_one_call():
    """Masses, centres, inertias, frames and gravity with batch axes of their own."""
    model, n = tree(["revolute y", "spherical", "prismatic"], [-1, 0, 0]), 1000
    robots = [random_parameters(model, seed) for seed in range(20)]
    chosen = np.random.default_rng(1).integers(0, len(robots), n)
    batch = [np.stack([robots[k][name] for k in chosen]) for name in NAMES]
    q, qd, qdd, _ = random_state(model, 3)
    tau = ph.compile(algorithms.rnea, model, parameters=NAMES)(q, qd, qdd, *batch)
    assert tau.shape == (n, model.nv)
    expected = [
        ph.inverse_dynamics(ph.identification.with_parameters(model, robot), q, qd, qdd)
        for robot in robots
    ]
    assert relative(tau, np.stack([expected[k] for k in chosen])) < ROUNDING
    grid = ph.compile(algorithms.rnea, model, parameters=["mass", "gravity"])(
        q, qd, qdd, batch[0][:7, None], batch[4][:5]
    )
    assert grid.shape == (7, 5, model.nv)


def priced(model, q, qd, qdd, price):
    """A function with an input of its own, made of a public function."""
    tau = ph.inverse_dynamics(model, q, qd, qdd)
    return sum(p * t * t for p, t in zip(price, tau, strict=True))


def test_parameters_beside_inputs_of_the_users_own():
    """First the function's inputs, then the parameters, each with its axes."""
    model = wrist()
    q, qd, qdd, _ = random_state(model, 3, (4, 1))
    price = np.arange(1.0, model.nv + 1)
    shapes = {"price": model.nv}
    program = ph.compile(priced, model, parameters=["com"], shapes=shapes)
    assert list(program.inputs) == ["q", "qd", "qdd", "price", "com"]
    robots = [random_parameters(model, seed) for seed in range(3)]
    got = program(q, qd, qdd, price, np.stack([robot["com"] for robot in robots]))
    for k, robot in enumerate(robots):
        other = ph.identification.with_parameters(model, {"com": robot["com"]})
        expected = ph.compile(priced, other, shapes=shapes)(q[:, 0], qd[:, 0], qdd[:, 0], price)
        assert relative(got[:, k], expected) < ROUNDING
    again = pickle.loads(pickle.dumps(program))
    np.testing.assert_array_equal(again(q, qd, qdd, price, robots[0]["com"]), got[:, :1])


def test_derivatives_by_parameters():
    """By masses forces are linear; by positions along the tangent they are the model's own."""
    model = tree(["floating", "revolute y"])
    q, qd, qdd, _ = random_state(model, 2)
    program = ph.compile(algorithms.rnea, model, parameters=["mass", "gravity"])
    values = ph.identification.parameters_of(model, ["mass", "gravity"])
    by_mass = program.jacobian("mass")(q, qd, qdd, *values.values())
    heavier = values["mass"] * 1.5
    change = program(q, qd, qdd, heavier, values["gravity"]) - program(q, qd, qdd, *values.values())
    assert relative(by_mass @ (heavier - values["mass"]), change) < ROUNDING * 10
    by_gravity = program.jacobian("gravity")(q, qd, qdd, *values.values())
    weightless = program(q, qd, qdd, values["mass"], np.zeros(3))
    own = ph.inverse_dynamics(model, q, qd, qdd)
    assert relative(weightless + by_gravity @ values["gravity"], own) < ROUNDING
    along = program.jacobian("q", tangent=True)(q, qd, qdd, *values.values())
    assert relative(along, ph.inverse_dynamics_derivatives(model, q, qd, qdd)[0]) < 1e-11


def test_programs_with_parameters_pickle():
    """The program comes back with the same inputs and the same bits."""
    model = wrist()
    q, qd, qdd, _ = random_state(model, 0)
    program = ph.compile(algorithms.rnea, model, parameters=["com"])
    again = pickle.loads(pickle.dumps(program))
    values = ph.identification.parameters_of(model, ["com"]).values()
    assert again.inputs == program.inputs
    np.testing.assert_array_equal(again(q, qd, qdd, *values), program(q, qd, qdd, *values))


def test_links_fixed_to_a_body_keep_their_places():
    """An edited model has the same names and frames; its bodies have exactly what was given."""
    values = random_parameters(MODEL, 3)
    model = ph.identification.with_parameters(MODEL, values)
    assert [link.name for link in model.links] == [link.name for link in MODEL.links]
    for name, array in ph.identification.parameters_of(model).items():
        np.testing.assert_allclose(array, values[name], rtol=0, atol=4e-15)
    same = ph.identification.with_parameters(MODEL, {"mass": values["mass"]})
    q = random_state(MODEL, 0).q
    position = ph.point_position(MODEL, q, "link2", (0.1, 0.2, 0.3))
    np.testing.assert_array_equal(ph.point_position(same, q, "link2", (0.1, 0.2, 0.3)), position)
    assert ph.identification.with_parameters(MODEL, {}) == MODEL


def test_what_cannot_be_says_why():
    """Names, shapes, numbers and frames are checked."""
    arm = Model("arm").add("link", joint=Revolute.y(), mass=1.0)
    with pytest.raises(ModelError, match="got 'masses'; did you mean 'mass'"):
        ph.compile(algorithms.rnea, arm, parameters=["masses"])
    with pytest.raises(ModelError, match="each parameter once, got 'com' again"):
        ph.identification.parameters_of(arm, ["com", "com"])
    with pytest.raises(ShapeError, match=r"expected shape \(1, 3\) of com, got \(3,\)"):
        ph.identification.with_parameters(arm, {"com": [0.0, 0.0, 0.0]})
    with pytest.raises(ModelError, match="a mass of at least 0 for link 'link'"):
        ph.identification.with_parameters(arm, {"mass": [-1.0]})
    with pytest.raises(ModelError, match="expected finite numbers as gravity"):
        ph.identification.with_parameters(arm, {"gravity": [0.0, np.nan, 0.0]})
    pose = np.diag([1.0, 1.0, -1.0, 1.0])[None]
    with pytest.raises(ModelError, match=r"a rotation and an origin.* as the frame of body 1"):
        ph.identification.with_parameters(arm, {"frame": pose})
    with pytest.raises(ModelError, match="a symmetric matrix as the inertia of body 1"):
        ph.identification.with_parameters(arm, {"inertia": np.tri(3)[None]})


def test_a_frame_is_a_pose():
    """The frame's columns are its axes and its origin, in the parent's coordinates."""
    X = Transform.translation(1.0, 2.0, 3.0)
    arm = Model("arm").add("link", joint=Revolute.z(), frame=X, mass=1.0)
    pose = ph.identification.parameters_of(arm, ["frame"])["frame"][0]
    np.testing.assert_array_equal(pose, ph.body_poses(arm, [0.0])[0])
