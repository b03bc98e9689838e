"""``polhode show FILE``: a model or a recording in the browser."""

from __future__ import annotations

from argparse import Namespace

from ..viewer import show
from .idle import refuse_idle
from .motions import read_motion
from .terminal import Output


def run(options: Namespace, output: Output) -> int:
    """Write the page, and open it unless told not to; or run it live until it is closed."""
    refuse_idle(options, {"port": "live"})
    subject = read_motion(options)
    if options.live:
        if options.output is not None:
            raise ValueError("expected --live or -o FILE, got both: a live view is no file")
        from ..viewer.live import show_live

        view = show_live(
            subject, open_browser=not options.no_open, title=options.title, port=options.port or 0
        )
        output.result({"live": view.url})
        return 0
    page = show(
        subject,
        options.output,
        open_browser=not options.no_open,
        title=options.title,
        fps=options.fps,
    )
    output.say(f"animation {page}")
    output.result({"html": str(page)})
    return 0
