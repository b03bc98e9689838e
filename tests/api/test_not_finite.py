"""One state of a batch that is not finite: the others have the bits they have without it."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import polhode as ph
from constraints.machines import random_set
from modes.op_programs import public_functions
from modes.test_driven_modes import MODEL as DRIVEN
from random_trees import random_state, tree

MODEL = tree(["floating", "revolute y", "spherical"], seed=3)
BODY = MODEL.n_bodies
ROWS = random_set(MODEL, 2)
SIZE, SPOILED = 5, 1
OTHERS = [k for k in range(SIZE) if k != SPOILED]
POINTS = [(BODY, (0.1, 0.0, 0.0)), (BODY, (0.0, 0.1, 0.0))]

WITHOUT_BATCH = {
    "base_parameters", "compile", "compliant_ground", "constraint_report", "explicit_state",
    "identify", "inertial_parameters", "neutral", "parameters_of", "program_of",
    "random_configuration", "run_plain", "with_inertial_parameters", "with_parameters",
}  # fmt: skip
"""Public functions that take no batch of states."""

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "forward_dynamics": [{"method": "crba"}],
    "constrained_dynamics": [{"method": m} for m in ("kokkevis", "direct", "null_space")],
    "constraint_impulses": [{"method": m} for m in ("kokkevis", "direct", "null_space")],
    "constrained_inverse_dynamics": [{"relaxed": True}],
    "constraint_forces": [{"in_base_axes": True}],
    "inverse_kinematics": [{"limits": True}, {"method": "damped"}],
    "rollout": [{"integrator": "semi_implicit"}],
}


ACTUATION = {"activation_rates", "actuator_forces", "actuator_values", "next_activation"}


def geared(q, qd):
    """All joints follow the first one; NumPy keeps it out of a program."""
    n = len(qd)
    G = [[0.5**k] for k in range(n)]
    follow = [q[0] * g for (g,) in G] + [1.0] * (len(q) - n)
    return np.array(follow), np.array([qd[0] * g for (g,) in G]), np.array(G), np.zeros(n)


def arrays(name: str) -> dict[str, np.ndarray]:
    """A batch for every parameter's name that stands for one."""
    rng = np.random.default_rng(7)
    if name in ACTUATION:
        q = ph.random_configuration(DRIVEN, rng, size=SIZE)
        sizes = {"qd": DRIVEN.nv, "controls": DRIVEN.n_controls,
                 "activation": DRIVEN.n_activations}  # fmt: skip
        return {"q": q} | {k: rng.uniform(0.1, 0.9, (SIZE, n)) for k, n in sizes.items()}
    q, qd, _, tau = random_state(MODEL, 3, (SIZE,))
    n, m = MODEL.nv, ROWS.n_rows
    values = {
        "q": q, "q0": q, "q1": np.roll(q, 1, axis=0), "qd": qd, "qdd": -qd, "tau": tau, "v": qd,
        "f_ext": rng.standard_normal((SIZE, BODY, 6)), "x": rng.standard_normal((SIZE, 13)),
        "point": rng.standard_normal((SIZE, 3)), "normal": rng.standard_normal((SIZE, 3)),
        "v_plus": rng.standard_normal((SIZE, m)), "force": rng.standard_normal((SIZE, m)),
        "quaternion": rng.standard_normal((SIZE, 4)), "dt": rng.uniform(0.1, 0.2, SIZE),
        "position": rng.standard_normal((SIZE, 2, 3)),
        "velocity": rng.standard_normal((SIZE, 2, 3)),
        "yielded": rng.standard_normal((SIZE, 2, 2)), "controls": rng.standard_normal((SIZE, 2, n)),
        "H": np.stack([np.eye(4) * (k + 1) for k in range(SIZE)]),
        "f": rng.standard_normal((SIZE, 4)), "G": rng.standard_normal((SIZE, 2, 4)),
        "b": rng.standard_normal((SIZE, 2)),
    }  # fmt: skip
    if name.startswith("floating_base"):
        values |= {"q": q[:, 6:-1], **{k: values[k][:, 6:] for k in ("qd", "qdd", "tau")}}
    if name == "rollout":
        del values["tau"]
        values["dt"] = np.array(0.01)
    return values


def constants(name: str) -> dict[str, Any]:
    positions = np.random.default_rng(1).standard_normal((SIZE, 3))
    return {
        "model": DRIVEN if name in ACTUATION else MODEL, "dt": 0.01, "constraints": ROWS,
        "body": BODY, "points": POINTS, "gamma": geared,
        "targets": ph.kinematics.Targets(MODEL).point(BODY, (0.0, 0.0, 0.1), positions),
        "forward": [k % 2 == 0 for k in range(MODEL.nv)],
        "actuated": [k >= 6 for k in range(MODEL.nv)], "ground": None, "steps": 2,
        "stiffness": 1e4, "damping": 100.0, "friction": 0.5,
    }  # fmt: skip


def cases():
    functions = public_functions() | {"inverse_kinematics": ph.inverse_kinematics}
    for name, function in sorted(functions.items()):
        if name not in WITHOUT_BATCH:
            for variant in ({}, *VARIANTS.get(name, ())):
                label = " ".join([name, *map(str, variant.values())])
                yield pytest.param(name, function, variant, id=label)


def flat(result: Any) -> list[np.ndarray]:
    """Every array of a result that has the axis of the batch."""
    if isinstance(result, (tuple, list)):
        return [array for each in result for array in flat(each)]
    if is_dataclass(result):
        return flat([getattr(result, field.name) for field in fields(result)])
    return [result] if isinstance(result, np.ndarray) and SIZE in result.shape else []


def of_others(array: np.ndarray) -> np.ndarray:
    axis = array.shape.index(SIZE)
    return np.take(array, OTHERS, axis=axis)


@pytest.mark.parametrize(("name", "function", "variant"), list(cases()))
def test_the_other_states_keep_their_bits(name, function, variant):
    """NaN and infinity in any argument of one state: no error, and no trace in the others."""
    values, parameters = arrays(name), inspect.signature(function).parameters
    fixed = constants(name)
    given = {k: values.get(k, fixed.get(k)) for k in parameters if k in values or k in fixed}
    given |= variant
    batched = [k for k in given if k in values and np.shape(values[k])[:1] == (SIZE,)]
    assert batched
    clean = flat(function(**given))
    assert clean
    for bad in (np.nan, np.inf, -np.inf):
        for k in batched:
            spoiled = np.array(given[k])
            spoiled[(SPOILED, *(0,) * (spoiled.ndim - 1))] = bad
            found = flat(function(**{**given, k: spoiled}))
            for a, b in zip(found, clean, strict=True):
                np.testing.assert_array_equal(of_others(a), of_others(b), err_msg=f"{bad} in {k}")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_targets_that_are_not_finite(bad):
    """One target of a batch is out of reach; the others are found as without it."""
    positions = ph.point_position(MODEL, random_state(MODEL, 5, (SIZE,))[0], BODY, (0.0, 0.0, 0.1))
    spoiled = positions.copy()
    spoiled[SPOILED, 0] = bad
    clean, found = (
        ph.inverse_kinematics(MODEL, ph.kinematics.Targets(MODEL).point(BODY, (0.0, 0.0, 0.1), x))
        for x in (positions, spoiled)
    )
    assert list(found.success) == [k != SPOILED for k in range(SIZE)]
    for a, b in zip(found, clean, strict=True):
        np.testing.assert_array_equal(of_others(a), of_others(b))


def test_states_that_are_not_finite_are_not_claimed():
    """Such a state is not fully actuated, and its constraint forces are not finite."""
    q = random_state(MODEL, 3, (SIZE,))[0]
    q[SPOILED, -1] = np.nan
    every = [True] * MODEL.nv
    assert list(ph.constraints.is_fully_actuated(MODEL, ROWS, q, every)) == [
        k != SPOILED for k in range(SIZE)
    ]
    rest = np.zeros(MODEL.nv)
    for relaxed in (False, True):
        forces = ph.constraints.constrained_inverse_dynamics(
            MODEL, ROWS, q, rest, rest, every, relaxed=relaxed
        )
        assert all(np.isfinite(x[OTHERS]).all() for x in forces)
        assert not any(np.isfinite(x[SPOILED]).any() for x in forces)


def test_results_of_all_states_say_which_is_not_finite():
    """What is made of many states refuses one that is not finite, with its place."""
    model = tree(["revolute y", "revolute x"])
    q, qd, _, tau = random_state(model, 3, (20,))
    motion = {"q": q, "qd": qd, "qdd": -qd, "tau": tau}
    for k in motion:
        spoiled = np.array(motion[k])
        spoiled[7, 1] = np.nan
        with pytest.raises(ph.ShapeError, match=rf"expected finite numbers as {k}, got nan"):
            ph.identification.identify(model, **{**motion, k: spoiled})
    Y = ph.identification.inverse_dynamics_regressor(model, q, qd, -qd)
    Y[3, 0, 0] = np.inf
    with pytest.raises(ph.ShapeError, match="expected finite numbers as regressor, got inf"):
        ph.identification.base_parameters(model, Y)
    with pytest.raises(ph.ShapeError, match="expected finite numbers as q, got nan"):
        ph.constraints.constraint_report(MODEL, ROWS, np.full(MODEL.nq, np.nan))
