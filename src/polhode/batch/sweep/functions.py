"""The function of a sweep: what it takes, and how it travels to workers."""

from __future__ import annotations

import inspect
import pickle
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import suggestion
from .errors import SweepError
from .work import Job


def job_of(function: Callable[..., Any], names: Sequence[str], entropy: int) -> Job:
    """The function with what it needs, its arguments checked against the parameters' names.

    Raises
    ------
    TypeError
        If it does not take the parameters.
    """
    try:
        signature = inspect.signature(function)
    except ValueError:  # built in, without a signature
        return Job(function, False, entropy)
    wants_rng = "rng" in signature.parameters and "rng" not in names
    given = [*names, "rng"] if wants_rng else list(names)
    taken = signature.parameters.values()
    if not any(p.kind is p.VAR_KEYWORD for p in taken):
        _check_names(function, given, taken)
    return Job(function, wants_rng, entropy)


def name_of(function: Any) -> str:
    """A name to tell people."""
    inner = getattr(function, "func", function)
    return getattr(inner, "__qualname__", None) or type(inner).__name__


def _check_names(function: Any, given: Sequence[str], taken: Any) -> None:
    by_name = [p for p in taken if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    known = [p.name for p in by_name]
    who = f"function '{name_of(function)}'"
    for name in given:
        if name not in known:
            listed = ", ".join(known) or "nothing"
            hint = suggestion(name, known)
            raise TypeError(f"expected parameters among {listed}, got '{name}'{hint} ({who})")
    for p in by_name:
        if p.default is p.empty and p.name not in given:
            listed = ", ".join(given) or "no parameters"
            raise TypeError(f"expected a parameter '{p.name}', got {listed} ({who})")


def packed(job: Job, is_local: bool) -> bytes:
    """The job as bytes for another process.

    A function of the main module travels by name to local workers, which read that module again. To
    others, which have another main module, it travels by value.

    Raises
    ------
    SweepError
        If it cannot travel; says what to do.
    """
    is_of_main = getattr(job.function, "__module__", None) == "__main__"
    has_file = bool(getattr(sys.modules.get("__main__"), "__file__", None))
    by_value = is_of_main and not (is_local and has_file)
    if not by_value:
        try:
            return pickle.dumps(job, pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            return _by_value(job, str(error))
    return _by_value(job, "it is defined in the main module, which the workers do not have")


def _by_value(job: Job, reason: str) -> bytes:
    try:
        import cloudpickle  # type: ignore[import-not-found]
    except ImportError:
        raise SweepError(
            f"'{name_of(job.function)}' cannot be sent to other processes: {reason}. Define it "
            "with def at the top of a module, and give it values as parameters. Or install "
            "cloudpickle, or use a ThreadPoolExecutor or workers=0"
        ) from None
    try:
        return cloudpickle.dumps(job)
    except Exception as error:
        raise SweepError(
            f"'{name_of(job.function)}' cannot be sent to other processes: {error}; make what it "
            "holds inside the function, or use a ThreadPoolExecutor or workers=0"
        ) from None
