"""Run every case of the validation data, print the digits reached, and write the page.

python tests/validation/run.py            # all of the folder POLHODE_VALIDATION
python tests/validation/run.py exudyn     # these suites, without the page
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

if __name__ == "__main__":
    root = Path(__file__).parents[2]
    sys.path[:1] = [str(root / "tests"), str(root / "src")]  # here `validation` is a file

from validation.page import PAGE, Result, known_open, written
from validation.plot import PLOT, drawn
from validation.scores import VALIDATION, Score
from validation.suites import every_case

MOST_REFUSED = 20  # one case of so many may be refused, as of other MJCF files


def carried_out(suites: list[str]) -> list[Result]:
    """All cases of some suites, or of all, each printed."""
    results = []
    for suite, case in every_case():
        if suites and suite not in suites:
            continue
        start = time.perf_counter()
        result = Result(suite, case.name, case.run(), 0.0)
        results.append(result._replace(seconds=time.perf_counter() - start))
        print(f"\n{suite}: {case.name} ({results[-1].seconds:.1f} s)")
        for score in result.scores:
            print(f"  {score.quantity:32s} {told(score)} {score.reason}", flush=True)
    return results


def told(score: Score) -> str:
    """Digits, error and what is allowed, or why there are none."""
    if score.apart is not None:
        return score.apart.value
    sizes = f"{score.digits:5.1f} digits  {score.error:8.1e} of {score.tolerance:8.1e}"
    return f"{sizes}  FAILS" if score.fails else sizes


def main(suites: list[str]) -> int:
    """How many numbers fail that the page did not list as open."""
    warnings.simplefilter("ignore")
    open_before = known_open()
    results = carried_out(suites)
    if not results:
        print(f"no cases in {VALIDATION}")
        return 1
    failing = [(r.suite, r.case, s.quantity) for r in results for s in r.failing]
    refused = [r for r in results if r.refused]
    numbers = sum(len(result.scores) for result in results)
    print(f"\n{len(results)} cases, {numbers} numbers, {len(failing)} fail, {len(refused)} refused")
    for suite, case, quantity in failing:
        is_new = (suite, case, quantity) not in open_before
        print(f"  {suite}: {case}: {quantity}{'  (not listed before)' if is_new else ''}")
    crowded = with_too_many_refused(results)
    for suite in crowded:
        print(f"  {suite}: more than one case in {MOST_REFUSED} refused")
    if not suites and "POLHODE_VALIDATION" not in os.environ:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")
        PLOT.write_text(drawn(results), encoding="utf-8")
        print(f"wrote {PAGE} and {PLOT}")
    return len(set(failing) - open_before) + len(crowded)


def with_too_many_refused(results: list[Result]) -> list[str]:
    """The suites of which more than one case in twenty is refused."""
    total = Counter(result.suite for result in results)
    refused = Counter(result.suite for result in results if result.refused)
    return [suite for suite, count in refused.items() if MOST_REFUSED * count > total[suite]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
