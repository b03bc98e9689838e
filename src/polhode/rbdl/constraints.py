"""RBDL's ConstraintSet: grows row by row, and keeps what was computed last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import polhode as ph

from ..arrays import Array, ArrayLike
from ..constraint_sets import ConstraintSet as CoreSet
from .constraint_rows import Rows, numbered
from .dynamics import LinearSolver
from .errors import RBDLDofMismatchError, RBDLInvalidParameterError, RBDLSizeMismatchError
from .kinematics import at_position, at_velocity
from .model import Model
from .spatial import SpatialTransform
from .spelling import spelled
from .vectors import given
from .vocabulary import described

EQUATIONS = ("H", "C", "G", "gamma", "err", "errd")
ALL_EQUATIONS = frozenset(EQUATIONS)
_OF_GROUP = {
    "out": "constraintBodyIdsUpd constraintFramesUpd constraintForcesUpd",
    "resolve_all_in_root_frame": "constraintBodyIdsUpd",
    "update_kinematics": "constraintFramesUpd",
}


def _equation(name: str, doc: str) -> Any:
    """A property that is worked out, when looked at, from the state last solved at."""

    def get(self: ConstraintSet) -> Array:
        if name in self._awaited:
            self._work_out()
        return self._values[name]

    def put(self: ConstraintSet, value: Array) -> None:
        self._awaited -= {name}
        _keep(self._values, name, np.asarray(value, dtype=float))

    return property(get, put, doc=doc)


class ConstraintSet(Rows):
    """Constraints on a model; rows at one place, added one after the other, are a group.

    Bodies are looked up, and the rest is checked, when the set is bound or first used.

    Attributes
    ----------
    bound : bool
        Whether it has been checked against a model.
    force, impulse : ndarray
        Of each row, of the last call that computed them.
    v_plus : ndarray
        What each row's velocity is to be after an impact; zero unless set.
    err, errd, gamma, G, H, C : ndarray
        Of the last call that computed or used them.
    """

    err: Array = _equation("err", "Position error of each row.")
    errd: Array = _equation("errd", "Velocity error of each row.")
    gamma: Array = _equation("gamma", "Right sides: ``G qddot = gamma``.")
    G: Array = _equation("G", "Jacobian of the rows.")
    H: Array = _equation("H", "Joint-space inertia matrix.")
    C: Array = _equation("C", "Bias forces, with those of external forces.")

    def __init__(self):
        super().__init__()
        self.linear_solver = LinearSolver.LinearSolverColPivHouseholderQR
        self.actuated: list[bool] | None = None
        self.v_plus: Array = np.zeros(0)
        self._changed()

    def _changed(self) -> None:
        super()._changed()
        self.bound = False
        known, self.v_plus = self.v_plus, np.zeros(self.size())
        self.v_plus[: len(known)] = known
        self._zero(0)

    def _zero(self, n_dofs: int) -> None:
        n = self.size()
        self.force: Array = np.zeros(n)
        self.impulse: Array = np.zeros(n)
        shapes = (n_dofs, n_dofs), (n_dofs,), (n, n_dofs), (n,), (n,), (n,)
        self._values = {
            name: np.zeros(shape) for name, shape in zip(EQUATIONS, shapes, strict=True)
        }
        self._awaited: frozenset[str] = frozenset()
        self._solved_at: tuple[Model, Array, Array, Array | None] | None = None

    @described(
        qd=("(qdot_size,)", "Velocities [rad/s or m/s]."),
        forces=("(n_bodies, 6)", "Spatial forces on the moving bodies, or None."),
    )
    def solved_at(
        self, model: Model, q: Array, qd: Array, forces: Array | None, force: Array
    ) -> None:
        """Note the state at which the equations were solved, and the force of each row."""
        self.force[...] = force
        self._solved_at = model, q, qd, forces
        self._awaited = ALL_EQUATIONS

    def _work_out(self) -> None:
        assert self._solved_at is not None
        model, q, qd, forces = self._solved_at
        found = ph.constraints.constrained_system(
            model.core, self.on(model), q, qd, forces
        )._asdict()
        for name in self._awaited & found.keys():
            setattr(self, name, found[name])

    @spelled("success")
    def Bind(self, model: Model) -> bool:
        """Check the set against a model; return True, for what goes wrong is an error."""
        self.on(model)
        self._zero(model.dof_count)
        self.bound: bool = True
        return True

    @described("copy")
    def Copy(self) -> ConstraintSet:
        """A set of the same rows, to be bound on its own."""
        twin = ConstraintSet()
        twin._rows = [replace(row) for row in self._rows]
        twin.v_plus = self.v_plus.copy()
        twin._changed()
        twin.linear_solver, twin.actuated = self.linear_solver, self.actuated
        return twin

    @spelled()
    def SetSolver(self, solver: LinearSolver) -> None:
        """Note a linear solver; the same numbers come out with each."""
        self.linear_solver: LinearSolver = LinearSolver(solver)

    @spelled()
    def SetActuationMap(self, model: Model, actuated_dof_upd: Sequence[bool]) -> None:
        """Say which degrees of freedom have an actuator."""
        actuated = [bool(x) for x in actuated_dof_upd]
        if len(actuated) != model.dof_count:
            raise RBDLDofMismatchError(
                f"expected {model.dof_count} entries of actuated_dof_upd, got {len(actuated)}"
            )
        self.actuated = actuated

    def clear(self) -> None:
        """Set to zero what was computed; the rows and ``v_plus`` stay."""
        self._zero(self._values["C"].size)

    @spelled("constraints")
    def on(self, model: Model) -> CoreSet:
        """This set as a `polhode.constraints.ConstraintSet` on ``model.core``."""
        core = model.core
        if self._built is None or self._built[0] is not core:
            rows = tuple(numbered(row, model) for row in self._rows)
            self._built = core, CoreSet(core, rows)
        return self._built[1]

    # -- a group's errors and forces: without an array to fill, at the state that is given --

    @spelled(out="posErrUpd", update_kinematics="posErrUpd")
    def calcPositionError(
        self, groupIndex: int, model: Model, q: ArrayLike,
        posErrUpd: Array | bool | None = None, updateKinematics: bool = False,
    ) -> Array:  # fmt: skip
        """The position errors of a group's rows.

        Without ``posErrUpd`` they are those at ``q``; with it ``updateKinematics`` counts.
        """
        out, update = _output(posErrUpd, updateKinematics)
        at = at_position(model, q, update)
        errors = ph.constraints.constraint_errors(model.core, self.on(model), at).position
        return given(out, errors[self._group(groupIndex).rows])

    @spelled(out="velErrUpd", update_kinematics="velErrUpd")
    def calcVelocityError(
        self, groupIndex: int, model: Model, q: ArrayLike, qdot: ArrayLike,
        velErrUpd: Array | bool | None = None, updateKinematics: bool = False,
    ) -> Array:  # fmt: skip
        """The velocity errors of a group's rows.

        Without ``velErrUpd`` they are those at ``q``; with it ``updateKinematics`` counts.
        """
        out, update = _output(velErrUpd, updateKinematics)
        at, qd = at_velocity(model, q, qdot, update)
        errors = ph.constraints.constraint_errors(model.core, self.on(model), at, qd).velocity
        return given(out, errors[self._group(groupIndex).rows])

    @spelled("bodies frames forces", **_OF_GROUP)
    def calcForces(
        self, groupIndex: int, model: Model, q: ArrayLike, qdot: ArrayLike,
        constraintBodyIdsUpd: Array | bool | None = None,
        constraintFramesUpd: Array | bool | None = None, constraintForcesUpd: Array | None = None,
        resolveAllInRootFrame: bool = False, updateKinematics: bool = False,
    ) -> tuple[list[int], list[SpatialTransform], list[Array]]:  # fmt: skip
        """Body ids, frames, and spatial forces of a group, from ``force``.

        Frames are as in `AddLoopConstraint`; with ``resolveAllInRootFrame`` bodies are the
        root and frames are at the same points, in base axes.  Without arrays to fill, they are
        those at ``q``.
        """
        outputs = constraintBodyIdsUpd, constraintFramesUpd, constraintForcesUpd
        flags = resolveAllInRootFrame, updateKinematics
        return self._spatial(self.force, groupIndex, model, q, outputs, flags)

    @spelled("bodies frames impulses", **_OF_GROUP)
    def calcImpulses(
        self, groupIndex: int, model: Model, q: ArrayLike, qdot: ArrayLike,
        constraintBodyIdsUpd: Array | bool | None = None,
        constraintFramesUpd: Array | bool | None = None, constraintForcesUpd: Array | None = None,
        resolveAllInRootFrame: bool = False, updateKinematics: bool = False,
    ) -> tuple[list[int], list[SpatialTransform], list[Array]]:  # fmt: skip
        """The same as `calcForces`, from ``impulse``."""
        outputs = constraintBodyIdsUpd, constraintFramesUpd, constraintForcesUpd
        flags = resolveAllInRootFrame, updateKinematics
        return self._spatial(self.impulse, groupIndex, model, q, outputs, flags)

    def _spatial(
        self, rows: Array, k: int, model: Model, q: ArrayLike, outputs: tuple, flags: tuple
    ) -> tuple[list[int], list[SpatialTransform], list[Array]]:
        ids, frames, forces = outputs
        in_root, update = flags
        if isinstance(ids, bool):  # the earlier order: resolve_all_in_root_frame comes here
            ids, in_root = None, ids
        frames, update = _output(frames, update)
        group = self._group(k)
        if group.kind == "custom":
            raise RBDLInvalidParameterError(
                f"group {k} is a custom constraint: it acts on coordinates, not at a place"
            )
        before = [g for g in self._groups()[:k] if g.kind != "custom"]
        at = at_position(model, q, update)
        every = ph.constraints.constraint_forces(
            model.core, self.on(model), at, rows, in_base_axes=in_root
        )
        found = every[len(before)]
        places = [SpatialTransform(pose[:3, :3], pose[:3, 3]) for pose in found.frames]
        bodies = [0, 0] if in_root else [*self._members(k)[0][1].bodies.values(), 0][:2]
        _fill(ids, bodies, "constraintBodyIdsUpd")
        _fill(frames, [X.toMatrix() for X in places], "constraintFramesUpd")
        _fill(forces, list(found.forces), "constraintForcesUpd")
        return bodies, places, list(found.forces)


def _output(value: Array | bool | None, update: bool) -> tuple[Array | None, bool]:
    """An array to fill, and whether to update; without one, a flag in its place, or True."""
    if isinstance(value, bool):
        return None, value
    return value, update or value is None


def _fill(out: Any, values: Sequence[Any], name: str) -> None:
    """Put values along the last axis of an array, which may be longer."""
    if out is None:
        return
    shape = np.shape(values[0])
    if np.shape(out)[:-1] != shape or np.shape(out)[-1] < len(values):
        raise RBDLSizeMismatchError(
            f"expected an array of shape {(*shape, len(values))} as {name}, got {np.shape(out)}"
        )
    for k, value in enumerate(values):
        out[..., k] = value


def _keep(store: dict[str, Any], name: str, value: Array) -> None:
    """Put a value into the array that is there, if it has its shape."""
    if store[name].shape == value.shape:
        store[name][...] = value
    else:
        store[name] = np.array(value)


def noted(constraints: ConstraintSet, **values: Array) -> None:
    """Keep what was computed, in the set's arrays."""
    for name, value in values.items():
        if name in EQUATIONS:
            setattr(constraints, name, value)
        else:
            _keep(vars(constraints), name, value)
