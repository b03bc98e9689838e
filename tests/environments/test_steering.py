"""The example of predictive sampling goes forth and back."""

from __future__ import annotations

import re
import subprocess
import sys

from polhode.examples import path


def test_steer_by_sampling(tmp_path):
    script = str(path("learning") / "steer_by_sampling.py")
    command = [sys.executable, script, "--seconds", "8", "--output", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    place = dict(re.findall(r"at +(-?[\d.]+) m after +([\d.]+) s", done.stdout))
    start, forth, back = (float(x) for x in place)
    assert start == 0.0 and forth > 2.5 and back < forth - 2.0
    assert len(re.findall("399 plans", done.stdout)) == 1
    lean = re.search(r"leans by at most ([\d.]+) rad", done.stdout)
    assert lean and float(lean[1]) < 0.6
    assert (tmp_path / "steer.html").stat().st_size > 100_000
