"""Compare operation counts with the committed tables, and write these anew.

python tests/modes/op_counts.py            # the machines that come with polhode
python tests/modes/op_counts.py robots     # those of example-robot-data as well
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

if __name__ == "__main__":
    root = Path(__file__).parents[2]
    sys.path[:1] = [str(root / "tests"), str(root / "src")]  # here `modes` is a file

from modes.op_programs import Counts, counts, public_functions
from polhode.cli.bench_models import subjects
from polhode.model import Model

SHIPPED = Path(__file__).with_name("op_counts.json")
ROBOTS = Path(__file__).with_name("op_counts_robots.json")
LONG = {
    "walker": (
        "constrained_dynamics_derivatives",
        "constraint_impulses_derivatives",
        "forward_dynamics_second_derivatives",
        "inverse_dynamics_second_derivatives",
    )
}
"""Functions that take long to trace, and are counted for other machines only."""
MACHINES = {SHIPPED: ["arm", "walker"], ROBOTS: ["panda", "anymal", "talos_reduced"]}


def machine(name: str) -> Model:
    """A machine of either table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (subject,) = subjects([name], False)
    return subject.model


def counted(name: str) -> Counts:
    """The counts of a machine of either table."""
    left_out = LONG.get(name, ())
    return counts(machine(name), [f for f in public_functions() if f not in left_out])


def committed(table: Path) -> dict[str, Counts]:
    """The table, by machine, public function and program."""
    return json.loads(table.read_text(encoding="utf-8"))


def differences(now: Counts, before: Counts, table: Path) -> str:
    """What is wrong with counts: programs that are not the table's, and operations that rose."""
    rows = [(f, p, n, before.get(f, {}).get(p)) for f in now for p, n in now[f].items()]
    lines = [f"{f}: {p} is not in the table" for f, p, _, old in rows if old is None]
    lines += [f"{f}: {p} rose from {old} to {n}" for f, p, n, old in rows if old and n > old]
    lines += [
        f"{f}: {p} is in the table, and no program any more"
        for f in before
        for p in before[f]
        if p not in now.get(f, {})
    ]
    command = "python tests/modes/op_counts.py" + (" robots" if table == ROBOTS else "")
    return "\n".join([*lines, f"if this is meant: {command}"]) if lines else ""


def write(tables: list[Path]) -> None:
    """Count anew, and say what rose."""
    for table in tables:
        before = committed(table) if table.exists() else {}
        now = {name: counted(name) for name in MACHINES[table]}
        table.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        for name, rows in now.items():
            print(f"{name}: {differences(rows, before.get(name, {}), table) or 'nothing rose'}")


if __name__ == "__main__":
    write([SHIPPED, ROBOTS] if "robots" in sys.argv[1:] else [SHIPPED])
