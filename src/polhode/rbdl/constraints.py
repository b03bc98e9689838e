"""RBDL's ConstraintSet: grows row by row, and keeps what was computed last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .. import api
from ..arrays import Array, ArrayLike
from ..constraints import ConstraintSet as CoreSet
from .constraint_rows import Rows, numbered
from .dynamics import LinearSolver
from .errors import RBDLDofMismatchError, RBDLInvalidParameterError
from .kinematics import at_position, at_velocity
from .linear import given
from .model import Model
from .spatial import SpatialTransform


class ConstraintSet(Rows):
    """Constraints on a model; rows at one place, added one after the other, are a group.

    Bodies are looked up, and the rest is checked, when the set is bound or first used.

    Attributes
    ----------
    force, impulse : ndarray
        Of each row, of the last call that computed them.
    v_plus : ndarray
        What each row's velocity is to be after an impact; zero unless set.
    err, errd, gamma, G, H, C : ndarray
        Of the last call that computed them.
    """

    def __init__(self):
        self.bound = False
        self.linear_solver = LinearSolver.LinearSolverColPivHouseholderQR
        self.actuated: list[bool] | None = None
        super().__init__()

    def _forget(self) -> None:
        super()._forget()
        self.bound = False
        n = self.size()
        self.force: Array = np.zeros(n)
        self.impulse: Array = np.zeros(n)
        self.v_plus: Array = np.zeros(n)
        self.err: Array = np.zeros(n)
        self.errd: Array = np.zeros(n)
        self.gamma: Array = np.zeros(n)
        self.G: Array = np.zeros((n, 0))
        self.H: Array = np.zeros((0, 0))
        self.C: Array = np.zeros(0)

    def Bind(self, model: Model) -> bool:
        """Check the set against a model; return True.

        Parameters
        ----------
        model : Model

        Returns
        -------
        done : bool
            True; what goes wrong is an error.
        """
        self.on(model)
        n = model.dof_count
        self.G, self.H, self.C = np.zeros((self.size(), n)), np.zeros((n, n)), np.zeros(n)
        self.bound: bool = True
        return True

    def Copy(self) -> ConstraintSet:
        """A set of the same rows, to be bound on its own.

        Returns
        -------
        copy : ConstraintSet
            The copy.
        """
        twin = ConstraintSet()
        twin._rows = [replace(row) for row in self._rows]
        twin._forget()
        twin.linear_solver, twin.actuated = self.linear_solver, self.actuated
        return twin

    def SetSolver(self, solver: LinearSolver) -> None:
        """Note a linear solver; the same numbers come out with each.

        Parameters
        ----------
        solver : LinearSolver
            Makes no difference here.
        """
        self.linear_solver: LinearSolver = LinearSolver(solver)

    def SetActuationMap(self, model: Model, actuated_dof: Sequence[bool]) -> None:
        """Say which freedoms have an actuator.

        Parameters
        ----------
        model : Model
        actuated_dof : sequence of bool
            One for each freedom.
        """
        actuated = [bool(x) for x in actuated_dof]
        if len(actuated) != model.dof_count:
            raise RBDLDofMismatchError(
                f"expected {model.dof_count} entries of actuated_dof, got {len(actuated)}"
            )
        self.actuated = actuated

    def clear(self) -> None:
        """Set to zero what was computed; the rows stay."""
        self._forget()

    def on(self, model: Model) -> CoreSet:
        """This set as a `polhode.ConstraintSet` on ``model.core``.

        Parameters
        ----------
        model : Model

        Returns
        -------
        constraints : polhode.ConstraintSet
            The same rows.
        """
        core = model.core
        if self._built is None or self._built[0] is not core:
            rows = tuple(numbered(row, model) for row in self._rows)
            self._built = core, CoreSet(core, rows)
        return self._built[1]

    # -- a group's errors and forces --

    def calcPositionError(
        self, group_index: int, model: Model, Q: ArrayLike, update_kinematics: bool = True
    ) -> Array:
        """The position errors of a group's rows.

        Parameters
        ----------
        group_index : int
            Number of the group.
        model : Model
        Q : array_like, shape (q_size,)
            Positions [rad or m].
        update_kinematics : bool
            Whether to take the state that is given; False takes the one noted last.

        Returns
        -------
        err : ndarray, shape (rows,)
            Errors of the rows.
        """
        q = at_position(model, Q, update_kinematics)
        errors = api.constraint_errors(model.core, self.on(model), q).position
        return errors[self._group(group_index).rows]

    def calcVelocityError(
        self,
        group_index: int,
        model: Model,
        Q: ArrayLike,
        QDot: ArrayLike,
        update_kinematics: bool = True,
    ) -> Array:
        """The velocity errors of a group's rows.

        Parameters
        ----------
        group_index : int
            Number of the group.
        model : Model
        Q : array_like, shape (q_size,)
            Positions [rad or m].
        QDot : array_like, shape (qdot_size,)
            Velocities [rad/s or m/s].
        update_kinematics : bool
            Whether to take the state that is given; False takes the one noted last.

        Returns
        -------
        err : ndarray, shape (rows,)
            Errors of the rows.
        """
        q, qd = at_velocity(model, Q, QDot, update_kinematics)
        errors = api.constraint_errors(model.core, self.on(model), q, qd).velocity
        return errors[self._group(group_index).rows]

    def calcForces(
        self,
        group_index: int,
        model: Model,
        Q: ArrayLike,
        QDot: ArrayLike,
        resolve_all_in_root_frame: bool = False,
        update_kinematics: bool = True,
    ) -> tuple[list[int], list[SpatialTransform], list[Array]]:
        """Body ids, frames, and spatial forces of a group, from ``force``.

        Frames are as in `AddLoopConstraint`; with ``resolve_all_in_root_frame`` bodies are the
        root and frames are at the same points, in base axes.

        Parameters
        ----------
        group_index : int
            Number of the group.
        model : Model
        Q : array_like, shape (q_size,)
            Positions [rad or m].
        QDot : array_like, shape (qdot_size,)
            Velocities [rad/s or m/s].
        resolve_all_in_root_frame : bool
            Whether frames and forces are in base coordinates.
        update_kinematics : bool
            Whether to take the state that is given; False takes the one noted last.

        Returns
        -------
        bodies : list of int
            Numbers of the bodies.
        frames : list of SpatialTransform
            Where the forces act.
        forces : list of ndarray, shape (6,)
            Spatial forces, or impulses.
        """
        return self._spatial(
            self.force, group_index, model, Q, resolve_all_in_root_frame, update_kinematics
        )

    def calcImpulses(
        self,
        group_index: int,
        model: Model,
        Q: ArrayLike,
        QDot: ArrayLike,
        resolve_all_in_root_frame: bool = False,
        update_kinematics: bool = True,
    ) -> tuple[list[int], list[SpatialTransform], list[Array]]:
        """The same as `calcForces`, from ``impulse``.

        Parameters
        ----------
        group_index : int
            Number of the group.
        model : Model
        Q : array_like, shape (q_size,)
            Positions [rad or m].
        QDot : array_like, shape (qdot_size,)
            Velocities [rad/s or m/s].
        resolve_all_in_root_frame : bool
            Whether frames and forces are in base coordinates.
        update_kinematics : bool
            Whether to take the state that is given; False takes the one noted last.

        Returns
        -------
        bodies : list of int
            Numbers of the bodies.
        frames : list of SpatialTransform
            Where the forces act.
        forces : list of ndarray, shape (6,)
            Spatial forces, or impulses.
        """
        return self._spatial(
            self.impulse, group_index, model, Q, resolve_all_in_root_frame, update_kinematics
        )

    def _spatial(self, rows, group_index, model, Q, in_root, update_kinematics):
        q, group = at_position(model, Q, update_kinematics), self._group(group_index)
        if group.kind == "custom":
            raise RBDLInvalidParameterError(
                f"group {group_index} is a custom constraint: it acts on coordinates, "
                "not at a place"
            )
        before = [g for g in self._groups()[:group_index] if g.kind != "custom"]
        every = api.constraint_forces(model.core, self.on(model), q, rows, in_base_axes=in_root)
        found = every[len(before)]
        frames = [SpatialTransform(pose[:3, :3], pose[:3, 3]) for pose in found.frames]
        bodies = (*self._members(group_index)[0].bodies, 0)[:2]
        return [0, 0] if in_root else list(bodies), frames, list(found.forces)


def noted(constraints: ConstraintSet, **values: Array) -> None:
    """Keep what was computed, in the set's arrays."""
    for name, value in values.items():
        known = getattr(constraints, name)
        if known.shape == value.shape:
            given(known, value)
        else:
            setattr(constraints, name, np.array(value))
