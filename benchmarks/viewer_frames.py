"""How fluently the page plays: python benchmarks/viewer_frames.py [--full] [BODIES ...]

Recordings of 100 000 frames of free bodies are played in headless Chromium, which draws without a
graphics card, at 800 x 600.  Prints the page's size, what it says it left out, how long it takes
to open, how many frames it draws in a second, and the processor time the browser takes for each:
where other programs compete for the processor, the last says what the machine could do alone.

With ``--full`` light and shadows are those of stills and of graphics cards.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import polhode as ph
from polhode.model import Box, Capsule, Cone, Cylinder, FloatingBase, Model, Sphere, Torus, Visual
from polhode.viewer.chromium import Browser

FRAMES = 100_000
SIZE = (800, 600)
SETTLE, WATCH = 4.0, 8.0  # seconds
SHAPES = (
    Box((0.3, 0.2, 0.2)), Sphere(0.15), Cylinder(0.12, 0.3), Capsule(0.1, 0.2), Cone(0.15, 0.3),
    Torus(0.15, 0.05),
)  # fmt: skip
COUNT = (
    "(() => { const draw = viewer.draw.bind(viewer); viewer.drawn = 0;"
    " viewer.draw = () => { viewer.drawn++; draw(); }; viewer.play(); })()"
)


def bodies(count: int) -> Model:
    """Free bodies of all shapes."""
    model = Model(f"{count} bodies")
    for k in range(count):
        look = [Visual(SHAPES[k % len(SHAPES)])]
        model = model.add(
            f"b{k}", joint=FloatingBase(), mass=1.0, inertia=(0.01, 0.01, 0.01), visuals=look
        )
    return model


def recording(model: Model) -> ph.Recording:
    """Each body about a place of its own, for a thousand seconds."""
    rng = np.random.default_rng(0)
    t = np.linspace(0.0, 1000.0, FRAMES)
    q = np.tile(ph.neutral(model).astype(np.float32), (FRAMES, 1))
    spread = 0.35 * model.nv ** (1.0 / 3.0)
    for k in range(model.nv):
        if k % 6 < 3:
            q[:, k] = rng.uniform(-spread, spread) + 0.3 * np.sin(rng.uniform(0.5, 2.0) * t + k)
    still = np.broadcast_to(0.0, (FRAMES, model.nv))
    return ph.Recording(model, t, q, still, still, np.zeros(FRAMES))


def processor_time(process: int) -> float:
    """Seconds used so far by a process and its descendants (Linux)."""
    tick = os.sysconf("SC_CLK_TCK")
    used, parents = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number], used[number] = int(fields[1]), int(fields[11]) + int(fields[12])
    family = {process}
    for number in sorted(parents):
        if parents[number] in family:
            family.add(number)
    return sum(used.get(number, 0) for number in family) / tick


def play(address: str) -> tuple[float, float, float, list[str]]:
    """Seconds to open, frames per second, processor time of a frame, notes of the page."""
    with tempfile.TemporaryDirectory() as profile, Browser(profile, SIZE) as browser:
        begin = time.perf_counter()
        browser.open(address)
        opened = time.perf_counter() - begin
        browser.run(COUNT)
        time.sleep(SETTLE)
        drawn, used, begin = browser.run("viewer.drawn"), processor_time(browser.process.pid), now()
        time.sleep(WATCH)
        count, passed = browser.run("viewer.drawn") - drawn, now() - begin
        used = processor_time(browser.process.pid) - used
        return opened, count / passed, used / max(count, 1), browser.run("viewer.data.notes")


now = time.perf_counter


def main(counts: list[int], *, is_full: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            page = Path(folder) / "motion.html"
            ph.show(recording(bodies(count)), page, open_browser=False)
            opened, rate, cost, notes = play(page.as_uri() + ("#t=0" if is_full else ""))
            print(
                f"{count:4d} bodies: {page.stat().st_size / 1e6:5.1f} MB, opens in {opened:.1f} s, "
                f"{rate:.0f} frames/s, {1e3 * cost:.0f} ms of processor time a frame; "
                f"the page says: {'; '.join(notes) or 'nothing'}"
            )


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--full"]
    main([int(word) for word in words] or [30, 300], is_full="--full" in sys.argv)
