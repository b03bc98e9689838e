"""Vector environments as Gymnasium takes them, and its robots by its definitions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polhode as ph

ASSETS = Path(pytest.importorskip("gymnasium").__file__).parent / "envs" / "mujoco" / "assets"


@pytest.fixture(scope="module")
def cheetahs():
    return ph.environments.half_cheetah(6, seed=0, max_steps=20)


def test_spaces(cheetahs):
    import gymnasium

    assert isinstance(cheetahs, gymnasium.vector.VectorEnv)
    assert cheetahs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    one, all_of_them = cheetahs.single_action_space, cheetahs.action_space
    assert one == gymnasium.spaces.Box(-1.0, 1.0, (6,), np.float32)
    assert all_of_them.shape == (6, 6) and cheetahs.observation_space.shape == (6, 17)
    x, _ = cheetahs.reset(seed=4)
    assert x in cheetahs.observation_space and x[0] in cheetahs.single_observation_space


def test_wrappers_of_gymnasium(cheetahs):
    """Its statistics of episodes are the sums of the rewards."""
    from gymnasium.wrappers.vector import RecordEpisodeStatistics

    env = RecordEpisodeStatistics(cheetahs)
    env.action_space.seed(0)
    env.reset(seed=0)
    total = np.zeros(6)
    for k in range(20):
        _, paid, _, truncated, infos = env.step(env.action_space.sample())
        total += paid
        assert truncated.all() == (k == 19)
    assert np.allclose(infos["episode"]["r"], total)
    assert (infos["episode"]["l"] == 20).all()


def test_half_cheetah_by_hand(cheetahs):
    rng = np.random.default_rng(0)
    x, _ = cheetahs.reset(seed=9)
    assert np.abs(cheetahs.q).max() <= 0.1 and 0.02 < cheetahs.qd.std() < 0.2
    for _ in range(5):
        action = rng.uniform(-1, 1, (6, 6))
        before = cheetahs.q
        x, paid, terminated, _, _ = cheetahs.step(action)
        q, qd = cheetahs.q, cheetahs.qd
        assert np.array_equal(x, np.hstack([q[:, 1:], qd]))
        for k in range(6):
            forward = (q[k, 0] - before[k, 0]) / 0.05
            assert paid[k] == pytest.approx(forward - 0.1 * sum(action[k] ** 2), abs=1e-12)
        assert not terminated.any()


def test_hopper_by_hand():
    env = ph.environments.hopper(8, seed=0)
    assert env.period == pytest.approx(0.008)
    assert np.abs(env.q[:, 1] - 1.25).max() <= 5e-3 and np.abs(env.qd).max() <= 5e-3
    ended = np.zeros(8, bool)
    for _ in range(60):
        before = env.q
        action = np.full((8, 3), 0.8)
        x, paid, terminated, _, _ = env.step(action)
        q, qd = env.q, env.qd
        is_healthy = (q[:, 1] >= 0.7) & (abs(q[:, 2]) <= 0.2)
        assert np.array_equal(x, np.hstack([q[:, 1:], qd.clip(-10, 10)]))
        wanted = (q[:, 0] - before[:, 0]) / 0.008 + is_healthy - 1e-3 * 3 * 0.64
        assert np.allclose(paid[~ended], wanted[~ended], rtol=0, atol=1e-12)
        assert np.array_equal(terminated, ~is_healthy & ~ended)
        ended = terminated
        if ended.all():
            break
    assert not is_healthy.all()


def test_walkers_and_ants_stand_at_first():
    """Their first observations are of their starts, and the pay for standing is 1."""
    for make, file, size, height in (
        ("walker2d", "walker2d_v5.xml", 17, 1.25), ("ant", "ant.xml", 27, 0.75)
    ):  # fmt: skip
        env = getattr(ph.environments, make)(4, ASSETS / file)
        x, _ = env.reset(seed=1)
        assert x.shape == (4, size) and np.abs(x[:, 0] - height).max() <= 0.1
        before = env.q
        x, paid, terminated, _, _ = env.step(np.zeros((4, env.scene.n_controls)))
        forward = (env.q[:, 0] - before[:, 0]) / env.period
        assert np.allclose(paid, forward + 1.0, rtol=0, atol=1e-12) and not terminated.any()
    w = x[:, 1:5]
    assert np.allclose(np.linalg.norm(w, axis=1), 1.0) and w[:, 0].min() > 0.9


LESS = {f"include_{name}_in_observation": False
        for name in ("cinert", "cvel", "qfrc_actuator", "cfrc_ext")}  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("ours", "theirs", "options"),
    [
        ("half_cheetah", "HalfCheetah-v5", {}), ("hopper", "Hopper-v5", {}),
        ("walker2d", "Walker2d-v5", {}),
        ("ant", "Ant-v5", {"include_cfrc_ext_in_observation": False, "contact_cost_weight": 0.0}),
        ("humanoid", "Humanoid-v5", LESS | {"contact_cost_weight": 0.0}),
    ],
)  # fmt: skip
def test_definitions_are_those_of_gymnasium(ours, theirs, options):
    """Observations of the same states, and the time of an action."""
    import gymnasium

    pytest.importorskip("imageio")  # its robots need it
    env = getattr(ph.environments, ours)(3, seed=0)
    peer = gymnasium.make(theirs, **options).unwrapped
    q, qd = env.q, env.qd
    x, _ = env.reset(options={"reset_mask": np.zeros(3, bool)})
    for k in range(3):
        angles = np.concatenate([q[k, :3], q[k, -1:], q[k, 3:-1]])
        angles = angles if ours in ("ant", "humanoid") else q[k]
        peer.set_state(angles, qd[k])
        assert np.allclose(peer._get_obs(), x[k], rtol=0, atol=1e-12)
    assert peer.dt == pytest.approx(env.period)


@pytest.mark.oracle
def test_humanoids_earn_what_gymnasium_pays():
    """For the same states before and after an action, up to a fall; the centre of mass counts."""
    import gymnasium

    pytest.importorskip("imageio")
    from gymnasium.envs.mujoco.humanoid_v5 import mass_center

    env = ph.environments.humanoid(3, seed=1)
    peer = gymnasium.make("Humanoid-v5", contact_cost_weight=0.0, **LESS).unwrapped
    rng, ended = np.random.default_rng(0), np.zeros(3, bool)
    for _ in range(80):
        states, action = [(env.q, env.qd)], rng.uniform(-0.4, 0.4, (3, 17))
        _, paid, terminated, _, _ = env.step(action)
        states.append((env.q, env.qd))
        for k in np.flatnonzero(~ended):
            places = []
            for q, qd in states:
                peer.set_state(np.concatenate([q[k, :3], q[k, -1:], q[k, 3:-1]]), qd[k])
                places.append(mass_center(peer.model, peer.data)[0])
            peer.data.ctrl[:] = action[k]
            wanted, _ = peer._get_rew((places[1] - places[0]) / peer.dt, action[k])
            assert paid[k] == pytest.approx(wanted, rel=1e-9, abs=1e-9)
            assert terminated[k] == (not peer.is_healthy)
        ended = terminated
        if ended.any():
            break
    assert ended.any()


def test_humanoids_stand_at_first():
    """Near their start, with 5 for that in each action."""
    env = ph.environments.humanoid(4, ASSETS / "humanoid.xml", seed=2)
    x, _ = env.reset()
    assert x.shape == (4, 45) and np.abs(x[:, 0] - 1.4).max() <= 0.01
    assert np.allclose(np.linalg.norm(x[:, 1:5], axis=1), 1.0)
    before = env.q
    _, paid, terminated, _, _ = env.step(np.full((4, 17), 0.2))
    model = env.scene.model
    moved = (ph.center_of_mass(model, env.q) - ph.center_of_mass(model, before))[:, 0]
    wanted = 1.25 * moved / env.period + 5.0 - 0.1 * 17 * 0.04
    assert np.allclose(paid, wanted, rtol=0, atol=1e-9) and not terminated.any()


@pytest.mark.parametrize("name", ["ant", "half_cheetah", "hopper", "humanoid", "walker2d"])
def test_a_misspelt_option_is_said(name):
    with pytest.raises(TypeError, match=rf"{name}\(\) .*'max_step'; did you mean 'max_steps'"):
        getattr(ph.environments, name)(3, max_step=5)


@pytest.mark.parametrize(
    ("make", "file"), [("ant", "hopper.xml"), ("hopper", "ant.xml"), ("walker2d", "reacher.xml")]
)
def test_a_robot_of_another_kind_is_refused(make, file):
    """Its coordinates were taken for those of a quaternion, or for heights."""
    with pytest.raises(ph.ArgumentError, match="expected a robot in path whose joints are"):
        getattr(ph.environments, make)(1, ASSETS / file)
