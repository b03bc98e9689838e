"""The example of learning improves its return, and what it learned walks."""

from __future__ import annotations

import re
import subprocess
import sys

from polhode.examples import path


def test_learn_to_walk(tmp_path):
    """As many iterations as the docs say make it walk, in both integrators."""
    script = str(path("learning") / "learn_to_walk.py")
    command = [sys.executable, script, "--iterations", "30", "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    first, *_, last = (
        float(x) for x in re.findall(r"iteration +\d+: return +(-?[\d.]+)", done.stdout)
    )
    assert first < 50.0 and last > 300.0
    way = re.search(r"walks ([\d.]+) m in 8.0 s", done.stdout)
    assert way and float(way[1]) > 4.0
    assert (tmp_path / "return.svg").exists() and (tmp_path / "walk.html").exists()
