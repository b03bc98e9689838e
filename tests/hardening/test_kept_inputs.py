"""Inputs that fuzzing found, or that it stands on, are taken or refused, and nothing else."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from fuzz.targets import TARGETS

FOUND = Path(__file__).parent / "inputs"
KEPT = Path(__file__).parents[2] / "fuzz" / "corpus"
SLOW = {"lua": 8}  # each input is a process


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """The target of the compile cache writes entries; they are to be no one else's."""
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path / "cache"))


def _needs(target: str) -> None:
    if target in ("stream", "checkpoint"):
        pytest.importorskip("h5py")


@pytest.mark.parametrize(
    "path", sorted(FOUND.glob("*/*")), ids=lambda p: f"{p.parent.name}-{p.name}"
)
def test_found_inputs_are_refused(path):
    """What once passed a reader as another error than its own is refused now."""
    _needs(path.parent.name)
    assert TARGETS[path.parent.name](path.read_bytes()) is False


@pytest.mark.parametrize("target", TARGETS)
def test_kept_corpus(target):
    """The inputs that reach most of a reader: some are taken, the others refused."""
    _needs(target)
    with zipfile.ZipFile(KEPT / f"{target}.zip") as file:
        names = file.namelist()[: SLOW.get(target)]
        taken = [TARGETS[target](file.read(name)) for name in names]
    assert len(taken) >= 2
    assert any(taken)


NOTHING = {"empty": b"", "zero": b"\0", "ones": b"\xff" * 200, "tags": b"<" * 5000}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("data", NOTHING.values(), ids=NOTHING)
def test_no_file_at_all(target, data):
    """Bytes of no format are refused by every reader; a cache entry is no error, but nothing."""
    _needs(target)
    assert TARGETS[target](data) is (target == "cache")
