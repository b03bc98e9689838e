"""A drawing of the digits that each case reaches, as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from validation.page import Result
from validation.scores import REPOSITORY

PLOT = REPOSITORY / "docs" / "drawings" / "validation.svg"
LEFT, TOP, DIGIT, ROW, MOST = 130, 30, 34, 34, 16
STYLE = "font-family='sans-serif' font-size='12' fill='#888'"
PASSES, FAILS = "#2a7fb8", "#c8452c"


def drawn(results: Iterable[Result]) -> str:
    """A line for each suite, on it a dot for each case at its fewest digits."""
    by_suite: dict[str, list[Result]] = {}
    for result in results:
        by_suite.setdefault(result.suite, []).append(result)
    width, height = LEFT + MOST * DIGIT + 30, TOP + len(by_suite) * ROW + 10
    lines = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'>"]
    lines += _scale(height)
    for k, (suite, cases) in enumerate(by_suite.items()):
        y = TOP + k * ROW + ROW // 2
        lines.append(f"<text x='8' y='{y + 4}' {STYLE}>{suite}</text>")
        lines += _dots(cases, y)
    return "\n".join([*lines, "</svg>\n"])


def _scale(height: int) -> list[str]:
    lines = []
    for digits in range(0, MOST + 1, 2):
        x = LEFT + digits * DIGIT
        lines.append(f"<text x='{x - 4}' y='18' {STYLE}>{digits}</text>")
        lines.append(f"<path d='M{x} {TOP}V{height - 10}' stroke='#8884' fill='none'/>")
    return lines


def _dots(cases: Sequence[Result], y: int) -> list[str]:
    """A dot for each case compared; those that fail are of another colour, and lie lower."""
    lines = []
    for case in cases:
        if not case.compared:
            continue
        digits = min(score.digits for score in case.compared)
        color, lower = (FAILS, 8) if case.failing else (PASSES, 0)
        lines.append(
            f"<circle cx='{LEFT + DIGIT * max(digits, 0.0):.1f}' cy='{y + lower}' r='4' "
            f"fill='{color}' fill-opacity='0.6'><title>{case.case}: {digits:.1f}</title></circle>"
        )
    return lines
