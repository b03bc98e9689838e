"""The options of ``polhode sim``; imports nothing heavy."""

from __future__ import annotations

import argparse


def package_options(command: argparse.ArgumentParser) -> None:
    """Add those of all commands that read models."""
    command.add_argument(
        "--package-root", action="append", default=[], metavar="DIR",
        help="a folder in which packages and meshes may lie; may be repeated",
    )  # fmt: skip
    command.add_argument(
        "--trusted", action="store_true", help="let .xacro and .lua files do anything"
    )


def fill(command: argparse.ArgumentParser) -> None:
    """Add them."""
    command.add_argument(
        "-t", "--time", "--max-time", type=float, metavar="S", help="how long (10)"
    )
    command.add_argument(
        "--dt", "--step-size", type=float, metavar="S", help="step (a scene's own, or 0.001)"
    )
    command.add_argument(
        "--integrator",
        help="event_driven (scenes, and models with limits or dry friction), moreau, "
        "symplectic (other models), rk4, RK23, RK45, DOP853, Radau, BDF, LSODA, moby (scenes "
        "without contact)",
    )
    command.add_argument(
        "--ground", action="store_true", help="level ground, under a URDF with a free base"
    )
    command.add_argument("--friction", type=float, metavar="MU", help="on that ground (0.8)")
    _scene_options(command.add_argument_group("of scenes (MJCF, SDF, Moby XML, --ground)"))
    command.add_argument("--record", type=float, metavar="S", help="record every S seconds (0.01)")
    command.add_argument(
        "--start", choices=("neutral", "random"), default="neutral", help="first position"
    )
    command.add_argument(
        "--bad-start",
        choices=("check", "settle", "keep"),
        default="check",
        help="overlaps, open loops, joints beyond limits at the start: refuse (check), move bodies "
        "out of them first (settle), or take them as they are (keep)",
    )
    command.add_argument(
        "--joint-forces",
        choices=("all", "none"),
        default="all",
        help="whether limits, damping and dry friction of joints act",
    )
    command.add_argument(
        "--constraints",
        action="append",
        default=[],
        metavar="NAME",
        help="hold this constraint set of a Lua model, see polhode info; may be repeated",
    )
    command.add_argument("--seed", type=int, default=0, help="of a random start (0)")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="JOINT=Q",
        help="position of a joint at the start; may be repeated",
    )
    command.add_argument(
        "--speed",
        action="append",
        default=[],
        metavar="JOINT=QD",
        help="velocity of a joint at the start",
    )
    command.add_argument(
        "--damping", type=float, default=0.0, metavar="D", help="tau = -D qd in every joint"
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the recording: .h5 (of a scene while it runs) or .npz; .csv is a table",
    )
    command.add_argument("--html", metavar="FILE.html", help="write the animation")
    command.add_argument("--csv", metavar="FILE.csv", help="write a table")
    command.add_argument(
        "--plot", metavar="FILE", help="write the energies as a picture: .svg, .png or .pdf"
    )
    command.add_argument("--show", action="store_true", help="open the animation in the browser")


def _scene_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--contact",
        choices=("exact", "convex", "lcp", "none"),
        help="law and solver of contact (exact, or as the scene's settings say)",
    )
    group.add_argument("--max-iterations", type=int, metavar="N", help="stop after N steps")
    group.add_argument("--resume", metavar="FILE.h5", help="go on with the run of this file")
    group.add_argument("--snapshots", metavar="FOLDER", help="write XML that loads again")
    group.add_argument("--snapshot-every", type=int, metavar="N", help="steps between them (1000)")
    group.add_argument(
        "--print",
        nargs="+",
        default=[],
        metavar="WHAT",
        help="print on the way: step time cpu energy contacts impacts residual q qd, MODEL.q",
    )
    group.add_argument("--print-every", type=int, metavar="N", help="steps between lines (1)")
    group.add_argument(
        "--log-level",
        choices=("error", "warning", "info", "debug"),
        help="say what goes wrong (warning), or what each step did (debug)",
    )
    group.add_argument("--log", metavar="FILE", help="where to, instead of standard error")
    group.add_argument("--profile", action="store_true", help="say where the time went")
    plugin_option(group)


def plugin_option(command: argparse._ActionsContainer) -> None:
    """Add ``--plugin``, which every command on scenes has."""
    command.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="ID=MODULE:FUNCTION",
        help="a Python function; ID is a CollisionDetectionPlugin's in the file, a model's name "
        "(its controller), 'forces' or 'contact-filter'; may be repeated",
    )
