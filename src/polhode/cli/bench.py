"""``polhode bench``: the speed table, alone or beside other libraries in the same run."""

from __future__ import annotations

import os
import platform
from argparse import Namespace
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from .. import __version__
from ..api.dynamics import mass_matrix
from ..compiler import get_num_threads, set_num_threads
from ..errors import ModelError, suggestion
from ..model import Model
from .bench_chains import chains
from .bench_models import Subject, subjects
from .bench_peers import ExtraPeer, Peer, Peers, peers_of_checkout
from .bench_report import markdown
from .bench_rows import ROWS, Row, States, call
from .bench_startup import first_calls
from .terminal import Output
from .timing import best, per_call

_TOLERANCE = 1e-9
_CHECKED = 5
_INVERSE = ("aba", "solve", "minv", "d_aba")  # rows in which a mass matrix is inverted


def run(options: Namespace, output: Output) -> int:
    """Check, measure, print; 1 if a result disagrees with the peer's."""
    rows = _chosen(options.rows)
    peers = peers_of_checkout() if options.peers else None
    before = get_num_threads()
    every = os.cpu_count() or 1
    threads = options.threads or sorted({1, every})
    report: dict[str, Any] = {"machine": machine(peers), "models": []}
    output.say("  ".join(f"{key} {value}" for key, value in report["machine"].items()))
    disagreements = 0
    try:
        if options.chains:
            set_num_threads(1)
            report["chains"], wrong = chains(output, peers=peers, fast=options.fast)
            disagreements += wrong
        for subject in () if options.chains else subjects(options.models, options.peers):
            measured, wrong = _measure(subject, rows, threads, options, output, peers)
            report["models"].append(measured)
            disagreements += wrong
    finally:
        set_num_threads(before)
    output.result(report)
    if options.markdown:
        output.say("\n" + markdown(report))
    return 1 if disagreements else 0


def machine(peers: Peers | None = None) -> dict[str, str]:
    """What the numbers were measured on, and with."""
    packages = ("numpy", "llvmlite", *(peers.packages if peers else ()))
    versions = {}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "absent"
    return {
        "polhode": __version__,
        "python": platform.python_version(),
        **versions,
        "cpu": _cpu(),
        "cores": str(os.cpu_count()),
        "system": platform.system(),
    }


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            line = next(x for x in file if x.startswith("model name"))
        return line.split(":", 1)[1].strip()
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _chosen(names: list[str] | None) -> tuple[Row, ...]:
    known = {row.key: row for row in ROWS}
    for name in names or ():
        if name not in known:
            hint = suggestion(name, known)
            raise ModelError(f"no row '{name}'{hint} (there are: {', '.join(known)})")
    return tuple(row for row in ROWS if names is None or row.key in names)


def _measure(
    subject: Subject,
    rows: tuple[Row, ...],
    threads: list[int],
    options: Namespace,
    output: Output,
    peers: Peers | None,
) -> tuple[dict[str, Any], int]:
    """All rows of one model; how many of them disagree."""
    model = subject.model
    output.head(f"{subject.name}: {model.nv} degrees of freedom")
    peer = peers.rows(subject) if peers else None
    extra = _extra(subject, peers, output) if peers else {}
    states = States.random(model, max(row.batch for row in rows))
    repeats = 4 if options.fast else 15
    measured: dict[str, Any] = {"name": subject.name, "nv": model.nv, "rows": []}
    wrong = 0
    for row in rows:
        error = _disagreement(row, states, peer, subject) if peer else None
        if error is not None and not error <= _TOLERANCE:
            output.warn(f"{subject.name}, {row.name}: differs from Pinocchio by {error:.1e}")
            measured["rows"].append({"row": row.key, "difference": error})
            wrong += 1
            continue
        for count in threads:
            entry = _time(row, states, peer, subject, count, repeats)
            entry["difference"] = error
            if count == 1:
                wrong += _time_extra(row, states, subject, extra, entry, output)
            measured["rows"].append(entry)
            output.say(_line(row, entry))
    if options.rows is None:
        measured["first_call"] = first_calls(subject)
        for name, (cold, warm) in measured["first_call"].items():
            output.say(f"  first call, {name:<18} cold {cold:6.3f} s, warm {warm:6.3f} s")
    return measured, wrong


def _extra(subject: Subject, peers: Peers, output: Output) -> dict[str, ExtraPeer]:
    """The code of other libraries that are installed; it is said which are not."""
    found = {}
    for name, make in peers.extra.items():
        try:
            found[name] = make(subject)
        except ModelError as error:
            output.say(f"  {error}; left out")
    return found


def _time_extra(
    row: Row,
    states: States,
    subject: Subject,
    extra: Mapping[str, ExtraPeer],
    entry: dict[str, Any],
    output: Output,
) -> int:
    """Add microseconds for a state in a batch by each; how many of them disagree."""
    wrong = 0
    for name, peer in extra.items():
        bound = peer.bound(row, states, row.batch)
        if bound is None:
            continue
        work, theirs = bound
        work()
        body = subject.model.n_bodies
        ours = np.asarray(call(row, subject.model, body, states.of(row, row.batch))())
        error = _worst_of_states(row, ours, theirs, subject.model, states)
        if error <= _TOLERANCE:
            entry.setdefault("extra_us", {})[name] = best(work, 5) / row.batch * 1e6
        else:
            output.warn(f"{subject.name}, {row.name}: differs from {name} by {error:.1e}")
            wrong += 1
    return wrong


def _worst_of_states(
    row: Row, ours: np.ndarray, theirs: np.ndarray, model: Model, states: States
) -> float:
    """Largest difference in a batch, of the largest entry and by how a state is conditioned."""
    error = np.abs(ours - theirs) / max(1.0, float(np.abs(theirs).max()))
    of_state = error.swapaxes(0, 1) if row.key in ("d_rnea", "d_aba") else error
    worst = of_state.reshape(row.batch, -1).max(axis=1)
    if row.key in _INVERSE and worst.max() > _TOLERANCE:
        at = worst > _TOLERANCE
        worst[at] /= _allowance(mass_matrix(model, states.q[: row.batch][at]))
    return float(worst.max())


def _allowance(H: np.ndarray) -> np.ndarray:
    """By what an error may be larger where a mass matrix is inverted."""
    return np.maximum(1.0, 1e-7 * np.linalg.cond(H))


def _disagreement(row: Row, states: States, peer: Peer, subject: Subject) -> float:
    """Largest difference to the peer, relative to the largest entry (at least one)."""
    result = call(row, subject.model, peer.last_body, states.of(row, _CHECKED))()
    worst = 0.0
    for k in range(_CHECKED):
        theirs = peer.value(row, states, k)
        scale = max(1.0, float(np.abs(theirs).max()))
        if row.key in _INVERSE:
            scale *= float(_allowance(peer.mass_matrix(states, k)))
        worst = max(worst, float(np.abs(peer.ours(row, result, k) - theirs).max()) / scale)
    return worst


def _time(
    row: Row, states: States, peer: Peer | None, subject: Subject, threads: int, repeats: int
) -> dict[str, Any]:
    """Microseconds for a state in a batch, and for one state alone."""
    set_num_threads(threads)
    body = peer.last_body if peer else subject.model.n_bodies
    many = call(row, subject.model, body, states.of(row, row.batch))
    one = call(row, subject.model, body, states.one(row))
    reuse, reuse_one = _reused(many()), _reused(one())
    entry: dict[str, Any] = {
        "row": row.key,
        "threads": threads,
        "batch": row.batch,
        "us": best(lambda: many(**reuse), repeats) / row.batch * 1e6,
        "single_us": per_call(lambda: one(**reuse_one), repeats) * 1e6,
    }
    if peer is not None:
        theirs = per_call(peer.single(row, states), repeats) * 1e6
        together: Callable[[], Any] | None = peer.batch(row, states, threads)
        if together is None:
            entry["peer_us"] = theirs
        else:
            entry["peer_us"] = best(together, max(3, repeats // 3)) / len(states.q) * 1e6
        entry["peer_single_us"] = theirs
        entry["ratio"] = entry["peer_us"] / entry["us"]
        entry["single_ratio"] = theirs / entry["single_us"]
    return entry


def _reused(result: Any) -> dict[str, Any]:
    """Results to write into again, as keyword arguments; numbers cannot be."""
    if isinstance(result, tuple):
        return {"out": tuple(result)} if isinstance(result[0], np.ndarray) else {}
    return {"out": result}


def _line(row: Row, entry: dict[str, Any]) -> str:
    threads = f"{entry['threads']} thread{'s' if entry['threads'] > 1 else ' '}"
    text = f"  {row.name:<29} {threads:<10} {entry['us']:9.4f} us"
    others = "".join(f"   {name} {us:8.3f} us: {us / entry['us']:6.1f}x"
                     for name, us in entry.get("extra_us", {}).items())  # fmt: skip
    if "ratio" not in entry:
        return f"{text}   one state {entry['single_us']:8.2f} us{others}"
    return (
        f"{text}, Pinocchio {entry['peer_us']:8.3f} us: {entry['ratio']:6.1f}x"
        f"   one state {entry['single_us']:7.2f} us, Pinocchio {entry['peer_single_us']:7.2f} us:"
        f" {entry['single_ratio']:5.2f}x{others}"
    )
