"""A run that could not be finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import ArgumentError, Refusal

if TYPE_CHECKING:
    from ..recording import Recording


class SimulationError(Refusal, RuntimeError):
    """A run that stopped before its end.

    Attributes
    ----------
    recording : Recording or None
        What was recorded up to then.
    """

    def __init__(self, message: str, recording: Recording | None = None):
        super().__init__(message)
        self.recording = recording


class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C during a run; as a `KeyboardInterrupt` it ends loops of runs, too.

    Attributes
    ----------
    recording : Recording or None
        What was recorded up to then.
    """

    def __init__(self, message: str = "", recording: Recording | None = None):
        super().__init__(message)
        self.recording = recording


class StartError(ArgumentError):
    """A start that breaks what is asked of it: overlaps, open loops, joints beyond limits."""
