"""``polhode sweep FILE``: many runs from the command line."""

from __future__ import annotations

import json
import math
import os
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..batch.sweep import Parameters, SweepError, SweepResult, grid, sample, sweep
from ..errors import ModelError
from ..files.kinds import TABLES, check_target
from .model_file import read_model
from .sim_plugins import function_of, module_of
from .terminal import Output

_TOLD = 5  # errors told one by one


def run(options: Namespace, output: Output) -> int:
    """Sweep, write what was asked for, and say what came out."""
    if options.csv is not None:
        check_target(options.csv, TABLES, "--csv")
    result = sweep(
        _subject(options),
        _parameters(options),
        workers=options.workers,
        seed=options.seed,
        output=options.output,
        overwrite=options.overwrite,
        retry_errors=options.retry_errors,
        progress=False if output.quiet else None,
        **_options(options),
    )
    files = {} if options.output is None else {"output": options.output}
    if options.csv is not None:
        files["csv"] = str(result.to_csv(options.csv))
    output.say(repr(result))
    for line in _summary(result):
        output.say(line)
    for path in files.values():
        output.say(f"wrote {path}")
    output.result(_as_data(result, files))
    for error in result.errors[:_TOLD]:
        output.warn(str(error))
    if result.stopped:  # by Ctrl-C: other causes are errors of the sweep
        raise KeyboardInterrupt(result.stopped)
    if result.errors:
        raise SweepError(f"{len(result.errors)} of {len(result)} tasks failed", result)
    return 0


def _subject(options: Namespace) -> Any:
    is_file = Path(options.what).exists() or ":" not in options.what
    return read_model(options.what, options) if is_file else _function(options.what)


def _options(options: Namespace) -> dict[str, Any]:
    """Those of runs; a function has none."""
    if not Path(options.what).exists() and ":" in options.what:
        return {}
    more = {"duration": 10.0 if options.time is None else options.time}
    if options.dt is not None:
        more["dt"] = options.dt
    if options.measure is not None:
        more["measure"] = _function(options.measure)
    return more


def _function(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    if not (module and name):
        raise ModelError(f"expected MODULE:FUNCTION, got '{place}'")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return function_of(module_of(module, "the sweep"), name, "the sweep")


def _parameters(options: Namespace) -> Parameters:
    count = options.count
    if count is not None and count < 1:
        raise ModelError(f"expected --count of at least 1, got {count}")
    settings = [_setting(text, _values) for text in options.vary]
    settings += [_setting(text, _range) for text in options.random]
    names = [name for name, _ in settings]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ModelError(f"expected one --vary or --random of '{twice}', got two")
    varied, drawn = dict(settings[: len(options.vary)]), dict(settings[len(options.vary) :])
    if not drawn and count is None:
        return grid(**varied)
    draws = sample(count or 1, seed=options.seed, **drawn)
    return grid(**varied) * draws if varied else draws


def _setting(text: str, meaning: Callable[[str], Any]) -> tuple[str, Any]:
    name, equals, values = text.partition("=")
    try:
        if name and equals and values:
            return name, meaning(values)
    except ValueError:
        pass
    expected = (
        "NAME=a,b,c, NAME=[x,y,z],... or NAME=FIRST:LAST:COUNT with a COUNT of at least 1"
        if meaning is _values
        else "NAME=LOW:HIGH, with finite LOW <= HIGH"
    )
    raise ModelError(f"expected {expected}, got '{text}'")


def _values(text: str) -> list[Any]:
    if text.startswith("["):
        return json.loads(f"[{text}]")  # its errors are ValueErrors
    if text.count(":") == 2:
        first, last, count = text.split(":")
        if int(count) < 1:
            raise ValueError(text)
        return np.linspace(float(first), float(last), int(count)).tolist()
    return [_value(part) for part in text.split(",")]


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _range(text: str) -> tuple[float, float]:
    low, high = map(float, text.split(":"))
    if not -math.inf < low <= high < math.inf:
        raise ValueError(text)
    return low, high


def _summary(result: SweepResult) -> list[str]:
    """Smallest, mean and largest of each number that every task returned."""
    lines = []
    for name in result.names:
        column = result[name][result.done]
        if column.ndim == 1 and column.dtype.kind in "biuf" and len(column):
            low, mean, high = column.min(), column.mean(), column.max()
            lines.append(f"{name or 'result':20s} {low:12.6g} to {high:12.6g}, mean {mean:12.6g}")
    return lines


def _as_data(result: SweepResult, files: dict[str, str]) -> dict[str, Any]:
    return {
        "tasks": len(result),
        "done": int(result.done.sum()),
        "failed": len(result.errors),
        "stopped": result.stopped,
        "errors": [str(error) for error in result.errors],
        "table": {name: column.tolist() for name, column in result.table().items()},
        "files": files,
    }
