"""Fail unless every name that polhode exports has a known type, and print those that have none.

``python scripts/type_completeness.py``; needs pyright, and polhode installed beside it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
COMMAND = ("-m", "pyright", "--verifytypes", "polhode", "--ignoreexternal", "--outputjson")
CAUSES = ("missing", "Unknown", "unknown type", "Ambiguous")
"""In what pyright says of a name whose type is wrong itself, not only made of others' types."""


def main() -> None:
    # pyright looks for packages where the first Python in the path does.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        (sys.executable, *COMMAND),
        cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    try:
        report = json.loads(done.stdout)
    except ValueError:
        sys.exit(f"pyright did not answer:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    for problem in report["generalDiagnostics"]:
        print(problem["message"])
    found = report["typeCompleteness"]
    lines = sorted(set(missing(found["symbols"])))
    causes = [line for line in lines if any(cause in line for cause in CAUSES)]
    print("\n".join(causes or lines), end="\n" if lines else "")
    counts = found["exportedSymbolCounts"]
    total = sum(counts.values())
    print(f"types of {counts['withKnownType']} of {total} names are known")
    sys.exit(not total or counts["withKnownType"] < total)


def missing(symbols: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each thing that is wrong with the type of a name."""
    for symbol in symbols:
        if symbol["isExported"] and not (symbol["isTypeKnown"] and not symbol["isTypeAmbiguous"]):
            for found in symbol["diagnostics"]:
                text = " ".join(found["message"].split())
                yield f"{_place(found)}{symbol['name']}: {text}"


def _place(found: dict[str, Any]) -> str:
    if not found.get("file"):
        return ""
    path = Path(found["file"])
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return f"{shown}:{found['range']['start']['line'] + 1}: "


if __name__ == "__main__":
    main()
