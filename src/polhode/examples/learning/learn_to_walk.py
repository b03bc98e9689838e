"""A robot learns to walk.

    python examples/learning/learn_to_walk.py [--iterations 30] [--seed 0] [--output FOLDER]

It has a fore and a hind leg, and a linear policy.  The method is augmented random search (Mania,
Guy and Recht 2018).  Each iteration changes the
policy at random, in opposite directions, and tries all of them in one vector environment.  Then
the policy moves along the directions that made the greatest difference.  Only NumPy is needed.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import polhode as ph
from polhode.environments import VectorEnv
from polhode.model import Capsule, Plane, Prismatic, Revolute, Sphere, Visual
from polhode.recording.svg import line_plot
from polhode.spatial import Transform, rotation_y

# %%
# A trunk that moves in a plane, and a leg at each of its ends.  Springs in hips and knees carry it,
# and motors move them.
TRUNK, LIMB, RADIUS = 0.6, 0.25, 0.03  # [m]
HIP, KNEE = 0.5, -1.0  # angles in which it stands [rad]
HEIGHT = 2 * LIMB * np.cos(HIP) + RADIUS
FOOT = Transform.translation(0, 0, -LIMB)
LENGTHWAYS = Transform.rotation(rotation_y(np.pi / 2))


def limb(mass: float) -> dict[str, Any]:
    """Mass and looks of half a leg, which hangs from its joint."""
    across, middle = mass * LIMB**2 / 12.0, (0.0, 0.0, -LIMB / 2)
    looks = Visual(Capsule(RADIUS, LIMB), Transform.translation(*middle))
    return {"mass": mass, "com": middle, "inertia": (across, across, 0.1 * across),
            "visuals": [looks]}  # fmt: skip


def robot() -> ph.Model:
    model = ph.Model("walker").append("slide", joint=Prismatic.x())
    model = model.append("lift", joint=Prismatic.z())
    model = model.append("trunk", joint=Revolute.y(), mass=10.0, inertia=(0.05, 0.3, 0.3),
                         visuals=[Visual(Capsule(0.06, TRUNK), LENGTHWAYS)])  # fmt: skip
    for leg, x in (("fore", TRUNK / 2), ("hind", -TRUNK / 2)):
        hip, knee = f"{leg}_hip", f"{leg}_knee"
        springs = {"stiffness": 60.0, "damping": 1.5, "armature": 0.01}
        model = model.add(
            hip,
            parent="trunk",
            frame=Transform.translation(x, 0, 0),
            joint=Revolute.y(),
            rest=HIP,
            limits=(-0.5, 1.5),
            **springs,
            **limb(1.0),
        )
        model = model.add(knee, parent=hip, frame=FOOT, joint=Revolute.y(), rest=KNEE,
                          limits=(-2.0, -0.1), **springs, **limb(0.6))  # fmt: skip
        for joint in (hip, knee):
            model = model.add_motor(joint, joint=joint, gear=40.0, control_range=(-1.0, 1.0))
    return model


def scene() -> ph.Scene:
    feet = [(f"{leg}_knee", Sphere(RADIUS), FOOT) for leg in ("fore", "hind")]
    start = (0.0, HEIGHT + 0.08, 0.0, HIP, KNEE, HIP, KNEE)  # above the ground, however changed
    world = ph.Scene("walk").add_fixed("ground", Plane()).contact(mu_coulomb=0.9)
    return world.add_machine(robot(), "walker", q=start, geometries=feet)


# %%
# Observation, reward and end of an episode.  Speed beyond 1.5 m/s earns no more.
PERIOD, SPEED, ACTIONS = 0.02, 1.5, 400


def observe(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return np.concatenate([q[:, 1:], qd], axis=1)


def reward(
    q0: np.ndarray, qd0: np.ndarray, controls: np.ndarray, q1: np.ndarray, qd1: np.ndarray
) -> np.ndarray:
    speed = (q1[:, 0] - q0[:, 0]) / PERIOD
    return np.minimum(speed, SPEED) - 0.02 * (np.clip(controls, -1, 1) ** 2).sum(axis=1)


def done(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    return (q[:, 1] < 0.5 * HEIGHT) | (np.abs(q[:, 2]) > 0.8)


def environment(n: int, seed: int) -> VectorEnv:
    return VectorEnv(
        scene(), n, observe=observe, reward=reward, done=done, dt=PERIOD / 4, steps_per_action=4,
        reset_noise=0.05, seed=seed, max_steps=ACTIONS,
    )  # fmt: skip


# %%
# Observations are normalised by the mean and deviation of all that were seen.
class Normalised:
    def __init__(self, size: int):
        self.count: int = 0
        self.sum: np.ndarray = np.zeros(size)
        self.squares: np.ndarray = np.zeros(size)

    def add(self, x: np.ndarray) -> None:
        self.count += len(x)
        self.sum = self.sum + x.sum(axis=0)
        self.squares = self.squares + (x**2).sum(axis=0)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        mean = self.sum / self.count
        return (x - mean) / np.sqrt(np.maximum(self.squares / self.count - mean**2, 1e-6))


def returns(env: VectorEnv, policies: np.ndarray, normalised: Normalised) -> np.ndarray:
    """Of one episode of each policy, shape (n, actions, observations)."""
    x, _ = env.reset()
    total, running, seen = np.zeros(len(policies)), np.ones(len(policies), bool), [x]
    while running.any():
        actions = (policies @ normalised(x)[:, :, None])[:, :, 0]
        x, paid, terminated, truncated, _ = env.step(actions)
        total += np.where(running, paid, 0.0)
        running &= ~(terminated | truncated)
        seen.append(x[running])
    normalised.add(np.concatenate(seen))
    return total


# %%
# The search.  The last worlds run the policy itself, to see how good it is.
PAIRS, BEST, ITSELF = 120, 30, 16
STEP, NOISE = 0.1, 0.1


def learn(iterations: int, seed: int) -> tuple[np.ndarray, Normalised, list[float]]:
    """The policy, what normalises its observations, and its return in each iteration."""
    rng, env = np.random.default_rng(seed), environment(2 * PAIRS + ITSELF, seed)
    first, _ = env.reset()
    normalised, began, history = Normalised(first.shape[1]), perf_counter(), []
    normalised.add(first)
    policy = np.zeros((env.scene.n_controls, first.shape[1]))
    for k in range(1, iterations + 1):
        changes = rng.normal(size=(PAIRS, *policy.shape))
        tried = NOISE * np.concatenate([changes, -changes, np.zeros((ITSELF, *policy.shape))])
        found = returns(env, policy + tried, normalised)
        history.append(float(found[-ITSELF:].mean()))
        if k == 1 or k % 5 == 0:
            print(f"iteration {k:3d}: return {history[-1]:6.1f}, of the best change "
                  f"{found.max():6.1f}; {perf_counter() - began:5.1f} s", flush=True)  # fmt: skip
        pairs = found[: 2 * PAIRS].reshape(2, PAIRS)
        best = np.argsort(pairs.max(axis=0))[-BEST:]
        difference = pairs[0, best] - pairs[1, best]
        way = np.tensordot(difference, changes[best], axes=1) / BEST
        policy = policy + STEP / pairs[:, best].std() * way
    return policy, normalised, history


# %%
# The film starts as an episode does, and goes on with the event-driven integrator.
CAMERA: dict[str, Any] = {"body": "walker/trunk", "direction": (0.2, -1.0, 0.2)}


def walk(policy: np.ndarray, normalised: Normalised, duration: float) -> ph.Recording:
    def act(t: float, state) -> np.ndarray:
        return policy @ normalised(observe(state.q[None], state.qd[None]))[0]

    held, start = ph.simulation.zero_order_hold(act, PERIOD), environment(1, seed=0)
    begun = scene().with_start("walker", q=start.q[0], qd=start.qd[0])
    return ph.simulate(begun, duration, dt=2e-3, controls=held, record=PERIOD, progress=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="a folder for the curve and the animation")
    options = parser.parse_args()
    policy, normalised, history = learn(options.iterations, options.seed)
    print(f"seed {options.seed}: return {max(history):.1f} of at most {ACTIONS * SPEED:.0f}")
    if options.output is None:
        return
    options.output.mkdir(parents=True, exist_ok=True)
    curve = line_plot(np.arange(1, len(history) + 1), [("return", np.array(history))],
                      title="Learning to walk", x="iteration", y="return")  # fmt: skip
    (options.output / "return.svg").write_text(curve, encoding="utf-8")
    run = walk(policy, normalised, ACTIONS * PERIOD)
    print(f"walks {run.q[-1, 0]:.2f} m in {run.times[-1]:.1f} s")
    ph.show(run, options.output / "walk.html", open_browser=False, camera=CAMERA)


if __name__ == "__main__":
    main()
