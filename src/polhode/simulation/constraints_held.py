"""Constraint sets held in a run: accelerations that keep them, positions put back after steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

import numpy as np

from ..api.constraints import constrained_dynamics
from ..api.constraints_equations import constraint_errors, constraint_jacobian
from ..api.dynamics import solve_mass_matrix
from ..api.manifold import integrate
from ..constraint_sets import Constraint, ConstraintSet, Contact
from ..errors import ModelError, StartWarning, shown, warn_caller
from ..model import Model
from .errors import StartError

_DEPENDENT = 1e-10  # relative size below which a row depends on others
_RATE = 20.0  # at which errors die out in between [1/s]
_CLOSED = 1e-12  # error at which projection ends [m or rad]
_SWEEPS = 20
_ORIGIN = (0.0, 0.0, 0.0)
OPEN = 1e-3  # error at the start above which it is answered [m or rad]


class HeldConstraints:
    """A constraint set of a model in a run.

    Parameters
    ----------
    model : Model
    constraints : ConstraintSet

    Raises
    ------
    ModelError
        If the set is of another model, empty, or wants velocities that a run cannot know.
    """

    def __init__(self, model: Model, constraints: ConstraintSet):
        where = f" (model '{model.name}')"
        if not isinstance(constraints, ConstraintSet):
            raise ModelError(f"expected a ConstraintSet, got {shown(constraints)}{where}")
        for each in constraints.constraints:
            if isinstance(each, Contact) and each.normal_acceleration:
                raise ModelError(
                    f"expected contacts at rest in a run, got contact '{each.name}' with a normal "
                    f"acceleration of {each.normal_acceleration:g}{where}"
                )
        self.model: Model = model
        self.set: ConstraintSet = constraints
        self._grounded: ConstraintSet = _grounded(constraints)

    def acceleration(
        self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, f_ext: np.ndarray | None
    ) -> np.ndarray:
        """Joint accelerations that keep the constraints."""
        return constrained_dynamics(self.model, self.set, q, qd, tau, f_ext).qdd

    def joint_forces(
        self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, f_ext: np.ndarray | None
    ) -> np.ndarray:
        """``G^T force``, shape (..., nv)."""
        force = constrained_dynamics(self.model, self.set, q, qd, tau, f_ext).force
        G = constraint_jacobian(self.model, self.set, q)
        return np.einsum("...ij,...i->...j", G, force)

    def correction(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Accelerations by which errors die out, for integrators whose state is not projected."""
        found = constraint_errors(self.model, self.set, q, qd)
        return self._change(q, -2.0 * _RATE * found.velocity - _RATE**2 * found.position)

    def project(self, q: np.ndarray, qd: np.ndarray) -> None:
        """Positions and velocities that keep the constraints, nearest by inertia, in place."""
        for _ in range(_SWEEPS):
            errors = constraint_errors(self.model, self.set, q).position
            if not np.abs(errors).max(initial=0.0) > _CLOSED:
                break
            q[...] = integrate(self.model, q, self._change(q, -errors), 1.0)
        G = constraint_jacobian(self.model, self.set, q)
        qd += self._change(q, -np.einsum("...ij,...j->...i", G, qd))

    def error(self, q: np.ndarray) -> float:
        """The largest error of positions in any of the states ``q`` [m or rad].

        Contacts without a ground are to stay at the height that they have in ``q[0]``.
        """
        errors = constraint_errors(self.model, self._grounded, q).position
        rows = [c for c in self.set.constraints for _ in range(c.n_rows)]
        drifts = [k for k, row in enumerate(rows) if _is_ungrounded(row)]
        errors[..., drifts] -= errors[0][..., drifts]
        return float(np.abs(errors).max(initial=0.0))

    def _change(self, q: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """The least change, weighed by inertia, that changes the rows as wanted."""
        G = constraint_jacobian(self.model, self.set, q)
        share = solve_mass_matrix(self.model, q[..., None, :], G)  # rows of G H^-1
        response = np.einsum("...ik,...jk->...ij", share, G)
        force = np.einsum(
            "...ij,...j->...i", np.linalg.pinv(response, _DEPENDENT, hermitian=True), wanted
        )
        return np.einsum("...ij,...i->...j", share, force)

    def begin(self, q: np.ndarray, qd: np.ndarray, start: str) -> str:
        """Answer a start that breaks the constraints as ``start`` says; what there is to note.

        Raises
        ------
        StartError
            If they are broken by more than `OPEN`, and not to be settled or kept.
        """
        told = self._broken(q, qd)
        if not told:
            return ""
        if start == "check":
            raise StartError(
                f"{told}; polhode.assemble finds positions that keep it; start='settle' moves "
                f"joints there first, start='keep' takes it as it is (model '{self.model.name}')"
            )
        before = q.copy()
        if start == "keep":
            warn_caller(f"{told}: the first step closes it (model '{self.model.name}')",
                        StartWarning)  # fmt: skip
            return told
        self.project(q, qd)
        if self._broken(q, qd):
            raise StartError(f"{told}, and could not be closed (model '{self.model.name}')")
        note = f"{told}: joints were moved by {np.abs(q - before).max():.3g} to close it"
        warn_caller(note, StartWarning)
        return note

    def _broken(self, q: np.ndarray, qd: np.ndarray) -> str:
        """What to say of the row that is broken most; empty if none is by more than `OPEN`."""
        found = constraint_errors(self.model, self.set, q, qd)
        for errors, what in ((found.position, "position"), (found.velocity, "velocity")):
            sizes = np.abs(errors)
            worst = float(sizes.max(initial=0.0))
            if worst > OPEN:
                row = int(np.argwhere(sizes == worst)[0][-1])
                named = next((n for n in reversed(self.set.names[: row + 1]) if n), f"row {row}")
                return f"constraint '{named}' is broken by {worst:.3g} in {what} at the start"
        return ""


def _is_ungrounded(constraint: Constraint) -> TypeGuard[Contact]:
    """Whether a constraint holds a point in velocity only."""
    return isinstance(constraint, Contact) and constraint.ground is None


def _grounded(constraints: ConstraintSet) -> ConstraintSet:
    """The set, whose contacts without a ground have one through the base's origin."""
    if not any(map(_is_ungrounded, constraints.constraints)):
        return constraints
    return replace(constraints, constraints=tuple(
        replace(each, ground=_ORIGIN) if _is_ungrounded(each) else each
        for each in constraints.constraints
    ))  # fmt: skip
