"""Whether a scene that was written and read moves as before, whatever the order of its joints."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode import algorithms
from polhode.algorithms import crba, passive_forces, rnea
from polhode.binding.plain import run_plain
from polhode.spatial import Transform

ROUNDING = 1e-12  # of the largest entry


def near(found, expected, tolerance=ROUNDING):
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def dynamics(model, q, qd):
    """Joint-space inertia, bias forces and passive forces."""
    q, qd = model.split_q(q), model.split_v(qd)
    at_rest = {i: (0.0,) * len(model.v_index[i]) for i in model.bodies}
    forces = (rnea(model, q, qd, at_rest), passive_forces(model, q, qd))
    H = np.array(crba(model, q), dtype=float).reshape(model.nv, model.nv)
    return H, *(np.array(model.join_v(tau), dtype=float) for tau in forces)


def poses(model, q):
    """The transform to every body, from the base."""
    X, parts = {0: Transform.identity()}, model.split_q(q)
    for i in model.bodies:
        X[i] = model.joint[i].jcalc(parts[i]).XJ @ model.X_tree[i] @ X[model.parent[i]]
    return {link.name: (body := model.body(link.name)).frame @ X[int(body.moving)]
            for link in model.links}  # fmt: skip


def within_limits(scene: ph.Scene) -> np.ndarray:
    """The start of a scene, as the reader of MJCF moves it to the nearer limit."""
    q = np.array(scene.q0)
    for machine in scene.machines:
        for joint in machine.model.joints:
            if joint.kind.nv == 1:
                settings = machine.settings(joint)
                at = scene.model.joint(f"{machine.name}/{joint.name}").q
                if settings.lower < settings.upper:
                    q[at] = np.clip(q[at], settings.lower, settings.upper)
    return q


def same_motion(scene: ph.Scene, again: ph.Scene) -> None:
    """Mass, start, inertia, forces and poses of two scenes agree, joint by joint and by name."""
    first, second = scene.model, again.model
    assert first.nv == second.nv
    own = {joint.name: f"{machine.name}/{joint.name}"
           for machine in again.machines for joint in machine.model.joints}  # fmt: skip
    at_q, at_v = [], []  # where the entries of the first are in the second
    for machine in scene.machines:
        for joint in machine.model.joints:
            names = [own[joint.name]]
            k = 0
            while f"{joint.name}/{k}" in own:
                names.insert(-1, own[f"{joint.name}/{k}"])
                k += 1
            joints = [second.joint(name) for name in names]
            at_q.append(np.concatenate([np.arange(second.nq)[each.q] for each in joints]))
            at_v.append(np.concatenate([np.arange(second.nv)[each.v] for each in joints]))
    every_q = np.concatenate([np.arange(first.nq)[joint.q] for joint in first.joints] or [[]])
    every_v = np.concatenate([np.arange(first.nv)[joint.v] for joint in first.joints] or [[]])
    to_q = np.zeros(first.nq, dtype=int)
    to_v = np.zeros(first.nv, dtype=int)
    if first.nv:
        to_q[every_q], to_v[every_v] = np.concatenate(at_q), np.concatenate(at_v)
    near(np.array(again.q0)[to_q], within_limits(scene))
    rng = np.random.default_rng(5)
    for _ in range(2):
        step = 0.4 * rng.standard_normal(first.nv)
        q = np.array(run_plain(algorithms.integrate, first, (scene.q0, step, 1.0)), dtype=float)
        qd = rng.standard_normal(first.nv)
        q2, qd2 = np.zeros(second.nq), np.zeros(second.nv)
        q2[to_q], qd2[to_v] = q, qd
        q, qd, q2, qd2 = (x.tolist() for x in (q, qd, q2, qd2))
        H, *forces = dynamics(first, q, qd)
        H2, *forces2 = dynamics(second, q2, qd2)
        near(H2[np.ix_(to_v, to_v)], H)
        for found, expected in zip(forces2, forces, strict=True):
            near(found[to_v], expected)
        places, places2 = poses(first, q), poses(second, q2)
        links = {link: f"{machine.name}/{link}"
                 for machine in again.machines for link in machine.link_names}  # fmt: skip
        for machine in scene.machines:
            for link in machine.model.links:
                is_virtual = link.joint.nv and link.body.is_massless
                if link.name in links and not is_virtual:
                    X, found = places[f"{machine.name}/{link.name}"], places2[links[link.name]]
                    near(tuple(found.r), tuple(X.r))
                    near(found.E.rows(), X.E.rows())
    near(second.mass, first.mass)
