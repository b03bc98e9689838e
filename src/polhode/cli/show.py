"""``polhode show FILE``: a model or a recording in the browser."""

from __future__ import annotations

from argparse import Namespace

from ..viewer import show
from .motions import read_motion
from .terminal import Output


def run(options: Namespace, output: Output) -> int:
    """Write the page, and open it unless told not to."""
    page = show(
        read_motion(options),
        options.output,
        open_browser=not options.no_open,
        title=options.title,
        fps=options.fps,
    )
    output.say(f"animation {page}")
    output.result({"html": str(page)})
    return 0
