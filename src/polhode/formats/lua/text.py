"""Lines of a model file, found in its text: Lua does not tell where a table was written."""

from __future__ import annotations

import re
from collections import defaultdict

_NAME = re.compile(r"""\bname\s*=\s*(?:'([^'\n]{1,200})'|"([^"\n]{1,200})")""")


class Lines:
    """Positions of names in the text; only literal names are found."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: dict[str, list[int]] = defaultdict(list)
        self._keys: dict[str, int] = {}  # searched for once each
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
        if key not in self._keys:
            given = re.search(rf"\b{re.escape(key)}\s*=", self._text) if key else None
            line = self._text.count("\n", 0, given.start()) + 1 if given else 0
            self._keys[key] = line or last_return(self._text)
        return self._keys[key]


def last_return(text: str) -> int:
    """The last line with a ``return``, or the last of all."""
    return _last_line(re.compile(r"\breturn\b"), text)


def last_call(name: str, text: str) -> int:
    """The last line with the name of a function, or the last of all."""
    return _last_line(re.compile(rf"\b{re.escape(name)}\b"), text)


def _last_line(word: re.Pattern[str], text: str) -> int:
    end = len(text.rstrip("\n"))
    for match in word.finditer(text):
        end = match.start()
    return text.count("\n", 0, end) + 1
