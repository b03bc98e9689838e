"""The measurements as tables in Markdown, for the documentation."""

from __future__ import annotations

from typing import Any

from .bench_rows import ROWS

_NAMES = {row.key: row.name for row in ROWS}


def markdown(report: dict[str, Any]) -> str:
    """Tables of all models, first calls and chains."""
    machine = ", ".join(f"{key} {value}" for key, value in report["machine"].items())
    parts = [machine, *(_model(model) for model in report["models"])]
    first = [(m["name"], m["first_call"]) for m in report["models"] if "first_call" in m]
    if first:
        parts.append(_first_calls(first))
    if "chain" in report:
        parts.append(_chain(report["chain"]))
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
    rows = []
    for row in timed:
        cells = [_NAMES[row["row"]], str(row["threads"]), f"{row['us']:.4f}"]
        cells += [f"{row['peer_us']:.3f}", f"**{row['ratio']:.1f}**"] if has_peer else []
        cells += [f"{row['single_us']:.2f}"]
        cells += [f"{row['peer_single_us']:.2f}", f"{row['single_ratio']:.2f}"] if has_peer else []
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


def _chain(chain: dict[str, dict[str, float]]) -> str:
    rows = [
        [
            name,
            f"{row['compile_s']:.2f}",
            f"{row['us_per_body'] * 1e3:.2f}",
            f"{row['against_short']:.2f}",
        ]
        for name, row in chain.items()
    ]
    head = ["algorithm", "trace and compile [s]", "a body and state [ns]", "against 30 bodies"]
    return f"### A chain of 1000 bodies\n\n{_table(head, rows)}"
