"""Lines of a model file, found in its text: Lua does not tell where a table was written."""

from __future__ import annotations

import re
from collections import defaultdict

_NAME = re.compile(r"""\bname\s*=\s*(?:'([^'\n]{1,200})'|"([^"\n]{1,200})")""")


class Lines:
    """Where in the text things have their names; only what stands there literally is found."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: dict[str, list[int]] = defaultdict(list)
        line, end = 1, 0
        for match in _NAME.finditer(text):
            line += text.count("\n", end, match.start())
            end = match.start()
            self._lines[match[1] or match[2]].append(line)

    def of(self, name: object) -> int | None:
        """The line of a name that occurs once."""
        found = self._lines.get(name, []) if isinstance(name, str) else []
        return found[0] if len(found) == 1 else None

    def of_key(self, key: str) -> int:
        """The line where a key of the model is given a value, or the file returns it."""
        given = re.search(rf"\b{re.escape(key)}\s*=", self._text) if key else None
        if given:
            return self._text.count("\n", 0, given.start()) + 1
        return last_line_with(r"\breturn\b", self._text)


def last_line_with(pattern: str, text: str) -> int:
    """The last line in which a pattern is found, or the last of all."""
    lines = text.splitlines() or [""]
    found = [k for k, line in enumerate(lines, 1) if re.search(pattern, line)]
    return found[-1] if found else len(lines)
