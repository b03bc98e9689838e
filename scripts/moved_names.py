"""Print where names of polhode have moved, as the table in docs/changes.md.

``python scripts/moved_names.py``; a test compares the two.
"""

from __future__ import annotations

from polhode.moved_names import MOVED


def table() -> str:
    """A row for each name: as it was, and as it is now."""
    rows = (f"| `polhode.{name}` | `polhode.{MOVED[name]}.{name}` |\n" for name in sorted(MOVED))
    return "| before | now |\n|---|---|\n" + "".join(rows)


if __name__ == "__main__":
    print(table(), end="")
