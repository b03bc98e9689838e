"""Grasps at random, each held or let go as a linear program over friction cones says.

    python benchmarks/contact_grasps.py [--count 1000] [--first 0] [--contact exact convex]

Two to four fingers, flat or round, press a box, a cylinder or a hull with 0.5 to 5 times the
least force with which an equilibrium exists, less 1 % around that force.  Prints every grasp in
which the simulation disagrees, and their number.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from contact.random_grasps import grasp


def disagreements(contact: str, seeds: range) -> int:
    """Print the grasps that are not held, or not let go, as they should be; return how many."""
    count = 0
    for seed in seeds:
        case = grasp(seed)
        motion = case.motion(contact)
        if not case.is_right(motion, contact):
            count += 1
            wanted = "hold" if case.holds else "slip"
            print(
                f"{contact} {case.name}: {case.ratio:.4f} of the least force, should {wanted}, "
                f"moves {motion:.3g} m",
                flush=True,
            )
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--contact", nargs="+", default=["exact", "convex"])
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.count)
    for contact in options.contact:
        began = process_time()
        count = disagreements(contact, seeds)
        print(f"{contact}: {count} of {len(seeds)} disagree, {process_time() - began:.0f} s")


if __name__ == "__main__":
    main()
