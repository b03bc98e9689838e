"""Vector environments: Gymnasium's protocol, starts, and the definitions of the ready-made ones."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import polhode as ph
from polhode.environments import VectorEnv
from polhode.model import Plane, Prismatic, Revolute, Sphere

PERIOD = 0.02


def cart_pole():
    """A cart with a motor, between stops, and a pole on it."""
    model = ph.Model("cart-pole").add(
        "cart", joint=Prismatic.x(), mass=1.0, limits=(-1.0, 1.0), damping=0.1
    )
    model = model.append(
        "pole", joint=Revolute.y(), mass=0.2, com=(0, 0, 0.5), inertia=(0.01, 0.01, 0.001)
    )
    return model.add_motor("motor", joint="cart", gear=20.0, control_range=(-1.0, 1.0))


def observe(q, qd):
    return np.concatenate([q, qd], axis=1)


def reward(q0, qd0, controls, q1, qd1):
    return np.cos(q1[:, 1]) - 0.1 * controls[:, 0] ** 2


def done(q, qd):
    return np.abs(q[:, 1]) > 0.5


def environment(n=5, **options):
    given = {"observe": observe, "reward": reward, "done": done, "dt": PERIOD / 4,
             "steps_per_action": 4, "seed": 3}  # fmt: skip
    if "reset" not in options:
        given["reset_noise"] = 0.1
    return VectorEnv(cart_pole(), n, **given | options)


def pushes(n, steps, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (steps, n, 1))


def test_shapes_and_kinds():
    env = environment()
    x, infos = env.reset(seed=1)
    assert x.shape == (5, 4) and x.dtype == np.float64 and infos == {}
    x, paid, terminated, truncated, infos = env.step(np.zeros((5, 1), np.float32))
    assert x.shape == (5, 4) and paid.shape == (5,) and paid.dtype == np.float64
    assert terminated.shape == truncated.shape == (5,)
    assert terminated.dtype == truncated.dtype == bool and infos == {}
    assert env.period == pytest.approx(PERIOD)
    env.close()


def test_steps_are_those_of_a_rollout():
    env = environment(reset=lambda rng, n: (np.tile([0.1, 0.2], (n, 1)), np.zeros((n, 2))))
    q0, controls = env.q, pushes(5, 6)
    for each in controls:
        env.step(each)
    held = np.repeat(controls.swapaxes(0, 1), 4, axis=1)
    scene = ph.Scene.of(cart_pole())
    run = ph.rollout(scene, q=q0, controls=held, steps=24, dt=PERIOD / 4, integrator="moreau")
    assert run.q[-1].tobytes() == env.q.tobytes()
    assert run.qd[-1].tobytes() == env.qd.tobytes()


def history(env, controls, seed):
    parts = [env.reset(seed=seed)[0]]
    for each in controls:
        parts += env.step(each)[:4]
    return b"".join(part.tobytes() for part in parts)


def test_one_seed_gives_one_motion():
    """Starts and all later ones, in threads, too."""
    n, before = 600, ph.get_num_threads()
    controls = pushes(n, 40)
    try:
        ph.set_num_threads(1)
        first = history(environment(n), controls, 7)
        ph.set_num_threads(2)
        env = environment(n, seed=11)
        assert history(env, controls, 7) == first
        assert history(env, controls, 8) != first
    finally:
        ph.set_num_threads(before)


def test_a_world_at_an_end_starts_anew_in_the_next_step():
    """Its action is ignored, its reward is zero, and its steps are counted from there."""
    poses = np.array([[0.0, 0.4], [0.0, 0.0]])  # one falls, one stands
    env = environment(2, reset=lambda rng, n: (poses[:n], np.zeros((n, 2))), max_steps=30)
    steps = [env.step([[1.0], [0.0]])[:4] for _ in range(31)]
    x, paid, terminated, truncated = (np.array(part) for part in zip(*steps, strict=True))
    fallen = int(terminated[:, 0].argmax())
    assert 0 < fallen < 29 and abs(x[fallen, 0, 1]) > 0.5 and not truncated[fallen].any()
    assert x[fallen + 1, 0].tolist() == [0.0, 0.4, 0.0, 0.0]
    assert paid[fallen + 1].tolist() == [0.0, 1.0] and not terminated[fallen + 1].any()
    assert np.array_equal(x[fallen + 2, 0], x[0, 0])
    assert np.flatnonzero(truncated[:, 1]).tolist() == [29] and not truncated[:, 0].any()
    assert paid[30, 1] == 0.0 and x[30, 1].tolist() == [0.0, 0.4, 0.0, 0.0]


def test_a_mask_names_the_worlds_that_start_anew():
    env = environment()
    for each in pushes(5, 10):
        env.step(each)
    before = env.q
    mask = np.array([True, False, False, True, False])
    x, _ = env.reset(seed=2, options={"reset_mask": mask})
    assert np.array_equal(x[~mask, :2], before[~mask])
    assert np.abs(x[mask]).max() <= 0.1
    with pytest.raises(ph.ShapeError, match="expected reset_mask of 5 booleans"):
        env.reset(options={"reset_mask": np.ones(5)})


def test_a_world_that_does_not_stay_finite_terminates():
    env = environment(reset=lambda rng, n: (np.zeros((n, 2)), np.zeros((n, 2))))
    controls = np.zeros((5, 1))
    env.step(controls)
    before = env.q
    env._worlds.state["qd"][2] = 1e200  # its kinetic energy is infinite
    x, paid, terminated, _, infos = env.step(controls)
    assert infos["failed"].tolist() == [False, False, True, False, False]
    assert np.flatnonzero(infos["unsolved"]).tolist() == [2]
    assert terminated[2] and not terminated[[0, 1, 3, 4]].any() and paid[2] == 0.0
    assert np.isfinite(x).all() and np.array_equal(env.q[2], before[2])
    x, _, terminated, _, infos = env.step(controls)
    assert infos == {} and not terminated.any() and not x[2].any()


def test_starts_are_within_limits():
    """Joints beyond their limits are moved to them."""
    far = environment(200, reset=lambda rng, n: (rng.uniform(-3, 3, (n, 2)), np.zeros((n, 2))))
    assert np.abs(far.q[:, 0]).max() == 1.0 and np.abs(far.q[:, 1]).max() > 2.0


def test_programs_are_taken_for_functions():
    """A compiled reward is that of arrays."""
    from polhode.scalar import cos

    def compiled(model, q0, qd0, controls, q1, qd1):
        return cos(q1[2][0]) - 0.1 * controls[0] * controls[0]

    program = ph.compile(compiled, cart_pole(), shapes={"qd0": 2, "qd1": 2})
    ours, theirs = environment(reward=program), environment()
    for each in pushes(5, 5):
        assert np.allclose(ours.step(each)[1], theirs.step(each)[1], rtol=0, atol=1e-14)


def test_contact_and_quaternions():
    """A sphere with a motor inside lands, and its starts are unit quaternions."""
    model = ph.Model("ball").append("shell", mass=1.0, inertia=(0.1, 0.1, 0.1)).float()
    model = model.append("wheel", joint=Revolute.y(), mass=0.5, inertia=(0.01, 0.01, 0.01))
    model = model.add_motor("motor", joint="wheel", gear=1.0, control_range=(-1, 1))
    scene = ph.Scene("roll").add_fixed("ground", Plane()).contact(mu_coulomb=0.8)
    scene = scene.add_machine(
        model, "ball", q=(0, 0, 0.2, 0, 0, 0, 0, 1), geometries=[("shell", Sphere(0.15))]
    )
    env = VectorEnv(
        scene, 7, observe=lambda q, qd: q, dt=0.01, steps_per_action=2, reset_noise=0.04, seed=0,
        reward=lambda q0, qd0, controls, q1, qd1: q1[:, 0] - q0[:, 0],
    )  # fmt: skip
    norms = np.linalg.norm(env.q[:, [3, 4, 5, 7]], axis=1)
    assert np.allclose(norms, 1.0, rtol=0, atol=1e-12) and np.ptp(env.q[:, 4]) > 0.0
    for _ in range(50):
        env.step(np.full((7, 1), 0.2))
    assert np.allclose(env.q[:, 2], 0.15, rtol=0, atol=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"observe": 3}, "expected a function as observe"),
        ({"done": 3}, "expected a function as done"),
        ({"reset": 3}, "expected a function as reset"),
        ({"observe": lambda q, qd: q[0]}, r"observe to return shape \(5, ...\).*got \(2,\)"),
        ({"reset": lambda rng, count: np.zeros((count, 2))}, "a pair of q and qd, got ndarray"),
        ({"steps_per_action": 0}, "steps_per_action"),
        ({"max_steps": 0.5}, "expected a whole number as max_steps"),
        ({"reset_noise": -1.0}, "reset_noise"),
        ({"seed": "a"}, "a seed of at least 0, or None as seed, got 'a'"),
        ({"seed": -1}, "as seed, got -1"),
    ],
)
def test_mistakes_are_said(options, message):
    with pytest.raises(ph.ArgumentError, match=message):
        environment(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"options": {"reset_msk": 3}}, "no option but reset_mask, got 'reset_msk'; did you mean"),
        ({"options": 3}, "expected a dict as options, got 3"),
        ({"seed": 1.5}, "as seed, got 1.5"),
    ],
)
def test_mistakes_of_a_reset_are_said(options, message):
    with pytest.raises(ph.ArgumentError, match=message):
        environment().reset(**options)


def test_a_misspelt_option_is_said():
    with pytest.raises(TypeError, match="'step_per_action'; did you mean 'steps_per_action'"):
        environment(step_per_action=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward": lambda *state: 0.0}, r"reward to return shape \(5,\).*got \(\)"),
        ({"reward": lambda *state: np.zeros(2)}, r"reward to return shape \(5,\).*got \(2,\)"),
        ({"done": lambda q, qd: q < 0.0}, r"done to return shape \(5,\).*got \(5, 2\)"),
        ({"reward": lambda *state: ["much"] * 5}, "the result of reward"),
    ],
)
def test_what_functions_return_is_checked(options, message):
    """A reward for all worlds, or for some of them, is no reward for each."""
    with pytest.raises(ph.ShapeError, match=message):
        environment(**options).step(np.zeros((5, 1)))


@pytest.mark.parametrize(
    ("q", "qd", "message"),
    [
        (np.zeros(2), np.zeros((5, 2)), r"\(5, 2\) of the q that reset returns, got \(2,\)"),
        (np.zeros((4, 2)), np.zeros((5, 2)), r"the q that reset returns, got \(4, 2\)"),
        (np.zeros((5, 2)), np.zeros((5, 3)), r"the qd that reset returns, got \(5, 3\)"),
        (np.zeros((5, 2)), 0.0, r"the qd that reset returns, got \(\)"),
        (np.zeros((5, 2)), np.full((5, 2), np.nan), "finite numbers as the qd that reset returns"),
    ],
)
def test_starts_are_checked(q, qd, message):
    with pytest.raises(ph.ShapeError, match=message):
        environment(reset=lambda rng, count: (q, qd))


def test_starts_have_no_noise_beside_a_function():
    with pytest.raises(TypeError, match="expected reset or reset_noise, got both"):
        environment(reset=lambda rng, count: np.zeros((2, count, 2)), reset_noise=0.1)


@pytest.mark.parametrize("shape", [(3, 2), (2, 5, 2)])
@pytest.mark.parametrize("drawn", [False, True])
def test_parameters_of_other_worlds_are_refused(shape, drawn):
    given = {"mass": np.ones(shape)}
    with pytest.raises(
        ph.ShapeError, match=r"mass of shape \(5, 2\), or \(2,\) for all worlds, got"
    ):
        environment(parameters=(lambda rng, count: given) if drawn else given)


def test_drawn_parameters_may_come_in_any_order():
    """What a function returns is told by names: another order at a later start is no other set."""
    names = ["mass", "damping"]

    def draw(rng, count):
        names.reverse()
        return {name: rng.uniform(1.0, 2.0, (count, 2)) for name in names}

    env = environment(parameters=draw)
    mass = env._worlds.parameters[list(env._worlds.programs.parameters).index("mass")]
    names[:] = ["damping", "mass"]
    env.reset(seed=6)
    expected = np.random.default_rng(6)
    expected.uniform(-0.1, 0.1, (2, 5, 2))  # the starts
    assert mass.tobytes() == expected.uniform(1.0, 2.0, (5, 2)).tobytes()


def test_a_scene_needs_actuators():
    bar = ph.Model("bar").add("bar", joint=Revolute.y(), mass=1.0, com=(0.1, 0, 0))
    with pytest.raises(ph.ModelError, match="on which a policy acts, got none: add_motor"):
        VectorEnv(bar, 2, observe=observe, reward=reward)
    with pytest.raises(ph.ShapeError, match="actions"):
        environment().step(np.zeros((5, 2)))


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        (
            {"observe": lambda q: q},
            r"observe to be called as \(q, qd\), got a function of",
        ),
        (
            {"reward": lambda q, qd: q[:, 0]},
            r"called as \(q0, qd0, controls, q1, qd1\)",
        ),
        ({"done": lambda q: q}, r"done to be called as \(q, qd\)"),
        ({"reset": lambda count: None}, r"reset to be called as \(rng, count\)"),
    ],
)
def test_functions_of_other_arguments(functions, words):
    """Refused when the environment is made, not at the first step."""
    with pytest.raises(ph.ArgumentError, match=words):
        environment(**functions)


def test_an_end_is_true_or_false():
    """A number that is neither is no answer; programs give 0 and 1."""
    env = environment(done=lambda q, qd: q[:, 0] + 0.3)
    with pytest.raises(ph.ArgumentError, match="done to return booleans, or 0 and 1, got 0"):
        env.step(np.zeros((env.num_envs, env.scene.n_controls)))
    for answer in (1.0, True, 1):
        env = environment(done=lambda q, qd, answer=answer: np.full(len(q), answer))
        assert env.step(np.zeros((env.num_envs, env.scene.n_controls)))[2].all()


def test_only_spaces_need_gymnasium():
    code = """
import sys
sys.modules["gymnasium"] = None
sys.modules["gymnasium.vector"] = None
import numpy as np, polhode as ph
from polhode.model import Prismatic
cart = ph.Model("cart").add("cart", joint=Prismatic.x(), mass=1.0).add_motor("m", joint="cart")
env = ph.environments.VectorEnv(cart, 2, observe=lambda q, qd: q,
                                reward=lambda q0, qd0, controls, q1, qd1: q1[:, 0] - q0[:, 0])
env.reset(seed=0)
assert env.step(np.ones((2, 1)))[1].min() > 0.0
env.close()
try:
    env.action_space
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "pip install 'polhode[gymnasium]'" in done.stdout


def test_worlds_have_parameters_of_their_own():
    """The same pull moves a light cart farther; those that start anew are drawn anew."""
    cart = ph.Model("cart").add("cart", joint=Prismatic.x(), mass=1.0)
    cart = cart.add_motor("motor", joint="cart", gear=5.0, control_range=(-1, 1))
    options = {"steps_per_action": 10, "dt": 1e-2, "observe": lambda q, qd: qd,
               "reward": lambda q0, qd0, controls, q1, qd1: q1[:, 0] - q0[:, 0]}  # fmt: skip
    mass = np.array([[1.0], [2.0], [4.0]])
    env = ph.environments.VectorEnv(cart, 3, parameters={"mass": mass}, **options)
    env.reset(seed=0)
    speed = env.step(np.ones((3, 1)))[0]
    np.testing.assert_allclose(speed[:, 0], 0.5 / mass[:, 0], rtol=1e-12)

    drawn = []

    def draw(rng, count):
        drawn.append(count)
        return {"mass": rng.uniform(1.0, 2.0, (count, 1))}

    env = ph.environments.VectorEnv(cart, 3, parameters=draw, seed=4, **options)
    env.reset(options={"reset_mask": np.array([True, False, True])})
    assert drawn == [3, 3, 2]
    first = env.step(np.ones((3, 1)))[0]
    assert len(np.unique(first)) == 3
    again = ph.environments.VectorEnv(cart, 3, parameters=draw, seed=4, **options)
    again.reset(options={"reset_mask": np.array([True, False, True])})
    assert again.step(np.ones((3, 1)))[0].tobytes() == first.tobytes()
