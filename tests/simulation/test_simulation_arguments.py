"""Arguments of simulations and recordings that are wrong: refused by name, at once."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.model import Box, Model, Plane, Revolute, Sphere

ROD = Model("rod").add("rod", joint=Revolute.y(), mass=1.0, com=(0, 0, -1), inertia=(1, 1, 0.1))
SCENE = ph.Scene("drop").add_fixed("ground", Plane()).contact()
SCENE = SCENE.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, 0.3))
KINDS = ["1", b"1", 1j, [1], object(), {"a": 1}, np.nan, int, "x" * 10_000]


def refused(run, name: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        run()
    message = str(caught.value)
    assert type(caught.value).__module__ == "polhode.errors", repr(caught.value)
    assert name in message and message.isprintable() and len(message) < 1000


@pytest.mark.parametrize("method", ["LSODA", "RK45", "Radau"])
@pytest.mark.parametrize("name", ["rtol", "atol"])
def test_tolerances_are_checked(method, name):
    """Complex ones crash LSODA; NaN, empty, negative and non-numbers are no tolerances."""
    for wrong in ("1", 1j, np.array([1j]), np.nan, [], -1.0, None, np.inf, [1e-8] * 7, object()):
        refused(lambda w=wrong: ph.simulate(ROD, 0.01, integrator=method, **{name: w}), name)
        options = {"integrator": method, "contact": "none", name: wrong}
        refused(lambda o=options: ph.Simulator(SCENE, **o), name)


def test_tolerances_may_be_one_for_each_unknown():
    """Positions, velocities, and the work done."""
    run = ph.simulate(ROD, 0.1, q0=[1.0], integrator="LSODA", atol=[1e-10, 1e-10, 1e-3])
    assert np.allclose(
        run.q[-1], ph.simulate(ROD, 0.1, q0=[1.0], integrator="LSODA").q[-1], atol=1e-6
    )


@pytest.mark.parametrize("subject", [ROD, SCENE], ids=["model", "scene"])
@pytest.mark.parametrize("name", ["duration", "dt", "record", "integrator", "progress", "seed"])
def test_numbers_and_names_of_runs(subject, name):
    """Of a wrong kind."""
    for wrong in KINDS:
        if name == "seed" and isinstance(wrong, list):
            continue
        options = {"duration": 0.01} | {name: wrong}
        refused(lambda o=options: ph.simulate(subject, **o), name)


@pytest.mark.parametrize("options", [{"duration": 1e30}, {"duration": 2.0**63}, {"dt": 5e-324}])
def test_runs_without_end_are_refused_at_once(options):
    """With the number of steps, or the step."""
    for subject in (ROD, SCENE):
        with pytest.raises(ph.ArgumentError):
            ph.simulate(subject, **{"duration": 0.01, **options})


@pytest.mark.parametrize("name", ["q0", "qd0"])
def test_starts_of_models(name):
    """Text, complex numbers, objects, other sizes, infinity."""
    for wrong in ("1", [1j], [None], np.array(["1"]), [1.0, 2.0], 1.0, [np.inf], object()):
        refused(lambda w=wrong: ph.simulate(ROD, 0.01, **{name: w}), name)


@pytest.mark.parametrize("wrong", [lambda state: 0.0, lambda: 0.0, int, lambda t, s, x: 0.0])
def test_controllers_are_called_with_time_and_state(wrong):
    """Said before the run, of models, scenes and samplers."""
    refused(lambda: ph.simulate(ROD, 0.01, controller=wrong), "controller")
    refused(lambda: ph.simulate(SCENE, 0.01, controller=wrong), "controller")
    refused(lambda: ph.simulation.zero_order_hold(wrong, 0.01), "controller")
    refused(lambda: ph.TimeSteppingSimulator(SCENE, forces=wrong), "forces")


@pytest.mark.parametrize("answer", ["x", None, 1j, object(), [1, [2]]])
def test_what_controllers_return(answer):
    """What is no array of forces, with what came."""
    refused(lambda: ph.simulate(ROD, 0.01, controller=lambda t, state: answer), "controller")
    refused(lambda: ph.simulate(SCENE, 0.01, controller=lambda t, state: answer), "controller")
    if answer is not None:
        refused(lambda: ph.simulate(SCENE, 0.01, forces=lambda t, sim: answer), "forces")


def test_steppers():
    """Steps, times, counts, events and pushes of simulators."""
    sim = ph.TimeSteppingSimulator(SCENE)
    for wrong in KINDS:
        refused(lambda w=wrong: sim.step(w), "h")
        refused(lambda w=wrong: sim.advance_to(w), "t")
        refused(lambda w=wrong: sim.advance(1e-3, w), "count")
        refused(lambda w=wrong: sim.push("ball", "ball", w), "wrench")
        refused(lambda w=wrong: sim.push("ball", w, np.zeros(6)), "link")
        refused(lambda w=wrong: sim.restore(w), "Checkpoint")
        refused(lambda w=wrong: ph.Simulator(SCENE, integrator=w), "integrator")
    refused(lambda: sim.advance(1e-3, 10**30), "count")
    solver = ph.Simulator(SCENE, integrator="RK45", contact="none")
    refused(lambda: solver.solve(1.0, events=3), "events")
    refused(lambda: solver.solve(1.0, events=[lambda t: 1.0]), "event")
    refused(lambda: solver.solve("1"), "end")


def test_names_in_recordings():
    """Machines, records, and what other libraries call the arrays."""
    run = ph.simulate(SCENE, 0.02)
    with pytest.raises(ph.ModelError, match="no model 'bal'; did you mean 'ball'"):
        run.of("bal")
    for wrong in (None, [1], 3, "x" * 10_000):
        refused(lambda w=wrong: run.of(w), "model")
    for wrong in (10**30, 1.5, "1", None):
        refused(lambda w=wrong: run.contacts(w), "record")
    assert run.contacts(-1) == run.contacts(len(run.times) - 1)
    for name, meant in (("time", "times"), ("t", "times"), ("potentail", "potential")):
        with pytest.raises(AttributeError, match=f"did you mean '{meant}'"):
            getattr(run, name)
    for wrong in (b"run.npz", 3, None):
        refused(lambda w=wrong: ph.Recording.load(w), "path")
    with pytest.raises(ph.ParseError) as caught:
        ph.Recording.load("x" * 100_000)
    assert len(str(caught.value)) <= 500


def test_shapes_without_extent_are_named():
    """A box of no height may be drawn, but not touch."""
    scene = SCENE.add_geometry("sheet", ("ball", "ball"), Box((1.0, 0.0, 1.0)))
    with pytest.raises(ph.ModelError, match=r"got Box.*geometry 'sheet', scene 'drop'"):
        ph.simulate(scene, 0.01)


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (lambda: SCENE.with_start("ball", qq=[0.0] * 7), "option 'qq'; did you mean 'q'?"),
        (lambda: SCENE.with_settings(step_sizes=0.1), "did you mean 'step_size'?"),
        (lambda: SCENE.add_loop("l", "fixed", ("ball", "ball"), None, setings=1), "'settings'?"),
    ],
)
def test_fields_that_are_unknown_are_refused_with_a_suggestion(edit, wanted):
    with pytest.raises(TypeError) as caught:
        edit()
    assert wanted in str(caught.value)
