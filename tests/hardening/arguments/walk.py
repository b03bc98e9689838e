"""Replace each parameter of good calls by each kind of value; run as a process of its own.

``python -m hardening.arguments.walk FILE NAME ...`` walks over these callables and prints what
should not be, a JSON object a line; FILE holds the case at hand, should the process die.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

import polhode as ph
from hardening.arguments import calls
from hardening.arguments.calls import ALIASES, GOOD, OWN_ROLES, ROLES
from hardening.arguments.kinds import KINDS, NOTHING, OUTS, Kind, contents

SECONDS = 5
MEMORY = 8 << 30
OWN = (
    ph.ArgumentError,
    ph.ParseError,
    ph.TraceError,
    ph.simulation.SimulationError,
    ph.sweeps.SweepError,
)
_HOME = str(Path(ph.__file__).parent)


class Hang(BaseException):
    """A call took longer than `SECONDS`."""


def found(path: str) -> Callable[..., Any]:
    """The public callable of a dotted name."""
    module, *names = "polhode", *path.split(".")[1:]
    thing: Any = import_module(module)
    for name in names:
        thing = getattr(thing, name)
    return getattr(thing, "__func__", thing)


def run(path: str, arguments: Mapping[str, Any]) -> Any:
    """Call it by keywords, but for the object that a method belongs to."""
    given = dict(arguments)
    first = [given.pop("self")] if "self" in given else []
    return found(path)(*first, **given)


def role_of(path: str, name: str) -> str:
    """What the parameter is."""
    return OWN_ROLES.get((path, name), ROLES.get(name, calls.OTHER))


def walk(path: str) -> Iterator[dict[str, Any]]:
    """What should not be, over all parameters and kinds."""
    good = GOOD[path]
    run(path, good())
    for name in good():
        if name == "self":
            continue
        role = role_of(path, name)
        if role == calls.OUT:
            cases = ((kind, _out_fault(path, make)) for kind, make in OUTS.items())
        else:
            kinds = {k: v for k, v in KINDS.items() if role != calls.FUNCTION or k != "function"}
            cases = ((kind, _fault(path, name, role, kinds[kind])) for kind in kinds)
        for kind, fault in cases:
            if fault is not None:
                yield {"path": path, "parameter": name, "kind": kind, "fault": fault}


def _fault(path: str, name: str, role: str, kind: Kind) -> str | None:
    """What is wrong with the answer to one kind of value, or None."""
    arguments = _without_out(path)
    value = kind.make(arguments[name])
    what, answer = _answer(path, arguments | {name: value})
    if what == "hang":
        return f"takes longer than {SECONDS} s"
    if what == "error":
        return _complaint(answer, name)
    if value is None and _is_optional(path, name):
        return None
    return _acceptance(path, name, role, kind, value, answer)


def _is_text_or_nothing(value: Any) -> bool:
    return isinstance(value, (str, Path)) or (isinstance(value, (list, dict)) and not value)


def _is_whole(value: Any) -> bool:
    """Whether it is a whole number or an array of such, or holds nothing."""
    if isinstance(value, Integral) or (isinstance(value, list) and not value):
        return not isinstance(value, bool)
    return isinstance(value, (np.ndarray, memoryview)) and np.asarray(value).dtype.kind in "iu"


def _without_out(path: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD[path]().items() if name != calls.OUT}


def _acceptance(path: str, name: str, role: str, kind: Kind, value: Any, answer: Any) -> str | None:
    """What is wrong with a value that was taken."""
    meaning = kind.meaning(value)
    if role == calls.ANYTHING:
        return None
    if role == calls.TEXT and _is_text_or_nothing(value):
        return None
    if role == calls.COUNT and _is_whole(value):
        return None
    if role == calls.FLAG and meaning is not NOTHING and meaning.ndim == 0 and meaning in (0, 1):
        return None
    if role == calls.BODY and isinstance(value, Integral) and not isinstance(value, bool):
        return None
    if role == calls.MASK and meaning is not NOTHING and np.isin(meaning, (0, 1)).all():
        return None
    if role == calls.OTHER and isinstance(value, (list, dict, tuple)) and not value:
        return None  # none of them
    if role not in (calls.ARRAY, calls.NUMBER) or meaning is NOTHING:
        return f"taken, with the result {_short(answer)}"
    plain = float(meaning) if role == calls.NUMBER and not meaning.ndim else meaning
    what, expected = _answer(path, _without_out(path) | {name: plain})
    if what != "result":
        return f"taken, while the plain array {_short(plain)} is refused: {_short(expected)}"
    return None if _same(answer, expected) else f"taken for something else than {_short(plain)}"


def _out_fault(path: str, make: Callable[[np.ndarray], Any]) -> str | None:
    """What is wrong with the answer to a place for results that cannot hold them."""
    arguments = GOOD[path]()
    good = arguments["out"]
    if not isinstance(good, tuple):
        return _refused_out(path, arguments, make(good))
    for k in range(len(good)):
        wrong = make(good[k])
        if wrong == () if isinstance(wrong, tuple) else False:
            continue
        fault = _refused_out(path, arguments, (*good[:k], wrong, *good[k + 1 :]))
        if fault is not None:
            return fault
    for wrong in (make(good[0]), good[:-1], (*good, good[0]), (good[0],) * len(good)):
        fault = _refused_out(path, arguments, wrong)
        if fault is not None:
            return fault
    return None


def _refused_out(path: str, arguments: dict[str, Any], out: Any) -> str | None:
    before = list(contents(out))
    what, answer = _answer(path, arguments | {"out": out})
    if what == "hang":
        return f"takes longer than {SECONDS} s"
    if what == "result":
        return f"taken: {_short(out)}"
    if list(contents(out)) != before:
        return "written to before it is refused"
    return _complaint(answer, "out")


def _answer(path: str, arguments: Mapping[str, Any]) -> tuple[str, Any]:
    """How a call ends: ``result``, ``error`` or ``hang``, and with what."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        return "result", run(path, arguments)
    except Hang:
        return "hang", None
    except Exception as error:
        return "error", error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _complaint(error: Exception, name: str) -> str | None:
    """What is wrong with an error, or None: polhode's own, named, short, and on one line."""
    text, kind = str(error), type(error).__name__
    if not isinstance(error, OWN) and not _is_raised_by_polhode(error):
        return f"{kind} from inside: {text[:200]!r}"
    lines = text.split("\n") if isinstance(error, ph.TraceError) else [text]
    if not all(map(str.isprintable, lines)):
        return f"message that is not printable: {text[:200]!r}"
    if len(text) > 1000:
        return f"message of {len(text)} characters"
    words = (name, *ALIASES.get(name, ()))
    if not any(re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) for word in words):
        return f"message that does not name the argument: {text[:200]!r}"
    return None


def _is_raised_by_polhode(error: Exception) -> bool:
    """Whether it is a ValueError or TypeError that polhode itself raises."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    is_plain = type(error) in (ValueError, TypeError)
    is_own = last.filename.startswith(_HOME) and (last.line or "").startswith("raise ")
    return is_plain and is_own and "expected" in str(error)


def _is_optional(path: str, name: str) -> bool:
    parameters = inspect.signature(found(path)).parameters
    is_given = name in parameters and parameters[name].default is None
    return is_given or (path, name) in calls.MAY_BE_NONE


def _same(a: Any, b: Any) -> bool:
    """Whether two results are the same to single precision; objects that are no arrays are."""
    if isinstance(a, Mapping):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, (float, int, np.ndarray, np.generic)):
        x, y = np.asarray(a, float), np.asarray(b, float)
        scale = np.nanmax(np.abs(np.where(np.isfinite(y), y, 0.0)), initial=1.0)
        return x.shape == y.shape and np.allclose(x, y, 1e-4, 1e-4 * scale, equal_nan=True)
    return True


def _short(value: Any) -> str:
    try:
        return " ".join(repr(value).split())[:150]
    except Exception as error:  # of an object that was made of what it cannot hold
        return f"{type(value).__name__}, whose text fails: {error!r:.100}"


def _raise_hang(*_: object) -> None:
    raise Hang


def main(file: str, names: list[str]) -> None:
    """Walk and print."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _raise_hang)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    handle = os.open(file, os.O_WRONLY | os.O_CREAT)
    for name in names:
        os.pwrite(handle, name.ljust(100).encode(), 0)
        for fault in walk(name):
            print(json.dumps(fault), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
