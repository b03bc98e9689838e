"""The commands and their options; imports nothing heavy."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..errors import suggestion
from .export_functions import FUNCTIONS
from .sim_options import fill as _sim_options
from .sim_options import package_options, plugin_option
from .sweep_options import fill as _sweep

EPILOG = "POLHODE_NUM_THREADS sets the number of threads, POLHODE_CACHE_DIR the compiler's cache."


class Parser(argparse.ArgumentParser):
    """Suggests the nearest command or option for a misspelt one."""

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self._negative_number_matcher = re.compile(r"-\.?\d")  # that of 3.14: also -1e-3

    def error(self, message: str) -> NoReturn:
        files = [a.metavar for a in self._actions if a.required and not a.option_strings]
        words = " ".join((self.prog, *map(str, files)))
        self.exit(
            2, f"polhode: {message}\nusage: {words} [options]; {self.prog} --help lists them\n"
        )

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:
        known, extra = self.parse_known_args(args, namespace)
        if extra:
            parser = self._parser_of(known)
            options = [o for a in parser._actions for o in a.option_strings if o.startswith("--")]
            word = extra[0].split("=")[0]
            hint = suggestion(word, options) if word.startswith("-") else ""
            parser.error(f"unknown argument '{extra[0]}'{hint}")
        return known

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            choices = list(map(str, action.choices))
            what = "command" if action.dest == "command" else f"value of {action.dest}"
            raise argparse.ArgumentError(
                None,
                f"unknown {what} '{value}'{suggestion(str(value), choices)}"
                f" (there are: {', '.join(choices)})",
            )

    def _parser_of(self, known: argparse.Namespace) -> argparse.ArgumentParser:
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction) and known.command:
                return action.choices[known.command]
        return self


def build_parser() -> Parser:
    """The parser of the whole command line."""
    parser = Parser(
        prog="polhode",
        description="Rigid-body dynamics compiled for your robot.",
        epilog=EPILOG,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=Version, help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary, fill in COMMANDS:
        command = commands.add_parser(
            name, help=summary, description=summary, epilog=EPILOG, allow_abbrev=False
        )
        command.add_argument("--json", action="store_true", help="print the result as JSON")
        command.add_argument("--quiet", "-q", action="store_true", help="print errors only")
        fill(command)
    return parser


class Version(argparse.Action):
    """Prints the version; asks for it only then."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any):
        super().__init__(option_strings, dest, nargs=0, **options)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> NoReturn:
        from .. import __version__

        sys.stdout.write(f"polhode {__version__}\n")
        parser.exit(0)


FILE = "a .urdf, .xacro, .lua, .xml, .mjcf, .sdf or .osim file, or the name of a robot"


def _model_options(command: argparse.ArgumentParser, file: str = FILE) -> None:
    command.add_argument("file", metavar="FILE", help=file)
    package_options(command)
    command.add_argument(
        "--floating-base", action="store_true", help="let the root link of a URDF move freely"
    )
    command.add_argument(
        "--mimic", choices=("independent", "coupled"),
        help="whether mimic joints of a URDF or SDF have coordinates of their own (independent), "
        "or move with the joint that they follow",
    )  # fmt: skip
    command.add_argument(
        "--gravity", nargs=3, type=float, metavar=("X", "Y", "Z"),
        help="instead of the file's [m/s^2]",
    )  # fmt: skip


def _check(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help=FILE)
    package_options(command)
    command.add_argument(
        "--all", action="store_true", help="say also what is harmless: rounded angles, hints"
    )
    command.add_argument(
        "--strict", action="store_true", help="exit with 1 if anything is ignored or doubtful"
    )
    plugin_option(command)


def _info(command: argparse.ArgumentParser) -> None:
    _model_options(command)
    for short, names, text in SECTIONS:
        command.add_argument(
            short, *names, action="store_true", dest=names[0][2:].replace("-", "_"), help=text
        )


SECTIONS = (
    ("-v", ("--verbose",), "say also what each body weighs and what was noted while reading"),
    ("-d", ("--dof-overview", "--dof_overview"), "degrees of freedom"),
    ("-m", ("--model-hierarchy", "--model_hierarchy"), "tree of bodies"),
    ("-o", ("--body-origins", "--body_origins"), "origins of all bodies at the neutral position"),
    ("-c", ("--center-of-mass", "--center_of_mass"), "centres of mass at the neutral position"),
    ("-s", ("--constraint-sets", "--constraint_sets"), "constraint sets of a Lua model"),
)


def _sim(command: argparse.ArgumentParser) -> None:
    _model_options(command)
    _sim_options(command)


def _demo(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--output", metavar="DIR", default="polhode-demo", help="where to write (polhode-demo)"
    )
    command.add_argument("--no-open", action="store_true", help="do not open the browser")
    others = command.add_mutually_exclusive_group()
    others.add_argument("--list", action="store_true", help="name the example scripts, and end")
    others.add_argument("--copy", metavar="DIR", help="copy models and scripts there, and end")


def _bench(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--peers", action="store_true", help="beside Pinocchio, in the same run; from a checkout"
    )
    command.add_argument(
        "--models", nargs="+", metavar="MODEL", help="names of benchmark models, or files"
    )
    command.add_argument("--rows", nargs="+", metavar="ROW", help="names of rows, such as 'aba'")
    command.add_argument(
        "--threads", nargs="+", type=int, metavar="N", help="numbers of threads (1 and all)"
    )
    command.add_argument(
        "--chains",
        action="store_true",
        help="chains, trees and hands of up to 3000 bodies instead; --peers adds MuJoCo too",
    )
    command.add_argument(
        "--fast", action="store_true", help="fewer repeats: a look, not a measurement"
    )
    command.add_argument(
        "--markdown", action="store_true", help="print the tables as Markdown at the end"
    )


def _export(command: argparse.ArgumentParser) -> None:
    _model_options(command)
    files = command.add_mutually_exclusive_group(required=True)
    files.add_argument("--c", metavar="OUT.c", help="write C99: OUT.c, and OUT.h beside it")
    files.add_argument("--ptx", metavar="OUT.ptx", help="write CUDA kernels")
    files.add_argument("--wasm", metavar="OUT.wasm", help="write a module of WebAssembly")
    command.add_argument(
        "--function",
        nargs="+",
        choices=[*FUNCTIONS],
        default=["inverse_dynamics"],
        metavar="NAME",
        help=f"one or more of {', '.join(FUNCTIONS)} (inverse_dynamics)",
    )
    command.add_argument("--body", metavar="NAME", help="the body of a point or a Jacobian")
    command.add_argument(
        "--dtype", choices=("float64", "float32"), default="float64", help="of all numbers"
    )
    command.add_argument(
        "--lanes", type=int, default=1, metavar="W", help="states in each call, of C (1)"
    )
    command.add_argument(
        "--arch",
        metavar="SM",
        help="the oldest devices that shall run the kernels (sm_70)",
    )


def _motion_options(command: argparse.ArgumentParser) -> None:
    _model_options(command, "a model, or a recording (.npz, .h5)")


def _show(command: argparse.ArgumentParser) -> None:
    _motion_options(command)
    command.add_argument("-o", "--output", metavar="FILE.html", help="where to write the page")
    command.add_argument("--title", help="heading of the page")
    command.add_argument("--fps", type=float, default=60.0, help="poses per second kept (60)")
    command.add_argument("--no-open", action="store_true", help="do not open the browser")
    command.add_argument("--live", action="store_true", help="run it, steered from the browser")
    command.add_argument("--port", type=int, help="of the live view (a free one)")


def _render(command: argparse.ArgumentParser) -> None:
    _motion_options(command)
    command.add_argument(
        "-o", "--output", required=True, metavar="FILE", help=".png, .gif, .mp4 or .webm"
    )
    command.add_argument("--size", default="1280x720", metavar="WxH", help="pixels (1280x720)")
    command.add_argument("--fps", type=float, help="frames per second (30)")
    command.add_argument("--at", type=float, metavar="S", help="moment of a .png (0)")
    command.add_argument("--start", type=float, metavar="S", help="begin here (0)")
    command.add_argument("--end", type=float, metavar="S", help="end here")
    command.add_argument("--speed", type=float, help="faster than life (1)")
    command.add_argument("--theme", choices=("light", "dark"), default="light", help="(light)")
    command.add_argument(
        "--overlay", nargs="+", default=[], metavar="NAME",
        help="frames joints com inertia trails contacts collisions",
        choices=("frames", "joints", "com", "inertia", "trails", "contacts", "collisions"),
    )  # fmt: skip
    command.add_argument("--titles", action="store_true", help="with title and controls")
    command.add_argument(
        "--timeout", type=float, default=120.0, metavar="S",
        help="how long the browser may take for a picture (120)",
    )  # fmt: skip


def _convert(command: argparse.ArgumentParser) -> None:
    _model_options(command)
    command.add_argument("output", metavar="OUTPUT", help="a .urdf, .lua, .sdf, .xml or .mjcf file")
    command.add_argument(
        "--to",
        choices=("urdf", "lua", "sdf", "moby", "mjcf"),
        metavar="FORMAT",
        help="urdf, lua, sdf, moby or mjcf (by the file extension; .xml is Moby's)",
    )


def _plot(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="RECORDING", help="a recording (.npz, .h5)")
    command.add_argument(
        "signals",
        nargs="*",
        metavar="SIGNAL",
        help="what to draw, such as position, impulse or impulse:GEOMETRY; all if none",
    )
    command.add_argument("-o", "--output", metavar="FILE", help=".svg, .png or .pdf")
    command.add_argument("--world", type=int, metavar="N", help="of a batch (0)")
    command.add_argument("--list", action="store_true", help="say which signals there are")


def _completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


SHELLS = ("bash", "zsh", "fish")
Fill = Callable[[argparse.ArgumentParser], None]
COMMANDS: tuple[tuple[str, str, Fill], ...] = (
    ("info", "Say what is in a model file.", _info),
    ("check", "Say what is wrong, doubtful or ignored in a model or scene file.", _check),
    ("convert", "Write a model or a scene in another format, and say what is lost.", _convert),
    ("sim", "Move a model through time.", _sim),
    ("sweep", "Run a model, a scene or a function many times, with what varies.", _sweep),
    ("show", "Show a model or a recording in the browser.", _show),
    ("render", "Draw a model or a recording as a picture or an animation.", _render),
    ("plot", "Draw the signals of a recording over time.", _plot),
    ("demo", "Load the shipped arm and walker, compute, simulate, and show them.", _demo),
    ("bench", "Measure the speed of the algorithms.", _bench),
    ("export", "Write functions of a model as C, CUDA kernels or WebAssembly.", _export),
    (
        "completion",
        "Print what completes commands in bash, zsh or fish.",
        _completion,
    ),
)
