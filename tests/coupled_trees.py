"""Random trees some of whose joints follow others, and the same trees without that."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from polhode import algorithms
from polhode.algorithms.tree import floating_base
from polhode.binding.plain import run_plain
from polhode.model import JointDynamics, Mimic, Model
from random_trees import Generator, random_state, tree

FOLLOWING = ("revolute x", "revolute", "revolute z", "prismatic", "screw")
OTHER = ("spherical", "universal", "helical", "floating", "fixed", "axes", "euler ZYX")


@dataclass(frozen=True)
class Pair:
    """A model with coupled joints, and the same one whose joints are all independent.

    ``q`` of the latter is ``pick`` of that of the former, times ``factor``, and ``offset`` more;
    ``G`` is the derivative of its velocities by those of the former.
    """

    coupled: Model
    independent: Model
    pick: np.ndarray
    factor: np.ndarray
    offset: np.ndarray
    G: np.ndarray

    def q(self, q: np.ndarray) -> np.ndarray:
        return q[..., self.pick] * self.factor + self.offset

    def v(self, v: np.ndarray) -> np.ndarray:
        return v @ self.G.T

    def state(self, seed: int):
        """Positions, velocities and accelerations of both, and forces of the independent one."""
        q, qd, qdd, _ = random_state(self.coupled, seed)
        tau = np.random.default_rng((seed, 7)).standard_normal(self.independent.nv)
        return (q, qd, qdd), (self.q(q), self.v(qd), self.v(qdd)), tau


def pair_of(model: Model) -> Pair:
    """A model with coupled joints, and what belongs to it."""
    links = [link if link.mimic is None else replace(link, mimic=None) for link in model.links]
    independent = replace(model, links=tuple(links))
    nq, nv = independent.nq, independent.nv
    pick, factor, offset = np.zeros(nq, int), np.ones(nq), np.zeros(nq)
    G = np.zeros((nv, model.nv))
    every = {link.joint_name: link for link in model.links}
    for joint in independent.joints:
        multiplier, shift, leader = 1.0, 0.0, joint.name
        while (mimic := every[leader].mimic) is not None:
            shift, multiplier = shift + multiplier * mimic.offset, multiplier * mimic.multiplier
            leader = mimic.joint
        at = model.joint(leader)
        here = np.arange(nq)[joint.q]
        pick[here] = np.arange(model.nq)[at.q]
        factor[here], offset[here] = multiplier, shift
        for k, n in zip(np.arange(nv)[joint.v], np.arange(model.nv)[at.v], strict=True):
            G[k, n] = multiplier
    return Pair(model, independent, pick, factor, offset, G)


def random_dynamics(rng: Generator, nv: int) -> JointDynamics:
    rows = rng.uniform(0.1, 1.0, (5, nv)).tolist()
    return JointDynamics(*(tuple(row) for row in rows))


def coupled_tree(seed: int, n: int = 7, first: str | None = None) -> Pair:
    """A random tree; about half of its joints of one axis follow others, in any order."""
    rng = np.random.default_rng((seed, 11))
    kinds = [str(rng.choice(FOLLOWING if rng.random() < 0.7 else OTHER[:4])) for _ in range(n)]
    kinds[1], kinds[2] = "revolute", "revolute z"
    kinds[0] = first or kinds[0]
    parents = [-1, *(int(rng.integers(0 if first else -1, i)) for i in range(1, n))]
    model = tree(kinds, parents, seed)
    lines = [i for i, kind in enumerate(kinds) if kind in FOLLOWING]
    order = rng.permutation(lines).tolist()  # each follows one before it here
    links = list(model.links)
    for place, i in enumerate(order):
        if place and (place == 1 or rng.random() < 0.6):
            multiplier, offset = rng.uniform(-2.0, 2.0), rng.uniform(-0.5, 0.5)
            leader = links[order[int(rng.integers(0, place))]].joint_name
            links[i] = replace(links[i], mimic=Mimic(leader, multiplier, offset, coupled=True))
    for i, link in enumerate(links):
        if link.joint.nv and kinds[i] not in ("floating", "fixed"):
            links[i] = replace(link, dynamics=random_dynamics(rng, link.joint.nv))
    return pair_of(replace(model, links=tuple(links)))


def plain(function, model: Model, *arguments, **options):
    """The result of an algorithm run without compiling."""
    named = getattr(algorithms, function, None) or getattr(floating_base, function)
    return run_plain(named, model, arguments, **options)
