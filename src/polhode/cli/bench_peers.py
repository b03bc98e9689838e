"""Other libraries beside polhode: what the measurements ask of them.

The libraries themselves are asked in ``benchmarks/peers`` of the repository.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..errors import ModelError
from ..model import Model
from .bench_models import Subject
from .bench_rows import Row, States

_ROOT = Path(__file__).parents[3]


class Peer(Protocol):
    """Another library's model of one of ours."""

    last_body: int

    def value(self, row: Row, states: States, k: int) -> np.ndarray:
        """Its result for state ``k``, in our coordinates."""
        ...

    def ours(self, row: Row, result: Any, k: int) -> np.ndarray:
        """Our result for state ``k``, as far as the other library has it."""
        ...

    def mass_matrix(self, states: States, k: int) -> np.ndarray:
        """Its own inertia matrix, to judge how well conditioned a state is."""
        ...

    def single(self, row: Row, states: States) -> Callable[[], Any]:
        """A call that does the row's work for one state."""
        ...

    def batch(self, row: Row, states: States, threads: int) -> Callable[[], Any] | None:
        """A call that does the row's work for all states in parallel, where there is one."""
        ...


class ExtraPeer(Protocol):
    """Code that another library makes of one of our models, for some rows, on one thread."""

    def bound(
        self, row: Row, states: States, count: int
    ) -> tuple[Callable[[], Any], np.ndarray] | None:
        """A call that does the row's work for so many states, and where its results are.

        None for a row that it does not have.
        """
        ...


class ChainPeer(Protocol):
    """Another library's model of many equal links."""

    def difference(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> float:
        """Of ``tau`` to the force that moves the model so, relative to the largest."""
        ...

    def work(self, row: str, arrays: Sequence[np.ndarray]) -> Callable[[], Any] | None:
        """One run over all states; None for a row that it does not have."""
        ...


@dataclass(frozen=True)
class Peers:
    """What a comparison brings; of the peers of chains also the most bodies they are given.

    ``extra`` and ``chains`` are left out, with a message, where they are not installed.
    """

    packages: tuple[str, ...]
    rows: Callable[[Subject], Peer]
    extra: Mapping[str, Callable[[Subject], ExtraPeer]]
    chains: Mapping[str, tuple[Callable[[Model], ChainPeer], int]]


def peers_of_checkout() -> Peers:
    """The comparison that the repository has.

    Raises
    ------
    ModelError
        If this is an installed package, without the repository around it.
    """
    if not (_ROOT / "benchmarks/peers/__init__.py").is_file():
        raise ModelError(
            "the comparison with Pinocchio and MuJoCo is not in the package but in its "
            "repository: run `make bench` there, or leave out --peers"
        )
    sys.path.insert(0, str(_ROOT))
    return import_module("benchmarks.peers").PEERS
