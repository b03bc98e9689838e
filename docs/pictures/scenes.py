"""Draws the gallery of scenes: python docs/pictures/scenes.py [NUMBER ...]

Runs the scripts of polhode.examples.scenes and keeps their stills as scene_NN.jpg; needs Chromium.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from polhode.examples import path

HERE = Path(__file__).resolve().parent
SCENES = path("scenes")
SIZE = (640, 400)


def draw(script: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(script), "--picture", "--output", folder]
        subprocess.run(command, check=True)
        picture = Image.open(Path(folder) / script.stem / "still.png").convert("RGB")
        picture.resize(SIZE, Image.Resampling.LANCZOS).save(
            HERE / f"scene_{script.name[:2]}.jpg", quality=82, optimize=True
        )


def main() -> None:
    for script in sorted(SCENES.glob("[0-9]*.py")):
        if len(sys.argv) == 1 or script.name[:2] in sys.argv[1:]:
            draw(script)


if __name__ == "__main__":
    main()
