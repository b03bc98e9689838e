"""Stills and animations, frame by frame through a headless browser."""

from __future__ import annotations

import base64
import io
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import as_flag, as_number
from ..errors import ArgumentError, shown
from ..files.kinds import PICTURES, check_target
from ..files.writing import replacing, write_atomically
from ..simulation.progress import Progress
from .chromium import PATIENCE, Browser, BrowserError, temporary_folder
from .page import html

THEMES = ("light", "dark")
_MOST_FRAMES = 100_000
_PATIENCE = 600.0  # seconds for the encoder to finish


def render(
    subject: Any,
    path: str | Path,
    *,
    size: tuple[int, int] = (1280, 720),
    fps: float | None = None,
    at: float | None = None,
    start: float = 0.0,
    end: float | None = None,
    speed: float | None = None,
    theme: str = "light",
    overlays: tuple[str, ...] = (),
    is_bare: bool = True,
    timeout: float = PATIENCE,
    progress: bool | Callable[[int, int], None] | None = None,
    **options: Any,
) -> Path:
    """Draw a model or a recording as a picture or an animation.

    Parameters
    ----------
    subject : Model, Recording, path of a recording, or a list of them
        As for `polhode.show`.
    path : path-like
        What to write: ``.png`` for a still, ``.gif``, ``.mp4`` or ``.webm`` for an animation.
    size : two ints
        Width and height [pixels].
    fps : float, optional
        Frames of the animation per second, 30 by default.
    at : float, optional
        The moment of a still [s]; ``start`` if omitted.  ``time`` is the old name, which warns.
    start, end : float, optional
        The part of the motion that is shown [s]; all of it by default.
    speed : float, optional
        Seconds of the motion in a second of the animation, 1 by default.
    theme : "light" or "dark"
        Colours of the page.
    overlays : tuple of str
        Out of ``frames joints com inertia trails contacts collisions``.
    is_bare : bool
        Whether controls, titles and plots are left out.
    timeout : float
        How long the browser may take for the page, and for each picture [s].
    progress : bool or callable ``(done, all)``, optional
        Whether a bar counts the frames; by default on a terminal and in a notebook.  A function is
        called after each frame instead.
    **options
        Further options of `polhode.show`: ``title``, ``camera``, ``layout`` ...

    Returns
    -------
    path : Path
        The file written.

    Raises
    ------
    BrowserError
        If there is no Chromium, or no encoder for the animation (ffmpeg on PATH or the package
        ``imageio-ffmpeg``; Pillow does for ``.gif``).  Also if the page or a picture takes longer
        than ``timeout``.
    ValueError
        For a wrong option, and a moment after the end of the motion.
    OSError
        If the file cannot be written, or a file of another kind is there.
    """
    path = Path(path)
    _check_kind(path, {"end": end, "fps": fps, "speed": speed})
    fps, speed = 30.0 if fps is None else fps, 1.0 if speed is None else speed
    _check(path, size, fps, speed, theme)
    timeout = as_number("timeout", timeout, above=0.0)
    if not (progress is None or callable(progress)):
        progress = as_flag("progress", progress)
    if "time" in options:
        warnings.warn("render(time=...) is called at=... now", DeprecationWarning, stacklevel=2)
        at = options.pop("time") if at is None else at
    if at is not None and path.suffix.lower() != ".png":
        raise ValueError(
            f"expected at= for a .png only, got '{path}'; an animation has start= and end="
        )
    subjects = subject if isinstance(subject, list | tuple) else [subject]
    page = html(*subjects, **options)
    with temporary_folder() as folder:
        place = folder / "page.html"
        place.write_text(page, encoding="utf-8")
        with Browser(folder / "profile", size, timeout) as browser:
            moment = start if at is None else at
            is_still = path.suffix.lower() == ".png"
            opened_at = float(moment) if is_still else 0.0
            wishes = [f"theme={theme}", f"t={opened_at!r}", "bare=1" if is_bare else "plots=1"]
            if overlays:
                wishes.append("show=" + ",".join(overlays))
            browser.open(place.as_uri() + "#" + "&".join(wishes))
            duration = float(browser.run("viewer.player.duration"))
            if is_still:
                check_moment("at", moment, duration)
                return write_atomically(path, _still(browser))
            times = _times(duration, start, end, fps, speed)
            frames = _frames(browser, times, progress)
            return _film(path, frames, fps)


def _check_kind(path: Path, of_animations: Mapping[str, float | None]) -> None:
    """Refuse other files than pictures, and what a still has not."""
    check_target(path, PICTURES, "a picture")
    for name, value in of_animations.items():
        if value is not None and path.suffix.lower() == ".png":
            raise ArgumentError(f"expected at= for a .png, which is one picture, got {name}=")


def _check(path: Path, size: tuple[int, int], fps: float, speed: float, theme: str) -> None:
    suffix = path.suffix.lower()
    if len(size) != 2 or not all(16 <= int(n) <= 8192 for n in size):
        raise ArgumentError(f"expected a width and a height from 16 to 8192 pixels, got {size}")
    if suffix in (".mp4", ".webm") and any(n % 2 for n in size):
        raise ArgumentError(f"expected an even width and height of an animation, got {size}")
    if not (0.0 < fps <= 240.0 and speed > 0.0):
        raise ArgumentError(f"expected 0 < fps <= 240 and a positive speed, got {fps} and {speed}")
    if theme not in THEMES:
        raise ArgumentError(f"expected theme light or dark, got {shown(theme)}")


def _times(duration: float, start: float, end: float | None, fps: float, speed: float) -> list:
    if end is not None:
        check_moment("end", end, duration)
    stop = duration if end is None else min(end, duration)
    if not 0.0 <= start <= stop:
        raise ArgumentError(f"expected 0 <= start <= end <= {duration:g} s, got {start} and {end}")
    count = int(np.floor((stop - start) / speed * fps + 1e-9)) + 1
    if count > _MOST_FRAMES:
        raise ArgumentError(f"expected at most {_MOST_FRAMES} frames, got {count}: raise speed")
    return (start + np.arange(count) * speed / fps).tolist()


def check_moment(name: str, moment: float, duration: float) -> None:
    """Refuse a moment that the motion does not have; the page's times are rounded."""
    if not 0.0 <= moment <= duration * (1.0 + 1e-6):
        raise ValueError(
            f"expected {name} from 0 to {duration:g} s, the length of the motion, got {moment:g}"
        )


def _still(browser: Browser) -> bytes:
    picture = browser.send("Page.captureScreenshot", format="png", optimizeForSpeed=True)
    if browser.errors:
        raise BrowserError(f"the page has faults: {browser.errors[0]}")
    return base64.b64decode(picture["data"])


def _frames(
    browser: Browser, times: list[float], progress: bool | Callable[[int, int], None] | None
) -> Iterator[bytes]:
    bar = FrameProgress(len(times), False if callable(progress) else progress)
    try:
        for k, time in enumerate(times, 1):
            browser.run(f"viewer.seek({float(time)!r})")
            yield _still(browser)
            bar.at(k)
            if callable(progress):
                progress(k, len(times))
    finally:
        bar.close()


class FrameProgress(Progress):
    """A bar that counts frames."""

    def _says(self, done: float) -> str:
        return f"frame {done:.0f} of {self.end:.0f}"


def _film(path: Path, frames: Iterator[bytes], fps: float) -> Path:
    encoder = find_encoder()
    if encoder is not None:
        return _encoded(encoder, path, frames, fps)
    if path.suffix.lower() == ".gif":
        return _gif(path, frames, fps)
    raise BrowserError(
        f"expected ffmpeg on PATH or the package imageio-ffmpeg (pip install 'polhode[movie]') "
        f"to write '{path.name}', found none; .gif needs Pillow only"
    )


def find_encoder() -> str | None:
    """The path of ffmpeg, on PATH or in the package imageio-ffmpeg; or None."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        import imageio_ffmpeg
    except ImportError:
        return None
    return imageio_ffmpeg.get_ffmpeg_exe()


_CODECS = {
    ".mp4": ("-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart"),
    ".webm": ("-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-crf", "28", "-b:v", "0"),
    ".gif": ("-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse"),
}


def _encoded(encoder: str, path: Path, frames: Iterator[bytes], fps: float) -> Path:
    """Written beside its place first, so that a failure leaves nothing half done."""
    with replacing(path) as part, tempfile.TemporaryFile() as complaints:
        command = [encoder, "-y", "-loglevel", "error", "-f", "image2pipe", "-framerate", str(fps),
                   "-c:v", "png", "-i", "-", *_CODECS[path.suffix.lower()], str(part)]  # fmt: skip
        if _fed(command, frames, complaints):
            complaints.seek(0)
            text = complaints.read().decode(errors="replace").strip()
            raise BrowserError(f"the encoder failed on '{path}': {text[-300:]}")
    return path


def _fed(command: list[str], frames: Iterator[bytes], complaints: Any) -> int:
    """The exit status of the encoder; interrupted, it is ended."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=complaints)
    assert process.stdin is not None
    try:
        try:
            for frame in frames:
                process.stdin.write(frame)
        finally:
            process.stdin.close()
    except BrokenPipeError:
        pass  # it has ended before the animation: its status says why
    except BaseException:
        process.kill()
        process.wait()
        raise
    return process.wait(_PATIENCE)


def _gif(path: Path, frames: Iterator[bytes], fps: float) -> Path:
    try:
        from PIL import Image
    except ImportError:
        raise BrowserError(
            "expected Pillow (pip install 'polhode[movie]') or ffmpeg to write a .gif, found none"
        ) from None
    pictures = [Image.open(io.BytesIO(frame)).convert("RGB").quantize() for frame in frames]
    data = io.BytesIO()
    pictures[0].save(
        data, "GIF", save_all=True, append_images=pictures[1:], duration=1000.0 / fps, loop=0
    )
    return write_atomically(path, data.getvalue())
