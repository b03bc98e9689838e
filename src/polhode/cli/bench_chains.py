"""How time grows with the number of bodies: chains, binary trees and hands, alone or beside peers.

Every link has one revolute joint.  States are few, so that long chains stay in the caches as well
as short ones.  Results are compared before anything is timed.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from .. import algorithms
from ..api.manifold import random_configuration
from ..binding.programs import compile
from ..errors import ModelError
from ..model import Link, Model, Revolute, RigidBody
from ..spatial import Transform
from .bench_peers import ChainPeer, Peers
from .terminal import Output
from .timing import best

SIZES: dict[str, tuple[int, ...]] = {
    "chain": (30, 100, 300, 1000, 3000),
    "binary tree": (31, 127, 511, 1023),
    "hand": (31, 101, 301, 1001),  # fingers of five joints
}
_STATES = 64
_PEER_WORK = 20000  # bodies times states of a peer's run, which may take milliseconds a state
_TOLERANCE = 1e-9
_BODY = RigidBody(1.0, (0.0, 0.0, -0.05), ((1e-3, 0.0, 0.0), (0.0, 1e-3, 0.0), (0.0, 0.0, 1e-4)))
_AXES = (Revolute.x(), Revolute.y(), Revolute.z())


@dataclass
class Measured:
    """Of one chain and algorithm: processor time to compile, time for a body and state."""

    machine: str
    n_bodies: int
    row: str
    compile_s: float
    ns: float
    peers_ns: dict[str, float] = field(default_factory=dict)
    difference: float | None = None


def machine_model(kind: str, n: int) -> Model:
    """``n`` equal links: one after the other, in a binary tree, or in fingers on a palm."""
    parents = {
        "chain": lambda k: k - 1,
        "binary tree": lambda k: (k - 1) // 2,
        "hand": lambda k: 0 if k % 5 == 1 else k - 1,
    }
    links = []
    for k in range(n):
        p = parents[kind](k) if k else None
        sideways = 0.0 if kind == "chain" else 0.02 * (k % 7 - 3)
        frame = Transform.translation(sideways, 0.0, -0.1)
        parent = None if p is None else f"link{p}"
        links.append(Link(f"link{k}", parent, _AXES[k % 3], frame, _BODY))
    return Model(f"{kind} of {n}", tuple(links))


def chains(output: Output, *, peers: Peers | None, fast: bool) -> tuple[list[dict[str, Any]], int]:
    """Measure all chains; their numbers, and how many results disagree with a peer's."""
    report, wrong = [], 0
    for kind, sizes in SIZES.items():
        output.head(f"{kind}: links with one revolute joint each, {_STATES} states")
        for n in sizes[:2] if fast else sizes:
            for measured in _machine(kind, n, peers, 3 if fast else 12, output):
                report.append(asdict(measured))
                output.say(_line(measured))
                if measured.difference is not None and not measured.difference <= _TOLERANCE:
                    output.warn(f"{kind} of {n}: differs by {measured.difference:.1e}")
                    wrong += 1
    return report, wrong


_ROWS = {algorithms.inverse_dynamics: "rnea", algorithms.forward_dynamics: "aba"}
"""What peers call the algorithms that are measured beside theirs."""


def _machine(
    kind: str, n: int, peers: Peers | None, repeats: int, output: Output
) -> Iterator[Measured]:
    model = machine_model(kind, n)
    others = _others(model, peers, output) if peers else {}
    rng = np.random.default_rng(0)
    q = random_configuration(model, rng, size=(_STATES,))
    v, a = (rng.standard_normal((_STATES, n)) for _ in range(2))
    yield _measure(kind, model, algorithms.inverse_dynamics, (q, v, a), others, repeats)
    yield _measure(kind, model, algorithms.forward_dynamics, (q, v, a), others, repeats)
    yield _measure(kind, model, algorithms.inertia_times, (q, v), {}, repeats)


def _others(model: Model, peers: Peers, output: Output) -> dict[str, ChainPeer]:
    """The peers that are installed and take so many bodies; it is said which are not installed."""
    found = {}
    for name, (peer, most) in peers.chains.items():
        if model.n_bodies <= most:
            try:
                found[name] = peer(model)
            except ModelError as error:
                output.say(f"  {error}; left out")
    return found


def _measure(
    kind: str,
    model: Model,
    function: Callable[..., Any],
    arrays: tuple,
    others: dict[str, ChainPeer],
    repeats: int,
) -> Measured:
    with _empty_cache():
        start = time.process_time()
        program = compile(function, model)
        out = program(*arrays)
        elapsed = time.process_time() - start
    work = model.n_bodies * _STATES
    ns = best(lambda: program(*arrays, out=out), repeats) / work * 1e9
    row = _ROWS.get(function, function.__name__)
    measured = Measured(kind, model.n_bodies, row, elapsed, ns)
    if others:
        wanted = (arrays[0], arrays[1], arrays[2] if row == "rnea" else out)
        force = out if row == "rnea" else arrays[2]
        measured.difference = max(peer.difference(*wanted, force) for peer in others.values())
        few = [x[: max(4, _PEER_WORK // model.n_bodies)] for x in arrays]
        work = model.n_bodies * len(few[0])
        for name, peer in others.items():
            run = peer.work(row, few)
            if run is not None:
                measured.peers_ns[name] = best(run, max(2, repeats // 4)) / work * 1e9
    return measured


@contextmanager
def _empty_cache() -> Iterator[None]:
    """No compiled program is found, and those made are thrown away."""
    before = os.environ.get("POLHODE_CACHE_DIR")
    with tempfile.TemporaryDirectory(prefix="polhode-cache-") as folder:
        os.environ["POLHODE_CACHE_DIR"] = folder
        try:
            yield
        finally:
            del os.environ["POLHODE_CACHE_DIR"]
            if before is not None:
                os.environ["POLHODE_CACHE_DIR"] = before


def _line(m: Measured) -> str:
    text = f"  {m.n_bodies:5d} {m.row:<11} compile {m.compile_s:6.2f} s   {m.ns:7.2f} ns a body"
    for name, theirs in m.peers_ns.items():
        text += f"   {name} {theirs:8.1f} ({theirs / m.ns:6.1f}x)"
    return text
