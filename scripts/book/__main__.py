"""Write the pages of the book."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from .chapters import CHAPTERS
from .page import page_of


def main() -> None:
    """Write each chapter's page, and print its size."""
    parser = ArgumentParser(prog="python -m scripts.book", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("build/book"), metavar="FOLDER")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    for chapter in CHAPTERS:
        path = folder / f"{chapter.name}.html"
        path.write_text(page_of(chapter), encoding="utf-8")
        print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
