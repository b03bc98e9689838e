"""Names of the package that many threads use for the first time at once."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import threading
import polhode

names = [name for name in polhode.__all__ if name != "__version__"]
start, errors = threading.Barrier(len(names)), []

def get(name):
    start.wait()
    try:
        getattr(polhode, name)
    except BaseException as error:
        errors.append((name, error))

threads = [threading.Thread(target=get, args=(name,)) for name in names]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(60.0)
assert not errors and not any(thread.is_alive() for thread in threads), errors
"""


def test_threads_that_use_names_first_at_once_get_them():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
