"""The measurements as tables in Markdown, for the documentation."""

from __future__ import annotations

from typing import Any

from .bench_chains import SIZES
from .bench_rows import ROWS

_NAMES = {row.key: row.name for row in ROWS}


def markdown(report: dict[str, Any]) -> str:
    """Tables of all models, first calls and chains."""
    machine = ", ".join(f"{key} {value}" for key, value in report["machine"].items())
    parts = [machine, *(_model(model) for model in report["models"])]
    first = [(m["name"], m["first_call"]) for m in report["models"] if "first_call" in m]
    if first:
        parts.append(_first_calls(first))
    if "chains" in report:
        parts += [_chains(kind, report["chains"]) for kind in SIZES]
    return "\n\n".join(parts)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _model(model: dict[str, Any]) -> str:
    timed = [row for row in model["rows"] if "us" in row]
    has_peer = any("ratio" in row for row in timed)
    head = ["row", "threads", "a state of a batch [us]"]
    head += ["Pinocchio [us]", "ratio"] if has_peer else []
    head += ["one state from Python [us]"]
    head += ["Pinocchio [us]", "ratio"] if has_peer else []
    others = list(dict.fromkeys(name for row in timed for name in row.get("extra_us", {})))
    for name in others:
        head += [f"{name} [us]", "ratio"]
    rows = []
    for row in timed:
        cells = [_NAMES[row["row"]], str(row["threads"]), f"{row['us']:.4f}"]
        cells += [f"{row['peer_us']:.3f}", f"**{row['ratio']:.1f}**"] if has_peer else []
        cells += [f"{row['single_us']:.2f}"]
        cells += [f"{row['peer_single_us']:.2f}", f"{row['single_ratio']:.2f}"] if has_peer else []
        for name in others:
            us = row.get("extra_us", {}).get(name)
            cells += [f"{us:.3f}", f"**{us / row['us']:.1f}**"] if us else ["", ""]
        rows.append(cells)
    return f"### {model['name']}, {model['nv']} degrees of freedom\n\n{_table(head, rows)}"


def _first_calls(first: list[tuple[str, dict[str, tuple[float, float]]]]) -> str:
    rows = [
        [name, function, f"{cold:.2f}", f"{warm:.2f}"]
        for name, calls in first
        for function, (cold, warm) in calls.items()
    ]
    head = ["model", "first call", "empty cache [s]", "filled cache [s]"]
    return f"### First calls in a new process\n\n{_table(head, rows)}"


def _chains(kind: str, measured: list[dict[str, Any]]) -> str:
    mine = [m for m in measured if m["machine"] == kind]
    peers = list(dict.fromkeys(name for m in mine for name in m["peers_ns"]))
    short = {m["row"]: m["ns"] for m in reversed(mine)}
    head = ["bodies", "row", "trace and compile [s]", "a body and state [ns]", "against the first"]
    for peer in peers:
        head += [f"{peer} [ns]", "ratio"]
    rows = []
    for m in mine:
        cells = [f"{m['n_bodies']}", m["row"], f"{m['compile_s']:.2f}", f"{m['ns']:.2f}"]
        cells.append(f"{m['ns'] / short[m['row']]:.2f}")
        for peer in peers:
            theirs = m["peers_ns"].get(peer)
            cells += [f"{theirs:.0f}", f"**{theirs / m['ns']:.0f}**"] if theirs else ["", ""]
        rows.append(cells)
    return f"### {kind.capitalize()}\n\n{_table(head, rows)}"
