"""``polhode render FILE``: a model or a recording as a picture or an animation."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from ..viewer import render
from .motions import read_motion
from .terminal import Output


def run(options: Namespace, output: Output) -> int:
    """Draw what was asked for, frame by frame."""
    width, height = _size(options.size)
    if Path(options.output).suffix.lower() == ".png":
        _refuse_animated(options)
    path = render(
        read_motion(options),
        options.output,
        size=(width, height),
        fps=options.fps,
        at=options.at,
        start=options.start or 0.0,
        end=options.end,
        speed=options.speed,
        theme=options.theme,
        overlays=tuple(options.overlay),
        is_bare=not options.titles,
        timeout=options.timeout,
        progress=False if output.quiet else None,
    )
    output.say(f"wrote {path}")
    output.result({"file": str(path)})
    return 0


def _refuse_animated(options: Namespace) -> None:
    """Refuse what a single picture has not."""
    for name in ("start", "end", "fps", "speed"):
        if getattr(options, name) is not None:
            raise ValueError(
                f"expected --at with a .png, which is one picture, got --{name}: that is for "
                "animations, .gif, .mp4 and .webm"
            )


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdigit() and height.isdigit()):
        raise ValueError(f"expected --size WIDTHxHEIGHT, such as 1280x720, got '{text}'")
    return int(width), int(height)
