"""Fuzz one target: ``python fuzz/run.py TARGET [libFuzzer options]``; needs `atheris`.

Inputs that reach new code are kept in ``build/fuzz/TARGET``, findings in ``build/fuzz/found``.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
import tempfile
import zipfile
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
OPTIONS = {"max_total_time": 60, "timeout": 10, "rss_limit_mb": 2048, "max_len": 131072}
INSTRUMENTED = [
    *("polhode.formats", "polhode.model", "polhode.scene"),
    *(
        f"polhode.recording.{name}"
        for name in (
            "checkpoint",
            "earlier",
            "files",
            "layout",
            "model_json",
            "stream",
        )
    ),
    *("polhode.spatial_v2.animation", "polhode.spatial_v2.matfile", "polhode.spatial_v2.system"),
    "polhode.compiler.program.cache",
]


def main() -> None:
    name, given = sys.argv[1], sys.argv[2:]
    work = Path(os.environ.get("POLHODE_FUZZ_DIR", ROOT / "build" / "fuzz"))
    work.mkdir(parents=True, exist_ok=True)
    os.environ["POLHODE_CACHE_DIR"] = tempfile.mkdtemp(prefix="cache-", dir=work)
    with atheris.instrument_imports(include=INSTRUMENTED):
        from fuzz.targets import TARGETS
    from fuzz.seeds import seeds

    if name not in TARGETS:
        sys.exit(f"expected a target of {', '.join(TARGETS)}, got {name}")
    corpus = work / name
    corpus.mkdir(parents=True, exist_ok=True)
    (work / "found").mkdir(exist_ok=True)
    examples = [*seeds(name), *_kept(name)]
    for data in examples:
        (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    target = TARGETS[name]

    def once(data: bytes) -> None:
        target(data)

    mutation = _mutation(name, examples)

    def mutate(data: bytes, size: int, seed: int) -> bytes:
        if mutation is None:
            return atheris.Mutate(data, size)
        return mutation(
            bytes(data), random.Random(seed), lambda part: atheris.Mutate(part, len(part) + 8)
        )[:size]

    options = [f"-{key}={value}" for key, value in OPTIONS.items()]
    options += [f"-artifact_prefix={work / 'found' / name}-", str(corpus)]
    atheris.Setup([sys.argv[0], *options, *given], once, custom_mutator=mutate)
    atheris.Fuzz()


def _kept(name: str) -> list[bytes]:
    """The inputs that earlier runs found worth keeping."""
    path = ROOT / "fuzz" / "corpus" / f"{name}.zip"
    if not path.exists():
        return []
    with zipfile.ZipFile(path) as file:
        return [file.read(member) for member in file.namelist()]


def _mutation(name, examples):
    from fuzz import mutations

    if name in ("urdf", "moby", "sdf", "mjcf", "osim", "table", "lua", "obj", "stl"):
        found = {word for data in examples for word in mutations.WORD.findall(data)}
        return mutations.words(sorted(found))
    if name == "lua_table":
        text = b"".join(examples).decode("utf-8", "replace")
        return mutations.json_values(sorted(set(mutations.re.findall(r'"([\w .]*)"', text))))
    if name == "recording":
        from fuzz.seeds import _model_json

        return mutations.archive(sorted(set(mutations.re.findall(r'"(\w*)"', _model_json()))))
    if name in ("stream", "checkpoint"):
        from fuzz.mutations_hdf5 import datasets
        from fuzz.seeds import _model_json

        return datasets(sorted(set(mutations.re.findall(r'"(\w*)"', _model_json()))))
    return None


if __name__ == "__main__":
    main()
