"""The Markdown that chapters are written in, as HTML.

Supported: headings, paragraphs, lists of one level, tables, fenced code, `code`, **strong**,
*emphasis*, links, and lines of HTML.  Not supported: all else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

_FENCE = re.compile(r"```.*\n(?P<body>(?:.*\n)*?)```\n?")
_BLOCKS = re.compile(
    rf"(?P<fence>{_FENCE.pattern})"
    r"|(?P<html>(?:<.*\n?)+)"
    r"|(?P<heading>#{1,6} .*\n?)"
    r"|(?P<table>(?:\|.*\n?)+)"
    r"|(?P<items>(?:(?:- |\d+\. ).*\n?(?:  .*\n?)*)+)"
    r"|(?P<paragraph>(?:[^\n<].*\n?)+)"
    r"|(?P<gap>\n)"
)
_ITEM = re.compile(r"^(?:- |\d+\. )", re.MULTILINE)
_INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\*(?P<em>[^*\s][^*]*)\*"
    r"|\[(?P<text>[^\]]+)\]\((?P<target>[^)]+)\)"
)


def to_html(text: str) -> str:
    """A chapter's body."""
    return "".join(_KINDS[m.lastgroup or ""](m) for m in _blocks(text + "\n"))


def _blocks(text: str) -> list[re.Match[str]]:
    return [match for match in _BLOCKS.finditer(text) if match.group().strip()]


def inline(text: str) -> str:
    """Code, emphasis and links within a line; other chapters are pages beside this one."""
    made, end = [], 0
    for match in _INLINE.finditer(text):
        made += [escape(text[end : match.start()], quote=False), _span(match)]
        end = match.end()
    return "".join([*made, escape(text[end:], quote=False)])


def _span(match: re.Match[str]) -> str:
    if match["target"] is not None:
        target = escape(re.sub(r"\.md(?=#|$)", ".html", match["target"]))
        return f'<a href="{target}">{inline(match["text"])}</a>'
    tag = next(name for name in ("code", "strong", "em") if match[name] is not None)
    return f"<{tag}>{escape(match[tag], quote=False)}</{tag}>"


def _heading(match: re.Match[str]) -> str:
    marks, _, text = match.group().strip().partition(" ")
    return f"<h{len(marks)}>{inline(text)}</h{len(marks)}>\n"


def _items(match: re.Match[str]) -> str:
    text = match.group()
    tag = "ul" if text.startswith("-") else "ol"
    items = "".join(f"<li>{inline(item.strip())}</li>" for item in _ITEM.split(text)[1:])
    return f"<{tag}>{items}</{tag}>\n"


def _table(match: re.Match[str]) -> str:
    head, _, *rows = (
        [inline(cell.strip()) for cell in line.strip().strip("|").split("|")]
        for line in match.group().splitlines()
    )

    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f"<table><thead>{row(head, 'th')}</thead><tbody>{body}</tbody></table>\n"


_KINDS: dict[str, Callable[[re.Match[str]], str]] = {
    "fence": lambda m: f"<pre>{escape(m['body'], quote=False)}</pre>\n",
    "html": lambda m: m.group(),
    "heading": _heading,
    "table": _table,
    "items": _items,
    "paragraph": lambda m: f"<p>{inline(m.group().strip())}</p>\n",
}
