"""A checkpoint that was damaged is refused by name and place, before compiled code sees it."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Revolute
from polhode.model.shapes import Box, Plane
from polhode.recording.checkpoint import Checkpoint
from polhode.scene import JointSettings


def running() -> ph.TimeSteppingSimulator:
    """Two boxes on the ground and a bar at its stop, after some steps."""
    bar = ph.Model("bar").add("bar", joint=Revolute.y(), mass=1.0, com=(0.3, 0, 0),
                              inertia=(0.01, 0.01, 0.01))  # fmt: skip
    scene = ph.Scene("yard").add_fixed("ground", Plane()).contact(mu_coulomb=0.5)
    for k in range(2):
        scene = scene.add_body(f"box{k}", Box((0.2, 0.2, 0.2)), mass=1.0, position=(k, 0, 0.1))
    stop = JointSettings("bar", lower=(-0.1,), upper=(0.1,))
    scene = scene.add_machine(bar, "bar", joint_settings=[stop])
    simulator = ph.TimeSteppingSimulator(scene)
    simulator.advance(1e-3, 200)
    return simulator


def damaged(checkpoint: Checkpoint, name: str, change) -> Checkpoint:
    arrays = {key: array.copy() for key, array in checkpoint.arrays.items()}
    arrays[name] = change(arrays[name])
    return Checkpoint(arrays, checkpoint.is_fresh, checkpoint.rng)


def put(value, *place):
    def change(array):
        array[place] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("contacts", put(3, 2, 0), "geometries 0 to 2.* got 3 in row 2 of 'contacts'"),
        ("contacts", put(-7, 0, 1), "geometries 0 to 2.* got -7 in row 0 of 'contacts'"),
        ("contacts", put(2**40, 1, 3), "rules 0 to 0.* got 1099511627776 in row 1 of 'contacts'"),
        ("contacts", lambda x: x[:-1], "as many rows .* 'contacts' .* 'contact_reals'"),
        ("contacts", lambda x: x[:, :3], "shape"),
        ("contacts", lambda x: x.astype(float), "integers"),
        ("contact_reals", lambda x: x[:, :5].copy(), "shape"),
        ("contact_reals", put(np.nan, 0, 9), "finite .* 'contact_reals'"),
        ("limits", put(1, 0), "limits 0 to 0.* got 1 in row 0 of 'limits'"),
        ("limit_reals", lambda x: x[:0], "as many rows"),
        ("order", put(5, 0), "'order'"),
        ("trials", put(16, 0, 1), "pauses of 0 to 15 steps in 'trials'"),
        ("trials", put(-1, 0, 0), "pauses of 0 to 15 steps in 'trials'"),
        ("trials", lambda x: x[:-1], "'trials' of shape"),
        ("order", put(1, slice(None)), "'order'"),
        ("position", put(np.inf, 0), "finite .* 'position'"),
        ("velocity", lambda x: x.astype(complex), "'velocity'"),
    ],
)
def test_damage_is_named(name, change, said):
    """Each of the ways to break an array, and the simulator goes on as if nothing had been."""
    simulator = running()
    kept = simulator.checkpoint()
    assert len(kept.arrays["contacts"]) > 2
    assert len(kept.arrays["limits"]) == 1
    with pytest.raises(ph.ModelError, match=said):
        simulator.restore(damaged(kept, name, change))
    simulator.advance(1e-3, 50)
    other = running()
    other.restore(kept)
    other.advance(1e-3, 50)
    for a, b in zip(simulator.state, other.state, strict=True):
        assert a.tobytes() == b.tobytes()


def test_missing_parts_are_named():
    """An array that is not there, and the state of random numbers that is none."""
    simulator = running()
    kept = simulator.checkpoint()
    arrays = {name: array for name, array in kept.arrays.items() if name != "limits"}
    with pytest.raises(ph.ModelError, match="'limits'"):
        simulator.restore(Checkpoint(arrays, kept.is_fresh, kept.rng))
    with pytest.raises(ph.ModelError, match="random"):
        simulator.restore(Checkpoint(kept.arrays, kept.is_fresh, {"state": 3}))
