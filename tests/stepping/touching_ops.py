"""Compare operation counts of contacts over scalars with the committed table, and write it anew.

python tests/stepping/touching_ops.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

if __name__ == "__main__":
    root = Path(__file__).parents[2]
    sys.path[:1] = [str(root / "tests"), str(root / "src")]

from stepping.touching_cases import ON_HILLS, PAIRS, program

TABLE = Path(__file__).with_name("touching_ops.json")


def counts() -> dict[str, dict[str, int]]:
    """Operations of each pair: of any two poses, and with the second shape at the world's frame."""
    return {
        f"{one}-{two}": {
            "any poses": program(one, two).ops,
            "second fixed": program(one, two, is_level=True).ops,
        }
        for one, two in PAIRS + ON_HILLS
    }


def committed() -> dict[str, dict[str, int]]:
    """The table."""
    return json.loads(TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    now = counts()
    TABLE.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    for pair, row in now.items():
        print(pair, row)
