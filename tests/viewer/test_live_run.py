"""What a live view runs: the same motion as a recording, the mouse's pull, the clock."""

import struct

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError, ShapeError
from polhode.model import Plane, Sphere
from polhode.viewer.live.messages import Command, frame
from polhode.viewer.live.pull import HELD, Pull
from polhode.viewer.live.runs import ModelRun, SceneRun, run_of
from polhode.viewer.live.session import Session
from polhode.viewer.rotations import relative
from viewer.live_models import brick, pendulum


@pytest.mark.parametrize("method", ["symplectic", "rk4"])
@pytest.mark.parametrize("period", [None, 0.004, 0.0073])
def test_a_model_runs_live_as_it_is_recorded(method, period):
    """Step by step the same bits; a held controller is sampled at the same times."""
    asked = []

    def controller(t, state):
        asked.append(t)
        return -0.3 * state.qd + 0.2

    held = controller if period is None else ph.simulation.zero_order_hold(controller, period)
    run = ModelRun(pendulum(), q0=[1.0], controller=held, method=method)
    run.advance(50)
    live, asked[:] = list(asked), []
    recorded = ph.simulate(pendulum(), 0.05, q0=[1.0], controller=held, method=method, record=1)
    assert run.time == pytest.approx(0.05)
    assert np.allclose(run.q, recorded.q[-1], rtol=0, atol=1e-13)
    assert np.allclose(run.qd, recorded.qd[-1], rtol=0, atol=1e-12)
    if period is not None:
        assert np.allclose(live, [t for t in asked if t < 0.05 - 1e-9], rtol=0, atol=1e-12)


def test_a_reset_run_repeats_itself():
    """From the start, with the same random numbers, to the same bits."""
    noise = ph.simulation.zero_order_hold(lambda t, state: state.rng.normal(size=1), 0.002)
    run = ModelRun(pendulum(), seed=4, controller=noise)
    run.advance(30)
    first = run.q.copy()
    run.push(1, np.array([1.0, 0, 0, 0, 0, 0]))
    run.reset()
    run.advance(30)
    assert run.q == first and run.q != 0.0


def test_a_push_is_an_external_force():
    """It adds to the forces that the run was given."""
    given = np.zeros((1, 6))
    given[0, 0] = 0.5
    pushed = ModelRun(pendulum(), f_ext=given)
    pushed.push(1, np.array([0.25, 0, 0, 0, 0, 0]))
    alone = ModelRun(pendulum(), f_ext=1.5 * given)
    for run in (pushed, alone):
        run.advance(40)
    assert pushed.q == alone.q
    pushed.push(1, None)
    assert pushed._drive.f_ext is pushed._given.f_ext


@pytest.mark.parametrize(("point", "rest"), [((0.0, 0.0, 0.0), 1e-3), ((0.2, 0.15, 0.1), 0.1)])
def test_what_is_pulled_comes_to_the_mouse(point, rest):
    """A free body's grabbed point settles at the target, though forces are held for a while.

    Grabbed off its centre it goes on turning, which nothing brakes.
    """
    run = ModelRun(brick())
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
    film = ModelRun(pendulum(), q0=[0.5]).film()
    assert film.poses.shape == (1, 1, 1, 4, 4) and film.notes == []


def test_steps_and_resets_are_shown():
    """Each of them is a frame; the end is told."""
    told = session(ModelRun(pendulum()), [Command("step")] * 3 + [Command("reset")])
    assert [f[0] for f in told.frames] == pytest.approx([0.0, 0.001, 0.002, 0.003, 0.0])
    assert told.states[0]["open"] and not told.states[-1]["open"]


def test_a_pull_acts_while_it_is_held():
    """Between pull and release each step sees it; a reset or a leaving page lets go too."""
    grab = Command("pull", body=1, point=(0, 0, -0.5), target=(0, 1.0, -0.5))
    for end in (Command("release"), Command("reset"), Command("leave")):
        run = ModelRun(pendulum())
        session(run, [Command("join"), grab, Command("step"), end])
        assert run._pushed.any() == False  # noqa: E712
    moved = ModelRun(pendulum())
    session(moved, [grab, *[Command("step")] * 20])
    assert moved.q[0] > 1e-4 and moved._pushed.any()


def test_frames_carry_poses_and_contacts():
    """As floats: places and turns in the parents' frames, then points and forces."""
    run = ModelRun(pendulum().append("bob", joint=ph.model.Revolute.y(), mass=1.0), q0=[0.4, 0.2])
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
    assert isinstance(run, SceneRun)
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
        ModelRun(pendulum(), q0=[[0.0], [1.0]])
    with pytest.raises(ValueError, match="did you mean 'rk4'"):
        ModelRun(pendulum(), method="rk45")
    with pytest.raises(ValueError, match="expected dt above 0"):
        ModelRun(pendulum(), dt=0.0)
