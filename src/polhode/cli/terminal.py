"""Texts of the command: results on standard output, warnings on standard error."""

from __future__ import annotations

import json as json_module
import sys
from dataclasses import dataclass
from typing import Any


def printable(text: str) -> str:
    """``text`` with control characters spelt out: names come from files."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


@dataclass(frozen=True)
class Output:
    """Writes text, or JSON, or as little as possible."""

    json: bool = False
    quiet: bool = False

    def say(self, text: str = "") -> None:
        """A line of the result, unless the result is JSON."""
        if not self.json and not self.quiet:
            sys.stdout.write(printable(text) + "\n")
            sys.stdout.flush()

    def head(self, text: str) -> None:
        """A heading."""
        self.say()
        self.say(text)

    def result(self, data: Any) -> None:
        """The result as JSON, if that was asked for."""
        if self.json:
            sys.stdout.write(json_module.dumps(data, indent=2) + "\n")

    def warn(self, text: str) -> None:
        """A warning."""
        if not self.quiet:
            sys.stderr.write(f"polhode: warning: {printable(text)}\n")
