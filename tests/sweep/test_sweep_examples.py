"""The sweeps among the examples run, and find what physics says."""

from __future__ import annotations

import re
import subprocess
import sys

from polhode.examples import path

EXAMPLES = path("sweeps")


def said(name, *options):
    """What an example prints."""
    command = [sys.executable, str(EXAMPLES / name), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_gain_tuning(tmp_path):
    """The best gains are neither far below nor far above critical damping."""
    text = said("gain_tuning.py", "--side", "5", "--workers", "1", "--output", str(tmp_path))
    assert "SweepResult(25 tasks, 25 done, 0 failed)" in text
    ratio = re.search(r"that is ([\d.]+) of what is critical", text)
    assert ratio
    assert 0.7 < float(ratio[1]) < 3.0
    assert (tmp_path / "gain_tuning.svg").exists()


def test_random_terrain(tmp_path):
    """Most robots stand, and more hills tilt them more."""
    text = said("random_terrain.py", "--runs", "10", "--workers", "1", "--output", str(tmp_path))
    assert "SweepResult(10 tasks, 10 done, 0 failed)" in text
    stands = re.search(r"(\d+) of 10 stand; worst tilt of these ([\d.]+) degrees", text)
    assert stands
    assert int(stands[1]) >= 5
    rough = re.search(r"with roughness\s+(-?[\d.]+)", text)
    assert rough
    assert float(rough[1]) > 0.2
    assert (tmp_path / "random_terrain.svg").exists()
