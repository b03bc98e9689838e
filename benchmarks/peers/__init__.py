"""Other libraries beside polhode: what ``polhode bench --peers`` compares with.

Apart from the package, which knows no other library.
"""

from __future__ import annotations

from polhode.cli.bench_models import Subject
from polhode.cli.bench_peers import Peers

from .casadi_code import CasadiCode
from .chains import MujocoChain, PinocchioChain
from .crocoddyl_derivatives import Crocoddyl
from .exudyn_chain import ExudynChain
from .frax_code import Frax
from .rows import Pinocchio


def _pinocchio(subject: Subject) -> Pinocchio:
    return Pinocchio(subject.model, subject.path, subject.floating)


def _casadi(subject: Subject) -> CasadiCode:
    return CasadiCode(subject.model)


PEERS = Peers(
    packages=(
        "pin", "example-robot-data", "mujoco", "casadi", "crocoddyl", "frax", "jax", "exudyn",
    ),
    rows=_pinocchio,
    extra={"CasADi": _casadi, "Crocoddyl": Crocoddyl, "frax": Frax},
    # Pinocchio's workspace has four cubes of nv numbers; Exudyn factorises dense matrices.
    chains={
        "Pinocchio": (PinocchioChain, 301),
        "MuJoCo": (MujocoChain, 1023),
        "Exudyn": (ExudynChain, 301),
    },
)  # fmt: skip
