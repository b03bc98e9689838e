"""Pinocchio and MuJoCo on machines of revolute joints, in our coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from polhode.errors import ModelError
from polhode.model import Model, Revolute

from .rows import Pinocchio

_CHECKED = 2


class PinocchioChain:
    """Its own parallel functions, on one thread."""

    def __init__(self, model: Model):
        peer = Pinocchio(model, None, False)
        self.pin: Any = peer.pin
        self.theirs: Any = peer.theirs
        self.data: Any = peer.data
        self.order: np.ndarray = np.zeros(model.nv, int)
        for pair in peer.pairs:
            self.order[self.theirs.joints[pair.joint].idx_v] = pair.v[0]
        self.pool: Any = self.pin.ModelPool(self.theirs, 1)

    def difference(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> float:
        """Of ``tau`` to the force that moves the machine so, relative to the largest.

        Forces that cancel count: those of inertia and the bias forces.
        """
        worst = 0.0
        for k in range(_CHECKED):
            x = [np.ascontiguousarray(y[k, self.order]) for y in (q, v, a)]
            theirs = self.pin.rnea(self.theirs, self.data, *x).copy()
            bias = self.pin.nonLinearEffects(self.theirs, self.data, *x[:2])
            worst = max(worst, _relative(tau[k, self.order], theirs, bias))
        return worst

    def work(self, row: str, arrays: Sequence[np.ndarray]) -> Callable[[], Any]:
        """One run over all states."""
        function = self.pin.rneaInParallel if row == "rnea" else self.pin.abaInParallel
        columns = [np.asfortranarray(x[:, self.order].T) for x in arrays]
        out = np.zeros_like(columns[-1])
        return lambda: function(1, self.pool, *columns, out)


class MujocoChain:
    """``mj_inverse`` and ``mj_forward`` without contacts, limits and constraints."""

    def __init__(self, model: Model):
        try:
            import mujoco
        except ImportError:
            raise ModelError("MuJoCo is not installed: pip install mujoco") from None
        self.mujoco: Any = mujoco
        spec = mujoco.MjSpec()
        spec.option.gravity = [float(x) for x in model.gravity.lin]
        flags = mujoco.mjtDisableBit
        spec.option.disableflags = int(flags.mjDSBL_CONTACT | flags.mjDSBL_CONSTRAINT)
        bodies: dict[str | None, Any] = {None: spec.worldbody}
        for link in model.links:
            body = bodies[link.parent].add_body(name=link.name, pos=list(link.frame.r))
            if not isinstance(link.joint, Revolute):
                raise ModelError(f"expected revolute joints, got a {link.joint.name} joint")
            body.add_joint(name=link.name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=link.joint.axis)
            rigid = link.body
            body.mass, body.ipos = rigid.mass, rigid.com
            body.inertia = np.diag(np.array(rigid.inertia))
            body.explicitinertial = True
            bodies[link.name] = body
        self.theirs: Any = spec.compile()
        self.data: Any = mujoco.MjData(self.theirs)
        at = [self.theirs.joint(link.name).dofadr[0] for link in model.links]
        self.order: np.ndarray = np.argsort(at)

    def difference(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> float:
        """As of `PinocchioChain`."""
        d, worst = self.data, 0.0
        for k in range(_CHECKED):
            d.qpos[:], d.qvel[:], d.qacc[:] = (x[k, self.order] for x in (q, v, a))
            self.mujoco.mj_inverse(self.theirs, d)
            worst = max(worst, _relative(tau[k, self.order], d.qfrc_inverse, d.qfrc_bias))
        return worst

    def work(self, row: str, arrays: Sequence[np.ndarray]) -> Callable[[], Any]:
        """One run over all states."""
        mujoco, m, d = self.mujoco, self.theirs, self.data
        states = [tuple(x[k, self.order] for x in arrays) for k in range(len(arrays[0]))]
        step = mujoco.mj_inverse if row == "rnea" else mujoco.mj_forward
        target = d.qacc if row == "rnea" else d.qfrc_applied

        def run() -> None:
            for q, v, x in states:
                d.qpos[:], d.qvel[:], target[:] = q, v, x
                step(m, d)

        return run


def _relative(ours: np.ndarray, theirs: np.ndarray, bias: np.ndarray) -> float:
    scale = max(1.0, np.abs(theirs).max(), np.abs(bias).max())
    return float(np.abs(ours - theirs).max() / scale)
