"""``polhode check FILE``: what is wrong, doubtful or without effect in a model or scene file.

Exit status 0: it can be read; 1: it cannot, or with ``--strict`` something in it is ignored or
doubtful; 2: the command was not understood.
"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from ..errors import ModelError, ParseError
from ..formats import Note, read
from ..formats.reading import REPORTED, WARNED, together
from ..formats.urdf.collision import doubts_of_collisions
from ..model import Model
from .model_file import read_options, urdf_of
from .sim_plugins import plugins
from .terminal import Output


def run(options: Namespace, output: Output) -> int:
    """Print one line for each note, or for similar ones together, and then the verdict."""
    functions = plugins(options.plugin) or None
    notes: list[Note] = []
    error: Exception | None = None
    try:
        reading = read(options.file, plugins=functions, **read_options(options))
        notes = [*reading.notes, *_doubts(reading.model), *_doubts_of_shapes(options)]
    except (ParseError, ModelError, OSError) as problem:
        error = problem
    shown = notes if options.all else together([n for n in notes if n.kind in REPORTED])
    for note in shown:
        where = options.file if note.line is None else f"{options.file}:{note.line}"
        output.say(f"{where}: {note.kind}: {note.text}")
    if error is not None:
        output.say(_located(options.file, error))
    serious = [note for note in notes if note.kind in WARNED]
    is_bad = error is not None or bool(options.strict and serious)
    output.say(_verdict(options.file, notes, error))
    output.result(_as_data(options.file, notes, error, is_bad))
    return int(is_bad)


def _doubts(found: Any) -> list[Note]:
    """Notes on the model or scene, beside those on the file."""
    if isinstance(found, Model):
        return []
    from ..scene import lint
    from ..simulation.stepping.constants import require_simulable

    notes = [Note("doubtful", text) for text in lint(found)]
    try:
        require_simulable(found)
    except ModelError as problem:
        notes.append(Note("doubtful", f"cannot be simulated: {problem}"))
    return notes


def _doubts_of_shapes(options: Namespace) -> list[Note]:
    """Notes on the collision shapes of a URDF, which only scenes read."""
    file = urdf_of(options)
    if file is None:
        return []
    return doubts_of_collisions(file.path, package_roots=file.package_roots, trusted=file.trusted)


def _located(file: str, error: Exception) -> str:
    text = " ".join(str(error).split())
    if isinstance(error, ParseError) and error.file is not None:
        place = ":".join(str(part) for part in (error.file, error.line) if part is not None)
        return f"{place}: error: {' '.join(error.message.split())}"
    return f"{file}: error: {text}"


def _verdict(file: str, notes: list[Note], error: Exception | None) -> str:
    if error is not None:
        return f"{file}: cannot be read"
    count = sum(note.kind in REPORTED for note in notes)
    more = f" ({len(notes) - count} more with --all)" if count < len(notes) else ""
    if not count:
        return f"{file}: no warnings{more}"
    return f"{file}: {count} warning{'s' if count > 1 else ''}{more}"


def _as_data(file: str, notes: list[Note], error: Exception | None, is_bad: bool) -> dict[str, Any]:
    errors = []
    if error is not None:
        parse = error if isinstance(error, ParseError) else None
        errors.append(
            {
                "file": parse.file if parse and parse.file else file,
                "line": parse.line if parse else None,
                "text": parse.message if parse else str(error),
            }
        )
    return {
        "file": file,
        "ok": not is_bad,
        "errors": errors,
        "notes": [{"kind": n.kind, "line": n.line, "text": n.text} for n in notes],
    }
