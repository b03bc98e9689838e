"""The page of validation: its table, written from scores, and what it lists as open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from validation.scores import REPOSITORY, Score

PAGE = REPOSITORY / "docs" / "validation.md"
BEGIN, END = "<!-- written by make validate -->\n", "<!-- end -->\n"
OPEN = "## What is open\n"


class Result(NamedTuple):
    """The scores of a case of a suite, and the seconds it took."""

    suite: str
    case: str
    scores: list[Score]
    seconds: float

    @property
    def failing(self) -> list[Score]:
        return [score for score in self.scores if score.fails]

    @property
    def refused(self) -> list[Score]:
        return [score for score in self.scores if score.refused]


def tables(results: Iterable[Result]) -> str:
    """A row for each suite, a row for each number that fails, and the digits of each case."""
    results = list(results)
    by_suite: dict[str, list[Result]] = {}
    for result in results:
        by_suite.setdefault(result.suite, []).append(result)
    return _of_suites(by_suite) + _open(results) + _of_cases(results)


def _of_suites(by_suite: Mapping[str, list[Result]]) -> str:
    lines = ["| suite | cases | all pass | refused | numbers | pass | digits: fewest, median |"]
    lines.append("|---|---|---|---|---|---|---|")
    for suite, results in by_suite.items():
        scores = [score for result in results for score in result.scores]
        whole = sum(all(score.passes for score in result.scores) for result in results)
        refused = sum(bool(result.refused) for result in results)
        digits = sorted(score.digits for score in scores if score.passes)
        middle = digits[len(digits) // 2] if digits else 0.0
        least = digits[0] if digits else 0.0
        passing = sum(score.passes for score in scores)
        lines.append(
            f"| `{suite}` | {len(results)} | {whole} | {refused} | {len(scores)} | {passing} | "
            f"{least:.1f}, {middle:.1f} |"
        )
    return "\n".join(lines) + "\n\n"


def _open(results: list[Result]) -> str:
    lines = [OPEN, "| suite | case | number | error | allowed | |", "|---|---|---|---|---|---|"]
    for result in results:
        for score in result.failing:
            lines.append(
                f"| `{result.suite}` | `{result.case}` | {score.quantity} | {score.error:.1e} | "
                f"{score.tolerance:.1e} | {score.reason} |"
            )
    lines += ["\n## Refused\n", "| suite | case | reason |", "|---|---|---|"]
    for result in results:
        for score in result.refused:
            lines.append(f"| `{result.suite}` | `{result.case}` | {score.reason} |")
    return "\n".join(lines) + "\n\n"


def _of_cases(results: Iterable[Result]) -> str:
    lines = ["## Digits by case\n", "| suite | case | fewest digits | of |", "|---|---|---|---|"]
    for result in results:
        worst = min(result.scores, key=lambda score: score.digits)
        lines.append(
            f"| `{result.suite}` | `{result.case}` | {worst.digits:.1f} | {worst.quantity} |"
        )
    return "\n".join(lines) + "\n"


def written(text: str, results: Iterable[Result]) -> str:
    """The page's text with the tables anew."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + tables(results) + "\n" + END + rest.split(END)[1]


def known_open(page: Path = PAGE) -> set[tuple[str, str, str]]:
    """Suite, case and number of each failure that the page lists."""
    if not page.exists():
        return set()
    text = page.read_text(encoding="utf-8")
    listed = text.split(OPEN)[1].split("\n## ")[0] if OPEN in text else ""
    rows = [line.strip("|").split("|") for line in listed.splitlines() if line.startswith("| `")]
    return {(row[0].strip(" `"), row[1].strip(" `"), row[2].strip()) for row in rows}
