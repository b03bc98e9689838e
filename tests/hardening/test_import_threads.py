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


# One thread pauses within the package `polhode.compiler.program`, before it needs `threads`.
PAUSED = """
import sys, threading, time
from importlib.abc import MetaPathFinder
import polhode

inside, errors = threading.Event(), []

class Pause(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "polhode.compiler.program.compose":
            inside.set()
            time.sleep(1.0)

sys.meta_path.insert(0, Pause())

def get(name, first):
    first or inside.wait(60.0)
    try:
        __import__(name)
    except BaseException as error:
        errors.append((name, repr(error)))

threads = [
    threading.Thread(target=get, args=("polhode.compiler", True)),
    threading.Thread(target=get, args=("polhode.compiler.program.threads", False)),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(60.0)
assert inside.is_set() and not errors and not any(t.is_alive() for t in threads), errors
"""


def test_a_thread_that_needs_a_module_does_not_wait_for_its_package():
    """Another thread that imports the package would wait for that module."""
    done = subprocess.run([sys.executable, "-c", PAUSED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
