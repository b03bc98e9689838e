"""Other libraries beside polhode: what ``polhode bench --peers`` compares with.

Apart from the package, which knows no other library.
"""

from __future__ import annotations

from polhode.cli.bench_models import Subject
from polhode.cli.bench_peers import Peers

from .casadi_code import CasadiCode
from .chains import MujocoChain, PinocchioChain
from .rows import Pinocchio


def _pinocchio(subject: Subject) -> Pinocchio:
    return Pinocchio(subject.model, subject.path, subject.floating)


PEERS = Peers(
    packages=("pin", "example-robot-data", "mujoco", "casadi"),
    rows=_pinocchio,
    extra={"CasADi": CasadiCode},
    # Pinocchio's workspace has four cubes of nv numbers.
    chains={"pinocchio": (PinocchioChain, 301), "mujoco": (MujocoChain, 1023)},
)
