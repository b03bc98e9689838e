"""``polhode info FILE``: what a model or a scene consists of."""

from __future__ import annotations

from argparse import Namespace

from ..formats import read
from ..model import Model
from .info_model import run_model
from .model_file import read_options
from .terminal import Output


def run(options: Namespace, output: Output) -> int:
    """Print what is in the file."""
    reading = read(options.file, **read_options(options))
    found = reading.model if options.verbose else reading.warn()
    if isinstance(found, Model):
        return run_model(options, output, found, reading.notes)
    from .info_scene import run_scene  # on need: scenes take time to import

    return run_scene(options, output, found, reading.notes)
