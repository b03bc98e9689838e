"""Processes that begin with many threads at once, as `stress.py` does.

The plans are always the same.  `make stress` runs others, from a plan by chance, for as many
seconds as ``POLHODE_STRESS_SECONDS`` says; ``POLHODE_STRESS_SEED`` sets which plan comes first
there.  The seed of a plan that failed is in its message.
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
PLANS = range(36, 48)
SECONDS = float(os.environ.get("POLHODE_STRESS_SECONDS", "0"))
FIRST = int(os.environ.get("POLHODE_STRESS_SEED", random.SystemRandom().randrange(10**6)))
LIMIT = 450.0  # seconds of one process, which ends itself before
needs_forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")


@pytest.fixture(scope="module")
def warm():
    """The code of scenes is in the cache of all tests."""
    stress.ball(stress.chain(1.0))


def test_plans_have_every_job():
    """Each job is in some plan; many threads begin both with an empty and with a filled cache."""
    jobs, most = set(), {True: 0, False: 0}
    for seed in PLANS:
        n_threads, plans = stress.plan(random.Random(seed), is_warm(seed))
        jobs.update(job for of_thread in plans for job, _ in of_thread)
        most[is_warm(seed)] = max(most[is_warm(seed)], n_threads)
    assert jobs == {*stress.COLD, stress.ball}
    assert most == {True: 32, False: 32}


@needs_forks
@pytest.mark.parametrize("seed", PLANS)
def test_cold_processes_with_many_threads(seed, warm, tmp_path):
    """No crash, no hang, and the bits of one thread, whatever the plan."""
    run(seed, tmp_path / "cache", has_scenes=is_warm(seed))


@needs_forks
@pytest.mark.skipif(not SECONDS, reason="`make stress` runs it")
def test_plans_by_chance(warm, tmp_path):
    """The same for as long as asked; scenes are also compiled by processes with an empty cache."""
    until, seed = time.monotonic() + SECONDS, FIRST
    while time.monotonic() < until:
        run(seed, tmp_path / str(seed), has_scenes=is_warm(seed) or seed % 10 == 9)
        seed += 1


def is_warm(seed: int) -> bool:
    """Whether the process of a plan has the cache of all tests, or an empty one."""
    return seed % 3 == 2


def run(seed: int, folder: Path, *, has_scenes: bool) -> None:
    """Run the process of a plan; the system lays out the memory of some always in the same way.

    Scenes take long to compile: they are only in plans for warm caches, and in long runs.
    """
    command = [sys.executable, str(PROGRAM), str(seed)]
    if has_scenes:
        command.append("scenes")
    if seed % 4 == 3 and shutil.which("setarch"):
        command = ["setarch", "-R", *command]
    environment = os.environ | {"PYTHONPATH": str(Path(ph.__file__).parents[1])}
    if not is_warm(seed):
        folder.mkdir(mode=0o700)
        environment["POLHODE_CACHE_DIR"] = str(folder)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    shutil.rmtree(folder, ignore_errors=True)
    print(done.stdout, end="")
    assert done.returncode == 0, f"{' '.join(command)}: {done.returncode}\n{done.stderr[-6000:]}"
    assert done.stdout.startswith(f"seed {seed}: ")
