"""The page of validation: its table, written from scores, and what it lists as open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from validation.scores import REPOSITORY, Apart, Score

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
    def compared(self) -> list[Score]:
        return [score for score in self.scores if score.apart is None]

    @property
    def refused(self) -> list[Score]:
        return self.set_apart(Apart.REFUSED)

    def set_apart(self, why: Apart) -> list[Score]:
        return [score for score in self.scores if score.apart is why]


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
        scores = [score for result in results for score in result.compared]
        whole = sum(not result.failing and not result.refused for result in results)
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
    lines = [OPEN, *(_of_failing(results) or ["No number fails."])]
    lines += ["\n## Refused\n", "| suite | case | reason |", "|---|---|---|"]
    for result in results:
        for score in result.refused:
            lines.append(f"| `{result.suite}` | `{result.case}` | {_cell(score.reason)} |")
    lines += ["\n## Numbers with a note\n"]
    lines += ["| suite | case | number | error | allowed | |", "|---|---|---|---|---|---|"]
    for result in results:
        for score in result.scores:
            if score.reason and not score.fails and score.apart is not Apart.REFUSED:
                lines.append(_row(result, score))
    return "\n".join(lines) + "\n\n"


def _of_failing(results: list[Result]) -> list[str]:
    rows = [_row(result, score) for result in results for score in result.failing]
    head = ["| suite | case | number | error | allowed | |", "|---|---|---|---|---|---|"]
    return head + rows if rows else []


def _row(result: Result, score: Score) -> str:
    sizes = f"{score.error:.1e} | {score.tolerance:.1e}" if score.apart is None else "- | -"
    return (
        f"| `{result.suite}` | `{result.case}` | {score.quantity} | {sizes} | "
        f"{_cell(score.reason)} |"
    )


def _cell(text: str) -> str:
    """A text that stays in its cell of a table."""
    return text.replace("|", "\\|")


def _of_cases(results: Iterable[Result]) -> str:
    lines = ["## Digits by case\n", "| suite | case | fewest digits | of |", "|---|---|---|---|"]
    for result in results:
        if not result.compared:
            lines.append(f"| `{result.suite}` | `{result.case}` | refused | |")
            continue
        worst = min(result.compared, key=lambda score: score.digits)
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
