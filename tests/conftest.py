"""What all tests share: a program cache of their own, hypothesis profiles, counts of reference cases."""

from __future__ import annotations

import os
from collections import Counter, defaultdict

from hypothesis import HealthCheck, settings

settings.register_profile(
    "quick",
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=300)
settings.load_profile(os.environ.get("POLHODE_HYPOTHESIS_PROFILE", "quick"))


def pytest_configure(config):
    """Compiled programs of a test run live in pytest's cache folder, not in the user's."""
    os.environ.setdefault("POLHODE_CACHE_DIR", str(config.cache.mkdir("polhode")))


def pytest_terminal_summary(terminalreporter):
    """How many reference cases of which function were checked, whatever process ran them."""
    counts: dict[str, dict[str, Counter]] = defaultdict(lambda: defaultdict(Counter))
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) == "call":
                for key, value in report.user_properties:
                    if key == "reference":
                        program, function, outcome, number = value
                        counts[program][function][outcome] += number
    for program in sorted(counts):
        terminalreporter.section(f"{program}: reference cases")
        total: Counter = Counter()
        for function, outcomes in sorted(counts[program].items()):
            total.update(outcomes)
            terminalreporter.line(f"{function:45s} {_line(outcomes)}")
        terminalreporter.line(f"{'total':45s} {_line(total)}")


def _line(outcomes: Counter) -> str:
    words = [f"{outcomes['checked']:6d} checked"]
    words += [f"{n} {name}" for name, n in sorted(outcomes.items()) if name != "checked" and n]
    return ", ".join(words)
