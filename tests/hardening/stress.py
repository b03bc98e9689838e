"""A process that begins with many threads at once: ``python stress.py SEED [scenes]``.

What it does follows from the seed.  Threads call entry points for models of their own and for
models that they share, while others change the number of threads, collect garbage and fork.
Each result is computed again at the end, by one thread and for a new model, bit by bit.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import polhode as ph
from polhode import rbdl, spatial_v2
from polhode.model import Plane, Revolute, Sphere
from polhode.spatial import Transform

SECONDS = 400.0  # after which a process is stuck, and shows where: scenes take long to compile
CHILD_SECONDS = 60.0
Q = np.linspace(0.1, 0.4, 3)
BATCH = np.linspace(-1.0, 1.0, 3 * 700).reshape(700, 3)


def chain(mass: float) -> ph.Model:
    model = ph.Model("chain")
    for k in range(3):
        model = model.add(
            f"link{k}", parent=f"link{k - 1}" if k else None, joint=Revolute.y(), mass=mass + k,
            com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02),
            frame=Transform.translation(0.0, 0.0, -1.0 if k else 0.0),
        )  # fmt: skip
    return model


def dynamics(model: ph.Model) -> list:
    one = ph.inverse_dynamics(model, Q, Q, Q), ph.forward_dynamics(model, Q, Q, Q)
    return [*one, ph.mass_matrix(model, BATCH), ph.forward_dynamics(model, *[BATCH] * 3)]


def single_precision(model: ph.Model) -> list:
    q = BATCH.astype(np.float32)
    return [ph.inverse_dynamics(model, q, q, q), ph.mass_matrix(model, q[0])]


def derivatives(model: ph.Model) -> list:
    return [
        *ph.forward_dynamics_derivatives(model, Q, Q, Q),
        ph.body_jacobian(model, BATCH, "link2"),
    ]


def constrained(model: ph.Model) -> list:
    held = ph.constraints.ConstraintSet(model).contact("link2", (0.0, 0.0, -1.0), (0.0, 0.0, 1.0))
    return list(ph.constrained_dynamics(model, held, Q, Q, Q)[:2])


def inverse_kinematics(model: ph.Model) -> list:
    goal = ph.point_position(model, 1.3 * Q, "link2", (0.0, 0.0, -1.0))
    targets = ph.kinematics.Targets(model).point("link2", (0.0, 0.0, -1.0), goal)
    return [ph.inverse_kinematics(model, targets, Q).q]


def rollout(model: ph.Model) -> list:
    return [ph.rollout(model, q=BATCH[:40], steps=20, dt=1e-3).q]


def simulate(model: ph.Model) -> list:
    return [ph.simulate(model, 0.03, q0=Q, progress=False).q]


def compiled(model: ph.Model) -> list:
    program = ph.compile(lambda m, q, qd: ph.inverse_dynamics(m, q, qd, qd), model)
    return [program(BATCH, BATCH), program.jacobian("q")(Q, Q)]


def facade(model: ph.Model) -> list:
    own, mass = rbdl.Model(), float(model.links[0].body.mass)
    link = rbdl.Body(mass, [0.0, 0.0, -0.5], np.diag([0.1, 0.1, 0.02]))
    turn = rbdl.Joint([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    for k in range(3):
        own.AppendBody(rbdl.Xtrans([0.0, 0.0, -1.0 if k else 0.0]), turn, link, f"link{k}")
    force = np.zeros(3)
    rbdl.InverseDynamics(own, Q, Q, Q, force)
    return [force]


def matlab(model: ph.Model) -> list:
    tree = spatial_v2.autoTree(3, 1.5, 0.3, 0.9)
    return [spatial_v2.FDab(tree, Q, Q, Q), *spatial_v2.HandC(tree, Q, Q)]


def sweep(model: ph.Model) -> list:
    def inertia(x: float) -> float:
        return float(ph.mass_matrix(model, [x, 0.1, 0.2])[0, 0])

    with ThreadPoolExecutor(3) as pool:
        found = ph.sweep(inertia, {"x": [0.1, 0.2, 0.3]}, executor=pool, progress=False)
    return [np.array(found.results, float)]


def ball(model: ph.Model) -> list:
    mass = float(model.links[0].body.mass)
    scene = ph.Scene().add_fixed("floor", Plane())
    scene = scene.add_body("ball", Sphere(0.1), mass=mass, position=(0, 0, 0.12)).contact()
    return [ph.simulate(scene, 0.1, progress=False).q]


COLD = [dynamics, single_precision, derivatives, constrained, inverse_kinematics, rollout,
        simulate, compiled, facade, matlab, sweep]  # fmt: skip
Job = tuple[Callable[[ph.Model], list], int]


def main(seed: int, has_scenes: bool) -> None:
    rng, began = random.Random(seed), time.monotonic()
    n_threads, jobs = plan(rng, has_scenes)
    held = [np.empty(rng.randrange(1, 6) << 30, np.uint8) for _ in range(rng.choice([0, 1, 3, 8]))]
    models = [chain(1.0 + k / 8) for k in range(4)]
    results: dict[tuple[int, int], bytes] = {}
    errors: list[BaseException] = []
    start = threading.Barrier(n_threads + 1)

    def work(k: int) -> None:
        try:
            start.wait()
            for n, (job, which) in enumerate(jobs[k]):
                model = models[which] if which < 4 else chain(which / 8.0)
                results[k, n] = _bits(job(model))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(n_threads)]
    for thread in threads:
        thread.start()
    start.wait()
    children = []
    while any(thread.is_alive() for thread in threads) and not errors:
        children += _disturb(rng, models, len(children))
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    for pid, until in children:
        _await(pid, until)
    _check(jobs, results)
    text = f"{n_threads} threads, {len(results)} results, {len(children)} forks, "
    print(f"seed {seed}: {text}{len(held)} large arrays, {time.monotonic() - began:.1f} s")


def plan(rng: random.Random, has_scenes: bool) -> tuple[int, list[list[Job]]]:
    """How many threads there are, and what each does to which model; 4 and more are its own."""
    n_threads = rng.choice([2, 3, 4, 8, 16, 32])
    kinds = [*COLD, ball, ball] if has_scenes else COLD
    kinds = rng.sample(kinds, rng.randint(2, 5))
    most = max(1, 24 // n_threads)
    return n_threads, [
        [(rng.choice(kinds), rng.choice([0, 1, 2, 3, 4 + rng.randrange(12)])) for _ in range(most)]
        for _ in range(n_threads)
    ]


def _disturb(rng: random.Random, models: list[ph.Model], n: int) -> list[tuple[int, float]]:
    """What else happens in a process; the children that it made."""
    time.sleep(rng.random() * 0.05)
    action = rng.randrange(4)
    if action == 0:
        ph.set_num_threads(rng.choice([None, 1, 2, 3, 8, 40]))
    elif action == 1:
        gc.collect()
    elif action == 2 and n < 4:
        sys.stdout.flush()
        pid = os.fork()
        if not pid:
            _child(models)
        return [(pid, time.monotonic() + CHILD_SECONDS)]
    return []


def _child(models: list[ph.Model]) -> None:
    """A forked child computes with what its parent has made, and with what it makes itself."""
    signal.alarm(round(CHILD_SECONDS - 5.0))  # shows where it is, and ends it
    code = 1
    try:
        ph.set_num_threads(2)
        for model in (models[0], chain(7.0)):
            a = ph.forward_dynamics(model, Q, Q, Q)
            force = ph.inverse_dynamics(model, [Q] * 300, [Q] * 300, [a] * 300)
            code = 0 if np.allclose(force, Q, atol=1e-9) else 3
            if code:
                break
    finally:
        os._exit(code)


def _await(pid: int, until: float) -> None:
    done, status = os.waitpid(pid, os.WNOHANG)
    while not done and time.monotonic() < until:
        time.sleep(0.01)
        done, status = os.waitpid(pid, os.WNOHANG)
    if not done:
        os.kill(pid, signal.SIGKILL)
        raise AssertionError("a forked child did not end")
    assert status == 0, f"a forked child ended with {status}"


def _check(jobs: list[list[Job]], results: dict[tuple[int, int], bytes]) -> None:
    """Every result has the bits that one thread finds, for a model that nobody has used."""
    ph.set_num_threads(1)
    expected: dict[Job, bytes] = {}
    for (k, n), found in results.items():
        job, which = jobs[k][n]
        if (job, which) not in expected:
            fresh = chain(1.0 + which / 8 if which < 4 else which / 8.0)
            expected[job, which] = _bits(job(fresh))
        assert found == expected[job, which], (job.__name__, which)
    assert len(results) == sum(map(len, jobs))


def _bits(arrays: list) -> bytes:
    return b"".join(np.ascontiguousarray(x).tobytes() for x in arrays)


if __name__ == "__main__":
    faulthandler.enable()
    faulthandler.register(signal.SIGALRM, chain=True)
    signal.alarm(round(SECONDS))
    main(int(sys.argv[1]), "scenes" in sys.argv)
    signal.alarm(0)
