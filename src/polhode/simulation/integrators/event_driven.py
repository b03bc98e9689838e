"""Steps that locate impacts, and answer limits, dry friction and contact: the compiled loop."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from ...errors import ModelWarning, warn_once
from ...model.inertias import told_undetermined
from ..errors import SimulationError
from ..stepping.checkpointing import contacts_and_limits, near_of
from ..stepping.clock import StepCount
from ..stepping.counter_indices import STEP, STOP
from ..stepping.starts import Fault, coupling_errors, faults_of
from ..stepping.tendon_armature import armature_between
from .scene_integrator import SceneIntegrator

if TYPE_CHECKING:
    from ..stepping.loop import Log
    from ..stepping.simulator import Simulator

_NO_DRIVE = np.zeros((0, 0))


class EventDriven(SceneIntegrator):
    """Steps of second order between impacts; see `polhode.simulation.stepping.step`."""

    def __init__(self, owner: Simulator):
        super().__init__(owner)
        for tendon in armature_between(owner.scene):
            warn_once(f"the armature of tendon '{tendon.name}' between models does not act in "
                      f"event-driven simulations (scene '{owner.scene.name}')",
                      ModelWarning)  # fmt: skip

    def faults(self, h: float) -> list[Fault]:
        """Find what is near a state that was just set, and what is wrong with it."""
        return faults_at(self.owner, h)

    def advance(self, steps: StepCount, drive: np.ndarray | None) -> Log:
        """Make steps in one compiled call, each with its joint forces in ``drive`` if given."""
        return _run(self.owner, False, steps, _NO_DRIVE if drive is None else drive)


def faults_at(owner: Simulator, h: float) -> list[Fault]:
    """Find what is near the state of a simulator, and what is wrong with it."""
    _run(owner, True, StepCount(h, 0, 0, 0), _NO_DRIVE)
    return faults_of(owner, contacts_and_limits(owner), coupling_errors(owner._fields))


@cache
def _loop() -> ModuleType:
    """The module of the compiled loop: asking for its names at each call takes microseconds."""
    from ..stepping import loop

    return loop


def _run(owner: Simulator, is_fresh: bool, steps: StepCount, drive: np.ndarray) -> Log:
    """Call the compiled loop; keep what is near, and raise what a callable raised."""
    loop = _loop()
    listening = owner._callables.interrupts.listening
    with listening() if owner._callables.is_called else nullcontext():
        contacts, limits, *recorded = loop.advance(
            owner._fields, owner._near, is_fresh, steps, drive
        )
        if len(contacts.whole) or len(limits.whole):
            owner._near = near_of(contacts, limits)
    if owner._fields.counters[STOP] != 0:
        _stopped(owner)
    owner._is_fresh = False
    sizes = owner._plan.nq, owner._plan.nv
    return loop.log_of(sizes, *recorded) if steps.every else loop.NOTHING


def _stopped(owner: Simulator) -> None:
    owner._fields.counters[STOP] = 0
    error = owner._callables.error
    if error is not None:
        owner._callables.error = None
        raise error
    raise not_finite(owner)


def not_finite(owner: Simulator) -> SimulationError:
    """The error of a motion that does not stay finite."""
    shorter = f"try a step shorter than h = {owner._fields.totals[STEP]:g} s"
    told = (told_undetermined(node.model) for node in owner._plan.nodes)
    return SimulationError(
        f"the motion is not finite any more after t = {owner.current_time:g} s; "
        f"{next(filter(None, told), shorter)} (scene '{owner.scene.name}')"
    )
