"""The public interface is what is written down: no name or parameter changes unnoticed."""

from __future__ import annotations

from pathlib import Path

from scripts.public_api import lines

import polhode as ph

WRITTEN = Path(__file__).with_name("public_api.txt")
HOW = "if this is meant: python scripts/public_api.py > tests/hardening/public_api.txt"


def test_the_interface_is_the_one_written_down():
    """Names, parameters, their order, kinds and defaults; what is missing breaks users."""
    written, found = WRITTEN.read_text(encoding="utf-8").splitlines(), list(lines())
    missing, added = sorted({*written} - {*found}), sorted({*found} - {*written})
    assert not missing, f"no longer there ({HOW}): {missing}"
    assert not added, f"new ({HOW}): {added}"


def test_the_description_sees_what_matters():
    """A function's parameters, a class's methods, and the kinds of defaults."""
    found = set(lines())
    assert any(line.startswith("polhode.inverse_dynamics(model, q, qd, qdd, ") for line in found)
    assert any(line.startswith("polhode.Recording.save(self, path") for line in found)
    assert any(line.startswith("class polhode.ParseError(message, file=None, line=None)")
               for line in found)  # fmt: skip
    assert {line.split("(")[0].split(":")[0].removeprefix("class ") for line in found} >= {
        f"polhode.{name}" for name in ph.__all__
    }
