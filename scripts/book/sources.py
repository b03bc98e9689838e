"""Source text of the library, as HTML with keywords and comments marked."""

from __future__ import annotations

import inspect
import keyword
import textwrap
import tokenize
from collections.abc import Callable
from html import escape
from io import StringIO
from typing import Any


def source_html(function: Callable[..., Any]) -> str:
    """The text of a function, as it stands in its file."""
    function = inspect.unwrap(function)
    text = textwrap.dedent(inspect.getsource(function))
    file = inspect.getsourcefile(function) or ""
    place = "polhode" + file.replace("\\", "/").rpartition("/polhode")[2]
    return f"<figure><figcaption>{escape(place)}</figcaption><pre>{_marked(text)}</pre></figure>\n"


def _marked(text: str) -> str:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    made, end = [], 0
    for token in tokenize.generate_tokens(StringIO(text).readline):
        kind = _kind(token)
        if kind:
            first = starts[token.start[0] - 1] + token.start[1]
            last = starts[token.end[0] - 1] + token.end[1]
            span = f'<span class="{kind}">{escape(text[first:last])}</span>'
            made += [escape(text[end:first]), span]
            end = last
    return "".join([*made, escape(text[end:])])


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.COMMENT:
        return "comment"
    if token.type == tokenize.STRING:
        return "string"
    return "keyword" if token.type == tokenize.NAME and keyword.iskeyword(token.string) else ""
