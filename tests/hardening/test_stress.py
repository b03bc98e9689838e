"""Processes that begin with many threads at once, as `stress.py` does, for about a minute.

``POLHODE_STRESS_SECONDS`` sets for how long, ``POLHODE_STRESS_SEED`` which plan comes first; the
seed of a plan that failed is in its message.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import polhode as ph
from hardening import stress

PROGRAM = Path(__file__).with_name("stress.py")
SECONDS = float(os.environ.get("POLHODE_STRESS_SECONDS", "60"))
FIRST = int(os.environ.get("POLHODE_STRESS_SEED", random.SystemRandom().randrange(10**6)))
PARTS = 4
LIMIT = 450.0  # seconds of one process, which ends itself before
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")


@pytest.fixture(scope="module")
def warm():
    """The code of scenes is in the cache of all tests."""
    stress.ball(stress.chain(1.0))


@pytest.mark.parametrize("part", range(PARTS))
def test_cold_processes_with_many_threads(part, warm, tmp_path):
    """No crash, no hang, and the bits of one thread, whatever the plan."""
    until, seed = time.monotonic() + SECONDS / PARTS, FIRST + 1000 * part
    while True:
        _run(seed, tmp_path / str(seed))
        seed += 1
        if time.monotonic() > until:
            return


def _run(seed: int, folder: Path) -> None:
    """One process: with a cache that is empty or the user's, its memory laid out by chance or not.

    Scenes take long to compile: they are only in plans for warm caches, and those of long tests.
    """
    rng = random.Random(seed)
    is_warm = rng.random() < 0.3
    command = [sys.executable, str(PROGRAM), str(seed)]
    if is_warm or (SECONDS >= 300 and rng.random() < 0.1):
        command.append("warm")
    if rng.random() < 0.3 and shutil.which("setarch"):
        command = ["setarch", "-R", *command]
    environment = os.environ | {"PYTHONPATH": str(Path(ph.__file__).parents[1])}
    if not is_warm:
        folder.mkdir(mode=0o700)
        environment["POLHODE_CACHE_DIR"] = str(folder)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    shutil.rmtree(folder, ignore_errors=True)
    print(done.stdout, end="")
    assert done.returncode == 0, f"{' '.join(command)}: {done.returncode}\n{done.stderr[-6000:]}"
    assert done.stdout.startswith(f"seed {seed}: ")
