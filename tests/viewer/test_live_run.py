"""What a live view runs: the same motion as a recording, the mouse's pull, the clock."""

import struct

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError, ShapeError
from polhode.model import Plane, Sphere
from polhode.viewer.live.messages import Command, frame
from polhode.viewer.live.pull import HELD, Pull
from polhode.viewer.live.runs import LiveRun, run_of
from polhode.viewer.live.session import Session
from polhode.viewer.rotations import relative
from viewer.live_models import brick, pendulum


def position(run: LiveRun) -> np.ndarray:
    return run.simulator.state[0]


@pytest.mark.parametrize("integrator", ["symplectic", "rk4", "event_driven"])
def test_a_model_runs_live_as_it_is_recorded(integrator):
    """Step by step, to rounding."""

    def controller(t, state):
        return -0.3 * state.qd + 0.2

    options = {"q0": [1.0], "controller": controller, "integrator": integrator}
    run = run_of(pendulum(), options)
    run.advance(50)
    recorded = ph.simulate(pendulum(), 0.05, record=1, **options)
    assert run.time == pytest.approx(0.05)
    q, qd = run.simulator.state
    assert np.allclose(q, recorded.q[-1], rtol=0, atol=1e-13)
    assert np.allclose(qd, recorded.qd[-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("period", [0.004, 0.0073])
def test_a_held_controller_is_called_at_the_first_step_of_each_period(period):
    asked = []

    def controller(t, state):
        asked.append(t)
        return -0.3 * state.qd + 0.2

    held = ph.simulation.zero_order_hold(controller, period)
    run_of(pendulum(), {"q0": [1.0], "controller": held}).advance(50)
    due = [np.ceil(k * period / 1e-3 - 1e-9) * 1e-3 for k in range(int(0.049 / period) + 1)]
    assert np.allclose(asked, due, rtol=0, atol=1e-12)


def test_a_reset_run_repeats_itself():
    """From the start, with the same random numbers, to the same bits."""
    noise = ph.simulation.zero_order_hold(lambda t, state: state.rng.normal(size=1), 0.002)
    run = run_of(pendulum(), {"seed": 4, "controller": noise})
    run.advance(30)
    first = position(run).copy()
    run.push(1, np.array([1.0, 0, 0, 0, 0, 0]))
    run.reset()
    run.advance(30)
    assert position(run) == first and position(run) != 0.0


def test_a_push_is_an_external_force():
    """It adds to the forces that the run was given."""
    given = np.zeros((1, 6))
    given[0, 0] = 0.5
    pushed = run_of(pendulum(), {"f_ext": given})
    pushed.push(1, np.array([0.25, 0, 0, 0, 0, 0]))
    alone = run_of(pendulum(), {"f_ext": 1.5 * given})
    for run in (pushed, alone):
        run.advance(40)
    assert position(pushed) == pytest.approx(position(alone), abs=1e-14)
    pushed.push(1, None)
    assert not pushed.simulator._pushes.any()


@pytest.mark.parametrize(("point", "rest"), [((0.0, 0.0, 0.0), 1e-3), ((0.2, 0.15, 0.1), 0.1)])
def test_what_is_pulled_comes_to_the_mouse(point, rest):
    """A free body's grabbed point settles at the target, though forces are held for a while.

    Grabbed off its centre it goes on turning, which nothing brakes.
    """
    run = run_of(brick(), {})
    body = run.model.n_bodies
    pull = Pull(run.model, body, point)
    pull.target[:] = 0.5, -0.3, 0.2
    gaps = []
    for _ in range(240):
        pose = run.poses()[body - 1]
        run.push(body, pull.wrench(run.time, pose))
        run.advance(round(HELD / run.dt))
        gaps.append(np.linalg.norm(pose[:3, :3] @ point + pose[:3, 3] - pull.target))
    assert max(gaps) < 1.5 * gaps[0] and max(gaps[-60:]) < rest * gaps[0]


def test_a_pull_lifts_what_hangs_together():
    """The spring of a light link is as stiff as it can bear, of a free body as its weight asks."""
    model = pendulum().append("tip", mass=0.0)
    assert Pull(model, 1, (0, 0, -0.5)).stiffness == pytest.approx(39.0 * 1.0)
    heavy = model.append("bob", joint=ph.model.Revolute.y(), mass=99.0, com=(0, 0, 0))
    light = Pull(heavy, 1, (0, 0, -0.5))
    assert light.stiffness == pytest.approx(400.0 * 1.0)


class Audience:
    """Keeps what it is told."""

    def __init__(self):
        self.frames, self.states = [], []

    def publish(self, frame):
        self.frames.append(struct.unpack_from("<dfII", frame))

    def tell(self, state):
        self.states.append(state)


def session(run, commands, **options):
    """What is told of a session with these commands, then its end."""
    options = {"speed": 1.0, "is_playing": False, "closes": False} | options
    made, audience = Session(run, **options), Audience()
    for command in (*commands, Command("close")):
        made.hear(command)
    made.go(audience)
    return audience


def test_a_live_model_starts_as_it_is():
    """One frame at its start, without a word on how a model that stands is shown."""
    film = run_of(pendulum(), {"q0": [0.5]}).film()
    assert film.poses.shape == (1, 1, 1, 4, 4) and film.notes == []


def test_steps_and_resets_are_shown():
    """Each of them is a frame; the end is told."""
    told = session(run_of(pendulum(), {}), [Command("step")] * 3 + [Command("reset")])
    assert [f[0] for f in told.frames] == pytest.approx([0.0, 0.001, 0.002, 0.003, 0.0])
    assert told.states[0]["open"] and not told.states[-1]["open"]


def test_a_pull_acts_while_it_is_held():
    """Between pull and release each step sees it; a reset or a leaving page lets go too."""
    grab = Command("pull", body=1, point=(0, 0, -0.5), target=(0, 1.0, -0.5))
    for end in (Command("release"), Command("reset"), Command("leave")):
        run = run_of(pendulum(), {})
        session(run, [Command("join"), grab, Command("step"), end])
        assert not run.simulator._pushes.any()
    moved = run_of(pendulum(), {})
    session(moved, [grab, *[Command("step")] * 20])
    assert position(moved)[0] > 1e-4 and moved.simulator._pushes.any()


def test_frames_carry_poses_and_contacts():
    """As floats: places and turns in the parents' frames, then points and forces."""
    run = run_of(
        pendulum().append("bob", joint=ph.model.Revolute.y(), mass=1.0), {"q0": [0.4, 0.2]}
    )
    contacts = np.arange(12.0).reshape(2, 6)
    data = frame(1.5, 0.5, (0, 1), run.poses(), contacts)
    assert struct.unpack_from("<dfII", data) == (1.5, 0.5, 2, 2)
    numbers = np.frombuffer(data, "<f4", offset=24)
    expected = relative(run.poses()[None, None], (0, 1)).ravel()
    assert np.allclose(numbers[:14], expected, rtol=0, atol=1e-7)
    assert np.array_equal(numbers[14:], contacts.ravel())


def falling():
    return ph.Scene("fall").add_fixed("ground", Plane()).add_body(
        "ball", Sphere(0.2), mass=3.0, position=(0.0, 0.0, 0.2)
    )  # fmt: skip


def test_a_scene_runs_pushes_and_starts_again():
    """The lifting force carries the weight; a push adds to it; what stands is not pushed."""
    run = run_of(falling(), {})
    assert isinstance(run, LiveRun)
    run.advance(20)
    (row,) = run.contacts()
    assert np.allclose(row[:3], 0.0, atol=1e-3) and row[5] == pytest.approx(3.0 * 9.81, rel=1e-3)
    ball = run.model.n_bodies
    run.push(ball, np.array([0, 0, 0, 0, 0, -10.0]))
    run.advance(20)
    assert run.contacts()[0, 5] == pytest.approx(3.0 * 9.81 + 10.0, rel=1e-3)
    with pytest.raises(ModelError, match="expected a body that moves"):
        run.simulator.push("ground", "ground", np.zeros(6))
    run.reset()
    assert run.time == 0.0 and len(run.contacts()) == 0
    run.advance(20)
    assert run.contacts()[0, 5] == pytest.approx(3.0 * 9.81, rel=1e-3)
    assert run.film().poses.shape == (1, 1, ball, 4, 4)


def test_a_push_adds_to_the_forces_of_a_scene():
    """A simulator with forces of its own is pushed beside them."""

    def lift(t, simulator):
        return {("ball", "ball"): [0, 0, 0, 0, 0, 4.0]}

    simulator = ph.TimeSteppingSimulator(falling(), forces=lift)
    run = run_of(simulator, {})
    run.push(run.model.n_bodies, np.array([0, 0, 0, 0, 0, -10.0]))
    run.advance(20)
    assert run.contacts()[0, 5] == pytest.approx(3.0 * 9.81 + 6.0, rel=1e-3)
    with pytest.raises(TypeError, match="give them to the simulator"):
        run_of(simulator, {"seed": 1})


def test_wrong_starts_are_refused():
    """Several worlds; an unknown method; no step."""
    with pytest.raises(ShapeError, match="expected one world"):
        run_of(pendulum(), {"q0": [[0.0], [1.0]]})
    with pytest.raises(ValueError, match="did you mean 'rk4'"):
        run_of(pendulum(), {"integrator": "rk45"})
    with pytest.raises(ValueError, match="expected dt above 0"):
        run_of(pendulum(), {"dt": 0.0})
