"""Pinocchio beside us: the same machine, the same states, results in our coordinates.

A free base is Pinocchio's free-flyer (velocities in the body, linear first) and our
translation followed by a quaternion, so ``v_pin = T(q) v`` with a block for the base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.cli.bench_rows import Row, States
from polhode.errors import ModelError
from polhode.model import Euler, Model, Prismatic, Revolute, Spherical, TranslationXYZ

from .derivatives import inverse_derivatives


@dataclass(frozen=True)
class Pair:
    """A joint of Pinocchio's and the entries of our ``q`` and ``qd`` that go with it.

    ``body`` is 0 for a joint in the middle of one of ours.
    """

    joint: int
    q: np.ndarray
    v: np.ndarray
    body: int


def pinocchio() -> Any:
    """The module, or a clear error."""
    try:
        import pinocchio as pin
    except ImportError:
        raise ModelError(
            "Pinocchio is not installed: pip install pin example-robot-data, or leave out --peers"
        ) from None
    return pin


class Pinocchio:
    """Pinocchio's model of one of ours, for the rows of the speed table."""

    def __init__(self, model: Model, path: str | None, floating: bool):
        self.pin: Any = pinocchio()
        self.model: Model = model
        self.theirs: Any
        self.pairs: list[Pair]
        if path is not None and path.endswith(".urdf"):
            free = (self.pin.JointModelFreeFlyer(),) if floating else ()
            self.theirs = self.pin.buildModelFromUrdf(path, *free)
            self.pairs = self._by_name()
        else:
            self.theirs, self.pairs = self._converted()
        self.weightless: Any = self.theirs.copy()
        self.weightless.gravity = self.pin.Motion.Zero()
        self.data: Any = self.theirs.createData()
        self.last: Pair = self.pairs[-1]
        self.last_body: int = self.last.body

    # -- the same machine --

    def _by_name(self) -> list[Pair]:
        """Pairs for a URDF that both have read."""
        every_q, every_v = np.arange(self.model.nq), np.arange(self.model.nv)
        pairs = []
        for k in range(1, self.theirs.njoints):
            free = self.theirs.joints[k].nq == 7
            ours = self.model.joints[0] if free else self.model.joint(self.theirs.names[k])
            pairs.append(Pair(k, every_q[ours.q], every_v[ours.v], ours.body))
        return pairs

    def _converted(self) -> tuple[Any, list[Pair]]:
        """Our model, body by body, as a new one of Pinocchio's."""
        pin, model = self.pin, self.model
        theirs, pairs, joint_of = pin.Model(), [], {0: 0}
        theirs.gravity.linear = np.array([float(x) for x in model.gravity.lin])
        skip = 0
        for i in _depth_first(model.parent):
            if i == skip:
                continue
            body, X = i, model.X_tree[i]
            place = pin.SE3(_matrix(X.E).T, _vector(X.r))
            q, v = model.q_index[i], model.v_index[i]
            if self._is_free(i):
                skip = body = i + 1
                q, v = q + model.q_index[body], v + model.v_index[body]
                chain = [(pin.JointModelFreeFlyer(), q, v)]
            elif isinstance(kind := model.joint[i], Euler):  # Pinocchio has these as three joints
                parts = zip(kind.parts, q, v, strict=True)
                chain = [(self._kind(part), (a,), (b,)) for part, a, b in parts]
            else:
                chain = [(self._kind(kind), q, v)]
            k = joint_of[model.parent[i]]
            for n, (theirs_kind, q, v) in enumerate(chain):
                last = n + 1 == len(chain)
                k = theirs.addJoint(k, theirs_kind, place, f"joint{i}.{n}")
                place = pin.SE3.Identity()
                pairs.append(Pair(k, np.array(q), np.array(v), body if last else 0))
            joint_of[body] = k
            rigid = model.bodies[body - 1].body
            if not rigid.is_massless:
                lower = np.tril(np.array(rigid.inertia))
                inertia = lower + np.tril(lower, -1).T
                theirs.appendBodyToJoint(
                    k, pin.Inertia(rigid.mass, np.array(rigid.com), inertia), pin.SE3.Identity()
                )
        return theirs, pairs

    def _is_free(self, i: int) -> bool:
        model = self.model
        return (
            isinstance(model.joint[i], TranslationXYZ)
            and i < model.n_bodies
            and isinstance(model.joint[i + 1], Spherical)
            and model.parent[i + 1] == i
            and model.bodies[i - 1].body.is_massless
        )

    def _kind(self, kind: Any) -> Any:
        pin = self.pin
        if isinstance(kind, Spherical):
            return pin.JointModelSpherical()
        if isinstance(kind, TranslationXYZ):
            return pin.JointModelTranslation()
        if not isinstance(kind, (Revolute, Prismatic)):
            raise ModelError(f"no peer for a {kind.name} joint: leave out --peers for this model")
        axis = np.array(kind.axis)
        letter = "R" if isinstance(kind, Revolute) else "P"
        for name, unit in zip("XYZ", np.eye(3), strict=True):
            if np.array_equal(axis, unit):
                return getattr(pin, f"JointModel{letter}{name}")()
        unaligned = {"R": pin.JointModelRevoluteUnaligned, "P": pin.JointModelPrismaticUnaligned}
        return unaligned[letter](axis)

    # -- the same state --

    def positions(self, q: np.ndarray) -> np.ndarray:
        """Our ``q`` as Pinocchio's."""
        out = np.empty(self.theirs.nq)
        for pair in self.pairs:
            joint = self.theirs.joints[pair.joint]
            mine = q[pair.q]
            circle = joint.nq == 2
            out[joint.idx_q : joint.idx_q + joint.nq] = (
                (np.cos(mine[0]), np.sin(mine[0])) if circle else mine
            )
        return out

    def turn(self, q: np.ndarray) -> np.ndarray:
        """``T`` with ``v_pin = T v``."""
        T = np.zeros((self.theirs.nv, self.model.nv))
        for pair in self.pairs:
            joint = self.theirs.joints[pair.joint]
            block = np.eye(joint.nv)
            if joint.nq == 7:
                block[:3, :3] = self.pin.Quaternion(q[pair.q][3:]).matrix().T
            T[joint.idx_v : joint.idx_v + joint.nv, pair.v] = block
        return T

    def turn_rate(self, v_pin: np.ndarray) -> np.ndarray:
        """``dT/dt v``: the part of Pinocchio's acceleration that is none of ours."""
        out = np.zeros(self.theirs.nv)
        for pair in self.pairs:
            joint = self.theirs.joints[pair.joint]
            if joint.nq == 7:
                k = joint.idx_v
                out[k : k + 3] = -np.cross(v_pin[k + 3 : k + 6], v_pin[k : k + 3])
        return out

    # -- the same results --

    def value(self, row: Row, states: States, k: int) -> np.ndarray:
        """What Pinocchio finds for state ``k``, in our coordinates."""
        pin, m, d = self.pin, self.theirs, self.data
        q, T = self.positions(states.q[k]), self.turn(states.q[k])
        v, rest = T @ states.v[k], np.zeros(m.nv)
        drift = self.turn_rate(v)
        back = np.linalg.inv(T)
        force = back.T @ states.t[k]
        match row.key:
            case "rnea":
                return T.T @ pin.rnea(m, d, q, v, T @ states.a[k] + drift)
            case "aba":
                return back @ (pin.aba(m, d, q, v, force) - drift)
            case "solve":
                return back @ pin.aba(self.weightless, d, q, rest, force)
            case "bias":
                return T.T @ pin.rnea(m, d, q, v, drift)
            case "gravity":
                return T.T @ pin.computeGeneralizedGravity(m, d, q)
            case "energy":
                kinetic = pin.computeKineticEnergy(m, d, q, v)
                return np.array((kinetic, pin.computePotentialEnergy(m, d, q)))
            case "com":
                return pin.centerOfMass(m, d, q)
            case "crba":
                M = np.triu(pin.crba(m, d, q))
                return T.T @ (M + np.triu(M, 1).T) @ T
            case "minv":
                M = np.triu(pin.computeMinverse(m, d, q))
                return back @ (M + np.triu(M, 1).T) @ back.T
            case "poses":
                pin.forwardKinematics(m, d, q)
                return np.array([d.oMi[pair.joint].homogeneous for pair in self._bodies])
            case "d_rnea":
                return inverse_derivatives(self, states.q[k], states.v[k], states.a[k])
            case "d_aba":
                a = back @ (pin.aba(m, d, q, v, force) - drift)
                d_q, d_v, M = inverse_derivatives(self, states.q[k], states.v[k], a)
                inverse = np.linalg.inv(M)
                return np.array((-inverse @ d_q, -inverse @ d_v, inverse))
            case _:
                J = pin.computeJointJacobian(m, d, q, self.last.joint) @ T
                return np.concatenate((J[3:], J[:3]))

    def mass_matrix(self, states: States, k: int) -> np.ndarray:
        """Pinocchio's own inertia matrix, to judge how well conditioned a state is."""
        M = np.triu(self.pin.crba(self.theirs, self.data, self.positions(states.q[k])))
        return M + np.triu(M, 1).T

    def ours(self, row: Row, result: Any, k: int) -> np.ndarray:
        """Our result for state ``k``, as far as Pinocchio has it."""
        if isinstance(result, tuple):
            return np.array([part[k] for part in result])
        if row.key == "poses":
            return result[k][[pair.body - 1 for pair in self._bodies]]
        return result[k]

    @property
    def _bodies(self) -> list[Pair]:
        return [pair for pair in self.pairs if pair.body]

    # -- the same work --

    def single(self, row: Row, states: States) -> Callable[[], Any]:
        """A call that does the row's work for one state."""
        pin, m, d = self.pin, self.theirs, self.data
        q, T = self.positions(states.q[0]), self.turn(states.q[0])
        v, a, t = T @ states.v[0], T @ states.a[0], T @ states.t[0]
        rest, w, last = np.zeros(m.nv), self.weightless, self.last.joint
        return {
            "rnea": lambda: pin.rnea(m, d, q, v, a),
            "aba": lambda: pin.aba(m, d, q, v, t),
            "solve": lambda: pin.aba(w, d, q, rest, t),
            "bias": lambda: pin.nonLinearEffects(m, d, q, v),
            "gravity": lambda: pin.computeGeneralizedGravity(m, d, q),
            "energy": lambda: (
                pin.computeKineticEnergy(m, d, q, v),
                pin.computePotentialEnergy(m, d, q),
            ),
            "com": lambda: pin.centerOfMass(m, d, q),
            "crba": lambda: pin.crba(m, d, q),
            "minv": lambda: pin.computeMinverse(m, d, q),
            "poses": lambda: pin.forwardKinematics(m, d, q),
            "jacobian": lambda: pin.computeJointJacobian(m, d, q, last),
            "d_rnea": lambda: pin.computeRNEADerivatives(m, d, q, v, a),
            "d_aba": lambda: pin.computeABADerivatives(m, d, q, v, t),
        }[row.key]

    def batch(self, row: Row, states: States, threads: int) -> Callable[[], Any] | None:
        """A call that does the row's work for all states in parallel, where there is one."""
        if not row.parallel_peer:
            return None
        pin, count = self.pin, len(states.q)
        pool = pin.ModelPool(self.theirs, threads)
        columns = np.asfortranarray
        q = columns(np.tile(self.positions(states.q[0])[:, None], (1, count)))
        v, x = columns(states.v.T), columns(states.a.T)
        out = columns(np.zeros((self.theirs.nv, count)))
        work = pin.rneaInParallel if row.key == "rnea" else pin.abaInParallel
        return lambda: work(threads, pool, q, v, x, out)


def _depth_first(parent: Sequence[int]) -> Iterator[int]:
    """Bodies with every subtree in one piece, as Pinocchio's mass matrix needs them."""
    children: dict[int, list[int]] = {}
    for i in range(len(parent) - 1, 0, -1):
        children.setdefault(parent[i], []).append(i)
    stack = list(children.get(0, ()))
    while stack:
        i = stack.pop()
        yield i
        stack += children.get(i, ())


def _matrix(E: Any) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in E.rows()])


def _vector(r: Any) -> np.ndarray:
    return np.array([float(x) for x in r])
