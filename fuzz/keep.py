"""Keep the smallest inputs that together reach all lines reached: ``python fuzz/keep.py TARGET``.

Writes ``fuzz/corpus/TARGET.zip`` from ``build/fuzz/TARGET``.
"""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
MOST_BYTES = 150_000  # of one archive: the corpus is a start, not a record
LARGEST = 20_000

Steps = set[tuple[str, int, int]]


def main() -> None:
    work = Path(os.environ.get("POLHODE_FUZZ_DIR", ROOT / "build" / "fuzz"))
    os.environ["POLHODE_CACHE_DIR"] = tempfile.mkdtemp(prefix="cache-", dir=work)
    from fuzz.seeds import seeds
    from fuzz.targets import TARGETS

    for name in sys.argv[1:]:
        found = [path.read_bytes() for path in (work / name).iterdir()]
        inputs = [*seeds(name), *sorted(found, key=lambda data: (len(data), data))]
        kept = list(_reaching(TARGETS[name], inputs))
        _write(ROOT / "fuzz" / "corpus" / f"{name}.zip", kept)


def _reaching(target: Callable[[bytes], object], inputs: list[bytes]) -> Iterator[bytes]:
    """The inputs that step from a line to another as none before them."""
    known: Steps = set()
    for k, data in enumerate(inputs):
        if len(data) > LARGEST and k:
            continue
        steps = _steps(lambda data=data: target(data))
        if steps - known:
            known |= steps
            yield data


def _steps(call: Callable[[], object]) -> Steps:
    found: Steps = set()
    here = str(ROOT / "src" / "polhode")

    def trace(frame, event, arg):
        code = frame.f_code
        if not code.co_filename.startswith(here):
            return None
        last = [0]

        def line(frame, event, arg):
            found.add((code.co_filename, last[0], frame.f_lineno))
            last[0] = frame.f_lineno
            return line

        return line

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(None)
    return found


def _write(path: Path, inputs: list[bytes]) -> None:
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for k, data in enumerate(inputs):
            if file.fp is None or file.fp.tell() + len(data) > MOST_BYTES:
                break
            entry = zipfile.ZipInfo(f"{k:03d}")  # without times: the same on every day
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, data)
    print(f"{path}: {k + 1} of {len(inputs)} inputs, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
