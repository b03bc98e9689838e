"""The options of ``polhode sweep``; imports nothing heavy."""

from __future__ import annotations

import argparse

from .sim_options import package_options


def fill(command: argparse.ArgumentParser) -> None:
    """Add them."""
    command.add_argument(
        "what", metavar="FILE", help="a model or scene file, or MODULE:FUNCTION to call"
    )
    package_options(command)
    command.add_argument(
        "--vary", action="append", default=[], metavar="NAME=VALUES",
        help="a,b,c or FIRST:LAST:COUNT, vectors as [x,y,z],[x,y,z]; may be repeated: all "
        "combinations are run",
    )  # fmt: skip
    command.add_argument(
        "--random", action="append", default=[], metavar="NAME=LOW:HIGH",
        help="drawn for each of -n tasks; may be repeated",
    )  # fmt: skip
    command.add_argument("-n", "--count", type=int, metavar="N", help="how many random draws (1)")
    command.add_argument("--seed", type=int, default=0, help="of draws and tasks (0)")
    command.add_argument("-t", "--time", type=float, metavar="S", help="length of each run (10)")
    command.add_argument("--dt", type=float, metavar="S", help="step (a scene's own, or 0.001)")
    command.add_argument(
        "--measure", metavar="MODULE:FUNCTION",
        help="what to keep of a recording (the last state, and how well laws were kept)",
    )  # fmt: skip
    command.add_argument("--workers", type=int, metavar="N", help="processes (all processors)")
    command.add_argument(
        "-o", "--output", metavar="FOLDER", help="keep results here, and go on with what is there"
    )
    command.add_argument(
        "--overwrite", action="store_true", help="delete another sweep in that folder"
    )
    command.add_argument(
        "--retry-errors", action="store_true", help="run tasks again that failed before"
    )
    command.add_argument("--csv", metavar="FILE.csv", help="write a table, one row for each task")
