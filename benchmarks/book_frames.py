"""How fluently the book's pages move: python -m benchmarks.book_frames [CHAPTER ...]

Each page plays in headless Chromium, which draws without a graphics card, at 1280 x 800.  Prints
the frames in a second, and the milliseconds of each part of a frame in the page's thread: steps of
the simulation, quantities, picture, tables and curves.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from scripts.book.chapters import CHAPTERS
from scripts.book.page import page_of

from polhode.viewer.chromium import Browser

SIZE = (1280, 800)
SETTLE, WATCH = 2.0, 5.0  # seconds
COUNT = """(() => {
  const { simulation, stage, numbers, curves } = book;
  window.told = { frames: 0, spent: {} };
  const measure = (name, owner, method) => {
    const own = owner[method].bind(owner);
    told.spent[name] = 0;
    owner[method] = (...given) => {
      const begun = performance.now();
      const result = own(...given);
      told.spent[name] += performance.now() - begun;
      return result;
    };
  };
  measure("steps", simulation, "advance");
  measure("quantities", simulation, "quantities");
  measure("picture", stage, "draw");
  measure("tables", numbers, "show");
  curves.forEach((curve, k) => measure(`curves ${k + 1}`, curve, "add"));
  measure("frame", book, "frame");
  const count = () => { told.frames++; requestAnimationFrame(count); };
  requestAnimationFrame(count);
})()"""
RESET = "told.frames = 0; for (const name in told.spent) told.spent[name] = 0;"


def play(address: str) -> tuple[float, dict[str, float]]:
    """Frames in a second, and milliseconds of each part of a frame."""
    with tempfile.TemporaryDirectory() as profile, Browser(profile, SIZE) as browser:
        browser.open(address)
        browser.run(COUNT)
        time.sleep(SETTLE)
        browser.run(RESET)
        begin = time.perf_counter()
        time.sleep(WATCH)
        told = browser.run("told")
        passed = time.perf_counter() - begin
    frames = told["frames"]
    return frames / passed, {name: ms / max(frames, 1) for name, ms in told["spent"].items()}


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for chapter in CHAPTERS:
            if names and chapter.name not in names:
                continue
            page = Path(folder) / f"{chapter.name}.html"
            page.write_text(page_of(chapter), encoding="utf-8")
            rate, spent = play(page.as_uri())
            parts = ", ".join(f"{name} {ms:.2f}" for name, ms in spent.items())
            print(f"{chapter.name}: {rate:.0f} frames/s; ms a frame: {parts}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
