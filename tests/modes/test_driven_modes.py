"""Tendons and actuators: floats, NumPy arrays and compiled code agree to rounding."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from laws.test_actuation import LAWS, machine
from modes.modes import Algorithm as Mode
from modes.modes import results, run_floats, state
from polhode import algorithms
from polhode.binding.plain import run_plain
from polhode.model import Actuator, JointTransmission, TendonTransmission

ALGORITHMS = [
    algorithms.activation_rates,
    algorithms.actuator_forces,
    algorithms.actuator_values,
    algorithms.compensating_forces,
    algorithms.next_activation,
    algorithms.tendon_forces,
    algorithms.tendon_jacobian,
    algorithms.tendon_lengths,
    algorithms.tendon_velocities,
]
AGREEMENT = 1e-12  # of the largest entry: wrapping takes arcs of differences


def driven() -> ph.Model:
    """A machine with tendons and an actuator of every law, on a joint or a tendon in turn."""
    model = machine(0.7)
    for k, (name, law) in enumerate(LAWS.items()):
        way = TendonTransmission("around") if k % 2 else JointTransmission("c")
        model = model.add_actuator(Actuator(name, way, law, 0.8))
    return model


MODEL = driven()
N = 5


def arrays(mode: Mode) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    values = {
        "q": ph.random_configuration(MODEL, rng, size=N),
        "qd": rng.standard_normal((N, MODEL.nv)),
        "controls": rng.uniform(0.0, 1.0, (N, MODEL.n_controls)),
        "activation": rng.uniform(0.1, 0.9, (N, MODEL.n_activations)),
        "dt": rng.uniform(1e-3, 1e-2, N),
    }
    return [values[name] for name in mode.inputs(MODEL)]


@pytest.mark.parametrize("function", ALGORITHMS, ids=lambda f: f.__name__)
def test_all_ways_agree(function):
    """One state and a batch, compiled and in NumPy, beside plain floats."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    mode = Mode(function, {}, tuple({"activation"} & {*names}))
    given, program = arrays(mode), mode.compiled(MODEL)
    batch, plain = results(program(*given)), results(run_plain(function, MODEL, given))
    for k in range(N):
        known = run_floats(mode, MODEL, state(given, k))
        one = results(program(*state(given, k)))
        ways = (one, [b[k] for b in batch], [p[k] for p in plain])
        for expected, *found in zip(known, *ways, strict=True):
            for each in found:
                scale = max(1.0, np.abs(expected).max(initial=0.0))
                np.testing.assert_allclose(each, expected, rtol=0, atol=AGREEMENT * scale)
        for each, of_batch in zip(one, batch, strict=True):
            assert np.array_equal(each, of_batch[k])
