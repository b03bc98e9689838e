"""Exudyn on machines of revolute joints: its kinematic tree in minimal coordinates, as ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import polhode as ph
from polhode.errors import ModelError
from polhode.model import Model, Revolute

_CHECKED = 2
_SHORT = 1e-9  # s: the states of a timed run stay near the first


class ExudynChain:
    """Forward dynamics by the steps of its explicit Euler rule, on one thread.

    A step of one second changes the velocities by the accelerations at its start.  So its results
    need no part of the solver's inside.  There is no inverse dynamics to be timed.
    """

    def __init__(self, model: Model):
        try:
            import exudyn
            from exudyn import itemInterface
        except ImportError:
            raise ModelError("Exudyn is not installed: pip install exudyn") from None
        self.exudyn: Any = exudyn
        self.model: Model = model
        n, links = model.nv, model.links
        number: dict[str | None, int] = {link.name: k for k, link in enumerate(links)}
        number[None] = -1
        self.system: Any = exudyn.SystemContainer().AddSystem()
        self.node: Any = self.system.AddNode(itemInterface.NodeGenericODE2(
            referenceCoordinates=[0.0] * n, initialCoordinates=[0.0] * n,
            initialCoordinates_t=[0.0] * n, numberOfODE2Coordinates=n,
        ))  # fmt: skip
        vectors, matrices = exudyn.Vector3DList, exudyn.Matrix3DList
        self.tree: Any = self.system.AddObject(itemInterface.ObjectKinematicTree(
            nodeNumber=self.node, gravity=[float(x) for x in model.gravity.lin],
            jointTypes=[self._kind(link.joint) for link in links],
            linkParents=[number[link.parent] for link in links],
            jointTransformations=matrices([np.eye(3)] * n),
            jointOffsets=vectors([list(link.frame.r) for link in links]),
            linkInertiasCOM=matrices([np.array(link.body.inertia) for link in links]),
            linkCOMs=vectors([list(link.body.com) for link in links]),
            linkMasses=[link.body.mass for link in links], jointForceVector=[0.0] * n,
            visualization=itemInterface.VObjectKinematicTree(show=False),
        ))  # fmt: skip
        self.system.Assemble()
        self.settings: Any = exudyn.SimulationSettings()
        self.settings.linearSolverType = exudyn.LinearSolverType.EigenDense  # the fastest here
        self.settings.solution.file.write = False
        self.settings.timeIntegration.verboseMode = 0

    def _kind(self, joint: Any) -> Any:
        if isinstance(joint, Revolute):
            for name, axis in zip("XYZ", np.eye(3), strict=True):
                if np.array_equal(np.array(joint.axis, float), axis):
                    return getattr(self.exudyn.JointType, f"Revolute{name}")
        raise ModelError(f"expected revolute joints about x, y or z, got a {joint.name} joint")

    def difference(self, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> float:
        """Of ``tau`` to the force that moves the machine so, relative to the largest."""
        H, worst = ph.mass_matrix(self.model, q[:_CHECKED]), 0.0
        for k in range(_CHECKED):
            self._start(q[k], v[k], tau[k])
            self._steps(1, 1.0)
            theirs = np.array(self.system.systemData.GetODE2Coordinates_t()) - v[k]
            scale = max(1.0, np.abs(tau[k]).max(), np.abs(H[k] @ a[k]).max())
            worst = max(worst, float(np.abs(H[k] @ (theirs - a[k])).max()) / scale)
        return worst

    def work(self, row: str, arrays: Sequence[np.ndarray]) -> Callable[[], Any] | None:
        """As many steps as there are states, from the first of them."""
        if row != "aba":
            return None
        q, v, tau = (x[0] for x in arrays)
        self._start(q, v, tau)
        return lambda: self._steps(len(arrays[0]), _SHORT)

    def _start(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> None:
        data, first = self.system.systemData, self.exudyn.ConfigurationType.Initial
        data.SetODE2Coordinates(q, first)
        data.SetODE2Coordinates_t(v, first)
        self.system.SetObjectParameter(self.tree, "jointForceVector", tau.tolist())

    def _steps(self, count: int, step: float) -> None:
        integration = self.settings.timeIntegration
        integration.numberOfSteps, integration.endTime = count, count * step
        rule = self.exudyn.DynamicSolverType.ExplicitEuler
        self.system.SolveDynamic(self.settings, solverType=rule, updateInitialValues=False)
